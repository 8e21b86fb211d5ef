"""When a foot that a key moves leaves its path, and when it is back."""

import numpy as np
import pytest

import posewright as pw
from posewright.clips import jump, walk
from posewright.figures import Figure, Joint, Site
from posewright.figures.catalogue import human40
from posewright.figures.kinematics import site_frames
from posewright.motions.quality.edited import JERKY, Original, jerk_ratio
from posewright.rotations import matrix_from_vector
from posewright.workflows.editing.feet import Feet
from posewright.workflows.editing.legs import legs_of

USUAL = (15.0, 15.0)


def test_a_foot_that_stands_is_moved_from_its_last_contact_to_its_next():
    clip = walk(human40(), seed=3, fps=30.0)
    feet = Feet(Original(clip))
    left = feet.touching[:, [name.startswith("left") for name in clip.figure.anatomy.contact_sites]].any(axis=1)
    ups, downs = (np.flatnonzero(np.diff(left.astype(int)) == step) + 1 for step in (-1, 1))
    down = int(downs[downs > ups[0]][0])  # between two swings
    up, back = int(ups[ups > down][0]), int(downs[downs > ups[ups > down][0]][0])
    frame = (down + up) // 2
    key = pw.Position("left_sole", (0.0, 0.0, 0.0)).at(frame)
    before = int(ups[ups < down][-1])
    assert feet.window(key, USUAL) == (frame - (before - 1), back - frame)


def test_a_key_about_no_foot_has_the_usual_window():
    clip = walk(human40(), seed=3, fps=30.0)
    assert Feet(Original(clip)).window(pw.Position("left_hand", (0.0, 1.0, 0.0)).at(10), USUAL) == USUAL


def apart(made, source, sites):
    """(frames, sites), m"""
    there, here = (site_frames(motion.figure, motion.q, sites).points for motion in (made, source))
    return np.linalg.norm(there - here, axis=-1)


@pytest.mark.parametrize("at_the_end", [False, True])
def test_a_foot_in_a_swing_that_the_clip_cuts_off_is_moved_over_the_usual_time(at_the_end):
    clip = walk(human40(), seed=3, fps=60.0)
    sites = [name for name in clip.figure.anatomy.contact_sites if name.startswith("left")]
    left = (
        Feet(Original(clip)).touching[:, [clip.figure.anatomy.contact_sites.index(site) for site in sites]].any(axis=1)
    )
    swings = np.flatnonzero(np.diff(left.astype(int)) == -1)
    clip = clip[: swings[1] + 8] if at_the_end else clip[swings[0] + 4 :]
    frame = len(clip) - 5 if at_the_end else 3
    key = pw.Position("left_ankle", clip.point("left_ankle", frame) + np.array([0.06, 0.03, 0.0]))
    made = pw.edit(clip, key.at(frame))
    assert made.reached
    assert jerk_ratio(made.motion, clip) <= JERKY
    assert apart(made.motion, clip, ["left_ankle"])[-1 if at_the_end else 0] > 0.03


def test_a_foot_that_rests_less_firmly_for_a_moment_is_not_in_a_swing():
    clip = walk(human40(), seed=3, fps=100.0)
    feet = Feet(Original(clip))
    left = [name.startswith("left") for name in clip.figure.anatomy.contact_sites]
    rests = feet.touching[:, left].any(axis=1)
    frame = next(k for k in range(20, len(clip)) if rests[k - 10 : k + 15].all())
    key = pw.Position("left_sole", (0.0, 0.0, 0.0)).at(frame)
    usual = feet.window(key, USUAL)
    loose = feet.touching.copy()
    loose[np.ix_(range(frame + 4, frame + 9), np.flatnonzero(left))] = False
    feet.touching = feet._found = loose
    assert feet.window(key, USUAL) == usual


def test_feet_of_a_walk_on_the_spot_keep_their_paths_when_the_hips_move():
    walking = walk(human40(), seed=3, fps=60.0)
    q = walking.q.copy()
    ahead = int(np.argmax(np.ptp(q[:, :3], axis=0)))
    q[:, ahead] -= np.linspace(0.0, q[-1, ahead] - q[0, ahead], len(q))
    clip = pw.Motion(walking.figure, q, fps=60.0)
    sites = list(clip.figure.anatomy.contact_sites)
    frame = len(clip) // 2
    lower = pw.Position("pelvis", clip.point("pelvis", frame) - np.array([0.0, 0.04, 0.0]))
    made = pw.edit(clip, lower.at(frame)).motion
    assert apart(made, clip, sites).max() < 2e-3
    assert jerk_ratio(made, clip) <= JERKY


@pytest.mark.parametrize("kind", ["orientation", "aim"])
def test_a_foot_that_a_key_turns_stays_in_its_place(kind):
    clip = walk(human40(), seed=3, fps=60.0)
    frame = len(clip) // 2
    here = site_frames(clip.figure, clip.q[frame], ["left_ankle"])
    turn = matrix_from_vector(np.radians([10.0, 0.0, 0.0]))
    if kind == "orientation":
        goal = pw.Orientation("left_ankle", x=turn @ here.x_axes[0], y=turn @ here.y_axes[0])
    else:
        goal = pw.Aim("left_ankle", tuple(here.points[0] + 3.0 * turn @ here.y_axes[0]), axis=(0.0, 1.0, 0.0))
    made = pw.edit(clip, goal.at(frame))
    assert made.reached
    assert apart(made.motion, clip, ["left_ankle"])[frame] < 2e-3


def test_a_key_that_legs_cannot_follow_smoothly_is_met_and_the_jerk_is_said():
    clip = jump(human40())
    landing = round(clip.events["landing"] * clip.fps)
    frame = landing - 2
    pelvis = site_frames(clip.figure, clip.q[frame], ["pelvis"])
    turn = matrix_from_vector(np.radians([20.0, 0.0, 25.0]))
    key = pw.Orientation("pelvis", x=turn @ pelvis.x_axes[0], y=turn @ pelvis.y_axes[0])
    made = pw.edit(clip, key.at(frame))
    assert made.reached
    assert jerk_ratio(made.motion, clip) <= JERKY or any("jerky" in warning for warning in made.warnings)
    assert apart(made.motion, clip, clip.contacts().sites)[clip.contacts().touching].max() < 3e-3


def test_both_ends_of_a_long_foot_are_of_one_leg_with_one_hip():
    joints, sites = [Joint(name="pelvis")], []
    for side, x in (("left", 0.1), ("right", -0.1)):
        above, chain = "pelvis", {"hip_pitch": (x, -0.1, 0.0), "hip_roll": (0.0, -0.03, 0.05)}
        chain |= {"hip_yaw": (0.0, -0.12, 0.0), "knee": (0.0, -0.19, 0.0), "ankle": (0.0, -0.3, 0.0)}
        for name, offset in chain.items():
            joints.append(Joint(name=f"{side}_{name}", parent=above, offset=offset))
            above = f"{side}_{name}"
        sites += [
            Site(name=f"{side}_{end}", joint=above, point=(0.0, -0.03, z))
            for end, z in (("heel", -0.05), ("toe_tip", 0.2))
        ]
    figure = Figure(name="robot", joints=joints, sites=sites)
    legs = legs_of(figure, ["left_heel", "left_toe_tip"])
    assert {figure.joint_names[leg.hip] for leg in legs} == {"left_hip_yaw"}
    assert [leg.length for leg in legs] == pytest.approx([0.49, 0.49])
