"""The verbs of an animator: edit, retarget."""

from posewright.workflows.edit import edit
from posewright.workflows.edit_result import EditResult
from posewright.workflows.hands import HeldObject
from posewright.workflows.pattern_editor import PatternEditor
from posewright.workflows.retarget import RetargetResult, retarget
from posewright.workflows.retargeter import Retargeter

__all__ = ["EditResult", "HeldObject", "PatternEditor", "RetargetResult", "Retargeter", "edit", "retarget"]
