"""What is posed: joints, sites, groups, figures, poses and their kinematics."""

from posewright.figure.figure import Figure
from posewright.figure.group import JointGroup
from posewright.figure.joint import Ball, Capsule, Hinge, Joint, Slide, free_slides
from posewright.figure.pose import Pose
from posewright.figure.site import Site
from posewright.figure.source import Skin, Source

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
