"""The arrays of motion problems: the length that makes radians and metres compare."""

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.problem.motion_lowering import lower_motion


def test_offsets_that_slides_stand_in_for_and_frozen_joints_above_do_not_count():
    """Some files put the hips metres off a root that never moves, and replace that offset by position channels."""
    figure = build("norman")
    base = replace(figure.joints[0], parent="base", offset=(0.0, 0.9, -4.5), slides_replace_offset=True)
    ground = pw.figures.Joint(name="base", slides=figure.joints[0].slides, rotation=figure.joints[0].rotation)
    far = replace(figure, joints=(ground, base, *figure.joints[1:]))
    lengths = []
    for body, frozen in ((figure, ()), (far, ("base",))):
        clip = pw.Motion(body, np.tile(body.rest, (2, 1)), 30.0)
        asked = pw.MotionProblem(body, [pw.goals.follow("right_hand", clip)], clip, frozen=frozen)
        lengths.append(lower_motion(asked).length)
    assert lengths[0] == pytest.approx(lengths[1])
