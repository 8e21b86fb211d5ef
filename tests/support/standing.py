"""Figures of files in the pose in which they stand."""

from __future__ import annotations

from pathlib import Path

import posewright as pw


def standing_figure(path: Path) -> pw.Figure:
    """The figure of a file, resting as it or one of the file's frames stands."""
    loaded = pw.formats.load(path)
    return loaded if isinstance(loaded, pw.Figure) else loaded.with_standing_rest().figure
