"""Motions: a figure, a pose for each frame, and a frame rate."""

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
    """A motion: a figure, the values of its dofs in every frame, and a frame rate."""

    figure: Figure
    q: Array
    """Dof values (frames, dofs), rad or m; read-only."""
    fps: float
    """Frames per second."""
    name: str = ""
    notes: tuple[str, ...] = ()
    """What the file reader found doubtful, one sentence each."""
    first_frame: int = 0
    """Number of the first frame in the motion's file, for example 1 if a T-pose before the motion was dropped. Rows of
    `q`, poses and goals count from 0; notes, reports, edit files and --frames use the file's numbers."""

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
        """Number of frames."""
        return len(self.q)

    def __getitem__(self, frames: slice) -> Motion:
        """A range of frames as a motion, such as `walk[10:50]`. For a single frame use `walk.pose(10)`."""
        if not isinstance(frames, slice):
            raise TypeError("a motion is sliced with [start:stop]; for one frame use motion.pose(frame)")
        first = self.first_frame + frames.indices(len(self))[0] if (frames.step or 1) == 1 else 0
        return replace(self, q=self.q[frames], fps=self.fps / abs(frames.step or 1), first_frame=first)

    def __iter__(self) -> Iterator[Pose]:
        """Iterate over the poses."""
        return (Pose(self.figure, q) for q in self.q)

    def pose(self, frame: int) -> Pose:
        """The pose at a frame; negative frames count from the end."""
        if not -len(self) <= frame < len(self):
            raise InvalidMotion(f"frame {frame} is outside the motion's {len(self)} frames")
        return Pose(self.figure, self.q[frame])

    def with_standing_rest(self, anatomy: Anatomy | None = None) -> Motion:
        """The motion with a figure whose rest pose stands upright.

        Some files have a meaningless rest pose, such as all bones along one axis. Then the frame that stands best
        becomes the rest pose; otherwise the motion is returned unchanged.

        Args:
            anatomy: the figure's body parts; default: as recognised.
        """
        from posewright.anatomy.standing import standing_figure

        figure = standing_figure((anatomy or self.figure.anatomy).on(self.figure), self.q)
        return self if figure is self.figure else replace(self, figure=figure)

    def with_soles(self, anatomy: Anatomy | None = None) -> Motion:
        """The motion with a figure that has sites under its feet (`Figure.with_soles`)."""
        figure = (anatomy or self.figure.anatomy).on(self.figure).with_soles()
        return self if figure is self.figure else replace(self, figure=figure)

    @property
    def duration(self) -> float:
        """Time from the first frame to the last, s."""
        return max(0, len(self) - 1) / self.fps

    @property
    def times(self) -> Array:
        """Time of each frame (frames,), s; the first is at 0."""
        return np.arange(len(self)) / self.fps

    def with_q(self, q: Array) -> Motion:
        """The same motion with other dof values `q` (frames, dofs)."""
        return replace(self, q=q)

    def point(self, site: str, frame: int) -> Array:
        """World position (3,) of a site or joint in one frame, m."""
        return self.pose(frame).point(site)

    # Changed motions; the module behind each explains it.

    def resampled(self, fps: float | None = None, *, frames: int | None = None) -> Motion:
        """Resample the motion to another frame rate or number of frames; give one of the two.

        Args:
            fps: new frame rate. Frames are at 0, 1/fps, 2/fps, ... s while the motion lasts, so the last pose is kept
                only if the duration is a whole number of new frames.
            frames: new number of frames. The first and last poses are kept; the rate follows from the duration.
        """
        from posewright.motions.resampling import resampled

        return resampled(self, fps=fps, frames=frames)

    def warped(
        self, *, events: npt.ArrayLike, onto: npt.ArrayLike, fps: float | None = None, frames: int | None = None
    ) -> Motion:
        """Change the timing piecewise linearly, so that events of the motion happen at other times.

        Args:
            events: increasing times in this motion, s. The result begins at the first and ends at the last.
            onto: increasing times, s, at which these events shall happen; the first becomes the first frame.
            fps: frame rate of the result (default: that of this motion).
            frames: alternatively, its number of frames, from the first event to the last.
        """
        from posewright.motions.resampling import warped

        return warped(self, events=events, onto=onto, fps=fps, frames=frames)

    def sampled(self, times: npt.ArrayLike) -> Array:
        """Interpolate dof values (samples, dofs) at times (samples,), s; outside the motion the end poses hold."""
        from posewright.motions.resampling import sampled

        return sampled(self, times)

    def mirrored(self, *, tolerance: float = 0.05) -> Motion:
        """Mirror the motion in the plane x = 0, which exchanges left and right.

        Args:
            tolerance: how far a joint may be from the mirror image of its partner, in figure heights; recorded people
                are not quite symmetric. If the figure is symmetric, the mirror image is exact.

        Raises:
            InvalidFigure: a joint has no partner on the other side.
            InvalidMotion: the figure is not symmetric, or a joint cannot turn as its partner does.
        """
        from posewright.motions.mirroring import mirrored

        return mirrored(self, tolerance=tolerance)

    def moved(self, translation: Sequence[float] = (0.0, 0.0, 0.0), yaw: float = 0.0) -> Motion:
        """Rotate the whole motion by `yaw` (rad) about the world's vertical axis, then translate it (m).

        Raises:
            InvalidMotion: a root of the figure does not have the dofs for this.
        """
        from posewright.motions.placing import moved

        return moved(self, translation, yaw)

    def unwrapped(self) -> Motion:
        """Replace angles by equivalent ones nearest to those of the previous frame; the movement does not change."""
        from posewright.motions.continuity import unwrapped

        return unwrapped(self)

    def smoothed(self, frequency: float) -> Motion:
        """Smooth the motion by a low-pass filter that halves amplitudes at `frequency` (Hz).

        Joint limits are kept; feet are not held in place.
        """
        from posewright.motions.smoothing import smoothed

        return smoothed(self, frequency)

    def within_speeds(self) -> Motion:
        """The nearest motion in which no dof exceeds `Figure.max_speeds`."""
        from posewright.motions.speeds import within_speeds

        return within_speeds(self)

    def joined(self, other: Motion, *, blend: float = 0.3) -> Motion:
        """Append another motion; the last pose of this one is the first pose of the other.

        Args:
            other: the motion to append. It is moved and turned on the floor to begin where this one ends.
            blend: time over which the remaining difference fades out, s; 0 cuts.

        Returns:
            A motion of `len(self) + len(other) - 1` frames.
        """
        from posewright.motions.joining import joined

        return joined(self, other, blend=blend)

    @classmethod
    def concatenated(cls, motions: Sequence[Motion]) -> Motion:
        """All frames of several motions, one after the other, unchanged; the first motion gives the name."""
        from posewright.motions.joining import concatenated

        return concatenated(motions)

    # The motion of a changed figure.

    def converted(self, figure: Figure, *, near: Pose | None = None) -> Motion:
        """The same movement in the dofs of a changed figure; every segment keeps its place in the world.

        Use it for figures made by `with_balls`, `with_hinges` or `rerooted`, and to convert back. Angles that are
        computed anew are continuous over time; those of the first frame are nearest to `near` (default: rest).
        """
        from posewright.figures.transforms.coordinates import converted_q

        q = converted_q(self.figure, figure, self.q, near=None if near is None else near.q)
        return replace(self, figure=figure, q=q)

    def with_lengths(self, factors: Mapping[str, float] | None = None, *, overall: float = 1.0) -> Motion:
        """The same angles on a figure with scaled segments; slides (such as the root's) scale with their segment."""
        from posewright.figures.transforms.lengths import lengths_q

        figure = self.figure.with_lengths(factors, overall=overall)
        return replace(self, figure=figure, q=lengths_q(self.figure, self.q, factors, overall=overall))

    def locked(self, *joints: str, at: Pose | None = None, alone: bool = False) -> Motion:
        """Freeze joints and their descendants (with `alone`, only the joints) in the pose `at` (default: rest)."""
        from posewright.figures.transforms.locked import locked_q

        figure = self.figure.locked(*joints, at=at, alone=alone)
        return replace(self, figure=figure, q=locked_q(self.figure, figure, self.q))

    def unlocked(self, figure: Figure, *, at: Pose | None = None) -> Motion:
        """Convert the motion of a locked figure to the unlocked `figure`; locked joints have the pose `at` or rest."""
        from posewright.figures.transforms.locked import unlocked_q

        return replace(self, figure=figure, q=unlocked_q(figure, self.figure, self.q, at=at))

    def beside(self, other: Motion, *, prefix: str) -> Motion:
        """Combine this motion and another of the same length and frame rate into one motion of both figures."""
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
        """Split a motion of two combined figures into a motion of each; the inverse of `beside`."""
        from posewright.figures.transforms.combined import split_q

        first, second = split_q(figure, other, self.q)
        return replace(self, figure=figure, q=first), replace(self, figure=other, q=second)

    # Measurements.

    def contacts(
        self,
        sites: Sequence[str] | None = None,
        *,
        floor: Floor | float | None = None,
        settings: ContactSettings | None = None,
    ) -> Contacts:
        """Find when sites rest on the floor.

        Args:
            sites: names of sites or joints (default: heels or ankles, and toes; for other bodies, the lowest tips).
            floor: height of the floor in m, or a plane (default: estimated from where the sites stand still).
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
        """Measure the quality of the motion, on its own or compared with the motion that it was made from.

        Args:
            source: the motion that this one was made from, with the same frames. Its contacts are those to keep, and
                the report shows its values too. Without a source, the motion's own contacts count.
            sites: sites that should be where the source has them: names, or {site of the motion: site of the source}
                (default: sites whose names both figures have, or else such joints).
            feet: contact points, given in the same way (default: heels or ankles, and toes, paired by side).
            floor: height of the floor in m, or a plane (default: estimated from the source if given, else from the
                motion).
            source_floor: the floor under the source, if it differs from the motion's.
            bodies: the body parts of this motion's figure and of the source's (default: as recognised).
            transferred: the result of plain `JointMatch.transfer` of the source; likeness is judged relative to it.
            body: whether to measure self-contact and balance as well, which takes most of the time.
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
        """Write the motion to a file; the suffix selects the format. An existing file is replaced in one step.

        Args:
            path: the file to write.
            layout: for a robot's motion, the layout of another program, such as "mjlab" (`posewright.formats.layouts`).
            fps: with a layout, the frame rate to resample to, if the motion's rate does not suit the layout.
        """
        from posewright.formats import save

        save(self, path, layout=layout, fps=fps)


def require_motion(motion: object, what: str = "the motion") -> None:
    """Refuse anything but a motion, such as a path.

    Raises:
        InvalidSetting: it is not a motion.
    """
    require(motion, Motion, what, "a Motion, such as pw.motion(path)")


def require_measurable(motion: Motion, what: str = "the motion") -> None:
    """Refuse anything but a motion whose values are small enough to compute lengths from.

    Raises:
        InvalidSetting: it is not a motion.
        InvalidMotion: a value is larger than `FARTHEST`.
    """
    require_motion(motion, what)
    q = motion.q
    if q.max(initial=0.0) > FARTHEST or q.min(initial=0.0) < -FARTHEST:
        frame, dof = np.argwhere((q > FARTHEST) | (q < -FARTHEST))[0]
        raise InvalidMotion(
            f"{what} has {motion.figure.dof_names[dof]!r} at {q[frame, dof]:g} in frame {frame}; "
            f"larger values cannot be measured"
        )
