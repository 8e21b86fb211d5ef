"""The verbs of an animator: edit, retarget."""

from posewright.workflows.edit import edit
from posewright.workflows.edit_result import EditResult
from posewright.workflows.pattern_editor import PatternEditor
from posewright.workflows.retarget import RetargetResult, retarget

__all__ = ["EditResult", "PatternEditor", "RetargetResult", "edit", "retarget"]
