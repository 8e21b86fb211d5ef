"""What becomes of a clip by what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from posewright.figures import Pose
from posewright.problem import MotionProblem, MotionResult
from posewright.problem.motion_lowering import scheduled_goals
from posewright.solvers.motion.frames import Progress
from posewright.studio.session.clips.clip import Clip, EditSettings, Key
from posewright.studio.session.clips.span import Span
from posewright.studio.session.state import State
from posewright.workflows.editing.edit import MotionEditor

REACHED = 1e-3
"""m: a key that is met as nearly as this is reached"""


@dataclass(frozen=True)
class Judgement:
    """How a span fares."""

    error: float
    """m or rad, in the worst of its frames"""
    unit: Literal["m", "rad"]
    reached: bool


class ClipEditing:
    """Edits clips; what depends on a clip alone is found once, as while a key is dragged."""

    def __init__(self) -> None:
        self._last: tuple[State, dict[str, Any], MotionEditor] | None = None

    def edited(self, state: State, progress: Progress | None = None) -> tuple[State, float]:
        """The state with its clip edited, from the source on, and how long that took (s).

        Args:
            state: with its clip as it is asked for.
            progress: called with the number of steps taken so far; what it raises ends the edit.
        """
        clip = state.clip
        if clip is None:
            return state, 0.0
        if not clip.asks:
            return replace(state, clip=clip.with_q(clip.source)), 0.0
        result = self.editor_of(state).edit(clip.goals, progress)
        made = clip.source if not len(result.motion) else result.motion.q
        return replace(state, clip=clip.with_q(made, result.remarks)), result.seconds

    def editor_of(self, state: State) -> MotionEditor:
        """What edits the clip: the last one as long as only goals change."""
        arguments = edit_arguments(state)
        if self._last is not None:
            before, its, editor = self._last
            same = before.figure is state.figure and before.source_motion.q is state.source_motion.q
            if same and its == arguments:
                return editor
        editor = MotionEditor(state.source_motion, **arguments)
        self._last = state, arguments, editor
        return editor


def edit_arguments(state: State) -> dict[str, Any]:
    """Of `edit`, those that are not usual; scripts repeat them."""
    clip = state.clip
    assert clip is not None
    chosen = clip.settings
    found: dict[str, Any] = {}
    if (model := state.editing_model) is not None:
        found["space"] = model
        if len(model.events):
            found["events"] = "alike"
    if clip.bars is not None:
        found["contacts"] = clip.bars
    usual = EditSettings()
    for name in ("hold_contacts", "hold_together", "keep_detail", "limits", "max_deviation"):
        if getattr(chosen, name) != getattr(usual, name):
            found[name] = getattr(chosen, name)
    return found


def key_error(state: State, clip: Clip, key: Key) -> float:
    """How far a key's site is from its target at its frame, m."""
    at = Pose(state.figure, clip.q[key.frame]).point(key.site)
    return float(np.linalg.norm(np.subtract(at, key.target)))


def span_judgement(state: State, clip: Clip, span: Span) -> Judgement:
    """How well a span is met by the clip as edited."""
    problem = MotionProblem(state.figure, [span.timed], state.source_motion)
    result = MotionResult(
        motion=clip.motion(state.figure),
        problem=problem,
        seconds=0.0,
        iterations_by_solve=np.zeros(0, np.int64),
        stop_codes=np.zeros(0, np.int64),
        goals=lambda: scheduled_goals(problem),
    )
    worst = max(result.errors.values(), key=lambda one: one.value / max(one.tolerance, 1e-12))
    unit: Literal["m", "rad"] = "rad" if worst.unit == "rad" else "m"
    return Judgement(worst.value, unit, worst.reached or (unit == "m" and worst.value <= REACHED))
