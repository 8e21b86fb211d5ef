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

from posewright.checks import require_number
from posewright.errors import InvalidFigure
from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue.building import capsule, right_capsule, segment, site
from posewright.figures.catalogue.limbs import fist
from posewright.figures.catalogue.proportions import Proportions
from posewright.figures.figure import Figure
from posewright.figures.joint import Capsule, Vector
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
    require_number(length, "the length of a club", above=BUTT + HAND_GAP, unit="metres")
    require_number(mass, "the mass of a club", at_least=0.0, unit="kg")
    missing = {"left_hand", "right_hand", "left_fingertips"} - set(figure.site_names)
    if missing:
        raise InvalidFigure(f"figure {figure.name!r} cannot hold a club: it has no site {sorted(missing)[0]!r}")
    palm, palm_right = figure.site("left_hand"), figure.site("right_hand")
    grip = plus(palm.point, times(palm.y_axis, GRIP_RADIUS))
    closed = fist(Proportions(height=-figure.site("left_fingertips").point[1] / share.HAND))
    fists = {"left_wrist": closed, "right_wrist": tuple(map(right_capsule, closed))}
    centre = times(DOWN_SHAFT, 0.72 * length - BUTT)
    club = segment("club", palm.joint, grip, (), mass, centre, *_club_shape(length))
    trailing = plus(times(DOWN_SHAFT, HAND_GAP), times(palm_right.y_axis, -GRIP_RADIUS))
    trailing_fingers = (0.0, -math.cos(TRAILING_TILT), math.sin(TRAILING_TILT))
    sites = (
        site("club_grip_left", "club", times(palm.y_axis, -GRIP_RADIUS), palm.x_axis, palm.y_axis),
        site("club_grip_right", "club", trailing, trailing_fingers, palm_right.y_axis),
        site("club_head", "club", times(DOWN_SHAFT, length - BUTT), FACE, times(DOWN_SHAFT, -1.0), tip=True),
    )
    joints = tuple(replace(joint, shape=fists[joint.name]) if joint.name in fists else joint for joint in figure.joints)
    return replace(figure, name=f"{figure.name}_with_club", joints=(*joints, club), sites=(*figure.sites, *sites))


def _club_shape(length: float) -> tuple[Capsule, ...]:
    butt, grip_end, head = (times(DOWN_SHAFT, s) for s in (-BUTT, 0.21, length - BUTT))
    # The blade leaves the shaft at the lie angle, away from the player.
    away: Vector = (0.0, math.cos(TILT), math.sin(TILT))
    blade = plus(times(DOWN_SHAFT, math.cos(LIE)), times(away, math.sin(LIE)))
    return (
        capsule(butt, grip_end, GRIP_RADIUS, 0.010),
        capsule(grip_end, head, 0.0065, 0.005),
        capsule(plus(head, times(blade, -0.008)), plus(head, times(blade, 0.055)), 0.011, 0.020),
    )
