"""Motions, their transforms and measures. Everything except `Motion` is loaded on first use."""

from typing import TYPE_CHECKING

from posewright.lazy import loader
from posewright.motions.motion import Motion

if TYPE_CHECKING:
    from posewright.motions.contacts import Contacts, ContactSettings
    from posewright.motions.floor import Floor
    from posewright.motions.library import MotionLibrary
    from posewright.motions.quality import Measure, QualityLimits, QualityReport
    from posewright.motions.speeds import JointRates
    from posewright.motions.splines import KochanekBartels

__all__ = [
    "ContactSettings",
    "Contacts",
    "Floor",
    "JointRates",
    "KochanekBartels",
    "Measure",
    "Motion",
    "MotionLibrary",
    "QualityLimits",
    "QualityReport",
]
__getattr__ = loader(
    __name__,
    {
        "ContactSettings": "posewright.motions.contacts",
        "Contacts": "posewright.motions.contacts",
        "Floor": "posewright.motions.floor",
        "JointRates": "posewright.motions.speeds",
        "KochanekBartels": "posewright.motions.splines",
        "Measure": "posewright.motions.quality",
        "MotionLibrary": "posewright.motions.library",
        "QualityLimits": "posewright.motions.quality",
        "QualityReport": "posewright.motions.quality",
    },
)
