"""Example-guided inverse kinematics (Tak & Ko): what the engine over time promises, on an arm on a torso."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import posewright as pw
from posewright.clips import throw
from posewright.figures.catalogue import build, chain
from posewright.figures.kinematics import site_frames, site_jacobians
from posewright.kernels.tables import SLIDE
from posewright.problem.frame_objective import Before, chart_balls, collapsed, collapsed_pose, in_chart_of
from posewright.problem.motion_lowering import lower_motion
from posewright.rotations import matrix_from_vector

PRECISE = pw.LeastSquares(tracking=pw.solvers.Tracking(gain=1e-14, steps=200, met=1e-13))
HAND = "right_hand"


@cache
def norman_throws(frames=40):
    return throw(build("norman"), fps=30.0)[:frames]


def retargeting(imitation, name="abnorman1", frames=40, **settings):
    """The throw of norman on another figure, whose pelvis goes as his; the hand unscaled."""
    clip = norman_throws(frames)
    return pw.MotionProblem(
        build(name), [pw.goals.follow(HAND, clip)], clip, imitation=imitation, frozen=["pelvis"], **settings
    )


def hand_errors(result):
    return result.errors_by_frame[HAND] / result.lowered.length


def variation(values):
    return np.abs(np.diff(values, axis=0)).sum(axis=0)


# Examples by name.


def test_a_library_selects_by_name_and_lists_what_there_is():
    clip = norman_throws()
    library = pw.motions.MotionLibrary.of([replace_name(clip, "throw"), replace_name(clip, "walk")])
    assert library["throw"].q is clip.q
    assert list(library) == ["throw", "walk"]
    with pytest.raises(KeyError, match=r"the library has no motion 'trow'; did you mean 'throw'\? Known: throw, walk"):
        library["trow"]
    with pytest.raises(KeyError, match="there are none"):
        pw.motions.MotionLibrary()["throw"]


def replace_name(motion, name):
    return pw.Motion(motion.figure, motion.q, motion.fps, name)


# The two patterns and the share of each.


def test_all_weight_on_the_example_returns_it():
    problem = retargeting(pw.Imitation(tracks=0.0, example=1.0, stiffness=0.0))
    inside = np.clip(problem.near.q, problem.figure.lower, problem.figure.upper)
    np.testing.assert_allclose(PRECISE.solve(problem).motion.q, inside, atol=1e-12)
    nearly = PRECISE.solve(problem.with_imitation(pw.Imitation.share(1.0)))  # it has a stiffness of 1e-6
    np.testing.assert_allclose(nearly.motion.q, inside, atol=1e-5)


def test_no_weight_on_the_example_meets_a_reachable_track():
    problem = retargeting(pw.Imitation(example=0.0, stiffness=0.0))
    result = PRECISE.solve(problem)
    assert hand_errors(result)[2:].max() < 1e-10
    assert any("depends on the start" in warning for warning in result.warnings)


def test_the_share_trades_one_pattern_for_the_other():
    found = [PRECISE.solve(retargeting(pw.Imitation.share(beta))) for beta in (1e-4, 1e-2, 0.1, 0.5, 0.9)]
    track = [hand_errors(result).mean() for result in found]
    example = [np.abs(result.motion.q - result.lowered.references).mean() for result in found]
    assert all(b > a for a, b in itertools.pairwise(track))
    assert all(b < a for a, b in itertools.pairwise(example))


# The objective of a frame, collapsed to that of a pose.


def literal_objective(lowered, imitation, frame, known, q, e, answers, sites, balls):
    """The objective as printed, term by term, in the chart of the frame's example rotation."""
    L = lowered
    reference = L.references[frame]

    def local(pose):
        return in_chart_of(reference, pose, balls)

    theta, Q = local(q), [local(L.references[frame - k]) for k in range(known + 1)]
    a = [theta, *(local(answer) for answer in answers[:known])]
    E = [L.targets[frame - k, 0, :3] for k in range(known + 1)]
    s = [e, *sites[:known]]
    g = imitation
    track, posture = np.sum((s[0] - E[0]) ** 2), (a[0] - Q[0]) ** 2
    if known >= 1:
        track += g.track_velocity * np.sum((s[0] - s[1] - (E[0] - E[1])) ** 2)
        posture = posture + g.example_velocity * (a[0] - a[1] - (Q[0] - Q[1])) ** 2
    if known >= 2:
        track += g.track_acceleration * np.sum((s[0] - 2 * s[1] + s[2] - (E[0] - 2 * E[1] + E[2])) ** 2)
        posture = posture + g.example_acceleration * (a[0] - 2 * a[1] + a[2] - (Q[0] - 2 * Q[1] + Q[2])) ** 2
    stiff = np.sum(L.stiffness * (a[0] - a[1]) ** 2) if known else 0.0
    return g.tracks * track + np.sum(L.example * posture) + stiff


@pytest.mark.parametrize("known", [0, 1, 2])
def test_the_collapsed_objective_is_the_full_one_and_a_constant(known):
    rng = np.random.default_rng(known)
    imitation = pw.Imitation(
        example=0.3, track_velocity=0.5, track_acceleration=0.2, example_velocity=0.4, example_acceleration=0.7,
        stiffness=0.1,
    )  # fmt: skip
    problem = retargeting(imitation)
    lowered, figure, frame = lower_motion(problem), problem.figure, 20
    balls = chart_balls(figure)
    assert balls  # the pelvis: the chart matters
    answers = [lowered.references[frame - k] + 0.3 * rng.normal(size=figure.n_dofs) for k in (1, 2)]
    sites = [site_frames(figure, q, [HAND]).points[0] for q in answers]
    reference = lowered.references[frame]

    def pick(values):
        return (values[0], values[1]) if known else (values[0] * 0, values[1] * 0)

    before = Before(
        known,
        *(in_chart_of(reference, lowered.references[frame - k], balls) for k in (1, 2)),
        *(in_chart_of(reference, q, balls) for q in answers),
    )
    pose, D = collapsed_pose(
        imitation, lowered.example, lowered.stiffness, in_chart_of(reference, reference, balls), before
    )
    wanted = [lowered.targets[frame - k, 0, :3] for k in (0, 1, 2)]
    point, factor = collapsed(
        wanted[0],
        imitation.track_velocity,
        imitation.track_acceleration,
        Before(known, wanted[1], wanted[2], *pick(sites)),
    )
    differences = []
    for _ in range(6):
        q = reference + 0.4 * rng.normal(size=figure.n_dofs)
        e = site_frames(figure, q, [HAND]).points[0]
        full = literal_objective(lowered, imitation, frame, known, q, e, answers, sites, balls)
        w = in_chart_of(reference, q, balls)
        differences.append(full - imitation.tracks * factor * np.sum((e - point) ** 2) - np.sum(D * (w - pose) ** 2))
    assert np.ptp(differences) < 1e-12 * max(1.0, abs(differences[0]))


def test_the_answer_of_the_kernel_is_stationary_for_the_literal_objective():
    imitation = pw.Imitation(
        example=1e-2, track_velocity=0.5, track_acceleration=0.2, example_velocity=0.4, stiffness=1e-3
    )
    problem = retargeting(imitation, frames=12)
    result = PRECISE.solve(problem)
    lowered, figure, frame = result.lowered, problem.figure, 10
    balls, q = chart_balls(figure), result.motion.q
    answers = [q[frame - 1], q[frame - 2]]
    sites = [site_frames(figure, answer, [HAND]).points[0] for answer in answers]

    def objective(pose):
        e = site_frames(figure, pose, [HAND]).points[0]
        return literal_objective(lowered, imitation, frame, 2, pose, e, answers, sites, balls)

    inside = (q[frame] > figure.lower + 1e-6) & (q[frame] < figure.upper - 1e-6)
    inside[figure.dof_slice("pelvis")] = False  # frozen
    step = 1e-5
    for dof in np.flatnonzero(inside):
        shift = np.zeros(figure.n_dofs)
        shift[dof] = step
        slope = (objective(q[frame] + shift) - objective(q[frame] - shift)) / (2 * step)
        assert abs(slope) < 1e-7


@pytest.mark.parametrize("sites", [("right_hand",), ("right_hand", "left_hand", "left_sole", "right_sole")])
def test_the_elimination_gives_the_step_of_woodbury_and_of_a_dense_solve(sites):
    figure = build("norman")
    rng = np.random.default_rng(3)
    q = figure.rest + 0.1 * rng.normal(size=figure.n_dofs)
    J = np.concatenate([site_jacobians(figure, q, [site])[0, :3] for site in sites])
    goal = np.concatenate([site_frames(figure, q, [site]).points[0] for site in sites]) + 1e-7 * rng.normal(size=len(J))
    R = np.concatenate([site_frames(figure, q, [site]).points[0] for site in sites]) - goal
    D = rng.uniform(0.5, 2.0, figure.n_dofs)
    dense = np.linalg.solve(np.diag(D) + J.T @ J, -J.T @ R)
    inner = np.linalg.solve(np.eye(len(J)) + (J / D) @ J.T, (J / D) @ (J.T @ R))
    woodbury = -((J.T @ R) / D - (J.T @ inner) / D)
    np.testing.assert_allclose(woodbury, dense, atol=1e-10 * np.abs(dense).max())
    goals = [pw.Position(site, point) for site, point in zip(sites, goal.reshape(-1, 3), strict=True)]
    weights = dict(zip(figure.dof_names, D.tolist(), strict=True))
    free = pw.Problem(unlimited(figure), [*goals, pw.Posture(weights=weights)])
    eliminated = pw.LeastSquares().solve(free, start=pw.Pose(free.figure, q)).q - q
    np.testing.assert_allclose(eliminated, dense, atol=1e-3 * np.abs(dense).max())


def unlimited(figure):
    def free(joint):
        hinges = joint.rotation if isinstance(joint.rotation, tuple) else ()
        rotation = tuple(replace(h, lower=-np.inf, upper=np.inf) for h in hinges) if hinges else joint.rotation
        return replace(joint, rotation=rotation)

    return replace(figure, joints=tuple(free(joint) for joint in figure.joints))


def test_the_error_is_proportional_to_a_small_weight_of_the_example():
    still = [pw.Imitation.static(example=beta) for beta in (1e-6, 1e-5)]
    small, large = (hand_errors(PRECISE.solve(retargeting(g, frames=10))).mean() for g in still)
    assert np.log10(large / small) == pytest.approx(1.0, abs=0.05)


# Stiffness, units, streams and other solvers.


def test_a_stiffer_dof_changes_less():
    dof = "right_elbow.flexion" if "right_elbow.flexion" in build("norman").dof_names else build("norman").dof_names[-1]
    soft = pw.Imitation(example=1e-3, stiffness=1e-3)
    stiff = replace(soft, stiffnesses={dof: 100.0})
    index = build("norman").dof_index(dof)
    changes = [variation(PRECISE.solve(retargeting(g)).motion.q)[index] for g in (soft, stiff)]
    assert changes[1] < changes[0]


def test_the_unit_of_length_does_not_matter():
    clip = norman_throws(15)
    imitation = pw.Imitation(example=1e-3)
    tracks = [pw.goals.follow(HAND, clip)]
    metres = PRECISE.solve(pw.MotionProblem(build("abnorman1"), tracks, clip, imitation=imitation))
    slides = clip.figure.tables.dofs["kind"] == SLIDE
    big = build("abnorman1").with_lengths(overall=100.0)
    scaled = pw.Motion(big, np.where(slides, 100.0, 1.0) * clip.q, clip.fps)
    tracks = [pw.goals.follow(HAND, 100.0 * tracks[0].points)]
    centimetres = PRECISE.solve(pw.MotionProblem(big, tracks, scaled, imitation=imitation))
    np.testing.assert_allclose(centimetres.motion.q[:, ~slides], metres.motion.q[:, ~slides], atol=1e-8)
    np.testing.assert_allclose(centimetres.motion.q[:, slides] / 100.0, metres.motion.q[:, slides], atol=1e-8)


def test_smooth_where_the_track_leaves_the_reach():
    clip = norman_throws(40)
    track = pw.goals.follow(HAND, clip)
    away = np.linspace(0.0, 0.6, len(clip))[:, None] * np.array([0.0, 0.3, 1.0])
    problem = retargeting(pw.Imitation(example=1e-4)).with_goals([pw.goals.follow(HAND, track.points + away)])
    result = pw.LeastSquares().solve(problem)
    assert np.isfinite(result.motion.q).all()
    assert not result.reached
    roughness = np.abs(np.diff(result.motion.q, 2, axis=0)).max()
    assert roughness <= 10.0 * np.abs(np.diff(clip.q, 2, axis=0)).max()


def test_a_stream_gives_the_same_bits_as_the_clip():
    problem = retargeting(pw.Imitation(example=1e-3), frames=25)
    whole = pw.LeastSquares().solve(problem)
    one = norman_throws(1)
    template = pw.MotionProblem(
        problem.figure, [pw.goals.follow(HAND, one)], one, imitation=problem.imitation, frozen=["pelvis"]
    )
    stream = pw.LeastSquares().stream(template)
    track = problem.goals[0].points
    answers = [stream.solve(q, {HAND: point}).pose.q for q, point in zip(problem.near.q, track, strict=True)]
    np.testing.assert_array_equal(np.array(answers), whole.motion.q)
    with pytest.raises(KeyError, match=r"the problem has no goal 'rigth_hand'; did you mean 'right_hand'\?"):
        stream.solve(one.q[0], {"rigth_hand": (0.0, 0.0, 0.0)})


@pytest.mark.parametrize("solver", [pw.LeastSquares(restarts=0)], ids=["frame by frame"])
def test_the_kernel_and_a_solver_asked_frame_by_frame_agree(solver, monkeypatch):
    from posewright.solvers.motion import solving

    problem = retargeting(pw.Imitation(example=1e-3), frames=12)
    fast = PRECISE.solve(problem)
    monkeypatch.setattr(solving, "clip_tracker", lambda *_: None)
    slow = solver.solve(problem)
    assert np.abs(fast.motion.q - slow.motion.q).max() < 1e-5


def test_two_hands_on_one_object_stay_together():
    clip = norman_throws(30)
    grip = np.array([0.15, 0.0, 0.0])
    right = pw.goals.follow(HAND, clip)
    tracks = [right, pw.goals.follow("left_hand", right.points + grip)]
    result = PRECISE.solve(pw.MotionProblem(build("abnorman1"), tracks, clip, imitation=pw.Imitation(example=1e-5)))
    points = site_frames(result.motion.figure, result.motion.q, [HAND, "left_hand"]).points
    apart = np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
    assert np.abs(apart - 0.15).max() < 1e-3 * result.lowered.length


# Starts, short and unreachable tracks, and `exact`.


def test_the_start_does_not_matter_with_a_small_weight_of_the_example():
    """A frame alone starts from the example; after another frame it starts from that one's answer."""
    clip, still = norman_throws(20), pw.Imitation.static(example=1e-5)
    track = pw.goals.follow(HAND, clip).points[[0, 19]] + np.array([[0.1, 0.1, 0.0], [0.0, 0.0, 0.0]])
    both = pw.Motion(clip.figure, clip.q[[0, 19]], clip.fps)
    problem = pw.MotionProblem(
        build("abnorman1"), [pw.goals.follow(HAND, track)], both, imitation=still, frozen=["pelvis"]
    )
    after = PRECISE.solve(problem).motion.q[1]
    alone = pw.MotionProblem(
        build("abnorman1"), [pw.goals.follow(HAND, track[1:])], both[1:], imitation=still, frozen=["pelvis"]
    )
    np.testing.assert_allclose(after, PRECISE.solve(alone).motion.q[0], atol=1e-6)


@pytest.mark.parametrize("frames", [1, 2])
def test_short_motions(frames):
    result = PRECISE.solve(retargeting(pw.Imitation(), frames=frames))
    assert len(result.motion) == frames
    assert result.reached


def test_an_unreachable_track_is_followed_as_far_as_it_goes():
    figure = chain(6, length=1.0)
    q = np.tile(figure.rest + 0.1, (5, 1))
    root = site_frames(figure, q[0], [figure.joint_names[0]]).points[0]
    outward = site_frames(figure, q[0], ["tip"]).points[0] - root
    goal = root + 2.0 * outward / np.linalg.norm(outward)
    result = PRECISE.solve(
        pw.MotionProblem(figure, [pw.goals.follow("tip", np.tile(goal, (5, 1)))], pw.Motion(figure, q, 30.0))
    )
    assert np.isfinite(result.motion.q).all()
    assert result.errors_by_frame["tip"][-1] == pytest.approx(1.0, rel=0.01)
    with pytest.raises(pw.errors.GoalsNotReached, match=r"tip .* at frame"):
        result.require()


@pytest.mark.parametrize("name", ["abnorman1", "abnorman2"])
def test_exact_meets_the_track_to_rounding(name):
    imitation = pw.Imitation(example=1e-3, exact=True)
    clip = norman_throws(30)
    tracks = [pw.goals.follow(HAND, clip)]
    problem = pw.MotionProblem(build(name), tracks, clip, imitation=imitation)
    result = PRECISE.solve(problem)
    assert hand_errors(result).max() < 1e-12


def test_a_rotation_of_the_world_turns_the_answer():
    """Balls are compared in the example's chart, so facing elsewhere changes nothing."""
    clip, turn = norman_throws(12), matrix_from_vector(np.array([0.0, 2.5, 0.0]))
    track = pw.goals.follow(HAND, clip)
    imitation = pw.Imitation(example=1e-2)
    figure = build("abnorman1")
    there = PRECISE.solve(pw.MotionProblem(figure, [track], clip, imitation=imitation))
    turned = clip.moved(yaw=2.5)
    moved_track = pw.goals.follow(HAND, track.points @ turn.T)
    elsewhere = PRECISE.solve(pw.MotionProblem(figure, [moved_track], turned, imitation=imitation))
    joints = [d for d, name in enumerate(figure.dof_names) if not name.startswith("pelvis")]
    np.testing.assert_allclose(elsewhere.motion.q[:, joints], there.motion.q[:, joints], atol=1e-7)
