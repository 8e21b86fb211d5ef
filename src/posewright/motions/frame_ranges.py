"""Frames of a motion in words, START:STOP or START:STOP:STEP."""

from __future__ import annotations

from pathlib import Path

from posewright.errors import FileProblem, InvalidMotion, InvalidSetting
from posewright.motions.motion import Motion


def frame_range(text: str) -> slice:
    """START:STOP[:STEP] as a slice."""
    parts = text.split(":")
    try:
        numbers = [int(part) if part else None for part in parts]
    except ValueError:
        numbers = []
    if not 2 <= len(numbers) <= 3 or (len(numbers) == 3 and numbers[2] is not None and numbers[2] < 1):
        raise InvalidSetting(f"--frames is {text!r}; it must be START:STOP or START:STOP:STEP, such as 10:200")
    return slice(*numbers)


def row_of(motion: Motion, frame: int) -> int:
    """The row of a motion that a frame of its file is; negative ones count from the end.

    Raises:
        InvalidMotion: there is no such frame.
    """
    first, last = motion.first_frame, motion.first_frame + len(motion) - 1
    if not (first <= frame <= last or -len(motion) <= frame < 0):
        raise InvalidMotion(f"frame {frame} is outside the motion's {len(motion)} frames, {first} to {last}")
    return frame % len(motion) if frame < 0 else frame - first


def rows_of(motion: Motion, frames: str | None) -> slice:
    """The rows of a motion that START:STOP[:STEP] means, in the numbers of its file."""
    if frames is None:
        return slice(None)
    asked = frame_range(frames)

    def row(frame: int | None) -> int | None:
        return frame if frame is None or frame < 0 else max(0, frame - motion.first_frame)

    return slice(row(asked.start), row(asked.stop), asked.step)


def frames_of(motion: Motion, frames: str | None, file: Path, flag: str = "--frames") -> Motion:
    """The frames that a flag asks for, which must be some."""
    cut = motion if frames is None else motion[rows_of(motion, frames)]
    if not len(motion):
        raise FileProblem(file, "has no frames")
    if not len(cut):
        raise InvalidSetting(f"{flag} {frames} selects no frame of {file}, which has {len(motion)}")
    return cut
