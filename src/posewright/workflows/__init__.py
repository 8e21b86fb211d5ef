"""The verbs of an animator: edit."""

from posewright.workflows.edit import edit
from posewright.workflows.edit_result import EditResult

__all__ = ["EditResult", "edit"]
