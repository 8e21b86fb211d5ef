"""Estimate masses from the shapes of segments, for figures from files without masses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.checks import require_number
from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures.capsules import capsule_table
from posewright.figures.figure import Figure
from posewright.figures.vectors import vector


def with_masses(figure: Figure, total_kg: float) -> Figure:
    """A copy of the figure with `total_kg` distributed over its segments by the volumes of their capsules.

    Each segment's centre of mass is that of its capsules; the density is uniform. Existing masses are replaced. A
    rounded cone of length L and end radii a, b counts as a truncated cone between two half spheres:
    `π L (a² + ab + b²)/3 + 2π (a³ + b³)/3`.

    Raises:
        InvalidSetting: the total is not positive and finite.
        InvalidFigure: no segment has a volume.
    """
    require_number(total_kg, "the total mass", above=0.0, unit="kg")
    table = capsule_table(figure)
    volumes, centres = _rounded_cones(table.start, table.end, table.radii)
    volume = np.bincount(table.joint, weights=volumes, minlength=len(figure.joints))
    if not volume.sum() > 0.0:
        raise InvalidFigure(f"figure {figure.name!r} has no segment of any volume to share {total_kg:g} kg among")
    moment = np.zeros((len(figure.joints), 3))
    np.add.at(moment, table.joint, volumes[:, None] * centres)
    centre = np.divide(moment, volume[:, None], out=np.zeros_like(moment), where=volume[:, None] > 0.0)
    mass = total_kg * volume / volume.sum()
    return replace(
        figure,
        joints=tuple(
            replace(joint, mass=float(m), centre=vector(c))
            for joint, m, c in zip(figure.joints, mass, centre, strict=True)
        ),
    )


def _rounded_cones(start: Array, end: Array, radii: Array) -> tuple[Array, Array]:
    """Volumes (n,) in m³ and centres (n, 3) of truncated cones between half spheres."""
    a, b = radii[:, 0], radii[:, 1]
    axis = end - start
    length = np.linalg.norm(axis, axis=1)
    unit = np.divide(axis, length[:, None], out=np.zeros_like(axis), where=length[:, None] > 0.0)
    cone = np.pi * length * (a * a + a * b + b * b) / 3.0
    first, last = 2.0 * np.pi * a**3 / 3.0, 2.0 * np.pi * b**3 / 3.0
    volumes = cone + first + last
    squares = a * a + a * b + b * b
    middle = np.divide(a * a + 2 * a * b + 3 * b * b, 4.0 * squares, out=np.full_like(a, 0.5), where=squares > 0.0)
    # A half sphere's centre lies 3/8 of its radius beyond its flat face.
    moment = cone * length * middle - first * 0.375 * a + last * (length + 0.375 * b)
    along = np.divide(moment, volumes, out=np.zeros_like(a), where=volumes > 0.0)
    return volumes, start + along[:, None] * unit
