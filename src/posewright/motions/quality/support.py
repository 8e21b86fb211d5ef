"""The centre of mass against the support polygon: the convex hull of the feet in contact, as wide as the feet are.

A convex set and a point c have the signed distance `max over unit u of u·c - h(u)`, h(u) being how far the set
reaches along u: outside it is the distance, inside minus the distance to the nearest edge. For the hull of points the
maximum is at the normal of an edge or in the direction from a corner to c, so trying these gives it exactly.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array, BoolArray
from posewright.errors import InvalidFigure
from posewright.figures.capsules import capsule_table
from posewright.figures.figure import Figure
from posewright.figures.kinematics import centre_of_mass, site_frames
from posewright.motions.motion import Motion

_CHUNK = 4096
"""Frames at a time: memory stays small for long clips."""


def support_distances(motion: Motion, feet: tuple[str, ...], touching: BoolArray) -> Array:
    """Signed distance (frames,), m, of the centre of mass from the support polygon, seen from above.

    Negative inside; nan in frames without contact. Figures without masses get them from their segments' volumes.

    Raises:
        InvalidFigure: the figure has neither masses nor segments of any volume.
    """
    figure = motion.figure
    weighed = figure if figure.tables.joints["mass"].sum() > 0.0 else figure.with_masses(1.0)
    centre = centre_of_mass(weighed, motion.q)[:, [0, 2]]
    points = site_frames(figure, motion.q, feet).points[..., [0, 2]]
    width = foot_width(figure, feet)
    distances = np.full(len(motion), np.nan)
    on_floor = np.flatnonzero(touching.any(axis=1))
    for first in range(0, len(on_floor), _CHUNK):
        some = on_floor[first : first + _CHUNK]
        distances[some] = hull_distances(centre[some], points[some], touching[some]) - 0.5 * width
    return distances


def hull_distances(point: Array, corners: Array, there: BoolArray) -> Array:
    """Signed distances (n,) of points (n, 2) from the convex hulls of `corners` (n, k, 2), of which some are `there`.

    Every hull needs one corner at least.
    """
    first, second = np.triu_indices(corners.shape[1], 1)
    edges = corners[:, second] - corners[:, first]
    normals = np.stack([-edges[..., 1], edges[..., 0]], axis=-1)
    directions = np.concatenate([normals, -normals, point[:, np.newaxis] - corners], axis=1)
    length = np.linalg.norm(directions, axis=-1, keepdims=True)
    usable = length[..., 0] > 1e-12
    unit = np.divide(directions, length, out=np.zeros_like(directions), where=length > 1e-12)
    reach = np.where(there[:, np.newaxis], np.einsum("ndi,nki->ndk", unit, corners), -np.inf).max(axis=-1)
    # A direction that is not the best one gives less, so corners that are not there do no harm as directions.
    along = np.where(usable, np.einsum("ndi,ni->nd", unit, point) - reach, -np.inf)
    best: Array = along.max(axis=1)
    return np.where(np.isfinite(best), best, 0.0)  # the point is the only corner


def foot_width(figure: Figure, feet: tuple[str, ...]) -> float:
    """m: mean thickness of the capsules on the segments of the feet; 0 where they have none."""
    table = capsule_table(figure)
    joints = {figure.joint_index(figure.site(name).joint) for name in feet}
    own = np.isin(table.joint, list(joints))
    return float(2.0 * table.radii[own].mean()) if own.any() else 0.0


def has_bulk(figure: Figure) -> bool:
    """Whether a centre of mass can be told: by masses or by volumes."""
    if figure.tables.joints["mass"].sum() > 0.0:
        return True
    try:
        figure.with_masses(1.0)
    except InvalidFigure:
        return False
    return True
