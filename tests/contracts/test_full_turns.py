"""Balls turned on and on: rotation vectors stay short where only the rotation counts; where more does, none leaps."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright.solvers.registry import SOLVERS

over_solvers = pytest.mark.parametrize("name", SOLVERS)


def two_balls():
    joints = [
        pw.figures.Joint(name="a", rotation=pw.figures.Ball()),
        pw.figures.Joint(name="b", parent="a", offset=(1.0, 0.0, 0.0), rotation=pw.figures.Ball()),
    ]
    return pw.Figure(
        name="two balls", joints=joints, sites=[pw.figures.Site(name="tip", joint="b", point=(1.0, 0.0, 0.0))]
    )


def turned(angle, tilt=0.0):
    R = Rotation.from_rotvec([tilt, 0.0, angle]).as_matrix()
    return pw.Orientation("tip", x=tuple(R[:, 0]), y=tuple(R[:, 1]))


@pytest.mark.parametrize("name", ["least_squares", "prioritized", "active_set_bfgs"])
@pytest.mark.parametrize(
    "chart", [None, {"a": (0.6, 0.0, 0.8, 0.0), "b": (0.0, 1.0, 0.0, 0.0)}], ids=["plain", "chart"]
)
def test_a_drag_of_three_turns_is_followed_with_short_rotation_vectors(name, chart):
    figure = two_balls()
    space = pw.Space.of(figure).with_chart(chart) if chart else pw.Space.of(figure)
    pose = pw.Pose.rest(figure)
    for k in range(1, 37):
        result = SOLVERS[name]().solve(pw.Problem(space, [turned(k * math.pi / 6.0, 0.2 * math.sin(k))]), pose)
        assert result.reached
        assert np.linalg.norm(result.q.reshape(2, 3), axis=1).max() <= math.pi + 1e-9
        pose = result.pose


@over_solvers
@pytest.mark.parametrize("weight", [1e-3, 0.1, 1.0])
def test_balls_that_shall_turn_alike_meet_beyond_half_a_turn(name, weight):
    start = pw.Pose(two_balls(), [0.0, 0.0, 3.0, 0.0, 0.0, 3.1])
    goals = [turned(6.4), pw.Smoothness(("a", "b"), weight=weight, name="alike")]
    result = SOLVERS[name]().solve(pw.Problem(start.figure, goals), start)
    assert result.reached
    assert result.errors["alike"] < 1e-2
    if SOLVERS[name].support.shares_evenly:  # those that follow their start
        assert result.q == pytest.approx([0.0, 0.0, 3.2, 0.0, 0.0, 3.2], abs=1e-2)


@over_solvers
def test_a_pull_to_a_reference_beyond_half_a_turn_arrives(name):
    figure = two_balls()
    reference = pw.Pose(figure, [0.0, 0.0, 3.4, 0.0, 0.0, 3.0])
    result = SOLVERS[name]().solve(
        pw.Problem(figure, [pw.Posture(reference)]), pw.Pose(figure, [0.0, 0.0, 3.0, 0.0, 0.0, 3.2])
    )
    assert result.q == pytest.approx(reference.q, abs=2e-3)
