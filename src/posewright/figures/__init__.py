"""What is posed: joints, sites, groups, figures, poses and their kinematics."""

from posewright.figures.figure import Figure
from posewright.figures.group import JointGroup
from posewright.figures.joint import Ball, Capsule, Hinge, Joint, Slide, free_slides
from posewright.figures.pose import Pose
from posewright.figures.site import Site
from posewright.figures.source import Skin, Source

__all__ = [
    "Ball",
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
    "free_slides",
]
