import itertools

import numpy as np
import pytest

from posewright.errors import InvalidFigure
from posewright.figures import Ball, Hinge, Joint
from posewright.figures.joint import X, Y, Z
from posewright.figures.joint_coordinates import angles_of, misfit, other_triple, turn_of, turns_freely
from posewright.rotations import quaternion_from_vector

ORDERS = [o for o in itertools.product((X, Y, Z), repeat=3) if o[0] != o[1] and o[1] != o[2]]


def three(order):
    return Joint(name="j", rotation=tuple(Hinge(axis=axis) for axis in order))


@pytest.mark.parametrize("order", ORDERS)
def test_angles_come_back_on_the_branch_nearest_the_reference(order):
    rng = np.random.default_rng(1)
    angles = rng.uniform(-10, 10, (200, 3))
    joint = three(order)
    assert turns_freely(joint)
    back = angles_of(joint, turn_of(joint, angles), angles + rng.uniform(-0.05, 0.05, angles.shape))
    np.testing.assert_allclose(back, angles, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_the_other_triple_means_the_same_rotation(order):
    angles = np.random.default_rng(2).uniform(-4, 4, (50, 3))
    other = other_triple(three(order), angles)
    assert np.abs(other - angles).max() > 1.0
    assert misfit(three(order), turn_of(three(order), angles), other).max() < 1e-12


def test_z_y_x_angles_have_the_textbook_second_triple():
    a, b, c = 0.3, 0.4, -0.2
    other = other_triple(three((Z, Y, X)), np.array([a, b, c]))
    np.testing.assert_allclose(np.mod(other, 2 * np.pi), np.mod([a + np.pi, np.pi - b, c + np.pi], 2 * np.pi))


@pytest.mark.parametrize("order", ORDERS)
def test_gimbal_lock_keeps_the_rotation_and_stays_near_the_reference(order):
    locked = 0.0 if order[0] == order[2] else np.pi / 2
    angles = np.array([[0.7, locked, -0.4], [0.7, -locked, -0.4]])
    joint = three(order)
    turn = turn_of(joint, angles)
    back = angles_of(joint, turn, angles + 0.01)
    assert misfit(joint, turn, back).max() < 1e-12
    np.testing.assert_allclose(back, angles, rtol=0.0, atol=0.02)


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_hinges_get_their_angles_and_say_what_they_cannot_do(n):
    joint = Joint(name="j", rotation=tuple(Hinge(axis=axis) for axis in (Z, X)[:n]))
    angles = np.random.default_rng(3).uniform(-3, 3, (20, n))
    turn = turn_of(joint, angles)
    np.testing.assert_allclose(angles_of(joint, turn, angles), angles, rtol=0.0, atol=1e-12)
    wild = quaternion_from_vector(np.array([0.3, 1.0, 0.2]))
    assert misfit(joint, wild, angles_of(joint, wild, np.zeros(n))) > 0.1


def test_a_ball_follows_its_reference_round_the_circle():
    joint = Joint(name="j", rotation=Ball())
    w = np.array([0.0, 3.5, 0.1])
    np.testing.assert_allclose(angles_of(joint, turn_of(joint, w), w + 0.1), w, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("axes", [(X, (0.6, 0.8, 0.0)), (X, (0.6, 0.8, 0.0), (0.0, 0.6, 0.8))])
def test_oblique_hinges_get_their_angles_too(axes):
    joint = Joint(name="odd", rotation=tuple(Hinge(axis=axis) for axis in axes))
    assert not turns_freely(joint)
    angles = np.random.default_rng(4).uniform(-1, 1, (30, len(axes)))
    np.testing.assert_allclose(angles_of(joint, turn_of(joint, angles), angles), angles, rtol=0.0, atol=1e-10)


def test_one_reference_is_where_the_first_frame_begins():
    joint = three((Z, Y, X))
    angles = np.linspace(0, 1, 90)[:, None] * np.array([12.0, 1.0, -9.0]) + np.array([6.3, 0.0, 0.0])
    np.testing.assert_allclose(angles_of(joint, turn_of(joint, angles), angles[0]), angles, rtol=0.0, atol=1e-12)
    assert angles_of(joint, turn_of(joint, angles[3]), angles[3]).shape == (3,)


def test_more_than_three_hinges_are_refused_by_name():
    joint = Joint(name="odd", rotation=tuple(Hinge(axis=axis, label=f"a{k}") for k, axis in enumerate((X, Y, X, Z))))
    with pytest.raises(InvalidFigure, match="joint 'odd' has 4 hinges; a rotation alone fixes at most 3"):
        angles_of(joint, np.array([1.0, 0, 0, 0]), np.zeros(4))
