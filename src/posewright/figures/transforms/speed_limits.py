"""Figures whose joints have greatest speeds: those of a robot's file, or the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from posewright.checks import require_number
from posewright.errors import InvalidFigure, InvalidSetting
from posewright.figures.figure import Figure
from posewright.figures.joint import Joint

_NOT_GIVEN = 0.0


def with_max_speeds(figure: Figure, speeds: Mapping[str, float]) -> Figure:
    """The figure with these greatest speeds (rad/s, m/s) by joint or dof; those not named keep theirs.

    Raises:
        UnknownName: no joint or dof has that name.
        InvalidSetting: a speed is not positive.
        InvalidFigure: a ball turns by three numbers that have no speed of their own.
    """
    for name, speed in speeds.items():
        require_number(speed, f"the greatest speed of {name!r}", "positive (rad/s, m/s)")
        if not speed > 0.0:
            raise InvalidSetting(f"the greatest speed of {name!r} is {speed:g}; it must be positive (rad/s, m/s)")
    given = figure.values_by_name(speeds, default=_NOT_GIVEN).tolist()
    joints = tuple(_limited(joint, given[figure.dof_slice(index)]) for index, joint in enumerate(figure.joints))
    return replace(figure, joints=joints)


def _limited(joint: Joint, given: Sequence[float]) -> Joint:
    if not any(given):
        return joint
    n = len(joint.slides)
    if joint.ball is not None and any(given[n:]):
        raise InvalidFigure(
            f"joint {joint.name!r} of a figure is a ball, which has no greatest speed; name a joint of hinges or slides"
        )
    slides = tuple(
        replace(slide, max_speed=speed or slide.max_speed) for slide, speed in zip(joint.slides, given[:n], strict=True)
    )
    if joint.ball is not None:
        return replace(joint, slides=slides)
    hinges = tuple(
        replace(hinge, max_speed=speed or hinge.max_speed) for hinge, speed in zip(joint.hinges, given[n:], strict=True)
    )
    return replace(joint, slides=slides, rotation=hinges)
