"""Poses as binary frames."""

from __future__ import annotations

import struct

import numpy as np

from posewright.conventions import Array

POSE_FRAME = 1
POSE_HEADER = struct.Struct("<IIIIIfII")
"""Kind of frame, revision of the document it belongs to, joints, goals, 1 while dragging, milliseconds of the last
solve, frame of the clip, number of frames; little-endian, 32 bytes."""
JOINT_NUMBERS = 7
"""float64 per joint: position (m), quaternion xyzw, in the world."""
GOAL_NUMBERS = 6
"""float64 per goal: place of its handle (m; NaN where it has none), error (m or rad; NaN while it is off), 1 if
reached, number of the alternative that counts (-1: it has none)."""
PROPOSAL_FRAME = 2
PROPOSAL_HEADER = struct.Struct("<IIII")
"""Kind of frame, number of the proposal, frames, joints; then JOINT_NUMBERS float32 per joint and frame."""
PARTICLE_FRAME = 4
PARTICLE_HEADER = struct.Struct("<IIIII")
"""Kind of frame, number of the proposal, frames, particles, joints; then place (m) as 3 float32 per joint, particle and
frame."""
CLIP_FRAME = 3
CLIP_HEADER = struct.Struct("<IIIIIII")
"""Kind of frame, whose frames they are (SOURCE, EDITED, ...), frames of the clip, first frame in this message, frames
in it, joints, 1 in the last message of several; then JOINT_NUMBERS float32 per joint and frame. Frames of an edited
clip that no message of it holds are those of the source."""
SOURCE = 0
"""The clip as opened: it comes first, and alone while there are no keys."""
EDITED = 1
RETARGET_SOURCE = 2
"""What is retargeted, of the figure staged as the source."""
RETARGETED = 3
"""The answer, of the figure staged as the target."""
DESIGNED = 4
"""Two frames: the spliced posture, and as it was refined."""


def pose_frame(
    revision: int,
    joints: Array,
    goals: Array,
    *,
    dragging: bool,
    milliseconds: float,
    at_limit: Array | None = None,
    centre: Array | None = None,
) -> bytes:
    """A pose as bytes: the header, joints (joints, 7), goals (goals, 6), 1 per joint at a limit, centre of mass (3)."""
    header = POSE_HEADER.pack(POSE_FRAME, revision, len(joints), len(goals), dragging, milliseconds, 0, 1)
    limits = np.zeros(len(joints)) if at_limit is None else at_limit
    middle = np.full(3, np.nan) if centre is None else centre
    return b"".join((header, *(part.astype("<f8").tobytes() for part in (joints, goals, limits, middle))))


def proposal_frame(number: int, joints: Array) -> bytes:
    """Poses of a proposal as bytes: joints (frames, joints, 7)."""
    header = PROPOSAL_HEADER.pack(PROPOSAL_FRAME, number, *joints.shape[:2])
    return header + joints.astype("<f4").tobytes()


def particle_frame(number: int, places: Array) -> bytes:
    """Particles of a proposal as bytes: places (frames, particles, joints, 3)."""
    header = PARTICLE_HEADER.pack(PARTICLE_FRAME, number, *places.shape[:3])
    return header + places.astype("<f4").tobytes()


def clip_frame(which: int, total: int, first: int, joints: Array, *, is_last: bool) -> bytes:
    """Frames of a clip as bytes: joints (frames, joints, 7)."""
    header = CLIP_HEADER.pack(CLIP_FRAME, which, total, first, *joints.shape[:2], is_last)
    return header + joints.astype("<f4").tobytes()
