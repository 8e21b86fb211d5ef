"""What files do not state, or state doubtfully: unit, vertical axis, frame rate, a T-pose at the start, equal names.

Every assumption gives a note. A T-pose before the motion is left out. Doubtful values are reported but never changed;
the caller decides (`ReadOptions.fps`, `ReadOptions.up`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from posewright.anatomy.standing import DOUBTFUL, standing_errors
from posewright.conventions import GRAVITY, Array, BoolArray
from posewright.figures import Figure
from posewright.figures.joint import NO_TURN, Quaternion
from posewright.figures.kinematics import joint_positions
from posewright.formats.options import ReadOptions
from posewright.motions import Motion
from posewright.motions.contacts import intervals

INCH = 0.0254
CMU_UNIT = INCH / 0.45
"""m; the unit of the CMU database, whose ASF files say `length 0.45`."""

_HALF = math.sqrt(0.5)
WORLD_FROM_FILE: dict[str, Quaternion] = {"y": NO_TURN, "z": (_HALF, -_HALF, 0.0, 0.0)}
"""The rotation that converts a file's vertical axis to ours: about x by -90 degrees if z is up."""
Y_UP_FROM_Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""The same as an exact matrix."""

_UNITS = {"metre": 1.0, "decimetre": 0.1, "centimetre": 0.01, "millimetre": 0.001, "inch": INCH}
_PERSON = 1.6
"""m, from sole to crown or to the top of the neck, for ordinary skeletons"""
_SMALLEST, _LARGEST = 0.05, 10.0
"""m: sizes between these raise no doubt."""
_USUAL_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 200.0, 240.0)
_SHORTEST_FLIGHT = 8  # frames; fewer do not distinguish a parabola from a line
_MOST_FLIGHTS = 10  # enough to decide
_LONGEST_FLIGHT = 2.5  # s, at a frame rate four times too low
_WEAKEST_FALL = 0.1 * GRAVITY


def guess_unit(height: float, given: float | None, *, is_cmu: bool = False) -> tuple[float, str]:
    """Metres per file unit for a figure `height` units tall, and the note that says why.

    Args:
        height: file units.
        given: the value given by the caller, or None.
        is_cmu: whether the joints are named as in the CMU database.
    """
    if given is not None:
        return given, f"unit: {given:g} m, as given"
    if is_cmu and 15.0 < height < 40.0:
        why = "the unit of the CMU database, by its joint names"
        return CMU_UNIT, _unit_note(f"1/0.45 inch = {CMU_UNIT:.6f} m", CMU_UNIT * height, why)
    if not height > 0.0:
        note = "unit: assumed centimetre, but the figure has no height to judge by (set metres_per_unit or --unit)"
        return 0.01, note
    name, unit = min(_UNITS.items(), key=lambda item: abs(math.log(item[1] * height / _PERSON)))
    plausible = 1.0 < unit * height < 2.4
    why = "a person's size" if plausible else "the nearest to a person's size, but doubtful"
    return unit, _unit_note(f"{name} = {unit:g} m", unit * height, why)


def _unit_note(unit: str, metres: float, why: str) -> str:
    return f"unit: assumed {unit}; the figure is {metres:.2f} m tall, {why} (set metres_per_unit or --unit to override)"


def size_note(points: Array, form: str, remedy: str = "") -> tuple[str, ...]:
    """A note if a figure does not have the size of a body in metres, which its format prescribes.

    Args:
        points: (joints, 3), m.
        form: format of the file.
        remedy: how to set another unit.
    """
    span = float(np.ptp(points, axis=0).max(initial=0.0)) if len(points) else 0.0
    if span == 0.0 or _SMALLEST < span < _LARGEST:
        return ()
    return (f"unit: {form} is in metres, so the joints extend over {span:.3g} m, which is doubtful{remedy}",)


def distinct(names: Sequence[str], taken: Iterable[str] = ()) -> tuple[str, ...]:
    """The names, with _2, _3, ... added to repeated ones."""
    used, all_names = set(taken), {*names, *taken}
    next_number: dict[str, int] = {}
    found = []
    for name in names:
        fresh, number = name, next_number.get(name, 2)
        while fresh in used or (fresh != name and fresh in all_names):
            fresh, number = f"{name}_{number}", number + 1
        next_number[name] = number
        used.add(fresh)
        found.append(fresh)
    return tuple(found)


_MANY_FRAMES = 100_000
"""Number of frames that is enough to measure how a figure falls."""


def with_options(motion: Motion, options: ReadOptions, *, captured: bool = True) -> Motion:
    """The motion after the changes requested by the options; notes on `captured` ones say what is doubtful."""
    notes = list(motion.notes)
    t_pose = captured and options.drop_first is None and has_t_pose_first(motion)
    if options.drop_first and len(motion) > 1:
        motion = motion[1:]
        notes.append("frame 0 was skipped, as requested")
    elif t_pose:
        motion = motion[1:]
        notes.append(
            "frame 0 is left out: it is a T-pose put before the motion, far from frame 1 and with nearly all rotations "
            "zero (set drop_first=False or --keep-first to keep it)"
        )
    if options.fps is not None:
        motion = replace(motion, fps=options.fps)
        notes.append(f"frame rate: {options.fps:g} per second, as given")
    elif captured and (gravity := apparent_gravity(motion[:_MANY_FRAMES])) and not 0.55 < gravity / GRAVITY < 1.85:
        likely = motion.fps * math.sqrt(GRAVITY / gravity)
        usual = min(_USUAL_RATES, key=lambda rate: abs(math.log(rate / likely)))
        notes.append(
            f"frame rate: {motion.fps:.4g} per second is doubtful: in flight the figure falls with {gravity:.1f} m/s² "
            f"instead of 9.8, as if it were about {usual:g} per second (set fps or --fps to override)"
        )
    return motion if motion.notes == tuple(notes) else replace(motion, notes=tuple(notes))


def doubts(loaded: Figure | Motion) -> tuple[str, ...]:
    """Notes for the user about a file: doubtful guesses, and what was left out."""
    figure = loaded if isinstance(loaded, Figure) else loaded.figure
    notes = (*(figure.source.notes if figure.source else ()), *(() if isinstance(loaded, Figure) else loaded.notes))
    return tuple(note for note in notes if "doubtful" in note or "left out" in note)


def misread(motion: Motion) -> str:
    """A sentence if a motion stands in no frame and its up axis was a doubtful guess; otherwise empty."""
    anatomy, source = motion.figure.anatomy, motion.figure.source
    guessed = source is not None and any("up axis" in note and "doubtful" in note for note in source.notes)
    if not guessed or anatomy.missing or not len(motion):
        return ""
    if standing_errors(anatomy, motion.q[:: max(1, len(motion) // 100)]).min() <= DOUBTFUL:
        return ""
    return (
        f"figure {motion.figure.name!r} does not stand in any frame, and its up axis is a doubtful guess: "
        "state it with --up before trusting these measures"
    )


def has_t_pose_first(motion: Motion) -> bool:
    """Whether frame 0 has hardly any rotation and is far from frame 1, like a T-pose before a motion."""
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

    A flight counts if the root and the mean of all joints follow parabolas that agree. Of several clear flights, the
    one nearest to gravity counts: a wrong frame rate would spoil them all.
    """
    if len(motion) < 2 * _SHORTEST_FLIGHT:
        return None
    stride = _SHORTEST_FLIGHT // 2  # a look at some frames finds where the figure may be in the air
    looks = _heights(motion, slice(None, None, stride))
    lowest, n = looks.min(axis=1), len(looks)
    in_air = np.sort(lowest)[n // 10] + 0.05 * np.sort(looks.max(axis=1) - lowest)[n // 2]
    clear = []
    for first, end in _runs(lowest > in_air, 2, int(_LONGEST_FLIGHT * motion.fps / stride) + 1)[:_MOST_FLIGHTS]:
        if end - first > _SHORTEST_FLIGHT // 2 and not fall(looks[first:end, 0], motion.fps / stride):
            continue
        heights = _heights(motion, slice(max(0, stride * (first - 1)), stride * end))
        for start, stop in _runs(heights.min(axis=1) > in_air, _SHORTEST_FLIGHT, len(heights)):
            flight = heights[start:stop]
            root, mean = fall(flight[:, 0], motion.fps), fall(flight.mean(axis=1), motion.fps)
            if root and mean and 0.4 < root / mean < 2.5:
                clear.append(root)
    return min(clear, key=lambda g: abs(math.log(g / GRAVITY)), default=None)


def _heights(motion: Motion, frames: slice) -> Array:
    """Heights (frames, joints), m; the first joint is the root."""
    heights: Array = joint_positions(motion.figure, motion.q[frames])[..., 1]
    return heights


def _runs(flags: BoolArray, shortest: int, longest: int) -> list[tuple[int, int]]:
    """First and one past the last index of each run of true flags of acceptable length."""
    return [(first, end) for first, end in intervals(flags).tolist() if shortest <= end - first <= longest]


def fall(heights: Array, fps: float, weakest: float = _WEAKEST_FALL) -> float:
    """Downward acceleration (m/s²) of heights (frames,), m, that follow a downward parabola; otherwise 0."""
    n = len(heights)
    # In frames: centred time, and its square less the mean, are perpendicular to each other and to a constant.
    time = np.arange(n) - 0.5 * (n - 1)
    square = time * time - (n * n - 1) / 12.0
    rest = heights - heights.sum() / n
    curvature = float(square @ rest) / float(square @ square)
    gravity = -2.0 * curvature * fps**2
    if not gravity > weakest:
        return 0.0
    miss_of_line = rest - (time @ rest) / (time @ time) * time
    miss = float(np.linalg.norm(miss_of_line - curvature * square)) / math.sqrt(n)
    # The curve must be seen: what a straight line leaves over is much more than what the parabola leaves.
    bend, span = -0.25 * curvature * (n - 1) ** 2, float(np.ptp(heights))
    return gravity if miss <= 0.05 * span and bend >= 10.0 * miss and bend >= 0.1 * span else 0.0
