"""Procedural clips: motions for any biped with the joint names of the built-in bipeds.

Each clip is a function of a figure, a few parameters, a `seed` and `fps`. It returns a `Clip`: a `Motion` with named
events and points. The same arguments give the same bits.
"""

from posewright.clips.clip import Clip
from posewright.clips.gaits import run, walk
from posewright.clips.golf_swing import golf_swing
from posewright.clips.jump import jump
from posewright.clips.kick import kick
from posewright.clips.reach import reach
from posewright.clips.sit import sit
from posewright.clips.throw import throw

__all__ = ["Clip", "golf_swing", "jump", "kick", "reach", "run", "sit", "throw", "walk"]
