"""Lock joints: freeze them in a pose and remove their dofs, but keep their segments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures.figure import Figure
from posewright.figures.joint import Joint
from posewright.figures.joint_coordinates import local_frames
from posewright.figures.pose import Pose
from posewright.figures.transforms.relations import fixed_in_constraints, fixed_in_groups
from posewright.rotations import quaternion_from_matrix


def locked(figure: Figure, *joints: str, at: Pose | None = None, alone: bool = False) -> Figure:
    """A copy of the figure with joints and their descendants frozen in the pose `at` (default: rest).

    The frozen values become part of offsets and rest rotations. Constraints keep their meaning for the remaining dofs:
    frozen terms move into the bounds. Groups drive their remaining members. `locked_q` and `unlocked_q` convert dof
    values.

    Args:
        figure: the figure to lock.
        joints: names of joints, each the top of a subtree to freeze.
        at: the pose in which to freeze them.
        alone: whether to freeze only the named joints and not their descendants.

    Raises:
        InvalidFigure: the pose has another figure, or breaks a constraint whose dofs are all frozen.
    """
    pose = at or Pose.rest(figure)
    if pose.figure.dof_names != figure.dof_names:
        raise InvalidFigure(f"the pose to lock at is one of figure {pose.figure.name!r}, not of {figure.name!r}")
    frozen = {index for name in joints for index in ((figure.joint_index(name),) if alone else figure.subtree(name))}
    values = {
        figure.dof_names[dof]: float(pose.q[dof])
        for index in sorted(frozen)
        for dof in range(figure.dof_slice(index).start, figure.dof_slice(index).stop)
    }
    source = figure.source
    if source and source.channels:
        channels = tuple(() if index in frozen else found for index, found in enumerate(source.channels))
        source = replace(source, channels=channels)
    return replace(
        figure,
        joints=tuple(_frozen(figure, k, pose) if k in frozen else joint for k, joint in enumerate(figure.joints)),
        groups=fixed_in_groups(figure.groups, values),
        constraints=fixed_in_constraints(figure.constraints, values),
        source=source,
    )


def locked_q(figure: Figure, frozen: Figure, q: Array) -> Array:
    """Dof values (..., dofs) of the locked figure: the values of `q` for the remaining dofs."""
    return np.asarray(q, dtype=np.float64)[..., [figure.dof_index(name) for name in frozen.dof_names]]


def unlocked_q(figure: Figure, frozen: Figure, q: Array, *, at: Pose | None = None) -> Array:
    """Dof values (..., dofs) of the figure from those of the locked one and the pose in which it was locked."""
    values = np.broadcast_to((at or Pose.rest(figure)).q, (*np.shape(q)[:-1], figure.n_dofs)).copy()
    values[..., [figure.dof_index(name) for name in frozen.dof_names]] = q
    return values


def _frozen(figure: Figure, index: int, pose: Pose) -> Joint:
    joint = figure.joints[index]
    if joint.n_dofs == 0:
        return joint
    places, rotations = local_frames(joint, pose.q[np.newaxis, figure.dof_slice(index)])
    x, y, z = places[0].tolist()
    w, i, j, k = quaternion_from_matrix(rotations[0]).tolist()
    return replace(joint, offset=(x, y, z), rest=(w, i, j, k), slides=(), slides_replace_offset=False, rotation=())
