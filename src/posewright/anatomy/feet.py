"""Where a figure touches the floor: heels or ankles and toes, found by name, else its lowest tips."""

from __future__ import annotations

import numpy as np

from posewright.anatomy.sides import side_of
from posewright.errors import InvalidFigure
from posewright.figures.figure import Figure
from posewright.figures.kinematics import site_frames
from posewright.figures.size import figure_height

_REAR = (("heel",), ("ankle", "foot"))
_FRONT = (("toe",),)


def foot_sites(figure: Figure) -> tuple[str, ...]:
    """Names of the sites and joints that stand on the floor.

    For each side: a heel or else the ankle, and the toes' joint (the ball of the foot) or else a toe's site. Without
    such names, the tips and last joints that are lowest at rest, within a twentieth of the figure's height.
    """
    return tuple(dict.fromkeys(named_feet(figure).values())) or _lowest_ends(figure)


def named_feet(figure: Figure) -> dict[tuple[str, str], str]:
    """The points of the feet by side ("left", "right" or "") and end ("rear" or "front"), as far as names tell."""
    joints, sites = figure.joint_names, figure.site_names
    ends = {"rear": _by_side((*sites, *joints), _REAR), "front": _by_side((*joints, *sites), _FRONT)}
    sides = sorted({side for found in ends.values() for side in found})
    return {(side, end): found[side] for side in sides for end, found in ends.items() if side in found}


def paired_feet(figure: Figure, other: Figure) -> dict[str, str]:
    """For each point of a figure's feet, the point of another figure's feet that stands where it stands.

    By side and end; figures whose feet have no such names are paired by the order of `foot_sites`.

    Raises:
        InvalidFigure: they cannot be paired.
    """
    mine, theirs = named_feet(figure), named_feet(other)
    shared = {name: theirs[key] for key, name in mine.items() if key in theirs}
    if shared:
        return shared
    ours, others = foot_sites(figure), foot_sites(other)
    if len(ours) != len(others):
        raise InvalidFigure(
            f"the feet of figures {figure.name!r} ({', '.join(ours) or 'none'}) and {other.name!r} "
            f"({', '.join(others) or 'none'}) cannot be paired; say which belong together"
        )
    return dict(zip(ours, others, strict=True))


def _by_side(names: tuple[str, ...], words: tuple[tuple[str, ...], ...]) -> dict[str, str]:
    """The first name per side that has one of the words, earlier words first."""
    found: dict[str, str] = {}
    for alternatives in words:
        for name in names:
            folded = name.casefold()
            other_end = alternatives != ("toe",) and "toe" in folded
            if any(word in folded for word in alternatives) and not other_end:
                found.setdefault(side_of(name), name)
    return found


def _lowest_ends(figure: Figure) -> tuple[str, ...]:
    tipped = {site.joint for site in figure.sites if site.tip}
    ends = [site.name for site in figure.sites if site.tip]
    ends += [name for index, name in enumerate(figure.joint_names) if not figure.children[index] and name not in tipped]
    heights = site_frames(figure, figure.rest, ends).points[:, 1]
    low = heights <= np.min(heights) + 0.05 * figure_height(figure)
    return tuple(name for name, is_low in zip(ends, low, strict=True) if is_low)
