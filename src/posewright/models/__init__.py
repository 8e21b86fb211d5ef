"""What is learned from motions: patterns of whole motions, libraries of postures."""

from posewright.models.latent import Latent
from posewright.models.motion_model import MotionModel
from posewright.models.posture_database import PostureDatabase

__all__ = ["Latent", "MotionModel", "PostureDatabase"]
