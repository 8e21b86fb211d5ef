"""Convert poses to a changed figure such that every segment keeps its place in the world.

One function serves `with_balls`, `with_hinges` and `rerooted`, in both directions. The figures share the names of their
segments. Each joint of the new figure either copies the values of the old one, or they are computed from the frames
that it must reproduce.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figures.figure import Figure
from posewright.figures.joint import Joint
from posewright.figures.joint_coordinates import joint_coordinates, local_frames, own_rotations, slide_values
from posewright.figures.kinematics import JointFrames, joint_frames

REVERSED = "_reversed"
"""Suffix of the name of a joint with the inverse rotation (see `rerooted`)."""

TOLERANCE = 1e-7
"""m and rad: how far a segment may move in a conversion; beyond this, the conversion is refused."""


def converted_q(source: Figure, target: Figure, q: Array, *, near: Array | None = None, aligned: bool = False) -> Array:
    """Dof values (..., dofs) of `target` that put its segments where `q` (..., dofs) puts those of `source`.

    If a joint is the same in both figures, its values are copied. Otherwise they are computed from the frames; angles
    are then continuous and begin on the branch nearest to `near` (dofs of the target; default: rest).
    `aligned`: the axes of the source's segments are those of BVH, parallel to the world's if all values of the target
    are zero.

    Raises:
        InvalidMotion: the target lacks a joint, or cannot take the posture (a limb has another length, or a hinge
            would have to rotate freely).
    """
    q = np.asarray(q, dtype=np.float64)
    if source.joints == target.joints:
        return q.copy()
    flat = q.reshape(math.prod(q.shape[:-1]), q.shape[-1])
    frames = _turned_back(source, target, joint_frames(source, flat)) if aligned else joint_frames(source, flat)
    near = target.rest if near is None else np.asarray(near, dtype=np.float64)
    out = np.empty((len(flat), target.n_dofs))
    places = np.empty((len(target.joints), len(flat), 3))
    turns = np.empty((len(target.joints), len(flat), 3, 3))
    for index, (joint, parent) in enumerate(zip(target.joints, target.parents, strict=True)):
        world_from_parent = (places[parent], turns[parent]) if parent >= 0 else None
        wanted = _wanted(source, frames, joint, world_from_parent)
        values = _values(source, flat, joint, wanted, near[target.dof_slice(index)], target.name)
        out[:, target.dof_slice(index)] = values
        place, turn = local_frames(joint, values)
        if world_from_parent is not None:
            place = world_from_parent[0] + np.einsum("fij,fj->fi", world_from_parent[1], place)
            turn = world_from_parent[1] @ turn
        places[index], turns[index] = place, turn
    _check(source, target, frames, JointFrames(np.moveaxis(places, 0, 1), np.moveaxis(turns, 0, 1)))
    return out.reshape(*q.shape[:-1], target.n_dofs)


def _turned_back(source: Figure, target: Figure, frames: JointFrames) -> JointFrames:
    """The frames of a source whose axes were made the world's, with those of the target again."""
    turns, rotations = joint_frames(target, np.zeros(target.n_dofs)).rotations, frames.rotations.copy()
    for index, name in enumerate(target.joint_names):
        if name in source.joint_names:
            rotations[:, source.joint_index(name)] @= turns[index]
    return JointFrames(frames.positions, rotations)


def twin(name: str) -> str:
    """The name of the joint of the inverse rotation between the same two segments."""
    return name.removesuffix(REVERSED) if name.endswith(REVERSED) else name + REVERSED


def _wanted(
    source: Figure, frames: JointFrames, joint: Joint, parent: tuple[Array, Array] | None
) -> tuple[Array, Array] | None:
    """parent_from_joint that the source's frames ask for, or None for a joint that the source does not have."""
    if joint.name not in source.joint_names:
        return None
    index = source.joint_index(joint.name)
    place, turn = frames.positions[:, index], frames.rotations[:, index]
    if parent is None:
        return place, turn
    inverse = np.swapaxes(parent[1], 1, 2)
    return np.einsum("fij,fj->fi", inverse, place - parent[0]), inverse @ turn


def _values(
    source: Figure, q: Array, joint: Joint, wanted: tuple[Array, Array] | None, near: Array, target: str
) -> Array:
    candidates = []
    if joint.n_dofs == 0:
        candidates.append(np.empty((len(q), 0)))
    if joint.name in source.joint_names and _same_freedom(source.joint(joint.name), joint):
        candidates.append(q[:, source.dof_slice(joint.name)])
    if twin(joint.name) in source.joint_names:
        other = source.joint(twin(joint.name))
        turned = q[:, source.dof_slice(other.name)][:, len(other.slides) :]
        if wanted is None:  # a joint for the inverse rotation alone
            wanted = np.zeros((len(q), 3)), np.swapaxes(own_rotations(other, turned), 1, 2)
        if joint.ball and other.ball:
            candidates.append(np.hstack([slide_values(joint, wanted[0]), -turned]))
        elif len(joint.hinges) == len(other.hinges) > 0:
            candidates.append(np.hstack([slide_values(joint, wanted[0]), turned[:, ::-1]]))
    for values in candidates:
        if wanted is None or _distance(local_frames(joint, values), wanted).max(initial=0.0) < 0.01 * TOLERANCE:
            return values
    if wanted is None:
        raise InvalidMotion(f"figure {source.name!r} has no joint {joint.name!r}, which figure {target!r} moves")
    return joint_coordinates(joint, *wanted, near)


def _same_freedom(a: Joint, b: Joint) -> bool:
    if bool(a.ball) != bool(b.ball):
        return False
    return [s.axis for s in a.slides] == [s.axis for s in b.slides] and [h.axis for h in a.hinges] == [
        h.axis for h in b.hinges
    ]


def _distance(a: tuple[Array, Array], b: tuple[Array, Array]) -> Array:
    """(frames,): the larger of the distance (m) and the angle (rad) between frames."""
    chord = np.sqrt(((a[1] - b[1]) ** 2).sum((-1, -2)) / 8.0)  # the sine of half the angle
    larger: Array = np.maximum(np.linalg.norm(a[0] - b[0], axis=-1), 2.0 * np.arcsin(np.minimum(chord, 1.0)))
    return larger


def _check(source: Figure, target: Figure, before: JointFrames, after: JointFrames) -> None:
    for index, name in enumerate(target.joint_names):
        if name not in source.joint_names:
            continue
        old = source.joint_index(name)
        off = _distance(
            (before.positions[:, old], before.rotations[:, old]), (after.positions[:, index], after.rotations[:, index])
        )
        if off.max(initial=0.0) > TOLERANCE:
            frame = int(np.argmax(off))
            raise InvalidMotion(
                f"figure {target.name!r} cannot take the posture of figure {source.name!r} in frame {frame}: "
                f"{name!r} would be off by {off[frame]:.3g} (m or rad)"
            )
