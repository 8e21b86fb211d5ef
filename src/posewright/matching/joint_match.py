"""Which joints of one figure are which of another: two bodies that speak of the same parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from posewright.anatomy.body import Body
from posewright.anatomy.parts import PARTS
from posewright.figures import Figure
from posewright.formats.paths import as_path


@dataclass(frozen=True)
class JointMatch:
    """The joints of a source and of a target figure, part by part."""

    source: Body
    target: Body

    @classmethod
    def between(cls, source: Figure, target: Figure) -> JointMatch:
        """Find the match from topology, proportions, rest pose and names.

        Raises:
            InvalidFigure: essential joints (pelvis, hips, knees, ankles, shoulders, elbows) could not be recognised.
        """
        match = cls.guess(source, target)
        match.source.require()
        match.target.require()
        return match

    @classmethod
    def guess(cls, source: Figure, target: Figure) -> JointMatch:
        """What can be found, though essential joints may be missing: to be saved and filled in by a person."""
        return cls(Body.find(source), Body.find(target))

    @classmethod
    def load(cls, path: str | Path, source: Figure, target: Figure) -> JointMatch:
        """Read a match file; parts that it leaves out are found."""
        from posewright.matching.match_file import read

        return read(as_path(path), source, target)

    def save(self, path: str | Path) -> None:
        """Write a match file, small enough to be edited by hand."""
        from posewright.matching.match_file import write

        write(self, as_path(path))

    @property
    def parts(self) -> tuple[str, ...]:
        """Parts that both figures have."""
        return tuple(part for part in PARTS if part in self.source.joints and part in self.target.joints)

    @property
    def confidence(self) -> Mapping[str, float]:
        """0 to 1 for each part of `parts`: how sure its joints are in the less certain of the two figures."""
        return {part: min(self.source.confidence[part], self.target.confidence[part]) for part in self.parts}

    def with_parts(
        self, *, source: Mapping[str, Sequence[str]] | None = None, target: Mapping[str, Sequence[str]] | None = None
    ) -> JointMatch:
        """The same match with some parts told: joint names by part; an empty list leaves the part out."""
        return JointMatch(told(self.source, source or {}), told(self.target, target or {}))


def told(body: Body, parts: Mapping[str, Sequence[str]]) -> Body:
    """A body with some parts as a person says; they take their joints from the parts that had been found."""
    taken = {name for names in parts.values() for name in names}
    found = {
        part: tuple(n for n in names if n not in taken) for part, names in body.joints.items() if part not in parts
    }
    confidence = {part: value for part, value in body.confidence.items() if part not in parts}
    given = {part: tuple(names) for part, names in parts.items()}
    return replace(body, joints={**found, **given}, confidence=confidence)
