"""Keys on a motion without a model: as few joints as it takes, feet on their paths, smooth, nothing else touched."""

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.clips import throw, walk
from posewright.errors import InvalidSetting
from posewright.figures.catalogue import abnorman1, human40
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.motions.quality.edited import jerk_ratio
from posewright.motions.quality.measures import jerks, root_mean_square
from posewright.problem.displacements import least_jerk


@pytest.fixture(scope="module", params=[human40, abnorman1])
def clip(request):
    return walk(request.param(), steps=4, fps=60.0)


def lifted(motion: pw.Motion, frame: int, site: str, by: tuple[float, float, float]) -> pw.Position:
    return pw.Position(site, tuple(motion.point(site, frame) + np.array(by)))


def feet_apart(motion: pw.Motion, source: pw.Motion) -> np.ndarray:
    """(frames, feet): how far contact points are from where the source has them, m."""
    sites = source.figure.anatomy.contact_sites
    return np.linalg.norm(
        site_frames(motion.figure, motion.q, sites).points - site_frames(source.figure, source.q, sites).points, axis=-1
    )


@pytest.mark.parametrize("up", [0.05, 0.1, 0.2])
def test_a_hand_is_raised_by_its_arm_and_the_body_is_not_lifted(clip, up):
    frame = len(clip) // 2
    result = pw.edit(clip, lifted(clip, frame, "right_hand", (0.0, up, 0.0)).at(frame))
    assert result.reached
    arm = clip.figure.anatomy.limb_of("right_hand")
    others = ~np.isin(clip.figure.tables.dofs["joint"], sorted(arm))
    np.testing.assert_array_equal(result.motion.q[:, others], clip.q[:, others])


def test_outside_the_window_the_motion_is_the_source_to_the_bit(clip):
    frame = len(clip) // 2
    goal = lifted(clip, frame, "right_hand", (0.0, 0.1, 0.0))
    for ease in (None, 10, (5, 20)):
        made = pw.edit(clip, goal.at(frame, ease=ease)).motion
        before, after = (30, 30) if ease is None else (ease if isinstance(ease, tuple) else (ease, ease))
        np.testing.assert_array_equal(made.q[: frame - before + 1], clip.q[: frame - before + 1])
        np.testing.assert_array_equal(made.q[frame + after :], clip.q[frame + after :])


@pytest.mark.parametrize("by", [(0.0, -0.08, 0.0), (0.03, -0.05, 0.02)])
def test_hips_go_down_and_the_feet_keep_their_paths(clip, by):
    frame = len(clip) // 2
    result = pw.edit(clip, lifted(clip, frame, "pelvis", by).at(frame))
    assert result.reached
    assert feet_apart(result.motion, clip).max() < 1e-4
    assert jerk_ratio(result.motion, clip) < 1.3, "though the legs of this walk are straight: knees pop"
    assert not result.warnings


@pytest.mark.parametrize("up", [0.15, 0.4])
def test_hips_that_the_legs_do_not_reach_are_missed_and_feet_that_leave_their_place_are_named(clip, up):
    frame = len(clip) // 2
    result = pw.edit(clip, lifted(clip, frame, "pelvis", (0.0, up, 0.0)).at(frame))
    assert not result.reached
    apart = feet_apart(result.motion, clip)[clip.contacts().touching].max()
    assert apart < 0.02
    assert (apart > 1e-3 * clip.figure.height) == any("does not reach" in warning for warning in result.warnings)


def test_a_foot_moved_in_the_air_is_back_before_it_lands(clip):
    contacts = clip.contacts()
    left = [k for k, site in enumerate(contacts.sites) if site.startswith("left")]
    rest = contacts.touching[:, left].any(axis=1)
    swings = np.flatnonzero(~rest[20:-20]) + 20
    run = max(np.split(swings, np.flatnonzero(np.diff(swings) > 1) + 1), key=len)
    frame = int(run[len(run) // 2])
    result = pw.edit(clip, lifted(clip, frame, "left_toes", (0.05, 0.03, 0.0)).at(frame))
    assert result.reached
    assert feet_apart(result.motion, clip)[contacts.touching].max() < 1e-3


def test_a_foot_moved_on_the_ground_stands_there_for_the_whole_contact(clip):
    contacts = clip.contacts()
    left = [k for k, site in enumerate(contacts.sites) if site.startswith("left")]
    rest = contacts.touching[:, left].any(axis=1)
    inner = np.flatnonzero(rest)
    run = max(np.split(inner, np.flatnonzero(np.diff(inner) > 1) + 1), key=len)
    frame = int(run[len(run) // 2])
    aside = np.array([0.05, 0.0, 0.0])
    result = pw.edit(clip, lifted(clip, frame, "left_heel", tuple(aside)).at(frame))
    heel = [site_frames(m.figure, m.q[run], ["left_heel"]).points[:, 0] for m in (result.motion, clip)]
    np.testing.assert_allclose(heel[0] - heel[1], np.tile(aside, (len(run), 1)), atol=2e-3)
    right = [k for k in range(len(contacts.sites)) if k not in left]
    assert feet_apart(result.motion, clip)[:, right].max() < 1e-4


def test_an_edit_is_as_smooth_as_the_smoothest_displacement(clip):
    frame, half, up = len(clip) // 2, 30, 0.1
    made = pw.edit(clip, lifted(clip, frame, "right_hand", (0.0, up, 0.0)).at(frame)).motion
    stretch = slice(frame - half - 3, frame + half + 4)
    share = np.diff(least_jerk(2 * half + 1, [(half, half, half)])[:, 0], n=3)
    needed = up * float(np.sqrt(np.mean(share**2))) * clip.fps**3
    before, after = (root_mean_square(jerks(joint_positions(m.figure, m.q[stretch]), m.fps)) for m in (clip, made))
    assert after <= 1.3 * max(before, needed)


def test_joints_that_a_key_names_are_the_only_ones_to_change(clip):
    frame = len(clip) // 2
    goal = pw.Position("right_hand", tuple(clip.point("right_hand", frame) + 0.05), joints=("right_elbow",))
    made = pw.edit(clip, goal.at(frame)).motion
    others = ~np.isin(clip.figure.tables.dofs["joint"], [clip.figure.joint_index("right_elbow")])
    np.testing.assert_array_equal(made.q[:, others], clip.q[:, others])


def test_far_keys_use_the_spine_and_then_the_legs():
    clip = throw(human40(), fps=60.0)
    frame = len(clip) // 3
    here = clip.point("right_hand", frame)
    ground = pw.Position("right_hand", (float(here[0]), 0.25, float(here[2]) + 0.2), tolerance=5e-3)
    result = pw.edit(clip, ground.at(frame))
    assert result.reached
    assert feet_apart(result.motion, clip)[clip.contacts().touching].max() < 2e-3


def test_an_edit_in_a_model_keeps_limits_in_all_frames_or_says_so(jumps, model):
    source = jumps[5]
    figure = source.figure
    high = pw.Position("pelvis", tuple(source.point("pelvis", 25) + np.array([0.0, 0.1, 0.0])))
    result = pw.edit(source, high.at(25), space=model)
    lower, upper = np.minimum(figure.lower, source.q.min(axis=0)), np.maximum(figure.upper, source.q.max(axis=0))
    assert (result.motion.q >= lower - 1e-9).all()
    assert (result.motion.q <= upper + 1e-9).all()
    alone = pw.edit(source, high.at(25), space=model, keep_detail=False)
    broken = ((alone.motion.q < lower - 1e-9) | (alone.motion.q > upper + 1e-9)).any()
    assert broken == any("breaks limits" in warning for warning in alone.warnings)


def test_a_result_has_measures_beside_the_sources(clip):
    frame = len(clip) // 2
    result = pw.edit(clip, lifted(clip, frame, "right_hand", (0.0, 0.1, 0.0)).at(frame))
    names = {measure.name for measure in result.quality.measures}
    assert "jerk" in names


SPANS = {
    "moved": lambda goal, path: goal.along(path[50:91] + np.array([0.0, 0.08, 0.05]), start=50, end=90),
    "from the first frame": lambda goal, path: goal.along(path[:40] + np.array([0.0, 0.08, 0.0]), start=0, end=39),
    "in all frames": lambda goal, path: goal.along(path + np.array([0.0, 0.05, 0.0])),
}


@pytest.mark.parametrize("span", SPANS)
@pytest.mark.parametrize("site", ["right_hand", "pelvis"])
def test_a_goal_over_several_frames_is_met_smoothly_and_fades_by_itself(clip, span, site):
    path = site_frames(clip.figure, clip.q, [site]).points[:, 0]
    if site == "pelvis":
        path = path - np.array([0.0, 0.12, 0.0])  # what legs reach
    goal = SPANS[span](pw.Position(site, tuple(path[70])), path)
    result = pw.edit(clip, goal)
    assert result.reached
    assert jerk_ratio(result.motion, clip) <= 1.3
    assert feet_apart(result.motion, clip)[clip.contacts().touching].max() < 2e-3
    first, last = goal.range(len(clip))
    changed = np.flatnonzero((result.motion.q != clip.q).any(axis=1))
    assert changed[0] < first or first == 0
    assert changed[-1] > last or last == len(clip) - 1
    steps = np.abs(np.diff(result.motion.q - clip.q, axis=0))
    assert steps.max() < 0.1, "nothing jumps"


@pytest.mark.parametrize("n", [4, 8])
def test_a_moving_hand_is_held_still_over_frames(clip, n):
    """To stop at once it must jerk more than a walk does: that is said, and nothing jumps."""
    frame = len(clip) // 2
    place = clip.point("right_hand", frame)
    result = pw.edit(clip, pw.Position("right_hand", tuple(place)).during(frame - n, frame + n))
    assert result.reached
    held = site_frames(clip.figure, result.motion.q[frame - n : frame + n + 1], ["right_hand"]).points[:, 0]
    assert np.linalg.norm(held - place, axis=1).max() < 1e-4
    assert feet_apart(result.motion, clip).max() < 1e-4
    assert np.abs(np.diff(result.motion.q - clip.q, axis=0)).max() < 0.1
    ratio = jerk_ratio(result.motion, clip)
    assert ratio < 2.0
    assert any("jerky" in warning for warning in result.warnings) == (ratio > 1.3)


@pytest.mark.parametrize("first", [20, 30])
@pytest.mark.parametrize("up", [0.0, 0.05])
def test_a_path_is_followed_as_smoothly_as_it_is_itself(clip, first, up):
    """Its knots are places of the clip but for one; between them it departs from the clip by centimetres."""
    frames = first + np.array([0, 10, 20, 30])
    own = site_frames(clip.figure, clip.q, ["right_hand"]).points[:, 0]
    knots = own[frames] + np.outer([0.0, 1.0, 0.0, 0.0], (0.0, up, 0.0))
    path = pw.motions.KochanekBartels(frames.astype(float), knots)
    result = pw.edit(clip, [pw.Position("right_hand", (0, 0, 0)).along(path, start=first, end=first + 30)])
    wanted, span = path.at(np.arange(first, first + 31.0)), slice(first, first + 31)
    made = site_frames(clip.figure, result.motion.q, ["right_hand"]).points[:, 0]
    assert np.linalg.norm(wanted - own[span], axis=1).max() > 0.015
    assert np.linalg.norm(wanted - made[span], axis=1).max() < 3e-3
    assert not result.remarks


def test_noise_of_a_recording_is_not_amplified(clip):
    rng = np.random.default_rng(3)
    noisy = clip.with_q(clip.q + 2e-3 * rng.standard_normal(clip.q.shape))
    frame = len(clip) // 2
    result = pw.edit(noisy, lifted(noisy, frame, "right_hand", (0.0, 0.25, 0.0)).at(frame))
    assert result.reached
    assert jerk_ratio(result.motion, noisy) <= 1.3


def test_check_measures_an_edit_where_it_changed(clip):
    frame = len(clip) // 2
    result = pw.edit(clip, lifted(clip, frame, "right_hand", (0.0, 0.1, 0.0)).at(frame))
    assert result.quality["jerk where changed"].value == pytest.approx(jerk_ratio(result.motion, clip))
    assert not result.harm
    shaken = result.motion.q.copy()
    arm = clip.figure.dof_slice(clip.figure.joint_index("right_shoulder"))
    shaken[frame - 2 : frame + 3, arm] += 0.1 * np.array([1.0, -1.0, 1.0, -1.0, 1.0])[:, None]
    verdicts = clip.with_q(shaken).quality(clip).check()
    assert any(verdict.measure.name == "jerk where changed" and verdict.passed is False for verdict in verdicts)
    assert "jerk where changed" not in clip.quality(clip)


def test_an_editor_edits_again_and_again_as_edit_does_once(clip):
    editor, frame = pw.workflows.MotionEditor(clip), len(clip) // 2
    for site, up in (("right_hand", 0.1), ("pelvis", -0.05), ("right_hand", 0.05)):
        goal = lifted(clip, frame, site, (0.0, up, 0.0)).at(frame)
        np.testing.assert_array_equal(editor.edit(goal).motion.q, pw.edit(clip, goal).motion.q)


def test_a_path_that_jerks_as_it_is_asked_to_is_no_harm_and_labels_have_the_frames_of_the_file(clip):
    filmed = replace(clip, first_frame=101)
    first, last = len(clip) // 2 - 16, len(clip) // 2 + 16
    path = np.array([clip.point("right_hand", frame) for frame in range(first, last + 1)])
    path[:, 1] += 0.02 * np.sin(0.9 * np.arange(len(path)))
    result = pw.edit(filmed, pw.Position("right_hand", tuple(path[0])).along(path, start=first, end=last))
    assert [*result.errors] == [f"right_hand from frame {101 + first} to {101 + last}"]
    assert jerk_ratio(result.motion, filmed) > 1.3, "the path is shaken"
    assert not [said for said in result.warnings if "jerk" in said]


def test_a_key_outside_the_motion_is_named_as_it_was_given(clip):
    with pytest.raises(InvalidSetting, match=r"^'right_hand at frame 9000' is outside the motion"):
        pw.edit(clip, pw.Position("right_hand", (0.0, 1.0, 0.0)).at(9000))
