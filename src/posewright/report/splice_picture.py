"""A spliced posture beside what became of it, the parts of the body in colours of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posewright.figures import Figure, Pose
from posewright.goals import Goal
from posewright.models.postures.splice import SplicedPart
from posewright.problem import PoseResult
from posewright.report.camera import DIRECTIONS, Direction, Extent
from posewright.report.colours import PALETTE
from posewright.report.goal_marks import goal_marks
from posewright.report.image_files import labelled, with_legend
from posewright.report.picture import Picture, render
from posewright.report.scene import Scene, SceneBody

PART_COLOURS = ("coral", "teal", "indigo", "sand", "plum", "leaf", "sky")
"""Of the parts in turn."""
REST = "slate"
"""What no goal recruits."""
_NAMED = 3  # goals of a part


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
    colours = part_colours(initial.figure, parts)
    panels: dict[str, Scene] = {}
    if start is not None:
        panels["start"] = Scene(bodies=(SceneBody(pose=start, colour=REST),), marks=goal_marks(goals, start))
    for text, pose, errors in (
        (f"spliced: {_counted(len(parts), 'part')}", initial, None),
        (f"{'reached' if result.reached else 'missed'}: {_counted(result.iterations, 'iteration')}", result.pose,
         result.errors),
    ):  # fmt: skip
        body = SceneBody(pose=pose, colour=REST, sides=False, joint_colours=colours)
        panels[text] = Scene(bodies=(body,), marks=goal_marks(goals, pose, errors))
    camera = Extent.of(*panels.values()).camera(direction, aspect=width / height)
    pictures = [labelled(render(scene, width, height, camera=camera), text) for text, scene in panels.items()]
    pictures[-2] = with_legend(pictures[-2], legend(initial.figure, parts))
    return np.hstack(pictures)


def legend(figure: Figure, parts: Sequence[SplicedPart]) -> list[tuple[str, str]]:
    """The colour of each part and the goals that it is for."""
    found = [(_colour(k), _shortened(part.goals)) for k, part in enumerate(parts)]
    coloured = part_colours(figure, parts)
    if any(joint.name not in coloured for joint in figure.joints):
        found.append((REST, "the rest"))
    return [(PALETTE[colour], text) for colour, text in found]


def part_colours(figure: Figure, parts: Sequence[SplicedPart]) -> dict[str, str]:
    """A colour for each joint of the parts, and for the rigid ones that they carry."""
    found = {joint: _colour(k) for k, part in enumerate(parts) for joint in part.joints}
    for joint in figure.joints:
        if not joint.n_dofs and joint.parent in found:
            found[joint.name] = found[joint.parent]
    return found


def _colour(k: int) -> str:
    return PART_COLOURS[k % len(PART_COLOURS)]


def _shortened(goals: Sequence[str]) -> str:
    more = f" and {len(goals) - _NAMED} more" if len(goals) > _NAMED else ""
    return ", ".join(goals[:_NAMED]) + more


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"
