"""The size of a figure: lengths of chains, and the unit in which solvers measure lengths."""

from __future__ import annotations

import math

import numpy as np

from posewright.conventions import Array, BoolArray
from posewright.figures.figure import Figure, kept_with_figure
from posewright.figures.joint import Joint
from posewright.figures.joint_coordinates import slid_places
from posewright.kernels.tables import SLIDE

_NO_LENGTH = 1e-6
"""Fraction of the figure's unit; sites nearer to the root than this do not determine the size of a figure."""


def reach(figure: Figure, site: str | None) -> float:
    """Length of the chain from the root to a site, m; of the longest chain if there is no site or it is on the root."""
    if site is not None:
        place = figure.site(site)
        length = math.hypot(*place.point)
        for index in figure.ancestors(place.joint):
            if figure.parents[index] >= 0:
                length += _bone_lengths(figure)[index]
        if length > _NO_LENGTH * length_unit(figure):
            return length
    return max(_joint_reaches(figure)) or 1.0


def bone_length(joint: Joint) -> float:
    """Distance from a joint's parent to the joint at rest, m, without offsets that slides replace."""
    if joint.slides_replace_offset:
        rest = np.array([[slide.rest for slide in joint.slides]])
        return float(np.linalg.norm(slid_places(joint, rest)[0]))
    return math.hypot(*joint.offset)


@kept_with_figure
def length_unit(figure: Figure) -> float:
    """The unit in which solvers measure lengths, m: the power of ten nearest to the reach of the figure.

    It is 1 m for figures of about the size of people. Damping, rounding tolerances and similar settings are chosen for
    these; with this unit they have the same effect on figures of any size.
    """
    tips = (math.hypot(*s.point) + _joint_reaches(figure)[figure.joint_index(s.joint)] for s in figure.sites)
    longest = max((*_joint_reaches(figure), *tips))
    return float(f"1e{round(math.log10(longest))}") if 0.0 < longest < math.inf else 1.0


@kept_with_figure
def dof_units(figure: Figure) -> Array:
    """Units of the dofs (dofs,): 1 for rotations (rad), the figure's unit of length for slides (m)."""
    units = np.where(figure.tables.dofs["kind"] == SLIDE, length_unit(figure), 1.0)
    units.flags.writeable = False
    return units


@kept_with_figure
def dofs_above(figure: Figure) -> BoolArray:
    """(joints, dofs): whether each dof moves each joint: the joint's own dofs and those of its ancestors."""
    found = np.zeros((len(figure.joints), figure.n_dofs), np.bool_)
    for index, parent in enumerate(figure.parents):
        if parent >= 0:
            found[index] = found[parent]
        found[index, figure.dof_slice(index)] = True
    found.flags.writeable = False
    return found


@kept_with_figure
def _bone_lengths(figure: Figure) -> tuple[float, ...]:
    return tuple(bone_length(joint) for joint in figure.joints)


@kept_with_figure
def _joint_reaches(figure: Figure) -> tuple[float, ...]:
    """Length of the chain from the root to each joint (m)."""
    lengths = [0.0] * len(figure.joints)
    for index, parent in enumerate(figure.parents):
        if parent >= 0:
            lengths[index] = lengths[parent] + _bone_lengths(figure)[index]
    return tuple(lengths)
