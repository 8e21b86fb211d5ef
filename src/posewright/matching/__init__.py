"""Which joint of one figure is which of another, and motions carried over."""

from posewright.matching.body import Body
from posewright.matching.joint_match import JointMatch
from posewright.matching.parts import ESSENTIAL, PARTS

__all__ = ["ESSENTIAL", "PARTS", "Body", "JointMatch"]
