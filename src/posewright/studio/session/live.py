"""Solving while the mouse moves, solving to convergence, and judging what came out."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.goals.fields import Point
from posewright.problem.evaluation import Errors, goal_errors
from posewright.problem.explanation import explain
from posewright.problem.lowering import lower
from posewright.solvers.prioritized import Prioritized
from posewright.studio.session.state import State

SOLVER = Prioritized()
"""What drags and commands are solved by: pins are of priority 1 and must hold."""


@dataclass(frozen=True)
class Judged:
    """How a goal fares in a pose."""

    error: float
    """m or rad"""
    unit: str
    reached: bool
    why: str = ""
    """One line, where it is missed and the reason was looked for."""


class LiveSolve:
    """The question of a state, packed for many solves in a row, each from the pose before."""

    def __init__(self, state: State) -> None:
        self._prepared = SOLVER.prepare(state.problem)
        self.q = state.q
        """(dofs,): the last answer"""
        self.seconds = 0.0
        """How long it took."""
        self.judged: dict[str, Judged] = judged(state, reasons=False)

    def follow(self, targets: dict[str, Point]) -> None:
        """Answer new targets (m, by goal), near the last answer."""
        result = self._prepared.solve(targets, start=self.q)
        self.q, self.seconds = result.q, result.seconds
        self.judged = _judged(result.errors, {})


def solved(state: State) -> tuple[State, float]:
    """The state with its question answered from the pose it has, to convergence, and how long that took (s)."""
    if not any(goal.enabled for goal in state.goals):
        return state, 0.0
    result = SOLVER.prepare(state.problem).solve(start=state.q)
    return state.with_pose(result.q), result.seconds


def judged(state: State, *, reasons: bool) -> dict[str, Judged]:
    """How each goal that is on fares, by name; with `reasons` also why it is missed, which takes longer."""
    if not state.goals:
        return {}
    lowered = lower(state.problem)
    errors = goal_errors(lowered, lowered.targets, state.pose, state.q)
    why: dict[str, str] = {}
    if reasons and not errors.reached:
        why = {one.error.goal: str(one) for one in explain(lowered, lowered.targets, state.pose, state.q, SOLVER)}
    return _judged(errors, why)


def _judged(errors: Errors, why: dict[str, str]) -> dict[str, Judged]:
    return {name: Judged(one.value, one.unit, one.reached, why.get(name, "")) for name, one in errors.items()}
