"""The verbs of an animator: edit, retarget, design."""

from posewright.workflows.design import PostureDesigner, design
from posewright.workflows.design_result import DesignResult
from posewright.workflows.edit import edit
from posewright.workflows.edit_result import EditResult
from posewright.workflows.hands import HeldObject
from posewright.workflows.pattern_editor import PatternEditor
from posewright.workflows.retarget import RetargetResult, retarget
from posewright.workflows.retargeter import Retargeter

__all__ = [
    "DesignResult",
    "EditResult",
    "HeldObject",
    "PatternEditor",
    "PostureDesigner",
    "RetargetResult",
    "Retargeter",
    "design",
    "edit",
    "retarget",
]
