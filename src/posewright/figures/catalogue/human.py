"""The full human: spine of 17 vertebrae, shoulder complexes, neck, head, arms, legs and toes.

`human` is the whole person; `human22` and `human70` are the upper body of Zhao & Badler 1994 (section 12,
experiments 1-A and 1-B), standing with the pelvis fixed: 22 independent coordinates with the spine as one group, 70
without.
"""

from __future__ import annotations

from dataclasses import replace

from posewright.figures.catalogue.arm import left_arm
from posewright.figures.catalogue.hinges import hinge, trunk_hinges
from posewright.figures.catalogue.leg import left_leg
from posewright.figures.catalogue.mirror import right_constraints, right_group, right_joint, right_site
from posewright.figures.catalogue.proportions import Body
from posewright.figures.catalogue.shoulder import (
    clavicle_hinges,
    complex_shoulder,
    left_shoulder_group,
    left_shoulder_polygon,
)
from posewright.figures.catalogue.spine import spine_group, spine_joints
from posewright.figures.catalogue.trunk import neck_and_head, pelvis
from posewright.figures.figure import Figure
from posewright.figures.joint import X, Y


def human(*, height: float = 1.75, mass: float = 72.0, spine_group: bool = True) -> Figure:
    """A person (height m, mass kg) of 94 dofs, 42 independent coordinates.

    Args:
        height: standing straight, m.
        mass: kg.
        spine_group: whether the 17 vertebrae are driven by three numbers; without it there are 90 coordinates.
    """
    body = Body(height=height, mass=mass)
    upper = _upper_body("human", body, free=True, spine_as_group=spine_group)
    leg, leg_sites = left_leg(body, ankle_twist=False, toes=True)
    return replace(
        upper,
        joints=(*upper.joints, *leg, *map(right_joint, leg)),
        sites=(*upper.sites, *leg_sites, *map(right_site, leg_sites)),
    )


def human22(*, height: float = 1.75, mass: float = 72.0) -> Figure:
    """The upper body with 22 coordinates: shoulders 6, elbows 2, wrists 6, torso 3, neck 3, head 2."""
    return _upper_body("human22", Body(height=height, mass=mass), free=False, spine_as_group=True)


def human70(*, height: float = 1.75, mass: float = 72.0) -> Figure:
    """The same upper body with every vertebra on its own: 70 coordinates."""
    return _upper_body("human70", Body(height=height, mass=mass), free=False, spine_as_group=False)


def _upper_body(name: str, body: Body, *, free: bool, spine_as_group: bool) -> Figure:
    vertebrae = spine_joints(body)
    top_at = (0.0, sum(joint.offset[1] for joint in vertebrae), sum(joint.offset[2] for joint in vertebrae))
    top = vertebrae[-1].name
    head, head_sites = neck_and_head(
        body,
        top,
        top_at,
        neck=trunk_hinges((-45.0, 45.0), 40.0, 55.0),
        head=(hinge("flexion", X, -20.0, 20.0), hinge("axial", Y, -35.0, 35.0)),
    )
    arm, arm_sites = left_arm(body, top, top_at, clavicle=clavicle_hinges(), shoulder=complex_shoulder())
    shoulder = left_shoulder_group()
    polygon = left_shoulder_polygon()
    return Figure(
        name=name,
        joints=(pelvis(body, free=free), *vertebrae, *head, *arm, *map(right_joint, arm)),
        sites=(*head_sites, *arm_sites, *map(right_site, arm_sites)),
        groups=(*((spine_group(),) if spine_as_group else ()), shoulder, right_group(shoulder)),
        constraints=(*polygon, *right_constraints(polygon)),
    )
