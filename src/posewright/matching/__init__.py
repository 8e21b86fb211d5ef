"""Which joint of one figure is which of another, and motions carried over."""

from posewright.anatomy.body import Body
from posewright.anatomy.parts import ESSENTIAL, PARTS
from posewright.matching.end_paths import SiteTrack, tracks
from posewright.matching.joint_match import JointMatch
from posewright.matching.soles import sole_sites, with_soles
from posewright.matching.standing_pose import standing
from posewright.matching.transfer import Carrier, Scaling, transfer

__all__ = [
    "ESSENTIAL",
    "PARTS",
    "Body",
    "Carrier",
    "JointMatch",
    "Scaling",
    "SiteTrack",
    "sole_sites",
    "standing",
    "tracks",
    "transfer",
    "with_soles",
]
