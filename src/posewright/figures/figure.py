"""Figures: immutable trees of joints with named sites, checked when they are built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from posewright.constraints import LinearConstraint
from posewright.conventions import Array
from posewright.errors import InvalidFigure, UnknownName
from posewright.figures.group import JointGroup
from posewright.figures.joint import Joint
from posewright.figures.site import Site
from posewright.figures.source import Skin, Source
from posewright.figures.tables import FigureTables, lower_figure

if TYPE_CHECKING:
    from posewright.anatomy.anatomy import Anatomy
    from posewright.figures.pose import Pose

_Found = TypeVar("_Found")


@dataclass(frozen=True, kw_only=True, repr=False)
class Figure:
    """An immutable tree of joints with named sites, limits, joint groups and constraints."""

    name: str
    joints: tuple[Joint, ...]
    """Parents come before children. A figure with several roots is several bodies in one world."""
    sites: tuple[Site, ...] = ()
    """Named points that goals can be about."""
    groups: tuple[JointGroup, ...] = ()
    """Dofs that are driven together."""
    constraints: tuple[LinearConstraint, ...] = ()
    """Linear relations between dofs that every pose must satisfy, in addition to the limits of the dofs."""
    source: Source | None = field(default=None, compare=False)
    """Conventions of the file that the figure came from; None for a figure that was built."""
    skin: Skin | None = field(default=None, compare=False)
    """Meshes and materials of a character, or None."""

    def __post_init__(self) -> None:
        for name in ("joints", "sites", "groups", "constraints"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        _check_tree(self)
        _check_names(self)

    def __repr__(self) -> str:  # one line: poses, motions and goals show their figure too
        return f"<Figure {self.name}: {len(self.joints)} joints, {self.n_dofs} dofs, {len(self.sites)} sites>"

    def _repr_html_(self) -> str:
        from posewright.studio.notebook import notebook_html

        return notebook_html(self)

    # Names, and indices into arrays.

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints, in the order of `joints`."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        """Names of all dofs, `joint.label`, in the order of `q`."""
        return tuple(f"{joint.name}.{label}" for joint in self.joints for label in joint.labels)

    @cached_property
    def site_names(self) -> tuple[str, ...]:
        """Names of all sites, in the order of `sites`."""
        return tuple(site.name for site in self.sites)

    @property
    def n_dofs(self) -> int:
        """Number of dofs: the length of `q`."""
        return len(self.dof_names)

    @property
    def n_coordinates(self) -> int:
        """Number of independent coordinates: group coordinates and dofs outside groups, minus equality constraints."""
        saved = sum(len(group.members) - len(group.coordinates) for group in self.groups)
        return self.n_dofs - saved - sum(constraint.is_equality for constraint in self.constraints)

    def joint_index(self, name: str) -> int:
        """Index of a joint in `joints`."""
        return _look_up(self._joint_indices, name, "joint", self.name)

    def dof_index(self, name: str) -> int:
        """Index of a dof in `q`."""
        return _look_up(self._dof_indices, name, "dof", self.name)

    def joint(self, name: str) -> Joint:
        """The joint with this name."""
        return self.joints[self.joint_index(name)]

    def site(self, name: str) -> Site:
        """The site with this name. The name of a joint gives a site at its origin, with its axes.

        Soles, heels and toe tips of a recognised body are found even if the figure does not list them (`with_soles`).
        """
        if name in self._site_indices:
            return self.sites[self._site_indices[name]]
        if name in self._joint_indices:
            return Site(name=name, joint=name)
        if isinstance(name, str) and name.endswith(("_sole", "_heel", "_toe_tip")) and name in self.anatomy.soles:
            return self.anatomy.soles[name]
        raise UnknownName("site", name, (*self.site_names, *self.joint_names), where=f"figure {self.name!r}")

    def dof_slice(self, joint: str | int) -> slice:
        """Slice of `q` with the dofs of a joint, given by name or index."""
        index = joint if isinstance(joint, int) else self.joint_index(joint)
        first = self._first_dofs[index]
        return slice(first, first + self.joints[index].n_dofs)

    def dofs_of(self, name: str) -> slice:
        """Slice of `q` with the dofs of the joint with this name, or with the one dof with this name."""
        if name in self._joint_indices:
            return self.dof_slice(name)
        if name in self._dof_indices:
            return slice(self._dof_indices[name], self._dof_indices[name] + 1)
        raise UnknownName("joint or dof", name, (*self.joint_names, *self.dof_names), where=f"figure {self.name!r}")

    def values_by_name(self, values: Mapping[str, float], *, default: float) -> Array:
        """Array (dofs,) of values given by joint or dof name; a dof's value overrides its joint's.

        Args:
            values: numbers by joint or dof name.
            default: value of the dofs that are not named.
        """
        found = np.full(self.n_dofs, default)
        for name in sorted(values, key=lambda name: name not in self._joint_indices):
            found[self.dofs_of(name)] = values[name]
        return found

    # Structure.

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Index of each joint's parent; -1 for a root."""
        return tuple(-1 if j.parent is None else self._joint_indices[j.parent] for j in self.joints)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of each joint's children."""
        found: list[list[int]] = [[] for _ in self.joints]
        for index, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(index)
        return tuple(tuple(children) for children in found)

    def ancestors(self, joint: str | int) -> tuple[int, ...]:
        """Index of the joint, then of its ancestors up to the root."""
        index = joint if isinstance(joint, int) else self.joint_index(joint)
        chain = []
        while index >= 0:
            chain.append(index)
            index = self.parents[index]
        return tuple(chain)

    def subtree(self, joint: str | int) -> tuple[int, ...]:
        """Indices of the joint and all its descendants, in the order of `joints`."""
        top = joint if isinstance(joint, int) else self.joint_index(joint)
        inside = {top}
        for index in range(top + 1, len(self.joints)):
            if self.parents[index] in inside:
                inside.add(index)
        return tuple(sorted(inside))

    # One number per dof, read-only, in the order of `q`.

    @cached_property
    def lower(self) -> Array:
        """Lower limits (dofs,), rad or m."""
        return self._bound_column(0)

    @cached_property
    def upper(self) -> Array:
        """Upper limits (dofs,), rad or m."""
        return self._bound_column(1)

    @cached_property
    def rest(self) -> Array:
        """Values of the rest pose (dofs,), rad or m: where solvers start by default."""
        return self._bound_column(2)

    @cached_property
    def rigidity(self) -> Array:
        """Rigidities (dofs,), from 0 (moves freely) to 1 (does not move)."""
        return self._bound_column(3)

    @cached_property
    def max_speeds(self) -> Array:
        """Maximum speeds (dofs,), rad/s or m/s; infinite where the figure has no speed limit."""
        values = np.array([speed for joint in self.joints for speed in joint.max_speeds], dtype=np.float64)
        values.flags.writeable = False
        return values

    @cached_property
    def tables(self) -> FigureTables:
        """The figure as structured arrays for the kernels."""
        return lower_figure(self.joints, self.parents)

    # The body.

    @cached_property
    def height(self) -> float:
        """Vertical extent of all joints and tips in the rest pose, m; for a figure that lies flat, its full extent."""
        from posewright.figures.kinematics import site_frames

        tips = [site.name for site in self.sites if site.tip]
        extent = np.ptp(site_frames(self, self.rest, [*self.joint_names, *tips]).points, axis=0)
        height, diagonal = float(extent[1]), float(np.linalg.norm(extent))
        return height if height >= 0.1 * diagonal else diagonal

    @cached_property
    def anatomy(self) -> Anatomy:
        """The recognised body parts: which joints form its sides, limbs, trunk and feet; see `posewright.anatomy`."""
        from posewright.anatomy.anatomy import Anatomy

        return Anatomy(self)

    def with_sites(self, *sites: Site) -> Figure:
        """A copy of the figure with sites added; existing sites with the same names are replaced."""
        fresh = {site.name for site in sites}
        return replace(self, sites=(*(s for s in self.sites if s.name not in fresh), *sites))

    def with_soles(self) -> Figure:
        """A copy of the figure with any missing sites added under its feet: soles, heels and toe tips."""
        return self.anatomy.with_soles()

    def with_rest(self, q: Array) -> Figure:
        """A copy of the figure whose rest pose is `q` (dofs,), clamped to the limits."""
        from posewright.figures.transforms.limits import with_rest

        return with_rest(self, q)

    def with_rigidity(self, shares: Mapping[str, float]) -> Figure:
        """A copy of the figure with rigidities, 0 to 1, given by joint or dof name; other dofs keep theirs."""
        from posewright.figures.transforms.limits import with_rigidity

        return with_rigidity(self, shares)

    def renamed(self, name: str) -> Figure:
        """A copy of the figure with another name."""
        return replace(self, name=name)

    def is_like(self, other: Figure) -> bool:
        """Whether the figures are equal apart from name, source and skin, so that they can share poses."""
        return self is other or self == (other if other.name == self.name else other.renamed(self.name))

    def moves_like(self, other: Figure) -> bool:
        """Whether the figures are equal apart from sites, name, source and skin, so that they can share poses."""
        return self.is_like(other) or (self.joints == other.joints and self.is_like(replace(other, sites=self.sites)))

    # Changed figures. The file of each transform documents what it keeps and what it loses.

    def with_balls(self, *, drop_limits: bool = False) -> Figure:
        """A copy whose joints with three independent hinges become balls; see `posewright.figures.transforms.balls`."""
        from posewright.figures.transforms.balls import with_balls

        return with_balls(self, drop_limits=drop_limits)

    def with_hinges(self) -> Figure:
        """The inverse of `with_balls`: balls that were made from hinges become hinges again."""
        from posewright.figures.transforms.balls import with_hinges

        return with_hinges(self)

    def beside(self, other: Figure, *, prefix: str) -> Figure:
        """Combine this figure and another into one; see `posewright.figures.transforms.combined`."""
        from posewright.figures.transforms.combined import beside

        return beside(self, other, prefix=prefix)

    def rerooted(self, *, root: str) -> Figure:
        """A copy with another segment as the root of the tree; see `posewright.figures.transforms.rerooted`."""
        from posewright.figures.transforms.rerooted import rerooted

        return rerooted(self, root)

    def with_lengths(
        self, factors: Mapping[str, float] | None = None, *, overall: float = 1.0, scale_masses: bool = False
    ) -> Figure:
        """A copy with segments scaled by factors per joint; see `posewright.figures.transforms.lengths`."""
        from posewright.figures.transforms.lengths import with_lengths

        return with_lengths(self, factors, overall=overall, scale_masses=scale_masses)

    def with_masses(self, total_kg: float) -> Figure:
        """A copy with masses estimated from segment volumes; see `posewright.figures.transforms.masses`."""
        from posewright.figures.transforms.masses import with_masses

        return with_masses(self, total_kg)

    def locked(self, *joints: str, at: Pose | None = None, alone: bool = False) -> Figure:
        """A copy with joints and their descendants frozen in a pose; see `posewright.figures.transforms.locked`."""
        from posewright.figures.transforms.locked import locked

        return locked(self, *joints, at=at, alone=alone)

    def save(self, path: str | Path) -> None:
        """Write the figure to a file; the suffix selects the format.

        `.yaml` keeps everything. Other formats write the figure in its rest pose.
        """
        from posewright.formats import save

        save(self, path)

    @cached_property
    def _joint_indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.joint_names)}

    @cached_property
    def _dof_indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.dof_names)}

    @cached_property
    def _site_indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.site_names)}

    @cached_property
    def _first_dofs(self) -> tuple[int, ...]:
        first, found = 0, []
        for joint in self.joints:
            found.append(first)
            first += joint.n_dofs
        return tuple(found)

    def _bound_column(self, column: int) -> Array:
        values = np.array([bounds[column] for joint in self.joints for bounds in joint.bounds], dtype=np.float64)
        values.flags.writeable = False
        return values


def kept_with_figure(function: Callable[[Figure], _Found]) -> Callable[[Figure], _Found]:
    """Decorator: compute a function of a figure once and keep the result with the figure. Do not modify the result."""
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def look_up(figure: Figure) -> _Found:
        kept = vars(figure)
        if name not in kept:
            kept[name] = function(figure)
        found: _Found = kept[name]
        return found

    return look_up


def _look_up(indices: dict[str, int], name: str, kind: str, figure: str) -> int:
    if name not in indices:
        raise UnknownName(kind, name, indices, where=f"figure {figure!r}")
    return indices[name]


def _check_tree(figure: Figure) -> None:
    if not figure.joints:
        raise InvalidFigure(f"figure {figure.name!r} has no joints")
    seen: set[str] = set()
    for joint in figure.joints:
        if joint.name in seen:
            raise InvalidFigure(f"figure {figure.name!r} has two joints called {joint.name!r}")
        if joint.parent is not None and joint.parent not in figure._joint_indices:
            where = f"the parent of joint {joint.name!r}: figure {figure.name!r}"
            raise UnknownName("joint", joint.parent, figure.joint_names, where=where)
        if joint.parent is not None and joint.parent not in seen:
            raise InvalidFigure(f"figure {figure.name!r}: {_order_problem(figure.joints, joint)}")
        seen.add(joint.name)


def _order_problem(joints: Sequence[Joint], start: Joint) -> str:
    by_name = {joint.name: joint for joint in joints}
    chain, current = [start.name], start
    while current.parent is not None and current.parent in by_name:
        chain.append(current.parent)
        if current.parent == start.name:
            return f"joints form a cycle: {' <- '.join(chain)}"
        if len(chain) > len(joints) + 1:
            return f"joint {start.name!r} hangs on a cycle of joints"
        current = by_name[current.parent]
    return f"joint {start.name!r} is listed before its parent {start.parent!r}; list parents first"


def _check_names(figure: Figure) -> None:
    where = f"figure {figure.name!r}"
    if len(set(figure.site_names)) != len(figure.sites):
        twice = next(n for n in figure.site_names if figure.site_names.count(n) > 1)
        raise InvalidFigure(f"{where} has two sites called {twice!r}")
    for site in figure.sites:
        if site.joint not in figure._joint_indices:
            raise UnknownName("joint", site.joint, figure.joint_names, where=f"site {site.name!r}: {where}")
        if site.name in figure._joint_indices and site.joint != site.name:
            raise InvalidFigure(f"{where}: site {site.name!r} has the name of a joint that it does not sit on")
    driven: dict[str, str] = {}
    for group in figure.groups:
        for member in group.members:
            if member not in figure._dof_indices:
                raise UnknownName("dof", member, figure.dof_names, where=f"group {group.name!r}: {where}")
            if member in driven:
                raise InvalidFigure(f"{where}: groups {driven[member]!r} and {group.name!r} both drive {member!r}")
            driven[member] = group.name
    for constraint in figure.constraints:
        for dof, _ in constraint.coefficients:
            if dof not in figure._dof_indices:
                raise UnknownName("dof", dof, figure.dof_names, where=f"constraint {constraint.name!r}: {where}")
