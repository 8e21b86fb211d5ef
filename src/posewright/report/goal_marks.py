"""Goals made visible: what each wants, as marks of a scene, green where it is met and red where it is missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from posewright.figures import Pose
from posewright.figures.reach import reach
from posewright.goals import Goal
from posewright.goals.sketch import Sketch, Stroke
from posewright.problem.evaluation import GoalError
from posewright.report.scene import Mark

MET, MISSED, GAP = "leaf", "red", "ink"


def goal_marks(goals: Sequence[Goal], pose: Pose, errors: Mapping[str, GoalError] | None = None) -> tuple[Mark, ...]:
    """The marks of all goals that are switched on; `errors` are those of the pose."""
    on = Sketch(pose, reach(pose.figure, None))
    return tuple(
        _mark(stroke, MISSED if errors and goal.label in errors and not errors[goal.label].reached else MET)
        for goal in goals
        if goal.enabled
        for stroke in goal.sketch(on)
    )


def _mark(stroke: Stroke, colour: str) -> Mark:
    if stroke.kind == "target":
        return Mark.target(stroke.points[0], colour=colour, radius=stroke.radius)
    if stroke.kind == "dot":
        return Mark.point(stroke.points[0], colour=colour, radius=stroke.radius)
    return Mark.line(stroke.points, colour=GAP if stroke.kind == "gap" else colour, radius=stroke.radius)
