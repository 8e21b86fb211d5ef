"""The question whose answer the pose shown is, and where its solve began: what scripts and task files repeat."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.conventions import Array
from posewright.studio.session.session import Session
from posewright.studio.session.state import State

_ASKED = ("q", "goals", "solver", "solver_settings", "groups", "released", "frozen")
"""What of a state a solve of its pose depends on."""


@dataclass(frozen=True, eq=False)
class Question:
    """What was asked, and from where."""

    state: State
    """As the solve left it."""
    start: Array
    """(dofs,): where the solve began; the pose itself if it was set by hand"""
    solved: bool
    """Whether the pose is the answer; otherwise it was set by hand after the last solve, or nothing was asked yet."""


def question_of(session: Session) -> Question:
    """Of the pose shown: by the last entry that solved, if nothing but the clip changed since."""
    shown = session.state
    for number in range(session.done, 0, -1):
        state, start = session.states[number], session.entries[number - 1].start
        if start is not None:
            return Question(state, start, solved=any(goal.enabled for goal in state.goals))
        if not _same(session.states[number - 1], state):
            break
    return Question(shown, shown.q, solved=False)


def _same(one: State, other: State) -> bool:
    """Whether the same is asked of the same pose; sites that keys of a clip need may differ."""
    figures = one.figure.joints is other.figure.joints and one.figure.constraints is other.figure.constraints
    return figures and all(getattr(one, name) is getattr(other, name) for name in _ASKED)
