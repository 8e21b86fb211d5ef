"""Pictures and films of figures and motions, without OpenGL or a display."""

from posewright.figures import Capsule
from posewright.report.camera import DIRECTIONS, Camera, Direction
from posewright.report.film import Film
from posewright.report.image_files import write_gif, write_mp4, write_png
from posewright.report.picture import render
from posewright.report.scene import Mark, Scene, SceneBody

__all__ = [
    "DIRECTIONS",
    "Camera",
    "Capsule",
    "Direction",
    "Film",
    "Mark",
    "Scene",
    "SceneBody",
    "render",
    "write_gif",
    "write_mp4",
    "write_png",
]
