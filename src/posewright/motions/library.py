"""A library of examples: motions by name (Tak & Ko, section 4.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from posewright.checks import require, require_list
from posewright.errors import InvalidSetting, UnknownName
from posewright.motions.motion import Motion, require_motion


@dataclass(frozen=True, eq=False)
class MotionLibrary(Mapping[str, Motion]):
    """A mapping of motions by name, which suggests the nearest name for an unknown one."""

    motions: Mapping[str, Motion] = field(default_factory=dict)
    """Motions by name."""

    def __post_init__(self) -> None:
        require(self.motions, Mapping, "what a library is made of", "motions by name; MotionLibrary.of takes a list")
        for name, motion in self.motions.items():
            require_motion(motion, f"{name!r} of a library")
        object.__setattr__(self, "motions", MappingProxyType(dict(self.motions)))

    @classmethod
    def of(cls, motions: Iterable[Motion]) -> MotionLibrary:
        """Make a library of motions by their own names."""
        found: dict[str, Motion] = {}
        require_list(motions, "what a library is made of", "motions")
        for motion in motions:
            require_motion(motion, "a motion of a library")
            if not motion.name:
                raise InvalidSetting("a motion in a library needs a name, such as replace(motion, name='walk')")
            if motion.name in found:
                raise InvalidSetting(f"two motions of the library are called {motion.name!r}; rename one of them")
            found[motion.name] = motion
        return cls(found)

    def __getitem__(self, name: str) -> Motion:
        """The motion with this name.

        Raises:
            UnknownName: there is none; the message suggests the nearest name.
        """
        if name not in self.motions:
            raise UnknownName("motion", name, self.motions, where="the library")
        return self.motions[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.motions)

    def __len__(self) -> int:
        """Number of motions."""
        return len(self.motions)
