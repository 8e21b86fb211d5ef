"""Which joint of one figure is which of another, and motions transferred from one to the other."""

from posewright.matching.joint_match import JointMatch
from posewright.matching.transfer import PoseTransfer, Scaling

__all__ = ["JointMatch", "PoseTransfer", "Scaling"]
