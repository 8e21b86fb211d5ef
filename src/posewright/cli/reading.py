"""Files as commands read them: what is doubtful about them, or was left out, is said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from posewright.cli.printing import print_notes

if TYPE_CHECKING:
    from posewright.figures import Figure
    from posewright.formats import ReadOptions
    from posewright.motions import Motion


def load(file: Path, read: ReadOptions | None = None) -> Figure | Motion:
    """What a file holds."""
    from posewright.formats import load

    return with_doubts(file, load(file, read))


def load_motion(file: Path, read: ReadOptions | None = None) -> Motion:
    """The motion of a file."""
    from posewright.formats import load_motion

    motion = load_motion(file, read)
    with_doubts(file, motion)
    return motion


def with_doubts(file: Path | str, loaded: Figure | Motion) -> Figure | Motion:
    """What was read, after a note about each doubtful guess: not among the results, which programs may read."""
    from posewright.formats.assumptions import doubts

    print_notes((f"{file}: {note}" for note in doubts(loaded)), to_error=True)
    return loaded
