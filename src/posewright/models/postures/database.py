"""Posture databases: the postures of many motions, no two of them alike (Li et al., section 4.1).

Every pose is moved to the floor's origin and turned to face as at rest. Motion by motion, frame by frame, a pose is
added if it is further than the threshold from all that are in: any two postures differ by more than the threshold, and
every pose that was read is within it of one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from posewright.checks import read_only, require, require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Figure, Pose
from posewright.motions.motion import Motion

if TYPE_CHECKING:
    from posewright.models.postures.figure_postures import FigurePostures

THRESHOLD = 0.15
"""rad, mean over the joints: postures nearer than this are the same posture."""

CHUNK = 4096
"""Postures processed at a time, to bound the memory needed."""

Progress = Callable[[Motion, int], None]
"""Told each motion once it has been read, and how many postures it added."""


@dataclass(frozen=True)
class PostureClip:
    """A motion that was read into a database."""

    name: str
    digest: str
    """Of its numbers: the same motion is not read twice, whatever its name."""
    frames: int


@dataclass(frozen=True, eq=False, repr=False)
class Postures:
    """Unlike postures of one figure."""

    figure: Figure
    q: Array
    """(postures, dofs), rad and m, read-only: at the floor's origin, facing as at rest, angles nearest to rest"""
    sources: tuple[PostureClip, ...]
    """The motions read, in order, also those that added nothing."""
    clip: npt.NDArray[np.int32]
    """(postures,): which of them each posture comes from"""
    frame: npt.NDArray[np.int32]
    """(postures,): and which of its frames"""
    threshold: float = THRESHOLD
    """rad"""
    check: Callable[[], None] | None = None
    """Compares the numbers with the checksums of the file they are in; called by `verify`. None: they are in none."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", read_only(self.q))
        check_threshold(self.threshold)

    @classmethod
    def build(
        cls,
        motions: Iterable[Motion],
        *,
        threshold: float = THRESHOLD,
        figure: Figure | None = None,
        progress: Progress | None = None,
    ) -> Postures:
        """Read motions, one at a time: they may be more than fit into memory.

        Args:
            motions: of figures with the same joints; lengths may differ, rotations are carried by the joints' names.
            threshold: rad, mean over the joints, above 0.
            figure: of the database; by default that of the first motion.
            progress: told about each motion.

        Raises:
            InvalidMotion: a motion's figure lacks joints, or there is neither a motion nor a figure.
        """
        from posewright.models.postures.builder import PostureBuilder

        builder = PostureBuilder(figure, threshold)
        return builder.add_all(motions, progress).database()

    def extended(self, motions: Iterable[Motion], *, progress: Progress | None = None) -> Postures:
        """The database with the postures of more motions; those that are in are passed over."""
        from posewright.models.postures.builder import PostureBuilder

        return PostureBuilder.of(self).add_all(motions, progress).database()

    def __repr__(self) -> str:
        return (
            f"Postures({len(self)} postures of {self.figure.name!r}, more than {self.threshold:g} rad apart, "
            f"out of {self.n_read} frames in {len(self.sources)} clips)"
        )

    def __len__(self) -> int:
        """How many postures."""
        return len(self.q)

    @property
    def clips(self) -> tuple[str, ...]:
        """Names of the motions read."""
        return tuple(source.name for source in self.sources)

    @property
    def n_read(self) -> int:
        """How many frames were looked at."""
        return sum(source.frames for source in self.sources)

    def pose(self, posture: int) -> Pose:
        """One posture."""
        return Pose(self.figure, np.array(self.q[posture]))

    def on(self, figure: Figure) -> FigurePostures:
        """The postures as a figure wears them."""
        from posewright.models.postures.figure_postures import FigurePostures

        return FigurePostures(self, figure)

    @staticmethod
    def distance(pose: Pose, other: Pose) -> float:
        """Mean angle between the joints of two poses, rad, wherever they stand and whichever way they face.

        Raises:
            InvalidSetting: the figures have different dofs; lengths may differ.
        """
        from posewright.models.postures.distance import PostureMetric

        require(other, Pose, "another pose", "a Pose, such as Pose(figure, q)")
        if pose.figure.dof_names != other.figure.dof_names:
            raise InvalidSetting(f"poses of figures {pose.figure.name!r} and {other.figure.name!r} have different dofs")
        return float(PostureMetric(pose.figure).distances(pose.q[np.newaxis], other.q[np.newaxis])[0, 0])

    def save(self, path: str | Path) -> None:
        """Write the database; an interrupted write leaves the old file or the new one."""
        from posewright.models.postures.file import save_postures

        save_postures(self, path)

    def verify(self) -> None:
        """Compare all bits with the checksums of the file that it was opened from; once, since all of it is read.

        Whatever reads all postures asks for it first: `on(figure)` when it is asked for values, `extended`.

        Raises:
            FileProblem: they are not those that were written.
        """
        if self.check is not None:
            self.check()

    @classmethod
    def open(cls, path: str | Path) -> Postures:
        """Open a database; its postures stay on disk until they are looked at.

        Raises:
            FileProblem: not such a file, of another version, or broken.
        """
        from posewright.models.postures.file import open_postures

        return open_postures(path)


def check_threshold(threshold: float) -> None:
    """Refuse what is no mean angle."""
    accepted = f"above 0 and below pi: a mean angle, such as {THRESHOLD:g}"
    require_number(threshold, "threshold", accepted, lambda value: 0.0 < value < np.pi)
