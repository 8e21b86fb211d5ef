"""A posture database on one figure: the postures, where they put the figure's sites, and the nearest of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.checks import require
from posewright.conventions import Array, IntArray
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import site_frames
from posewright.kernels.postures.search import scan
from posewright.models.postures.database import CHUNK, Postures
from posewright.models.postures.transfer import PostureTransfer
from posewright.motions.placing import roots

_ROUNDING = 4.0 * 2.0**-24
"""Relative error of a scaled difference in single precision, with room for the sum."""


class QueryColumn(NamedTuple):
    """Values of all postures, and what is wanted of them."""

    values: Array
    """(postures, m)"""
    wanted: Array
    """(m,)"""
    scale: float = 1.0
    """Factor of their differences."""


class Neighbours(NamedTuple):
    """The postures nearest to wanted values, the nearest first."""

    rows: IntArray
    """(k,) of the database"""
    distances: Array
    """(k,)"""
    differences: Array
    """(k, values), scaled: a distance is the norm of its row"""


class FigurePostures:
    """The postures of a database on a figure, which may have other lengths and joints besides the shared ones."""

    def __init__(self, database: Postures, figure: Figure) -> None:
        """Nothing is computed until it is needed."""
        require(figure, Figure, "the figure to put postures on", "a Figure, such as pw.figure('human40')")
        self.database, self.figure = database, figure
        self._transfer = PostureTransfer(database.figure, figure)
        self._sites: dict[str, tuple[Array, ...]] = {}
        self._scanned = np.empty((0, len(database)), np.float32)
        self._kept: dict[int, tuple[int, float] | None] = {}  # by identity of the arrays of `_sites`, once searched

    def __len__(self) -> int:
        """How many postures."""
        return len(self.database)

    @property
    def unshared(self) -> tuple[str, ...]:
        """Joints that turn on only one of the two figures: this one's keep their rest values, others are left out."""
        return self._transfer.missing + self._transfer.unused

    @cached_property
    def q(self) -> Array:
        """(postures, dofs of this figure), rad and m, read-only; within limits if it is not the database's figure"""
        if self._transfer.same:
            return self.database.q
        out = np.empty((len(self), self.figure.n_dofs))
        for first in range(0, len(self), CHUNK):
            out[first : first + CHUNK] = self._transfer(np.array(self.database.q[first : first + CHUNK]))
        out.flags.writeable = False
        return out

    def pose(self, posture: int) -> Pose:
        """One posture."""
        return Pose(self.figure, np.array(self.q[posture]))

    def prepare(self, sites: Sequence[str]) -> None:
        """Compute where sites are in all postures, several at once; otherwise it is done on first use."""
        fresh = [name for name in dict.fromkeys(sites) if name not in self._sites]
        if not fresh:
            return
        self.database.verify()
        root = self.figure.joint_names[roots(self.figure)[0]]
        found = np.empty((len(fresh), 4, len(self), 3))
        for first in range(0, len(self), CHUNK):
            chunk = slice(first, first + CHUNK)
            q = np.array(self.q[chunk])
            if not np.isfinite(q).all():  # checked here rather than on opening, which would read the whole file
                bad = first + int(np.flatnonzero(~np.isfinite(q).all(axis=1))[0])
                raise InvalidMotion(f"posture {bad} of the database is not finite; build it again")
            frames = site_frames(self.figure, q, [root, *fresh])
            x, y = frames.x_axes[:, 0], frames.y_axes[:, 0]
            root_from_world = np.stack([x, y, np.cross(x, y)], axis=1)
            places = frames.points[:, 1:] - frames.points[:, :1]
            for k, vectors in enumerate((places, frames.x_axes[:, 1:], frames.y_axes[:, 1:])):
                found[:, k, chunk] = np.einsum("fij,fsj->sfi", root_from_world, vectors)
            found[:, 3, chunk] = np.swapaxes(frames.points[:, 1:], 0, 1)
        found.flags.writeable = False
        for name, of_site in zip(fresh, found, strict=True):
            self._sites[name] = tuple(of_site)
            self._kept |= {id(values): None for values in self._sites[name]}

    def values(self, site: str) -> Array:
        """(postures, 3), m: where a site (or joint) is in the frame of the root."""
        return self._of_site(site, 0)

    def x_axes(self, site: str) -> Array:
        """(postures, 3), unit: its x axis in the frame of the root."""
        return self._of_site(site, 1)

    def y_axes(self, site: str) -> Array:
        """(postures, 3), unit: its y axis in the frame of the root."""
        return self._of_site(site, 2)

    def places(self, site: str) -> Array:
        """(postures, 3), m: where it is over the floor, with the root above the origin."""
        return self._of_site(site, 3)

    def nearest(self, columns: Sequence[tuple[Array, npt.ArrayLike, float]], k: int) -> Neighbours:
        """The k postures nearest to wanted values, or all of them if there are fewer.

        The distance is the root of the sum of squares of `scale · (value - wanted)` over all columns; of equal ones
        the earlier posture comes first.
        """
        if k < 1:
            raise InvalidSetting(f"k is {k}; it must be at least 1")
        stacked = [(values, np.asarray(wanted, np.float64).ravel(), scale) for values, wanted, scale in columns]
        n = len(self)
        for values, wanted, _ in stacked:
            if values.shape != (n, len(wanted)):
                raise InvalidSetting(
                    f"values of shape {values.shape} and {len(wanted)} wanted; {n} postures need {n} x {len(wanted)}"
                )
        rows = self._candidates(stacked, min(k, n))
        parts = [scale * (values[rows] - wanted) for values, wanted, scale in stacked]
        squares = np.zeros(len(rows))
        for part in parts:
            squares += (part**2).sum(axis=1)
        order = np.argsort(squares, kind="stable")[:k]
        differences = np.concatenate([np.empty((len(rows), 0)), *parts], axis=1)
        return Neighbours(rows[order], np.sqrt(squares[order]), differences[order])

    def _candidates(self, columns: Sequence[tuple[Array, Array, float]], k: int) -> IntArray:
        """Rows that are certain to hold the k nearest, in ascending order."""
        n = len(self)
        if n <= 4 * k:
            return np.arange(n)
        which: list[int] = []
        own: list[Array] = []
        asked: tuple[list[float], list[float]] = [], []  # what is wanted of the columns that are kept, and of others
        scales: tuple[list[float], list[float]] = [], []
        slack = 0.0
        for values, wanted, scale in columns:
            is_kept = id(values) in self._kept
            first, largest = self._keep(values) if is_kept else (0, float(np.abs(values).max(initial=0.0)))
            which += range(first, first + len(wanted)) if is_kept else ()
            own += [] if is_kept else [values.T]
            asked[not is_kept].extend(wanted.tolist())
            scales[not is_kept].extend([scale] * len(wanted))
            slack += abs(scale) * (len(wanted) * largest + sum(map(abs, wanted.tolist())))
        # Distances may be off by so much that two of them are in the wrong order by twice as much.
        margin = 2.0 * _ROUNDING * slack
        squares, best = np.empty(n, np.float32), np.empty(k)
        others = np.concatenate([np.empty((0, n)), *own]).astype(np.float32)
        target, factors = (np.array([*pair[0], *pair[1]], np.float32) for pair in (asked, scales))
        scan(self._scanned, np.array(which, np.int64), others, target, factors, margin, squares, best)
        farthest = math.sqrt(best[-1]) + margin
        return (squares <= np.float32(farthest * farthest * (1.0 + 1e-6))).nonzero()[0]

    def _keep(self, values: Array) -> tuple[int, float]:
        """Where the columns of a site begin among those that are scanned, and their largest value."""
        found = self._kept[id(values)]
        if found is None:
            found = self._kept[id(values)] = len(self._scanned), float(np.abs(values).max(initial=0.0))
            self._scanned = np.concatenate([self._scanned, values.T.astype(np.float32)])
        return found

    def _of_site(self, site: str, which: int) -> Array:
        if site not in self._sites:
            self.prepare([site])
        return self._sites[site][which]
