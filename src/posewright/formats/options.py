"""Options of readers: what a file does not state, or states wrongly."""

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
    """Options of a reader. None: estimated, and reported in `figure.source.notes` or `motion.notes`."""

    metres_per_unit: float | None = None
    up: Literal["y", "z"] | None = None
    """The file's vertical axis."""
    fps: float | None = None
    """Frame rate to use instead of the file's."""
    position_channels: Literal["replace", "add"] | None = None
    """Whether BVH position channels replace a joint's OFFSET or are added to it."""
    drop_first: bool | None = None
    """Whether frame 0 is left out; None: where it is a T-pose that a converter put before the motion."""
    skeleton: Path | None = None
    """The ASF file of an AMC motion, or the robot of a robot's motion; default: the one beside it."""
    base: Literal["free", "fixed"] | None = None
    """Whether a robot moves around or is mounted, which URDF does not say."""
    animation: str | None = None
    """Which animation of a glTF file, by name ("animation_0" where it has none), or clip; default: the first."""
    layout: str | None = None
    """The layout of a robot's motion, by its name in `posewright.formats.layouts`; default: Posewright's own."""

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
    """Refuse an option that has no meaning for a file, instead of ignoring what a caller asked for.

    Raises:
        FileProblem: an option was given that is not among those accepted.
    """
    for field in fields(options):
        if getattr(options, field.name) not in (None, False) and field.name not in accepted:
            known = f"accepted: {', '.join(accepted)}" if accepted else "it needs no options"
            raise FileProblem(path, f"the option {field.name} does not apply to this file; {known}")
