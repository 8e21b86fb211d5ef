"""Explain why goals were missed: frozen, held back by limits or constraints, lost to other goals, or out of reach.

First, each missed goal is solved alone; the remaining error says how far it is out of reach. What holds it back follows
from the forces that balance it at a stationary pose (Kuhn and Tucker): with p = Jᵀρ of the goal,
p + Σ (forces of goals of its own priority) + Σ λ (rows of higher priorities) + Σ μ (active limits, μ >= 0) = 0.
The share of each force in holding the goal back is -(force · p)/‖p‖²; the shares sum to 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array, BoolArray
from posewright.errors import UnknownName
from posewright.figures import Pose
from posewright.goals import Goal
from posewright.goals.term import Part
from posewright.kernels.tables import SLIDE
from posewright.problem.evaluation import Errors, GoalError, goal_errors, readable
from posewright.problem.linearisation import GoalRows, linearise
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.lowering import lower
from posewright.problem.problem import Problem
from posewright.problem.result import Preparer

_NOTABLE = 0.05  # smaller shares are not reported
_STRETCHED = 1e-2  # a force below this fraction of ‖J‖‖ρ‖ counts as zero: the goal's own optimum is reached
_ACTIVE = 1e-7  # distance from an active limit, in units


@dataclass(frozen=True)
class Hold:
    """A limit, constraint or goal that holds another goal back."""

    name: str
    """Name of a dof or coordinate at its limit, of a linear constraint, or of another goal."""
    text: str
    share: float
    """Fraction of the goal's force that it balances, about 0 to 1."""


@dataclass(frozen=True)
class MissedGoal:
    """Why one goal was missed."""

    error: GoalError
    frozen: bool
    """Whether nothing on its chain may move."""
    out_of_reach: float
    """Error (m or rad) that remains if the goal is solved alone; 0 if it is then reached."""
    unfinished: bool
    """Whether that search did not converge, so that the true `out_of_reach` may be less."""
    limits: tuple[Hold, ...]
    """Limits and linear constraints that hold it back, the strongest first."""
    rivals: tuple[Hold, ...]
    """Goals that it lost to, the strongest first."""
    weightless: bool = False
    """Whether its weight is 0."""

    def __str__(self) -> str:
        reasons = []
        if self.frozen:
            reasons.append("nothing on its chain may move")
        elif self.weightless:
            reasons.append("its weight is 0")
        elif self.unfinished:
            amount = readable(self.out_of_reach, self.error.unit)
            reasons.append(f"out of reach by at most {amount} (even alone, the search did not converge)")
        elif self.out_of_reach:
            reasons.append(f"out of reach by {readable(self.out_of_reach, self.error.unit)}, even without other goals")
        if self.rivals:
            reasons.append("lost to " + ", ".join(hold.text for hold in self.rivals))
        if self.limits:
            reasons.append("held back by " + ", ".join(hold.text for hold in self.limits))
        if not reasons:
            reasons.append("reachable alone, and nothing opposes it here; another start or more iterations may help")
        return f"{self.error.label} missed by {readable(self.error.value, self.error.unit)}: {'; '.join(reasons)}"


@dataclass(frozen=True)
class Explanation:
    """Explanations of all goals that a result missed; prints as one line per missed goal."""

    missed: tuple[MissedGoal, ...]

    def __getitem__(self, label: str) -> MissedGoal:
        """The missed goal with this label.

        Raises:
            UnknownName: no goal with this label was missed.
        """
        missed = {goal.error.goal: goal for goal in self.missed}
        if label not in missed:
            raise UnknownName("missed goal", label, missed, where="the explanation")
        return missed[label]

    def __iter__(self) -> Iterator[MissedGoal]:
        return iter(self.missed)

    def __len__(self) -> int:
        return len(self.missed)

    def __str__(self) -> str:
        return "\n".join(map(str, self.missed)) or "every goal was reached"


def explain(lowered: LoweredProblem, targets: Array, pose: Pose, start: Array, solver: Preparer) -> Explanation:
    """Explain each goal that a pose misses.

    Args:
        lowered: the problem.
        targets: targets (terms, TARGET_WIDTH) of the solve.
        pose: the answer.
        start: (dofs,): the start of the search, or the reference of posture goals instead.
        solver: the solver; it solves each missed goal alone.
    """
    weighed = _as_weighed(lowered, solver)
    rows = linearise(weighed, targets, lowered.problem.space.encode(pose.q), start)
    errors = goal_errors(lowered, targets, pose, start)
    stated = {goal.label: goal.priority for goal in lowered.goals}
    weightless = {
        (lowered.goals[ref.goal].label, ref.part)
        for ref, weight in zip(lowered.refs, lowered.terms["weight"], strict=True)
        if weight == 0.0
    }
    found = []
    for goal, part, movable in zip(lowered.goals, rows, lowered.movable_goals, strict=True):
        error = _worst_miss(goal, errors, weightless)
        if error is None:
            continue
        if not movable:
            found.append(MissedGoal(error, True, error.value, False, (), ()))
            continue
        if goal.weight == 0.0 or (error.goal, error.part) in weightless:
            found.append(MissedGoal(error, False, 0.0, False, (), (), weightless=True))
            continue
        alone = solver.prepare(_only(lowered.problem, goal)).solve(targets, pose)
        # the same part: a placement may miss its turn beside others, and alone its place, which is no angle
        missed = next((e for e in alone.errors.missed if (e.goal, e.part) == (error.goal, error.part)), None)
        if missed is None or missed.value < 0.95 * error.value:  # others take something from it
            limits, rivals = _holds(weighed, rows, part, lowered.problem.space.encode(pose.q), stated)
        else:
            x = lowered.problem.space.encode(alone.q)
            single = [r for r in linearise(weighed, targets, x, start) if r.goal is part.goal]
            limits, rivals = _holds(weighed, single, single[0], x, stated)
        out_of_reach = 0.0 if missed is None else missed.value
        unfinished = missed is not None and alone.stopped != "stationary"
        found.append(MissedGoal(error, False, out_of_reach, unfinished, limits, rivals))
    return Explanation(tuple(found))


def _as_weighed(lowered: LoweredProblem, solver: Preparer) -> LoweredProblem:
    """The problem as the solver treats it, with priorities beyond its strict ones as weights."""
    strict = int(min(solver.support.strict_levels, len(lowered.goals) + 1))
    weighed, _ = lowered.problem.with_priorities_as_weights(strict)
    return lowered if weighed is lowered.problem else lower(weighed)


def _worst_miss(goal: Goal, errors: Errors, weightless: set[tuple[str, Part]]) -> GoalError | None:
    """The part of a goal that is furthest outside its tolerance; one without weight only if there is no other."""
    own = [error for error in errors.missed if error.goal == goal.label]
    return max(own, key=lambda error: ((error.goal, error.part) not in weightless, error.ratio), default=None)


def _only(problem: Problem, wanted: Goal) -> Problem:
    """The same problem with weight 0 for the other goals; the joints that they recruit still move."""
    goals = [
        replace(goal, priority=1, weight=1.0)  # alone, its weight says nothing; a tiny one would end the search early
        if goal is wanted
        else replace(goal, priority=1, weight=0.0, tolerance=math.inf)
        for goal in problem.goals
    ]
    return Problem(problem.space, goals, constraints=problem.constraints, frozen=problem.frozen)


def _holds(
    lowered: LoweredProblem,
    rows: tuple[GoalRows, ...] | list[GoalRows],
    wanted: GoalRows,
    x: Array,
    stated: Mapping[str, int],
) -> tuple[tuple[Hold, ...], tuple[Hold, ...]]:
    """Limits and goals that balance the pull of one goal at x; texts have the priorities that the user stated."""
    from scipy.optimize import lsq_linear  # slow to import, seldom needed

    moving = lowered.moving
    pull = wanted.pull[moving]
    size = float(pull @ pull)
    if math.sqrt(size) <= _STRETCHED * np.linalg.norm(wanted.J[:, moving]) * np.linalg.norm(wanted.rho):
        return (), ()
    equals = [r for r in rows if r is not wanted and r.goal.priority == wanted.goal.priority]
    higher = [r for r in rows if r.goal.priority < wanted.goal.priority]
    total = pull + sum((r.pull[moving] for r in equals), np.zeros(len(pull)))
    texts, normals, signed = _active(lowered, x, moving)
    matrix = np.concatenate([*(r.J[:, moving] for r in higher), normals]).T
    signs = np.concatenate([np.zeros(sum(len(r.rho) for r in higher), np.bool_), signed])
    strength = np.zeros(0)
    if matrix.size:
        lengths = np.maximum(np.linalg.norm(matrix, axis=0), 1e-12)
        low = np.where(signs, 0.0, -np.inf)
        # bvls: where forces may balance in many ways it takes small ones; the default method runs off to infinity there
        strength = lsq_linear(matrix / lengths, -total, bounds=(low, np.inf), method="bvls").x / lengths
    rivals = [(r, r.pull[moving]) for r in equals]
    first = 0
    for r in higher:
        part = slice(first, first + len(r.rho))
        rivals.append((r, matrix[:, part] @ strength[part]))
        first = part.stop
    held = [
        Hold(name, text, float(-(force @ pull) / size))
        for (name, text), force in zip(texts, (matrix * strength).T[first:], strict=True)
    ]
    lost = [
        Hold(r.goal.label, _rank(r.goal, wanted.goal, stated), float(-(force @ pull) / size)) for r, force in rivals
    ]
    return _strongest(held), _strongest(lost)


def _active(lowered: LoweredProblem, x: Array, moving: BoolArray) -> tuple[list[tuple[str, str]], Array, BoolArray]:
    """Active limits and rows at x: names and texts, outward normals (active, moving), which may only push."""
    region, texts, normals, signed = lowered.region, [], [], []
    eye = np.eye(len(x))
    for c in np.flatnonzero(moving):
        name = region.coordinate_names[c]
        for side, bound, sign in (("lower", region.lower[c], -1.0), ("upper", region.upper[c], 1.0)):
            if abs(x[c] - bound) <= _ACTIVE * region.units[c]:
                texts.append((name, f"{name} at its {side} limit of {_amount(lowered, int(c), bound)}"))
                normals.append(sign * eye[c])
                signed.append(True)
    for i, name in enumerate(region.names):
        if i < region.n_equal or region.b[i] - region.A[i] @ x <= _ACTIVE:
            texts.append((name, f"the constraint {name}"))
            normals.append(region.A[i])
            signed.append(i >= region.n_equal)
    return texts, np.array(normals).reshape(-1, len(x))[:, moving], np.array(signed, np.bool_)


def _amount(lowered: LoweredProblem, coordinate: int, value: float) -> str:
    driven = np.flatnonzero(lowered.problem.space.matrix[:, coordinate])
    slides = len(driven) and (lowered.dofs["kind"][driven] == SLIDE).all()
    return f"{value:.3g} m" if slides else f"{math.degrees(value):.3g}°"


def _rank(rival: Goal, wanted: Goal, stated: Mapping[str, int]) -> str:
    if rival.priority < wanted.priority:
        return f"{rival.label} (priority {stated[rival.label]} before {stated[wanted.label]})"
    return f"{rival.label} (weight {rival.weight:g} against {wanted.weight:g})"


def _strongest(holds: list[Hold]) -> tuple[Hold, ...]:
    return tuple(sorted((h for h in holds if h.share > _NOTABLE), key=lambda h: -h.share))
