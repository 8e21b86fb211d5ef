"""Where a figure touches the floor: heels or ankles and toes, by parts or by names, else its lowest tips."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from posewright.anatomy.parts import SIDES
from posewright.anatomy.sides import side_of
from posewright.anatomy.soles import SOLE_ENDS
from posewright.errors import InvalidFigure
from posewright.figures.figure import Figure
from posewright.figures.kinematics import site_frames

if TYPE_CHECKING:
    from posewright.anatomy.anatomy import Anatomy

_REAR = (("heel",), ("ankle", "foot"))
_FRONT = (("toe",),)


def foot_points(anatomy: Anatomy) -> dict[tuple[str, str], str]:
    """Names of sites and joints by side ("left", "right" or "") and end ("rear" or "front").

    The ball of the foot comes before the tip of the toes: it rises at once when the foot leaves the floor.
    """
    joints, sites = anatomy.figure.joint_names, anatomy.figure.site_names
    if anatomy.missing:
        named = {"rear": _by_side((*sites, *joints), _REAR), "front": _by_side((*joints, *sites), _FRONT)}
        sides = sorted({side for found in named.values() for side in found})
        return {(side, end): found[side] for side in sides for end, found in named.items() if side in found}
    found = {}
    for side in SIDES:
        heel, toe_tip = f"{side}_heel", f"{side}_toe_tip"
        found[side, "rear"] = heel if heel in sites else anatomy.parts[f"{side}_ankle"][0]
        if f"{side}_toes" in anatomy.parts:
            found[side, "front"] = anatomy.parts[f"{side}_toes"][0]
        elif toe_tip in sites:
            found[side, "front"] = toe_tip
    return found


def paired_feet(anatomy: Anatomy, other: Anatomy) -> dict[str, str]:
    """For each contact point of a figure, the one of another figure that is at the same place of the foot.

    Heels and toe tips of bodies that stand: ankles and toe joints are some centimetres inside the foot, more or less
    from one skeleton to the next. Else what is known of the feet by side and end, else contact points in their order.

    Raises:
        InvalidFigure: they cannot be paired.
    """
    if anatomy.soles and other.soles:
        return {name: name for name in SOLE_ENDS}
    shared = {name: other.feet[key] for key, name in anatomy.feet.items() if key in other.feet}
    if shared:
        return shared
    ours, theirs = anatomy.contact_sites, other.contact_sites
    if len(ours) != len(theirs):
        raise InvalidFigure(
            f"the feet of figures {anatomy.figure.name!r} ({', '.join(ours) or 'none'}) and {other.figure.name!r} "
            f"({', '.join(theirs) or 'none'}) cannot be paired; say which belong together"
        )
    return dict(zip(ours, theirs, strict=True))


def lowest_ends(figure: Figure) -> tuple[str, ...]:
    """The tips and last joints that are lowest at rest, within a twentieth of the figure's height."""
    tipped = {site.joint for site in figure.sites if site.tip}
    ends = [site.name for site in figure.sites if site.tip]
    ends += [name for index, name in enumerate(figure.joint_names) if not figure.children[index] and name not in tipped]
    heights = site_frames(figure, figure.rest, ends).points[:, 1]
    low = heights <= np.min(heights) + 0.05 * figure.height
    return tuple(name for name, is_low in zip(ends, low, strict=True) if is_low)


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
