"""A posture database as a figure wears it: its postures, where they put the figure's sites, and the nearest of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from posewright.checks import require
from posewright.conventions import Array, IntArray
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import site_frames
from posewright.models.postures.carried import CarriedPostures
from posewright.models.postures.columns import Block, PostureColumns
from posewright.models.postures.database import Postures
from posewright.motions.placing import roots

_CHUNK = 4096


class PosturesOn:
    """The postures of a database on a figure, which may have other lengths and other joints beside the shared ones."""

    def __init__(self, database: Postures, figure: Figure) -> None:
        """Nothing is computed until it is asked for."""
        require(figure, Figure, "whom the postures are put on", "a Figure, such as build('human40')")
        self.database, self.figure = database, figure
        self._carry = CarriedPostures(database.figure, figure)
        self._sites: dict[str, tuple[Array, Array, Array, Array]] = {}
        self._columns = PostureColumns(len(database))
        self._own: set[int] = set()

    def __len__(self) -> int:
        """How many postures."""
        return len(self.database)

    @property
    def unshared(self) -> tuple[str, ...]:
        """Joints that turn on one of the two figures only: this one's keep their rest values, others are left out."""
        return self._carry.missing + self._carry.unused

    @cached_property
    def q(self) -> Array:
        """(postures, dofs of this figure), rad and m, read-only; another figure than the database's keeps its limits"""
        if self._carry.same:
            return self.database.q
        out = np.empty((len(self), self.figure.n_dofs))
        for first in range(0, len(self), _CHUNK):
            out[first : first + _CHUNK] = self._carry(np.array(self.database.q[first : first + _CHUNK]))
        out.flags.writeable = False
        return out

    def pose(self, posture: int) -> Pose:
        """One posture."""
        return Pose(self.figure, np.array(self.q[posture]))

    def prepare(self, sites: Sequence[str]) -> None:
        """Compute where sites are in all postures, for several at once; otherwise it is done when first asked for."""
        fresh = [name for name in dict.fromkeys(sites) if name not in self._sites]
        if not fresh:
            return
        self.database.verify()
        root = self.figure.joint_names[roots(self.figure)[0]]
        found = np.empty((4, len(fresh), len(self), 3))
        for first in range(0, len(self), _CHUNK):
            chunk = slice(first, first + _CHUNK)
            q = np.array(self.q[chunk])
            if not np.isfinite(q).all():  # asked here, not when a file is opened: that would read all of it
                bad = first + int(np.flatnonzero(~np.isfinite(q).all(axis=1))[0])
                raise InvalidMotion(f"posture {bad} of the database is not finite; build it again")
            frames = site_frames(self.figure, q, [root, *fresh])
            x, y = frames.x_axes[:, 0], frames.y_axes[:, 0]
            root_from_world = np.stack([x, y, np.cross(x, y)], axis=1)
            places = frames.points[:, 1:] - frames.points[:, :1]
            for k, vectors in enumerate((places, frames.x_axes[:, 1:], frames.y_axes[:, 1:])):
                found[k, :, chunk] = np.einsum("fij,fsj->sfi", root_from_world, vectors)
            found[3, :, chunk] = np.swapaxes(frames.points[:, 1:], 0, 1)
        found.flags.writeable = False
        for s, name in enumerate(fresh):
            point, x, y, place = found[:, s]
            self._sites[name] = point, x, y, place
            self._own |= {id(point), id(x), id(y), id(place)}

    def values(self, site: str) -> Array:
        """(postures, 3), m: where a site (or joint) is in the frame of the root."""
        self.prepare([site])
        return self._sites[site][0]

    def x_axes(self, site: str) -> Array:
        """(postures, 3), unit: its x axis in the frame of the root."""
        self.prepare([site])
        return self._sites[site][1]

    def y_axes(self, site: str) -> Array:
        """(postures, 3), unit: its y axis in the frame of the root."""
        self.prepare([site])
        return self._sites[site][2]

    def places(self, site: str) -> Array:
        """(postures, 3), m: where it is over the floor, with the root above the origin."""
        self.prepare([site])
        return self._sites[site][3]

    def nearest(self, blocks: Sequence[Block], k: int) -> tuple[IntArray, Array]:
        """Indices (k,) and distances (k,) of the postures nearest to some values, the nearest first.

        The distance is the root of the sum of squares of `scale · (value - wanted)` over all blocks; of equal ones the
        earlier posture comes first. Fewer than k postures: all of them.
        """
        if k < 1:
            raise InvalidSetting(f"k is {k}; at least one neighbour must be asked for")
        stacked = [
            (values, np.asarray(wanted, dtype=np.float64).ravel(), float(scale)) for values, wanted, scale in blocks
        ]
        for values, wanted, _ in stacked:
            if values.shape != (len(self), len(wanted)):
                raise InvalidSetting(
                    f"values of shape {values.shape} and {len(wanted)} wanted; {len(self)} postures need "
                    f"{len(self)} x {len(wanted)}"
                )
        k = min(k, len(self))
        rows = self._candidates(stacked, k)
        squares = np.zeros(len(rows))
        for values, wanted, scale in stacked:
            squares += ((scale * (values[rows] - wanted)) ** 2).sum(axis=1)
        order = np.lexsort((rows, squares))[:k]
        return rows[order], np.sqrt(squares[order])

    def _candidates(self, blocks: Sequence[Block], k: int) -> IntArray:
        """Rows that are certain to hold the k nearest."""
        if len(self) <= 4 * k or not blocks:
            return np.arange(len(self))
        for values, _, _ in blocks:
            if id(values) in self._own:
                self._columns.keep(values)
        return self._columns.candidates(blocks, k)
