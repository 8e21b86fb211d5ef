"""With `curvature`, the tree elimination takes the Newton step that second differences of the cost give."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.kernels.kinematics import frames as kinematics
from posewright.kernels.tree import curvature
from posewright.kernels.tree import elimination as tree
from posewright.kernels.tree import points as tree_points
from posewright.kernels.tree.sweep import new_sweep
from posewright.problem.lowering import lower

DAMPING = 3.0  # so large that no dof has to do without its second derivative


def cost_of(lowered, q):
    joints, dofs, table = lowered.joints, lowered.dofs, lowered.terms
    rotations, positions = np.empty((len(joints), 3, 3)), np.empty((len(joints), 3))
    kinematics.place(joints, dofs, q, rotations, positions, np.empty((len(dofs), 3)))
    whole = np.full(len(joints), tree_points.WHOLE, np.int8)
    sweep = new_sweep.__wrapped__(len(joints), len(dofs))
    return tree.gather(table, whole, lowered.targets, rotations, positions, sweep, np.empty(len(table)))


def newton_step(lowered, q):
    joints, dofs, table = lowered.joints, lowered.dofs, lowered.terms
    n_joints, n = len(joints), len(dofs)
    rotations, positions, axes = np.empty((n_joints, 3, 3)), np.empty((n_joints, 3)), np.empty((n, 3))
    sweep, whole = new_sweep.__wrapped__(n_joints, n), np.full(n_joints, tree_points.WHOLE, np.int8)
    sweep.q[:], sweep.D[:] = q, DAMPING
    kinematics.place(joints, dofs, q, rotations, positions, axes)
    tree.gather(table, whole, lowered.targets, rotations, positions, sweep, np.empty(len(table)))
    tree.screws(joints, dofs, positions, axes, sweep.S)
    curvature.curvature(joints, table, lowered.targets, rotations, positions, np.empty((n_joints, 15)), sweep)
    tree.step(joints, dofs, whole, False, True, sweep)
    return sweep.d


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_points_give_the_step_of_the_hessian(seed):
    rng = np.random.default_rng(seed)
    figure = build("arm4")
    q = figure.rest + 0.3 * rng.normal(size=figure.n_dofs)
    goals = [pw.Position(site, 0.4 * rng.normal(size=3), name=f"goal{k}") for k, site in enumerate(figure.site_names)]
    problem = pw.Problem(figure, goals)
    lowered = lower(problem)
    lowered.dofs["lower"], lowered.dofs["upper"] = -np.inf, np.inf
    n, h = figure.n_dofs, 1e-4
    eye = h * np.eye(n)
    gradient = np.array([cost_of(lowered, q + e) - cost_of(lowered, q - e) for e in eye]) / (2 * h)
    hessian = np.array(
        [
            [
                cost_of(lowered, q + a + b)
                - cost_of(lowered, q + a - b)
                - cost_of(lowered, q - a + b)
                + cost_of(lowered, q - a - b)
                for b in eye
            ]
            for a in eye
        ]
    ) / (4 * h * h)
    expected = np.linalg.solve(0.5 * hessian + DAMPING * np.eye(n), -0.5 * gradient)
    np.testing.assert_allclose(newton_step(lowered, q), expected, rtol=1e-4, atol=1e-6)
