"""Posture databases: the distinct postures of many motions (Li et al., section 4.1).

Every pose is moved to the floor's origin and turned to face as at rest. A pose is added if it is further than the
threshold from all postures in the database. So any two postures differ by more than the threshold, and every pose that
was read is within the threshold of a posture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from posewright.checks import as_path, read_only, require_number
from posewright.conventions import Array
from posewright.errors import FileProblem, InvalidSetting
from posewright.figures import Figure, Pose
from posewright.motions.motion import Motion

if TYPE_CHECKING:
    from posewright.formats.npz.archive import NpzArchive
    from posewright.models.postures.figure_postures import FigurePostures

THRESHOLD = 0.15
"""rad, mean over the joints; postures nearer than this count as the same."""
CHUNK = 4096
"""Postures or frames processed at a time, to bound the memory needed."""
_FORMAT, _VERSION = "posewright-postures", 1

Progress = Callable[[Motion, int], None]
"""A function called after each motion, with the motion and the number of postures that it added."""


@dataclass(frozen=True)
class PostureClip:
    """A motion that was read into a database."""

    name: str
    digest: str
    """Hash of its numbers, so that the same motion is not read twice under another name."""
    frames: int
    """Number of frames."""


@dataclass(frozen=True, eq=False, repr=False)
class Postures:
    """A posture database: the distinct postures of one figure, collected from motions."""

    figure: Figure
    stored: Array
    """The values of `q`, in memory or in the file."""
    sources: tuple[PostureClip, ...]
    """The motions that were read, in order, including those that added nothing."""
    clip: npt.NDArray[np.int32]
    """(postures,): index in `sources` of the motion that each posture comes from."""
    frame: npt.NDArray[np.int32]
    """(postures,): frame of that motion."""
    threshold: float = THRESHOLD
    """Minimum distance between postures, rad, mean over the joints."""
    archive: NpzArchive | None = None
    """The file that contains the values; None if they are in memory."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "stored", read_only(self.stored))
        check_threshold(self.threshold)

    def __getstate__(self) -> dict[str, Any]:
        """What is copied and pickled: everything, in memory."""
        return {**self.__dict__, "stored": np.array(self.q), "archive": None}

    @property
    def q(self) -> Array:
        """Dof values (postures, dofs), rad or m, read-only: at the floor's origin, facing as at rest.

        Those of an opened database stay in the file. Copy them to keep them if the file may be truncated meanwhile.

        Raises:
            FileProblem: the file was truncated after it was opened.
        """
        if self.archive is not None:
            self.archive.require_whole()
        return self.stored

    @classmethod
    def build(
        cls,
        motions: Iterable[Motion],
        *,
        threshold: float = THRESHOLD,
        figure: Figure | None = None,
        progress: Progress | None = None,
    ) -> Postures:
        """Build a database from motions, which are read one at a time, so that they need not fit into memory.

        Args:
            motions: motions of figures with the same joint names; lengths may differ.
            threshold: minimum distance between postures, rad, mean over the joints; above 0.
            figure: figure of the database; default: that of the first motion.
            progress: called after each motion, with the motion and the number of postures that it added.

        Raises:
            InvalidMotion: a motion's figure lacks joints, or there is neither a motion nor a figure.
        """
        from posewright.models.postures.builder import PostureBuilder

        return PostureBuilder(figure, threshold).add_all(motions, progress).database()

    def extended(self, motions: Iterable[Motion], *, progress: Progress | None = None) -> Postures:
        """A copy of the database with the postures of more motions; motions that it already has are skipped."""
        from posewright.models.postures.builder import PostureBuilder

        return PostureBuilder.of(self).add_all(motions, progress).database()

    def __repr__(self) -> str:
        return (
            f"Postures({len(self)} postures of {self.figure.name!r}, more than {self.threshold:g} rad apart, "
            f"out of {self.n_read} frames in {len(self.sources)} clips)"
        )

    def __len__(self) -> int:
        """Number of postures."""
        return len(self.stored)

    @property
    def clips(self) -> tuple[str, ...]:
        """Names of the motions that were read."""
        return tuple(source.name for source in self.sources)

    @property
    def n_read(self) -> int:
        """Number of frames that were read."""
        return sum(source.frames for source in self.sources)

    def pose(self, posture: int) -> Pose:
        """The pose with this index."""
        return Pose(self.figure, np.array(self.q[posture]))

    def on(self, figure: Figure) -> FigurePostures:
        """The postures on another figure, which may have other lengths."""
        from posewright.models.postures.figure_postures import FigurePostures

        return FigurePostures(self, figure)

    @staticmethod
    def distance(pose: Pose, other: Pose) -> float:
        """Mean angle between the joints of two poses, rad, regardless of position and heading.

        Raises:
            InvalidSetting: the figures have different dofs; lengths may differ.
        """
        from posewright.models.postures.distance import PostureMetric

        if pose.figure.dof_names != other.figure.dof_names:
            raise InvalidSetting(f"poses of figures {pose.figure.name!r} and {other.figure.name!r} have different dofs")
        return float(PostureMetric(pose.figure).distances(pose.q[np.newaxis], other.q[np.newaxis])[0, 0])

    def save(self, path: str | Path) -> None:
        """Write the database to an .npz file, which is replaced in one step."""
        from posewright.formats import figure_file
        from posewright.formats.npz.archive import write_mapped

        arrays: dict[str, npt.NDArray[Any]] = {
            "format": np.array(_FORMAT),
            "version": np.array(_VERSION),
            "figure": np.array(figure_file.to_json(self.figure)),
            "threshold": np.array(self.threshold),
            "clips": np.array(self.clips, dtype=np.str_),
            "digests": np.array([source.digest for source in self.sources], dtype=np.str_),
            "frames": np.array([source.frames for source in self.sources], dtype=np.int64),
            "clip": self.clip,
            "frame": self.frame,
            "q": self.q,
        }
        write_mapped(path, arrays)

    @classmethod
    def open(cls, path: str | Path) -> Postures:
        """Open a database file. Postures stay on disk until they are needed; `verify` checks them.

        Raises:
            FileProblem: the file is not a posture database, has another version, or is broken.
        """
        from posewright.formats import figure_file
        from posewright.formats.npz.archive import NpzArchive

        arrays = NpzArchive(as_path(path))
        arrays.require_format(_FORMAT, _VERSION, "build it again")
        figure = figure_file.from_json(arrays.path, arrays.text("figure"))
        names, digests = arrays.texts("clips"), arrays.texts("digests")
        frames = arrays.numbers("frames", (len(names),)).astype(np.int64).tolist()
        if len(digests) != len(names):
            raise FileProblem(path, f"its array 'digests' has {len(digests)} texts; there are {len(names)} clips")
        q = arrays.mapped("q", np.float64, (None, figure.n_dofs))
        clip, frame = (np.array(arrays.mapped(name, np.int32, (len(q),))) for name in ("clip", "frame"))
        if len(clip) and not (clip.min() >= 0 and clip.max() < len(names)):
            raise FileProblem(path, f"its array 'clip' names clips outside the {len(names)} there are")
        threshold = float(arrays.numbers("threshold", ()))
        if not 0.0 < threshold < np.pi:
            raise FileProblem(path, f"its threshold is {threshold:g} rad; it must be above 0 and below pi")
        sources = tuple(PostureClip(*source) for source in zip(names, digests, frames, strict=True))
        return cls(figure, q, sources, clip, frame, threshold, arrays)

    def verify(self) -> None:
        """Compare all values with the checksums in the file, once; this reads the whole file.

        Methods that read all postures call this first: `extended`, and `on(figure)` when it computes values.

        Raises:
            FileProblem: the values differ from those that were written.
        """
        if self.archive is not None:
            self.archive.verify("q", "clip", "frame")


def check_threshold(threshold: float) -> None:
    """Refuse a threshold that is not a mean angle."""
    accepted = f"above 0 and below pi: a mean angle, such as {THRESHOLD:g}"
    require_number(threshold, "threshold", accepted, above=0.0, below=np.pi)
