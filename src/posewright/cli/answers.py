"""Write the poses that commands find, and report their errors."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from posewright.cli.options import require_output
from posewright.cli.printing import print_notes, print_table

if TYPE_CHECKING:
    from posewright.figures import Pose
    from posewright.problem import PoseResult
    from posewright.problem.explanation import MissedGoal
    from posewright.problem.result import Result


def require_pose_output(path: Path) -> None:
    """Check that a pose can be written to a path.

    Raises:
        FileProblem: the suffix is unknown (the message suggests the nearest one), or the file cannot be written.
    """
    from posewright.formats import FORMATS

    require_output(path, (*(form.suffix for form in FORMATS if form.writes), ".png"), "a pose")


def write(pose: Pose, path: Path) -> None:
    """Write a pose in the format of the file's suffix; .yaml is a pose file, not a figure."""
    if path.suffix.lower() == ".yaml":
        from posewright.tasks.start import write_pose

        write_pose(pose, path)
    else:
        pose.save(path)


def show(result: Result, sentence: str, notes: Iterable[str]) -> None:
    """Print a table of the goals, a sentence, and notes."""
    from posewright.problem.evaluation import readable

    rows = []
    for goal in result.errors.parts:
        bounded = goal.tolerance < float("inf")
        verdict = "approached" if not bounded else "reached" if goal.reached else "missed"
        tolerance = readable(goal.tolerance, goal.unit) if bounded else ""
        rows.append((goal.label, readable(goal.value, goal.unit), tolerance, verdict))
    print_table(rows, ("goal", "error", "tolerance", ""), left=(0, 3), colours={"reached": "green", "missed": "red"})
    click.echo(sentence)
    print_notes(notes)


def summary(solver: str, result: PoseResult) -> str:
    """A sentence with the missed goals and the effort of the search."""
    missed = [goal.label for goal in result.errors.missed]
    how = "all goals reached" if not missed else f"missed: {', '.join(missed)} ({result.stopped})"
    restarts = f" and {result.restarts} restarts" if result.restarts else ""
    return f"{how} · {solver}, {result.iterations} iterations{restarts}, {readable_time(result.seconds)}"


def readable_time(seconds: float) -> str:
    """A duration in readable units: milliseconds or seconds."""
    if seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds:.0f} s" if seconds >= 99.5 else f"{seconds:.2g} s"


def limits_at_bound(result: PoseResult) -> int:
    """Number of dofs at one of their limits (within 1e-9 rad or m)."""
    figure, q = result.pose.figure, result.pose.q
    return int(((q <= figure.lower + 1e-9) | (q >= figure.upper - 1e-9)).sum())


def missed(result: PoseResult) -> tuple[MissedGoal, ...]:
    """Explanations of missed goals; none after Ctrl-C, because they take time."""
    return () if result.reached or result.stopped == "interrupted" else result.explain().missed


def facts(result: PoseResult, *, why: bool = False) -> dict[str, Any]:
    """The result as plain values for JSON: radians, metres, seconds."""
    explained = {"why": [_reasons(goal) for goal in missed(result)]} if why else {}
    return {
        "reached": result.reached,
        "stopped": result.stopped,
        "iterations": result.iterations,
        "restarts": result.restarts,
        "seconds": result.seconds,
        "limits_at_bound": limits_at_bound(result),
        "warnings": list(result.warnings),
        "goals": [
            {
                "goal": goal.goal,
                "part": goal.part,
                "error": goal.value,
                "unit": goal.unit,
                "tolerance": goal.tolerance if goal.tolerance < float("inf") else None,  # JSON knows no infinity
                "reached": goal.reached,
            }
            for goal in result.errors.parts
        ],
        **explained,
        "pose": dict(zip(result.pose.figure.dof_names, result.pose.q.tolist(), strict=True)),
    }


def _reasons(goal: MissedGoal) -> dict[str, Any]:
    return {
        "goal": goal.error.goal,
        "part": goal.error.part,
        "frozen": goal.frozen,
        "weightless": goal.weightless,
        "out_of_reach": goal.out_of_reach,
        "unfinished": goal.unfinished,
        "limits": {hold.name: hold.share for hold in goal.limits},
        "rivals": {hold.name: hold.share for hold in goal.rivals},
        "text": str(goal),
    }
