"""Motions on other figures: feet planted, limits held, bad input told in a sentence."""

from dataclasses import replace

import numpy as np
import pytest
from naming_conventions import CONVENTIONS, biped

import posewright as pw
from posewright import clips as procedural
from posewright import retarget
from posewright.anatomy.feet import SOLE_ENDS
from posewright.clips import walk
from posewright.errors import InvalidFigure, InvalidMotion
from posewright.figures.kinematics import joint_positions, site_frames


@pytest.fixture(scope="module")
def stroll():
    return walk(pw.figure("human40"), seed=1, fps=60.0)[:90]


@pytest.mark.parametrize("name", ["human40", "abnorman1", "norman"])
def test_contacts_are_kept_and_limits_hold(stroll, name):
    figure = pw.figure(name)
    made = retarget(stroll, figure)
    assert np.all((made.motion.q >= figure.lower) & (made.motion.q <= figure.upper))
    quality = made.quality()
    assert made.contacts is not None
    assert made.contacts.touching.any()
    assert quality["contact drift"].value < 0.001
    assert quality["penetration"].value < 0.005
    assert len(made.motion) == len(stroll)
    assert made.motion.fps == stroll.fps


def test_without_contacts_feet_slide(stroll):
    figure = pw.figure("abnorman1")
    free, kept = retarget(stroll, figure, contacts=False), retarget(stroll, figure)
    assert free.contacts is None
    assert free.quality()["contact drift"].value > 3.0 * kept.quality()["contact drift"].value


def test_free_hinges_come_back_as_continuous_angles(stroll):
    """A figure of three hinges per joint is solved with balls; the answer is in its own dofs."""
    turns = tuple(pw.figures.Hinge(axis=axis) for axis in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)))
    names = next(iter(CONVENTIONS.values()))
    figure = biped(names)
    hinged = replace(figure, joints=tuple(replace(j, rotation=turns) if j.ball else j for j in figure.joints))
    made = retarget(stroll, hinged)
    assert made.motion.figure.dof_names == hinged.dof_names
    assert np.abs(np.diff(made.motion.q, axis=0)).max() < 1.0


def test_a_match_may_be_given(stroll):
    figure = pw.figure("norman")
    match = pw.JointMatch.between(stroll.figure, figure).with_parts(target={"left_wrist": []})
    made = retarget(stroll, figure, match)
    assert "left_wrist" not in made.match.parts


def test_a_given_floor_lifts_the_feet(stroll):
    figure = pw.figure("human40")
    low = retarget(stroll, figure, floor=-0.1, contacts=False).motion
    level = retarget(stroll, figure, floor=0.0, contacts=False).motion
    sites = SOLE_ENDS
    heights = [site_frames(m.figure, m.q, sites).points[..., 1].min(axis=1).mean() for m in (low, level)]
    assert heights[0] - heights[1] == pytest.approx(0.1, abs=0.02)


def test_one_frame_is_enough(stroll):
    made = retarget(stroll[:1], pw.figure("abnorman1"))
    assert len(made.motion) == 1


def test_no_frames_are_refused(stroll):
    with pytest.raises(InvalidMotion, match="has no frames; it needs at least one"):
        retarget(stroll[:0], pw.figure("human40"))


def test_a_target_without_legs_is_refused(stroll):
    with pytest.raises(InvalidFigure, match=r"could be recognised as .*knee.*match file"):
        retarget(stroll, pw.figure("hand"))


def test_a_target_with_a_limb_of_no_length_is_refused(stroll):
    figure = pw.figure("human40")
    joints = tuple(replace(j, offset=(0.0, 0.0, 0.0)) if j.name == "left_knee" else j for j in figure.joints)
    with pytest.raises(InvalidFigure, match="no length between left hip and left knee"):
        retarget(stroll, replace(figure, joints=joints), pw.JointMatch.between(stroll.figure, figure))


def test_frames_that_are_no_numbers_are_refused(stroll):
    q = stroll.q.copy()
    q[3, 5] = np.nan
    with pytest.raises(InvalidMotion, match="not finite in frame 3"):
        stroll.with_q(q)


@pytest.mark.parametrize("name", ["walk", "run", "golf_swing"])
def test_a_generated_clip_comes_back_on_its_own_figure(name):
    """Its feet are planted already: nothing may be held longer than it rests."""
    clip = getattr(procedural, name)(pw.figure("human40"), fps=60.0)
    made = retarget(clip, clip.figure)
    away = joint_positions(made.motion.figure, made.motion.q) - joint_positions(clip.figure, clip.q)
    assert np.linalg.norm(away, axis=-1).mean() < 0.001
    assert all(verdict.passed is not False for verdict in made.quality(body=False).check())


@pytest.mark.parametrize("name", ["abnorman1", "abnorman2"])
def test_the_walk_of_the_demo_keeps_every_limit(name):
    made = retarget(walk(pw.figure("human")), pw.figure(name))
    assert all(verdict.passed is not False for verdict in made.quality(body=False).check())
