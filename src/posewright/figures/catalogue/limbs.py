"""The left arm, shoulder complex and left leg of a biped; the right side is their mirror image.

In the zero pose limbs hang straight down: thumb forward, palm to the thigh, foot flat and toed out a little. Signs are
anatomical, the same on both sides: flexion of the hip and elevation of the shoulder swing forward; flexion of the knee
and elbow bends them, of the ankle lifts the toes, of the wrist bends the hand towards its palm; abduction swings
outward, twist turns inward (of the wrist: pronation), inversion turns the sole inward, deviation bends the hand
towards the thumb. Limits are the usual clinical ranges (American Academy of Orthopaedic Surgeons), rounded, those of
the legs widened for sport.
"""

from __future__ import annotations

import math

from posewright.constraints import LinearConstraint
from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue.building import BACK, FORWARD, IN, OUT, TURN_IN, capsule, hinge, segment, site
from posewright.figures.catalogue.proportions import Proportions
from posewright.figures.group import JointGroup
from posewright.figures.joint import ORIGIN, Capsule, Hinge, Joint, Vector, Y, Z
from posewright.figures.site import Site
from posewright.figures.vectors import minus, times

COLLAR = (0.012, share.COLLAR, 0.018)
SHOULDER = (0.106, share.SHOULDER, -0.012)
COLLAR_MASS = 0.012
"""Of the upper trunk's share, each side: the shoulder girdle moves with the clavicle."""

RHYTHM = (
    ("left_clavicle.elevation", (0.08, 0.20, 0.0)),
    ("left_clavicle.protraction", (0.10, -0.08, 0.0)),
    ("left_shoulder.elevation", (1.0, 0.0, 0.0)),
    ("left_shoulder.abduction", (0.0, 0.80, 0.0)),
    ("left_shoulder.twist", (0.0, 0.0, 1.0)),
)
"""Per driven dof its share of elevation, abduction and twist of the shoulder complex.

Raising an arm also raises and turns the clavicle: a linear scapulohumeral rhythm (of a raise to the side a fifth is the
girdle's; Zhao & Badler 1994, section 12, has the group, Inman et al. 1944 the rhythm)."""
COMPLEX_REST = (4.0, 9.0, 0.0)
"""Elevation, abduction and twist of the complex in the relaxed stance, degrees."""
POLYGON = (
    (-55.0, -10.0), (0.0, -30.0), (90.0, -50.0), (150.0, -30.0), (175.0, 5.0),
    (175.0, 40.0), (120.0, 110.0), (20.0, 140.0), (-30.0, 130.0), (-55.0, 80.0),
)  # fmt: skip
"""Corners of what a shoulder can do, (elevation, abduction) in degrees, counter-clockwise: little behind the back,
across the chest with the arm raised forward, overhead from the front or from the side."""

HIP = (0.050, share.HIP, 0.0)
HIP_REST, KNEE_REST, ANKLE_REST = 1.0, 5.0, 4.0
"""Degrees, in the relaxed stance; the ankle's makes the sole flat, and the lean brings the weight over the feet."""
HEEL, BALL, TOE_TIP = -0.040, 0.075, share.FOOT - 0.040
"""Along the foot from the ankle, over the height."""
BALL_HEIGHT = 0.012
TOE_OUT = 0.12
"""Sideways per step forward: the tangent of 7 degrees."""
TOES_MASS = 0.15
"""Of the foot's mass."""

_KNUCKLES = ((0.0165, 0.054), (0.0060, 0.056), (-0.0045, 0.055), (-0.0145, 0.052))
"""Of four fingers: z and how far down, as `Proportions.down` takes them."""
_FINGERTIPS = (0.096, 0.1035, 0.099, 0.086)


# The arm.


def left_arm(
    body: Proportions, parent: str, parent_at: Vector, *, clavicle: tuple[Hinge, ...], shoulder: tuple[Hinge, ...]
) -> tuple[tuple[Joint, ...], tuple[Site, ...]]:
    """Joints and sites from the clavicle to the fingertips.

    Args:
        body: whose arm it is.
        parent: the joint of the trunk that carries the clavicle.
        parent_at: where it is in the pelvis' frame, zero pose (m).
        clavicle: hinges of the clavicle; none makes it rigid.
        shoulder: hinges of the shoulder.
    """
    collar = body.trunk(*COLLAR)
    girdle = minus(body.trunk(*SHOULDER), collar)
    joints = (
        segment(
            "left_clavicle", parent, minus(collar, parent_at), clavicle, COLLAR_MASS * body.mass, times(girdle, 0.5),
            capsule(times(girdle, 0.25), times(girdle, 0.92), body.girth(0.019), body.girth(0.025)),
            capsule(
                minus(body.trunk(0.016, 0.846, -0.019), collar),
                minus(body.trunk(0.092, 0.806, -0.014), collar),
                body.girth(0.024),
                body.girth(0.0255),
            ),
        ),
        segment(
            "left_shoulder", "left_clavicle", girdle, shoulder,
            share.UPPER_ARM_MASS * body.mass, body.down(0.0, 0.5772 * share.UPPER_ARM, 0.0),
            body.capsule((0.001, 0.004, 0.0), (0.003, 0.066, 0.001), 0.0285, 0.0240),
            body.capsule((0.003, 0.066, 0.001), (0.0, share.UPPER_ARM, 0.0), 0.0240, 0.0190),
        ),
        segment(
            "left_elbow", "left_shoulder", body.down(0.0, share.UPPER_ARM, 0.0),
            [hinge("flexion", FORWARD, 0.0, 150.0, 14.0)],
            share.FOREARM_MASS * body.mass, body.down(0.0, 0.4574 * share.FOREARM, 0.0),
            body.capsule((0.0, 0.0, 0.0), (0.001, 0.045, 0.001), 0.0190, 0.0220),
            body.capsule((0.001, 0.045, 0.001), (0.0, share.FOREARM, 0.0), 0.0220, 0.0132),
        ),
        segment(
            "left_wrist", "left_elbow", body.down(0.0, share.FOREARM, 0.0),
            [
                hinge("twist", TURN_IN, -85.0, 85.0, 18.0),
                hinge("flexion", IN, -70.0, 80.0, 4.0),
                hinge("deviation", FORWARD, -35.0, 25.0),
            ],
            share.HAND_MASS * body.mass, body.down(0.0, 0.3624 * share.HAND, 0.0),
            *_relaxed_hand(body),
        ),
    )  # fmt: skip
    fingers, palm = (0.0, -1.0, 0.0), (-1.0, 0.0, 0.0)
    sites = (
        site("left_elbow_tip", "left_elbow", body.down(0.0, 0.0, -0.020), (0.0, 0.0, -1.0)),
        site("left_hand", "left_wrist", body.down(-0.009, 0.040, 0.002), fingers, palm),
        site("left_fingertips", "left_wrist", body.down(-0.006, share.HAND, 0.0), fingers, palm, tip=True),
    )
    return joints, sites


def shoulder_hinges(elevation: float, abduction: float) -> tuple[Hinge, ...]:
    """The three hinges of a shoulder, resting at these angles (degrees).

    Elevation comes first so that no angle is lost (gimbal lock) where hands work, in front of the body; it is with
    the arm straight out to the side.
    """
    return (
        hinge("elevation", FORWARD, -60.0, 180.0, elevation),
        hinge("abduction", OUT, -50.0, 140.0, abduction),
        hinge("twist", TURN_IN, -90.0, 90.0),
    )


def shoulder_complex() -> tuple[tuple[Hinge, ...], tuple[Hinge, ...], JointGroup, tuple[LinearConstraint, ...]]:
    """Hinges of clavicle and shoulder, the group that drives the five by three, and what the shoulder can do.

    Elevation of the clavicle raises the shoulder, protraction takes it forward; all rest as the rhythm says. Elevation
    and abduction of the shoulder stay inside a polygon (Zhao & Badler 1994, section 6).
    """
    rests = [sum(factor * angle for factor, angle in zip(row, COMPLEX_REST, strict=True)) for _, row in RHYTHM]
    clavicle = (
        hinge("elevation", OUT, -10.0, 40.0, rests[0]),
        hinge("protraction", TURN_IN, -20.0, 30.0, rests[1]),
    )
    group = JointGroup(
        name="left_shoulder_complex",
        coordinates=("elevation", "abduction", "twist"),
        members=tuple(member for member, _ in RHYTHM),
        matrix=tuple(row for _, row in RHYTHM),
    )
    corners = [(math.radians(elevation), math.radians(abduction)) for elevation, abduction in POLYGON]
    polygon = LinearConstraint.polygon(
        "left_shoulder_polygon", "left_shoulder.elevation", "left_shoulder.abduction", corners
    )
    return clavicle, shoulder_hinges(rests[2], rests[3]), group, polygon


def fist(body: Proportions) -> tuple[Capsule, ...]:
    """A left hand closed around a grip: fingers folded back to the palm, thumb along the shaft."""
    fingers = tuple(
        part
        for z, knuckle in _KNUCKLES
        for part in (
            body.capsule((-0.001, knuckle, z), (-0.021, knuckle + 0.003, z), 0.0066, 0.0062),
            body.capsule((-0.021, knuckle + 0.003, z), (-0.0265, knuckle - 0.017, z), 0.0062, 0.0056),
            body.capsule((-0.0265, knuckle - 0.017, z), (-0.017, knuckle - 0.024, z), 0.0056, 0.0050),
        )
    )
    return (
        *_palm(body),
        *fingers,
        body.capsule((0.0, 0.014, 0.010), (-0.012, 0.030, 0.026), 0.0100, 0.0078),
        body.capsule((-0.012, 0.030, 0.026), (-0.018, 0.045, 0.038), 0.0075, 0.0055),
    )


def _relaxed_hand(body: Proportions) -> tuple[Capsule, ...]:
    """Palm, four fingers a little curled, thumb, in the wrist's frame."""
    fingers = tuple(
        part
        for (z, knuckle), tip in zip(_KNUCKLES, _FINGERTIPS, strict=True)
        for middle in ((knuckle + 0.5 * (tip - knuckle)),)
        for part in (
            body.capsule((0.0, knuckle - 0.004, z), (-0.003, middle, z * 0.97), 0.0062, 0.0056),
            body.capsule((-0.003, middle, z * 0.97), (-0.0095, tip, z * 0.9), 0.0056, 0.0045),
        )
    )
    return (
        *_palm(body),
        *fingers,
        body.capsule((0.0, 0.014, 0.010), (-0.007, 0.040, 0.0245), 0.0100, 0.0075),
        body.capsule((-0.007, 0.040, 0.0245), (-0.010, 0.063, 0.0265), 0.0072, 0.0052),
    )


def _palm(body: Proportions) -> tuple[Capsule, ...]:
    return (
        body.capsule((0.0, 0.004, 0.005), (0.0, 0.052, 0.0135), 0.0118, 0.0095),
        body.capsule((0.0, 0.004, -0.003), (0.0, 0.050, -0.011), 0.0115, 0.0090),
    )


# The leg.


def left_leg(body: Proportions, *, ankle_twist: bool, toes: bool) -> tuple[tuple[Joint, ...], tuple[Site, ...]]:
    """Joints and sites from the hip to the toes.

    Args:
        body: whose leg it is.
        ankle_twist: whether the ankle also turns about the shank: three dofs instead of two.
        toes: whether the toes bend; otherwise they are rigid.
    """
    ankle = [hinge("flexion", FORWARD, -50.0, 35.0, ANKLE_REST), hinge("inversion", IN, -25.0, 35.0)]
    twist = [hinge("twist", TURN_IN, -30.0, 30.0)] if ankle_twist else []
    whole = HEEL + 0.4415 * (TOE_TIP - HEEL)  # centre of foot and toes from the heel, after de Leva
    foot = (whole - TOES_MASS * 0.5 * (BALL + TOE_TIP)) / (1.0 - TOES_MASS)
    joints = (
        segment(
            "left_hip", "pelvis", body.trunk(*HIP),
            [
                hinge("flexion", FORWARD, -30.0, 125.0, HIP_REST),
                hinge("abduction", OUT, -30.0, 50.0),
                hinge("twist", TURN_IN, -45.0, 45.0),
            ],
            share.THIGH_MASS * body.mass, body.down(0.0, 0.4095 * share.THIGH, 0.0),
            body.capsule((0.004, 0.008, -0.002), (0.003, 0.105, 0.003), 0.0475, 0.0415),
            body.capsule((0.003, 0.105, 0.003), (0.0, share.THIGH, 0.0), 0.0415, 0.0275),
        ),
        segment(
            "left_knee", "left_hip", body.down(0.0, share.THIGH, 0.0),
            [hinge("flexion", BACK, 0.0, 150.0, KNEE_REST)],
            share.SHANK_MASS * body.mass, body.down(0.0, 0.4459 * share.SHANK, 0.0),
            body.capsule((0.0, 0.0, 0.001), (0.001, 0.070, -0.006), 0.0270, 0.0290),
            body.capsule((0.001, 0.070, -0.006), (0.0, share.SHANK, -0.001), 0.0290, 0.0165),
        ),
        segment(
            "left_ankle", "left_knee", body.down(0.0, share.SHANK, 0.0), [*ankle, *twist],
            (1.0 - TOES_MASS) * share.FOOT_MASS * body.mass, _on_foot(body, 0.0, foot, 0.018), *_foot(body),
        ),
        segment(
            "left_toes", "left_ankle", _on_foot(body, 0.0, BALL, BALL_HEIGHT),
            [hinge("extension", FORWARD, -40.0, 70.0)] if toes else [],
            TOES_MASS * share.FOOT_MASS * body.mass, _in_toes(body, 0.0, 0.5 * (BALL + TOE_TIP), 0.010), *_toes(body),
        ),
    )  # fmt: skip
    sites = (
        site("left_sole", "left_ankle", _on_foot(body, 0.0, 0.5 * (HEEL + TOE_TIP), 0.0), Z, Y),
        site("left_heel", "left_ankle", _on_foot(body, 0.0, HEEL, 0.0), Z, Y),
        site("left_toe_tip", "left_toes", _in_toes(body, 0.0, TOE_TIP, 0.0), Z, Y, tip=True),
    )
    return joints, sites


def rest_pelvis_height(body: Proportions) -> float:
    """m, of the root above the floor in the relaxed stance."""
    knee_drop = body.limb(share.THIGH) * math.cos(math.radians(HIP_REST))
    ankle_drop = body.limb(share.SHANK) * math.cos(math.radians(KNEE_REST - HIP_REST))
    return body.limb(share.ANKLE) + knee_drop + ankle_drop - body.trunk(*HIP)[1]


def _on_foot(body: Proportions, across: float, along: float, height: float) -> Vector:
    """A point of the foot in the ankle's frame: across its axis (outward), along it from the ankle, above the sole."""
    return (
        body.limb_girth(across) + TOE_OUT * body.limb(along),
        body.limb_girth(height) - body.limb(share.ANKLE),
        body.limb(along),
    )


def _in_toes(body: Proportions, across: float, along: float, height: float) -> Vector:
    return minus(_on_foot(body, across, along, height), _on_foot(body, 0.0, BALL, BALL_HEIGHT))


def _foot(body: Proportions) -> tuple[Capsule, ...]:
    """Three capsules that rest on the floor, from the heel to the ball, and two from the ankle down."""
    resting = (
        (-0.0105, BALL - 0.002, 0.0130),
        (0.0125, BALL - 0.010, 0.0105),
        (0.0010, BALL - 0.003, 0.0122),
    )  # across, along, radius
    upper = ((-0.004, 0.052, 0.0180, 0.0125), (0.0, HEEL + 0.0185, 0.0172, 0.0160))  # across, along, radii
    girth, heel = body.limb_girth, _on_foot(body, 0.0, HEEL + 0.0175, 0.0175)
    return (
        *(capsule(heel, _on_foot(body, x, z, r), girth(0.0175), girth(r)) for x, z, r in resting),
        *(capsule(ORIGIN, _on_foot(body, x, z, 0.0185), girth(start), girth(end)) for x, z, start, end in upper),
    )


def _toes(body: Proportions) -> tuple[Capsule, ...]:
    rows = (
        (-0.0105, 0.0, -0.0085, TOE_TIP - 0.0090, 0.0125, 0.0090),
        (0.0010, 0.0, 0.0020, TOE_TIP - 0.0100, 0.0115, 0.0078),
        (0.0125, -0.008, 0.0120, TOE_TIP - 0.0185, 0.0102, 0.0070),
    )
    return tuple(
        capsule(
            _in_toes(body, across, BALL + along, start),
            _in_toes(body, tip_across, tip_along, end),
            body.limb_girth(start),
            body.limb_girth(end),
        )
        for across, along, tip_across, tip_along, start, end in rows
    )
