"""How figures move."""

from posewright.motions.contacts import Contacts, ContactSettings
from posewright.motions.floor import Floor
from posewright.motions.library import MotionLibrary
from posewright.motions.motion import Motion
from posewright.motions.quality import Measure, QualityLimits, QualityReport
from posewright.motions.speeds import JointRates

__all__ = [
    "ContactSettings",
    "Contacts",
    "Floor",
    "JointRates",
    "Measure",
    "Motion",
    "MotionLibrary",
    "QualityLimits",
    "QualityReport",
]
