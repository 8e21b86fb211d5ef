"""Figures with other limits: none, where a learned pattern says what is possible; wider, where a recording needs it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.conventions import Array
from posewright.figures.figure import Figure
from posewright.figures.joint import Ball, Joint, Vector


def without_limits(figure: Figure) -> Figure:
    """The figure with every limit and linear constraint taken off."""
    free = np.full(figure.n_dofs, np.inf)
    return replace(_limited(figure, -free, free), constraints=())


def admitting(figure: Figure, q: Array) -> Figure:
    """The figure with its limits as wide as poses (frames, dofs) need: recordings often exceed them."""
    low, high = q.min(axis=0, initial=np.inf), q.max(axis=0, initial=-np.inf)
    if (low >= figure.lower).all() and (high <= figure.upper).all():
        return figure
    return _limited(figure, np.minimum(low, figure.lower), np.maximum(high, figure.upper))


def _limited(figure: Figure, lower: Array, upper: Array) -> Figure:
    """The figure with these limits (dofs,), rad and m."""
    joints = []
    for index, joint in enumerate(figure.joints):
        where = figure.dof_slice(index)
        joints.append(_with_limits(joint, lower[where].tolist(), upper[where].tolist()))
    return replace(figure, joints=tuple(joints))


def _with_limits(joint: Joint, lower: list[float], upper: list[float]) -> Joint:
    n = len(joint.slides)
    slides = tuple(replace(slide, lower=lower[k], upper=upper[k]) for k, slide in enumerate(joint.slides))
    if isinstance(joint.rotation, Ball):
        ball = replace(joint.rotation, lower=_three(lower[n:]), upper=_three(upper[n:]))
        return replace(joint, slides=slides, rotation=ball)
    hinges = tuple(replace(hinge, lower=lower[n + k], upper=upper[n + k]) for k, hinge in enumerate(joint.rotation))
    return replace(joint, slides=slides, rotation=hinges)


def _three(values: list[float]) -> Vector:
    return values[0], values[1], values[2]
