"""Frames of a motion in words, START:STOP or START:STOP:STEP."""

from __future__ import annotations

from pathlib import Path

from posewright.errors import FileProblem, InvalidSetting
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


def frames_of(motion: Motion, frames: str | None, file: Path, flag: str = "--frames") -> Motion:
    """The frames that a flag asks for, which must be some."""
    cut = motion if frames is None else motion[frame_range(frames)]
    if not len(motion):
        raise FileProblem(file, "has no frames")
    if not len(cut):
        raise InvalidSetting(f"{flag} {frames} selects no frame of {file}, which has {len(motion)}")
    return cut
