"""How figures move."""

from posewright.motion.contacts import Contacts, ContactSettings, contacts
from posewright.motion.continuity import unwrapped
from posewright.motion.floor import Floor
from posewright.motion.joining import concatenated, joined
from posewright.motion.library import MotionLibrary
from posewright.motion.mirroring import mirrored
from posewright.motion.motion import Motion
from posewright.motion.placing import moved
from posewright.motion.quality import Measure, QualityLimits, QualityReport, assess, judged
from posewright.motion.resampling import resampled, sampled, warped
from posewright.motion.speed_limits import within_speeds
from posewright.motion.speeds import (
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
