"""Matches between the joints of two figures: two anatomies with the same parts."""

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
    """A match between a source and a target figure: the joints of each body part in both."""

    source: Anatomy
    """Body parts of the source figure."""
    target: Anatomy
    """Body parts of the target figure."""

    @classmethod
    def between(cls, source: Figure, target: Figure) -> JointMatch:
        """Find the match by topology, proportions, rest pose and joint names.

        Raises:
            InvalidFigure: essential joints (pelvis, hips, knees, ankles, shoulders, elbows) were not recognised.
        """
        return cls.guess(source, target).require()

    @classmethod
    def guess(cls, source: Figure, target: Figure) -> JointMatch:
        """Find as much of the match as possible; essential joints may be missing, to be completed by hand."""
        return cls(_anatomy(source), _anatomy(target))

    @classmethod
    def load(cls, path: str | Path, source: Figure, target: Figure) -> JointMatch:
        """Read a match file; parts that it omits are found as in `between`.

        Raises:
            FileProblem: the file is invalid; the message has line, field and the nearest name.
            InvalidFigure: essential joints are neither given nor found.
        """
        return cls.draft(path, source, target).require()

    @classmethod
    def draft(cls, path: str | Path | None, source: Figure, target: Figure) -> JointMatch:
        """Read a match file if there is one, and find the other parts; essential joints may be missing."""
        from posewright.matching.match_file import read

        return cls.guess(source, target) if path is None else read(as_path(path), source, target)

    def require(self) -> JointMatch:
        """Return the match if it has all essential joints; otherwise raise an error that says what to do."""
        self.source.require()
        self.target.require()
        return self

    def save(self, path: str | Path) -> None:
        """Write a match file, which can be edited by hand."""
        from posewright.matching.match_file import write

        write(self, as_path(path))

    def transfer(self, motion: Motion, *, floor: Floor | float | None = None, scale: float | None = None) -> Motion:
        """Transfer the postures of a motion to the target, without placing feet or hands; see also `retarget`.

        Args:
            motion: motion of the source; its rest pose or one of its frames should stand upright.
            floor: the floor under the source, or its height in m; default: estimated from where the feet stand.
            scale: scale of the root's path; default: the ratio of the leg lengths.
        """
        from posewright.matching.transfer import transfer

        return transfer(motion, self, floor=floor, scale=scale)

    @cached_property
    def tables(self) -> TransferTables:
        """Tables for transfers between the two figures."""
        from posewright.matching.transfer_tables import transfer_tables

        return transfer_tables(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is uncertain about the two figures, one sentence each."""
        return tuple(
            f"figure {anatomy.figure.name!r} does not stand upright in its rest pose or any known frame: "
            "the twist of its limbs is a guess"
            for anatomy in (self.source, self.target)
            if not anatomy.stands
        )

    @property
    def figures(self) -> tuple[Figure, Figure]:
        """The source and the target figure."""
        return self.source.figure, self.target.figure

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the body parts that both figures have."""
        return tuple(part for part in PARTS if part in self.source.parts and part in self.target.parts)

    @property
    def confidence(self) -> Mapping[str, float]:
        """Confidence, 0 to 1, in the joints of each part, in the less certain of the two figures."""
        return {part: min(self.source.confidence[part], self.target.confidence[part]) for part in self.parts}

    def with_parts(
        self, *, source: Mapping[str, Sequence[str]] | None = None, target: Mapping[str, Sequence[str]] | None = None
    ) -> JointMatch:
        """A copy of the match with given joint names for some parts; an empty list removes a part."""
        return JointMatch(self.source.with_parts(source or {}), self.target.with_parts(target or {}))


def _anatomy(figure: Figure) -> Anatomy:
    require(figure, Figure, "a figure to be matched", "a Figure, such as pw.figure(path)")
    return figure.anatomy
