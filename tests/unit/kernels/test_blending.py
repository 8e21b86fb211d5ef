"""Joints combined from samples: numbers as numbers, rotations as rotations."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from posewright.figures import Ball, Figure, Hinge, Joint
from posewright.figures.joint_coordinates import other_triple, turn_of
from posewright.kernels.postures.splicing import blend
from posewright.rotations import (
    quaternion_conjugate,
    quaternion_from_vector,
    quaternion_multiply,
    vector_from_quaternion,
)

EULER = [
    axes
    for axes in itertools.product(((1, 0, 0), (0, 1, 0), (0, 0, 1)), repeat=3)
    if axes[0] != axes[1] and axes[1] != axes[2]
]


def blended(figure: Figure, q, w, members=None, out=None):
    q, w = np.array(q, dtype=np.float64), np.array(w, dtype=np.float64)
    members = np.arange(len(figure.joints)) if members is None else np.array(members)
    out = np.zeros(figure.n_dofs) if out is None else np.array(out)
    blend(*figure.tables, members, q, w, out)
    return out


def three(axes, **limits) -> Figure:
    return Figure(name="three", joints=(Joint(name="a", rotation=tuple(Hinge(axis=axis, **limits) for axis in axes)),))


def mean_turn(joint: Joint, q, w):
    turns = turn_of(joint, np.array(q))
    turns *= np.where(turns @ turns[0] < 0.0, -1.0, 1.0)[:, None]
    mean = np.array(w) @ turns
    return mean / np.linalg.norm(mean)


def test_hinges_are_combined_as_numbers_and_kept_within_limits():
    figure = Figure(name="one", joints=(Joint(name="a", rotation=(Hinge(axis=(1, 0, 0), upper=0.5),)),))
    assert blended(figure, [[0.2], [0.4]], [0.25, 0.75])[0] == pytest.approx(0.35)
    assert blended(figure, [[0.2], [0.6]], [-0.5, 1.5])[0] == 0.5


def test_balls_are_combined_around_the_nearest_sample():
    figure = Figure(name="ball", joints=(Joint(name="a", rotation=Ball()),))
    q = np.array([[3.0, 0.2, 0.0], [-3.0, 0.0, 0.3], [3.1, -0.2, 0.1]])  # the second is near the others, past pi
    w = np.array([0.5, 0.3, 0.2])
    turns = quaternion_from_vector(q)
    away = vector_from_quaternion(quaternion_multiply(quaternion_conjugate(turns[:1]), turns))
    wanted = quaternion_multiply(turns[0], quaternion_from_vector(w @ away))
    assert_allclose(np.abs(quaternion_from_vector(blended(figure, q, w)) @ wanted), 1.0, atol=1e-12)


def test_joints_that_are_no_members_stay():
    joints = (Joint(name="a", rotation=(Hinge(axis=(1, 0, 0)),)), Joint(name="b", rotation=(Hinge(axis=(0, 1, 0)),)))
    figure = Figure(name="two", joints=joints)
    assert blended(figure, [[1.0, 2.0]], [1.0], members=[1], out=[7.0, 8.0]).tolist() == [7.0, 2.0]


@pytest.mark.parametrize("axes", EULER)
def test_three_hinges_make_the_mean_of_the_rotations(axes):
    figure, rng = three(axes), np.random.default_rng(1)
    for _ in range(20):
        q = rng.uniform(-3.0, 3.0, 3) + rng.normal(scale=0.3, size=(5, 3))
        w = rng.normal(scale=0.3, size=5)
        w[0] += 1.0 - w.sum()
        found = turn_of(figure.joints[0], blended(figure, q, w))
        assert abs(found @ mean_turn(figure.joints[0], q, w)) == pytest.approx(1.0, abs=1e-12)


def test_axes_that_are_skew_to_each_other_are_perpendicular_enough():
    axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (np.sin(0.7), 0.0, np.cos(0.7))]
    figure, q = three(axes), [[0.3, -0.5, 0.9], [0.5, 0.2, 0.4], [-0.1, 0.1, 1.0]]
    found = turn_of(figure.joints[0], blended(figure, q, [0.5, 0.3, 0.2]))
    assert abs(found @ mean_turn(figure.joints[0], q, [0.5, 0.3, 0.2])) == pytest.approx(1.0, abs=1e-12)


def test_a_sample_taken_alone_keeps_its_very_numbers():
    figure = three(EULER[0])
    q = [[0.3, 2.5, 7.0], [0.1, 0.2, 0.3]]
    assert blended(figure, q, [1.0, 0.0]).tolist() == q[0]


@pytest.mark.parametrize("axes", EULER)
@pytest.mark.parametrize("middle", [0.0, 0.5 * np.pi, np.pi, -0.5 * np.pi])
def test_in_gimbal_lock_the_angles_stay_near_the_samples(axes, middle):
    """All samples are locked: of the outer angles only a sum is known, and it is split as the samples split it."""
    figure = three(axes)
    q = np.array([[0.4, middle, -0.2], [0.5, middle, -0.1], [0.3, middle, -0.4]])
    found = blended(figure, q, [0.5, 0.3, 0.2])
    assert_allclose(found, np.array([0.5, 0.3, 0.2]) @ q, atol=0.02)


def test_samples_on_the_other_branch_count_as_the_rotations_they_are():
    figure = three([(0, 0, 1), (0, 1, 0), (1, 0, 0)])
    q = np.array([[0.3, 0.2, -0.4], [0.4, 0.1, -0.3], [0.2, 0.3, -0.5]])
    strange = q.copy()
    strange[2] = other_triple(figure.joints[0], q[2])
    w = [0.6, 0.2, 0.2]
    found = [turn_of(figure.joints[0], blended(figure, samples, w)) for samples in (q, strange)]
    assert abs(found[0] @ found[1]) == pytest.approx(1.0, abs=1e-12)


def test_three_hinges_keep_their_limits():
    figure = three(EULER[0], lower=-0.5, upper=0.5)
    found = blended(figure, [[0.5, 0.5, 0.4], [0.1, 0.2, 0.3]], [1.8, -0.8])
    assert (np.abs(found) <= 0.5).all()
    assert found[0] == 0.5


def test_hinges_that_cannot_turn_freely_are_combined_as_numbers():
    axes = [(1.0, 0.0, 0.0), (0.8, 0.6, 0.0), (0.0, 0.0, 1.0)]
    assert_allclose(blended(three(axes), [[0.2, 0.4, 0.6], [0.4, 0.0, 0.2]], [0.5, 0.5]), [0.3, 0.2, 0.4], atol=1e-15)


def test_rotations_that_cancel_are_combined_as_numbers():
    """Thirds of a turn either way, less none: the mean is next to nothing."""
    figure, third = three([(1, 0, 0), (0, 1, 0), (0, 0, 1)]), 2.0 * np.pi / 3.0
    found = blended(figure, [[0.0, 0.0, 0.0], [third, 0.0, 0.0], [-third, 0.0, 0.0]], [-1.0, 1.1, 0.9])
    assert_allclose(found, [0.2 * third, 0.0, 0.0], atol=1e-12)
