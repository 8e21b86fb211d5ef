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


@pytest.mark.parametrize("times", [0.6, 0.4])
def test_a_motion_jerks_no_more_than_allowed_and_the_note_says_what_was_smoothed(recorded, times):
    figure = pw.figure("abnorman1")
    rough, made = retarget(recorded, figure, smooth=0.0), retarget(recorded, figure, smooth=times)
    assert rough.quality()["jerk ratio"].value > times
    assert not any("jerk" in note for note in rough.warnings)
    quality = made.quality()
    assert 0.5 * times < quality["jerk ratio"].value <= times
    assert quality["contact drift"].value < 0.001
    assert any("moves joints by" in note and "frame" in note for note in made.warnings)
    assert np.all((made.motion.q >= figure.lower) & (made.motion.q <= figure.upper))


def test_a_body_of_the_source_own_size_is_left_alone(recorded):
    made = retarget(recorded, recorded.figure, smooth=1.5, contacts=False)
    assert made.warnings == retarget(recorded, recorded.figure, smooth=0.0, contacts=False).warnings


def test_ankles_that_hardly_bend_pull_no_body_about(recorded):
    """Soles that cannot lie flat rest on one end; the trunk is as plain transfer has it, and all limits are kept."""
    figure = pw.figure("human40")
    stiff = [
        replace(j, rotation=tuple(replace(h, lower=h.rest - 0.1, upper=h.rest + 0.1) for h in j.hinges))
        if j.name.endswith("_ankle")
        else j
        for j in figure.joints
    ]
    bound = replace(figure, joints=tuple(stiff))
    made = retarget(recorded, bound)
    report = made.quality(body=False)
    beyond = report.likeness.beyond(report.transferred)
    assert beyond[:, report.likeness.upper].max() < 10.0
    assert np.all((made.motion.q >= bound.lower) & (made.motion.q <= bound.upper))
    assert [verdict.measure.name for verdict in report.check() if verdict.passed is False] == []


def test_a_motion_that_planted_feet_shake_is_solved_again_near_a_smooth_one():
    clip = walk(pw.figure("human"))
    rough, made = (retarget(clip, pw.figure("abnorman1"), smooth=times) for times in (0.0, 1.25))
    assert rough.quality(body=False)["jerk ratio"].value > 1.5
    assert made.quality(body=False)["jerk ratio"].value < 1.3
    assert made.quality(body=False)["contact drift"].value < 0.001
    assert any("planted again" in note for note in made.warnings)


@pytest.mark.parametrize("times", [-1.0, np.nan, np.inf])
def test_a_limit_that_is_none_is_refused(recorded, times):
    with pytest.raises(InvalidSetting, match="how many times the source's jerk"):
        retarget(recorded, pw.figure("norman"), smooth=times)
