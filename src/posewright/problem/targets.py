"""New targets for a lowered problem, by the names of its goals: a point, directions, or both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting, UnknownName, shown
from posewright.goals.orientation import check_directions
from posewright.goals.term import checked_direction
from posewright.kernels.tables import DIRECTION, HALF_SPACE, LINE, PLANE, ROTATION
from posewright.problem.lowering import LoweredProblem

_POINT = slice(0, 3)
_X, _Y = slice(3, 6), slice(6, 9)
_TOO_LARGE = 1e150  # as for the targets of goals


def write_target(lowered: LoweredProblem, targets: Array, label: str, values: Sequence[float]) -> None:
    """Write a goal's new target into `targets` (terms, TARGET_WIDTH).

    Args:
        lowered: the problem.
        targets: changed.
        label: of a goal, or of a part of one.
        values: a point (m); a point and a direction; a point and two. Directions may have any length.

    Raises:
        UnknownName: there is no such goal.
        InvalidSetting: the goal does not take such a target.
    """
    try:  # their length first: what has none is not finite, too large or no numbers at all
        fits = math.hypot(*values) < _TOO_LARGE and len(values) in (3, 6, 9)
    except (TypeError, OverflowError):
        fits = False
    row = lowered.point_rows.get(label)
    if row is not None and fits and len(values) == 3:
        targets[row, _POINT] = values  # what a drag asks for, thousands of times a second
        return
    row = lowered.rows.get(label)
    if row is None:
        raise UnknownName("goal", label, lowered.labels, where="the prepared problem")
    if not fits:
        raise InvalidSetting(
            f"the target of {label!r} is {shown(values)}; it must be 3, 6 or 9 finite numbers below {_TOO_LARGE:g}: "
            "a point and up to two directions"
        )
    if lowered.terms["partner"][row] >= 0:
        raise InvalidSetting(
            f"the target of {label!r} is a site of the figure; `Problem.replacing` gives it another one"
        )
    _write_directions(lowered, targets, label, values)
    if label in lowered.point_rows:
        targets[row, _POINT] = values[:3]


def stacked_targets(lowered: LoweredProblem, targets: Array, by_label: Mapping[str, Array]) -> Array:
    """Targets (solves, terms, TARGET_WIDTH) of many solves.

    Args:
        lowered: the problem.
        targets: (terms, TARGET_WIDTH), of the goals that are not named.
        by_label: (solves, 3), (solves, 6) or (solves, 9), rows as the values of `write_target`.

    Raises:
        UnknownName: there is no such goal.
        InvalidSetting: these are not as many targets for each goal, or it does not take such.
    """
    tables = {label: _rows(label, values) for label, values in by_label.items()}
    counts = {label: len(table) for label, table in tables.items()}
    if len(set(counts.values())) != 1:
        found = ", ".join(f"{n} for {label!r}" for label, n in counts.items()) or "none"
        raise InvalidSetting(f"targets of many solves must be as many for each goal named; found {found}")
    stack = np.repeat(targets[np.newaxis], next(iter(counts.values())), axis=0)
    for label, table in tables.items():
        row = lowered.point_rows.get(label)
        if row is not None and table.shape[1] == 3:
            stack[:, row, _POINT] = table
            continue
        for one, values in zip(stack, table.tolist(), strict=True):
            write_target(lowered, one, label, values)
    return stack


def _rows(label: str, values: Array) -> Array:
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or table.shape[1] not in (3, 6, 9):
        raise InvalidSetting(
            f"the targets of {label!r} have shape {table.shape}; they must be (solves, 3), (solves, 6) or (solves, 9) "
            "numbers: a point and up to two directions each"
        )
    return table


def _write_directions(lowered: LoweredProblem, targets: Array, label: str, values: Sequence[float]) -> None:
    kinds = lowered.terms["kind"]
    rows = [row for row in lowered.parts(label) if kinds[row] in (LINE, PLANE, HALF_SPACE, DIRECTION, ROTATION)]
    both = len(rows) == 2 or (len(rows) == 1 and kinds[rows[0]] == ROTATION)
    wanted = 9 if both else 6 if rows else 3
    if len(values) != wanted:
        what = {3: "a point", 6: "a point and a direction", 9: "a point and two directions"}[wanted]
        raise InvalidSetting(f"the target of {label!r} has {len(values)} numbers; this goal takes {wanted}: {what}")
    if not both:
        targets[rows[0], _X] = checked_direction(values[_X], f"the direction of {label!r}")
        return
    along, across = (_triple(values[part]) for part in (_X, _Y))
    x, y = check_directions(along, across, None, repr(label))
    assert x is not None
    assert y is not None
    targets[rows[0], _X] = x
    if len(rows) == 2:
        targets[rows[1], _X] = y
    else:
        targets[rows[0], _Y] = y


def _triple(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = values
    return float(x), float(y), float(z)
