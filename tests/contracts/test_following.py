"""Targets that are followed, over all goals in all kinds of space: small steps, nothing broken, an end that rests."""

from itertools import pairwise

import numpy as np
import pytest
from test_solvers_goals_spaces import SPACES, goals_on

import posewright as pw
from posewright.figures import Ball, Joint, free_slides
from posewright.figures.kinematics import joint_positions
from posewright.problem.feasible import feasible_region
from posewright.problem.linearisation import linearise
from posewright.rotations import matrix_from_vector
from posewright.solvers.registry import SOLVERS

FOLLOWERS = {"least_squares": pw.LeastSquares(restarts=0), "prioritized": pw.Prioritized()}
STEPS = 24
HALF_A_SECOND = 30
"""calls, 60 of them a second"""
AT_REST = ("reached", "stationary")


def paths(lowered, seed):
    """Targets along a smooth closed path, in steps of 1.5 % of the height, that leaves reach and comes back."""
    random, height = np.random.default_rng(seed), lowered.problem.figure.height
    ahead, across = np.linalg.qr(random.normal(size=(3, 2)))[0].T
    axis, radius = random.normal(size=3), 0.015 * height * STEPS / (2.0 * np.pi)
    for turn in 2.0 * np.pi * np.arange(1, STEPS + 1) / STEPS:
        targets = lowered.targets.copy()
        targets[:, :3] += 2.0 * radius * (1.0 - np.cos(turn)) * ahead + radius * np.sin(turn) * across
        rotation = matrix_from_vector(0.3 * np.sin(turn) * axis)
        targets[:, 3:6], targets[:, 6:9] = targets[:, 3:6] @ rotation.T, targets[:, 6:9] @ rotation.T
        yield targets


def moved(figure, before, after):
    """m: how far the joint that went furthest went."""
    return np.linalg.norm(np.diff(joint_positions(figure, np.stack([before, after])), axis=0), axis=-1).max()


def cases(where):
    """Kind, problem and seed of each goal in a space."""
    space, rows, spine = SPACES[where]
    for seed, (kind, goals) in enumerate(goals_on(spine).items()):
        yield kind, pw.Problem(space, goals, constraints=rows), seed


def settle(live, calls=200):
    """How many calls with the same targets it takes to come to rest, and where."""
    for count in range(calls):
        result = live.follow()
        if result.stopped in AT_REST:
            return count, result
    raise AssertionError(f"{result} after {calls} calls")


@pytest.mark.parametrize("name", FOLLOWERS)
@pytest.mark.parametrize("where", SPACES)
def test_steps_are_small_and_nothing_is_broken_on_the_way(name, where):
    for kind, problem, seed in cases(where):
        space, figure = problem.space, problem.figure
        region, live = feasible_region(problem), FOLLOWERS[name].prepare(problem)
        before = space.decode(region.projected(space.encode(figure.rest)))
        for targets in paths(live.lowered, seed):
            after = live.follow(targets).q
            assert np.abs(space.in_chart(after) - space.in_chart(before)).max() <= 0.2 + 1e-9, kind
            assert moved(figure, before, after) <= 0.05 * figure.height + 1e-9, kind
            assert region.violation(space.encode(after)) <= 1e-9, kind
            assert (after >= figure.lower - 1e-9).all(), kind
            assert (after <= figure.upper + 1e-9).all(), kind
            before = after


@pytest.mark.parametrize("name", FOLLOWERS)
@pytest.mark.parametrize("where", SPACES)
def test_once_targets_stop_the_pose_arrives_and_rests_where_a_solve_stays(name, where):
    for kind, problem, seed in cases(where):
        live = FOLLOWERS[name].prepare(problem)
        for targets in list(paths(live.lowered, seed))[: 2 * STEPS // 3]:
            live.follow(targets)
        count, result = settle(live)
        assert count <= HALF_A_SECOND, (kind, count)
        rest = settle(live)[1]
        solved = FOLLOWERS[name].prepare(problem).solve(live.targets, rest.q, reference=problem.figure.rest)
        assert solved.cost >= rest.cost * (1.0 - 1e-3) - 1e-7, (kind, rest, solved)
        if not rest.reached:
            assert np.abs(solved.q - rest.q).max() <= 0.02, kind
        assert result.cost <= rest.cost * (1.0 + 1e-6) + 1e-12, kind


@pytest.mark.parametrize("where", SPACES)
def test_at_rest_no_slope_is_left_that_limits_allow(where):
    for kind, problem, seed in cases(where):
        live, region = FOLLOWERS["least_squares"].prepare(problem), feasible_region(problem)
        for targets in list(paths(live.lowered, seed))[: STEPS // 2]:
            live.follow(targets)
        result = settle(live)[1]
        if result.stopped == "reached":
            continue
        x = problem.space.encode(result.q)
        rows = linearise(live.lowered, live.targets, x, problem.figure.rest)
        slope, steepness = sum(row.pull for row in rows), max(sum((row.J**2).sum() for row in rows), 1e-12)
        free = live.lowered.scale > 0.0
        step = region.projected(x - np.where(free, slope, 0.0) / steepness) - x
        assert step @ step * steepness <= 1e-7 * result.cost + 1e-14, (kind, result)


@pytest.mark.parametrize("name", FOLLOWERS)
@pytest.mark.parametrize("where", SPACES)
def test_pins_hold_while_a_second_priority_is_out_of_reach(name, where):
    space, rows, spine = SPACES[where]
    for seed, (kind, (goal, *_)) in enumerate(goals_on(spine).items()):
        moon = pw.Position("right_hand", (-0.3, 1.1, 0.3), priority=2, name="moon")
        problem = pw.Problem(space, [goal, moon], constraints=rows)
        live, figure = FOLLOWERS[name].prepare(problem), space.figure
        for _ in range(2 * HALF_A_SECOND):
            met = live.follow()
        first = [error for error in met.errors.parts if error.label != "moon"]
        assert all(error.reached for error in first), (kind, met)
        before = met.q
        for targets in paths(live.lowered, seed):
            targets[:-1] = live.targets[:-1]
            result = live.follow(targets)
            first = [error for error in result.errors.parts if error.label != "moon"]
            assert all(error.reached for error in first), (kind, result)
            assert np.abs(space.in_chart(result.q) - space.in_chart(before)).max() <= 0.2 + 1e-9, kind
            assert moved(figure, before, result.q) <= 0.05 * figure.height + 1e-9, kind
            before = result.q


@pytest.mark.parametrize("kind", ["hand", "balance", "forearm"])
def test_a_light_pull_to_the_posture_arrives_too_once_targets_stop(kind):
    figure = pw.figure("human40")
    rest, height = pw.Pose.rest(figure), figure.height
    feet, hand = pw.pin(rest, "left_sole", "right_sole"), np.array(rest.point("right_hand"))
    away = {
        "hand": pw.Position("right_hand", tuple(hand), name="dragged"),
        "balance": pw.CentreOfMass((0.0, 0.0, 0.0), name="dragged"),
        "forearm": pw.Aim("right_elbow", tuple(hand), axis=(0.0, -1.0, 0.0), name="dragged"),
    }[kind]
    live = pw.LeastSquares(restarts=0).prepare(pw.Problem(figure, [*feet, away, pw.Posture(weight=1e-5)]))
    origin = np.zeros(3) if kind == "balance" else hand
    for step in range(60):
        turn = 2.0 * np.pi * step / 60
        path = np.array([np.sin(turn), 0.5 - 0.5 * np.cos(turn), 1.5 * np.sin(turn)])
        q = live.follow(dragged=origin + 0.14 * height * path).q
        if step % 9 == 8:
            stopped = live.fork()
            stopped.follow(live.targets, start=q)
            count, _ = settle(stopped)
            assert count <= HALF_A_SECOND, (step, count)


def test_a_point_where_an_aim_has_no_direction_is_a_place_to_rest():
    """The site is drawn onto the target of its own aim: no step is better there, and no slope is zero."""
    joints = (
        Joint(name="hub", slides=free_slides((0.0, 0.0, 0.0)), rotation=Ball()),
        Joint(name="tip", parent="hub", offset=(0.5, 0.0, 0.0), rotation=Ball()),
    )
    aim, tip = pw.Aim("hub", (0.3, 0.0, 0.0), axis=(1.0, 0.0, 0.0)), pw.Position("tip", (0.5, 0.2, 0.0))
    figure = pw.Figure(name="probe", joints=joints)
    live = pw.LeastSquares(restarts=0).prepare(pw.Problem(figure, [aim, tip, pw.Posture(weight=1e-2)]))
    for step in range(40):
        live.follow(hub=(0.3 - 0.015 * step, 0.02, 0.0))
    assert settle(live)[0] <= HALF_A_SECOND


@pytest.mark.parametrize("name", FOLLOWERS)
@pytest.mark.parametrize("figure", ["human22", "hand"])
def test_a_target_that_is_led_through_the_site_that_aims_at_it_comes_to_rest(name, figure):
    """There is no direction to what is as good as reached; an aim could turn to any side there at no cost."""
    figure = pw.figure(figure)
    rest, random = pw.Pose.rest(figure), np.random.default_rng(4)
    for site in random.permutation(figure.site_names)[:4]:
        at, ahead, axis = np.array(rest.point(site)), random.normal(size=3), random.normal(size=3)
        ahead *= 0.015 * figure.height / np.linalg.norm(ahead)
        goals = [*pw.pin(rest, figure.site_names[0]), pw.Aim(site, tuple(at), axis=tuple(axis), name="aim")]
        live = FOLLOWERS[name].prepare(pw.Problem(figure, [*goals, pw.Posture(weight=1e-4)]))
        for step in range(-20, 1):
            live.follow(aim=at + step * ahead)
        assert settle(live)[0] <= HALF_A_SECOND, site


@pytest.mark.parametrize("name", FOLLOWERS)
@pytest.mark.parametrize("axis", [(0.0, 1.0, 0.0), (0.3, 0.9, -0.3)])
def test_balls_follow_round_and_round(name, axis):
    """A rotation vector of a whole turn could not tilt any more."""
    joints = (
        Joint(name="hub", rotation=Ball()),
        Joint(name="arm", parent="hub", offset=(0.0, 0.5, 0.0), rotation=Ball()),
    )
    figure = pw.Figure(name="spinner", joints=joints)
    turned = pw.Orientation("arm", x=(1.0, 0.0, 0.0), y=(0.0, 1.0, 0.0))
    live = FOLLOWERS[name].prepare(pw.Problem(figure, [turned, pw.Posture(weight=1e-5)]))
    axis, before = np.array(axis) / np.linalg.norm(axis), None
    for step in range(400):
        tilt = 0.5 * np.array([np.sin(0.11 * step), 0.0, 1.0 - np.cos(0.07 * step)])
        result = live.follow(arm=matrix_from_vector(0.05 * step * axis) @ matrix_from_vector(tilt))
        assert float(result.errors["arm"]) <= np.radians(0.5), step
        turns = matrix_from_vector(result.q.reshape(2, 3))
        if before is not None:
            assert np.abs(turns - before).max() <= 0.35, step
        before = turns
    assert np.abs(result.q).max() < 1.5 * np.pi + 0.2


def test_a_ball_stays_within_its_limits_however_it_could_be_written():
    figure = pw.Figure(name="knob", joints=(Joint(name="hub", rotation=Ball(lower=(-np.inf, -0.1, -np.inf))),))
    live = pw.LeastSquares().prepare(pw.Problem(figure, [pw.Orientation("hub", x=(1.0, 0.0, 0.0), y=(0.0, 1.0, 0.0))]))
    for step in range(140):
        q = live.follow(hub=matrix_from_vector(np.array([0.0, 0.05 * step, 0.0]))).q
        assert (q >= figure.lower - 1e-12).all()
        assert (q <= figure.upper + 1e-12).all()


def reach(**settings):
    figure = pw.figure("human40")
    goals = [*pw.pin(pw.Pose.rest(figure), "left_sole", "right_sole"), pw.Position("right_hand", (-0.3, 1.2, 0.4))]
    return pw.LeastSquares(**settings).prepare(pw.Problem(figure, goals))


def test_a_pace_is_kept_whatever_is_asked():
    live, before = reach(), pw.figure("human40").rest
    pace = pw.solvers.Pace(turn=0.05, move=0.01)
    for _ in range(10):
        after = live.follow({"right_hand": (9.0, 9.0, 9.0)}, pace=pace).q
        assert np.abs(after - before).max() <= 0.05 + 1e-12
        assert moved(pw.figure("human40"), before, after) <= 0.01 * pw.figure("human40").height + 1e-12
        before = after


def test_a_call_out_of_time_goes_on_in_the_next():
    live, pace = reach(), pw.solvers.Pace(seconds=1e-9)
    results = [live.follow(right_hand=(-0.4, 1.3, 0.5), pace=pace) for _ in range(100)]
    assert results[0].stopped == "in time"
    assert results[-1].reached
    assert results[-1].stopped in AT_REST
    costs = [result.cost for result in results]
    assert all(b <= a + 1e-12 for a, b in pairwise(costs))


def test_a_drag_begins_where_it_is_told_to_or_at_the_last_answer():
    live = reach()
    solved = live.solve({"right_hand": (-0.4, 1.3, 0.5)})
    assert np.abs(live.follow().q - solved.q).max() < 1e-3
    rest = pw.Pose.rest(pw.figure("human40"))
    assert np.abs(live.follow(start=rest).q - rest.q).max() <= 0.2


@pytest.mark.parametrize("name", [name for name in SOLVERS if name not in FOLLOWERS])
def test_other_solvers_say_who_can(name):
    problem = pw.Problem(pw.figure("human40"), [pw.Position("right_hand", (0.3, 1.2, 0.4))])
    with pytest.raises(pw.errors.InvalidSetting, match="does not follow targets; LeastSquares and Prioritized do"):
        SOLVERS[name]().prepare(problem).follow(right_hand=(0.3, 1.2, 0.4))


@pytest.mark.parametrize("bad", [{"turn": 0.0}, {"move": -1.0}, {"seconds": float("nan")}, {"turn": float("inf")}])
def test_a_pace_that_is_none_is_refused(bad):
    with pytest.raises(pw.errors.InvalidSetting, match=f"{next(iter(bad))} of Pace"):
        pw.solvers.Pace(**bad)


def test_targets_twice_are_refused():
    live = reach()
    with pytest.raises(pw.errors.InvalidSetting, match="as an array and by label"):
        live.follow(live.targets, right_hand=(0.3, 1.2, 0.4))
