"""Sites under the feet, so that contacts can be found and kept on any body.

They lie in the plane under the lowest point of the feet in the rest pose, which must be a standing one: x ahead, y up.
The sole is the middle between heel and toes and, like the heel, belongs to the ankle.
"""

from __future__ import annotations

from collections.abc import Iterator

from posewright.anatomy.parts import SIDES
from posewright.anatomy.segments import Segments, cross
from posewright.figures.site import Site
from posewright.figures.vectors import vector

SOLE_ENDS = tuple(f"{side}_{end}" for side in SIDES for end in ("heel", "toe_tip"))
"""Names of the sites that touch the floor."""
_HEEL = 0.3
"""How far the heel is behind the ankle, as a share of the distance from there to the toes."""


def sole_sites(segments: Segments) -> Iterator[Site]:
    """`left_sole`, `left_heel`, `left_toe_tip` and those of the right: the figure's own, else estimated."""
    own = {site.name: site for site in segments.figure.sites}
    for side in SIDES:
        yield from (own.get(site.name, site) for site in _estimated(segments, side))


def _estimated(segments: Segments, side: str) -> list[Site]:
    anatomy, frame = segments.anatomy, segments.sole_frame(side)
    ahead, up = frame[:, 0], frame[:, 1]
    across = cross(ahead, up)
    ankle = anatomy.last(f"{side}_ankle")
    carrier = anatomy.last(f"{side}_toes") if f"{side}_toes" in anatomy.parts else ankle
    points = segments.foot_points(side)
    low, front = float((points @ up).min()), float((points @ ahead).max())
    rear = float(segments.place(f"{side}_ankle") @ ahead)
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

    heel = rear - _HEEL * (front - rear)
    return [site("sole", ankle, 0.5 * (heel + front)), site("heel", ankle, heel), site("toe_tip", carrier, front)]
