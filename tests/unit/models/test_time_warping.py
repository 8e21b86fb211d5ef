"""Moments that correspond: found again in clips that were slowed down and hurried, and on other variations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posewright as pw
from posewright.models.time_warping import corresponding, spread_moments

FIGURE = pw.figure("human40")
SWING = pw.clips.golf_swing(FIGURE, fps=60.0)
THROW = pw.clips.throw(FIGURE, fps=60.0)


def bent(share: float, to: float) -> pw.Motion:
    """The swing with the moment at one share of it moved to another share."""
    end = SWING.duration
    return SWING.warped(events=[0.0, share * end, end], onto=[0.0, to * end, end])


@pytest.mark.parametrize("clip", [SWING, THROW], ids=["swing", "throw"])
def test_a_clip_corresponds_to_itself(clip):
    moments = spread_moments(clip)
    assert np.abs(corresponding(clip, clip, moments) - moments).max() < 1.5 / 60.0


@settings(max_examples=15)
@given(share=st.floats(0.3, 0.7), to=st.floats(0.3, 0.7), yaw=st.floats(-3.0, 3.0))
def test_moments_are_found_in_a_clip_that_is_slowed_down_and_hurried(share, to, yaw):
    """While the body moves; where it rests, one moment is as good as another."""
    warped = bent(share, to).moved((2.0, 0.0, 1.0), yaw)
    moments = spread_moments(SWING)
    expected = np.interp(
        moments, [0.0, share * SWING.duration, SWING.duration], [0.0, to * SWING.duration, SWING.duration]
    )
    found = corresponding(warped, SWING, moments)
    assert (np.diff([0.0, *found, warped.duration]) > 0.0).all()
    q = SWING.q[np.round(np.interp(found, expected, moments) * 60.0).astype(int)]
    there = SWING.q[np.round(moments * 60.0).astype(int)]
    assert np.degrees(np.abs(q - there)[:, 6:]).max() < 25.0


def test_a_model_of_clips_that_are_alike_at_different_times_needs_fewer_modes_and_rebuilds_them():
    """The same swing begun earlier or later: aligned it is one motion, by length alone it is not."""
    shares = (0.35, 0.45, 0.5, 0.6)
    clips = [bent(share, 0.5) for share in shares]
    plain = pw.MotionModel.fit(clips[:3], explained_variance=0.6)
    aligned = pw.MotionModel.fit(clips[:3], explained_variance=0.6, events="alike")
    assert len(aligned.events) > 0
    assert aligned.clip_errors.max() < 0.5 * plain.clip_errors.max()
    errors = []
    for model, events in ((plain, None), (aligned, "alike")):
        found = model.encode(clips[3], events=events)
        errors.append(float(np.abs(found.detail[:, 6:]).max()))
    assert errors[1] < 0.6 * errors[0]
