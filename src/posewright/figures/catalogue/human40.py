"""Bipeds of exactly 40 dofs: 7 per limb, 3 back, 3 waist, 6 root.

`human40` is the figure of Li et al. (posture splicing, experiment 5-A), `norman` and his deformed cousins those of
Tak & Ko (example-guided IK): the same dofs in the same order, other proportions. Neck, head, clavicles and toes are
rigid joints, there for their names and shapes.
"""

from __future__ import annotations

from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue.arm import COLLAR_MASS, box_shoulder, left_arm
from posewright.figures.catalogue.hinges import trunk_hinges
from posewright.figures.catalogue.leg import left_leg
from posewright.figures.catalogue.mirror import right_joint, right_site
from posewright.figures.catalogue.proportions import Body
from posewright.figures.catalogue.trunk import SPINE_BASE, neck_and_head, outline, pelvis, trunk_centre
from posewright.figures.figure import Figure
from posewright.figures.joint import Joint
from posewright.figures.vectors import minus

BACK = (0.0, 0.690, -0.026)
"""Between T10 and T11, over the height."""


def human40(*, height: float = 1.75, mass: float = 72.0) -> Figure:
    """A person of 40 dofs (height m, mass kg)."""
    return biped40("human40", Body(height=height, mass=mass))


def norman() -> Figure:
    """A man of usual build whose motions the others imitate."""
    return biped40("norman", Body(height=1.80, mass=76.0))


def abnorman1() -> Figure:
    """Norman with limbs 1.3 times as long and a torso of 0.8 times the height."""
    return biped40("abnorman1", Body(height=1.80, mass=76.0, limbs=1.3, torso=0.8))


def abnorman2() -> Figure:
    """Norman with limbs of half the length and a torso of 1.4 times the height."""
    return biped40("abnorman2", Body(height=1.80, mass=76.0, limbs=0.5, torso=1.4))


def biped40(name: str, body: Body) -> Figure:
    """A biped of 40 dofs with any proportions."""
    waist_at, back_at = body.trunk(*SPINE_BASE), body.trunk(*BACK)
    trunk = (
        pelvis(body, free=True),
        Joint(
            name="waist",
            parent="pelvis",
            offset=waist_at,
            rotation=trunk_hinges((-25.0, 55.0), 25.0, 20.0),
            mass=share.MIDDLE_TRUNK_MASS * body.mass,
            centre=trunk_centre(body, share.SPINE_BASE, BACK[1], waist_at),
            shape=outline(body, share.SPINE_BASE, BACK[1], waist_at),
        ),
        Joint(
            name="back",
            parent="waist",
            offset=minus(back_at, waist_at),
            rotation=trunk_hinges((-25.0, 40.0), 25.0, 45.0),
            mass=(share.UPPER_TRUNK_MASS - 2.0 * COLLAR_MASS) * body.mass,
            centre=trunk_centre(body, BACK[1], share.NECK_BASE, back_at),
            shape=outline(body, BACK[1], share.NECK_BASE, back_at),
        ),
    )
    head, head_sites = neck_and_head(body, "back", back_at, neck=(), head=())
    arm, arm_sites = left_arm(body, "back", back_at, clavicle=(), shoulder=box_shoulder())
    leg, leg_sites = left_leg(body, ankle_twist=True, toes=False)
    limb_sites = (*arm_sites, *leg_sites)
    return Figure(
        name=name,
        joints=(*trunk, *head, *arm, *map(right_joint, arm), *leg, *map(right_joint, leg)),
        sites=(*head_sites, *limb_sites, *map(right_site, limb_sites)),
    )
