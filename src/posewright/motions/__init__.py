"""How figures move."""

from posewright.motions.contacts import Contacts, ContactSettings, contacts
from posewright.motions.continuity import unwrapped
from posewright.motions.floor import Floor
from posewright.motions.joining import concatenated, joined
from posewright.motions.library import MotionLibrary
from posewright.motions.mirroring import mirrored
from posewright.motions.motion import Motion
from posewright.motions.placing import moved
from posewright.motions.quality import Measure, QualityLimits, QualityReport, assess, judged
from posewright.motions.resampling import resampled, sampled, warped
from posewright.motions.speed_limits import within_speeds
from posewright.motions.speeds import (
    JointRates,
    joint_accelerations,
    joint_velocities,
    site_accelerations,
    site_velocities,
)

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
    "assess",
    "concatenated",
    "contacts",
    "joined",
    "joint_accelerations",
    "joint_velocities",
    "judged",
    "mirrored",
    "moved",
    "resampled",
    "sampled",
    "site_accelerations",
    "site_velocities",
    "unwrapped",
    "warped",
    "within_speeds",
]
