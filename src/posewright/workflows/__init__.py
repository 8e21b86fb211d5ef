"""Workflows: retarget and edit motions, design postures. Each is loaded on first use."""

from typing import TYPE_CHECKING

from posewright.lazy import loader

if TYPE_CHECKING:
    from posewright.workflows.design import PostureDesigner
    from posewright.workflows.design_result import DesignResult
    from posewright.workflows.editing.edit import MotionEditor, edit
    from posewright.workflows.editing.result import EditResult
    from posewright.workflows.retargeting.hands import HeldObject
    from posewright.workflows.retargeting.retarget import RetargetResult, retarget
    from posewright.workflows.retargeting.stream import Retargeter

__all__ = [
    "DesignResult",
    "EditResult",
    "HeldObject",
    "MotionEditor",
    "PostureDesigner",
    "RetargetResult",
    "Retargeter",
    "edit",
    "retarget",
]
__getattr__ = loader(
    __name__,
    {
        "DesignResult": "posewright.workflows.design_result",
        "EditResult": "posewright.workflows.editing.result",
        "HeldObject": "posewright.workflows.retargeting.hands",
        "MotionEditor": "posewright.workflows.editing.edit",
        "PostureDesigner": "posewright.workflows.design",
        "RetargetResult": "posewright.workflows.retargeting.retarget",
        "Retargeter": "posewright.workflows.retargeting.stream",
        "edit": "posewright.workflows.editing.edit",
        "retarget": "posewright.workflows.retargeting.retarget",
    },
)
