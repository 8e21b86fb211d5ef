"""Forward kinematics and Jacobians of poses, for one `q` or for a whole array of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.checks import must_be, require_list
from posewright.conventions import Array
from posewright.errors import InvalidFigure, InvalidMotion, InvalidSetting
from posewright.figures.figure import Figure
from posewright.figures.tables import lower_sites
from posewright.kernels.kinematics import frames as kernels
from posewright.kernels.kinematics import jacobians as jacobian_kernels
from posewright.kernels.tables import Table

_AT_ONCE = 4096  # frames whose joints are placed before their sites are: all of a long clip would be large


@dataclass(frozen=True, eq=False)
class JointFrames:
    """World frames of all joints, with the leading axes of `q`."""

    positions: Array
    """Positions (..., joints, 3), m."""
    rotations: Array
    """Rotations world_from_joint (..., joints, 3, 3)."""


@dataclass(frozen=True, eq=False)
class SiteFrames:
    """World points and axes of sites, with the leading axes of `q`."""

    points: Array
    """(..., sites, 3), m"""
    x_axes: Array
    """(..., sites, 3), unit"""
    y_axes: Array
    """(..., sites, 3), unit"""


def joint_frames(figure: Figure, q: Array) -> JointFrames:
    """World frames of every joint for `q` (..., dofs)."""
    flat, lead = _flatten(figure, q)
    rotations = np.empty((len(flat), len(figure.joints), 3, 3))
    positions = np.empty((len(flat), len(figure.joints), 3))
    kernels.place_all(*figure.tables, flat, rotations, positions)
    return JointFrames(positions.reshape(*lead, *positions.shape[1:]), rotations.reshape(*lead, *rotations.shape[1:]))


def joint_positions(figure: Figure, q: Array) -> Array:
    """World positions (..., joints, 3) of every joint for `q` (..., dofs), m; faster than whole frames."""
    flat, lead = _flatten(figure, q)
    positions = np.empty((len(flat), len(figure.joints), 3))
    kernels.positions_all(*figure.tables, flat, positions)
    return positions.reshape(*lead, *positions.shape[1:])


def site_frames(figure: Figure, q: Array, sites: Sequence[str]) -> SiteFrames:
    """World points and axes of sites for `q` (..., dofs); joints count as sites."""
    flat, lead = _flatten(figure, q, writable=False)
    points, xs, ys = (np.empty((len(flat), len(sites), 3)) for _ in range(3))
    table = site_table(figure, sites)
    for start in range(0, len(flat), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        frames = joint_frames(figure, flat[some])
        kernels.place_sites_all(table, frames.rotations, frames.positions, points[some], xs[some], ys[some])
    shape = (*lead, len(sites), 3)
    return SiteFrames(points.reshape(shape), xs.reshape(shape), ys.reshape(shape))


def site_points(figure: Figure, q: Array, sites: Sequence[str]) -> Array:
    """World points (..., sites, 3) of sites for `q` (..., dofs), m; joints count as sites."""
    flat, lead = _flatten(figure, q, writable=False)
    points = np.empty((len(flat), len(sites), 3))
    for start in range(0, len(flat), _AT_ONCE):  # their directions are not kept
        some = slice(start, start + _AT_ONCE)
        points[some] = site_frames(figure, flat[some], sites).points
    return points.reshape(*lead, len(sites), 3)


def site_jacobians(figure: Figure, q: Array, sites: Sequence[str]) -> Array:
    """Derivatives (..., sites, 9, dofs) of point, x axis and y axis of sites with respect to `q`."""
    flat, lead = _flatten(figure, q)
    out = np.zeros((len(flat), len(sites), 9, figure.n_dofs))
    jacobian_kernels.site_jacobians_all(*figure.tables, site_table(figure, sites), flat, out)
    return out.reshape(*lead, *out.shape[1:])


def centre_of_mass(figure: Figure, q: Array) -> Array:
    """World centre of mass (..., 3), m."""
    _require_mass(figure)
    flat, lead = _flatten(figure, q)
    frames = joint_frames(figure, flat)
    out = np.empty((len(flat), 3))
    kernels.centre_of_mass_all(figure.tables.joints, frames.rotations, frames.positions, out)
    return out.reshape(*lead, 3)


def centre_of_mass_jacobian(figure: Figure, q: Array) -> Array:
    """Derivative (..., 3, dofs) of the centre of mass with respect to `q`."""
    _require_mass(figure)
    flat, lead = _flatten(figure, q)
    out = np.empty((len(flat), 3, figure.n_dofs))
    jacobian_kernels.centre_of_mass_jacobian_all(*figure.tables, flat, out)
    return out.reshape(*lead, *out.shape[1:])


def site_table(figure: Figure, names: Sequence[str]) -> Table:
    """The kernel table of some sites of a figure."""
    require_list(names, "sites", "names, such as ['left_hand']")
    sites = [figure.site(name) for name in names]
    return lower_sites(sites, [figure.joint_index(site.joint) for site in sites])


def _flatten(figure: Figure, q: Array, *, writable: bool = True) -> tuple[Array, tuple[int, ...]]:
    # Nearly all kernels are compiled for writable arrays. Asked of every array, `require` would take as long as FK.
    fits = isinstance(q, np.ndarray) and q.dtype == np.float64 and q.flags.carray
    try:
        array = q if fits else np.require(q, np.float64, ["C", "A", "W"] if writable else ["C", "A"])
    except (TypeError, ValueError):
        raise InvalidSetting(must_be("q", "numbers (..., dofs), such as pose.q or motion.q", q)) from None
    if array.ndim == 0 or array.shape[-1] != figure.n_dofs:
        raise InvalidMotion(f"q has shape {array.shape}; figure {figure.name!r} has {figure.n_dofs} dofs")
    lead = array.shape[:-1]
    return array.reshape(math.prod(lead), figure.n_dofs), lead  # -1 would fail for a figure without dofs


def _require_mass(figure: Figure) -> None:
    if not figure.tables.joints["mass"].sum() > 0.0:
        raise InvalidFigure(f"figure {figure.name!r} has no masses; add them with `with_masses(total_kg)`")
