"""Figures and their parts (joints, sites, groups), poses and kinematics."""

from typing import TYPE_CHECKING

from posewright.figures.figure import Figure
from posewright.figures.group import JointGroup
from posewright.figures.joint import Ball, Capsule, Hinge, Joint, Slide, free_slides
from posewright.figures.pose import Pose
from posewright.figures.site import Site
from posewright.figures.source import Body, Skin, Source
from posewright.lazy import loader

if TYPE_CHECKING:
    from posewright.figures import catalogue, kinematics

__all__ = [
    "Ball",
    "Body",
    "Capsule",
    "Figure",
    "Hinge",
    "Joint",
    "JointGroup",
    "Pose",
    "Site",
    "Skin",
    "Slide",
    "Source",
    "catalogue",
    "free_slides",
    "kinematics",
]
__getattr__ = loader(__name__, dict.fromkeys(("catalogue", "kinematics"), __name__))
