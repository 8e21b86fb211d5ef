"""The length unit of files that do not say it: the one that makes the figure a person's size."""

from __future__ import annotations

import math

INCH = 0.0254
CMU_UNIT = INCH / 0.45
"""m; the unit of the CMU database, whose ASF files say `length 0.45`."""

_UNITS = {"metre": 1.0, "decimetre": 0.1, "centimetre": 0.01, "millimetre": 0.001, "inch": INCH}
_PERSON = 1.6
"""m, from sole to crown or to the top of the neck, as skeletons go"""


def guess_unit(height: float, told: float | None, *, is_cmu: bool = False) -> tuple[float, str]:
    """Metres per file unit for a figure `height` units tall, and the note that says why.

    Args:
        height: file units.
        told: what the caller knows it to be, or None.
        is_cmu: whether the joints are named as in the CMU database.
    """
    if told is not None:
        return told, f"unit: {told:g} m, as given"
    if is_cmu and 15.0 < height < 40.0:
        why = "the unit of the CMU database, by its joint names"
        return CMU_UNIT, _note(f"1/0.45 inch = {CMU_UNIT:.6f} m", CMU_UNIT * height, why)
    if not height > 0.0:
        return (
            0.01,
            "unit: assumed centimetre, but the figure has no height that could tell (set metres_per_unit or --unit)",
        )
    name, unit = min(_UNITS.items(), key=lambda item: abs(math.log(item[1] * height / _PERSON)))
    plausible = 1.0 < unit * height < 2.4
    why = "a person's size" if plausible else "the nearest to a person's size, but doubtful"
    return unit, _note(f"{name} = {unit:g} m", unit * height, why)


def _note(unit: str, metres: float, why: str) -> str:
    return f"unit: assumed {unit}; the figure is {metres:.2f} m tall, {why} (set metres_per_unit or --unit to override)"
