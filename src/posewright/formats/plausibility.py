"""What is doubtful about a motion as its file tells it: a T-pose put before it, a frame rate that gravity contradicts.

Found and said, never changed: the caller decides (`ReadOptions.drop_first`, `ReadOptions.fps`).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from posewright.conventions import GRAVITY, Array, BoolArray
from posewright.figures.kinematics import joint_positions
from posewright.formats.options import ReadOptions
from posewright.kernels.motion import free_fall as flight
from posewright.motions import Motion

_USUAL_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 200.0, 240.0)
_SHORTEST_FLIGHT = 8  # frames; fewer do not tell a parabola from a line
_MOST_FLIGHTS = 10  # enough to tell
_LONGEST_FLIGHT = 2.5  # s, at a frame rate four times too low
_WEAKEST_FALL = 0.1 * GRAVITY


def with_options(motion: Motion, options: ReadOptions) -> Motion:
    """The motion after what the options ask for, with a note for everything that is doubtful."""
    notes = list(motion.notes)
    t_pose = has_t_pose_first(motion)
    captured = motion[1:] if t_pose or (options.drop_first and len(motion) > 1) else motion
    if options.drop_first:
        motion = captured
        notes.append("frame 0 was skipped, as requested")
    elif t_pose:
        notes.append(
            "frame 0 looks like a T-pose put before the motion: nearly all its rotations are zero and frame 1 is "
            "far away (set drop_first or --drop-first to leave it out)"
        )
    if options.fps is not None:
        motion = replace(motion, fps=options.fps)
        notes.append(f"frame rate: {options.fps:g} per second, as given")
    elif (gravity := apparent_gravity(captured)) is not None and not 0.55 < gravity / GRAVITY < 1.85:
        likely = motion.fps * math.sqrt(GRAVITY / gravity)
        usual = min(_USUAL_RATES, key=lambda rate: abs(math.log(rate / likely)))
        notes.append(
            f"frame rate: {motion.fps:.4g} per second is doubtful: in flight the figure falls with {gravity:.1f} m/s² "
            f"instead of 9.8, as if it were about {usual:g} per second (set fps or --fps to override)"
        )
    return motion if motion.notes == tuple(notes) else replace(motion, notes=tuple(notes))


def has_t_pose_first(motion: Motion) -> bool:
    """Whether frame 0 has hardly any rotation and is not where the motion goes on."""
    if len(motion) < 3:
        return False
    slides = [label.startswith("t") for joint in motion.figure.joints for label in joint.labels]
    angles = motion.q[:20, ~np.array(slides, dtype=bool)]
    if angles.shape[1] == 0 or np.mean(np.abs(angles[0]) < 1e-6) < 0.6:
        return False
    steps = np.abs((np.diff(angles, axis=0) + np.pi) % (2.0 * np.pi) - np.pi).max(axis=1)
    return bool(steps[0] > max(math.radians(15.0), 5.0 * float(np.median(steps[1:]))))


def apparent_gravity(motion: Motion) -> float | None:
    """Downward acceleration (m/s²) of the root while nothing touches the floor; None without a clear flight.

    A flight counts when root and mean of all joints follow parabolas that agree. Where several flights are clear,
    the one nearest to gravity speaks: a wrong frame rate would spoil them all.
    """
    if len(motion) < 2 * _SHORTEST_FLIGHT:
        return None
    stride = _SHORTEST_FLIGHT // 2  # a look at some frames finds where the figure may be in the air
    looks = _heights(motion, slice(None, None, stride))
    lowest = looks[flight.LOWEST]
    n = len(lowest)
    in_air = np.sort(lowest)[n // 10] + 0.05 * np.sort(looks[flight.HIGHEST] - lowest)[n // 2]
    clear = []
    for first, end in _runs(lowest > in_air, 2, int(_LONGEST_FLIGHT * motion.fps / stride) + 1)[:_MOST_FLIGHTS]:
        if end - first > _SHORTEST_FLIGHT // 2 and not _fall(looks[flight.ROOT, first:end], motion.fps / stride):
            continue
        heights = _heights(motion, slice(max(0, stride * (first - 1)), stride * end))
        for start, stop in _runs(heights[flight.LOWEST] > in_air, _SHORTEST_FLIGHT, heights.shape[1]):
            root = _fall(heights[flight.ROOT, start:stop], motion.fps)
            mean = _fall(heights[flight.MEAN, start:stop], motion.fps)
            if root and mean and 0.4 < root / mean < 2.5:
                clear.append(root)
    return min(clear, key=lambda g: abs(math.log(g / GRAVITY)), default=None)


def _runs(flags: BoolArray, shortest: int, longest: int) -> list[tuple[int, int]]:
    """First and one past the last index of each stretch of true flags of acceptable length."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]))).reshape(-1, 2)
    return [(first, end) for first, end in edges.tolist() if shortest <= end - first <= longest]


def _heights(motion: Motion, frames: slice) -> Array:
    """Heights (4, frames), m: the rows of `kernels.flight`."""
    positions = joint_positions(motion.figure, motion.q[frames])
    heights = np.empty((4, len(positions)))
    flight.measure_heights(positions, heights)
    return heights


def _fall(heights: Array, fps: float) -> float:
    """Acceleration downwards (m/s²) of heights that follow a parabola opening downwards, else 0."""
    return flight.fall(heights, fps, _WEAKEST_FALL)
