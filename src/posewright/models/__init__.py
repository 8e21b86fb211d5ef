"""What is learned from motions: patterns of whole motions, libraries of postures."""

from posewright.models.latent import Latent
from posewright.models.motion_model import MotionModel

__all__ = ["Latent", "MotionModel"]
