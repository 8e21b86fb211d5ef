"""Evaluate goals at a pose, by the problem's tables. All errors and `reached` come from here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np

from posewright.conventions import Array, BoolArray
from posewright.errors import UnknownName
from posewright.figures import Pose
from posewright.goals.term import LinearTerm, Part, Unit
from posewright.kernels.goals.terms import clip_errors
from posewright.problem.lowered_problem import LoweredProblem


class GoalError(float):
    """The error of a goal: a number, in m or rad, with the goal's label, unit and tolerance.

    It is infinite if the goal is undefined, because a site lies on the point at which it should aim. For a goal with
    several parts, it is the error of the part with the largest ratio of error to tolerance.
    """

    goal: str
    """Label of the goal."""
    part: Part | None
    """The part of the goal, or None if the goal has only one."""
    unit: Unit
    tolerance: float
    """Tolerance in `unit`; infinite for goals without one."""
    frame: int | None
    """For a motion, the frame that has this error."""
    _parts: tuple[GoalError, ...]

    def __new__(
        cls,
        value: float,
        goal: str,
        unit: Unit,
        tolerance: float,
        part: Part | None = None,
        frame: int | None = None,
        parts: Sequence[GoalError] = (),
    ) -> Self:
        """Make an error; for a goal without tolerance, `value` is the root mean square over its rows."""
        self = super().__new__(cls, value)
        self.goal, self.unit, self.tolerance, self.part, self.frame = goal, unit, tolerance, part, frame
        self._parts = tuple(parts)
        return self

    @classmethod
    def worst(cls, parts: Sequence[GoalError]) -> GoalError:
        """The error of a goal with these parts."""
        found = max(parts, key=lambda error: error.ratio)
        return cls(found.value, found.goal, found.unit, found.tolerance, found.part, found.frame, parts)

    @property
    def parts(self) -> tuple[GoalError, ...]:
        """The error of every part, itself included."""
        return self._parts or (self,)  # one that held itself would wait for the garbage collector

    @property
    def value(self) -> float:
        """The error in `unit`."""
        return float(self)

    @property
    def ratio(self) -> float:
        """Ratio of error to tolerance; above 1 the goal is missed."""
        return float(self) / self.tolerance

    @property
    def label(self) -> str:
        """Label of the goal, with the part if there are several."""
        return self.goal if self.part is None else f"{self.goal} {self.part}"

    @property
    def reached(self) -> bool:
        """Whether the error is within the tolerance."""
        return float(self) <= self.tolerance

    def __str__(self) -> str:
        when = "" if self.frame is None else f" at frame {self.frame}"
        return f"{self.label} {readable(float(self), self.unit)}{when}"

    __repr__ = __str__


class Errors(dict[str, GoalError]):
    """Errors by goal label; `errors["left_hand", "orientation"]` is the error of one part of a goal."""

    def __init__(self, parts: Sequence[GoalError] = ()) -> None:
        by_goal: dict[str, list[GoalError]] = {}
        for error in parts:
            by_goal.setdefault(error.goal, []).append(error)
        super().__init__({goal: own[0] if len(own) == 1 else GoalError.worst(own) for goal, own in by_goal.items()})

    def __getitem__(self, goal: str | tuple[str, Part]) -> GoalError:
        """The error of a goal, or of a part of it.

        Raises:
            UnknownName: there is no such goal, or it has no such part.
        """
        label, part = (goal, None) if isinstance(goal, str) else goal
        if label not in self:
            raise UnknownName("goal", label, self, where="the result")
        whole = super().__getitem__(label)
        if part is None:
            return whole
        parts: dict[str, GoalError] = {error.part or _only_part(error): error for error in whole.parts}
        if part not in parts:
            raise UnknownName("part", part, parts, where=f"goal {label!r}")
        return parts[part]

    @property
    def parts(self) -> tuple[GoalError, ...]:
        """Errors of all parts of all goals."""
        return tuple(part for error in self.values() for part in error.parts)

    @property
    def missed(self) -> tuple[GoalError, ...]:
        """The errors in `parts` that are outside their tolerances."""
        return tuple(part for part in self.parts if not part.reached)

    @property
    def reached(self) -> bool:
        """Whether all errors are within their tolerances."""
        return all(error.reached for error in self.values())

    def worst(self, n: int) -> tuple[GoalError, ...]:
        """The `n` goals with the largest ratio of error to tolerance."""
        return tuple(sorted(self.values(), key=lambda error: -error.ratio)[:n])


def _only_part(error: GoalError) -> Part:
    return "orientation" if error.unit == "rad" else "position"


def goal_errors(lowered: LoweredProblem, targets: Array, pose: Pose, start: Array) -> Errors:
    """Errors of all goals at a pose; `start` is the reference of posture goals that have none."""
    found = []
    if len(lowered.terms):
        values, chosen = term_errors(lowered, targets, pose)
        for k, goal in enumerate(lowered.goals):
            rows = lowered.goal_sites[k]
            own = [row for row in range(rows.start, rows.stop) if chosen[row]]
            parts = lowered.parts_of(own)
            for part, shared in parts.items():
                row = max(shared, key=lambda row: float(values[row] / lowered.terms["tolerance"][row]))
                tolerance = float(lowered.terms["tolerance"][row])
                found.append(
                    GoalError(
                        float(values[row]), goal.label, lowered.units[row], tolerance, part if len(parts) > 1 else None
                    )
                )
    for label, term, _, tolerance in lowered.python:
        found.append(GoalError(float(np.linalg.norm(term.residual(pose))), label, term.unit, tolerance))
    for label, approached in lowered.soft_terms:
        if isinstance(approached, LinearTerm):
            gap = approached.matrix @ lowered.problem.space.in_chart(pose.q) - approached.target
        else:
            reference = start if approached.reference is None else approached.reference
            gap = (pose.q - reference)[approached.weights > 0.0]
        found.append(GoalError(float(np.sqrt(np.mean(gap**2))), label, "rad", math.inf))
    return Errors(found)


def errors_by_goal(lowered: LoweredProblem, errors: Array) -> dict[str | tuple[str, Part], Array]:
    """Errors of many poses as (n,) by goal label, or by label and part where a goal has several parts.

    Args:
        lowered: the problem.
        errors: (n, terms), m or rad; or with goals in Python, (n, columns) as in `LoweredProblem.columns`.
    """
    found: dict[str | tuple[str, Part], Array] = {}
    for k, goal in enumerate(lowered.goals):
        rows = range(lowered.goal_sites[k].start, lowered.goal_sites[k].stop)
        parts = lowered.parts_of(rows)
        for part, own in parts.items():
            branches: dict[int, list[int]] = {}
            for row in own:
                branches.setdefault(lowered.refs[row].branch, []).append(row)
            # the worst of a part, of the nearest alternative
            nearest = np.min([errors[:, branch].max(axis=1) for branch in branches.values()], axis=0)
            found[goal.label if len(parts) == 1 else (goal.label, part)] = nearest
    for (label, *_), own_errors in zip(lowered.python, errors.T[len(lowered.terms) :], strict=False):
        found[label] = np.maximum(found.get(label, 0.0), own_errors)
    return found


def term_errors(lowered: LoweredProblem, targets: Array, pose: Pose) -> tuple[Array, BoolArray]:
    """Error of each term (m or rad) and whether it counts (alternatives that are not nearest do not)."""
    errors, chosen = np.zeros((1, len(targets))), np.zeros((1, len(targets)))
    q = np.array(pose.q[np.newaxis])
    clip_errors(*pose.figure.tables, lowered.terms, np.array(targets[np.newaxis]), q, errors, chosen)
    return errors[0], chosen[0] != 0.0


def readable(error: float, unit: Unit) -> str:
    """An error in readable units: millimetres, metres or degrees; "undefined" if it is infinite."""
    if math.isinf(error):
        return "undefined"
    if unit == "rad":
        return f"{_two_digits(math.degrees(error))}°"
    return f"{_two_digits(error * 1000)} mm" if error < 0.9995 else f"{error:.3g} m"


def _two_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 99.5 else f"{value:.2g}"  # 500, not 5e+02
