"""What every goal promises in every space: P = ‖ρ‖², ∇P = 2 Jᵀρ, J equal to central differences."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright import rotations
from posewright.figure.kinematics import centre_of_mass, centre_of_mass_jacobian, site_frames, site_jacobians
from posewright.kernels import dense_problem, least_squares_dense, tree
from posewright.kernels.kinematics import place
from posewright.kernels.rotations import exp_matrix, left_jacobian
from posewright.kernels.tree_points import WHOLE
from posewright.kernels.wrenches import cost_and_gradient
from posewright.problem.linearisation import linearise
from posewright.problem.lowering import lower
from posewright.solvers.active_set_tables import free_region, search_work, space_entries
from posewright.solvers.dense_prepared import dense_tables, dense_work

POINT, X, Y = (0.3, 0.4, -0.2), (0.6, 0.0, 0.8), (0.0, 1.0, 0.0)
OUT_OF_REACH = (0.0, 40.0, 0.0)


def twice_the_gap(pose: pw.Pose) -> np.ndarray:
    """A goal in Python: two of a site's coordinates and a product of dofs."""
    point = site_frames(pose.figure, pose.q, ["finger"]).points[0]
    return np.array([2.0 * point[0] - 0.3, point[2] * pose["hand.rx"]])


def posture(figure: pw.Figure) -> pw.Goal:
    return pw.PostureGoal(reference=pw.Pose(figure, figure.rest + 0.1), weights={"arm": 3.0, "spine.rx": 0.0})


GOALS = {
    "position": lambda _: pw.PositionGoal("finger", POINT, weight=2.0),
    "position on the figure": lambda _: pw.PositionGoal("finger", "foot", weight=2.0),
    "orientation": lambda _: pw.OrientationGoal("finger", x=X, y=Y, radius=0.7),
    "orientation by chords": lambda _: pw.OrientationGoal("foot", x=X, y=Y, measure="chord", weight=0.5),
    "one direction": lambda _: pw.OrientationGoal("finger", y=Y),
    "orientation like another": lambda _: pw.OrientationGoal("finger", like="foot"),
    "directions like another": lambda _: pw.OrientationGoal("finger", like="foot", measure="chord"),
    "placement": lambda _: pw.PlacementGoal("finger", POINT, x=X, y=Y, position_weight=0.3, orientation_weight=0.7),
    "placement on the figure": lambda _: pw.PlacementGoal("foot", "finger", like="arm"),
    "aim": lambda _: pw.AimGoal("finger", POINT, radius=0.4),
    "aim at the figure": lambda _: pw.AimGoal("finger", "foot", axis=(0.0, 0.6, 0.8)),
    "line": lambda _: pw.LineGoal("finger", POINT, X),
    "line through the figure": lambda _: pw.LineGoal("finger", "foot", X),
    "plane": lambda _: pw.PlaneGoal("foot", POINT, X),
    "plane through the figure": lambda _: pw.PlaneGoal("foot", "finger", X),
    "half-space": lambda _: pw.HalfSpaceGoal("finger", OUT_OF_REACH, Y),
    "half-space from the figure": lambda _: pw.HalfSpaceGoal("foot", "finger", Y),
    "any of": lambda _: pw.AnyOf((pw.PositionGoal("finger", POINT), pw.PositionGoal("foot", OUT_OF_REACH)), weight=3.0),
    "any of placements": lambda _: pw.AnyOf(
        (pw.PlacementGoal("finger", OUT_OF_REACH, x=X), pw.PlacementGoal("finger", POINT, x=X, y=Y))
    ),
    "outside": lambda _: pw.outside("finger", box=((-9.0, -9.0, -9.0), (9.0, 7.0, 9.0))),
    "centre of mass": lambda _: pw.CentreOfMassGoal(POINT, vertical=False),
    "centre of mass over": lambda _: pw.CentreOfMassGoal(POINT),
    "centre of mass over the figure": lambda _: pw.CentreOfMassGoal("foot"),
    "centre of mass on the figure": lambda _: pw.CentreOfMassGoal("foot", vertical=False),
    "posture": posture,
    "smoothness": lambda _: pw.SmoothnessGoal(("pelvis", "leg"), weight=2.0),
    "Python": lambda _: pw.PythonGoal(twice_the_gap, rows=2, weight=1.5),
    "Python with Jacobian": lambda figure: pw.PythonGoal(
        lambda pose: centre_of_mass(figure, pose.q),
        rows=3,
        jacobian=lambda pose: centre_of_mass_jacobian(figure, pose.q),
        name="mass",
    ),
}


def affine(figure: pw.Figure) -> pw.Space:
    rng = np.random.default_rng(11)
    matrix, offset = rng.normal(size=(figure.n_dofs, 6)) / 3.0, rng.uniform(-0.2, 0.2, figure.n_dofs)
    return pw.Space(figure, tuple(f"c{k}" for k in range(6)), matrix, offset)


CHART = {"root": (0.8, 0.0, 0.6, 0.0), "leg": (0.6, 0.0, 0.0, -0.8)}
SPACES = {
    "identity": pw.Space.of,
    "chain": lambda figure: pw.Space.chain(figure, ["spine", "arm", "hand", "leg"]),
    "grouped": pw.Space.grouped,
    "affine": affine,
    "charts": lambda figure: pw.Space.of(figure).with_chart(CHART),
    "affine in charts": lambda figure: affine(figure).with_chart(CHART),
}


@pytest.fixture
def figure(mixed_figure):
    """The mixed figure with one more ball in the leg and a group over two joints."""
    *others, leg = mixed_figure.joints
    pelvis = pw.Joint(name="pelvis", parent="root", offset=(0.0, -0.1, 0.05), rotation=pw.Ball(), mass=1.0)
    group = pw.JointGroup(
        name="bend",
        coordinates=("flexion", "turn"),
        members=("spine.rx", "hand.rz", "hand.rx"),
        matrix=((0.4, 0.0), (0.6, 0.2), (0.0, 1.0)),
        offset=(0.0, 0.1, 0.0),
    )
    joints = (*others, pelvis, replace(leg, parent="pelvis"))
    return replace(mixed_figure, joints=joints, groups=(group,))


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
    tables = dense_tables(lowered)
    work, errors = dense_work(tables), np.zeros(len(lowered.terms))
    dense_problem.evaluate(tables, lowered.targets, x, work, errors)
    rows = linearise(lowered, lowered.targets, x, np.array(figure.rest))
    seen = [part for part in rows if not isinstance(part.goal, pw.PostureGoal)]  # posture is a column of its own
    np.testing.assert_allclose(work.rho, np.concatenate([part.rho for part in seen]), rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(work.J, np.concatenate([part.J for part in seen]), rtol=0.0, atol=1e-13)
    reference = space.in_chart(lowered.pull.reference(figure.rest))
    cost = least_squares_dense.cost_of(tables, work.rho, work.q, reference)
    assert cost == pytest.approx(sum(np.sum(part.rho**2) for part in rows), rel=1e-12)
    forces, _, _ = search_work(tables, free_region(lowered))
    by_force = cost_and_gradient(
        tables, space_entries(tables.matrix), lowered.targets, reference, 0, x, work, forces, errors
    )
    assert by_force == pytest.approx(sum(np.sum(part.rho**2) for part in rows), rel=1e-12)
    pull = sum(part.pull for part in rows)
    np.testing.assert_allclose(forces.by_x, 2.0 * pull, rtol=0.0, atol=1e-12 * np.abs(pull).max())


def test_forces_summed_from_tips_to_root_make_the_gradient(figure):
    """The wrench pass over a branching figure equals Jᵀρ."""
    goals = [
        replace(GOALS[name](figure), name=name)
        for name in ("position", "orientation", "aim", "line", "plane", "half-space", "placement", "one direction")
    ]
    lowered = lower(pw.Problem(figure, [*goals, pw.PositionGoal("leg", POINT), pw.LineGoal("arm", POINT, X)]))
    assert lowered.fits_the_tree
    n, n_joints = figure.n_dofs, len(figure.joints)
    q = np.random.default_rng(2).uniform(-0.6, 0.6, n)
    placed, positions, axes, S = np.empty((n_joints, 3, 3)), np.empty((n_joints, 3)), np.empty((n, 3)), np.empty((n, 6))
    place(lowered.joints, lowered.dofs, q, placed, positions, axes)
    tree.screws(lowered.joints, lowered.dofs, positions, axes, S)
    P, b, points = np.empty((n_joints, 21)), np.empty((n_joints, 6)), np.empty((n_joints, 6))
    errors, whole = np.empty(len(lowered.terms)), np.full(n_joints, WHOLE, np.int8)
    cost = tree.gather(
        lowered.terms, whole, lowered.targets, placed, positions, P, b, points, errors, np.empty((10, 6))
    )
    for joint in range(n_joints - 1, 0, -1):
        b[figure.parents[joint]] += b[joint]
    wrench = -np.sum(S * b[lowered.dofs["joint"]], axis=1)
    rows = linearise(lowered, lowered.targets, q, q)
    np.testing.assert_allclose(wrench, sum(part.pull for part in rows), rtol=0.0, atol=1e-12 * cost)
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
    lowered = lower(pw.Problem(space, [pw.PositionGoal("finger", POINT)]))
    (rows,) = linearise(lowered, lowered.targets, space.encode(q), q)
    plain = site_jacobians(figure, q, ["finger"])[0, :3]
    members = {name: plain[:, figure.dof_index(name)] for name in ("spine.rx", "hand.rz", "hand.rx")}
    flexion, turn = space.names.index("bend.flexion"), space.names.index("bend.turn")
    np.testing.assert_allclose(
        rows.J[:, flexion], 0.4 * members["spine.rx"] + 0.6 * members["hand.rz"], rtol=0.0, atol=1e-13
    )
    np.testing.assert_allclose(rows.J[:, turn], 0.2 * members["hand.rz"] + members["hand.rx"], rtol=0.0, atol=1e-13)
