"""New targets for a lowered problem, by the names of its goals: a point, directions, or both."""

from __future__ import annotations

import math
from collections.abc import Sequence

from posewright.conventions import Array
from posewright.errors import InvalidSetting, UnknownName
from posewright.goals.orientation import check_directions
from posewright.goals.term import checked_direction
from posewright.kernels.tables import DIRECTION, HALF_SPACE, LINE, PLANE, ROTATION
from posewright.problem.lowering import LoweredProblem

_POINT = slice(0, 3)
_X, _Y = slice(3, 6), slice(6, 9)


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
    row = lowered.point_rows.get(label)
    if row is not None and len(values) == 3 and all(map(math.isfinite, values)):
        targets[row, _POINT] = values  # what a drag asks for, thousands of times a second
        return
    row = lowered.rows.get(label)
    if row is None:
        raise UnknownName("goal", label, lowered.labels, where="the prepared problem")
    if len(values) not in (3, 6, 9) or not all(map(math.isfinite, values)):
        raise InvalidSetting(
            f"the target of {label!r} is {list(values)}; it must be 3, 6 or 9 finite numbers: "
            "a point and up to two directions"
        )
    if lowered.terms["partner"][row] >= 0:
        raise InvalidSetting(
            f"the target of {label!r} is a site of the figure; `Problem.replacing` gives it another one"
        )
    _write_directions(lowered, targets, label, values)
    if label in lowered.point_rows:
        targets[row, _POINT] = values[:3]


def _write_directions(lowered: LoweredProblem, targets: Array, label: str, values: Sequence[float]) -> None:
    kinds = lowered.terms["kind"]
    parts = [lowered.rows[part] for part in (label, f"{label}.turn", f"{label}.turn2") if part in lowered.rows]
    rows = [row for row in parts if kinds[row] in (LINE, PLANE, HALF_SPACE, DIRECTION, ROTATION)]
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
