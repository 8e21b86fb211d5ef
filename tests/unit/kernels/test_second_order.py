"""Slope and curvature of what is followed are those of differences of the cost, for every kind of goal and dof."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.kernels.dense import follow, followed_step
from posewright.kernels.dense.followed import followed_cost
from posewright.kernels.dense.newton_step import RIGHT, SLOPE, SOFTNESS
from posewright.kernels.dense.second_order import second_order
from posewright.kernels.goals.terms import RESULT
from posewright.problem.lowering import lower
from posewright.solvers.following import Follower, Pricing

FAR = (1.5, 2.0, 1.0)
EXACT = {
    "position": pw.Position("right_hand", FAR),
    "rotation": pw.Orientation("right_hand", x=(0.0, 0.0, 1.0), y=(0.0, 1.0, 0.0)),
    "chord": pw.Orientation("right_hand", x=(0.0, 0.0, 1.0)),
    "aim": pw.Aim("view", FAR),
    "near aim": pw.Aim("view", (0.0, 1.5, 0.3)),
    "aim at what is as good as reached": pw.Aim("view", (0.0, 1.6, 0.2), radius=1000.0, weight=1e-6),
    "distance": pw.goals.Distance("right_hand", FAR, 0.3),
    "line": pw.Line("right_hand", FAR, (0.0, 1.0, 0.0)),
    "plane": pw.Plane("right_hand", FAR, (0.6, 0.8, 0.0)),
    "balance": pw.CentreOfMass((1.0, 0.0, 1.0)),
    "two sites": pw.Position("right_hand", "left_toe_tip"),
    "directions of two sites": pw.Orientation("right_hand", like="left_hand", measure="chord"),
}
FIRST_ORDER = {"aim at a site": pw.Aim("view", "right_hand"), "alike": pw.Orientation("right_hand", like="left_hand")}


def unlimited(figure):
    """All joints balls, without limits."""
    return figure.with_balls(drop_limits=True)


SPACES = {
    "hinges": lambda: pw.Space.of(build("human40")),
    "balls": lambda: pw.Space.of(unlimited(build("human40"))),
    "groups": lambda: pw.Space.grouped(build("human")),
}


def model_and_differences(problem, seed, spread=0.3):
    """Slope and curvature, as kernels have them and as differences of the cost give them, along some directions."""
    lowered, random = lower(problem), np.random.default_rng(seed)
    follower = Follower(lowered, Pricing(strict=False))
    dense, point, followed = follower._problem, follower._point, follower._followed
    n, reference = len(lowered.scale), np.zeros(len(lowered.dofs))
    x = lowered.problem.space.encode(problem.figure.rest) + spread * random.normal(size=n)

    def cost(at):
        follow.measure_followed(dense, lowered.targets, at, point)
        return followed_cost(dense, followed, reference, point)

    along = random.normal(size=(6, n)) / np.sqrt(n)
    h = 1e-4
    slopes = [(cost(x + h * a) - cost(x - h * a)) / (4.0 * h) for a in along]
    bends = [
        [
            (cost(x + h * (a + b)) - cost(x + h * (a - b)) - cost(x - h * (a - b)) + cost(x - h * (a + b)))
            / (8.0 * h * h)
            for b in along
        ]
        for a in along
    ]
    cost(x)
    missed = point.found[:, RESULT, :3].copy()
    model = followed.model
    second_order(dense, lowered.targets, followed.prices, 1, missed, point, followed.sums, followed.drives, model)
    rows = model.rows[: followed_step.soft_rows(dense, followed, 1, point)]
    E, right, softness = rows[:, :n], rows[:, n + RIGHT], rows[:, n + SOFTNESS]
    g, H = model.places[SLOPE] + E.T @ (right / softness), model.H + E.T @ (E / softness[:, None])
    return (-along @ g, np.array(slopes)), (along @ H @ along.T, np.array(bends))


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("kind", EXACT)
def test_slope_and_curvature_are_exact(space, kind):
    slope, bend = model_and_differences(pw.Problem(SPACES[space](), [EXACT[kind]]), seed=len(kind))
    np.testing.assert_allclose(*slope, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(*bend, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", FIRST_ORDER)
def test_of_goals_whose_target_turns_with_the_figure_the_slope_is_exact(kind):
    slope, _ = model_and_differences(pw.Problem(SPACES["hinges"](), [FIRST_ORDER[kind]]), seed=1)
    np.testing.assert_allclose(*slope, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", ["position", "chord"])
def test_they_are_exact_where_balls_hardly_turn(kind):
    slope, bend = model_and_differences(pw.Problem(SPACES["balls"](), [EXACT[kind]]), seed=2, spread=0.01)
    np.testing.assert_allclose(*slope, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(*bend, rtol=1e-5, atol=1e-6)
