"""One step of the tree elimination is the damped least-squares step that a dense Jacobian gives."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.kernels.dense.problem import evaluate
from posewright.kernels.kinematics import frames as kinematics
from posewright.kernels.tree import elimination as tree
from posewright.kernels.tree import points as tree_points
from posewright.kernels.tree.sweep import new_sweep
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.lowering import lower
from random_figures import random_figure, random_q

DAMPING = 0.05


def goals_of_every_form(sites: list[str]) -> dict[str, list[pw.Goal]]:
    """Lone points, a point with company below, rotations, and kinds that only the general way knows."""
    points = [pw.Position(site, (0.4, -0.3, 0.9), weight=1.0 + k) for k, site in enumerate(sites)]
    turn = pw.Orientation(sites[0], x=(0.6, 0.8, 0.0), y=(0.0, 0.0, 1.0), radius=0.7, name="turn", weight=2.0)
    aim = pw.Aim(sites[1], (1.0, 2.0, 3.0), name="aim")
    plane = pw.Plane(sites[2], (0.1, 0.2, 0.3), (0.0, 1.0, 0.0), name="plane")
    return {
        "one point": points[:1],
        "points": points,
        "a rotation": [turn],
        "point and rotation": [points[0], turn, points[2]],
        "all kinds": [*points, turn, aim, plane],
    }


def both_steps(problem: pw.Problem, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The step by elimination, and by the normal equations."""
    lowered = lower(problem)
    joints, dofs, table, targets = lowered.joints, lowered.dofs, lowered.terms, lowered.targets
    n_joints, n = len(joints), len(dofs)
    rotations, positions, axes = np.empty((n_joints, 3, 3)), np.empty((n_joints, 3)), np.empty((n, 3))
    sweep, below, errors = new_sweep.__wrapped__(n_joints, n), np.zeros(n_joints, np.int8), np.empty(len(table))
    sweep.q[:], sweep.D[:] = q, DAMPING
    points = tree_points.forms_below(joints, table, below)
    kinematics.place(joints, dofs, q, rotations, positions, axes)
    tree.screws(joints, dofs, positions, axes, sweep.S)
    cost = tree.gather(table, below, targets, rotations, positions, sweep, errors)
    tree.step(joints, dofs, below, points, False, sweep)

    problem = dense_problem(lowered)
    point = point_of(problem)
    evaluate(problem, targets, q, point)
    rho, J = point.rho, point.J
    np.testing.assert_allclose(errors, point.errors, rtol=1e-12)
    assert cost == pytest.approx(rho @ rho, rel=1e-12)
    return sweep.d, np.linalg.solve(J.T @ J + DAMPING * np.eye(n), -J.T @ rho)


@pytest.mark.parametrize("form", list(goals_of_every_form(["a", "b", "c"])))
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_elimination_gives_the_dense_step(form: str, seed: int) -> None:
    figure = random_figure(seed, 10)
    goals = goals_of_every_form([figure.site_names[k] for k in (9, 6, 8)])[form]
    eliminated, dense = both_steps(pw.Problem(figure, goals), random_q(figure, seed, 1)[0])
    np.testing.assert_allclose(eliminated, dense, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("gap", [1e-5, 9.99e-4, 1.001e-3, 0.1, 3.1])
def test_a_rotation_goal_keeps_its_accuracy_for_every_gap(gap: float) -> None:
    figure = build("arm4")
    site = figure.site_names[0]
    q = np.zeros(figure.n_dofs)
    from posewright.figures.kinematics import site_frames
    from posewright.rotations import matrix_from_vector

    frames = site_frames(figure, q, [site])
    turned = matrix_from_vector(gap * np.array([2.0, -1.0, 2.0]) / 3.0)
    x, y = turned @ frames.x_axes[0], turned @ frames.y_axes[0]
    goal = pw.Orientation(site, x=tuple(x), y=tuple(y), radius=0.5)
    eliminated, dense = both_steps(pw.Problem(figure, [goal]), q)
    np.testing.assert_allclose(eliminated, dense, rtol=1e-7, atol=1e-13)
