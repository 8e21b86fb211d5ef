"""What a caller may tell a reader that the file itself does not say."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from posewright.checks import require_number
from posewright.errors import FileProblem, InvalidSetting, shown

_WORDS = {"up": ("y", "z"), "position_channels": ("replace", "add"), "base": ("free", "fixed")}


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
    """The ASF file of an AMC motion, or the robot of a CSV motion; by default the one beside it."""
    base: Literal["free", "fixed"] | None = None
    """Whether a robot walks about or is bolted to the floor, which URDF does not say."""
    animation: str | None = None
    """Which animation of a glTF file, by name ("animation_0" where it has none); by default the first."""

    def __post_init__(self) -> None:
        for name in ("metres_per_unit", "fps"):
            if getattr(self, name) is not None:
                require_number(getattr(self, name), f"the read option {name}", "a positive number")
        for name, accepted in _WORDS.items():
            if getattr(self, name) not in (None, *accepted):
                told = " or ".join(map(repr, accepted))
                raise InvalidSetting(f"the read option {name} is {shown(getattr(self, name))}; it must be {told}")


def refuse_useless(path: Path, options: ReadOptions, accepted: Collection[str]) -> None:
    """Refuse an option that has no meaning for a file, instead of ignoring what a caller asked for.

    Raises:
        FileProblem: an option was given that is not among those accepted.
    """
    given = [field.name for field in fields(options) if getattr(options, field.name) not in (None, False)]
    for name in given:
        if name not in accepted:
            known = f"accepted: {', '.join(accepted)}" if accepted else "it says everything itself"
            raise FileProblem(path, f"the option {name} means nothing for such a file; {known}")
