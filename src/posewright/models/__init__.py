"""Models learned from motions: motion models and posture databases."""

from posewright.models.latent import Latent
from posewright.models.motion_model import MotionModel
from posewright.models.postures.database import Postures

__all__ = ["Latent", "MotionModel", "Postures"]
