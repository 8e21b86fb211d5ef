"""Clips made by code: motions of any biped with the joint names of the built-in ones, without a single file.

Each clip is a function of a figure and a few parameters with units in their docstrings, a `seed` and `fps`, and
returns a `Clip`: a `Motion` that knows when things happen in it. The same arguments give the same bits.
"""

from posewright.motion.procedural.clip import Clip
from posewright.motion.procedural.golf_swing import golf_swing
from posewright.motion.procedural.jump import jump
from posewright.motion.procedural.kick import kick
from posewright.motion.procedural.reach import reach
from posewright.motion.procedural.run import run
from posewright.motion.procedural.sit import sit
from posewright.motion.procedural.throw import throw
from posewright.motion.procedural.walk import walk

__all__ = ["Clip", "golf_swing", "jump", "kick", "reach", "run", "sit", "throw", "walk"]
