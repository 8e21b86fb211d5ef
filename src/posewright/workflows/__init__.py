"""The verbs of an animator: edit."""

from posewright.workflows.edit import edit
from posewright.workflows.edit_result import EditResult
from posewright.workflows.pattern_editor import PatternEditor

__all__ = ["EditResult", "PatternEditor", "edit"]
