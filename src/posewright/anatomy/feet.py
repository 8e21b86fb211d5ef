"""Where a figure touches the floor: heels or ankles and toes, by parts or by names, otherwise its lowest tips.

Sites under the feet are used for contacts on any body. They lie in the plane through the lowest point of the feet in
the rest pose, which must be standing: x forward, y up. The sole is halfway between heel and toes; like the heel, it
belongs to the ankle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from posewright.anatomy.lexicon import FOOT_ENDS, SIDES
from posewright.anatomy.names import side_of
from posewright.anatomy.segments import Segments, cross
from posewright.errors import InvalidFigure
from posewright.figures.figure import Figure
from posewright.figures.kinematics import site_frames
from posewright.figures.site import Site
from posewright.figures.vectors import vector

if TYPE_CHECKING:
    from posewright.anatomy.anatomy import Anatomy

SOLE_ENDS = tuple(f"{side}_{end}" for side in SIDES for end in ("heel", "toe_tip"))
"""Names of the sites that touch the floor."""
_HEEL = 0.3
"""Distance of the heel behind the ankle, as a share of the distance from the ankle to the toes."""
_SHORT, _LONG = 0.02, 0.2
"""Shares of the leg length: a shorter foot counts as missing, as in files without feet, and then gets this length."""
_TIP = 0.1
"""Share of the same distance: a toe joint nearer to the tip only marks the tip and does not bend the foot."""


def foot_points(anatomy: Anatomy) -> dict[tuple[str, str], str]:
    """Names of sites and joints by side ("left", "right" or "") and end ("rear" or "front").

    The ball of the foot is preferred to the tip of the toes, because it rises as soon as the foot leaves the floor.
    """
    joints, sites = anatomy.figure.joint_names, anatomy.figure.site_names
    if anatomy.missing:
        named = {"rear": _by_side((*sites, *joints), "rear"), "front": _by_side((*joints, *sites), "front")}
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
    """For each contact point of a figure, the one at the same place on another figure's foot.

    For bodies that stand these are heels and toe tips, because ankles and toe joints are some centimetres inside the
    foot, which differs between skeletons. Otherwise points are paired by side and end, or else in their order.

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
            f"({', '.join(theirs) or 'none'}) cannot be paired; give the pairs (feet={...}, --feet)"
        )
    return dict(zip(ours, theirs, strict=True))


def lowest_ends(figure: Figure) -> tuple[str, ...]:
    """The tips and last joints within a twentieth of the figure's height of the lowest one at rest."""
    tipped = {site.joint for site in figure.sites if site.tip}
    ends = [site.name for site in figure.sites if site.tip]
    ends += [name for index, name in enumerate(figure.joint_names) if not figure.children[index] and name not in tipped]
    heights = site_frames(figure, figure.rest, ends).points[:, 1]
    low = heights <= np.min(heights) + 0.05 * figure.height
    return tuple(name for name, is_low in zip(ends, low, strict=True) if is_low)


def _by_side(names: tuple[str, ...], end: str) -> dict[str, str]:
    """The first name per side that contains a word for one end of the foot; heels are preferred to ankles and feet."""
    found: dict[str, str] = {}
    words = FOOT_ENDS[end]
    for alternatives in (words[:1], words[1:]):
        for name in names:
            folded = name.casefold()
            other_end = end == "rear" and any(word in folded for word in FOOT_ENDS["front"])
            if any(word in folded for word in alternatives) and not other_end:
                found.setdefault(side_of(name), name)
    return found


def sole_sites(segments: Segments) -> Iterator[Site]:
    """`left_sole`, `left_heel`, `left_toe_tip` and the same on the right: the figure's own, or estimated."""
    own = {site.name: site for site in segments.figure.sites}
    for side in SIDES:
        yield from (own.get(site.name, site) for site in _estimated(segments, side))


def _estimated(segments: Segments, side: str) -> list[Site]:
    anatomy, frame = segments.anatomy, segments.sole_frame(side)
    ahead, up = frame[:, 0], frame[:, 1]
    across = cross(ahead, up)
    ankle = anatomy.last(f"{side}_ankle")
    points = segments.foot_points(side)
    low, front = float((points @ up).min()), float((points @ ahead).max())
    rear = float(segments.place(f"{side}_ankle") @ ahead)
    if front - rear < _SHORT * segments.leg_length:
        front = rear + _LONG * segments.leg_length
    toes = [segments.figure.joint_index(name) for name in anatomy.parts.get(f"{side}_toes", ())]
    behind = [joint for joint in toes if front - float(segments.positions[joint] @ ahead) > _TIP * (front - rear)]
    carrier = [ankle, *toes[:1], *behind][-1]
    shoe = segments.shoe_points(side)
    heel = float((shoe @ ahead).min()) if len(shoe) else rear - _HEEL * (front - rear)
    middle = segments.place(f"{side}_ankle") @ across

    def site(name: str, joint: int, along: float) -> Site:
        world = along * ahead + low * up + middle * across
        turn = segments.rotations[joint].T
        return Site(
            name=f"{side}_{name}",
            joint=segments.figure.joint_names[joint],
            point=vector(turn @ (world - segments.positions[joint])),
            x_axis=vector(turn @ ahead),
            y_axis=vector(turn @ up),
        )

    return [site("sole", ankle, 0.5 * (heel + front)), site("heel", ankle, heel), site("toe_tip", carrier, front)]
