"""Leaning: what a crowd says about the way to the goals."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build, chain
from posewright.kernels.sampling.leaning import N_PLACES, Regression, lean, learn
from posewright.kernels.sampling.particles import inside
from posewright.problem.feasible import feasible_region
from posewright.problem.lowering import lower
from posewright.solvers.sampling.blocks import freedom_of


def made(figure, rows, **more):
    problem = pw.Problem(figure, [pw.Position(figure.sites[-1].name, (1.0, 1.0, 1.0))], **more)
    freedom = freedom_of(lower(problem), 10.0, all_that_moves=True)  # far enough that nothing is cut short
    n = len(freedom.spread)
    return problem, freedom, Regression(np.zeros((n + rows + 3, rows)), np.zeros((N_PLACES, n)))


@pytest.mark.parametrize("rows", [1, 3, 5])
def test_a_linear_residual_is_gone_where_the_crowd_leans_to(rows):
    """A chain of hinges without limits: ρ = A x - b, of which a crowd of 50 says all there is to know."""
    rng = np.random.default_rng(rows)
    _, freedom, known = made(chain(9, joints="hinge"), rows)
    A, b = rng.normal(size=(rows, 9)), 0.3 * rng.normal(size=rows)
    x = 0.1 * rng.normal(size=(50, 9))
    rho = x @ A.T - b
    learn(freedom, x, rho, 7, known)
    for i in (0, 7, 31):
        out = np.empty(9)
        lean(freedom, x[i], known, rho[i], 1.0, x[i], out)
        assert np.linalg.norm(A @ out - b) < 0.02 * np.linalg.norm(rho[i])
        half = np.empty(9)
        lean(freedom, x[i], known, rho[i], 0.5, x[i], half)
        assert half - x[i] == pytest.approx(0.5 * (out - x[i]), abs=1e-9)


def test_coordinates_without_room_go_to_their_limit_and_others_do_the_rest():
    """Two hinges do the same; the first has hardly any room."""
    _, freedom, known = made(chain(2, joints="hinge"), 1)
    freedom.upper[0] = 0.05
    rng = np.random.default_rng(3)
    x = np.clip(0.03 * rng.normal(size=(60, 2)), -1.0, 0.05)
    rho = x.sum(axis=1, keepdims=True) - 1.0
    learn(freedom, x, rho, 0, known)
    out = np.empty(2)
    lean(freedom, x[0], known, rho[0], 1.0, x[0], out)
    assert out[0] == pytest.approx(0.05)
    assert out[1] == pytest.approx(0.95, abs=0.05)


@pytest.mark.parametrize("name", ["hand", "human"])
@pytest.mark.parametrize("seed", range(5))
def test_no_lean_leaves_limits_ties_or_rows(name, seed):
    figure, rng = build(name), np.random.default_rng(seed)
    problem, freedom, known = made(figure, 3)
    region, space = feasible_region(problem), problem.space
    base = region.projected(space.encode(figure.rest))
    x = np.stack([region.projected(base + 0.2 * rng.normal(size=len(base))) for _ in range(30)])
    rho = rng.normal(size=(30, 3))
    learn(freedom, x, rho, 4, known)
    out = np.empty(len(base))
    for i in range(30):
        lean(freedom, base, known, 10.0 * rho[i], 1.0, x[i], out)
        assert inside(freedom, out) or not inside(freedom, x[i])
        assert region.violation(out) <= 1e-9


def test_balls_lean_as_turns():
    figure = chain(3)
    _, freedom, known = made(figure, 3)
    rng = np.random.default_rng(5)
    base = rng.normal(size=9)
    target = np.array(pw.Pose(figure, base + 0.02).point("tip"))
    x = base + 0.01 * rng.normal(size=(40, 9))
    rho = np.array([np.subtract(pw.Pose(figure, q).point("tip"), target) for q in x])
    learn(freedom, x, rho, 0, known)
    out = np.empty(9)
    lean(freedom, base, known, rho[0], 1.0, x[0], out)
    missed = np.linalg.norm(np.subtract(pw.Pose(figure, out).point("tip"), target))
    assert missed < 0.1 * np.linalg.norm(rho[0])
