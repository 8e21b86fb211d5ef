"""How figures move."""

from posewright.motion.motion import Motion

__all__ = ["Motion"]
