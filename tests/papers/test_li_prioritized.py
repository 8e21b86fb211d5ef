"""Li et al., section 5.1: prioritized inverse kinematics.

The formulas themselves are in tests/unit/kernels/test_strict_levels.py.
"""

from __future__ import annotations

import numpy as np
import pytest

import posewright as pw
from posewright.experiments import EXPERIMENTS
from posewright.figures.catalogue import build, chain
from posewright.problem.feasible import feasible_region


def test_each_of_five_levels_in_conflict_beats_all_below_it():
    figure = chain(12)
    rng = np.random.default_rng(8)
    start = pw.Pose(figure, rng.uniform(-0.3, 0.3, figure.n_dofs))
    directions = rng.normal(size=(5, 3))
    places = directions / np.linalg.norm(directions, axis=1)[:, None]  # each within reach, no two at once
    for order in ((0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (2, 0, 4, 1, 3)):
        goals = [
            pw.Position("tip", tuple(places[k]), name=f"level{level}", priority=level)
            for level, k in enumerate(order, start=1)
        ]
        goals.append(pw.Plane("tip", tuple(places[order[0]]), (0.0, 1.0, 0.0), name="level6", priority=6))
        result = pw.Prioritized().solve(pw.Problem(figure, goals), start)
        first = next(error for error in result.errors.parts if error.label == "level1")
        assert first.reached
        assert result.errors["level6"] <= 1e-4  # the lowest level agrees with the first, so it is met too
        for level in range(2, 6):
            gap = np.linalg.norm(places[order[level - 1]] - places[order[0]])
            assert result.errors[f"level{level}"] == pytest.approx(gap, abs=1e-3)


def test_experiment_5_g_is_accepted():
    assert EXPERIMENTS["5-G"].run().accepted


@pytest.mark.parametrize("max_step", [0.05, 0.3])
@pytest.mark.parametrize("bend", [0.4, 1e-2, 1e-3, 1e-4, 1e-6, 0.0])  # rad; 0: stretched
def test_no_step_is_longer_than_the_bound_also_at_singular_poses(bend, max_step):
    figure = chain(6, joints="hinge")
    start = pw.Pose(figure, np.full(figure.n_dofs, bend))
    inwards = 0.3 * np.array(start.point("tip"))
    problem = pw.Problem(figure, [pw.Position("tip", tuple(inwards))])
    path = [pw.Prioritized(max_step=max_step, max_iterations=k).solve(problem, start).q for k in range(30)]
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert np.isfinite(path).all()
    assert steps.max() <= max_step * (1.0 + 1e-9)
    assert (steps.max() > 0.0) == (bend > 0.0)  # stretched, no direction leads inwards to first order


def test_limits_and_linear_constraints_hold_and_the_first_level_is_not_disturbed():
    figure = build("human")
    assert figure.constraints, "the shoulder polygons are what this is about"
    space = pw.Space.grouped(figure)
    hand = pw.Position("left_hand", (0.39, 1.26, 0.65))
    aside = pw.Position("left_elbow", (1.26, 1.67, 0.3), priority=2, name="elbow")
    alone = pw.Prioritized().solve(pw.Problem(space, [hand], frozen=["pelvis"]))
    both = pw.Prioritized().solve(pw.Problem(space, [hand, aside], frozen=["pelvis"]))
    region = feasible_region(pw.Problem(space))
    for result in (alone, both):
        assert result.errors["left_hand"] <= next(iter(result.errors.values())).tolerance
        assert region.violation(space.encode(result.q)) <= 1e-9
        assert (result.q >= figure.lower - 1e-9).all()
        assert (result.q <= figure.upper + 1e-9).all()
    assert both.errors["elbow"] > 0.1
    x = space.encode(both.q)
    on_a_bound = (np.abs(x - region.lower) < 1e-9) | (np.abs(x - region.upper) < 1e-9)
    on_a_row = np.abs(region.A @ x - region.b) < 1e-9
    assert on_a_bound.any(), "a case that touches no limit would show nothing"
    assert on_a_row.any(), "nor one that touches no polygon"
