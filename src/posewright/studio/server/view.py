"""What an editor shows, as the messages that pages get."""

from __future__ import annotations

import math

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.capsules import capsule_table
from posewright.figures.joint import Vector
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.figures.vectors import vector
from posewright.goals import Goal
from posewright.report.colours import PALETTE, Rgb, linear_rgb, mixed
from posewright.report.scene import TINT_SHARE, TINTS
from posewright.rotations import quaternion_from_matrix
from posewright.studio import protocol
from posewright.studio.session.editor import Editor
from posewright.studio.session.live import SOLVER
from posewright.studio.session.names import segment_names

BODY = PALETTE["coral"]


def scene(editor: Editor) -> protocol.Scene:
    """The figure and its body."""
    figure = editor.state.figure
    rows = zip(figure.joint_names, figure.parents, figure.anatomy.sides, segment_names(figure), strict=True)
    joints = tuple(protocol.JointInfo(name=n, parent=p, side=side, segment=s) for n, p, side, s in rows)
    return protocol.Scene(
        figure=figure.name, height=figure.height, floor=editor.state.floor, joints=joints, cones=_cones(figure)
    )


def _cones(figure: Figure) -> tuple[protocol.ConeInfo, ...]:
    table = capsule_table(figure)
    rows = zip(table.joint.tolist(), table.start, table.end, table.radii.tolist(), strict=True)
    return tuple(
        protocol.ConeInfo(
            joint=joint,
            start=vector(start),
            end=vector(end),
            radii=(radii[0], radii[1]),
            colour=_colour(figure.anatomy.sides[joint]),
        )
        for joint, start, end, radii in rows
    )


def _colour(side: str) -> str:
    """As in our pictures: limbs of both sides are tinted, one warm, one cool."""
    plain, tint = linear_rgb(BODY), TINTS.get(side)
    return _hex(plain if tint is None else mixed(plain, tint, TINT_SHARE))


def _hex(colour: Rgb) -> str:
    return "#" + "".join(f"{round(255 * math.sqrt(part)):02x}" for part in colour)  # pictures use gamma 2


def document(editor: Editor) -> protocol.Document:
    """Sites, goals, and what can be undone."""
    state, session = editor.state, editor.session
    sites = tuple(
        protocol.SiteInfo(
            name=site.name,
            joint=state.figure.joint_index(site.joint),
            point=site.point,
            made=site.name in state.made_sites,
        )
        for site in state.figure.sites
    )
    return protocol.Document(
        revision=editor.revision,
        title=state.figure.name,
        sites=sites,
        goals=tuple(_goal(editor, goal) for goal in state.goals),
        undoes=session.undoes,
        redoes=session.redoes,
        unsaved=session.done > 0,
        solver=type(SOLVER).__name__,
        dragging=editor.drag is not None,
    )


def _goal(editor: Editor, goal: Goal) -> protocol.GoalInfo:
    judged = editor.judged.get(goal.label)
    return protocol.GoalInfo(
        name=goal.label,
        goal_kind=goal.word(),
        site=getattr(goal, "site", None),
        weight=goal.weight,
        priority=goal.priority,
        enabled=goal.enabled,
        pinned=goal.priority == 1,
        movable=isinstance(goal.place, tuple),
        unit="rad" if judged is not None and judged.unit == "rad" else "m",
        why=judged.why if judged is not None else "",
    )


def pose(editor: Editor) -> bytes:
    """The pose shown, as a binary frame."""
    frames = joint_frames(editor.state.figure, editor.q)
    turns = np.roll(quaternion_from_matrix(frames.rotations), -1, axis=-1)
    return protocol.pose_frame(
        editor.revision,
        np.hstack([frames.positions, turns]),
        _goal_numbers(editor),
        dragging=editor.drag is not None,
        milliseconds=1000.0 * editor.seconds,
    )


def _goal_numbers(editor: Editor) -> Array:
    goals, judged = editor.state.goals, editor.judged
    numbers = np.full((len(goals), protocol.GOAL_NUMBERS), np.nan)
    for row, goal in zip(numbers, goals, strict=True):
        row[:3] = _target(editor, goal)
        found = judged.get(goal.label)
        row[4] = found is not None and found.reached
        if found is not None:
            row[3] = found.error
    return numbers


def _target(editor: Editor, goal: Goal) -> Vector | Array:
    place = editor.targets.get(goal.label, goal.place)
    if isinstance(place, str):
        found: Array = site_frames(editor.state.figure, editor.q, [place]).points[0]
        return found
    return (math.nan, math.nan, math.nan) if place is None else place
