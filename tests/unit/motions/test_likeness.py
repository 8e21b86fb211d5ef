"""Likeness to a source: what does not change it, and what does."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posewright as pw
from posewright.clips import walk
from posewright.figures import Hinge, Joint
from posewright.figures.joint import X
from posewright.motions import QualityLimits
from posewright.motions.quality.likeness import lasting, likeness
from posewright.motions.speeds import joint_steps
from posewright.rotations import quaternion_from_vector, quaternion_multiply, vector_from_quaternion


@pytest.fixture(scope="module")
def stroll():
    return walk(pw.figure("human40"), seed=1, fps=60.0)[:90]


def turned_arm(motion, degrees, first, after):
    """The motion with its right upper arm turned about the front of its segment in some frames."""
    return turned(motion, "right_shoulder", 1, degrees, first, after)


def turned(motion, part, column, degrees, first, after):
    """The motion with a part turned about a column of its anatomical frame."""
    figure = motion.figure.with_balls(drop_limits=True)
    balls, body = motion.converted(figure), figure.anatomy
    where = figure.dof_slice(body.last(part)).stop
    axis = body.segments.joint_frame(part, body.last(part))[:, column]
    q = balls.q.copy()
    own = quaternion_from_vector(q[first:after, where - 3 : where])
    more = quaternion_from_vector(np.radians(degrees) * axis)
    q[first:after, where - 3 : where] = vector_from_quaternion(quaternion_multiply(own, more))
    return balls.with_q(q)


@pytest.mark.parametrize("name", ["human40", "human", "abnorman2"])
def test_a_motion_is_just_like_itself(name):
    clip = walk(pw.figure(name), seed=2, fps=30.0)[:20]
    found = likeness(clip, clip)
    assert found.mean == 0.0
    assert found.worst == 0.0
    assert found.path.max() == 0.0
    assert found.pops.max() == 0.0
    assert np.nanmax(found.twists) < 1e-5
    assert "right upper arm" in found.bones
    assert not any("finger" in bone or "thumb" in bone or "toes" in bone for bone in found.bones)


@settings(max_examples=25)
@given(
    heading=st.floats(-np.pi, np.pi),
    place=st.tuples(*[st.floats(-5.0, 5.0)] * 3),
    size=st.floats(0.3, 3.0),
)
def test_place_heading_and_size_do_not_change_it(heading, place, size):
    clip = walk(pw.figure("human40"), seed=1, fps=30.0)[:30]
    off = turned_arm(clip, 40.0, 10, 20)
    before = likeness(off, clip)
    moved = off.moved(place, yaw=heading).with_lengths(overall=size)
    after = likeness(moved, clip)
    np.testing.assert_allclose(after.angles, before.angles, atol=1e-5)
    np.testing.assert_allclose(after.twists, before.twists, atol=1e-5)
    np.testing.assert_allclose(after.path, before.path, atol=1e-6)
    np.testing.assert_allclose(after.pops, before.pops, atol=1e-5)


def test_the_frame_rate_does_not_change_it(stroll):
    off = turned_arm(stroll, 40.0, 30, 60)
    slow = likeness(off, stroll)
    fast = likeness(off.resampled(fps=240.0), stroll.converted(off.figure).resampled(fps=240.0))
    assert fast.mean == pytest.approx(slow.mean, rel=0.05)
    assert fast.worst == pytest.approx(slow.worst, abs=0.1)


def test_a_bone_that_is_off_is_named_with_its_frames(stroll):
    off = turned_arm(stroll, 50.0, 20, 60)
    report = off.quality(stroll, body=False)
    worst = report["likeness.worst"]
    assert worst.value > 30.0
    assert report["likeness.beyond"].value == pytest.approx(worst.value)
    assert 20 <= worst.frame < 60
    stretch = next(s for s in report.unlike() if s.bone == "right upper arm")
    assert (stretch.first, stretch.last) == (20, 59)
    assert str(stretch).startswith(f"right upper arm {stretch.degrees:.0f} degrees off from frame 20 to 59")
    names = [v.measure.name for v in report.check() if v.passed is False]
    assert "likeness.beyond" in names
    lenient = report.check(QualityLimits(likeness=None, likeness_limbs=None))
    assert not any(v.measure.name.startswith("likeness") and v.passed is False for v in lenient)


def test_what_lasts_less_than_a_tenth_of_a_second_is_not_the_worst(stroll):
    report = turned_arm(stroll, 50.0, 20, 24).quality(stroll, body=False)
    assert report["likeness.worst"].value < 1.0
    assert report.unlike() == ()
    assert report["likeness.mean"].value > 0.0


@given(st.lists(st.floats(0.0, 180.0), min_size=1, max_size=40), st.sampled_from([20.0, 30.0, 60.0]))
def test_the_worst_is_what_is_exceeded_for_a_tenth_of_a_second(angles, fps):
    values = np.array(angles)[:, None]
    n = min(int(0.1 * fps + 1e-6) + 1, len(values))
    expected = max(values[k : k + n].min() for k in range(len(values) - n + 1))
    assert lasting(values, fps).max() == expected


def test_a_twist_is_no_change_of_direction(stroll):
    found = likeness(turned(stroll, "left_hip", 0, 20.0, 0, len(stroll)), stroll)  # about the thigh
    thigh = found.bones.index("left thigh")
    assert found.angles[:, thigh].max() < 1e-4
    np.testing.assert_allclose(found.twists[:, thigh], 20.0, atol=1e-4)


def test_a_knee_that_pops_is_seen(stroll):
    q = stroll.q.copy()
    knee = stroll.figure.joint_index(stroll.figure.anatomy.parts["left_knee"][0])
    dof = stroll.figure.dof_slice(knee).start
    steps = np.convolve(np.abs(np.diff(q[:, dof])), np.ones(9), mode="valid")
    calm = int(np.argmin(steps)) + 4
    sign = 1.0 if stroll.figure.upper[dof] > 0.5 else -1.0
    q[calm : calm + 2, dof] += sign * np.radians(20.0)
    report = stroll.with_q(q).quality(stroll, body=False)
    assert 10.0 < report["pop"].value <= 20.5
    assert "pop" in [v.measure.name for v in report.check() if v.passed is False]


def test_fingers_that_flip_set_no_bound(stroll):
    wrist = stroll.figure.anatomy.parts["right_wrist"][-1]
    thumb = Joint(name="right_thumb", parent=wrist, offset=(0.05, 0.0, 0.0), rotation=(Hinge(axis=X),))
    tip = Joint(name="right_thumb_tip", parent="right_thumb", offset=(0.0, 0.04, 0.0))
    figure = replace(stroll.figure, joints=(*stroll.figure.joints, thumb, tip))
    q = np.hstack([stroll.q, np.zeros((len(stroll), 1))])
    still = replace(stroll, figure=figure, q=q.copy())
    q[10:, -1] = np.pi
    flipped = replace(stroll, figure=figure, q=q)
    assert np.linalg.norm(joint_steps(flipped).turning, axis=-1).max() > 3.0
    before, after = still.quality(body=False), flipped.quality(body=False)
    for name in ("fastest turn", "jerk", "acceleration peak", "jumps"):
        assert after[name].value == before[name].value


def test_other_bodies_are_judged_beside_plain_transfer():
    clip = walk(pw.figure("human40"), seed=3, fps=60.0)[:60]
    made = pw.retarget(clip, pw.figure("abnorman1"))
    report = made.quality(body=False)
    assert report["likeness.mean"].source == pytest.approx(report.transferred.mean)
    assert report["likeness.beyond"].value <= report["likeness.worst"].value
    assert made.likeness.mean == report["likeness.mean"].value
    plain = made.transferred.quality(
        made.source, bodies=(made.match.target, made.match.source), transferred=made.transferred, body=False
    )
    assert plain["likeness.beyond"].value == 0.0


def test_an_unknown_body_has_no_likeness():
    hand = pw.Motion(pw.figure("hand"), np.tile(pw.figure("hand").rest, (5, 1)), 30.0)
    report = hand.quality(hand, body=False)
    assert report.likeness is None
    assert "likeness.mean" not in report
