"""Motions: a figure, one pose per frame, and a frame rate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from posewright.checks import require, require_number
from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figures.figure import Figure
from posewright.figures.pose import Pose, read_only

FARTHEST = 1e100
"""m or rad: squares of what is larger overflow."""


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """How a figure moves."""

    figure: Figure
    q: Array
    """(frames, dofs), rad and m, read-only"""
    fps: float
    """Frames per second."""
    name: str = ""
    notes: tuple[str, ...] = ()
    """What the reader of its file found doubtful, a sentence each."""

    def __post_init__(self) -> None:
        require(self.figure, Figure, "the figure of a motion", "a Figure, such as build('human40')")
        object.__setattr__(self, "q", read_only(self.q, "the frames of a motion"))
        require_number(self.fps, "the frame rate of a motion", "a positive number")
        if self.q.ndim != 2 or self.q.shape[1] != self.figure.n_dofs:
            raise InvalidMotion(
                f"a motion of figure {self.figure.name!r} needs frames of {self.figure.n_dofs} numbers, "
                f"got an array of shape {self.q.shape}"
            )
        if not (np.isfinite(self.fps) and self.fps > 0.0):
            raise InvalidMotion(f"frame rate is {self.fps}; it must be positive")
        if not np.isfinite(self.q).all():
            frame, dof = np.argwhere(~np.isfinite(self.q))[0]
            raise InvalidMotion(f"the motion is not finite in frame {frame} at {self.figure.dof_names[dof]!r}")

    def __repr__(self) -> str:
        called = f" {self.name}" if self.name else ""
        return f"<Motion{called} of figure {self.figure.name}: {len(self)} frames at {self.fps:g} per second>"

    def __len__(self) -> int:
        """How many frames."""
        return len(self.q)

    def __getitem__(self, frames: slice) -> Motion:
        """A stretch of the motion: `walk[10:50]`; one frame is `walk.pose(10)`."""
        if not isinstance(frames, slice):
            raise TypeError("a motion is sliced with [start:stop]; for one frame use motion.pose(frame)")
        return replace(self, q=self.q[frames], fps=self.fps / abs(frames.step or 1))

    def __iter__(self) -> Iterator[Pose]:
        """Pose by pose."""
        return (Pose(self.figure, q) for q in self.q)

    def pose(self, frame: int) -> Pose:
        """One frame; negative counts from the end."""
        if not -len(self) <= frame < len(self):
            raise InvalidMotion(f"frame {frame} is outside the motion's {len(self)} frames")
        return Pose(self.figure, self.q[frame])

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return max(0, len(self) - 1) / self.fps

    @property
    def times(self) -> Array:
        """(frames,), s"""
        return np.arange(len(self)) / self.fps

    def with_q(self, q: Array) -> Motion:
        """The same motion with other coordinates."""
        return replace(self, q=q)

    def converted(self, figure: Figure, *, near: Pose | None = None) -> Motion:
        """The same movement in the coordinates of a changed figure; see `posewright.motions.converting`."""
        from posewright.motions.converting import converted

        return converted(self, figure, near=near)


def require_motion(motion: object, what: str = "the motion") -> None:
    """Refuse what is no motion, such as the path of one.

    Raises:
        InvalidSetting: it is something else.
    """
    require(motion, Motion, what, "a Motion, such as load_motion(path)")


def require_measurable(motion: Motion, what: str = "the motion") -> None:
    """Refuse what is no motion, and one so far away that its lengths cannot be computed.

    Raises:
        InvalidSetting: it is no motion.
        InvalidMotion: a number of it is beyond `FARTHEST`.
    """
    require_motion(motion, what)
    q = motion.q
    if q.max(initial=0.0) > FARTHEST or q.min(initial=0.0) < -FARTHEST:
        frame, dof = np.argwhere((q > FARTHEST) | (q < -FARTHEST))[0]
        raise InvalidMotion(
            f"{what} has {motion.figure.dof_names[dof]!r} at {q[frame, dof]:g} in frame {frame}; "
            f"beyond {FARTHEST:g} nothing can be measured"
        )
