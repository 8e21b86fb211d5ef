"""The verbs of an animator: edit, retarget, design."""

from posewright.workflows.design import PostureDesigner, design
from posewright.workflows.design_result import DesignResult
from posewright.workflows.editing.edit import edit
from posewright.workflows.editing.pattern_editor import PatternEditor
from posewright.workflows.editing.result import EditResult
from posewright.workflows.retargeting.hands import HeldObject
from posewright.workflows.retargeting.retarget import RetargetResult, retarget
from posewright.workflows.retargeting.stream import Retargeter

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
