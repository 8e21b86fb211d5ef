"""What is learned from motions: patterns of whole motions, libraries of postures."""

from posewright.models.latent import Latent
from posewright.models.motion_model import MotionModel
from posewright.models.postures.database import Postures

__all__ = ["Latent", "MotionModel", "Postures"]
