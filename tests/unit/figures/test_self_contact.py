from __future__ import annotations

import math

import numpy as np
import pytest

from posewright.figures import Capsule, Figure, Hinge, Joint
from posewright.figures.capsules import capsule_pairs
from posewright.figures.catalogue import human40
from posewright.figures.joint import Z
from posewright.figures.kinematics import joint_frames


def bar(radius: float) -> tuple[Capsule, ...]:
    return (Capsule(start=(0.0, 0.0, 0.0), end=(1.0, 0.0, 0.0), start_radius=radius, end_radius=radius),)


FOLDING = Figure(
    name="folding",
    joints=(
        Joint(name="one", shape=bar(0.05)),
        Joint(name="two", parent="one", offset=(1, 0, 0), rotation=(Hinge(axis=Z),), shape=bar(0.05)),
        Joint(name="three", parent="two", offset=(1, 0, 0), rotation=(Hinge(axis=Z),), shape=bar(0.05)),
    ),
)


def test_gaps_are_distances_between_surfaces() -> None:
    pairs = capsule_pairs(FOLDING)
    assert [pairs.joints(k) for k in range(len(pairs.pairs))] == [("one", "three")]
    square = np.array([[math.pi / 2, math.pi / 2], [math.pi / 2, -math.pi / 2], [2.0943951023931953] * 2])
    gaps, away, worst = pairs.nearest(joint_frames(FOLDING, square))
    assert gaps[0] == pytest.approx(1.0 - 0.1), "two sides of a square"
    assert gaps[2] == pytest.approx(-0.1), "a triangle closes"
    assert np.linalg.norm(away, axis=1) == pytest.approx(gaps + 0.1), "between the axes"
    assert away[:2, 1] == pytest.approx(-1.0), "from the third, which is above, to the first"
    assert worst.tolist() == [0, 0, 0]


def test_one_pose_and_many_have_the_axes_they_were_given_with() -> None:
    figure = human40()
    pairs = capsule_pairs(figure)
    alone = pairs.nearest(joint_frames(figure, figure.rest)).gap
    assert alone.shape == ()
    assert alone >= 0.0, "what touches at rest does not count"
    many = pairs.nearest(joint_frames(figure, np.tile(figure.rest, (2, 3, 1)))).gap
    assert many.shape == (2, 3)
    assert np.all(many == alone)


def test_gaps_equal_the_least_over_many_points_of_both_axes() -> None:
    figure = human40()
    pairs = capsule_pairs(figure)
    rng = np.random.default_rng(1)
    q = figure.rest + 0.4 * rng.normal(size=figure.n_dofs)
    frames = joint_frames(figure, q)
    gap, _, worst = pairs.nearest(frames)
    steps = np.linspace(0.0, 1.0, 201)
    balls = []
    for c in pairs.pairs[int(worst)]:
        j = pairs.joint[c]
        ends = frames.positions[j] + pairs.ends[c] @ frames.rotations[j].T
        line = ends[0] + steps[:, None] * (ends[1] - ends[0])
        balls.append((line, pairs.radii[c, 0] + steps * (pairs.radii[c, 1] - pairs.radii[c, 0])))
    distances = np.linalg.norm(balls[0][0][:, None] - balls[1][0][None], axis=-1)
    i, k = np.unravel_index(np.argmin(distances), distances.shape)
    assert gap == pytest.approx(distances[i, k] - balls[0][1][i] - balls[1][1][k], abs=2e-3)


def test_a_figure_without_pairs_never_touches_itself() -> None:
    lonely = Figure(name="lonely", joints=(Joint(name="j", shape=bar(0.1)),))
    gaps, _, worst = capsule_pairs(lonely).nearest(joint_frames(lonely, np.empty((2, 0))))
    assert gaps.tolist() == [math.inf, math.inf]
    assert worst.tolist() == [-1, -1]
