"""The left arm of a biped, hanging straight down in the zero pose, thumb forward, palm to the thigh.

Signs are anatomical, the same on both sides: elevation raises the arm forward, abduction raises it sideways, twist
turns it inward; the wrist's twist turns the palm back (pronation), flexion bends the hand towards its palm, deviation
towards the thumb. Limits are the usual clinical ranges (American Academy of Orthopaedic Surgeons), rounded.
"""

from __future__ import annotations

from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue.hinges import FORWARD, IN, OUT, TURN_IN, hinge
from posewright.figures.catalogue.proportions import Body
from posewright.figures.joint import Capsule, Hinge, Joint, Vector
from posewright.figures.site import Site
from posewright.figures.vectors import minus, times

COLLAR = (0.012, share.COLLAR, 0.018)
SHOULDER = (0.106, share.SHOULDER, -0.012)
COLLAR_MASS = 0.012
"""Of the upper trunk's share, each side: the shoulder girdle moves with the clavicle."""

ELBOW_REST, PRONATION_REST = 14.0, 18.0
"""Degrees, in the relaxed stance."""


def left_arm(
    body: Body, parent: str, parent_at: Vector, *, clavicle: tuple[Hinge, ...], shoulder: tuple[Hinge, ...]
) -> tuple[tuple[Joint, ...], tuple[Site, ...]]:
    """Joints and sites from the clavicle to the fingertips.

    Args:
        body: whose arm it is.
        parent: the joint of the trunk that carries the clavicle.
        parent_at: where it is in the pelvis' frame, zero pose (m).
        clavicle: hinges of the clavicle; none makes it rigid.
        shoulder: hinges of the shoulder.
    """
    collar, socket = body.trunk(*COLLAR), body.trunk(*SHOULDER)
    joints = (
        Joint(
            name="left_clavicle",
            parent=parent,
            offset=minus(collar, parent_at),
            rotation=clavicle,
            mass=COLLAR_MASS * body.mass,
            centre=times(minus(socket, collar), 0.5),
            shape=_girdle(body, collar, socket),
        ),
        Joint(
            name="left_shoulder",
            parent="left_clavicle",
            offset=minus(socket, collar),
            rotation=shoulder,
            mass=share.UPPER_ARM_MASS * body.mass,
            centre=body.down(0.0, 0.5772 * share.UPPER_ARM, 0.0),
            shape=(
                body.capsule((0.001, 0.004, 0.0), (0.003, 0.066, 0.001), 0.0285, 0.0240),
                body.capsule((0.003, 0.066, 0.001), (0.0, share.UPPER_ARM, 0.0), 0.0240, 0.0190),
            ),
        ),
        Joint(
            name="left_elbow",
            parent="left_shoulder",
            offset=body.down(0.0, share.UPPER_ARM, 0.0),
            rotation=(hinge("flexion", FORWARD, 0.0, 150.0, ELBOW_REST),),
            mass=share.FOREARM_MASS * body.mass,
            centre=body.down(0.0, 0.4574 * share.FOREARM, 0.0),
            shape=(
                body.capsule((0.0, 0.0, 0.0), (0.001, 0.045, 0.001), 0.0190, 0.0220),
                body.capsule((0.001, 0.045, 0.001), (0.0, share.FOREARM, 0.0), 0.0220, 0.0132),
            ),
        ),
        Joint(
            name="left_wrist",
            parent="left_elbow",
            offset=body.down(0.0, share.FOREARM, 0.0),
            rotation=(
                hinge("twist", TURN_IN, -85.0, 85.0, PRONATION_REST),
                hinge("flexion", IN, -70.0, 80.0, 4.0),
                hinge("deviation", FORWARD, -35.0, 25.0),
            ),
            mass=share.HAND_MASS * body.mass,
            centre=body.down(0.0, 0.3624 * share.HAND, 0.0),
            shape=hand_shape(body),
        ),
    )
    return joints, _sites(body)


def box_shoulder() -> tuple[Hinge, ...]:
    """Three hinges of a shoulder without a girdle, each with its own limits and a relaxed rest."""
    return shoulder_hinges(4.0, 7.0)


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


def hand_shape(body: Body) -> tuple[Capsule, ...]:
    """A relaxed hand in the wrist's frame: palm, four fingers a little curled, thumb."""
    fingers = tuple(
        capsule
        for z, knuckle, tip in (
            (0.0165, 0.054, 0.096),
            (0.0060, 0.056, 0.1035),
            (-0.0045, 0.055, 0.099),
            (-0.0145, 0.052, 0.086),
        )
        for middle in ((knuckle + 0.5 * (tip - knuckle)),)
        for capsule in (
            body.capsule((0.0, knuckle - 0.004, z), (-0.003, middle, z * 0.97), 0.0062, 0.0056),
            body.capsule((-0.003, middle, z * 0.97), (-0.0095, tip, z * 0.9), 0.0056, 0.0045),
        )
    )
    thumb = (
        body.capsule((0.0, 0.014, 0.010), (-0.007, 0.040, 0.0245), 0.0100, 0.0075),
        body.capsule((-0.007, 0.040, 0.0245), (-0.010, 0.063, 0.0265), 0.0072, 0.0052),
    )
    return palm_shape(body) + fingers + thumb


def palm_shape(body: Body) -> tuple[Capsule, ...]:
    """The part of a hand without fingers."""
    return (
        body.capsule((0.0, 0.004, 0.005), (0.0, 0.052, 0.0135), 0.0118, 0.0095),
        body.capsule((0.0, 0.004, -0.003), (0.0, 0.050, -0.011), 0.0115, 0.0090),
    )


def _girdle(body: Body, collar: Vector, socket: Vector) -> tuple[Capsule, ...]:
    neck_side = minus(body.trunk(0.016, 0.846, -0.019), collar)
    top = minus(body.trunk(0.092, 0.806, -0.014), collar)
    return (
        Capsule(
            start=times(minus(socket, collar), 0.25),
            end=times(minus(socket, collar), 0.92),
            start_radius=body.girth(0.019),
            end_radius=body.girth(0.025),
        ),
        Capsule(start=neck_side, end=top, start_radius=body.girth(0.024), end_radius=body.girth(0.0255)),
    )


def _sites(body: Body) -> tuple[Site, ...]:
    fingers, palm = (0.0, -1.0, 0.0), (-1.0, 0.0, 0.0)
    return (
        Site(
            name="left_elbow_tip",
            joint="left_elbow",
            point=body.down(0.0, 0.0, -0.020),
            x_axis=(0.0, 0.0, -1.0),
        ),
        Site(
            name="left_hand",
            joint="left_wrist",
            point=body.down(-0.009, 0.040, 0.002),
            x_axis=fingers,
            y_axis=palm,
        ),
        Site(
            name="left_fingertips",
            joint="left_wrist",
            point=body.down(-0.006, share.HAND, 0.0),
            x_axis=fingers,
            y_axis=palm,
            tip=True,
        ),
    )
