"""The left leg of a biped, straight down in the zero pose, foot flat and toed out a little.

Signs are anatomical, the same on both sides: flexion of the hip swings the leg forward, of the knee bends it, of the
ankle lifts the toes; abduction swings outward, twist turns the toes inward, inversion turns the sole inward.
Limits are the usual clinical ranges (American Academy of Orthopaedic Surgeons), rounded and widened for sport.
"""

from __future__ import annotations

import math

from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue.hinges import BACK, FORWARD, IN, OUT, TURN_IN, hinge
from posewright.figures.catalogue.proportions import Body
from posewright.figures.joint import Capsule, Joint, Vector
from posewright.figures.site import Site
from posewright.figures.vectors import minus

HIP = (0.050, share.HIP, 0.0)
HEEL, BALL, TOE_TIP = -0.040, 0.075, share.FOOT - 0.040
"""Along the foot from the ankle, over the height."""
BALL_HEIGHT = 0.012
TOE_OUT = 0.12
"""Sideways per step forward: the tangent of 7 degrees."""
TOES_MASS = 0.15
"""Of the foot's mass."""

HIP_REST, KNEE_REST, ANKLE_REST = 1.0, 5.0, 4.0
"""Degrees, in the relaxed stance; the ankle's makes the sole flat, and the lean brings the weight over the feet."""


def left_leg(body: Body, *, ankle_twist: bool, toes: bool) -> tuple[tuple[Joint, ...], tuple[Site, ...]]:
    """Joints and sites from the hip to the toes.

    Args:
        body: whose leg it is.
        ankle_twist: whether the ankle also turns about the shank: three dofs instead of two.
        toes: whether the toes bend; otherwise they are rigid.
    """
    ankle = [
        hinge("flexion", FORWARD, -50.0, 35.0, ANKLE_REST),
        hinge("inversion", IN, -25.0, 35.0),
    ]
    if ankle_twist:
        ankle.append(hinge("twist", TURN_IN, -30.0, 30.0))
    joints = (
        Joint(
            name="left_hip",
            parent="pelvis",
            offset=body.trunk(*HIP),
            rotation=(
                hinge("flexion", FORWARD, -30.0, 125.0, HIP_REST),
                hinge("abduction", OUT, -30.0, 50.0),
                hinge("twist", TURN_IN, -45.0, 45.0),
            ),
            mass=share.THIGH_MASS * body.mass,
            centre=body.down(0.0, 0.4095 * share.THIGH, 0.0),
            shape=(
                body.capsule((0.004, 0.008, -0.002), (0.003, 0.105, 0.003), 0.0475, 0.0415),
                body.capsule((0.003, 0.105, 0.003), (0.0, share.THIGH, 0.0), 0.0415, 0.0275),
            ),
        ),
        Joint(
            name="left_knee",
            parent="left_hip",
            offset=body.down(0.0, share.THIGH, 0.0),
            rotation=(hinge("flexion", BACK, 0.0, 150.0, KNEE_REST),),
            mass=share.SHANK_MASS * body.mass,
            centre=body.down(0.0, 0.4459 * share.SHANK, 0.0),
            shape=(
                body.capsule((0.0, 0.0, 0.001), (0.001, 0.070, -0.006), 0.0270, 0.0290),
                body.capsule((0.001, 0.070, -0.006), (0.0, share.SHANK, -0.001), 0.0290, 0.0165),
            ),
        ),
        Joint(
            name="left_ankle",
            parent="left_knee",
            offset=body.down(0.0, share.SHANK, 0.0),
            rotation=tuple(ankle),
            mass=(1.0 - TOES_MASS) * share.FOOT_MASS * body.mass,
            centre=_foot_centre(body),
            shape=_foot_shape(body),
        ),
        Joint(
            name="left_toes",
            parent="left_ankle",
            offset=on_foot(body, 0.0, BALL, BALL_HEIGHT),
            rotation=(hinge("extension", FORWARD, -40.0, 70.0),) if toes else (),
            mass=TOES_MASS * share.FOOT_MASS * body.mass,
            centre=_in_toes(body, 0.0, 0.5 * (BALL + TOE_TIP), 0.010),
            shape=_toes_shape(body),
        ),
    )
    return joints, _sites(body)


def rest_pelvis_height(body: Body) -> float:
    """m, of the root above the floor in the relaxed stance."""
    knee_drop = body.limb(share.THIGH) * math.cos(math.radians(HIP_REST))
    ankle_drop = body.limb(share.SHANK) * math.cos(math.radians(KNEE_REST - HIP_REST))
    return body.limb(share.ANKLE) + knee_drop + ankle_drop - body.trunk(*HIP)[1]


def on_foot(body: Body, across: float, along: float, height: float) -> Vector:
    """A point of the foot in the ankle's frame: across its axis (outward), along it from the ankle, above the sole."""
    return (
        body.limb_girth(across) + TOE_OUT * body.limb(along),
        body.limb_girth(height) - body.limb(share.ANKLE),
        body.limb(along),
    )


def _in_toes(body: Body, across: float, along: float, height: float) -> Vector:
    return minus(on_foot(body, across, along, height), on_foot(body, 0.0, BALL, BALL_HEIGHT))


def _foot_centre(body: Body) -> Vector:
    whole = HEEL + 0.4415 * (TOE_TIP - HEEL)  # de Leva, from the heel
    along = (whole - TOES_MASS * 0.5 * (BALL + TOE_TIP)) / (1.0 - TOES_MASS)
    return on_foot(body, 0.0, along, 0.018)


def _foot_shape(body: Body) -> tuple[Capsule, ...]:
    def resting(a: tuple[float, float], b: tuple[float, float], start: float, end: float) -> Capsule:
        """Between two places of the sole (across, along), its ends touching the floor."""
        return Capsule(
            start=on_foot(body, *a, start),
            end=on_foot(body, *b, end),
            start_radius=body.limb_girth(start),
            end_radius=body.limb_girth(end),
        )

    heel = (0.0, HEEL + 0.0175)
    return (
        resting(heel, (-0.0105, BALL - 0.002), 0.0175, 0.0130),
        resting(heel, (0.0125, BALL - 0.010), 0.0175, 0.0105),
        resting(heel, (0.0010, BALL - 0.003), 0.0175, 0.0122),
        Capsule(
            start=(0.0, 0.0, 0.0),
            end=on_foot(body, -0.004, 0.052, 0.0185),
            start_radius=body.limb_girth(0.0180),
            end_radius=body.limb_girth(0.0125),
        ),
        Capsule(
            start=(0.0, 0.0, 0.0),
            end=on_foot(body, 0.0, HEEL + 0.0185, 0.0185),
            start_radius=body.limb_girth(0.0172),
            end_radius=body.limb_girth(0.0160),
        ),
    )


def _toes_shape(body: Body) -> tuple[Capsule, ...]:
    rows = (
        (-0.0105, 0.0, -0.0085, TOE_TIP - 0.0090, 0.0125, 0.0090),
        (0.0010, 0.0, 0.0020, TOE_TIP - 0.0100, 0.0115, 0.0078),
        (0.0125, -0.008, 0.0120, TOE_TIP - 0.0185, 0.0102, 0.0070),
    )
    return tuple(
        Capsule(
            start=_in_toes(body, across, BALL + along, start),
            end=_in_toes(body, tip_across, tip_along, end),
            start_radius=body.limb_girth(start),
            end_radius=body.limb_girth(end),
        )
        for across, along, tip_across, tip_along, start, end in rows
    )


def _sites(body: Body) -> tuple[Site, ...]:
    forward, up = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
    middle = 0.5 * (HEEL + TOE_TIP)
    return (
        Site(name="left_sole", joint="left_ankle", point=on_foot(body, 0.0, middle, 0.0), x_axis=forward, y_axis=up),
        Site(name="left_heel", joint="left_ankle", point=on_foot(body, 0.0, HEEL, 0.0), x_axis=forward, y_axis=up),
        Site(
            name="left_toe_tip",
            joint="left_toes",
            point=_in_toes(body, 0.0, TOE_TIP, 0.0),
            x_axis=forward,
            y_axis=up,
            tip=True,
        ),
    )
