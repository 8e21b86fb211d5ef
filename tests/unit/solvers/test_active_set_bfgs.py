"""Python goals, alternatives, charts, nudges, restarts and settings of ActiveSetBfgs; the rest is in the contracts."""

import math

import numpy as np
import pytest

import posewright as pw
from posewright.experiments.torso_tasks import random_tubes
from posewright.figures.catalogue import chain, human22
from posewright.figures.kinematics import site_frames, site_jacobians
from posewright.problem.feasible import feasible_region


def spinner(**limits):
    """One hinge about z with a site that points along x."""
    return pw.Figure(
        name="spinner",
        joints=[pw.figures.Joint(name="a", rotation=(pw.figures.Hinge(axis=(0.0, 0.0, 1.0), **limits),))],
        sites=[pw.figures.Site(name="end", joint="a", point=(1.0, 0.0, 0.0))],
    )


def test_a_goal_in_python_takes_the_same_steps_as_the_goal_it_repeats(mixed_figure):
    target = np.array([0.4, 0.9, 0.3])

    def residual(pose):
        return site_frames(pose.figure, pose.q, ["finger"]).points[0] - target

    def jacobian(pose):
        return site_jacobians(pose.figure, pose.q, ["finger"])[0, :3]

    other = pw.Position("foot", (0.2, -0.6, 0.3), priority=2)
    tabled = pw.Problem(mixed_figure, [pw.Position("finger", target), other])
    ours = pw.PythonGoal(residual, 3, unit="m", name="finger")
    exact = pw.PythonGoal(residual, 3, unit="m", jacobian=jacobian, name="finger")
    for solver in (pw.ActiveSetBfgs(), pw.ActiveSetBfgs(gauss_newton=True)):
        wanted = solver.solve(tabled)
        assert wanted.reached
        for goal, near in ((ours, 1e-5), (exact, 1e-10)):
            found = solver.solve(pw.Problem(mixed_figure, [goal, other]))
            assert found.iterations == wanted.iterations
            assert found.q == pytest.approx(wanted.q, abs=near)


def test_priorities_of_goals_in_python_become_weights_too(mixed_figure):
    def bent(value, priority):
        return pw.PythonGoal(lambda pose: pose.q[6:7] - value, 1, unit="rad", name=str(value), priority=priority)

    result = pw.ActiveSetBfgs(restarts=0).solve(pw.Problem(mixed_figure, [bent(0.5, 1), bent(-0.5, 2)]))
    assert result.q[6] == pytest.approx((0.5 - 0.01 * 0.5) / 1.01, abs=1e-6)
    assert "100 per level" in result.warnings[0]


def test_the_nearest_alternative_is_taken_and_the_search_may_change_its_mind():
    figure = chain(4, joints="hinge")
    start = pw.Pose.rest(figure)
    tip = site_frames(figure, start.q, ["tip"]).points[0]
    near, far = tip + np.array([-0.3, 0.2, 0.0]), tip + np.array([-0.9, -0.9, 0.0])
    goal = pw.AnyOf(members=(pw.Position("tip", far), pw.Position("tip", near)), name="either")
    result = pw.ActiveSetBfgs(restarts=0).solve(pw.Problem(figure, [goal]))
    assert result.reached
    assert site_frames(figure, result.q, ["tip"]).points[0] == pytest.approx(near, abs=1e-3)
    assert (np.diff(result.trace) <= 0.0).all()


def test_another_alternative_that_comes_nearer_on_the_way_counts_from_there_on():
    """The wrist takes the tip away from the alternative that was nearest, which no longer can be met."""
    figure = chain(4, joints="hinge")
    figure = figure.with_sites(pw.figures.Site(name="wrist", joint=figure.joint_names[2], point=(0.0, 0.0, 0.0)))
    rest, there = pw.Pose.rest(figure), pw.Pose(figure, np.array([0.5, 0.6, -0.4, 0.7]))
    near = rest.point("tip") + 0.6 * (there.point("tip") - rest.point("tip")) * [1.0, -1.0, 1.0]
    members = tuple(pw.Position("tip", tuple(point)) for point in (near, there.point("tip")))
    goals = [pw.AnyOf(members, name="either"), pw.Position("wrist", tuple(there.point("wrist")), weight=30.0)]
    result = pw.ActiveSetBfgs(restarts=0).solve(pw.Problem(figure, goals))
    assert result.reached
    assert result.restarts == 0, "the other alternative is tried only once the search has come to rest"


def test_an_aim_that_points_exactly_backwards_is_nudged_and_says_so():
    aim = pw.Aim("end", (-3.0, 0.0, 0.0))
    result = pw.ActiveSetBfgs(restarts=0).solve(pw.Problem(spinner(), [aim]))
    assert result.reached
    assert any("nudged" in warning for warning in result.warnings)
    again = pw.ActiveSetBfgs(restarts=0).solve(pw.Problem(spinner(), [pw.Aim("end", (-3.0, 1.0, 0.0))]))
    assert again.reached
    assert not again.warnings


def test_a_direction_that_points_backwards_between_limits_stays_without_harm():
    """Nothing that is allowed turns it: the nudge finds nothing better."""
    goal = pw.Orientation("end", x=(-1.0, 0.0, 0.0))
    result = pw.ActiveSetBfgs().solve(pw.Problem(spinner(lower=0.0, upper=1e-6), [goal]))
    assert result.stopped == "stationary"
    assert 0.0 <= result.q[0] <= 1e-6


def test_a_ball_goes_round_more_than_half_a_turn_and_is_brought_back():
    figure = pw.Figure(
        name="globe",
        joints=[pw.figures.Joint(name="ball", rotation=pw.figures.Ball())],
        sites=[pw.figures.Site(name="end", joint="ball", point=(1.0, 0.0, 0.0))],
    )
    start = pw.Pose(figure, np.array([0.0, 0.0, 3.0]))
    wanted = site_frames(figure, np.array([0.2, 0.0, 3.8]), ["end"])
    goal = pw.Placement("end", wanted.points[0], x=wanted.x_axes[0], y=wanted.y_axes[0])
    result = pw.ActiveSetBfgs(restarts=0).solve(pw.Problem(figure, [goal]), start=start)
    assert result.reached
    assert np.linalg.norm(result.q) <= math.pi
    held = pw.Problem(figure, [goal, pw.Posture(weight=1e-6, reference=start)])
    kept = pw.ActiveSetBfgs(restarts=0).solve(held, start=start)
    assert np.linalg.norm(kept.q) > math.pi, "a posture counts the vector itself: it may not be replaced"
    assert kept.reached


def test_a_start_beyond_a_full_turn_is_understood(mixed_figure):
    start = mixed_figure.rest.copy()
    start[3:6] = (0.0, 9.0, 1.0)
    result = pw.ActiveSetBfgs(restarts=0).solve(
        pw.Problem(mixed_figure, [pw.Position("finger", (0.4, 0.9, 0.3))]), start=pw.Pose(mixed_figure, start)
    )
    assert result.reached


def test_restarts_escape_a_shallow_minimum_and_keep_the_best():
    """Folded straight back on itself, a chain that should reach further has no slope."""
    figure = pw.Figure(
        name="two links",
        joints=[
            pw.figures.Joint(name="a", rotation=(pw.figures.Hinge(axis=(0.0, 0.0, 1.0)),)),
            pw.figures.Joint(
                name="b", parent="a", offset=(1.0, 0.0, 0.0), rotation=(pw.figures.Hinge(axis=(0.0, 0.0, 1.0)),)
            ),
        ],
        sites=[pw.figures.Site(name="end", joint="b", point=(0.7, 0.0, 0.0))],
    )
    problem = pw.Problem(figure, [pw.Position("end", (1.2, 0.0, 0.0))])
    stuck = pw.ActiveSetBfgs(restarts=0).solve(problem)
    assert stuck.stopped == "stationary"
    assert not stuck.reached
    freed = [pw.ActiveSetBfgs(restarts=3, seed=seed).solve(problem) for seed in (1, 1, 2)]
    assert all(result.reached and result.restarts >= 1 for result in freed)
    assert np.array_equal(freed[0].q, freed[1].q)


def test_restarts_reach_from_random_poses_what_one_search_does_not():
    """Looking into tubes, from poses in which a third of the searches end in a dead end."""
    figure, reached = human22(), {0: 0, 10: 0}
    for k, tube in enumerate(random_tubes(12, np.random.default_rng(3))):
        problem = tube.problem(figure)
        space, rng = problem.space, np.random.default_rng(k)
        q = rng.uniform(np.maximum(figure.lower, -math.pi), np.minimum(figure.upper, math.pi))
        start = pw.Pose(figure, space.decode(feasible_region(problem).projected(space.encode(q))))
        for restarts in reached:
            result = pw.ActiveSetBfgs(restarts=restarts).solve(problem, start=start)
            reached[restarts] += result.reached
            assert result.restarts <= restarts
            assert result.iterations <= pw.ActiveSetBfgs.max_iterations
    assert reached[0] <= 10
    assert reached[10] == 12


def test_restarts_keep_constraints_and_frozen_dofs(mixed_figure):
    row = pw.LinearConstraint.coupling("same", "hand.rz", "spine.rx", 0.5, 0.2)
    problem = pw.Problem(
        mixed_figure, [pw.Position("finger", (9.0, 9.0, 9.0))], constraints=[row], frozen=["root", "hand.ry"]
    )
    result = pw.ActiveSetBfgs(restarts=4).solve(problem)
    assert result.restarts == 4
    assert np.array_equal(result.q[:6], mixed_figure.rest[:6])
    assert result.pose["hand.ry"] == 0.0
    assert result.pose["hand.rz"] == pytest.approx(0.5 * result.pose["spine.rx"] + 0.2, abs=1e-9)


def test_an_interrupted_search_says_so_and_has_the_best_pose_so_far(mixed_figure):
    goals = [pw.Position("finger", (0.6, 1.1, 0.2))]
    prepared = pw.ActiveSetBfgs().prepare(pw.Problem(mixed_figure, goals))
    prepared._stop[0] = 1
    assert prepared.solve().stopped == "interrupted"
    calls = 0

    def residual(pose):
        nonlocal calls
        calls += 1
        slow._stop[0] = calls > 100
        return np.array([pose.q[6] ** 2 + 1.0, pose.q[8] - 0.3])

    slow = pw.ActiveSetBfgs().prepare(pw.Problem(mixed_figure, [*goals, pw.PythonGoal(residual, 2, unit="m")]))
    result = slow.solve()
    assert result.stopped == "interrupted"
    assert result.cost <= pw.ActiveSetBfgs(max_iterations=0).solve(slow.lowered.problem).cost
    assert pw.ActiveSetBfgs(max_iterations=1).solve(prepared.lowered.problem).stopped == "out of iterations"


def test_what_is_frozen_or_moves_no_goal_is_no_variable(mixed_figure):
    prepared = pw.ActiveSetBfgs().prepare(
        pw.Problem(mixed_figure, [pw.Position("finger", (0.4, 0.9, 0.3))], frozen=["root", "hand.rz"])
    )
    assert prepared.n_variables == mixed_figure.n_dofs - 3 - 7, "the leg is on no chain"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"sufficient_decrease": 0.6}, "sufficient_decrease and curvature of ActiveSetBfgs are 0.6 and 0.5"),
        ({"gradient_tolerance": 0.0}, "gradient_tolerance of ActiveSetBfgs must be a positive"),
        ({"restarts": -1}, "restarts of ActiveSetBfgs must be a whole number at least 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, text):
    with pytest.raises(pw.errors.InvalidSetting, match=text):
        pw.ActiveSetBfgs(**settings)
