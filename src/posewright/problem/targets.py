"""New targets for a lowered problem, by the names of its goals: a point, a rotation, or both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from posewright.checks import must_be
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.goals.fields import checked_direction, checked_directions, checked_matrices
from posewright.goals.term import POINT, X, Y
from posewright.problem.lowered_problem import Address, LoweredProblem

Values = Sequence[Any] | Array
"""Numbers of a target, or rows of them, one per solve."""
Targets = Mapping[str, Values] | Mapping[Address, Values]
"""Targets by goal label, or by label and part."""
_TOO_LARGE = 1e150  # as for the targets of goals
_ACCEPTED = {
    (True, 0): "3 numbers: a point",
    (True, 1): "6 numbers: a point and a direction; or 3: a point",
    (True, 2): "9 numbers: a point and two directions; 7: a point and a quaternion wxyz; a 4x4 matrix; or 3: a point",
    (False, 1): "3 numbers: a direction",
    (False, 2): "6 numbers: two directions; 4: a quaternion wxyz; or a 3x3 matrix",
}
"""Accepted targets, by whether a goal has a point, and by its number of directions."""


def write_target(lowered: LoweredProblem, targets: Array, goal: Address, values: Values) -> None:
    """Write a goal's new target into `targets` (terms, TARGET_WIDTH).

    Args:
        lowered: the problem.
        targets: the array to modify.
        goal: label of the goal; or the label and a part, ("hand", "orientation"), or the number of an alternative.
        values: the new target, depending on the goal: a point (3 numbers, m), a direction (3), both (6), a rotation
            (two directions, a quaternion wxyz or a 3x3 matrix), or a point followed by a rotation (9 or 7 numbers, or
            a 4x4 matrix). A point alone keeps the directions.

    Raises:
        UnknownName: there is no such goal.
        InvalidSetting: the goal does not take such a target.
    """
    row = lowered.point_rows.get(goal)
    if row is not None:
        try:  # what a drag asks for, thousands of times a second
            x, y, z = values
            if math.hypot(x, y, z) < _TOO_LARGE:
                targets[row, POINT] = x, y, z
                return
        except (TypeError, ValueError, OverflowError):
            pass
    rows = lowered.rows_at(goal)
    terms = [lowered.site_terms[row] for row in rows]
    if any(term.partner is not None for term in terms):
        raise InvalidSetting(f"the target of {goal!r} is a site of the figure; use `Problem.replacing` to change it")
    has_point = any("point" in term.takes for term in terms)
    turned = [(row, axis) for row, term in zip(rows, terms, strict=True) for axis in term.takes if axis != "point"]
    point, directions = _parsed(values, has_point, len(turned), f"the target of {goal!r}")
    for row, term in zip(rows, terms, strict=True):
        if "point" in term.takes:
            targets[row, POINT] = point
    for (row, axis), direction in zip(turned, directions, strict=True):
        targets[row, X if axis == "x" else Y] = direction


def stacked_targets(lowered: LoweredProblem, targets: Array, by_goal: Targets) -> Array:
    """Targets (solves, terms, TARGET_WIDTH) of many solves.

    Args:
        lowered: the problem.
        targets: targets (terms, TARGET_WIDTH) of goals that are not named.
        by_goal: arrays (solves, ...) with rows as the values of `write_target`.

    Raises:
        UnknownName: there is no such goal.
        InvalidSetting: the numbers of targets differ between goals, or a goal does not take such a target.
    """
    tables = {goal: _numbers(values, f"the targets of {goal!r}") for goal, values in by_goal.items()}
    for goal, table in tables.items():
        if table.ndim < 2:
            raise InvalidSetting(f"the targets of {goal!r} must have a row per solve, got shape {table.shape}")
    counts = {goal: len(table) for goal, table in tables.items()}
    if len(set(counts.values())) != 1:
        found = ", ".join(f"{n} for {goal!r}" for goal, n in counts.items()) or "none"
        raise InvalidSetting(f"every named goal must have the same number of targets; found {found}")
    stack = np.repeat(targets[np.newaxis], next(iter(counts.values())), axis=0)
    for goal, table in tables.items():
        row = lowered.point_rows.get(goal)
        if row is not None and table.shape[1:] == (3,):
            stack[:, row, POINT] = table
            continue
        for one, values in zip(stack, table, strict=True):
            write_target(lowered, one, goal, values)
    return stack


def _numbers(values: Values, what: str) -> Array:
    try:
        given = np.asarray(values)
        if given.dtype.kind in "US":  # text is not a number, even if it reads like one
            raise TypeError
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidSetting(must_be(what, f"finite numbers below {_TOO_LARGE:g}", values)) from None


def _parsed(
    values: Values, has_point: bool, n_directions: int, what: str
) -> tuple[Array | None, Sequence[Sequence[float]]]:
    """The point of a target, and `n_directions` unit directions."""
    given = _numbers(values, what)
    if not (np.isfinite(given).all() and np.linalg.norm(given) < _TOO_LARGE):
        raise InvalidSetting(must_be(what, f"finite numbers below {_TOO_LARGE:g}", values))
    n = 3 * has_point
    if n_directions == 2 and has_point and given.shape == (4, 4):
        matrix = checked_matrices(given[:3, :3], f"the rotation of {what}")
        return given[:3, 3], checked_directions(matrix[:, 0].tolist(), matrix[:, 1].tolist(), what)
    if n_directions == 2 and (given.shape == (n + 4,) or (not has_point and given.shape == (3, 3))):
        matrix = checked_matrices(given[n:] if given.ndim == 1 else given, f"the rotation of {what}")
        return given[:n], checked_directions(matrix[:, 0].tolist(), matrix[:, 1].tolist(), what)
    if given.shape != (n + 3 * n_directions,):
        size = f"{given.size} numbers" if given.ndim == 1 else f"shape {given.shape}"
        raise InvalidSetting(f"{what} has {size}; this goal takes {_ACCEPTED[has_point, n_directions]}")
    along = given[n:].reshape(-1, 3).tolist()
    if n_directions == 2:
        return given[:n], checked_directions(along[0], along[1], what)
    return given[:n], [checked_direction(one, f"the direction of {what}") for one in along]
