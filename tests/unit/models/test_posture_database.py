"""Posture databases: what is added, what is not, other figures, bad input."""

from dataclasses import replace

import numpy as np
import pytest

from posewright.clips import jump, kick, sit, walk
from posewright.errors import InvalidFigure, InvalidMotion, InvalidSetting
from posewright.figures.catalogue import abnorman1, arm4, chain, human, human40, norman
from posewright.models import Postures
from posewright.models.postures.builder import PostureBuilder
from posewright.models.postures.distance import PostureMetric
from posewright.motions import Motion
from random_figures import random_figure, smooth_q


@pytest.fixture(scope="module")
def clips() -> list[Motion]:
    figure = human40()
    makers = (walk, kick, sit, jump)
    return [replace(make(figure, seed=k, fps=15.0), name=make.__name__) for k, make in enumerate(makers)]


@pytest.fixture(scope="module")
def database(clips) -> Postures:
    return Postures.build(clips, threshold=0.05)


def greedy(figure, q, threshold) -> list[int]:
    """The definition, pair by pair."""
    D = PostureMetric(figure).distances(q, q)
    chosen: list[int] = []
    for f in range(len(q)):
        if all(D[f, m] > threshold for m in chosen):
            chosen.append(f)
    return chosen


@pytest.mark.parametrize("seed", range(3))
def test_what_is_in_it_is_what_the_definition_says(seed):
    figure = random_figure(seed, 9)
    q = np.vstack([smooth_q(figure, seed, 150), smooth_q(figure, seed, 150)[::-1], smooth_q(figure, seed + 9, 60)])
    built = Postures.build([Motion(figure, q, 30.0)], threshold=0.2)
    assert built.frame.tolist() == greedy(figure, q, 0.2)


def test_postures_know_where_they_come_from(database, clips):
    assert database.clips == ("walk", "kick", "sit", "jump")
    assert database.n_read == sum(map(len, clips))
    for k in (0, len(database) // 2, len(database) - 1):
        pose = clips[database.clip[k]].q[database.frame[k]]
        assert PostureMetric(database.figure).distances(pose[None], database.q[k][None])[0, 0] < 1e-7
    assert not database.q.flags.writeable
    assert database.pose(3).figure is database.figure


def test_it_is_the_same_every_time_and_however_it_is_fed(clips, database):
    again = Postures.build(iter(clips), threshold=0.05)
    step_by_step = Postures.build(clips[:1], threshold=0.05).extended(clips[1:3]).extended(clips[3:])
    for other in (again, step_by_step):
        np.testing.assert_array_equal(other.q, database.q)
        np.testing.assert_array_equal(other.clip, database.clip)
        np.testing.assert_array_equal(other.frame, database.frame)
        assert other.sources == database.sources


def test_members_fed_again_and_copies_under_another_name_add_nothing(database, clips):
    members = Motion(database.figure, database.q, 30.0, name="members")
    assert len(database.extended([members])) == len(database)
    copies = [replace(clip, name=f"copy of {clip.name}") for clip in clips]
    again = database.extended(copies)
    assert len(again) == len(database)
    assert again.clips == database.clips


def test_a_higher_threshold_leaves_fewer(clips):
    sizes = [len(Postures.build(clips, threshold=t)) for t in (0.02, 0.05, 0.1, 0.2)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_no_motions_make_an_empty_database_of_a_figure():
    empty = Postures.build([], figure=human40())
    assert len(empty) == 0
    assert empty.on(human40()).nearest([], 3)[0].shape == (0,)
    with pytest.raises(InvalidMotion, match="there are none"):
        Postures.build([])
    nothing = Motion(human40(), np.zeros((0, human40().n_dofs)), 30.0)
    assert len(Postures.build([nothing])) == 0


def test_clips_of_a_figure_with_other_lengths_are_carried_by_names(clips, database):
    tall = norman().with_lengths({"left_hip": 1.2, "right_hip": 1.2})
    carried = database.extended([walk(tall, seed=7, fps=15.0)])
    assert carried.figure is database.figure
    assert carried.q.shape[1] == database.figure.n_dofs


def test_a_figure_without_the_joints_is_refused_in_one_sentence(database):
    rope = Motion(chain(3, length=1.0), np.zeros((2, 9)), 30.0, name="rope")
    with pytest.raises(InvalidFigure, match=r"'chain.*share no rotating joint"):
        database.extended([rope])
    arms_only = human40().locked("left_hip", "right_hip")
    arms = Motion(arms_only, np.tile(arms_only.rest, (2, 1)), 30.0, name="arms")
    with pytest.raises(InvalidMotion, match=r"clip 'arms' .* no rotation for left_hip, left_knee, .*retarget"):
        database.extended([arms])


def test_a_refused_or_interrupted_clip_leaves_nothing(database, monkeypatch):
    builder = PostureBuilder.of(database)
    before = builder.n
    monkeypatch.setattr("posewright.models.postures.builder.CHUNK", 10)
    real, calls = builder._admit, []

    def breaks(q, first):
        calls.append(first)
        if first >= 20:
            raise KeyboardInterrupt
        real(q, first)

    monkeypatch.setattr(builder, "_admit", breaks)
    with pytest.raises(KeyboardInterrupt):
        builder.add(sit(human40(), seed=9, fps=60.0))
    assert len(calls) == 3
    assert builder.n == before
    assert builder.database().sources == database.sources
    np.testing.assert_array_equal(builder.database().q, database.q)
    monkeypatch.undo()
    builder.add(sit(human40(), seed=9, fps=60.0))  # and it can go on
    assert len(builder.sources) == len(database.sources) + 1


@pytest.mark.parametrize("threshold", [0.0, -1.0, 4.0, np.nan])
def test_a_threshold_that_is_no_mean_angle_is_refused(threshold):
    with pytest.raises(InvalidSetting, match=r"threshold must be above 0 and below pi.*, got"):
        Postures.build([], figure=human40(), threshold=threshold)


def test_the_same_figure_wears_the_postures_as_they_are(database):
    on = database.on(human40())
    assert on.q is database.q
    assert on.unshared == ()


def test_another_figure_wears_the_same_rotations_within_its_limits(database):
    small = abnorman1()
    on = database.on(small)
    assert on.unshared == ()
    free = (on.q > small.lower + 1e-9) & (on.q < small.upper - 1e-9)
    np.testing.assert_allclose(on.q[:, 3:][free[:, 3:]], database.q[:, 3:][free[:, 3:]], atol=1e-12)
    assert (on.q >= small.lower - 1e-12).all()
    assert (on.q <= small.upper + 1e-12).all()


def test_joints_that_one_of_the_figures_lacks_are_named_and_keep_their_rest(database):
    on = database.on(human())
    assert {"L5", "neck", "waist", "back"} <= set(on.unshared)
    where = on.figure.dof_slice("L5")
    np.testing.assert_array_equal(on.q[:, where], np.tile(on.figure.rest[where], (len(on), 1)))
    knee, same = on.figure.dof_slice("left_knee"), database.figure.dof_slice("left_knee")
    np.testing.assert_allclose(on.q[:, knee], database.q[:, same], atol=1e-9)
    with pytest.raises(InvalidFigure, match="share no rotating joint"):
        database.on(arm4())


def test_balls_wear_what_hinges_do(database):
    from posewright.figures.kinematics import joint_frames

    balls = human40().with_balls(drop_limits=True)
    ours, theirs = database.on(balls), database.on(human40())
    np.testing.assert_allclose(
        joint_frames(balls, ours.q).positions, joint_frames(human40(), theirs.q).positions, atol=1e-8
    )


def test_it_says_what_it_is(database):
    assert repr(database) == (
        f"Postures({len(database)} postures of 'human40', more than 0.05 rad apart, out of {database.n_read} "
        "frames in 4 clips)"
    )


def test_a_large_one_is_what_the_definition_says_however_it_grew():
    """So large that members are found by pivots."""
    figure = random_figure(4, 5)
    q = np.vstack([smooth_q(figure, seed, 260) for seed in range(3)])
    motions = [Motion(figure, part, 30.0) for part in np.split(q, 3)]
    whole = Postures.build(motions, threshold=0.03)
    assert len(whole) > 400
    np.testing.assert_allclose(whole.q, Postures.build([Motion(figure, q, 30.0)], threshold=0.03).q)
    grown = Postures.build(motions[:2], threshold=0.03).extended(motions[2:])
    np.testing.assert_array_equal(grown.q, whole.q)
    assert (260 * whole.clip + whole.frame).tolist() == greedy(figure, q, 0.03)


@pytest.mark.parametrize("wrong", [[human40()], [None], ["library"]])
def test_what_is_no_motion_is_refused(wrong):
    with pytest.raises(InvalidMotion, match="needs motions, not"):
        Postures.build(wrong)
