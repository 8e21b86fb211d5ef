"""The measures themselves: numbers from arrays of points, angles and contacts. Formulas: docs/measures.md.

Support: a convex set and a point c have the signed distance `max over unit u of u·c - h(u)`, h(u) being how far the set
reaches along u: outside it is the distance, inside minus the distance to the nearest edge. For the hull of points the
maximum is at the normal of an edge or in the direction from a corner to c, so trying these gives it exactly.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array, BoolArray
from posewright.errors import InvalidFigure
from posewright.figures.capsules import capsule_pairs, capsule_table
from posewright.figures.figure import Figure
from posewright.figures.kinematics import JointFrames, centre_of_mass, site_points
from posewright.motions.contacts import intervals
from posewright.motions.floor import Floor
from posewright.motions.motion import Motion
from posewright.motions.speeds import JointRates

JUMP_TURN = 0.1
"""rad: a joint that departs by more from how it turns in the frames around has jumped."""
JUMP_SLIDE = 0.02
"""Figure heights: the same for sliding."""


def limit_excess(motion: Motion) -> Array:
    """How far each dof is outside its limits (frames, dofs), rad or m; zero inside."""
    excess: Array = np.maximum(0.0, np.maximum(motion.figure.lower - motion.q, motion.q - motion.figure.upper))
    return excess


def skate_speed(points: Array, touching: BoolArray, fps: float) -> float:
    """Mean horizontal speed, m/s, of points (frames, sites, 3) from one contact frame to the next."""
    both = touching[1:] & touching[:-1]
    travel = np.linalg.norm(np.diff(points[..., [0, 2]], axis=0), axis=-1)
    return float(travel[both].sum() * fps / both.sum()) if both.any() else 0.0


def contact_speeds(points: Array, touching: BoolArray, fps: float) -> Array:
    """Per frame, the greatest horizontal speed (frames,), m/s, of a point since the frame before, both in contact."""
    both = touching[1:] & touching[:-1]
    travel = np.linalg.norm(np.diff(points[..., [0, 2]], axis=0), axis=-1) * fps
    return np.concatenate([[0.0], np.where(both, travel, 0.0).max(axis=1)])


def contact_drifts(points: Array, touching: BoolArray) -> Array:
    """Per frame, the greatest horizontal distance (frames,), m, of a point from where its contact began."""
    drifts = np.zeros(len(points))
    for site in range(touching.shape[1]):
        flat = points[:, site][:, [0, 2]]
        for first, after in intervals(touching[:, site]):
            away = np.linalg.norm(flat[first:after] - flat[first], axis=-1)
            drifts[first:after] = np.maximum(drifts[first:after], away)
    return drifts


def penetration_depths(points: Array, floor: Floor) -> Array:
    """Per frame, how deep the lowest point is below the floor (frames,), m; zero above."""
    depths: Array = np.maximum(0.0, -floor.heights_of(points).min(axis=1))
    return depths


def contact_gap(points: Array, touching: BoolArray, floor: Floor) -> float:
    """Mean height above the floor, m, of the points in contact; what is below the floor counts as zero."""
    heights = np.maximum(0.0, floor.heights_of(points))
    return float(heights[touching].mean()) if touching.any() else 0.0


def root_mean_square(values: Array) -> float:
    """Of values over frames; nan does not count."""
    known = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else 0.0


def jerks(points: Array, fps: float) -> Array:
    """Root mean square over points (frames, n, 3) of their third derivative (frames - 3,), m/s³."""
    third = np.diff(points, n=3, axis=0) * fps**3
    rates: Array = np.sqrt(np.mean(np.sum(third**2, axis=-1), axis=-1))
    return rates


def turn_speeds(turning: Array, fps: float) -> Array:
    """For each step (frames - 1, joints, 3), rad, how fast the fastest joint turns against its parent, rad/s."""
    speeds: Array = _lengths(turning).max(axis=1, initial=0.0) * fps
    return speeds


def speed_shares(motion: Motion) -> Array:
    """For each step between frames, the greatest speed of a dof as a share of what it may have (frames - 1,)."""
    shares: Array = (np.abs(np.diff(motion.q, axis=0)) * motion.fps / motion.figure.max_speeds).max(axis=1, initial=0.0)
    return shares


def constraint_excess(motion: Motion) -> Array:
    """How far the sums of the figure's linear constraints are outside their bounds (frames, constraints), rad or m."""
    excess = np.zeros((len(motion), len(motion.figure.constraints)))
    for column, row in enumerate(motion.figure.constraints):
        total = sum(factor * motion.q[:, motion.figure.dof_index(dof)] for dof, factor in row.coefficients)
        excess[:, column] = np.maximum(0.0, np.maximum(row.lower - total, total - row.upper))
    return excess


def self_contact_depths(figure: Figure, placed: JointFrames) -> Array:
    """Per frame, how deep two parts of the body are in each other (frames,), m; zero where none are."""
    gaps = capsule_pairs(figure).nearest(placed).gap
    depths: Array = np.maximum(0.0, -gaps)
    return depths


def acceleration_peak(points: Array, fps: float) -> float:
    """Greatest second difference of points (frames, n, 3) over frames and points, m/s²."""
    return float(accelerations(points, fps).max(initial=0.0))


def accelerations(points: Array, fps: float) -> Array:
    """The same over the points alone, (frames - 2,)."""
    second = np.diff(points, n=2, axis=0) * fps**2
    greatest: Array = _lengths(second).max(axis=1, initial=0.0)
    return greatest


def jump_sizes(steps: JointRates, height: float) -> Array:
    """For each step between frames, how far the worst joint departs from the steps around (frames - 1,).

    In units of what is allowed to a figure of a height (m): above 1 is a jump.
    """
    if len(steps.turning) < 3:
        return np.zeros(len(steps.turning))
    slide = JUMP_SLIDE * height or 1.0
    slides = steps.sliding.any(axis=(0, 2))  # most joints do not
    turning, sliding = _departures(steps.turning, JUMP_TURN), _departures(steps.sliding[:, slides], slide)
    sizes: Array = np.maximum(turning.max(axis=1, initial=0.0), sliding.max(axis=1, initial=0.0))
    return sizes


def _departures(steps: Array, allowed: float) -> Array:
    """Distance of steps (n, joints, 3) from the median of the two before and two after, in units of what is allowed.

    Where the steps around differ among themselves (a fast movement at a low frame rate) more is allowed.
    """
    n = len(steps)
    padded = np.pad(steps, ((2, 2), (0, 0), (0, 0)), mode="reflect")
    around = np.stack([padded[k : k + n] for k in (0, 1, 3, 4)])
    usual = _middle_of_four(around)
    spread = _middle_of_four(_lengths(around - usual))
    departures: Array = _lengths(steps - usual) / (allowed + 3.0 * spread)
    return departures


def _lengths(vectors: Array) -> Array:
    """Of vectors (..., 3): several times as fast as numpy's norm, which sums along short rows."""
    lengths: Array = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))
    return lengths


def _middle_of_four(values: Array) -> Array:
    """The median over the first axis, which has length 4, much faster than by sorting."""
    middle: Array = 0.5 * (values.sum(axis=0) - values.max(axis=0) - values.min(axis=0))
    return middle


def support_distances(motion: Motion, feet: tuple[str, ...], touching: BoolArray) -> Array:
    """Signed distance (frames,), m, of the centre of mass from the support polygon, seen from above.

    Negative inside; nan in frames without contact. Figures without masses get them from their segments' volumes.

    Raises:
        InvalidFigure: the figure has neither masses nor segments of any volume.
    """
    figure = motion.figure
    weighed = figure if figure.tables.joints["mass"].sum() > 0.0 else figure.with_masses(1.0)
    centre = centre_of_mass(weighed, motion.q)[:, [0, 2]]
    points = site_points(figure, motion.q, feet)[..., [0, 2]]
    distances = np.full(len(motion), np.nan)
    some = touching.any(axis=1)
    distances[some] = hull_distances(centre[some], points[some], touching[some]) - 0.5 * foot_width(figure, feet)
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
    """Whether a centre of mass is known: by masses or by volumes."""
    if figure.tables.joints["mass"].sum() > 0.0:
        return True
    try:
        figure.with_masses(1.0)
    except InvalidFigure:
        return False
    return True
