"""Motions: strict goals, cuts, activations, streams and what is refused."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import posewright as pw
from posewright.clips import walk
from posewright.figures.catalogue import build
from posewright.figures.kinematics import site_frames
from posewright.solvers.motion import solving

FEET = ("left_sole", "right_sole")


@cache
def walking(frames=40):
    return walk(build("norman"), fps=30.0)[:frames]


def feet(clip, activation=None):
    tracks = [pw.goals.follow(site, clip, turned=True) for site in FEET]
    return [replace(track, activation=activation) for track in tracks]


def hands(clip, offset=0.0, priority=2):
    sites = ("left_hand", "right_hand")
    found = [pw.goals.follow(site, clip, priority=priority) for site in sites]
    return [pw.goals.follow(t.goal.site, t.points + offset, priority=priority) for t in found]


def contacts_and_hands(offset=0.0, activation=None, imitation=None, **settings):
    clip = walking()
    imitation = imitation or pw.Imitation(example=1e-3)
    return pw.MotionProblem(
        build("abnorman1"), [*feet(clip, activation), *hands(clip, offset)], clip, imitation=imitation, **settings
    )


def foot_errors(result):
    """Of points and directions, in every frame."""
    errors = result.errors_by_frame
    return np.array([errors[foot, part] for foot in FEET for part in ("position", "orientation")])


def jitter(q):
    return float(np.abs(np.diff(q, 3, axis=0)).mean())


# Two strict levels.


@pytest.mark.parametrize("met", [1e-4, 1e-6, 1e-9, 1e-12])
def test_contacts_are_met_as_closely_as_asked_whatever_the_hands_want(met):
    solver = pw.LeastSquares(tracking=pw.solvers.Tracking(met=met))
    result = solver.solve(contacts_and_hands(offset=1.5))
    assert foot_errors(result).max() <= 1.8 * met  # asked for along each axis
    assert result.errors_by_frame["right_hand"].min() > 0.01  # the hands do want something else


def test_the_second_level_is_as_good_as_a_solver_with_strict_levels_makes_it(monkeypatch):
    clip = walking(6)
    problem = pw.MotionProblem(
        build("abnorman1"), [*feet(clip), *hands(clip, 0.1)], clip, imitation=pw.Imitation.static(example=1e-2)
    )
    fast = pw.LeastSquares(tracking=pw.solvers.Tracking(gain=1e-13, met=1e-10)).solve(problem)
    monkeypatch.setattr(solving, "clip_tracker", lambda *_: None)
    dense = pw.LeastSquares(restarts=0).solve(problem)
    for label in ("left_hand", "right_hand"):
        assert fast.errors_by_frame[label] == pytest.approx(dense.errors_by_frame[label], abs=2e-3)
    assert foot_errors(fast).max() < 1e-9


def test_a_contact_out_of_reach_is_approached_and_does_not_break_the_rest():
    clip = walking(10)
    far = [
        pw.goals.follow("left_sole", np.tile([0.0, -3.0, 0.0], (10, 1)), name="far"),
        pw.goals.follow("pelvis", clip),
    ]
    problem = pw.MotionProblem(build("abnorman1"), [*far, *hands(clip)], clip, imitation=pw.Imitation(example=1e-3))
    result = pw.LeastSquares().solve(problem)
    assert np.isfinite(result.motion.q).all()
    figure = result.motion.figure
    assert (result.motion.q >= figure.lower).all()
    assert (result.motion.q <= figure.upper).all()
    assert not result.reached
    assert {found.goal for found in result.worst(2)} & {"far", "pelvis"}


def test_an_activation_blends_a_contact_in_without_a_jump():
    ramp = np.clip((np.arange(40) - 10) / 20.0, 0.0, 1.0)
    clip = walking()
    moved = [replace(track, points=track.points + np.array([0.0, 0.03, 0.0])) for track in feet(clip, ramp)]
    problem = pw.MotionProblem(build("norman"), [*moved, *hands(clip)], clip, imitation=pw.Imitation(example=1e-1))
    result = pw.LeastSquares().solve(problem)
    error = result.errors_by_frame["left_sole", "position"]
    assert error[0] > 0.025
    assert error[30:].max() < 2e-6
    assert np.abs(np.diff(error)).max() < 0.012
    assert (np.diff(error[10:31]) < 1e-4).all()


def test_frames_without_any_goal_take_the_example():
    off = np.zeros(40)
    problem = contacts_and_hands(imitation=pw.Imitation.static(example=1e-3), activation=off).with_goals(
        feet(walking(), off)
    )
    np.testing.assert_allclose(pw.LeastSquares().solve(problem).motion.q, problem.near.q, atol=1e-12)


# Cuts.


def test_a_cut_forgets_all_that_came_before():
    clip = walking()
    twice = pw.Motion(clip.figure, np.concatenate([clip.q[20:], clip.q[:20]]), clip.fps)
    tracks = [pw.goals.follow("right_hand", twice)]
    imitation = pw.Imitation(example=1e-3, stiffness=1e-2)
    cut = pw.LeastSquares().solve(pw.MotionProblem(build("abnorman1"), tracks, twice, imitation=imitation, cuts=[20]))
    alone = pw.LeastSquares().solve(
        pw.MotionProblem(build("abnorman1"), [pw.goals.follow("right_hand", clip[:20])], clip[:20], imitation=imitation)
    )
    np.testing.assert_array_equal(cut.motion.q[20:], alone.motion.q)


# Balls.


def test_a_figure_of_balls_is_followed_by_the_kernel_as_by_the_frame_loop(monkeypatch):
    figure = build("abnorman1").with_balls(drop_limits=True)
    clip = walking(8).converted(build("norman").with_balls(drop_limits=True))
    problem = pw.MotionProblem(
        figure, hands(clip, 0.1, priority=1), clip, imitation=pw.Imitation(example=1e-2, stiffness=1e-3)
    )
    fast = pw.LeastSquares(tracking=pw.solvers.Tracking(gain=1e-14, steps=200)).solve(problem)
    monkeypatch.setattr(solving, "clip_tracker", lambda *_: None)
    slow = pw.LeastSquares(restarts=0).solve(problem)
    places = [site_frames(figure, result.motion.q, figure.joint_names).points for result in (fast, slow)]
    np.testing.assert_allclose(places[0], places[1], atol=1e-5)


def test_a_turn_of_the_root_beyond_half_a_turn_stays_continuous():
    clip = walking(30)
    figure = clip.figure
    q = np.array(clip.q)
    root = figure.dof_slice("pelvis")
    q[:, root.start + 3 : root.stop] = np.linspace(0.0, 1.5 * np.pi, 30)[:, None] * np.array([0.0, 1.0, 0.0])
    motion = pw.Motion(figure, q, 30.0)
    result = pw.LeastSquares().solve(
        pw.MotionProblem(build("abnorman1"), hands(motion, priority=1), motion, imitation=pw.Imitation(example=1e-2))
    )
    assert np.abs(np.diff(result.motion.q[:, root], axis=0)).max() < 0.6


# Streams.


def test_a_stream_with_contacts_gives_the_bits_of_the_clip():
    ramp = np.clip((np.arange(40) - 10) / 10.0, 0.0, 1.0)
    problem = contacts_and_hands(offset=0.05, activation=ramp)
    whole = pw.LeastSquares().solve(problem)
    stream = pw.LeastSquares().stream(problem)
    answers = []
    for k in range(40):
        targets = {}
        for track in problem.goals:
            given = [values[k] for values in (track.points, track.x, track.y) if values is not None]
            targets[track.label] = np.concatenate(given)
        answers.append(stream.solve(problem.near.pose(k), targets, dict.fromkeys(FEET, ramp[k])).pose.q)
    np.testing.assert_array_equal(np.array(answers), whole.motion.q)


ROTATION = (0.8, 0.0, 0.6, 0.0)
MATRIX = np.array([[0.28, 0.0, 0.96], [0.0, 1.0, 0.0], [-0.96, 0.0, 0.28]])
PLACE = (0.3, 1.1, 0.3)


@pytest.mark.parametrize(
    "given",
    [
        (*PLACE, *ROTATION),
        np.concatenate([PLACE, MATRIX[:, 0], MATRIX[:, 1]]),
        np.vstack([np.column_stack([MATRIX, PLACE]), [0.0, 0.0, 0.0, 1.0]]),
    ],
    ids=["quaternion", "directions", "matrix"],
)
def test_a_stream_takes_rotations_as_poses_do(given):
    figure = build("abnorman1")
    goal = pw.Placement("right_hand", (0.0, 0.0, 0.0), x=(1.0, 0.0, 0.0), y=(0.0, 1.0, 0.0))
    clip = walking(1)
    stream = pw.LeastSquares().stream(pw.MotionProblem(figure, [goal], clip))
    pose = stream.solve(clip.pose(0), targets={"right_hand": given}).pose
    asked = pw.Placement("right_hand", PLACE, wxyz=ROTATION)
    wanted = pw.LeastSquares().solve(pw.MotionProblem(figure, [asked], clip)).motion.pose(0)
    assert pose.q == pytest.approx(wanted.q, abs=1e-9)


def test_of_several_targets_of_a_stream_all_are_taken_or_none():
    clip = walking(1)
    goals = [pw.Position(site, clip.pose(0).point(site)) for site in ("left_hand", "right_hand")]
    stream = pw.LeastSquares().stream(pw.MotionProblem(clip.figure, goals, clip))
    before = stream.solve(clip.pose(0)).pose.q
    with pytest.raises(pw.errors.UnknownName):
        stream.solve(clip.pose(0), targets={"left_hand": PLACE, "right_hnd": PLACE})
    stream.cut()
    np.testing.assert_array_equal(stream.solve(clip.pose(0)).pose.q, before)


def test_a_stream_unwinds_angles_as_the_clip_does():
    figure = pw.Figure(
        name="wheel", joints=(pw.figures.Joint(name="hub", rotation=(pw.figures.Hinge(axis=(0.0, 0.0, 1.0)),)),),
        sites=(pw.figures.Site(name="rim", joint="hub", point=(1.0, 0.0, 0.0)),),
    )  # fmt: skip
    angles = (np.linspace(0.0, 20.0, 50) + np.pi) % (2 * np.pi) - np.pi
    motion = pw.Motion(figure, angles[:, None], 50.0)
    problem = pw.MotionProblem(figure, [pw.goals.follow("rim", motion)], motion)
    whole = pw.LeastSquares().solve(problem).motion.q
    assert whole[-1, 0] == pytest.approx(20.0, abs=1e-3)
    stream = pw.LeastSquares().stream(problem)
    points = problem.goals[0].points
    np.testing.assert_array_equal(
        [stream.solve(q, {"rim": p}).pose.q for q, p in zip(motion.q, points, strict=True)], whole
    )


# Results, progress, and what is refused.


def test_a_result_tells_what_was_missed_and_where():
    problem = contacts_and_hands(offset=1.5)
    result = pw.LeastSquares().solve(problem)
    assert not result.reached
    worst = result.worst(3)
    assert worst[0].goal in ("left_hand", "right_hand")
    assert worst[0] == result.errors_by_frame[worst[0].goal][worst[0].frame]
    assert "frame" in str(worst[0])
    assert result.coordinates.shape == (40, problem.figure.n_dofs)
    assert result.stopped in {"stationary", "out of iterations"}
    assert result.iterations == result.iterations_by_solve.sum()
    with pytest.raises(pw.errors.GoalsNotReached, match=r"goals were missed: left_hand .* at frame"):
        result.require()


def test_progress_is_told_and_may_end_the_solve(monkeypatch):
    from posewright.solvers.motion import clip_tracker as stretches

    monkeypatch.setattr(stretches, "_WORK", 500)
    told = []
    pw.LeastSquares().solve(contacts_and_hands(), progress=told.append)
    assert told == sorted(told)
    assert len(told) > 5
    assert told[-1] == 40

    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pw.LeastSquares().solve(contacts_and_hands(), progress=stop)


def test_stretches_do_not_change_the_answer(monkeypatch):
    from posewright.solvers.motion import clip_tracker as stretches

    whole = pw.LeastSquares().solve(contacts_and_hands()).motion.q
    monkeypatch.setattr(stretches, "_WORK", 500)
    np.testing.assert_array_equal(pw.LeastSquares().solve(contacts_and_hands()).motion.q, whole)


def test_values_of_the_example_beyond_limits_are_counted():
    clip = walking(5)
    q = np.array(clip.q)
    q[2:4, clip.figure.dof_index(clip.figure.dof_names[-1])] = 9.0
    problem = pw.MotionProblem(clip.figure, hands(clip, priority=1), pw.Motion(clip.figure, q, 30.0))
    assert (
        f"2 of {q.size} values of the example were beyond the limits of 'norman'"
        in pw.LeastSquares().solve(problem).warnings
    )


def problem_with(**changes):
    clip = walking(5)
    settings = {"space": clip.figure, "goals": hands(clip), "near": clip} | changes
    return pw.MotionProblem(settings.pop("space"), settings.pop("goals"), settings.pop("near"), **settings)


def test_what_is_refused():
    clip, figure = walking(5), walking(5).figure
    short = pw.goals.follow("right_hand", np.zeros((3, 3)))
    with pytest.raises(ValueError, match="'right_hand' has targets for 3 frames; from frame 0 to 4 there are 5"):
        problem_with(goals=[short])
    wheel = pw.Figure(
        name="wheel", joints=(pw.figures.Joint(name="hub", rotation=(pw.figures.Hinge(axis=(0.0, 0.0, 1.0)),)),)
    )
    turning = pw.Motion(wheel, np.zeros((5, 1)), 30.0)
    with pytest.raises(ValueError, match=r"lacks pelvis.tx, .* has hub.* instead; transfer it first"):
        problem_with(near=turning)
    with pytest.raises(ValueError, match="the example has no frames"):
        problem_with(goals=[], near=clip[5:])
    with pytest.raises(ValueError, match="cut at frame 9; it must be from 0 to 4"):
        problem_with(cuts=[9])
    with pytest.raises(KeyError, match="no site 'rigth_hand'; did you mean 'right_hand'"):
        problem_with(goals=[pw.goals.follow("rigth_hand", np.zeros((5, 3)))])
    with pytest.raises(KeyError, match="no joint or dof 'elbo'"):
        problem_with(imitation=pw.Imitation(weights={"elbo": 1.0}))
    points = np.zeros((5, 3))
    points[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"finite numbers, got nan at \[2, 1\]"):
        pw.goals.follow("right_hand", points)
    with pytest.raises(ValueError, match="follows nothing"):
        pw.goals.follow("right_hand")
    with pytest.raises(ValueError, match=r"activation of 'right_hand' must be from 0 to 1"):
        pw.goals.follow("right_hand", np.zeros((2, 3)), activation=[0.0, 1.5])
    with pytest.raises(ValueError, match="have different lengths"):
        pw.goals.follow("right_hand", np.zeros((2, 3)), activation=[0.0])
    with pytest.raises(ValueError, match="vanish in frame 1"):
        pw.goals.follow("right_hand", x=[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="needs a positive weight of tracks or example"):
        pw.Imitation(tracks=0.0, example=0.0)
    with pytest.raises(ValueError, match=r"imitation is 1\.5; it must be from 0"):
        pw.Imitation.share(1.5)
    with pytest.raises(ValueError, match="cannot be used in a motion problem"):
        pw.LeastSquares().solve(problem_with(goals=[pw.Posture()]))
    with pytest.raises(ValueError, match="steps of a tracking must be"):
        pw.solvers.Tracking(steps=0)
    stream = pw.LeastSquares().stream(problem_with())
    with pytest.raises(ValueError, match=r"must be \(40,\) finite numbers"):
        stream.solve(np.zeros(3))
    with pytest.raises(ValueError, match="has 2 numbers; this goal takes 3 numbers: a point"):
        stream.solve(figure.rest, {"right_hand": (1.0, 2.0)})
    with pytest.raises(pw.errors.InvalidSetting, match="the target of 'right_hand' must be finite numbers"):
        stream.solve(figure.rest, {"right_hand": "left_hand"})
    with pytest.raises(pw.errors.InvalidSetting, match="the activation of 'right_hand' must be from 0 to 1, got 'on'"):
        stream.solve(figure.rest, {}, {"right_hand": "on"})
    with pytest.raises(pw.PosewrightError, match="the example's frame is 'rest'; it must be a pose"):
        stream.solve("rest")


def test_joints_without_a_goal_do_not_change_the_answer_of_the_others():
    clip = walking()
    imitation = pw.Imitation(example=1e-3, stiffness=0.01)
    legs = pw.MotionProblem(build("abnorman1"), feet(clip), clip, imitation=imitation)
    # A goal without any weight makes the search see the spine, too.
    neck = replace(pw.goals.follow("neck", clip), activation=np.zeros(40))
    apart, whole = pw.LeastSquares().solve(legs), pw.LeastSquares().solve(legs.with_goals([*feet(clip), neck]))
    np.testing.assert_allclose(apart.motion.q, whole.motion.q, atol=1e-6)
    assert not np.allclose(apart.motion.q, clip.q, atol=1e-3)


def test_a_joint_as_a_site_rides_on_its_parent():
    clip = walking()
    problem = pw.MotionProblem(build("abnorman1"), [pw.goals.follow("left_wrist", clip)], clip)
    result = pw.LeastSquares().solve(problem)
    here = site_frames(result.motion.figure, result.motion.q, ["left_wrist"]).points[:, 0]
    np.testing.assert_allclose(here, problem.goals[0].points, atol=2e-3)
    wrist = result.motion.figure.dof_slice("left_wrist")
    np.testing.assert_allclose(result.motion.q[:, wrist], clip.q[:, wrist], atol=1e-9)


def test_a_clip_in_portions_has_the_bits_of_the_whole(monkeypatch):
    problem = contacts_and_hands()
    whole = pw.LeastSquares().solve(problem)
    monkeypatch.setattr(solving, "_AT_ONCE", 7)
    portions = pw.LeastSquares().solve(problem)
    assert np.array_equal(portions.motion.q, whole.motion.q)
    lowered = portions.lowered
    assert np.array_equal(
        np.concatenate([lowered.targets_of(slice(11)), lowered.targets_of(slice(11, 40))]), lowered.targets
    )


@pytest.mark.parametrize("solver", [pw.LeastSquares(), pw.Prioritized()], ids=lambda solver: type(solver).__name__)
def test_a_goal_that_is_never_on_in_full_is_only_approached(solver):
    clip = walking(6)
    higher = site_frames(clip.figure, clip.q, ["left_hand"]).points[:, 0] + [0.0, 0.3, 0.0]
    track = pw.goals.follow("left_hand", higher)
    result = solver.solve(pw.MotionProblem(clip.figure, [replace(track, activation=np.full(6, 0.5))], clip))
    error = result.errors["left_hand"]
    assert error > 1e-6
    assert error.tolerance == np.inf
    assert any("never counts in full" in warning for warning in result.warnings)


def test_directions_along_a_path_are_for_goals_that_have_them():
    ahead = np.tile([0.0, 0.0, 1.0], (6, 1))
    for goal in (pw.Position("left_hand", (0.0, 1.0, 0.0)), pw.Aim("left_hand", (0.0, 1.0, 0.0)),
                 pw.Orientation("left_hand", y=(0.0, 1.0, 0.0)),
                 pw.Orientation("left_hand", x=(1.0, 0.0, 0.0), y=(0.0, 1.0, 0.0))):  # fmt: skip
        with pytest.raises(pw.errors.InvalidSetting, match="a path of x is for a goal with just these"):
            goal.along(x=ahead)
    assert pw.Orientation("left_hand", x=(1.0, 0.0, 0.0)).along(x=ahead).has_path
