"""Another rest pose for the same joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.conventions import Array
from posewright.figures.figure import Figure
from posewright.figures.joint import Ball, Joint


def with_rest(figure: Figure, q: Array) -> Figure:
    """The same figure with the values of `q` (dofs,), brought within the limits, as rest values."""
    values = np.clip(q, figure.lower, figure.upper)
    joints = tuple(_resting(joint, values[figure.dof_slice(k)].tolist()) for k, joint in enumerate(figure.joints))
    return replace(figure, joints=joints)


def _resting(joint: Joint, values: list[float]) -> Joint:
    n = len(joint.slides)
    slides = tuple(replace(slide, rest=value) for slide, value in zip(joint.slides, values[:n], strict=True))
    if isinstance(joint.rotation, Ball):
        x, y, z = values[n:]
        return replace(joint, slides=slides, rotation=replace(joint.rotation, rest=(x, y, z)))
    hinges = tuple(replace(hinge, rest=value) for hinge, value in zip(joint.rotation, values[n:], strict=True))
    return replace(joint, slides=slides, rotation=hinges)
