"""Edits: key frames and trajectories, in a pattern and in joint space; priorities, contacts, detail, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from posewright import edit
from posewright.errors import InvalidMotion, InvalidSetting, UnknownName
from posewright.figures.catalogue import human40
from posewright.figures.kinematics import centre_of_mass, site_frames
from posewright.goals import Aim, CentreOfMass, HalfSpace, Orientation, Position, Posture
from posewright.goals.timed import Timed
from posewright.models import Latent, MotionModel
from posewright.motions import Motion
from posewright.motions.splines import KochanekBartels

APEX = 14


def point(motion: Motion, frame: int, site: str) -> np.ndarray:
    return np.asarray(site_frames(motion.figure, motion.q[frame], [site]).points[0])


def raised(motion: Motion, site: str = "pelvis", by: tuple[float, float, float] = (0.0, 0.05, 0.0)) -> Timed:
    return Position(site, tuple(point(motion, APEX, site) + by)).at(APEX)


def largest_step(motion: Motion) -> float:
    points = site_frames(motion.figure, motion.q, motion.figure.joint_names).points
    return float(np.linalg.norm(np.diff(points, 2, axis=0), axis=2).max())


@pytest.mark.parametrize("inside", [True, False])
def test_a_key_frame_is_met_and_the_motion_stays_of_one_piece(jumps, model, inside):
    source = jumps[5]
    result = edit(source, [raised(source)], space=model if inside else None)
    assert result.reached
    assert (
        np.linalg.norm(point(result.motion, APEX, "pelvis") - point(source, APEX, "pelvis") - np.array([0, 0.05, 0]))
        < 1e-3
    )
    assert largest_step(result.motion) < 1.5 * largest_step(source)
    assert len(result.motion) == len(source)
    assert result.iterations > 0
    assert (result.latent is not None) == inside


def test_one_key_changes_the_whole_motion_in_a_pattern_and_its_surroundings_without(jumps, model):
    source = jumps[5]
    inside, outside = edit(source, [raised(source)], space=model), edit(source, [raised(source)])
    assert (np.abs(inside.motion.q - source.q).max(axis=1) > 1e-6).all()
    changed = np.flatnonzero(np.abs(outside.motion.q - source.q).max(axis=1) > 0.0)
    reach = 0.25 * len(source)
    assert changed.min() > APEX - reach - 1
    assert changed.max() < APEX + reach + 1


def test_a_goal_of_another_clip_is_met_within_the_pattern(jumps, model):
    source, other = jumps[0], jumps[7]
    frame = len(source) - 1
    phase = model.encode(source).phases[frame]
    wanted = point(other, round(phase * (len(other) - 1) / (model.n_frames - 1)), "pelvis")
    result = edit(source, [Position("pelvis", tuple(wanted), tolerance=2e-3).at(frame)], space=model)
    assert result.reached
    assert result.latent.distance < max(3.0, model.encode(source).distance, model.encode(other).distance) + 0.5


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("first", ["left_hand", "pelvis"])
def test_of_contradicting_keys_the_first_priority_is_met(jumps, model, inside, first):
    source = jumps[5]
    up = point(source, APEX, "pelvis") + np.array([0.0, 0.05, 0.0])
    down = point(source, APEX, "pelvis") - np.array([0.0, 0.05, 0.0])
    keys = [
        Position("pelvis", tuple(up), priority=1 if first == "pelvis" else 2, name="up").at(APEX),
        Position("pelvis", tuple(down), priority=2 if first == "pelvis" else 1, name="down").at(APEX),
    ]
    errors = edit(source, keys, space=model if inside else None).errors
    met, missed = ("up", "down") if first == "pelvis" else ("down", "up")
    assert errors[f"{met} at frame {APEX}"].reached
    assert not errors[f"{missed} at frame {APEX}"].reached
    assert errors[f"{missed} at frame {APEX}"].value == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("inside", [True, False])
def test_contradicting_keys_of_one_priority_share_the_miss(jumps, model, inside):
    source = jumps[5]
    here = point(source, APEX, "pelvis")
    keys = [
        Position("pelvis", tuple(here + np.array([0.0, up, 0.0])), name=name).at(APEX)
        for name, up in (("up", 0.05), ("down", -0.05))
    ]
    result = edit(source, keys, space=model if inside else None)
    assert not result.reached
    assert list(result.errors.values()) == pytest.approx([0.05, 0.05], abs=5e-3)


def test_several_key_frames_are_met_together(jumps, model):
    source = jumps[5]
    keys = [
        Position("pelvis", tuple(point(source, APEX, "pelvis") + np.array([0.0, 0.03, 0.0]))).at(APEX),
        Position("pelvis", tuple(point(source, -1, "pelvis") + np.array([0.0, 0.0, 0.05]))).at(-1),
    ]
    for pattern in (model, None):
        assert edit(source, keys, space=pattern, hold_contacts=False).reached


def test_near_keys_of_one_site_pass_into_each_other_without_a_pattern(jumps):
    source = jumps[5]
    keys = [
        Position("left_hand", tuple(point(source, frame, "left_hand") + np.array([0.0, up, 0.0]))).at(frame)
        for frame, up in ((APEX - 2, 0.05), (APEX + 2, -0.05))
    ]
    result = edit(source, keys)
    assert result.reached


@pytest.mark.parametrize("inside", [True, False])
def test_a_trajectory_is_followed_and_nothing_changes_outside_it(jumps, model, inside):
    source = jumps[5]
    frames = np.array([8, 12, 16])
    points = np.array([point(source, k, "pelvis") for k in range(8, 17)])
    path = KochanekBartels(np.arange(8, 17), points + np.linspace(0, 1, 9)[:, None] * (0.0, 0.02, 0.01))
    key = Position("pelvis", (0.0, 0.0, 0.0), tolerance=1e-3).along(path, start=8, end=16, ease=4)
    result = edit(source, [key], space=model if inside else None)
    assert result.reached
    for frame in frames:
        np.testing.assert_allclose(point(result.motion, frame, "pelvis"), path.at(frame), atol=1e-3)
    assert np.abs(result.motion.q[:5] - source.q[:5]).max() < 1e-12
    assert np.abs(result.motion.q[20:] - source.q[20:]).max() < 1e-12
    assert not result.warnings


@pytest.mark.parametrize("inside", [True, False])
def test_errors_are_in_the_order_of_the_keys(jumps, model, inside):
    source = jumps[5]
    along = Position("left_hand", tuple(point(source, 10, "left_hand"))).during(10, 11, ease=3)
    for hold in (False, True):
        result = edit(source, [along, raised(source)], space=model if inside else None, hold_contacts=hold)
        assert [label.split()[0] for label in result.errors] == ["left_hand", "pelvis"]


def test_goals_of_all_kinds_fade_in(jumps):
    source = jumps[5]
    keys = [
        Aim("view", (0.5, 1.0, 3.0)).during(10, 14, ease=5),
        Orientation("left_hand", x=(0.0, 1.0, 0.0), y=(1.0, 0.0, 0.0)).during(10, 14, ease=5),
        HalfSpace("right_hand", (0.0, 1.2, 0.0), (0.0, 1.0, 0.0)).during(10, 14, ease=5),
        Position("right_elbow_tip", "left_elbow_tip", tolerance=0.3).during(12, 13, ease=3),
    ]
    assert edit(source, keys[:3]).reached
    result = edit(source, [keys[0], keys[2]])
    assert largest_step(result.motion) < 1.5 * largest_step(source)
    assert edit(source, keys[3:]).motion.q.shape == source.q.shape


def test_a_trajectory_without_ease_is_warned_of(jumps):
    source = jumps[5]
    goal = Position("left_hand", tuple(point(source, 10, "left_hand")))
    assert any("abruptly" in warning for warning in edit(source, [goal.during(10, 12, ease=0)]).warnings)
    assert not edit(source, [goal.during(10, 12)]).remarks


@pytest.mark.parametrize("inside", [True, False])
def test_contacts_of_the_source_are_held_before_all_keys(jumps, model, inside):
    source = jumps[5]
    last = len(source) - 3
    keys = [Position("pelvis", tuple(point(source, last, "pelvis") + np.array([0.0, -0.04, 0.03]))).at(last)]
    pattern = model if inside else None
    held = edit(source, keys, space=pattern, hold_contacts=True)
    touching = source.contacts()
    drift = []
    for result in (held, edit(source, keys, space=pattern, hold_contacts=False)):
        moved = (
            site_frames(source.figure, result.motion.q, touching.sites).points
            - site_frames(source.figure, source.q, touching.sites).points
        )
        drift.append(float(np.linalg.norm(moved, axis=2)[touching.touching].max()))
    assert drift[0] < 1e-3
    assert drift[1] > 5e-3
    assert held.reached
    if inside:
        np.testing.assert_allclose(model.decode(held.latent).q, held.motion.q, atol=1e-9)


def test_far_edits_are_flagged_in_standard_deviations(jumps, model):
    source = jumps[5]
    result = edit(source, [raised(source, by=(0.0, 0.8, 0.0))], space=model)
    assert any("outside the model" in warning and "standard deviations" in warning for warning in result.warnings)
    assert not edit(source, [raised(source, by=(0.0, 0.01, 0.0))], space=model).warnings


def test_a_pattern_may_be_kept_from_leaving_itself(jumps, model):
    source = jumps[5]
    far = [raised(source, by=(0.0, 0.4, 0.0))]
    free, bound = edit(source, far, space=model), edit(source, far, space=model, max_deviation=2.0)
    most = max(2.0, np.abs(model.encode(source).x).max())
    assert np.abs(free.latent.x).max() > most
    assert np.abs(bound.latent.x).max() <= most + 1e-9
    assert not bound.reached
    near = raised(source, by=(0.0, 0.15, 0.0))
    assert not edit(source, [near], space=model, max_deviation=0.5).reached
    assert edit(source, [near], space=model, max_deviation=0.5, hold_contacts=True).reached, (
        "joints do what is left undone"
    )
    with pytest.raises(InvalidSetting, match="max_deviation must be a positive number"):
        edit(source, far, space=model, max_deviation=0.0)


def test_what_the_pattern_cannot_move_is_reported_and_not_divided_by(jumps):
    figure = human40()
    q = np.repeat(jumps[0].q[:1], 6, axis=0)
    elbow = figure.dof_index("left_elbow.flexion")
    clips = []
    for k in range(4):
        one = q.copy()
        one[:, elbow] = 0.3 + 0.1 * k * np.linspace(0.0, 1.0, 6)
        clips.append(Motion(figure, one, 20.0))
    stiff = MotionModel.fit(clips)
    result = edit(clips[0], [Position("right_hand", (0.0, 1.0, 1.0)).at(3)], space=stiff)
    assert not result.reached
    assert any("uncontrollable" in warning for warning in result.warnings)
    np.testing.assert_allclose(result.motion.q, clips[0].q, atol=1e-9)


def test_detail_is_kept_or_left_out(jumps, model):
    wobble = np.array(jumps[5].q)
    wobble[:, -1] += 0.05 * np.sin(np.arange(len(wobble)))
    source = jumps[5].with_q(wobble)
    with_detail = edit(source, [raised(source)], space=model)
    without = edit(source, [raised(source)], space=model, keep_detail=False)
    assert with_detail.reached
    assert without.reached
    assert without.latent.detail is None
    gap = np.abs(with_detail.motion.q[:, -1] - without.motion.q[:, -1]).max()
    assert gap > 0.02


def test_limits_hold_at_key_frames_where_asked(jumps, model):
    source = jumps[5]
    figure = source.figure
    key = raised(source, by=(0.0, 0.5, 0.0))
    held = edit(source, [key], space=model, limits=True).motion.q[APEX]
    assert (held >= figure.lower - 1e-6).all()
    assert (held <= figure.upper + 1e-6).all()


def test_an_edit_is_saved_as_motion_or_as_coordinates(jumps, model, tmp_path):
    source = jumps[5]
    result = edit(source, [raised(source)], space=model)
    result.save(tmp_path / "edit.npz")
    result.save(tmp_path / "latent.npz", latent=True)
    again = model.decode(Latent.load(tmp_path / "latent.npz", model))
    np.testing.assert_allclose(again.q, result.motion.q, atol=1e-10)
    with pytest.raises(InvalidSetting, match="without a model"):
        edit(source, [raised(source)]).save(tmp_path / "latent.npz", latent=True)


def test_keys_by_joint_name_and_by_point_of_the_body_are_both_accepted(jumps, model):
    source = jumps[5]
    for site in ("left_wrist", "left_hand"):
        wanted = point(source, APEX, site) + np.array([0.0, 0.02, 0.0])
        result = edit(source, [Position(site, tuple(wanted)).at(APEX)])
        assert result.reached


def test_no_keys_give_the_motion_back(jumps, model):
    for pattern in (model, None):
        result = edit(jumps[5], [], space=pattern)
        np.testing.assert_allclose(result.motion.q, jumps[5].q, atol=1e-9)
        assert result.reached
    off = Position("pelvis", (0.0, 3.0, 0.0), enabled=False).at(APEX)
    np.testing.assert_array_equal(edit(jumps[5], [off]).motion.q, jumps[5].q)


@pytest.mark.parametrize("inside", [True, False])
def test_bad_keys_are_one_sentence(jumps, model, inside):
    source, pattern = jumps[5], model if inside else None
    with pytest.raises(InvalidSetting, match="outside the motion, whose frames are 0 to"):
        edit(source, [Position("pelvis", (0.0, 1.0, 0.0)).at(500)], space=pattern)
    with pytest.raises(InvalidSetting, match="ends before it begins"):
        edit(source, [Position("pelvis", (0.0, 1.0, 0.0)).during(8, 4)], space=pattern)
    with pytest.raises(InvalidSetting, match="use goals about sites"):
        edit(source, [Posture().at(3)], space=pattern)
    with pytest.raises(UnknownName, match="left_hand"):
        edit(source, [Position("left_hnd", (0.0, 1.0, 0.0)).at(3)], space=pattern)
    with pytest.raises(InvalidMotion, match="no frames"):
        edit(source[:0], [Position("pelvis", (0.0, 1.0, 0.0)).at(0)], space=pattern)


def test_frames_are_whole_numbers_and_settings_of_patterns_need_one(jumps):
    source = jumps[5]
    goal = raised(source).goal
    with pytest.raises(InvalidSetting, match=r"whole number, not 14\.5"):
        edit(source, [goal.at(14.5)])
    assert edit(source, [goal.at(np.int64(APEX))]).reached
    assert not edit(source, [goal.at(APEX)], limits=True).warnings
    said = edit(source, [goal.at(APEX)], max_deviation=2.0, keep_detail=False, events="flight").warnings
    assert [sentence.split()[0] for sentence in said] == ["max_deviation", "keep_detail", "events"]


def test_more_bad_keys(jumps):
    path = KochanekBartels([0, 1], [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
    with pytest.raises(InvalidSetting, match="no point that could follow a path"):
        Orientation("view", x=(1.0, 0.0, 0.0)).along(path, start=0, end=4)
    with pytest.raises(InvalidSetting, match="ease_in"):
        Position("view", (1.0, 0.0, 0.0)).during(0, 4, ease=(-1.0, 0))
    replay = MotionModel.fit(jumps[:1])
    with pytest.raises(InvalidSetting, match="no modes"):
        edit(jumps[0], [Position("pelvis", (0.0, 1.0, 0.0)).at(3)], space=replay)


@pytest.mark.parametrize("inside", [True, False])
def test_the_centre_of_mass_is_moved_at_a_key_frame_and_along_a_trajectory(jumps, model, inside):
    source, pattern = jumps[5], model if inside else None
    track, ahead = np.array(centre_of_mass(source.figure, source.q)), np.array([0.0, 0.0, 0.04])
    keys = [
        CentreOfMass(tuple(track[APEX] + (0.0, 0.04, 0.0)), vertical=False, tolerance=1e-3).at(APEX),
        Position("pelvis", tuple(point(source, -1, "pelvis") + ahead), tolerance=2e-3).at(-1),
    ]
    result = edit(source, keys, space=pattern)
    assert result.reached
    np.testing.assert_allclose(
        centre_of_mass(source.figure, result.motion.q)[APEX], track[APEX] + (0.0, 0.04, 0.0), atol=1e-3
    )
    frames = np.arange(8, 17)
    path = KochanekBartels(frames, track[frames] + np.linspace(0, 1, 9)[:, None] * (0.0, 0.02, 0.01))
    goal = CentreOfMass((0.0, 0.0, 0.0), vertical=False, tolerance=1e-3)
    along = edit(source, [goal.along(path, start=8, end=16, ease=4)], space=pattern)
    assert along.reached
    np.testing.assert_allclose(centre_of_mass(source.figure, along.motion.q)[frames], path.at(frames), atol=1e-3)


@pytest.mark.parametrize("inside", [True, False])
def test_the_centre_of_mass_is_moved_at_several_key_frames_beside_other_keys(jumps, model, inside):
    source = jumps[5].moved((1.0, 0.0, -2.0), 0.8)
    pattern = model if inside else None
    track = np.array(centre_of_mass(source.figure, source.q))
    wanted = {APEX: track[APEX] + (0.0, 0.04, 0.0), -1: track[-1] + (0.02, 0.0, 0.03)}
    keys = [
        CentreOfMass(tuple(wanted[APEX]), vertical=False, tolerance=1e-3).at(APEX),
        Position("head", tuple(point(source, 35, "head")), tolerance=2e-3).at(35),
        CentreOfMass(tuple(wanted[-1]), tolerance=1e-3).at(-1),
    ]
    result = edit(source, keys, space=pattern)
    assert result.reached
    assert list(result.errors) == [key.label for key in keys]
    now = centre_of_mass(source.figure, result.motion.q)
    np.testing.assert_allclose(now[APEX], wanted[APEX], atol=1e-3)
    np.testing.assert_allclose(now[-1, [0, 2]], wanted[-1][[0, 2]], atol=1e-3)
    over = [CentreOfMass("pelvis", tolerance=0.02).at(frame) for frame in (3, -1)]
    assert edit(source, over, space=pattern).reached
    far = [CentreOfMass((9.0, 9.0, 9.0), vertical=False).at(frame) for frame in (3, -1)]
    missed = edit(source, far, space=pattern, hold_contacts=False)
    assert missed.reached is not inside, "the pattern cannot fly; slides of the root can"
    assert not any("uncontrollable" in warning for warning in missed.warnings)


def test_an_elbow_that_an_edit_makes_pop_is_warned_of(jumps):
    """Measuring it takes time, so the warnings that need none can be had alone."""
    result = edit(jumps[5], [Position("left_hand", tuple(point(jumps[5], 10, "left_hand"))).during(10, 12)])
    assert result.harm == tuple(result.warnings[len(result.remarks) :])
    assert [said for said in result.harm if said.startswith("the edit makes the motion worse: pop ")]
