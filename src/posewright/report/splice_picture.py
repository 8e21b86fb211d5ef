"""A spliced posture beside what became of it, the parts of the body in colours of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posewright.figure import Pose
from posewright.goals import Goal
from posewright.models.splicing import SplicedPart
from posewright.problem import PoseResult
from posewright.report.camera import DIRECTIONS, Direction
from posewright.report.goal_marks import goal_marks
from posewright.report.image_files import labelled
from posewright.report.picture import Extent, Picture, render
from posewright.report.scene import Body, Scene

PART_COLOURS = ("coral", "teal", "indigo", "sand", "plum", "leaf", "sky")
"""Of the parts in turn; what no goal recruits is slate."""


def splice_picture(
    goals: Sequence[Goal],
    parts: Sequence[SplicedPart],
    initial: Pose,
    result: PoseResult,
    *,
    start: Pose | None = None,
    width: int = 480,
    height: int = 560,
    direction: Direction = DIRECTIONS["three-quarter"],
) -> Picture:
    """The start if given, the spliced posture and the refined one, side by side, `width` pixels each."""
    colours = part_colours(parts)
    marks = goal_marks(goals, initial)
    panels = {} if start is None else {"start": Scene(bodies=(Body(pose=start, colour="slate"),), marks=marks)}
    panels["spliced: " + _legend(parts)] = Scene(
        bodies=(Body(pose=initial, colour="slate", sides=False, joint_colours=colours),), marks=marks
    )
    found = Body(pose=result.pose, colour="slate", sides=False, joint_colours=colours)
    verdict = f"refined: {'reached' if result.reached else 'missed'} after {result.iterations} iterations"
    panels[verdict] = Scene(bodies=(found,), marks=goal_marks(goals, result.pose, result.goal_errors))
    camera = Extent.of(*panels.values()).camera(direction, aspect=width / height)
    return np.hstack([labelled(render(scene, width, height, camera=camera), text) for text, scene in panels.items()])


def part_colours(parts: Sequence[SplicedPart]) -> dict[str, str]:
    """A colour for each joint of the parts."""
    return {
        joint: PART_COLOURS[k % len(PART_COLOURS)] for k, part in enumerate(parts) for joint in part.joints
    }


def _legend(parts: Sequence[SplicedPart]) -> str:
    return f"{len(parts)} part{'s' * (len(parts) != 1)}" if parts else "as the start"
