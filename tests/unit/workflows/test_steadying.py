"""Retargeting keeps jerk near the source's, says how much it smoothed, and can be told not to."""

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright import retarget
from posewright.clips import walk
from posewright.errors import InvalidSetting


@pytest.fixture(scope="module")
def recorded():
    """A walk with the noise of a recording."""
    clip = walk(pw.figure("human40"), seed=1, fps=120.0)[:200]
    noise = np.random.default_rng(0).normal(scale=2e-4, size=clip.q.shape)
    return clip.with_q(np.clip(clip.q + noise, clip.figure.lower, clip.figure.upper))


@pytest.mark.parametrize("times", [0.9, 0.6])
def test_a_motion_jerks_no_more_than_allowed_and_the_note_says_what_was_smoothed(recorded, times):
    figure = pw.figure("abnorman1")
    rough, made = retarget(recorded, figure, smooth=0.0), retarget(recorded, figure, smooth=times)
    assert rough.quality()["jerk ratio"].value > 1.0
    assert not any("jerk" in note for note in rough.warnings)
    quality = made.quality()
    assert 0.5 * times < quality["jerk ratio"].value <= times
    assert quality["contact drift"].value < 0.001
    assert any("moves joints by" in note and "frame" in note for note in made.warnings)
    assert np.all((made.motion.q >= figure.lower) & (made.motion.q <= figure.upper))


def test_a_body_of_the_source_own_size_is_left_alone(recorded):
    made = retarget(recorded, recorded.figure, smooth=1.5, contacts=False)
    assert made.warnings == retarget(recorded, recorded.figure, smooth=0.0, contacts=False).warnings


def test_planted_again_the_feet_keep_their_contacts(recorded):
    """Ankles at their limits pull the body about with them, until it is solved again near the smooth motion."""
    figure = pw.figure("human40")
    stiff = [
        replace(j, rotation=tuple(replace(h, lower=h.rest - 0.1, upper=h.rest + 0.1) for h in j.hinges))
        if j.name.endswith("_ankle")
        else j
        for j in figure.joints
    ]
    bound = replace(figure, joints=tuple(stiff))
    rough, made = retarget(recorded, bound, smooth=0.0), retarget(recorded, bound)
    assert rough.quality()["jerk ratio"].value > 1.25
    assert made.quality()["jerk ratio"].value < rough.quality()["jerk ratio"].value
    assert made.quality()["contact drift"].value < 0.001
    assert np.all((made.motion.q >= bound.lower) & (made.motion.q <= bound.upper))
    assert any("planted again" in note for note in made.warnings)


@pytest.mark.parametrize("times", [-1.0, np.nan, np.inf])
def test_a_limit_that_is_none_is_refused(recorded, times):
    with pytest.raises(InvalidSetting, match="how many times the source's jerk"):
        retarget(recorded, pw.figure("norman"), smooth=times)
