"""Motions: a figure, one pose per frame, and a frame rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from posewright.checks import read_only, require, require_number
from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figures.figure import Figure
from posewright.figures.joint import FARTHEST
from posewright.figures.pose import Pose

if TYPE_CHECKING:
    from posewright.anatomy.anatomy import Anatomy
    from posewright.motions.contacts import Contacts, ContactSettings
    from posewright.motions.floor import Floor
    from posewright.motions.quality.report import QualityReport
    from posewright.motions.speeds import JointRates


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """A figure, its dofs in every frame, and a frame rate."""

    figure: Figure
    q: Array
    """(frames, dofs), rad and m, read-only"""
    fps: float
    """Frames per second."""
    name: str = ""
    notes: tuple[str, ...] = ()
    """What the reader of its file found doubtful, a sentence each."""
    first_frame: int = 0
    """Number of its first frame in its file: 1 where a T-pose before the motion was left out. Rows of `q`, poses and
    goals count from 0; notes, reports, edit files and --frames use the file's numbers."""

    def __post_init__(self) -> None:
        require(self.figure, Figure, "the figure of a motion", "a Figure, such as pw.figure('human40')")
        object.__setattr__(self, "q", read_only(self.q, "the frames of a motion"))
        require_number(self.fps, "the frame rate of a motion", "a positive number")
        if self.q.ndim != 2 or self.q.shape[1] != self.figure.n_dofs:
            raise InvalidMotion(
                f"a motion of figure {self.figure.name!r} needs frames of {self.figure.n_dofs} numbers, "
                f"got an array of shape {self.q.shape}"
            )
        if not (np.isfinite(self.fps) and self.fps > 0.0):
            raise InvalidMotion(f"frame rate is {self.fps}; it must be positive")
        if not (np.isfinite(self.q.min(initial=0.0)) and np.isfinite(self.q.max(initial=0.0))):
            frame, dof = np.argwhere(~np.isfinite(self.q))[0]
            raise InvalidMotion(f"the motion is not finite in frame {frame} at {self.figure.dof_names[dof]!r}")

    def __repr__(self) -> str:
        called = f" {self.name}" if self.name else ""
        return f"<Motion{called} of figure {self.figure.name}: {len(self)} frames at {self.fps:g} per second>"

    def _repr_html_(self) -> str:
        from posewright.studio.notebook import notebook_html

        return notebook_html(self)

    def __len__(self) -> int:
        """How many frames."""
        return len(self.q)

    def __getitem__(self, frames: slice) -> Motion:
        """A stretch of the motion: `walk[10:50]`; one frame is `walk.pose(10)`."""
        if not isinstance(frames, slice):
            raise TypeError("a motion is sliced with [start:stop]; for one frame use motion.pose(frame)")
        first = self.first_frame + frames.indices(len(self))[0] if (frames.step or 1) == 1 else 0
        return replace(self, q=self.q[frames], fps=self.fps / abs(frames.step or 1), first_frame=first)

    def __iter__(self) -> Iterator[Pose]:
        """Pose by pose."""
        return (Pose(self.figure, q) for q in self.q)

    def pose(self, frame: int) -> Pose:
        """One frame; negative counts from the end."""
        if not -len(self) <= frame < len(self):
            raise InvalidMotion(f"frame {frame} is outside the motion's {len(self)} frames")
        return Pose(self.figure, self.q[frame])

    def with_standing_rest(self, anatomy: Anatomy | None = None) -> Motion:
        """The motion of the same figure, resting as it stands: at a frame, where the rest pose means nothing.

        Args:
            anatomy: of the figure, if not its own.
        """
        from posewright.anatomy.standing import standing_figure

        figure = standing_figure((anatomy or self.figure.anatomy).on(self.figure), self.q)
        return self if figure is self.figure else replace(self, figure=figure)

    def with_soles(self, anatomy: Anatomy | None = None) -> Motion:
        """The motion of the same figure with sites under its feet (`Figure.with_soles`)."""
        figure = (anatomy or self.figure.anatomy).on(self.figure).with_soles()
        return self if figure is self.figure else replace(self, figure=figure)

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

    def point(self, site: str, frame: int) -> Array:
        """World position (3,) of a site or joint in one frame, m."""
        return self.pose(frame).point(site)

    # Changed motions; each is explained in the module that makes it.

    def resampled(self, fps: float | None = None, *, frames: int | None = None) -> Motion:
        """The motion at another frame rate or with another number of frames; give one of them.

        Args:
            fps: the exact new rate. Frames are at 0, 1/fps, 2/fps, ... s as long as the motion lasts, so the last
                pose is kept when the duration is a whole number of new frames.
            frames: the exact new number of frames, from the first pose to the last, both kept. The rate follows from
                the duration.
        """
        from posewright.motions.resampling import resampled

        return resampled(self, fps=fps, frames=frames)

    def warped(
        self, *, events: npt.ArrayLike, onto: npt.ArrayLike, fps: float | None = None, frames: int | None = None
    ) -> Motion:
        """The motion with its timing changed piecewise linearly, so that chosen moments fall on others.

        Args:
            events: increasing moments of the motion, s; the result begins at the first and ends at the last.
            onto: the increasing moments that they get, s; the first becomes the result's first frame.
            fps: rate of the result (default: this motion's).
            frames: or its number of frames, first and last event included.
        """
        from posewright.motions.resampling import warped

        return warped(self, events=events, onto=onto, fps=fps, frames=frames)

    def sampled(self, times: npt.ArrayLike) -> Array:
        """Coordinates (samples, dofs) at any moments (samples,), s; beyond its ends the motion rests."""
        from posewright.motions.resampling import sampled

        return sampled(self, times)

    def mirrored(self, *, tolerance: float = 0.05) -> Motion:
        """The motion with left and right exchanged, reflected in the plane x = 0.

        Args:
            tolerance: how far a joint may be from its exact mirror image, in figure heights: recorded people are not
                quite symmetric. On a symmetric figure the image is exact.

        Raises:
            InvalidFigure: a joint of one side has no partner.
            InvalidMotion: the figure is not symmetric, or a joint cannot turn as its partner does.
        """
        from posewright.motions.mirroring import mirrored

        return mirrored(self, tolerance=tolerance)

    def moved(self, translation: Sequence[float] = (0.0, 0.0, 0.0), yaw: float = 0.0) -> Motion:
        """The whole motion turned by `yaw` (rad) about the world's vertical axis, then moved by `translation` (m).

        Raises:
            InvalidMotion: a root of the figure has not the freedom for it.
        """
        from posewright.motions.placing import moved

        return moved(self, translation, yaw)

    def unwrapped(self) -> Motion:
        """The motion with every joint's numbers nearest those of the frame before; the world sees no difference."""
        from posewright.motions.continuity import unwrapped

        return unwrapped(self)

    def smoothed(self, frequency: float) -> Motion:
        """The motion with waves of `frequency` (Hz) halved, faster ones removed and slower ones kept.

        Joint limits stay kept; the feet are not held in place.
        """
        from posewright.motions.smoothing import smoothed

        return smoothed(self, frequency)

    def within_speeds(self) -> Motion:
        """The nearest motion in which no dof is faster than `Figure.max_speeds`."""
        from posewright.motions.speeds import within_speeds

        return within_speeds(self)

    def joined(self, other: Motion, *, blend: float = 0.3) -> Motion:
        """This motion, continued by another from its last pose, which both share.

        Args:
            other: moved and turned on the floor so that its first root meets the last one of this motion.
            blend: s, how long what still differs takes to fade; 0 cuts.

        Returns:
            A motion of `len(self) + len(other) - 1` frames.
        """
        from posewright.motions.joining import joined

        return joined(self, other, blend=blend)

    @classmethod
    def concatenated(cls, motions: Sequence[Motion]) -> Motion:
        """All frames of the motions, one after the other, as they are; the first gives the name."""
        from posewright.motions.joining import concatenated

        return concatenated(motions)

    # The motion of a changed figure.

    def converted(self, figure: Figure, *, near: Pose | None = None) -> Motion:
        """The same movement in the coordinates of a changed figure: every segment stays where it was in the world.

        For figures made by `with_balls`, `with_hinges` or `rerooted`, and for the way back from them. Angles that
        are not simply copied are continuous over the frames, the first on the branch nearest to `near` (or to rest).
        """
        from posewright.figures.transforms.coordinates import converted_q

        q = converted_q(self.figure, figure, self.q, near=None if near is None else near.q)
        return replace(self, figure=figure, q=q)

    def with_lengths(self, factors: Mapping[str, float] | None = None, *, overall: float = 1.0) -> Motion:
        """The same angles on a figure with other lengths; slides (such as the root's place) scale with their bone."""
        from posewright.figures.transforms.lengths import lengths_q

        figure = self.figure.with_lengths(factors, overall=overall)
        return replace(self, figure=figure, q=lengths_q(self.figure, self.q, factors, overall=overall))

    def locked(self, *joints: str, at: Pose | None = None, alone: bool = False) -> Motion:
        """The motion with these joints and all below them (`alone`: only them) held at the pose `at`, or at rest."""
        from posewright.figures.transforms.locked import locked_q

        figure = self.figure.locked(*joints, at=at, alone=alone)
        return replace(self, figure=figure, q=locked_q(self.figure, figure, self.q))

    def unlocked(self, figure: Figure, *, at: Pose | None = None) -> Motion:
        """The motion of a locked figure as one of the whole `figure`; the rest keeps the pose it was locked at."""
        from posewright.figures.transforms.locked import unlocked_q

        return replace(self, figure=figure, q=unlocked_q(figure, self.figure, self.q, at=at))

    def beside(self, other: Motion, *, prefix: str) -> Motion:
        """This and another motion of the same length and frame rate as one motion of both figures."""
        if len(self) != len(other) or self.fps != other.fps:
            raise InvalidMotion(
                f"motions beside each other need the same frames: one has {len(self)} at {self.fps:g}/s, "
                f"the other {len(other)} at {other.fps:g}/s; resample one of them"
            )
        return replace(
            self,
            figure=self.figure.beside(other.figure, prefix=prefix),
            q=np.concatenate([self.q, other.q], axis=-1),
            name=" and ".join(name for name in (self.name, other.name) if name),
            notes=(*self.notes, *other.notes),
        )

    def apart(self, figure: Figure, other: Figure) -> tuple[Motion, Motion]:
        """The motion of each figure in a motion of both."""
        from posewright.figures.transforms.combined import split_q

        first, second = split_q(figure, other, self.q)
        return replace(self, figure=figure, q=first), replace(self, figure=other, q=second)

    # What is measured of a motion.

    def contacts(
        self,
        sites: Sequence[str] | None = None,
        *,
        floor: Floor | float | None = None,
        settings: ContactSettings | None = None,
    ) -> Contacts:
        """Find when sites rest on the floor.

        Args:
            sites: names of sites or joints (default: heels or ankles, and toes; or the lowest tips).
            floor: its height in m, or a plane (default: estimated from where the sites stand still).
            settings: thresholds.
        """
        from posewright.motions.contacts import contacts

        return contacts(self, sites, floor=floor, settings=settings)

    def quality(
        self,
        source: Motion | None = None,
        *,
        sites: Sequence[str] | Mapping[str, str] | None = None,
        feet: Sequence[str] | Mapping[str, str] | None = None,
        floor: Floor | float | None = None,
        source_floor: Floor | float | None = None,
        bodies: tuple[Anatomy, Anatomy] | None = None,
        transferred: Motion | None = None,
        body: bool = True,
    ) -> QualityReport:
        """Measure the motion, alone or beside the source that it was made from.

        Args:
            source: the motion that it was made from, frame by frame; its contacts are the ones to be kept, and its
                own values stand beside. Without it the motion's own contacts count.
            sites: what should be where the source has it: names, or {site of the motion: site of the source}
                (default: the sites, or else the joints, whose names both figures have).
            feet: contact points, likewise (default: heels or ankles, and toes, paired by side).
            floor: its height in m, or a plane (default: estimated from the source, or without one from the motion).
            source_floor: the floor under the source where it is another one than the motion's.
            bodies: which joints are which part, of this motion's figure and of the source's (default: as recognised).
            transferred: what plain `JointMatch.transfer` makes of the source, beside which likeness is judged.
            body: whether to measure self-contact and balance too, which take most of the time.
        """
        from posewright.motions.quality.assess import assess

        return assess(
            self, source, sites=sites, feet=feet, floor=floor, source_floor=source_floor, bodies=bodies,
            transferred=transferred, body=body,
        )  # fmt: skip

    def joint_velocities(self) -> JointRates:
        """Angular and sliding velocities of all joints, by central differences."""
        from posewright.motions.speeds import joint_velocities

        return joint_velocities(self)

    def joint_accelerations(self) -> JointRates:
        """Angular and sliding accelerations of all joints, by central differences."""
        from posewright.motions.speeds import joint_accelerations

        return joint_accelerations(self)

    def site_velocities(self, sites: Sequence[str]) -> Array:
        """World velocities (frames, sites, 3), m/s, by central differences."""
        from posewright.motions.speeds import site_velocities

        return site_velocities(self, sites)

    def site_accelerations(self, sites: Sequence[str]) -> Array:
        """World accelerations (frames, sites, 3), m/s², by central differences."""
        from posewright.motions.speeds import site_accelerations

        return site_accelerations(self, sites)

    def save(self, path: str | Path, *, layout: str | None = None, fps: float | None = None) -> None:
        """Write the motion; the suffix says how. The old file stays until the new one is complete.

        Args:
            path: where.
            layout: of a robot's motion: a layout of other programs, such as "mjlab" (`posewright.formats.layouts`).
            fps: with a layout: the rate to resample to, where the motion has not that of the layout.
        """
        from posewright.formats import save

        save(self, path, layout=layout, fps=fps)


def require_motion(motion: object, what: str = "the motion") -> None:
    """Refuse what is no motion, such as the path of one.

    Raises:
        InvalidSetting: it is something else.
    """
    require(motion, Motion, what, "a Motion, such as pw.motion(path)")


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
