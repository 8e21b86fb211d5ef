"""AMASS parameters: rotation vectors of SMPL's joints and a root translation, on a 24-joint figure of our own.

Joint order and names are SMPL's; the proportions are Posewright's, stated below for a person 1.70 m tall, since
SMPL's body model is not free. The zero pose is a T-pose that faces +z. AMASS files are z up; the world is turned
when they are read and turned back when they are written.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem
from posewright.figures import Ball, Figure, Joint, Site, Source, free_slides
from posewright.figures.joint import NO_TURN, Vector
from posewright.formats.assumptions import Y_UP_FROM_Z_UP
from posewright.formats.npz.archive import NpzArchive, write_arrays
from posewright.formats.options import ReadOptions
from posewright.motions import Motion
from posewright.rotations import matrix_from_vector, nearest_branch, vector_from_matrix

_STANDING = 0.93
"""m, height of the pelvis when the soles are on the floor."""

_PELVIS = np.array([0.0, -0.23, 0.03])
"""m: AMASS's `trans` moves the body model's origin, which lies in the chest, this far from the pelvis."""

_BODY: tuple[tuple[str, str | None, Vector], ...] = (
    ("pelvis", None, (0.0, 0.0, 0.0)),
    ("left_hip", "pelvis", (0.07, -0.09, 0.0)),
    ("right_hip", "pelvis", (-0.07, -0.09, 0.0)),
    ("spine1", "pelvis", (0.0, 0.11, -0.02)),
    ("left_knee", "left_hip", (0.03, -0.38, 0.0)),
    ("right_knee", "right_hip", (-0.03, -0.38, 0.0)),
    ("spine2", "spine1", (0.0, 0.13, 0.0)),
    ("left_ankle", "left_knee", (-0.01, -0.40, -0.03)),
    ("right_ankle", "right_knee", (0.01, -0.40, -0.03)),
    ("spine3", "spine2", (0.0, 0.06, 0.02)),
    ("left_foot", "left_ankle", (0.03, -0.05, 0.12)),
    ("right_foot", "right_ankle", (-0.03, -0.05, 0.12)),
    ("neck", "spine3", (0.0, 0.21, -0.04)),
    ("left_collar", "spine3", (0.08, 0.12, -0.02)),
    ("right_collar", "spine3", (-0.08, 0.12, -0.02)),
    ("head", "neck", (0.0, 0.08, 0.05)),
    ("left_shoulder", "left_collar", (0.10, 0.03, -0.01)),
    ("right_shoulder", "right_collar", (-0.10, 0.03, -0.01)),
    ("left_elbow", "left_shoulder", (0.26, 0.0, -0.02)),
    ("right_elbow", "right_shoulder", (-0.26, 0.0, -0.02)),
    ("left_wrist", "left_elbow", (0.25, 0.0, 0.0)),
    ("right_wrist", "right_elbow", (-0.25, 0.0, 0.0)),
    ("left_hand", "left_wrist", (0.08, 0.0, 0.0)),
    ("right_hand", "right_wrist", (-0.08, 0.0, 0.0)),
)
_TIPS: tuple[tuple[str, str, Vector], ...] = (
    ("head_top", "head", (0.0, 0.18, 0.0)),
    ("left_fingertips", "left_hand", (0.10, 0.0, 0.0)),
    ("right_fingertips", "right_hand", (-0.10, 0.0, 0.0)),
    ("left_toe_tip", "left_foot", (0.01, -0.01, 0.07)),
    ("right_toe_tip", "right_foot", (-0.01, -0.01, 0.07)),
)
_SHARED = 22
"""SMPL, SMPL-H and SMPL-X agree on the joints up to the wrists; their hands differ."""
_KINDS = {24: "SMPL", 52: "SMPL-H", 55: "SMPL-X"}
_STATED = "surface_model_type"
_MODELS = {"smpl": "SMPL", "smplh": "SMPL-H", "smplx": "SMPL-X"}
"""What files call their models."""
_NUMBERS = 3 + 3 * len(_BODY)
"""Of a frame."""
_RATES = ("mocap_framerate", "mocap_frame_rate")


def skeleton() -> Figure:
    """The 24-joint figure that AMASS motions are read onto: balls, and a free root."""
    joints = tuple(
        Joint(
            name=name,
            parent=parent,
            offset=offset,
            slides=free_slides((0.0, _STANDING, 0.0)) if parent is None else (),
            rotation=Ball(),
        )
        for name, parent, offset in _BODY
    )
    sites = tuple(Site(name=name, joint=joint, point=point, tip=True) for name, joint, point in _TIPS)
    return Figure(name="smpl24", joints=joints, sites=sites)


def looks_like(arrays: NpzArchive) -> bool:
    """Whether a .npz holds AMASS parameters."""
    return "trans" in arrays and ("poses" in arrays or "pose_body" in arrays)


def read(path: Path, options: ReadOptions) -> Motion:
    """The motion of an AMASS file.

    Raises:
        FileProblem: it is something else, or damaged.
    """
    arrays = NpzArchive(path)
    if not looks_like(arrays):
        raise FileProblem(path, f"is not AMASS (poses, trans): it contains {', '.join(arrays.names[:12]) or 'nothing'}")
    return from_arrays(arrays, replace(options, layout=None))


def from_arrays(arrays: NpzArchive, options: ReadOptions) -> Motion:
    """The motion of an AMASS file.

    Raises:
        FileProblem: arrays of the wrong shape, or no frame rate.
    """
    trans = arrays.numbers("trans", (None, 3))
    if not len(trans):
        raise FileProblem(arrays.path, "has no frames")
    arrays.budget.take(3 * 8 * _NUMBERS * len(trans), f"{len(trans):,} frames")
    poses = _poses(arrays, len(trans))
    kind, notes = _kind(arrays, poses.shape[1])
    if options.up != "y" and _rootless(poses):
        raise FileProblem(
            arrays.path,
            "its poses begin with the left hip: those of 21 joints, then zeros, and the root is missing (root_orient)",
        )
    fps = options.fps or _rate(arrays)
    turns = poses.reshape(len(poses), -1, 3)
    used = np.zeros((len(turns), len(_BODY), 3))
    count = len(_BODY) if turns.shape[1] == len(_BODY) else min(turns.shape[1], _SHARED)
    used[:, :count] = turns[:, :count]
    up = options.up or "z"
    world = Y_UP_FROM_Z_UP if up == "z" else np.eye(3)
    metres = options.metres_per_unit or 1.0
    q = np.empty((len(used), _NUMBERS))
    q[:, :3] = (metres * trans + _PELVIS) @ world.T
    if up == "z":
        used[:, 0] = _turned(used[:, 0], world)
    q[:, 3:] = used.reshape(len(used), -1)
    figure = skeleton()
    source = Source(format="npz", metres_per_unit=metres, up=up, notes=(*notes, *_notes(options, turns)))
    figure = Figure(name=figure.name, joints=figure.joints, sites=figure.sites, source=source)
    return Motion(figure, q, fps=fps, name=arrays.path.stem, notes=(f"{kind} parameters",))


def write(motion: Motion, path: Path) -> None:
    """Write a motion as AMASS parameters, z up, with neutral shape.

    The arrays are those of SMPL and of SMPL-X files (`poses`; `root_orient`, `pose_body`), with both spellings of the
    rate, so that readers of either find theirs.

    Raises:
        FileProblem: the figure is not of SMPL's family: its joints, names, balls and T-pose at zero.
    """
    why = why_not(motion.figure)
    if why:
        raise FileProblem(
            path,
            f"AMASS parameters are those of SMPL's joints, but figure {motion.figure.name!r} {why}; retarget it to "
            f"figure {skeleton().name!r} first",
        )
    back = Y_UP_FROM_Z_UP.T
    poses = np.zeros((len(motion), len(_BODY), 3))
    for k, (name, _, _) in enumerate(_BODY):
        if name in motion.figure.joint_names:
            where = motion.figure.dof_slice(name)
            poses[:, k] = motion.q[:, where.stop - 3 : where.stop]
    poses[:, 0] = _turned(poses[:, 0], back)
    arrays = {
        "poses": poses.reshape(len(poses), -1),
        "root_orient": poses[:, 0],
        "pose_body": poses[:, 1:_SHARED].reshape(len(poses), -1),
        "trans": motion.q[:, :3] @ back.T - _PELVIS,
        **{name: np.array(motion.fps) for name in _RATES},
        "betas": np.zeros(16),
        "gender": np.array("neutral"),
        _STATED: np.array("smplx"),
    }
    write_arrays(path, arrays)


def why_not(figure: Figure) -> str:
    """Why a figure is not of SMPL's family, in a few words; empty: it is."""
    parents = {name: parent for name, parent, _ in _BODY}
    odd = next((joint.name for joint in figure.joints if joint.n_dofs and joint.name not in parents), None)
    lacking = next((name for name, _, _ in _BODY[:_SHARED] if name not in figure.joint_names), None)
    bent = next((j.name for j in figure.joints if j.n_dofs and (j.ball is None or j.rest != NO_TURN)), None)
    moved = next((j.name for j in figure.joints if j.name in parents and j.parent != parents[j.name]), None)
    return (
        f"has no joint {lacking!r}" if lacking else f"has a joint {odd!r}" if odd
        else f"turns {bent!r} in another way" if bent else f"hangs {moved!r} elsewhere" if moved
        else "has no free root" if len(figure.joints[0].slides) != 3 else ""
    )  # fmt: skip


def _poses(arrays: NpzArchive, frames: int) -> Array:
    """Rotation vectors (frames, numbers), the root first; parts that the file names are what they are called."""
    if "poses" in arrays and not ("root_orient" in arrays and "pose_body" in arrays):
        return arrays.numbers("poses", (frames, None))
    apart = np.hstack([arrays.numbers("root_orient", (frames, 3)), arrays.numbers("pose_body", (frames, 63))])
    if "poses" not in arrays:
        return apart
    poses = arrays.numbers("poses", (frames, None))
    agree = poses.shape[1] >= apart.shape[1] and np.allclose(poses[:, : apart.shape[1]], apart, atol=1e-5)
    return poses if agree else apart


def _rootless(poses: Array) -> bool:
    """Whether poses are those of the body without its root: 63 numbers and zeros, of somebody who else lies."""
    body = 3 * (_SHARED - 1)
    ends = poses.shape[1] > body and poses[:, body - 3 : body].any() and not poses[:, body:].any()
    return bool(ends and _lies(poses[:, :3]))


def _lies(root: Array) -> bool:
    """Whether a body lies on average, in a z-up world, as rotation vectors (frames, 3) of its root have it."""
    return bool(matrix_from_vector(root)[:, 1, 1].mean() > 0.7)


def _turned(w: Array, world: Array) -> Array:
    """Rotation vectors (frames, 3) of the root in a turned world, without jumps from frame to frame."""
    turned = vector_from_matrix(world @ matrix_from_vector(w))
    return nearest_branch(turned, turned[:1])


def _kind(arrays: NpzArchive, columns: int) -> tuple[str, tuple[str, ...]]:
    """What the body model is called, by its number of joints or as the file says, and what is left out of it."""
    joints = columns // 3
    if columns % 3 or joints < _SHARED:
        raise FileProblem(
            arrays.path,
            f"its poses have {columns} numbers a frame; 72 (SMPL), 156 (SMPL-H) or 165 (SMPL-X) are supported",
        )
    stated = arrays[_STATED] if _STATED in arrays else np.array("")
    said = str(stated.item()) if stated.size == 1 and stated.dtype.kind in "US" else ""
    kind = _KINDS.get(joints) or _MODELS.get(said, f"{joints}-joint")
    if joints == len(_BODY):
        return kind, ()
    left = f"; the other {joints - _SHARED} joints (hands, face) were left out" if joints > _SHARED else ""
    return kind, (f"{kind}: the {_SHARED} body joints up to the wrists were used{left}",)


def _rate(arrays: NpzArchive) -> float:
    for name in _RATES:
        if name in arrays:
            shape = (1,) if arrays[name].ndim == 1 else ()
            return float(arrays.numbers(name, shape).item())
    raise FileProblem(arrays.path, f"has no frame rate ({' or '.join(_RATES)}); give it with fps")


def _notes(options: ReadOptions, turns: Array) -> tuple[str, ...]:
    notes = ["the figure has Posewright's proportions, 1.70 m tall; the file's own (betas, gender) were not applied"]
    if options.up is not None:
        notes.append(f"up axis: {options.up.upper()}, as given")
        return tuple(notes)
    notes.append("AMASS files are z up: the world was turned to y up")
    if _lies(turns[:, 0]):
        notes.append("the body lies down on average; if it should stand, the file is y up (set up or --up)")
    return tuple(notes)
