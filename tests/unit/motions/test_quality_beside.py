"""Motions beside sources of other skeletons: judged by their soles, on their own floor."""

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright import retarget
from posewright.clips import walk
from posewright.figures.transforms.lengths import lengths_q


@pytest.fixture(scope="module")
def stroll():
    """Of a skeleton that has ankles and toes, but no soles."""
    clip = walk(pw.figure("human40"), seed=1, fps=60.0)[:90]
    feet = ("heel", "sole", "toe_tip")
    bare = tuple(site for site in clip.figure.sites if not site.name.endswith(feet) or site.tip)
    return replace(clip, figure=replace(clip.figure, sites=bare))


def test_a_check_says_what_the_retargeting_said(stroll):
    made = retarget(stroll, pw.figure("abnorman1"))
    own = made.quality(body=False)
    plain = replace(made.motion, figure=pw.figure("abnorman1"))  # as read from a file
    report = plain.quality(stroll, body=False)
    for name in ("contact drift", "penetration", "foot skate"):
        assert report[name].value == pytest.approx(own[name].value, abs=1e-3)
        assert report[name].source == pytest.approx(own[name].source, abs=5e-3)
    assert report["penetration"].value < 0.005


def test_a_motion_that_sinks_is_found_if_the_floor_is_told(stroll):
    made = retarget(stroll, pw.figure("abnorman1")).motion
    low = made.with_q(made.q - 0.05 * np.eye(made.figure.n_dofs)[made.figure.dof_index("pelvis.ty")])
    assert low.quality(stroll, floor=0.0, body=False)["penetration"].value > 0.049


def test_a_foot_that_sinks_is_found_anyway(stroll):
    made = retarget(stroll, pw.figure("abnorman1")).motion
    q = made.q.copy()
    q[30:40, made.figure.dof_index("pelvis.ty")] -= 0.05  # less than half of the steps of either foot
    assert made.with_q(q).quality(stroll, body=False)["penetration"].value > 0.03


def test_the_same_figure_and_unknown_bodies_are_measured_as_ever(stroll):
    assert tuple(stroll.quality(stroll, body=False).feet) == stroll.figure.anatomy.contact_sites
    hand = pw.Motion(pw.figure("hand"), np.tile(pw.figure("hand").rest, (5, 1)), 30.0)
    longer = pw.Motion(hand.figure.with_lengths(overall=2.0), hand.q, 30.0)
    assert longer.quality(hand, body=False)["jerk"].value == 0.0


def test_lengths_of_the_source_are_those_that_it_has_at_the_motions_size():
    source = walk(pw.figure("human40"), steps=2)
    small = source.figure.with_lengths(overall=0.5)
    motion = pw.Motion(small, lengths_q(source.figure, source.q, overall=0.5), source.fps)
    report, own = motion.quality(source, body=False), source.quality(body=False)
    for name in ("contact drift", "foot skate", "jerk"):
        assert report[name].value == pytest.approx(report[name].source, rel=1e-6, abs=1e-9)
    assert report["jerk"].source == pytest.approx(0.5 * own["jerk"].value, rel=1e-6)
    assert report["fastest turn"].source == own["fastest turn"].value
