"""Which joints of one figure are which of another: two anatomies with the same parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.lexicon import PARTS
from posewright.checks import as_path, require
from posewright.figures import Figure
from posewright.motions import Motion
from posewright.motions.floor import Floor

if TYPE_CHECKING:
    from posewright.kernels.motion.transfer import TransferTables


@dataclass(frozen=True)
class JointMatch:
    """The joints of a source and of a target figure, part by part."""

    source: Anatomy
    target: Anatomy

    @classmethod
    def between(cls, source: Figure, target: Figure) -> JointMatch:
        """Find the match from topology, proportions, rest pose and names.

        Raises:
            InvalidFigure: essential joints (pelvis, hips, knees, ankles, shoulders, elbows) could not be recognised.
        """
        return cls.guess(source, target).require()

    @classmethod
    def guess(cls, source: Figure, target: Figure) -> JointMatch:
        """What can be found, though essential joints may be missing: to be saved and filled in by a person."""
        return cls(_anatomy(source), _anatomy(target))

    @classmethod
    def load(cls, path: str | Path, source: Figure, target: Figure) -> JointMatch:
        """Read a match file; parts that it leaves out are found.

        Raises:
            FileProblem: what is wrong, with line and field and the nearest name.
            InvalidFigure: essential joints are neither given nor found.
        """
        return cls.draft(path, source, target).require()

    @classmethod
    def draft(cls, path: str | Path | None, source: Figure, target: Figure) -> JointMatch:
        """What a match file says, if there is one, and what can be found besides, though joints may be missing."""
        from posewright.matching.match_file import read

        return cls.guess(source, target) if path is None else read(as_path(path), source, target)

    def require(self) -> JointMatch:
        """The match itself, or an error that says what is missing and what to do."""
        self.source.require()
        self.target.require()
        return self

    def save(self, path: str | Path) -> None:
        """Write a match file, small enough to be edited by hand."""
        from posewright.matching.match_file import write

        write(self, as_path(path))

    def transfer(self, motion: Motion, *, floor: Floor | float | None = None, scale: float | None = None) -> Motion:
        """The motion of the target that looks like a motion of the source.

        Args:
            motion: of the source; its rest pose or one of its frames should stand.
            floor: under the source, or its height in m; default: estimated from where its feet stand.
            scale: factor of the root's path; default: the ratio of the lengths of the legs.
        """
        from posewright.matching.transfer import transfer

        return transfer(motion, self, floor=floor, scale=scale)

    @cached_property
    def tables(self) -> TransferTables:
        """What transfers between the two figures read, made once."""
        from posewright.matching.transfer_tables import transfer_tables

        return transfer_tables(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is uncertain about the two figures, a sentence each."""
        return tuple(
            f"figure {anatomy.figure.name!r} stands neither in its rest pose nor in a frame that is known: "
            "how its limbs are twisted is a guess"
            for anatomy in (self.source, self.target)
            if not anatomy.stands
        )

    @property
    def figures(self) -> tuple[Figure, Figure]:
        """Source and target."""
        return self.source.figure, self.target.figure

    @property
    def parts(self) -> tuple[str, ...]:
        """Parts that both figures have."""
        return tuple(part for part in PARTS if part in self.source.parts and part in self.target.parts)

    @property
    def confidence(self) -> Mapping[str, float]:
        """0 to 1 for each part of `parts`: how sure its joints are in the less certain of the two figures."""
        return {part: min(self.source.confidence[part], self.target.confidence[part]) for part in self.parts}

    def with_parts(
        self, *, source: Mapping[str, Sequence[str]] | None = None, target: Mapping[str, Sequence[str]] | None = None
    ) -> JointMatch:
        """The same match with some parts as given: joint names by part; an empty list leaves the part out."""
        return JointMatch(self.source.with_parts(source or {}), self.target.with_parts(target or {}))


def _anatomy(figure: Figure) -> Anatomy:
    require(figure, Figure, "a figure to be matched", "a Figure, such as pw.figure(path)")
    return figure.anatomy
