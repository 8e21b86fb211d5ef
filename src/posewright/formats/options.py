"""What a caller may tell a reader that the file itself does not say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Each None means: find out, and say what was assumed in `figure.source.notes` or `motion.notes`."""

    metres_per_unit: float | None = None
    up: Literal["y", "z"] | None = None
    """The file's vertical axis."""
    fps: float | None = None
    """Frame rate to believe instead of the file's."""
    position_channels: Literal["replace", "add"] | None = None
    """Whether BVH position channels replace a joint's OFFSET or are added to it."""
    drop_first: bool = False
    """Leave out frame 0 (the T-pose that some converters put there)."""
    skeleton: Path | None = None
    """The ASF file of an AMC motion; by default the one beside it."""
    animation: str | None = None
    """Which animation of a glTF file, by name ("animation_0" where it has none); by default the first."""
