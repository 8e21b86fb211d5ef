"""Where a figure touches the floor: heels or ankles and toes, found by name, else its lowest tips."""

from __future__ import annotations

import numpy as np

from posewright.figure.figure import Figure
from posewright.figure.kinematics import site_frames
from posewright.figure.sides import side_of
from posewright.figure.size import figure_height

_REAR = (("heel",), ("ankle", "foot"))
_FRONT = (("toe",),)


def foot_sites(figure: Figure) -> tuple[str, ...]:
    """Names of the sites and joints that stand on the floor.

    For each side: a heel or else the ankle, and the toes' joint (the ball of the foot) or else a toe's site. Without
    such names, the tips and last joints that are lowest at rest, within a twentieth of the figure's height.
    """
    joints, sites = figure.joint_names, figure.site_names
    rear = _by_side((*sites, *joints), _REAR)
    front = _by_side((*joints, *sites), _FRONT)
    found = tuple(dict.fromkeys(name for side in sorted({*rear, *front}) for name in (rear.get(side), front.get(side))))
    named = tuple(name for name in found if name is not None)
    return named or _lowest_ends(figure)


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
