"""A golf club in the lead hand of a biped that plays right-handed: rigid, a joint `club` without dofs on `left_wrist`.

The left fist holds the club; the right hand is brought to it. Sites on the club:

- `club_grip_left`: where `left_hand` is, always (same point, same axes).
- `club_grip_right`: where `right_hand` must be for the right palm to close the grip below the left: put `right_hand`
  there in position and orientation.
- `club_head`: the middle of the face; x_axis is the face's normal, towards the target at address; y_axis points up
  the shaft, to the hands.

The shaft leaves the lead fist on the thumb's side, 41 degrees from the thumb towards the fingers, and the trailing
one 3 degrees nearer to the fingers still: it lies across the fingers, so that wrists bend little to reach a ball with
arms that hang down, and have most of their range left to cock.
"""

from __future__ import annotations

import math
from dataclasses import replace

from posewright.errors import InvalidFigure, InvalidSetting
from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue.arm import palm_shape
from posewright.figures.catalogue.mirror import right_capsule
from posewright.figures.catalogue.proportions import Body
from posewright.figures.figure import Figure
from posewright.figures.joint import Capsule, Joint, Vector
from posewright.figures.site import Site
from posewright.figures.vectors import plus, times

TILT = math.radians(41.0)
DOWN_SHAFT: Vector = (0.0, -math.sin(TILT), math.cos(TILT))
"""In the hand's frame, from the hands to the head of the club."""
TRAILING_TILT = math.radians(3.0)
"""By how much the fingers of the trailing hand lie nearer to the shaft than those of the lead hand."""
FACE: Vector = (1.0, 0.0, 0.0)
"""In the hand's frame: the back of the lead hand looks to the target."""
LIE = math.radians(60.0)
"""Between the shaft and the sole of the head."""
GRIP_RADIUS = 0.013
BUTT = 0.07
"""m, of shaft above the middle of the lead palm."""
HAND_GAP = 0.075
"""m, along the shaft, from palm to palm."""


def with_club(figure: Figure, *, length: float = 0.95, mass: float = 0.42) -> Figure:
    """The same figure with a golf club in its left hand, both hands closed to fists (length m, mass kg)."""
    if not (math.isfinite(length) and length > BUTT + HAND_GAP and math.isfinite(mass) and mass >= 0.0):
        raise InvalidSetting(
            f"a club of {length} m and {mass} kg cannot be held; it must be longer than {BUTT + HAND_GAP} m"
        )
    missing = {"left_hand", "right_hand", "left_fingertips"} - set(figure.site_names)
    if missing:
        raise InvalidFigure(f"figure {figure.name!r} cannot hold a club: it has no site {sorted(missing)[0]!r}")
    palm, palm_right = figure.site("left_hand"), figure.site("right_hand")
    grip = plus(palm.point, times(palm.y_axis, GRIP_RADIUS))
    body = Body(height=-figure.site("left_fingertips").point[1] / share.HAND)
    fists = {"left_wrist": _fist(body), "right_wrist": tuple(right_capsule(part) for part in _fist(body))}
    club = Joint(
        name="club",
        parent=palm.joint,
        offset=grip,
        mass=mass,
        centre=times(DOWN_SHAFT, 0.72 * length - BUTT),
        shape=_club_shape(length),
    )
    trailing = plus(times(DOWN_SHAFT, HAND_GAP), times(palm_right.y_axis, -GRIP_RADIUS))
    sites = (
        Site(
            name="club_grip_left",
            joint="club",
            point=times(palm.y_axis, -GRIP_RADIUS),
            x_axis=palm.x_axis,
            y_axis=palm.y_axis,
        ),
        Site(
            name="club_grip_right",
            joint="club",
            point=trailing,
            x_axis=(0.0, -math.cos(TRAILING_TILT), math.sin(TRAILING_TILT)),
            y_axis=palm_right.y_axis,
        ),
        Site(
            name="club_head",
            joint="club",
            point=times(DOWN_SHAFT, length - BUTT),
            x_axis=FACE,
            y_axis=times(DOWN_SHAFT, -1.0),
            tip=True,
        ),
    )
    joints = tuple(replace(joint, shape=fists[joint.name]) if joint.name in fists else joint for joint in figure.joints)
    return replace(figure, name=f"{figure.name}_with_club", joints=(*joints, club), sites=(*figure.sites, *sites))


def _club_shape(length: float) -> tuple[Capsule, ...]:
    butt, grip_end, head = (times(DOWN_SHAFT, s) for s in (-BUTT, 0.21, length - BUTT))
    # The blade leaves the shaft at the lie angle, away from the player.
    away: Vector = (0.0, math.cos(TILT), math.sin(TILT))
    blade = plus(times(DOWN_SHAFT, math.cos(LIE)), times(away, math.sin(LIE)))
    return (
        Capsule(start=butt, end=grip_end, start_radius=GRIP_RADIUS, end_radius=0.010),
        Capsule(start=grip_end, end=head, start_radius=0.0065, end_radius=0.005),
        Capsule(
            start=plus(head, times(blade, -0.008)),
            end=plus(head, times(blade, 0.055)),
            start_radius=0.011,
            end_radius=0.020,
        ),
    )


def _fist(body: Body) -> tuple[Capsule, ...]:
    """A left hand closed around a grip: fingers folded back to the palm, thumb along the shaft."""
    fingers = tuple(
        part
        for z, knuckle in ((0.0165, 0.054), (0.0060, 0.056), (-0.0045, 0.055), (-0.0145, 0.052))
        for part in (
            body.capsule((-0.001, knuckle, z), (-0.021, knuckle + 0.003, z), 0.0066, 0.0062),
            body.capsule((-0.021, knuckle + 0.003, z), (-0.0265, knuckle - 0.017, z), 0.0062, 0.0056),
            body.capsule((-0.0265, knuckle - 0.017, z), (-0.017, knuckle - 0.024, z), 0.0056, 0.0050),
        )
    )
    thumb = (
        body.capsule((0.0, 0.014, 0.010), (-0.012, 0.030, 0.026), 0.0100, 0.0078),
        body.capsule((-0.012, 0.030, 0.026), (-0.018, 0.045, 0.038), 0.0075, 0.0055),
    )
    return palm_shape(body) + fingers + thumb
