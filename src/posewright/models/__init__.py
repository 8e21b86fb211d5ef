"""What is learned from motions: patterns of whole motions, libraries of postures."""

from posewright.models.motion_model import Latent, MotionModel

__all__ = ["Latent", "MotionModel"]
