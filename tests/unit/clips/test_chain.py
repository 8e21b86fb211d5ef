"""Chains turned to an orientation: exactly where their dofs allow, within limits where not, continuous over time."""

from __future__ import annotations

import numpy as np
import pytest

from posewright.clips.limbs import TurnedChain
from posewright.figures import Ball, Figure, Hinge, Joint
from posewright.figures.catalogue import human
from posewright.figures.kinematics import joint_frames
from posewright.rotations import matrix_from_vector

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ORDERS = {"xyz": (X, Y, Z), "zxz": (Z, X, Z), "signed": ((-1.0, 0.0, 0.0), Z, (0.0, -1.0, 0.0))}


def joint_of(rotation: tuple[Hinge, ...] | Ball) -> Figure:
    return Figure(name="one", joints=[Joint(name="j", rest=(0.8, 0.0, 0.6, 0.0), rotation=rotation)])


def turns(n: int) -> np.ndarray:
    t = np.linspace(0.0, 1.0, n)[:, None]
    return matrix_from_vector(np.array([[0.3, 0.4, 0.2]]) + t * np.array([[0.9, -0.5, 0.7]]))


@pytest.mark.parametrize("axes", ORDERS.values(), ids=ORDERS)
def test_three_hinges_take_any_turn(axes: tuple[tuple[float, float, float], ...]) -> None:
    figure = joint_of(tuple(Hinge(axis=axis) for axis in axes))
    q = np.zeros((40, 3))
    missing = TurnedChain.of(figure, [0]).fit(np.broadcast_to(np.eye(3), (40, 3, 3)), turns(40), q)
    np.testing.assert_allclose(joint_frames(figure, q).rotations[:, 0], turns(40), atol=1e-9)
    assert np.abs(missing).max() < 1e-9
    assert np.abs(np.diff(q, axis=0)).max() < 0.3


def test_a_ball_goes_on_past_half_a_turn() -> None:
    figure = joint_of(Ball())
    wanted = matrix_from_vector(np.linspace(0.0, 5.0, 80)[:, None] * np.array([0.0, 1.0, 0.0]))
    wanted = wanted @ joint_frames(figure, np.zeros(3)).rotations[0]
    q = np.zeros((80, 3))
    TurnedChain.of(figure, [0]).fit(np.broadcast_to(np.eye(3), (80, 3, 3)), wanted, q)
    assert np.abs(np.diff(q, axis=0)).max() < 0.1
    np.testing.assert_allclose(joint_frames(figure, q).rotations[:, 0], wanted, atol=1e-9)


def test_limits_hold_and_what_is_missing_is_reported() -> None:
    figure = joint_of((Hinge(axis=X, lower=-0.2, upper=0.2),))
    wanted = joint_frames(figure, np.zeros(1)).rotations[0] @ matrix_from_vector(np.array([0.5, 0.0, 0.0]))
    q = np.zeros((1, 1))
    missing = TurnedChain.of(figure, [0]).fit(np.eye(3)[None], wanted[None], q)
    assert q[0, 0] == pytest.approx(0.2)
    assert np.linalg.norm(missing[0]) == pytest.approx(0.3, abs=1e-9)


def test_a_group_moves_its_members_in_their_proportions() -> None:
    figure = human()
    spine = [figure.joint_index(name) for name in figure.joint_names if name[0] in "LT" and name[1:].isdigit()]
    chain = TurnedChain.of(figure, spine, shared=True)
    q = np.tile(figure.rest, (1, 1))
    wanted = matrix_from_vector(np.array([[0.4, 0.3, -0.1]]))
    missing = chain.fit(np.eye(3)[None], wanted, q)
    assert np.abs(missing).max() < 1e-9
    group = figure.groups[0]
    values = q[0, [figure.dof_index(member) for member in group.members]]
    coordinates = np.linalg.lstsq(np.array(group.matrix), values, rcond=None)[0]
    np.testing.assert_allclose(np.array(group.matrix) @ coordinates, values, atol=1e-12)
