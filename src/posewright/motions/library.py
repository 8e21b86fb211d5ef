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
    """Motions by name; an unknown name lists what there is."""

    motions: Mapping[str, Motion] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require(self.motions, Mapping, "what a library is made of", "motions by name; MotionLibrary.of takes a list")
        for name, motion in self.motions.items():
            require_motion(motion, f"{name!r} of a library")
        object.__setattr__(self, "motions", MappingProxyType(dict(self.motions)))

    @classmethod
    def of(cls, motions: Iterable[Motion]) -> MotionLibrary:
        """Motions by their own names."""
        found: dict[str, Motion] = {}
        require_list(motions, "what a library is made of", "motions")
        for motion in motions:
            require_motion(motion, "a motion of a library")
            if not motion.name:
                raise InvalidSetting("a motion without a name cannot be found in a library; give it one")
            if motion.name in found:
                raise InvalidSetting(f"two motions of the library are called {motion.name!r}; rename one of them")
            found[motion.name] = motion
        return cls(found)

    def __getitem__(self, name: str) -> Motion:
        """The motion of that name.

        Raises:
            UnknownName: with the nearest name and all of them.
        """
        if name not in self.motions:
            raise UnknownName("motion", name, self.motions, where="the library")
        return self.motions[name]

    def __iter__(self) -> Iterator[str]:
        """Names."""
        return iter(self.motions)

    def __len__(self) -> int:
        """How many motions."""
        return len(self.motions)
