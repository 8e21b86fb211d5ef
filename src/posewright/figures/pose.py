"""Poses: a figure and a value for each of its dofs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from posewright.checks import read_only, require
from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figures.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Pose:
    """A pose: a figure and the values of all its dofs."""

    figure: Figure
    q: Array
    """Dof values (dofs,), rad or m; read-only."""

    def __post_init__(self) -> None:
        require(self.figure, Figure, "the figure of a pose", "a Figure, such as pw.figure('human40')")
        object.__setattr__(self, "q", read_only(self.q, "what a pose has"))
        if self.q.shape != (self.figure.n_dofs,):
            raise InvalidMotion(
                f"a pose of figure {self.figure.name!r} needs {self.figure.n_dofs} numbers, "
                f"got an array of shape {self.q.shape}"
            )
        if not np.isfinite(self.q).all():
            dof = self.figure.dof_names[int(np.flatnonzero(~np.isfinite(self.q))[0])]
            raise InvalidMotion(f"the pose of figure {self.figure.name!r} is not finite at {dof!r}")

    def __repr__(self) -> str:
        return f"<Pose of figure {self.figure.name}: {len(self.q)} dofs>"

    def _repr_html_(self) -> str:
        from posewright.studio.notebook import notebook_html

        return notebook_html(self)

    @classmethod
    def rest(cls, figure: Figure) -> Pose:
        """The rest pose of a figure: every dof at its rest value."""
        return cls(figure, figure.rest)

    def __getitem__(self, dof: str) -> float:
        """The value of one dof, by name."""
        return float(self.q[self.figure.dof_index(dof)])

    def point(self, site: str) -> Array:
        """World position (3,) of a site or joint, m. It can be the target of a goal of another figure."""
        from posewright.figures.kinematics import site_frames

        point: Array = site_frames(self.figure, self.q, [site]).points[0]
        return point

    def with_values(self, values: Mapping[str, float]) -> Pose:
        """A copy of the pose with some dofs changed; `values` are given by dof name, rad or m."""
        q = self.q.copy()
        for dof, value in values.items():
            q[self.figure.dof_index(dof)] = value
        return Pose(self.figure, q)

    def clamped(self) -> Pose:
        """A copy of the pose with every dof clamped to its limits."""
        return Pose(self.figure, np.clip(self.q, self.figure.lower, self.figure.upper))

    def converted(self, figure: Figure, *, near: Pose | None = None) -> Pose:
        """The same posture in the dofs of a changed figure; see `posewright.figures.transforms.coordinates`."""
        from posewright.figures.transforms.coordinates import converted_q

        return Pose(figure, converted_q(self.figure, figure, self.q, near=None if near is None else near.q))

    def beside(self, other: Pose, *, prefix: str) -> Pose:
        """Combine this pose and another into one pose of both figures; see `Figure.beside`."""
        return Pose(self.figure.beside(other.figure, prefix=prefix), np.concatenate([self.q, other.q], axis=-1))

    def apart(self, figure: Figure, other: Figure) -> tuple[Pose, Pose]:
        """Split a pose of two combined figures into a pose of each; the inverse of `beside`."""
        from posewright.figures.transforms.combined import split_q

        first, second = split_q(figure, other, self.q)
        return Pose(figure, first), Pose(other, second)

    def save(self, path: str | Path) -> None:
        """Write the pose to a file as a motion of one frame; the suffix selects the format."""
        from posewright.formats import save

        save(self, path)
