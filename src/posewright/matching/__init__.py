"""Match the joints of two figures, and transfer motions from one to the other."""

from posewright.matching.joint_match import JointMatch
from posewright.matching.transfer import PoseTransfer, Scaling

__all__ = ["JointMatch", "PoseTransfer", "Scaling"]
