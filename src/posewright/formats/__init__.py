"""Read and write files; the suffix selects the format."""

from posewright.formats.options import ReadOptions
from posewright.formats.registry import FORMATS, load, load_figure, load_motion, save

__all__ = ["FORMATS", "ReadOptions", "load", "load_figure", "load_motion", "save"]
