"""Motions displaced over time beside the same worked out by dense matrices and numerical slopes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from posewright.constraints import LinearConstraint
from posewright.figures import Ball, Figure, Hinge, Joint, Site, Slide, free_slides
from posewright.figures.joint import X, Y, Z
from posewright.goals import Position
from posewright.goals.timed import Timed
from posewright.motions import Motion
from posewright.problem import MotionProblem
from posewright.problem.displacements import Curves, Stretch
from posewright.workflows.editing.displacing import Displacing
from posewright.workflows.editing.steps import untold

FPS, N = 30.0, 40
POINT = Figure(name="point", joints=(Joint(name="point", slides=free_slides()),))
ARM = Figure(
    name="arm",
    joints=(
        Joint(name="base", slides=(Slide(axis=Y, label="up", lower=-0.1, upper=0.3),), rotation=Ball()),
        Joint(name="elbow", parent="base", offset=X, rotation=(Hinge(axis=Z, lower=-0.3, upper=0.4),)),
        Joint(name="wrist", parent="elbow", offset=X, rotation=(Hinge(axis=Y, lower=-1.0, upper=1.0),)),
        Joint(name="thumb", parent="elbow", offset=X, rotation=(Hinge(axis=Y),)),
    ),
    sites=(Site(name="palm", joint="wrist", point=(0.3, 0.1, 0.0)),),
)


def still(figure: Figure) -> Motion:
    return Motion(figure, np.zeros((N, figure.n_dofs)), FPS)


def displacing(motion: Motion, goals: list[Timed], stretches: list[Stretch], **settings: float) -> Displacing:
    curves = Curves.of(len(motion), stretches, motion.fps)
    return Displacing(MotionProblem(motion.figure, goals, motion), curves, untold, **settings)


KEYS = [Stretch(12, 12, (8.0, 8.0)), Stretch(20, 20, (8.0, 10.0))]


def test_places_that_are_linear_are_the_best_compromise_of_goals_and_jerk():
    """Weighted squared errors beside squared jerk: the normal equations."""
    wanted, weights = np.array([[1.0, 0.4, -0.2], [-0.5, 2.0, 0.3]]), np.array([1.0, 3.0])
    goals = [
        Position("point", tuple(there), weight=weight, tolerance=1e-3).at(frame)
        for there, weight, frame in zip(wanted, weights, (12, 20), strict=True)
    ]
    curves, stiffness = Curves.of(N, KEYS, FPS), 0.05
    result = displacing(still(POINT), goals, KEYS, stiffness=stiffness).result()
    A = curves.shares[[curves.frames.tolist().index(frame) for frame in (12, 20)]]
    x = np.linalg.solve(A.T @ (weights[:, None] * A) + stiffness * curves.effort, A.T @ (weights[:, None] * wanted))
    expected = np.zeros((N, 3))
    expected[curves.frames] = curves.shares @ x
    np.testing.assert_allclose(result.motion.q, expected, atol=1e-6)
    assert not result.reached
    assert np.linalg.norm(expected[12] - wanted[0]) > 0.1


def test_earlier_priorities_are_met_and_later_ones_as_nearly_as_they_leave():
    first = Position("point", (0.2, 0.0, 0.0), tolerance=1e-3).at(12)
    second = Position("point", (0.0, 0.4, 0.0), priority=2, name="later").at(12)
    made = displacing(still(POINT), [first, second], KEYS[:1]).result()
    np.testing.assert_allclose(made.motion.q[12], [0.2, 0.0, 0.0], atol=1e-3)
    assert made.errors[first.label].reached
    assert made.errors[second.label].value == pytest.approx(np.hypot(0.2, 0.4), abs=2e-3)


def test_goals_are_met_in_the_frames_of_a_stretch_and_nothing_moves_outside_its_windows():
    time = np.arange(10, 21)
    path = np.stack([0.1 * np.sin(0.3 * time), 0.02 * time, np.zeros(11)], axis=1)
    goal = Position("point", (0.0, 0.0, 0.0), tolerance=1e-3).along(path, start=10, end=20)
    made = displacing(still(POINT), [goal], [Stretch(10, 20, (5.0, 7.0))]).result()
    assert made.reached
    np.testing.assert_allclose(made.motion.q[10:21], path, atol=1e-3)
    assert not made.motion.q[:6].any()
    assert not made.motion.q[27:].any()
    assert np.abs(made.motion.q[6:27]).max(axis=1).all()


def search(figure: Figure, seed: int) -> tuple[Displacing, np.ndarray]:
    """A search for two goals in conflict, and displacements some of which go beyond limits."""
    rng = np.random.default_rng(seed)
    q = np.clip(0.2 * rng.normal(size=(N, figure.n_dofs)), figure.lower, figure.upper)
    goals = [
        Position("palm", (1.5, 0.8, 0.4)).at(12),
        Position("palm", (1.0, 1.2, -0.4), priority=2).at(20),
        Position("elbow", (0.8, 0.3, 0.3), priority=2).at(20),
    ]
    found = displacing(Motion(figure, q, FPS), goals, KEYS, stiffness=1e-2)
    return found, rng.normal(scale=0.4, size=(2, len(found.body.moving)))


COUPLED = replace(
    ARM,
    constraints=(
        LinearConstraint.coupling("pair", "wrist.ry", "elbow.rz", 0.5, 0.1),
        LinearConstraint(name="sum", coefficients=(("base.up", 2.0), ("elbow.rz", 1.0)), upper=0.2),
    ),
)


@pytest.mark.parametrize("figure", [ARM, COUPLED], ids=["limits", "constraints"])
@pytest.mark.parametrize("seed", range(3))
def test_steps_go_down_the_slope_of_the_cost(figure, seed):
    found, x = search(figure, seed)
    slopes, h = np.empty(x.shape), 1e-6
    for index in np.ndindex(*x.shape):
        more = np.zeros(x.shape)
        more[index] = h
        slopes[index] = (found._at(x + more).cost - found._at(x - more).cost) / (2.0 * h)
    damping = 1e12
    step = found._step(found._at(x), x, damping)
    np.testing.assert_allclose(step * damping, -0.5 * slopes * found._scale**2, rtol=1e-4, atol=1e-4)


def test_one_step_is_enough_where_all_is_quadratic():
    """A point far beyond the limits of its slides, which give way by how much they weigh."""
    slides = tuple(replace(slide, lower=-0.1, upper=0.2) for slide in free_slides())
    figure = Figure(name="bound", joints=(Joint(name="point", slides=slides),))
    goals = [Position("point", (3.0, 2.0, -4.0)).at(12), Position("point", (4.0, 5.0, -2.0)).at(20)]
    found = displacing(still(figure), goals, KEYS, stiffness=1e-2)
    x = np.ones((2, 3)) * [1.0, 1.0, -1.0]
    there = x + found._step(found._at(x), x, 0.0)
    d = found._curves.shares @ there
    assert ((d > 0.2) | (d < -0.1))[found._counting].all()
    h = 1e-5
    for index in np.ndindex(*x.shape):
        more = np.zeros(x.shape)
        more[index] = h
        slope = found._at(there + more).cost - found._at(there - more).cost
        here = found._at(x + more).cost - found._at(x - more).cost
        assert abs(slope) < 0.05 * abs(here)


@pytest.mark.parametrize("figure", [ARM, COUPLED], ids=["limits", "constraints"])
def test_the_cost_of_limits_curves_as_steps_assume_and_that_of_constraints_no_more(figure):
    """Steps assume that no dof is coupled to another, so they must assume enough."""
    found, x = search(figure, 1)
    d, rng = found._curves.shares @ x, np.random.default_rng(2)
    weights, _, cost = found._limits(d)
    assert cost > 0.0
    for k in range(10):
        step = 1e-4 * rng.normal(size=d.shape) * rng.integers(0, 2, size=d.shape)
        curved = found._limits(d + step)[2] + found._limits(d - step)[2] - 2.0 * cost
        assumed = 2.0 * float((weights * step**2).sum())
        assert curved <= assumed * (1.0 + 1e-4), k
        assert curved > 0.2 * assumed, k
        if figure is ARM:
            assert curved == pytest.approx(assumed, rel=1e-4)


def test_what_a_recording_breaks_of_limits_and_constraints_costs_nothing():
    """Only what goes further beyond than the source does."""
    q = np.zeros((N, COUPLED.n_dofs))
    q[:, COUPLED.dof_index("elbow.rz")] = 0.4
    q[:, COUPLED.dof_index("wrist.ry")] = 0.9
    found = displacing(Motion(COUPLED, q, FPS), [Position("palm", (1.5, 0.8, 0.4)).at(12)], KEYS[:1])
    nothing = np.zeros((len(found._curves.frames), len(found.body.moving)))
    assert found._limits(nothing)[2] == 0.0
    assert not found._limits(nothing)[1].any()


def test_couplings_are_kept_and_limits_hold_where_goals_want_more():
    motion = still(replace(COUPLED, constraints=COUPLED.constraints[:1]))
    q = motion.q.copy()
    q[:, COUPLED.dof_index("elbow.rz")], q[:, COUPLED.dof_index("wrist.ry")] = 0.2, 0.2
    motion = motion.with_q(q)
    made = displacing(motion, [Position("palm", (1.6, 1.2, -0.4)).at(12)], KEYS[:1]).result().motion
    figure = motion.figure
    assert np.abs(made.q - q).max() > 0.1
    np.testing.assert_allclose(
        made.q[:, figure.dof_index("wrist.ry")], 0.5 * made.q[:, figure.dof_index("elbow.rz")] + 0.1, atol=1e-6
    )
    assert (made.q >= figure.lower - 1e-9).all()
    assert (made.q <= figure.upper + 1e-9).all()
