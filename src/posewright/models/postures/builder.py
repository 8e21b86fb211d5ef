"""Building posture databases, motion by motion."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from posewright.checks import require, require_list
from posewright.conventions import Array, IntArray
from posewright.errors import InvalidMotion, shown
from posewright.figures import Figure
from posewright.kernels.postures.similarity import PIVOTS, ROUNDING, RUN, WIDTH, Singles, admit, choose_pivots
from posewright.models.postures.database import CHUNK, THRESHOLD, PostureClip, Postures, Progress, check_threshold
from posewright.models.postures.distance import PostureMetric, nearest_to_rest, normalised
from posewright.models.postures.transfer import PostureTransfer
from posewright.motions.motion import Motion

Number = TypeVar("Number", bound=np.generic)

_ALL = -1.0
"""A threshold that admits every posture."""
_FEW = 256
"""Number of members from which pivots make the search faster."""


class PostureBuilder:
    """A database under construction; `database()` returns the postures read so far."""

    def __init__(self, figure: Figure | None = None, threshold: float = THRESHOLD) -> None:
        """Begin empty; without a figure, that of the first motion is used."""
        check_threshold(threshold)
        self.threshold = threshold
        self.sources: list[PostureClip] = []
        self._digests: set[str] = set()
        self.n = self._hint = self._n_settled = 0
        self._figure: Figure | None = None
        self._transfer: PostureTransfer | None = None
        if figure is not None:
            require(figure, Figure, "the figure of a posture database", "a Figure, such as pw.figure('human40')")
            self._begin(figure)

    @classmethod
    def of(cls, database: Postures) -> PostureBuilder:
        """Begin with the postures of a database.

        Raises:
            FileProblem: the file of the database is damaged.
        """
        database.verify()
        builder = cls(database.figure, database.threshold)
        builder.sources = list(database.sources)
        builder._digests = {source.digest for source in database.sources}
        for first in range(0, len(database), CHUNK):
            q = np.array(database.q[first : first + CHUNK])
            stop = builder.n + len(q)
            builder._enter(q, _ALL)
            builder._q[builder.n : stop] = q
            builder._where[builder.n : stop, 0] = database.clip[first : first + CHUNK]
            builder._where[builder.n : stop, 1] = database.frame[first : first + CHUNK]
            builder.n = builder._n_settled = stop
        return builder

    def add_all(self, motions: Iterable[Motion], progress: Progress | None = None) -> PostureBuilder:
        """Add motions one after another."""
        require_list(motions, "what a posture database is built of", "motions, such as [pw.motion(path)]")
        for motion in motions:
            added = self.add(motion)
            if progress is not None:
                progress(motion, added)
        return self

    def add(self, motion: Motion) -> int:
        """Add the postures of a motion that differ from all members; return their number.

        A motion that was read before, under any name, is skipped. If it is refused or interrupted, nothing is added.

        Raises:
            InvalidMotion: the motion's figure lacks joints of the database's, or it is not a motion.
        """
        if not isinstance(motion, Motion):
            raise InvalidMotion(f"a posture database needs motions, not {shown(motion)}")
        if self._figure is None:
            self._begin(motion.figure)
        digest = _digest(motion)
        if digest in self._digests:
            return 0
        transfer = self._transfer_from(motion)
        before, n_sources = self.n, len(self.sources)
        try:
            for first in range(0, len(motion), CHUNK):
                self._admit(transfer(motion.q[first : first + CHUNK]), first)
            name = motion.name or f"clip {n_sources + 1}"
            self.sources.append(PostureClip(name, digest, len(motion)))
            self._digests.add(digest)
        except BaseException:
            self.n = before
            del self.sources[n_sources:]
            self._digests.discard(digest)
            raise
        return self.n - before

    def database(self) -> Postures:
        """The database of all postures read so far.

        Raises:
            InvalidMotion: neither a figure nor a motion was given.
        """
        if self._figure is None:
            raise InvalidMotion("a posture database needs motions, or at least a figure; there are none")
        for first in range(self._n_settled, self.n, CHUNK):  # many at once; clip by clip would take far longer
            rows = slice(first, min(first + CHUNK, self.n))
            self._q[rows] = nearest_to_rest(self._figure, normalised(self._figure, self._q[rows]))
        self._n_settled = self.n
        return Postures(
            self._figure,
            self._q[: self.n].copy(),
            tuple(self.sources),
            self._where[: self.n, 0].copy(),
            self._where[: self.n, 1].copy(),
            self.threshold,
        )

    def _begin(self, figure: Figure) -> None:
        self._figure = figure
        self._metric = PostureMetric(figure)
        self._q = np.empty((0, figure.n_dofs))
        self._where = np.empty((0, 2), dtype=np.int32)
        self._members: Singles = np.zeros((0, len(self._metric.joints), 4, WIDTH), dtype=np.float32)
        self._pivots: Singles = np.zeros((len(self._metric.joints), 4, 0), dtype=np.float32)
        self._spans: Singles = np.zeros((2, 0, PIVOTS, WIDTH), dtype=np.float32)

    def _transfer_from(self, motion: Motion) -> PostureTransfer:
        assert self._figure is not None
        if self._transfer is not None and self._transfer.source.joints == motion.figure.joints:
            return self._transfer  # clips of one performer mostly follow each other
        transfer = PostureTransfer(motion.figure, self._figure)
        if transfer.missing:
            names = ", ".join(transfer.missing[:5]) + (", ..." if len(transfer.missing) > 5 else "")
            raise InvalidMotion(
                f"clip {motion.name!r} is of figure {motion.figure.name!r}, which has no rotation for {names} of the "
                f"database's figure {self._figure.name!r}; retarget the clip to it first"
            )
        self._transfer = transfer
        return transfer

    def _admit(self, q: Array, first: int) -> None:
        """Try poses (poses, dofs) of the current motion, beginning with its frame `first`."""
        # A little more than the threshold: rounding then never puts two postures closer than that.
        chosen = self._enter(q, self.threshold + ROUNDING)
        n = self.n + len(chosen)
        self._q[self.n : n] = q[chosen]
        self._where[self.n : n, 0] = len(self.sources)
        self._where[self.n : n, 1] = first + chosen
        self.n = n

    def _enter(self, q: Array, threshold: float) -> IntArray:
        """Add those poses (poses, dofs) that differ from all members; return their indices."""
        self._make_room(len(q))
        if self.n > _FEW and not self._pivots.shape[2]:
            self._pivots = np.zeros((len(self._metric.joints), 4, PIVOTS), dtype=np.float32)
            choose_pivots(self._members, self.n, self._metric.weights, self._pivots, self._spans)
        admitted = np.empty(len(q), dtype=np.int64)
        n, self._hint = admit(
            self._metric.turns(q).astype(np.float32),
            self._members,
            self.n,
            self._hint,
            self._pivots,
            self._spans,
            self._metric.weights,
            threshold,
            admitted,
        )
        return admitted[: n - self.n]

    def _make_room(self, more: int) -> None:
        wanted = self.n + more
        if wanted <= len(self._q):
            return
        per_block = RUN * WIDTH
        room = -(-max(wanted, 2 * self.n) // per_block) * per_block
        self._q = _grown(self._q, room)
        self._where = _grown(self._where, room)
        self._members = _grown(self._members, room // WIDTH)
        self._spans = np.stack([_grown(span, room // per_block) for span in self._spans])


def _grown(array: npt.NDArray[Number], rows: int) -> npt.NDArray[Number]:
    grown = np.zeros((rows, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown


def _digest(motion: Motion) -> str:
    """Hash of a motion's numbers and the dofs they drive."""
    found = hashlib.sha256("\n".join(motion.figure.dof_names).encode())
    found.update(motion.q.tobytes())
    return found.hexdigest()[:32]
