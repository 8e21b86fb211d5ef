"""Streams of frames: the clip's numbers for the clip's tracks, contacts kept with a delay, constant memory."""

import numpy as np
import pytest

import posewright as pw
from posewright import Retargeter, retarget
from posewright.anatomy.feet import SOLE_ENDS
from posewright.clips import walk
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.goals.timed import Timed
from posewright.matching import Scaling
from posewright.motions import Motion
from posewright.motions.floor import Floor
from posewright.workflows.retargeting.key_points import KeyPoints, SourceFeet
from posewright.workflows.retargeting.setup import RetargetSetup
from posewright.workflows.retargeting.stream import _Window


@pytest.fixture(scope="module")
def stroll():
    return walk(pw.figure("human40"), seed=1, fps=60.0)[:90]


def streamed(live, motion):
    out = [pose for q in motion.q if (pose := live.frame(q)) is not None]
    return [*out, *live.finish()]


def test_the_same_tracks_and_contacts_give_the_same_numbers_as_the_clip(stroll):
    made = retarget(stroll, pw.figure("abnorman1"), smooth=0.0)  # a stream cannot look ahead as far as smoothing does
    problem = made.solved.problem
    live = Retargeter(stroll, pw.figure("abnorman1"), floor=0.0)
    for frame in range(len(stroll)):
        targets, activation = {}, {}
        for goal in problem.goals:
            assert isinstance(goal, Timed)
            point = np.zeros(3) if goal.points is None else goal.points[frame]
            turned = [] if goal.x is None else [goal.x[frame], goal.y[frame]]
            targets[goal.label] = np.concatenate([point, *turned])
            activation[goal.label] = float(goal.activation[frame])
        pose = live.follow(problem.near.q[frame], targets, activation)
        assert np.array_equal(pose.q, made.motion.q[frame])


@pytest.mark.parametrize("floor", [0.0, None])
def test_a_stream_keeps_contacts_with_its_delay(stroll, floor):
    live = Retargeter(stroll.figure, pw.figure("norman"), fps=60.0, floor=floor)
    poses = streamed(live, stroll)
    assert len(poses) == len(stroll)
    assert live.delay == 6
    made = Motion(live.figure, np.array([pose.q for pose in poses]), 60.0)
    assert np.all((made.q >= made.figure.lower) & (made.q <= made.figure.upper))
    clip = retarget(stroll, pw.figure("norman"))
    quality = made.quality(clip.source, feet=("left_heel", "right_heel"), floor=0.0, source_floor=clip.floor)
    assert quality["contact drift"].value < 0.003
    assert quality["penetration"].value < 0.002


def test_memory_does_not_grow(stroll):
    live = Retargeter(stroll, pw.figure("norman"), floor=0.0)
    for q in stroll.q[:40]:
        live.frame(q)
    assert live._window.waiting == live.delay


def test_a_figure_alone_needs_a_frame_rate(stroll):
    with pytest.raises(InvalidSetting, match="fps is not given"):
        Retargeter(stroll.figure, pw.figure("norman"))


def test_frames_of_another_figure_are_refused(stroll):
    live = Retargeter(stroll, pw.figure("norman"))
    with pytest.raises(InvalidMotion, match=r"it must be \(40,\) finite numbers"):
        live.frame(np.zeros(3))


def test_a_stream_of_rows_says_what_a_stream_of_labels_says(stroll):
    """Targets of all terms at once, as streams of retargeting give them, beside targets by label."""
    figure = pw.figure("norman")
    live = Retargeter(stroll, figure, floor=0.0)
    labelled = Retargeter(stroll, figure, floor=0.0)._stream
    rows = {goal.label: live._stream.rows(goal.label) for goal in labelled.problem.frame_problem.goals}
    terms = {goal.label: goal.terms(labelled.problem.figure) for goal in labelled.problem.frame_problem.goals}
    columns = {"point": slice(0, 3), "x": slice(3, 6), "y": slice(6, 9)}
    given = live._stream.solve
    answers = []

    def spy(reference, targets, activation):
        places = {
            label: np.concatenate(
                [targets[k, columns[part]] for k, term in zip(own, terms[label], strict=True) for part in term.takes]
            )
            for label, own in rows.items()
        }
        shares = {label: float(activation[own[0]]) for label, own in rows.items()}
        answers.append(labelled.solve(reference, places, shares).q)
        return given(reference, targets, activation)

    live._stream.solve = spy
    poses = [pose for q in stroll.q[:40] if (pose := live.frame(q)) is not None]
    assert len(poses) == len(answers) == 40 - live.delay
    for pose, q in zip(poses, answers, strict=True):
        assert pose.q == pytest.approx(q, abs=1e-9)


def test_a_window_gives_every_frame_as_it_was_given_however_long_it_has_gone_on(stroll):
    """Longer than its room: the frames that are known are moved to the front."""
    setup = RetargetSetup.between(stroll, pw.figure("norman"), None, floor=0.0, scale=None)
    ahead, n = 5, 700
    window, ends = _Window(setup, ahead), len(setup.ends)
    turns, soles = np.tile(np.eye(3), (1, 2, 1, 1)), np.tile([[0.1, 0.3, 0.0]], (1, 2, 1))
    hips, scaling = soles + np.array([0.0, 0.7, 0.0]), Scaling(1.0, Floor(0.0))
    for k in range(n):
        number = np.full((1, ends, 3), float(k))
        feet = SourceFeet(np.full((1, 4, 3), 0.3), soles, turns, hips[:, 0])
        points = KeyPoints(soles, turns, np.zeros((1, 2, 3)), hips, number, np.array([0.5]))
        window.push(np.full((1, setup.figure.n_dofs), float(k)), feet, points, scaling, np.zeros(4))
        assert window.waiting == min(k, ahead) + 1
        if k >= ahead:
            planned = window.plan()
            assert (planned.q == k - ahead).all()
            assert (planned.ends == k - ahead).all()
    for k in range(n - ahead, n):
        window.push_again()
        assert (window.plan().q == k).all()
    assert window.waiting == 0


def test_a_stream_says_which_feet_rest_and_ends_after_few_frames():
    still = pw.Motion(pw.figure("human40"), np.tile(pw.figure("human40").rest, (40, 1)), 60.0)
    live = Retargeter(still, pw.figure("norman"), floor=0.0)
    assert len(streamed(live, still)) == 40
    assert live.resting == SOLE_ENDS
    raised = still.q + 0.5 * (np.arange(still.q.shape[1]) == 1)
    live = Retargeter(still, pw.figure("norman"), floor=0.0)
    assert len(streamed(live, still.with_q(raised))) == 40
    assert live.resting == ()
    for few in (1, 2, 5):
        assert len(streamed(Retargeter(still, pw.figure("norman"), floor=0.0), still[:few])) == few
