"""Soles for figures that have none: sites under the feet, so that contacts can be found and kept on any body."""

from __future__ import annotations

from posewright.anatomy.body import Body
from posewright.anatomy.parts import SIDES
from posewright.anatomy.segment_axes import Anatomy, cross
from posewright.figures import Figure, Site
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.motions import Motion
from posewright.motions.floor import Floor

_HEEL = 0.3
"""How far the heel is behind the ankle, as a share of the way from there to the toes."""

_ENOUGH_FPS = 30.0
"""Frames per second that are looked at to find the floor."""


def with_soles(figure: Figure, body: Body | None = None) -> Figure:
    """The figure with sites `left_sole`, `left_heel` and `left_toe_tip`, and those of the right, where it lacks them.

    They lie in the plane under the lowest point of the feet in the rest pose, which must be a standing one
    (`stance.standing`): x ahead, y up. The sole is the middle between heel and toes and, like the heel, belongs to
    the ankle.
    """
    anatomy = Anatomy(body or Body.find(figure))
    fresh = [site for side in SIDES for site in _foot(anatomy, side)]
    return figure.with_sites(*(site for site in fresh if site.name not in (*figure.site_names, *figure.joint_names)))


def sole_sites(figure: Figure) -> tuple[str, ...]:
    """Names of the sites that touch the floor: heel and toe tip of each foot."""
    return tuple(
        f"{side}_{end}" for side in SIDES for end in ("heel", "toe_tip") if f"{side}_{end}" in figure.site_names
    )


def floor_under(motion: Motion, anatomy: Anatomy) -> Floor:
    """The floor where the soles of a motion stand; of one or two frames, level under the lowest sole."""
    figure = with_soles(anatomy.figure, anatomy.body)
    names = sole_sites(figure)
    if len(motion) < 3:
        return Floor(float(site_frames(figure, motion.q, names).points[..., 1].min()))
    step = max(1, int(motion.fps / _ENOUGH_FPS))
    return Motion(figure, motion.q[::step], motion.fps / step).contacts(names).floor


def _foot(anatomy: Anatomy, side: str) -> list[Site]:
    body, frame = anatomy.body, anatomy.sole_frame(side)
    ahead, up = frame[:, 0], frame[:, 1]
    across = cross(ahead, up)
    ankle = body.last(f"{side}_ankle")
    carrier = body.last(f"{side}_toes") if f"{side}_toes" in body.joints else ankle
    points = anatomy.foot_points(side)
    low = float((points @ up).min())
    reach = points @ ahead
    rear = float(anatomy.place(f"{side}_ankle") @ ahead)
    front = float(reach.max())
    middle = anatomy.place(f"{side}_ankle") @ across

    def site(name: str, joint: int, along: float, *, tip: bool) -> Site:
        world = along * ahead + low * up + middle * across
        turn = anatomy.rotations[joint].T
        return Site(
            name=f"{side}_{name}",
            joint=anatomy.figure.joint_names[joint],
            point=vector(turn @ (world - anatomy.positions[joint])),
            x_axis=vector(turn @ ahead),
            y_axis=vector(turn @ up),
            tip=tip,
        )

    heel = rear - _HEEL * (front - rear)
    return [
        site("sole", ankle, 0.5 * (heel + front), tip=False),
        site("heel", ankle, heel, tip=False),
        site("toe_tip", carrier, front, tip=False),
    ]
