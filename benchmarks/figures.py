"""The bodies of `tasks` as figures of Posewright, and states to and fro: the border between z up and y up."""

from __future__ import annotations

import clips
import numpy as np
import tasks
from clips import ClipTask
from tasks import Array, Body, Task

import posewright as pw
from posewright.figures.reach import reach
from posewright.rotations import vector_from_quaternion

RADIUS = 0.5
"""Metres that a radian of a tip's rotation counts as."""
_AXES = {"x": (0.0, 0.0, 1.0), "y": (1.0, 0.0, 0.0), "z": (0.0, 1.0, 0.0)}
_OURS = [1, 2, 0]  # our x, y, z are y, z, x of the tasks: a rotation, so handedness and angles stay
_THEIRS = [2, 0, 1]


def figure_of(body: Body) -> pw.Figure:
    """The body with a site per tip; a floating one under three slides and a ball."""
    joints = []
    rest = iter(body.rest[body.n_root :].tolist())
    for bone in body.bones:
        hinges = tuple(
            pw.figures.Hinge(axis=_AXES[axis], lower=lower, upper=upper, rest=next(rest))
            for axis, (lower, upper) in zip(bone.axes, bone.limits, strict=True)
        )
        root = body.floating and bone.parent < 0
        joints.append(
            pw.figures.Joint(
                name=bone.name,
                parent=None if bone.parent < 0 else body.bones[bone.parent].name,
                offset=tuple(bone.offset[i] for i in _OURS),
                slides=pw.figures.free_slides((0.0, body.root_height, 0.0)) if root else (),
                rotation=pw.figures.Ball() if root else hinges,
            )
        )
    sites = tuple(
        pw.figures.Site(
            name=f"{tip.name}_tip", joint=body.bones[tip.bone].name, point=tuple(tip.offset[i] for i in _OURS)
        )
        for tip in body.tips
    )
    return pw.Figure(name=body.name, joints=tuple(joints), sites=sites)


def problem_of(body: Body) -> pw.Problem:
    """Every tip at a point and, where it is oriented, turned as wanted; real targets are handed to each solve."""
    goals: list[pw.Goal] = []
    for tip in body.tips:
        # A hair tighter than the score, which asks for less than the tolerance.
        goals.append(pw.Position(f"{tip.name}_tip", (0.0, 0.0, 0.0), tolerance=0.999 * tasks.POSITION_TOLERANCE))
        if tip.oriented:
            goals.append(
                pw.Orientation(
                    f"{tip.name}_tip",
                    x=(1.0, 0.0, 0.0),
                    y=(0.0, 1.0, 0.0),
                    radius=RADIUS,
                    tolerance=0.99 * tasks.ANGLE_TOLERANCE,
                    name=f"{tip.name} turned",
                )
            )
    return pw.Problem(figure_of(body), goals)


def targets_of(task: Task) -> Array:
    """(solves, terms, 9): a point, then two directions, a row per goal of `problem_of`."""
    points = task.points[..., _OURS]
    rotations = task.rotations[..., _OURS, :][..., _OURS]
    rows = []
    for k, tip in enumerate(task.body.tips):
        rows.append(np.concatenate([points[:, k], np.zeros((len(task), 6))], axis=1))
        if tip.oriented:
            directions = [rotations[:, k, :, 0], rotations[:, k, :, 1]]
            rows.append(np.concatenate([np.zeros((len(task), 3)), *directions], axis=1))
    return np.ascontiguousarray(np.stack(rows, axis=1))


def states_of(body: Body, q: Array) -> Array:
    """Poses (solves, dofs) of the figure as states of the body."""
    if not body.floating:
        return q
    point, vector, angles = q[:, :3], q[:, 3:6], q[:, 6:]
    return np.concatenate([point[:, _THEIRS], tasks.quaternions_of_vectors(vector[:, _THEIRS]), angles], axis=1)


def q_of(body: Body, states: Array) -> Array:
    """The inverse."""
    if not body.floating:
        return states
    vector = vector_from_quaternion(states[:, 3:7])
    return np.concatenate([states[:, :3][:, _OURS], vector[:, _OURS], states[:, 7:]], axis=1)


def motion_problem_of(clip: ClipTask) -> pw.MotionProblem:
    """Every tip along its track, turned where it is oriented; angles near those of the clip, the root free."""
    figure = figure_of(clip.body)
    points = clip.points[..., _OURS]
    rotations = clip.rotations[..., _OURS, :][..., _OURS]
    tracks = []
    for k, tip in enumerate(clip.body.tips):
        x, y = (rotations[:, k, :, 0], rotations[:, k, :, 1]) if tip.oriented else (None, None)
        tracks.append(pw.goals.follow(f"{tip.name}_tip", points[:, k], x, y, radius=clips.TURN_WEIGHT))
    root = np.tile(q_of(clip.body, clip.start[np.newaxis])[0, :6], (len(clip), 1))
    reference = pw.Motion(figure, np.concatenate([root, clip.angles], axis=1), 60.0)
    length = max(reach(figure, track.goal.site) for track in tracks)
    imitation = pw.Imitation.static(example=clips.POSTURE_WEIGHT**2 / length**2, weights={clip.body.bones[0].name: 0.0})
    return pw.MotionProblem(figure, tracks, reference, imitation=imitation)
