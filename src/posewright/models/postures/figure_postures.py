"""A posture database on one figure: the postures, the places of the figure's sites, and the nearest postures."""

from __future__ import annotations

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
from posewright.kernels.postures.search import nearest_rows
from posewright.models.postures.database import CHUNK, Postures
from posewright.models.postures.transfer import PostureTransfer
from posewright.motions.placing import roots


class QueryColumn(NamedTuple):
    """Values of all postures, and their targets."""

    values: Array
    """(postures, m)"""
    wanted: Array
    """(m,)"""
    scale: float = 1.0
    """Factor of the differences."""


class Neighbours(NamedTuple):
    """The postures nearest to given values, nearest first."""

    rows: IntArray
    """(k,) of the database"""
    distances: Array
    """(k,)"""
    differences: Array
    """(k, values), scaled: a distance is the norm of its row"""


class FigurePostures:
    """The postures of a database on a figure, which may have other lengths and further joints."""

    def __init__(self, database: Postures, figure: Figure) -> None:
        """Everything is computed on first use."""
        require(figure, Figure, "the figure to put postures on", "a Figure, such as pw.figure('human40')")
        self.database, self.figure = database, figure
        self._transfer = PostureTransfer(database.figure, figure)
        self._sites: dict[str, tuple[Array, ...]] = {}
        self._columns = np.empty((0, len(database)))
        self._first: dict[int, int] = {}  # where the columns of an array of `_sites` begin, by its identity

    def __len__(self) -> int:
        """Number of postures."""
        return len(self.database)

    @property
    def unshared(self) -> tuple[str, ...]:
        """Joints that turn on only one of the two figures: here they stay at rest, in the database they are ignored."""
        return self._transfer.missing + self._transfer.unused

    @property
    def q(self) -> Array:
        """(postures, dofs of this figure), rad and m, read-only; within limits if it is not the database's figure"""
        return self.database.q if self._transfer.same else self._transferred

    @cached_property
    def _transferred(self) -> Array:
        out = np.empty((len(self), self.figure.n_dofs))
        for first in range(0, len(self), CHUNK):
            out[first : first + CHUNK] = self._transfer(np.array(self.database.q[first : first + CHUNK]))
        out.flags.writeable = False
        return out

    def pose(self, posture: int) -> Pose:
        """One posture."""
        return Pose(self.figure, np.array(self.q[posture]))

    def prepare(self, sites: Sequence[str]) -> None:
        """Compute the places of several sites in all postures at once; otherwise this is done on first use."""
        fresh = [name for name in dict.fromkeys(sites) if name not in self._sites]
        if not fresh:
            return
        self.database.verify()
        root = self.figure.joint_names[roots(self.figure)[0]]
        found = np.empty((len(fresh), 4, 3, len(self)))
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
                found[:, k, :, chunk] = np.einsum("fij,fsj->sif", root_from_world, vectors)
            found[:, 3, :, chunk] = np.moveaxis(frames.points[:, 1:], 0, 2)
        self._columns = np.concatenate([self._columns, found.reshape(-1, len(self))])
        self._first = {}
        for name, of_site in zip([*self._sites, *fresh], self._columns.reshape(-1, 4, 3, len(self)), strict=True):
            self._sites[name] = tuple(np.swapaxes(of_site, 1, 2))
            for values in self._sites[name]:
                values.flags.writeable = False
                self._first[id(values)] = 3 * len(self._first)

    def values(self, site: str) -> Array:
        """(postures, 3), m: position of a site (or joint) in the frame of the root."""
        return self._of_site(site, 0)

    def x_axes(self, site: str) -> Array:
        """(postures, 3), unit: its x axis in the frame of the root."""
        return self._of_site(site, 1)

    def y_axes(self, site: str) -> Array:
        """(postures, 3), unit: its y axis in the frame of the root."""
        return self._of_site(site, 2)

    def places(self, site: str) -> Array:
        """(postures, 3), m: position over the floor, with the root above the origin."""
        return self._of_site(site, 3)

    def nearest(self, columns: Sequence[tuple[Array, npt.ArrayLike, float]], k: int) -> Neighbours:
        """The k postures nearest to wanted values, or all of them if there are fewer.

        The distance is the root of the sum of squares of `scale · (value - wanted)` over all columns; of equal ones
        the earlier posture comes first.
        """
        if k < 1:
            raise InvalidSetting(f"k is {k}; it must be at least 1")
        n, n_kept = len(self), len(self._columns)
        which: list[int] = []
        own: list[Array] = []
        wanted: list[float] = []
        scales: list[float] = []
        n_own = 0
        for values, asked, scale in columns:
            numbers = asked.tolist() if isinstance(asked, np.ndarray) else np.ravel(asked).tolist()
            m = len(numbers)
            if values.shape != (n, m):
                raise InvalidSetting(f"values of shape {values.shape} and {m} wanted; {n} postures need {n} x {m}")
            first = self._first.get(id(values))
            if first is None:
                first, n_own = n_kept + n_own, n_own + m
                own.append(values.T)
            which += range(first, first + m)
            wanted += numbers
            scales += [scale] * m
        k = min(k, n)
        rows, distances, differences = np.zeros(k, np.int64), np.empty(k), np.empty((k, len(which)))
        others = np.concatenate(own, dtype=np.float64) if own else self._columns[:0]
        nearest_rows(
            self._columns, np.array(which, np.int64), np.ascontiguousarray(others), np.array(wanted), np.array(scales),
            rows, distances, differences,
        )  # fmt: skip
        return Neighbours(rows, distances, differences)

    def _of_site(self, site: str, which: int) -> Array:
        if site not in self._sites:
            self.prepare([site])
        return self._sites[site][which]
