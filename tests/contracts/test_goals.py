"""What every goal promises in every space: P = ‖ρ‖², ∇P = 2 Jᵀρ, J equal to central differences."""

import math
from dataclasses import replace

import numpy as np
import pytest
from goals_and_spaces import GOALS, POINT, SPACES, X, leggy
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright import rotations
from posewright.figures.kinematics import site_jacobians
from posewright.kernels.dense import least_squares as least_squares_dense
from posewright.kernels.dense.problem import cost_and_gradient, cost_at, evaluate
from posewright.kernels.kinematics.frames import place
from posewright.kernels.kinematics.rotations import exp_factors, exp_matrix, left_jacobian
from posewright.kernels.tree import elimination as tree
from posewright.kernels.tree.points import WHOLE
from posewright.kernels.tree.sweep import new_sweep
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.linearisation import linearise
from posewright.problem.lowering import lower


@pytest.fixture
def figure(mixed_figure):
    return leggy(mixed_figure)


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("goal", GOALS)
def test_cost_gradient_and_jacobian_agree(figure, goal, kind):
    space = SPACES[kind](figure)
    problem = pw.Problem(space, [GOALS[goal](figure)])
    lowered = lower(problem)
    rng = np.random.default_rng(len(goal) + len(kind))
    x, start = rng.uniform(-0.6, 0.6, len(space.names)), np.array(figure.rest)

    def rho(at):
        return linearise(lowered, lowered.targets, at, start)[0].rho

    rows = linearise(lowered, lowered.targets, x, start)[0]
    assert np.linalg.norm(rows.rho) > 1e-3, "a goal that is met would prove nothing"
    step = 1e-6 * np.eye(len(x))
    differences = np.stack([(rho(x + e) - rho(x - e)) / 2e-6 for e in step], axis=1)
    scale = max(1.0, np.abs(differences).max())
    np.testing.assert_allclose(rows.J, differences, rtol=0.0, atol=1e-6 * scale)
    slope = np.array([(np.sum(rho(x + e) ** 2) - np.sum(rho(x - e) ** 2)) / 2e-6 for e in step])
    cost = np.sum(rows.rho**2)
    np.testing.assert_allclose(2.0 * rows.pull, slope, rtol=0.0, atol=1e-6 * max(1.0, cost, np.abs(slope).max()))


@pytest.mark.parametrize("kind", SPACES)
def test_the_dense_solver_sees_the_same_rows(figure, kind):
    space = SPACES[kind](figure)
    goals = [replace(make(figure), name=name) for name, make in GOALS.items() if "Python" not in name]
    lowered = lower(pw.Problem(space, goals))
    x = np.random.default_rng(3).uniform(-0.5, 0.5, len(space.names))
    problem = dense_problem(lowered)
    point = point_of(problem)
    evaluate(problem, lowered.targets, x, point)
    rows = linearise(lowered, lowered.targets, x, np.array(figure.rest))
    seen = [part for part in rows if not isinstance(part.goal, pw.Posture)]  # posture is a column of its own
    np.testing.assert_allclose(point.rho, np.concatenate([part.rho for part in seen]), rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(point.J, np.concatenate([part.J for part in seen]), rtol=0.0, atol=1e-13)
    reference = space.in_chart(lowered.posture_objective.reference(figure.rest))
    cost = least_squares_dense.cost_of(problem, point, reference)
    assert cost == pytest.approx(sum(np.sum(part.rho**2) for part in rows), rel=1e-12)
    by_x = np.empty(len(x))
    by_force = cost_and_gradient(
        problem, lowered.targets, reference, 0, x, point, np.empty((len(figure.joints), 6)), by_x
    )
    assert by_force == pytest.approx(sum(np.sum(part.rho**2) for part in rows), rel=1e-12)
    assert cost_at(problem, lowered.targets, reference, x, point) == pytest.approx(cost, rel=1e-12)
    pull = sum(part.pull for part in rows)
    np.testing.assert_allclose(by_x, 2.0 * pull, rtol=0.0, atol=1e-12 * np.abs(pull).max())


@pytest.mark.parametrize("kind", ["identity", "chain", "charts"])
def test_forces_summed_from_tips_to_root_make_the_gradient(figure, kind):
    """The wrench pass of the tree over a branching figure equals Jᵀρ, with all goals that the tree carries."""
    space = SPACES[kind](figure)
    goals = [replace(make(figure), name=name) for name, make in GOALS.items()]
    goals = [goal for goal in goals if not lower(pw.Problem(space, [goal])).tree_obstacles]
    assert {type(goal).__name__ for goal in goals} >= {
        "Position", "Orientation", "Placement", "Aim", "Distance", "Line", "Plane", "HalfSpace"
    }  # fmt: skip
    goals = [goal for goal in goals if not isinstance(goal, pw.Posture)]  # a column of its own
    lowered = lower(pw.Problem(space, [*goals, pw.Position("leg", POINT), pw.Line("arm", POINT, X)]))
    assert not lowered.tree_obstacles
    n, n_joints = figure.n_dofs, len(figure.joints)
    x = np.random.default_rng(2).uniform(-0.6, 0.6, len(space.names))
    q = space.matrix @ x + space.offset
    placed, positions, axes = np.empty((n_joints, 3, 3)), np.empty((n_joints, 3)), np.empty((n, 3))
    sweep, whole, errors = (
        new_sweep.__wrapped__(n_joints, n),
        np.full(n_joints, WHOLE, np.int8),
        np.empty(len(lowered.terms)),
    )
    S, b = sweep.S, sweep.b
    place(lowered.joints, lowered.dofs, q, placed, positions, axes)
    tree.screws(lowered.joints, lowered.dofs, positions, axes, S)
    cost = tree.gather(lowered.terms, whole, lowered.targets, placed, positions, sweep, errors)
    for joint in range(n_joints - 1, 0, -1):
        b[figure.parents[joint]] += b[joint]
    wrench = -np.sum(S * b[lowered.dofs["joint"]], axis=1)
    rows = linearise(lowered, lowered.targets, x, q)
    pull = sum(part.pull for part in rows)
    np.testing.assert_allclose(space.matrix.T @ wrench, pull, rtol=0.0, atol=1e-12 * cost)
    assert np.abs(pull).max() > 1e-3 * cost
    assert cost == pytest.approx(sum(np.sum(part.rho**2) for part in rows), rel=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-5, 1e-3, 0.5, 2.0, np.pi - 1e-6])
def test_log_undoes_exp(angle):
    w = angle * np.array([0.48, -0.6, 0.64])
    np.testing.assert_allclose(
        rotations.vector_from_quaternion(rotations.quaternion_from_vector(w)), w, rtol=0.0, atol=1e-12
    )
    np.testing.assert_allclose(rotations.vector_from_matrix(rotations.matrix_from_vector(w)), w, rtol=0.0, atol=1e-9)
    R = np.empty((3, 3))
    exp_matrix(w, R)
    np.testing.assert_allclose(R, Rotation.from_rotvec(w).as_matrix(), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("angle", [1e-3, 0.5, 3.0, 6.0])
def test_a_rotation_vector_less_a_whole_turn_is_the_same_rotation(angle):
    w = angle * np.array([0.48, -0.6, 0.64])
    R, other = np.empty((3, 3)), np.empty((3, 3))
    exp_matrix(w, R)
    exp_matrix((1.0 - 2.0 * np.pi / angle) * w, other)
    np.testing.assert_allclose(R, other, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-6, 0.99e-4, 1.01e-4, 1e-3, 0.1, 1.0])
def test_the_factors_of_exp_are_exact_down_to_no_turn(angle):
    """A = sin t/t, B = (1 - cos t)/t², C = (t - sin t)/t³, as the series whose terms are (-t²)ⁿ/(2n + k)!."""
    found = exp_factors(0.48 * angle, -0.6 * angle, 0.64 * angle)
    wanted = [sum((-(angle**2)) ** n / math.factorial(2 * n + k) for n in range(12)) for k in (1, 2, 3)]
    assert found == pytest.approx(wanted, rel=1e-7)


@pytest.mark.parametrize("angle", [0.0, 1e-6, 1e-4, 0.3, 2.5, 5.0])
def test_the_left_jacobian_equals_differences_of_exp(angle):
    w, J = angle * np.array([0.48, -0.6, 0.64]), np.empty((3, 3))
    left_jacobian(w, J)
    R = Rotation.from_rotvec(w)
    steps = 1e-6 * np.eye(3)
    columns = [
        ((Rotation.from_rotvec(w + e) * R.inv()).as_rotvec() - (Rotation.from_rotvec(w - e) * R.inv()).as_rotvec())
        / 2e-6
        for e in steps
    ]
    np.testing.assert_allclose(J, np.stack(columns, axis=1), rtol=0.0, atol=1e-9)


def test_the_chain_rule_of_a_group_sums_the_members(figure):
    """Beside the differences above: the column of a coordinate is that of its members."""
    q = pw.Space.grouped(figure).decode(np.full(len(pw.Space.grouped(figure).names), 0.2))
    space = pw.Space.grouped(figure)
    lowered = lower(pw.Problem(space, [pw.Position("finger", POINT)]))
    (rows,) = linearise(lowered, lowered.targets, space.encode(q), q)
    plain = site_jacobians(figure, q, ["finger"])[0, :3]
    members = {name: plain[:, figure.dof_index(name)] for name in ("spine.rx", "hand.rz", "hand.rx")}
    flexion, turn = space.names.index("bend.flexion"), space.names.index("bend.turn")
    np.testing.assert_allclose(
        rows.J[:, flexion], 0.4 * members["spine.rx"] + 0.6 * members["hand.rz"], rtol=0.0, atol=1e-13
    )
    np.testing.assert_allclose(rows.J[:, turn], 0.2 * members["hand.rz"] + members["hand.rx"], rtol=0.0, atol=1e-13)
