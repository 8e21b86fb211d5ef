"""Options of readers, for what a file does not state or states wrongly."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from posewright.checks import as_path, require_choice, require_number
from posewright.errors import FileProblem

_CHOICES = {"up": ("y", "z"), "position_channels": ("replace", "add"), "base": ("free", "fixed")}


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Options of a reader. None: estimated; estimates are reported in `figure.source.notes` or `motion.notes`."""

    metres_per_unit: float | None = None
    """The file's unit of length, m."""
    up: Literal["y", "z"] | None = None
    """The file's vertical axis."""
    fps: float | None = None
    """Frame rate to use instead of the file's."""
    position_channels: Literal["replace", "add"] | None = None
    """Whether BVH position channels replace a joint's OFFSET or are added to it."""
    drop_first: bool | None = None
    """Whether to drop frame 0; None: if it is a T-pose that a converter put before the motion."""
    skeleton: Path | None = None
    """The ASF file of an AMC motion, or the robot file of a robot's motion; default: the one in the same folder."""
    base: Literal["free", "fixed"] | None = None
    """Whether a robot can move around ("free") or is mounted ("fixed"); URDF does not say."""
    animation: str | None = None
    """Name of the animation to read from a glTF file ("animation_0" if it has no name), or of the clip in a file of
    several clips; default: the first."""
    layout: str | None = None
    """Layout of a robot's motion, by its name in `posewright.formats.layouts`; default: Posewright's own."""

    def __post_init__(self) -> None:
        if self.skeleton is not None:
            object.__setattr__(self, "skeleton", as_path(self.skeleton))
        for name in ("metres_per_unit", "fps"):
            if getattr(self, name) is not None:
                require_number(getattr(self, name), f"the read option {name}", above=0.0)
        for name, accepted in _CHOICES.items():
            if getattr(self, name) is not None:
                require_choice(getattr(self, name), f"the read option {name}", accepted)


def refuse_useless(path: Path, options: ReadOptions, accepted: Collection[str]) -> None:
    """Refuse options that do not apply to a file.

    Raises:
        FileProblem: an option was given that is not accepted.
    """
    for field in fields(options):
        if getattr(options, field.name) not in (None, False) and field.name not in accepted:
            known = f"accepted: {', '.join(accepted)}" if accepted else "it needs no options"
            raise FileProblem(path, f"the option {field.name} does not apply to this file; {known}")
