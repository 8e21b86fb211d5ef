"""What the parts of a body are, on any figure: `figure.anatomy`."""

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.lexicon import ESSENTIAL, PARTS, SIDES
from posewright.anatomy.segments import Segments

__all__ = ["ESSENTIAL", "PARTS", "SIDES", "Anatomy", "Segments"]
