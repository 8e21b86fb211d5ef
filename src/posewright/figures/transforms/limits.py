"""Change the rest pose, limits, maximum speeds or rigidities of a figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from posewright.checks import require_number
from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures.figure import Figure
from posewright.figures.joint import Joint


def with_rest(figure: Figure, q: Array) -> Figure:
    """A copy of the figure whose rest pose is `q` (dofs,), clamped to the limits."""
    return _with(figure, rest=np.clip(q, figure.lower, figure.upper))


def without_limits(figure: Figure) -> Figure:
    """A copy of the figure without limits and linear constraints, for motion models."""
    free = np.full(figure.n_dofs, np.inf)
    return replace(_with(figure, lower=-free, upper=free), constraints=())


def admitting(figure: Figure, q: Array) -> Figure:
    """A copy of the figure with limits widened to admit poses (frames, dofs); recordings often exceed limits."""
    low, high = q.min(axis=0, initial=np.inf), q.max(axis=0, initial=-np.inf)
    if (low >= figure.lower).all() and (high <= figure.upper).all():
        return figure
    return _with(figure, lower=np.minimum(low, figure.lower), upper=np.maximum(high, figure.upper))


def with_max_speeds(figure: Figure, speeds: Mapping[str, float]) -> Figure:
    """A copy of the figure with maximum speeds (rad/s, m/s) given by joint or dof name; other dofs keep theirs.

    Raises:
        UnknownName: no joint or dof has this name.
        InvalidSetting: a speed is not positive.
        InvalidFigure: the joint is a ball, which has no maximum speed.
    """
    for name, speed in speeds.items():
        require_number(speed, f"the maximum speed of {name!r}", "positive (rad/s, m/s)", above=0.0, finite=False)
    given = figure.values_by_name(speeds, default=0.0)
    for index, joint in enumerate(figure.joints):
        if joint.ball and given[figure.dof_slice(index)][len(joint.slides) :].any():
            raise InvalidFigure(
                f"joint {joint.name!r} of a figure is a ball, which has no maximum speed; "
                "name a joint of hinges or slides"
            )
    return _with(figure, max_speed=np.where(given > 0.0, given, figure.max_speeds))


def with_rigidity(figure: Figure, shares: Mapping[str, float]) -> Figure:
    """A copy of the figure with rigidities, 0 to 1, given by joint or dof name; other dofs keep theirs.

    Raises:
        UnknownName: no joint or dof has this name.
        InvalidSetting: a rigidity is not from 0 to 1.
    """
    for name, share in shares.items():
        require_number(share, f"the rigidity of {name!r}", at_least=0.0, at_most=1.0)
    given = figure.values_by_name(shares, default=-1.0)
    return _with(figure, rigidity=np.where(given >= 0.0, given, figure.rigidity))


def _with(figure: Figure, **columns: Array) -> Figure:
    """A copy of the figure with other values (dofs,) in these fields of its slides, hinges and balls."""
    joints = tuple(
        _joint_with(joint, {field: values[figure.dof_slice(index)].tolist() for field, values in columns.items()})
        for index, joint in enumerate(figure.joints)
    )
    return replace(figure, joints=joints)


def _joint_with(joint: Joint, columns: dict[str, list[float]]) -> Joint:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]  # per dof
    n = len(joint.slides)
    slides = tuple(replace(slide, **row) for slide, row in zip(joint.slides, rows[:n], strict=True))
    if joint.ball is None:
        hinges = tuple(replace(hinge, **row) for hinge, row in zip(joint.hinges, rows[n:], strict=True))
        return replace(joint, slides=slides, rotation=hinges)
    vectors: dict[str, Any] = {field: tuple(values[n:]) for field, values in columns.items() if field != "max_speed"}
    return replace(joint, slides=slides, rotation=replace(joint.ball, **vectors))
