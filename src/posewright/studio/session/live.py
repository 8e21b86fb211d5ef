"""Solving while the mouse moves, solving to convergence, and judging what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figures import Pose
from posewright.goals import Goal
from posewright.goals.term import SiteTerm
from posewright.problem.evaluation import Errors, goal_errors, term_errors
from posewright.problem.explanation import explain
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.lowering import lower
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.solver import Solver
from posewright.studio.session.state import State
from posewright.tasks.solver import build_solver

SOLVER = Prioritized()
"""What drags follow by, whatever solver ends them: pins are of priority 1 and must hold."""


def solver_of(state: State) -> Solver:
    """What commands are solved by."""
    return build_solver(state.solver, dict(state.solver_settings))


@dataclass(frozen=True)
class Judged:
    """How a goal fares in a pose."""

    error: float
    """m or rad"""
    unit: str
    reached: bool
    tolerance: float
    """m or rad; infinite for goals that are only approached"""
    branch: int = -1
    """Of a goal with alternatives the one that counts; -1: it has none."""
    why: str = ""
    """One line, where it is missed and the reason was looked for."""


class LiveSolve:
    """The question of a state, packed for many solves in a row, each from the pose before."""

    def __init__(self, state: State) -> None:
        self._prepared = SOLVER.prepare(state.problem)
        self._targets = np.array(self._prepared.lowered.targets)
        self.q = state.q
        """(dofs,): the last answer"""
        self.seconds = 0.0
        """How long it took."""
        self.on_the_way = False
        """Whether the best pose is further away than one answer may go: the next one goes on to it."""
        self.judged: dict[str, Judged] = judged(state, reasons=False)

    def follow(self, goals: Mapping[str, Goal]) -> None:
        """Answer goals that were moved or turned (by name), near the last answer."""
        lowered, targets = self._prepared.lowered, self._targets.copy()
        for goal, rows in zip(lowered.goals, lowered.goal_sites, strict=True):
            fresh = goals.get(goal.label)
            if fresh is not None:
                terms = [term for branch in fresh.branches(lowered.problem.figure) for term in branch]
                targets[rows] = [term.target for term in terms if isinstance(term, SiteTerm)]
        result = self._prepared.follow(targets, start=self.q)
        self.q, self.seconds, self._targets = result.q, result.seconds, targets
        self.on_the_way = result.stopped == "on the way"
        self.judged = _judged(lowered, targets, result.pose, result.errors, {})


def solved(state: State) -> tuple[State, float]:
    """The state with its question answered from the pose it has, to convergence, and how long that took (s)."""
    if not any(goal.enabled for goal in state.goals):
        return state, 0.0
    result = solver_of(state).prepare(state.problem).solve(start=state.q)
    return state.with_pose(result.q), result.seconds


def judged(state: State, *, reasons: bool) -> dict[str, Judged]:
    """How each goal that is on fares, by name; with `reasons` also why it is missed, which takes longer."""
    if not state.goals:
        return {}
    lowered = lower(state.problem)
    errors = goal_errors(lowered, lowered.targets, state.pose, state.q)
    why: dict[str, str] = {}
    if reasons and not errors.reached:
        found = explain(lowered, lowered.targets, state.pose, state.q, solver_of(state))
        why = {one.error.goal: str(one) for one in found}
    return _judged(lowered, lowered.targets, state.pose, errors, why)


def _judged(
    lowered: LoweredProblem, targets: Array, pose: Pose, errors: Errors, why: dict[str, str]
) -> dict[str, Judged]:
    branches = _branches(lowered, targets, pose)
    return {
        name: Judged(one.value, one.unit, one.reached, one.tolerance, branches.get(name, -1), why.get(name, ""))
        for name, one in errors.items()
    }


def _branches(lowered: LoweredProblem, targets: Array, pose: Pose) -> dict[str, int]:
    """The alternative that counts, by goal that has several."""
    if not (lowered.terms["choice"] >= 0).any():
        return {}
    chosen = term_errors(lowered, targets, pose)[1]
    rows = [row for row in np.flatnonzero(chosen) if lowered.terms["choice"][row] >= 0]
    return {lowered.goals[lowered.refs[row].goal].label: lowered.refs[row].branch for row in rows}
