"""Figures of a millimetre and of a kilometre are solved as figures of a metre are: the answer is the scaled answer."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build, chain
from posewright.figures.kinematics import site_frames
from posewright.figures.reach import length_unit, reach
from posewright.kernels.tables import SLIDE
from posewright.problem.feasible import feasible_region

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import violations
from random_problems import random_poses, random_problem, resized

SOLVERS = (
    pw.LeastSquares(),
    pw.Prioritized(),
    pw.ActiveSetBfgs(),
    pw.SequentialMonteCarlo(particles=20, max_iterations=30),
    pw.Scipy(max_iterations=300),
)
FACTORS = (1e-3, 1e-2, 0.1, 10.0, 100.0, 1e3)
ANY_FACTORS = (0.0254, 0.3, 3.0, 39.37)


def answers(figure: pw.Figure, solver, site: str, targets, factor: float):
    """Poses and errors over the factor, and which goals were reached, of a figure so many times as large."""
    larger = figure.with_lengths(overall=factor)
    assert reach(larger, None) == pytest.approx(factor * reach(figure, None))
    prepared = solver.prepare(pw.Problem(larger, [pw.Position(site, (0.0, 0.0, 0.0))]))
    found = [prepared.solve({site: factor * point}) for point in targets]
    unit = np.where(figure.tables.dofs["kind"] == SLIDE, factor, 1.0)
    errors = np.array([one.errors[site] for one in found]) / factor
    return np.array([one.q for one in found]) / unit, errors, np.array([one.reached for one in found])


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
@pytest.mark.parametrize("name", ["human40", "human", "hand"])
def test_the_answer_scales_with_the_figure(name, solver):
    figure, rng = build(name), np.random.default_rng(3)
    site, n = figure.sites[0].name, 6
    region = feasible_region(pw.Problem(figure))
    poses = [region.projected(figure.rest + rng.uniform(-0.4, 0.4, figure.n_dofs)) for _ in range(n)]
    targets = site_frames(figure, np.array(poses), [site]).points[:, 0]
    targets[n // 2 :] += 2.0 * figure.height * rng.normal(size=(n - n // 2, 3))
    q, errors, reached = answers(figure, solver, site, targets, 1.0)
    assert reached.any()
    for factor in (*FACTORS, *ANY_FACTORS):
        other_q, other_errors, other_reached = answers(figure, solver, site, targets, factor)
        assert (reached == other_reached).all(), factor
        same = np.abs(q - other_q).max(axis=1) <= 1e-6
        as_good = np.abs(errors - other_errors) <= 1e-9 * errors  # dofs that the goal does not see may be anywhere
        # between powers of ten the unit of length is a little off, and what is out of reach ends elsewhere
        assert (same | as_good | reached | (factor in ANY_FACTORS)).all(), factor


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
def test_random_problems_are_reached_alike_at_any_size(solver):
    agree, n = 0, 4
    for seed in range(10):
        rng = np.random.default_rng([9, seed])
        asked = random_problem(rng)
        asked = resized(asked, 1.0 / asked.size)
        rest = np.array([[dof.rest for dof in asked.dofs]])
        starts = rest if asked.frozen else random_poses(asked, rng, n, beyond=0.3)
        targets = violations.random_targets(asked, rng, n)
        factor = FACTORS[seed % len(FACTORS)]
        agree += int(
            (_reached(solver, asked, starts, targets, 1.0) == _reached(solver, asked, starts, targets, factor)).sum()
        )
    assert agree >= 39


def _reached(solver, asked, starts, targets, factor):
    other = resized(asked, factor)
    unit = np.where([dof.kind == "slide" for dof in asked.dofs], factor, 1.0)
    prepared = solver.prepare(violations.problem_of(other))
    moved = {goal.label: factor * targets[goal.label] for goal in asked.goals if goal.kind == "position"}
    n = len(next(iter(targets.values())))
    return prepared.solve_many(moved or np.tile(prepared.targets, (n, 1, 1)), starts * unit).reached


@pytest.mark.parametrize("length", [1e-7, 1e-4, 1.0, 1e5])
def test_segments_of_any_length_reach(length):
    figure = chain(6, length=length)
    rng = np.random.default_rng(1)
    site = figure.sites[-1].name
    poses = rng.uniform(np.maximum(figure.lower, -1.5), np.minimum(figure.upper, 1.5), (100, figure.n_dofs))
    targets = site_frames(figure, poses, [site]).points[:, 0]
    problem = pw.Problem(figure, [pw.Position(site, (0.0, 0.0, 0.0))])
    assert pw.LeastSquares().solve_many(problem, {site: targets}).reached.all()


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
def test_rows_over_slides_hold_in_any_unit(factor, solver):
    slides = [pw.figures.Slide(axis=axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    cart = pw.figures.Joint(name="cart", slides=tuple(slides))
    arm = pw.figures.Joint(
        name="arm", parent="cart", offset=(0.0, 0.5 * factor, 0.0), rotation=(pw.figures.Hinge(axis=(0.0, 0.0, 1.0)),)
    )
    tip = pw.figures.Site(name="tip", joint="arm", point=(0.5 * factor, 0.0, 0.0))
    figure = pw.Figure(name="cart", joints=(cart, arm), sites=(tip,))
    rows = [
        pw.LinearConstraint(name="ramp", coefficients=(("cart.tx", 1.0), ("cart.ty", -2.0)), lower=0.0, upper=0.0),
        pw.LinearConstraint(name="wall", coefficients=(("cart.tx", 1.0), ("cart.tz", 1.0)), upper=0.2 * factor),
        pw.LinearConstraint(
            name="mixed", coefficients=(("cart.tz", 1.0 / factor), ("arm.rz", 0.5)), lower=-0.3, upper=0.3
        ),
    ]
    problem = pw.Problem(figure, [pw.Position("tip", (3.0 * factor, 0.1 * factor, 2.0 * factor))], constraints=rows)
    result = solver.solve(problem, pw.Pose(figure, factor * np.array([5.0, -3.0, 8.0, 0.0])))
    x, y, z, turn = (result.q / [factor, factor, factor, 1.0]).tolist()
    assert abs(x - 2.0 * y) <= 1e-10
    assert x + z <= 0.2 + 1e-10
    assert abs(z + 0.5 * turn) <= 0.3 + 1e-10
    assert feasible_region(problem).violation(result.q) <= 1e-10
    assert x + z >= 0.2 - 1e-3  # the goal pulls it there


def test_the_unit_of_length_is_a_power_of_ten():
    assert [length_unit(build(name)) for name in ("human", "human40")] == [1.0, 1.0]
    assert length_unit(build("human").with_lengths(overall=1e-3)) == 1e-3
    assert length_unit(build("human").with_lengths(overall=1e6)) == 1e6


@pytest.mark.parametrize("solver", [pw.LeastSquares(restarts=0), pw.Prioritized()], ids=lambda s: type(s).__name__)
def test_a_drag_with_a_light_posture_scales_with_the_figure(solver):
    ends = []
    for factor in (1.0, 1e-3, 100.0):
        figure = build("human40").with_lengths(overall=factor)
        rest = pw.Pose.rest(figure)
        hand = np.array(rest.point("right_hand"))
        pins, point = pw.pin(rest, "left_sole", "right_sole"), pw.Position("right_hand", tuple(hand))
        live, said = solver.prepare(pw.Problem(figure, [*pins, point, pw.Posture(weight=1e-5)])), []
        for step in range(60):  # out of reach and half of the way back
            away = 0.027 * min(step, 60 - step) if step < 45 else 0.4
            result = live.follow(right_hand=hand + factor * away * np.array([0.0, 0.4, 1.0]))
            said.append(result.stopped)
        ends.append((result.q / np.where(figure.tables.dofs["kind"] == SLIDE, factor, 1.0), said))
    assert ends[0][1][-1] in ("reached", "stationary")
    for q, said in ends[1:]:
        assert said == ends[0][1]
        assert np.abs(q - ends[0][0]).max() <= 2e-3
