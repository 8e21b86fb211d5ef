"""Whole bodies: the full human, its upper half, and bipeds of exactly 40 dofs.

`human` is a whole person with 17 vertebrae, shoulder complexes, neck, head, arms, legs and toes; `human22` and
`human70` are the upper body of Zhao & Badler 1994 (section 12), standing with the pelvis fixed: 22 independent
coordinates with the spine as one group, 70 without.

`human40` (7 dofs per limb, 3 back, 3 waist, 6 root) is the figure of Li et al. (posture splicing), `norman` and his
deformed cousins those of Tak & Ko (example-guided IK): the same dofs in the same order, other proportions. Neck, head,
clavicles and toes are rigid joints, there for their names and shapes.
"""

from __future__ import annotations

from dataclasses import replace

from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue import trunk
from posewright.figures.catalogue.building import (
    both_sides,
    hinge,
    right_constraint,
    right_group,
    sites_of_both_sides,
    trunk_hinges,
)
from posewright.figures.catalogue.limbs import COLLAR_MASS, left_arm, left_leg, shoulder_complex, shoulder_hinges
from posewright.figures.catalogue.proportions import Proportions
from posewright.figures.figure import Figure
from posewright.figures.joint import ORIGIN, X, Y

BACK = (0.0, 0.690, -0.026)
"""Between T10 and T11, over the height."""


def human(*, height: float = 1.75, mass: float = 72.0, spine_group: bool = True) -> Figure:
    """A person (height m, mass kg) of 94 dofs, 42 independent coordinates.

    Args:
        height: standing straight, m.
        mass: kg.
        spine_group: whether the 17 vertebrae are driven by three numbers; without it there are 90 coordinates.
    """
    body = Proportions(height=height, mass=mass)
    upper = _upper_body("human", body, free=True, spine_group=spine_group)
    leg, leg_sites = left_leg(body, ankle_twist=False, toes=True)
    return replace(
        upper, joints=(*upper.joints, *both_sides(leg)), sites=(*upper.sites, *sites_of_both_sides(leg_sites))
    )


def human22(*, height: float = 1.75, mass: float = 72.0) -> Figure:
    """The upper body with 22 coordinates: shoulders 6, elbows 2, wrists 6, torso 3, neck 3, head 2."""
    return _upper_body("human22", Proportions(height=height, mass=mass), free=False, spine_group=True)


def human70(*, height: float = 1.75, mass: float = 72.0) -> Figure:
    """The same upper body with every vertebra on its own: 70 coordinates."""
    return _upper_body("human70", Proportions(height=height, mass=mass), free=False, spine_group=False)


def human40(*, height: float = 1.75, mass: float = 72.0) -> Figure:
    """A person of 40 dofs (height m, mass kg)."""
    return _biped40("human40", Proportions(height=height, mass=mass))


def norman() -> Figure:
    """A man of usual build whose motions the others imitate."""
    return _biped40("norman", Proportions(height=1.80, mass=76.0))


def abnorman1() -> Figure:
    """Norman with limbs 1.3 times as long and a torso of 0.8 times the height."""
    return _biped40("abnorman1", Proportions(height=1.80, mass=76.0, limbs=1.3, torso=0.8))


def abnorman2() -> Figure:
    """Norman with limbs of half the length and a torso of 1.4 times the height."""
    return _biped40("abnorman2", Proportions(height=1.80, mass=76.0, limbs=0.5, torso=1.4))


def _upper_body(name: str, body: Proportions, *, free: bool, spine_group: bool) -> Figure:
    vertebrae = trunk.spine_joints(body)
    top = vertebrae[-1].name
    top_at = (0.0, sum(joint.offset[1] for joint in vertebrae), sum(joint.offset[2] for joint in vertebrae))
    skull = (hinge("flexion", X, -20.0, 20.0), hinge("axial", Y, -35.0, 35.0))
    head, head_sites = trunk.neck_and_head(body, top, top_at, neck=trunk_hinges((-45.0, 45.0), 40.0, 55.0), head=skull)
    clavicle, shoulder, group, polygon = shoulder_complex()
    arm, arm_sites = left_arm(body, top, top_at, clavicle=clavicle, shoulder=shoulder)
    return Figure(
        name=name,
        joints=(trunk.pelvis(body, free=free), *vertebrae, *head, *both_sides(arm)),
        sites=(*head_sites, *sites_of_both_sides(arm_sites)),
        groups=(*((trunk.spine_group(),) if spine_group else ()), group, right_group(group)),
        constraints=(*polygon, *map(right_constraint, polygon)),
    )


def _biped40(name: str, body: Proportions) -> Figure:
    waist_at, back_at = body.trunk(*trunk.SPINE_BASE), body.trunk(*BACK)
    waist = trunk.trunk_segment(
        body, "waist", "pelvis", ORIGIN, waist_at, (share.SPINE_BASE, BACK[1]),
        trunk_hinges((-25.0, 55.0), 25.0, 20.0), share.MIDDLE_TRUNK_MASS,
    )  # fmt: skip
    back = trunk.trunk_segment(
        body, "back", "waist", waist_at, back_at, (BACK[1], share.NECK_BASE),
        trunk_hinges((-25.0, 40.0), 25.0, 45.0), share.UPPER_TRUNK_MASS - 2.0 * COLLAR_MASS,
    )  # fmt: skip
    head, head_sites = trunk.neck_and_head(body, "back", back_at, neck=(), head=())
    arm, arm_sites = left_arm(body, "back", back_at, clavicle=(), shoulder=shoulder_hinges(4.0, 7.0))
    leg, leg_sites = left_leg(body, ankle_twist=True, toes=False)
    return Figure(
        name=name,
        joints=(trunk.pelvis(body, free=True), waist, back, *head, *both_sides(arm), *both_sides(leg)),
        sites=(*head_sites, *sites_of_both_sides((*arm_sites, *leg_sites))),
    )
