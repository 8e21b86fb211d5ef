"""What other libraries are given: cost, gradient, bounds and rows."""

import numpy as np
import pytest

import posewright as pw
from posewright.experiments.torso_tasks import five_segment_torso
from posewright.figures.catalogue import build
from posewright.kernels.dense import search_control as descent
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.lowering import lower
from posewright.solvers.external.objective import Ended, Objective


def objective_of(problem, start=None, stop=None, limit=1000):
    lowered = lower(problem)
    tables = dense_problem(lowered)
    q = problem.figure.rest if start is None else start
    x = lowered.region.projected(problem.space.encode(q))
    stop = np.zeros(1, np.int8) if stop is None else stop
    return Objective(lowered, tables, point_of(tables), lowered.targets, x, problem.figure.rest, stop, limit), lowered


def problems():
    figure = build("human22")
    goals = [
        pw.Placement("left_hand", (3.0, 1.4, 0.4), y=(0.0, 1.0, 0.0), weight=2.0),
        pw.Aim("view", (1.0, 0.5, 2.0)),
        pw.PythonGoal(lambda pose: np.array([np.sin(pose["right_elbow.flexion"]) - 3.0]), 1, unit="rad"),
        pw.Posture(weight=0.3),
    ]
    yield pw.Problem(pw.Space.grouped(figure), goals)
    yield pw.Problem(pw.Space.of(figure), goals, frozen=["head"])
    stiff = five_segment_torso(0.5)
    yield pw.Problem(pw.Space.grouped(stiff), [pw.Position("left_hand", (3.0, 1.4, 0.4))])


@pytest.mark.parametrize("problem", list(problems()), ids=["grouped", "frozen", "stiff"])
def test_the_gradient_is_that_of_the_cost(problem):
    objective, _ = objective_of(problem)
    rng = np.random.default_rng(1)
    y = rng.uniform(np.maximum(objective.lower, -0.1), np.minimum(objective.upper, 0.1))
    _, gradient = objective(y)
    for _ in range(5):
        d = rng.normal(size=len(y))
        slope = (objective(y + 1e-6 * d)[0] - objective(y - 1e-6 * d)[0]) / 2e-6
        assert gradient @ d == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_a_stiff_dof_has_a_longer_way_and_a_rigid_one_no_variable(mixed_figure):
    figure = build("human40")
    free, _ = objective_of(pw.Problem(figure, [pw.Position("left_hand", (3.0, 1.0, 1.0))]))
    frozen, _ = objective_of(pw.Problem(figure, [pw.Position("left_hand", (3.0, 1.0, 1.0))], frozen=["pelvis"]))
    assert len(frozen.lower) == len(free.lower) - 6
    still = figure.dof_slice("pelvis")
    assert np.array_equal(frozen.x_of(np.ones(len(frozen.lower)))[still], figure.rest[still])


def test_rows_hold_at_the_start_and_do_not_repeat_each_other():
    figure = build("human40")
    rows = [
        pw.LinearConstraint.coupling("alike", "left_elbow.flexion", "right_elbow.flexion", 1.0),
        pw.LinearConstraint.coupling("again", "right_elbow.flexion", "left_elbow.flexion", 1.0),
    ]
    start = np.random.default_rng(2).normal(size=figure.n_dofs)
    problem = pw.Problem(figure, [pw.Position("left_hand", (3.0, 1.0, 1.0))], constraints=rows)
    objective, lowered = objective_of(problem, start)
    assert len(lowered.region.A) == 2
    assert (len(objective.A), objective.n_equal) == (1, 1)
    assert objective.b == pytest.approx(0.0, abs=1e-9)
    assert (objective.lower <= 0.0).all()
    assert (objective.upper >= 0.0).all()


def test_a_point_outside_counts_as_the_nearest_inside():
    problem = pw.Problem(build("arm4"), [pw.Position("tip", (9.0, 1.0, 1.0))])
    objective, lowered = objective_of(problem)
    objective(np.full(len(objective.lower), 50.0))
    assert lowered.region.violation(objective.best) <= 1e-12
    assert np.isfinite(objective.best_cost)


def test_it_ends_when_asked_or_when_enough_was_tried():
    problem = pw.Problem(build("arm4"), [pw.Position("tip", (9.0, 1.0, 1.0))])
    stop = np.ones(1, np.int8)
    for asked, limit, why in ((stop, 100, descent.INTERRUPTED), (None, 0, descent.OUT_OF_ITERATIONS)):
        objective, _ = objective_of(problem, stop=asked, limit=limit)
        with pytest.raises(Ended) as end:
            objective(np.zeros(len(objective.lower)))
        assert end.value.why == why
        assert np.isfinite(objective.best_cost), "what was tried is kept"
    with pytest.raises(Ended):
        objective.interrupt()
