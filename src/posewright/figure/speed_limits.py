"""Figures whose joints have greatest speeds: those of a robot's file, or the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from posewright.errors import InvalidFigure, InvalidSetting, UnknownName
from posewright.figure.figure import Figure
from posewright.figure.joint import Joint


def with_max_speeds(figure: Figure, speeds: Mapping[str, float]) -> Figure:
    """The figure with these greatest speeds (rad/s, m/s) by joint or dof; those not named keep theirs.

    Raises:
        UnknownName: no joint or dof has that name.
        InvalidFigure: a ball turns by three numbers that have no speed of their own.
    """
    by_dof: dict[str, float] = {}
    for name, speed in sorted(speeds.items(), key=lambda item: item[0] not in figure.joint_names):  # a dof's own wins
        if not speed > 0.0:
            raise InvalidSetting(f"the greatest speed of {name!r} is {speed:g}; it must be positive (rad/s, m/s)")
        if name in figure.joint_names:
            by_dof |= dict.fromkeys((f"{name}.{label}" for label in figure.joint(name).labels), float(speed))
        elif name in figure.dof_names:
            by_dof[name] = float(speed)
        else:
            raise UnknownName(
                "joint or dof", name, (*figure.joint_names, *figure.dof_names), where=f"figure {figure.name!r}"
            )
    return replace(figure, joints=tuple(_limited(joint, by_dof) for joint in figure.joints))


def _limited(joint: Joint, by_dof: Mapping[str, float]) -> Joint:
    given = [by_dof.get(f"{joint.name}.{label}") for label in joint.labels]
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
