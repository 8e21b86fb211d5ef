import numpy as np
import pytest
from scipy.optimize import minimize

import posewright as pw
from posewright.figures import catalogue
from posewright.figures.kinematics import site_frames, site_jacobians
from posewright.kernels import tables
from posewright.kernels.tree.elimination import gather, screws, step
from posewright.kernels.tree.points import forms_below
from posewright.kernels.tree.sweep import new_sweep


def random_pose(figure, rng):
    lower = np.maximum(figure.lower, -1.0)
    upper = np.minimum(figure.upper, 1.0)
    return pw.Pose(figure, rng.uniform(lower, upper))


@pytest.mark.parametrize("seed", range(10))
def test_a_reachable_point_is_reached_within_the_limits(mixed_figure, seed):
    rng = np.random.default_rng(seed)
    wanted = site_frames(mixed_figure, random_pose(mixed_figure, rng).q, ["finger", "foot"]).points
    problem = pw.Problem(mixed_figure, [pw.Position("finger", wanted[0]), pw.Position("foot", wanted[1])])
    result = pw.LeastSquares().solve(problem)
    assert result.reached
    found = site_frames(mixed_figure, result.pose.q, ["finger", "foot"]).points
    assert np.linalg.norm(found - wanted, axis=1) == pytest.approx(list(result.errors.values()), abs=1e-12)
    assert (result.q >= mixed_figure.lower).all()
    assert (result.q <= mixed_figure.upper).all()


def test_one_step_of_the_tree_equals_the_dense_normal_equations(mixed_figure):
    rng = np.random.default_rng(5)
    pose = random_pose(mixed_figure, rng)
    names, n, n_joints = ["finger", "foot", "arm"], mixed_figure.n_dofs, len(mixed_figure.joints)
    targets = np.zeros((3, tables.TARGET_WIDTH))
    targets[:, :3] = rng.normal(size=(3, 3))
    terms = np.zeros(3, tables.TERM)
    for row, name in zip(terms, names, strict=True):
        site = mixed_figure.site(name)
        row["joint"], row["point"], row["weight"] = (
            mixed_figure.joint_index(site.joint),
            site.point,
            rng.uniform(0.5, 2),
        )
    joints, dofs = mixed_figure.tables
    dofs = dofs.copy()
    dofs["lower"], dofs["upper"] = -np.inf, np.inf
    rotations, positions, axes = np.empty((n_joints, 3, 3)), np.empty((n_joints, 3)), np.empty((n, 3))
    from posewright.kernels.kinematics.frames import place

    place(joints, dofs, pose.q.copy(), rotations, positions, axes)
    sweep, below = new_sweep.__wrapped__(n_joints, n), np.zeros(n_joints, np.int8)
    D, t, d = sweep.D, sweep.t, sweep.d
    sweep.q[:], D[:], t[:] = pose.q, rng.uniform(0.01, 0.1, n), rng.normal(size=n)
    screws(joints, dofs, positions, axes, sweep.S)
    points = forms_below(joints, terms, below)
    gather(terms, below, targets, rotations, positions, sweep, np.empty(3))
    step(joints, dofs, below, points, False, sweep)
    J = site_jacobians(mixed_figure, pose.q, names)[:, :3]
    residual = site_frames(mixed_figure, pose.q, names).points - targets[:, :3]
    A = np.diag(D) + sum(w * j.T @ j for w, j in zip(terms["weight"], J, strict=True))
    rhs = D * t - sum(w * j.T @ r for w, j, r in zip(terms["weight"], J, residual, strict=True))
    assert d == pytest.approx(np.linalg.solve(A, rhs), rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_an_unreachable_point_ends_at_a_constrained_minimum(mixed_figure, seed):
    rng = np.random.default_rng(seed)
    target = np.array([0.0, 3.0, 0.0]) + rng.normal(size=3)
    space = pw.Space.chain(mixed_figure, ["spine", "arm", "hand"])
    result = pw.LeastSquares(restarts=5).solve(pw.Problem(space, [pw.Position("finger", target)]))
    assert not result.reached
    assert result.stopped == "stationary"

    def cost(x):
        gap = site_frames(mixed_figure, space.decode(x), ["finger"]).points[0] - target
        return gap @ gap

    moving = [mixed_figure.dof_index(name) for name in space.names]
    bounds = list(zip(mixed_figure.lower[moving], mixed_figure.upper[moving], strict=True))
    polished = minimize(cost, space.encode(result.q), method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15})
    assert result.cost <= polished.fun * (1 + 1e-6)


def test_joints_outside_the_space_do_not_move(mixed_figure):
    space = pw.Space.chain(mixed_figure, ["arm", "hand"])
    result = pw.LeastSquares().solve(pw.Problem(space, [pw.Position("finger", (0.5, 1.0, 0.3))]))
    still = ~space.matrix.any(axis=1)
    assert np.array_equal(result.q[still], mixed_figure.rest[still])


def test_a_chart_changes_the_way_but_not_the_answer(mixed_figure):
    goal = pw.Position("finger", (0.55, 0.9, 0.2))
    space = pw.Space.of(mixed_figure).with_chart({"leg": (0.0, 1.0, 0.0, 0.0), "root": (0.8, 0.0, 0.6, 0.0)})
    assert pw.LeastSquares().solve(pw.Problem(space, [goal])).reached


def test_a_solved_start_returns_at_once_and_the_same_seed_gives_the_same_bits(mixed_figure):
    problem = pw.Problem(mixed_figure, [pw.Position("finger", (0.6, 1.1, 0.2))])
    first, second = pw.LeastSquares(seed=7).solve(problem), pw.LeastSquares(seed=7).solve(problem)
    assert np.array_equal(first.q, second.q)
    again = pw.LeastSquares().solve(problem, start=first.pose)
    assert again.iterations == 0
    assert np.array_equal(again.q, first.q)


def test_a_prepared_problem_follows_a_dragged_target_and_many_equal_one_by_one(mixed_figure):
    prepared = pw.LeastSquares().prepare(pw.Problem(mixed_figure, [pw.Position("finger", (0.0, 0.0, 0.0))]))
    points = [(0.5, 1.0 + 0.01 * i, 0.1) for i in range(5)]
    singles = [prepared.solve(targets={"finger": point}, start=mixed_figure.rest) for point in points]
    assert all(result.reached for result in singles)
    targets = np.zeros((5, 1, tables.TARGET_WIDTH))
    targets[:, 0, :3] = points
    many = pw.LeastSquares().solve_many(prepared.lowered.problem, targets)
    assert np.array_equal(many.q, np.stack([result.q for result in singles]))
    assert many.reached.all()


def test_results_and_mistakes_are_told_in_words(mixed_figure):
    problem = pw.Problem(mixed_figure, [pw.Position("finger", (0.5, 1.0, 0.1), name="apple")])
    result = pw.LeastSquares().solve(problem)
    assert repr(result).startswith("reached after ")
    assert "apple" in repr(result)
    assert result.require() is result
    with pytest.raises(pw.errors.UnknownName, match="no site 'fingr'; did you mean 'finger'"):
        problem.with_goal(pw.Position("fingr", (0, 0, 0)))
    with pytest.raises(pw.errors.InvalidSetting, match="two goals are called 'apple'"):
        problem.with_goal(pw.Position("foot", (0, 0, 0), name="apple"))
    with pytest.raises(pw.errors.InvalidSetting, match="three finite numbers"):
        pw.Position("finger", (0, float("nan"), 0))
    with pytest.raises(pw.errors.UnknownName, match="no goal 'aple'; did you mean 'apple'"):
        problem.without("aple")
    far = pw.Problem(pw.Space.chain(mixed_figure, ["hand"]), [pw.Position("finger", (5, 5, 5), name="apple")])
    missed = pw.LeastSquares(restarts=0).solve(far)
    with pytest.raises(pw.errors.GoalsNotReached, match="apple"):
        missed.require()


def test_a_loose_goal_lends_none_of_its_tolerance_to_a_strict_one_for_the_sake_of_the_second_level():
    figure = catalogue.build("human")
    goals = [
        pw.CentreOfMass("left_sole", tolerance=0.02),
        pw.Placement("left_sole", (0.095, 0.0, 0.04), x=(0.0, 0.0, 1.0), y=(0.0, 1.0, 0.0)),
        pw.Position("right_sole", (-0.08, 0.42, 0.08), tolerance=0.02),
        pw.Position("right_knee", (-0.09, 0.83, 0.38), tolerance=0.02),
        pw.Posture(pw.Pose.rest(figure), priority=2),
    ]
    result = pw.LeastSquares().solve(pw.Problem(pw.Space.grouped(figure), goals))
    assert result.reached, result
    assert result.stopped == "stationary"
