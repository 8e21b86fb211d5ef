"""Films and sheets of motions: frames in sequence, several moments in one picture, or a table of moments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import cycle

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures.kinematics import joint_frames
from posewright.figures.vectors import vector
from posewright.motions import Motion
from posewright.motions.smoothing import gaussian
from posewright.report.camera import DIRECTIONS, Camera, Direction, Extent
from posewright.report.image_files import labelled
from posewright.report.picture import Picture, render
from posewright.report.scene import PALETTE, Ground, Mark, Scene, SceneBody

FRAMING_SAMPLES = 48
"""Number of moments used to place the camera."""
FOLLOW_SECONDS = 0.4
"""Smoothness of a following camera (s, standard deviation of its average over time)."""


@dataclass(frozen=True, kw_only=True)
class Film:
    """Motions that play together from their first frames, and how they are shown."""

    motions: tuple[Motion, ...]
    direction: Direction = DIRECTIONS["three-quarter"]
    width: int = 640
    """pixels"""
    height: int = 480
    fps: float | None = None
    """Frames per second of the film; None: those of the first motion, at most 30."""
    follow: bool = False
    """Whether the camera follows the root of the first motion."""
    colours: tuple[str, ...] = tuple(PALETTE)[:8]
    """One colour per motion, repeated in turn."""
    marks: tuple[Mark, ...] = ()
    ground: Ground | None = field(default_factory=Ground)
    threads: int = 0
    """Number of threads per picture; 0: one per processor."""

    def __post_init__(self) -> None:
        if not self.motions or not all(len(motion) for motion in self.motions):
            raise InvalidSetting("a film needs at least one motion, and every motion at least one frame")
        if self.fps is not None and not self.fps > 0.0:
            raise InvalidSetting(f"frame rate of a film is {self.fps:g}; it must be positive")

    @property
    def rate(self) -> float:
        """Frames per second."""
        return self.fps or min(self.motions[0].fps, 30.0)

    @property
    def duration(self) -> float:
        """Seconds from the first to the last moment."""
        return max(motion.duration for motion in self.motions)

    @cached_property
    def times(self) -> Array:
        """(pictures,), s"""
        times: Array = np.arange(int(self.duration * self.rate + 1e-6) + 1) / self.rate
        return times

    def __len__(self) -> int:
        """Number of pictures."""
        return len(self.times)

    def pictures(self) -> Iterator[Picture]:
        """The pictures one by one, from a camera that sees the whole film or follows it."""
        camera = self._extent(self.follow).camera(self.direction, aspect=self.width / self.height)
        for time in map(float, self.times):
            seen_from = camera.moved(self._travel_at(time)) if self.follow else camera
            yield self._render(self.scene(time), seen_from)

    def picture(self, time: float) -> Picture:
        """One moment (s), framed on its own."""
        return self._render(self.scene(time), self.direction)

    def strip(self, n_moments: int = 6) -> Picture:
        """Moments in one picture: the last one solid, those before it ghosts that fade into the past.

        A motion that stays in its place is spread sideways.
        """
        if n_moments < 1:
            raise InvalidSetting(f"a strip of {n_moments} moments; it needs at least one")
        times = self._moments(n_moments) if n_moments > 1 else np.array([self.duration])
        step = self.spread(times)
        bodies: list[SceneBody] = []
        for k, time in enumerate(map(float, times)):
            opacity = 1.0 if k == n_moments - 1 else 0.30 + 0.45 * k / n_moments
            bodies += self._bodies(time, opacity, (k - n_moments + 1) * step)
        return self._render(Scene(bodies=tuple(bodies), marks=self.marks, ground=self.floor), self.direction)

    def sheet(self, *, columns: int = 4, rows: int = 3, labels: bool = True) -> Picture:
        """A table of moments in reading order, from a following camera, labelled with frame and time."""
        if not (1 <= columns <= self.width and 1 <= rows <= self.height):
            raise InvalidSetting(
                f"a sheet of {columns} x {rows} moments in {self.width}x{self.height} pixels; "
                "it needs at least one moment each way and a pixel for each"
            )
        width, height = self.width // columns, self.height // rows
        sheet = np.full((rows * height, columns * width, 3), 255, dtype=np.uint8)
        camera = self._extent(True).camera(self.direction, aspect=width / height)
        for k, time in enumerate(map(float, self._moments(columns * rows))):
            picture = self._render(self.scene(time), camera.moved(self._travel_at(time)), width, height)
            if labels:
                picture = labelled(picture, f"{self._frame_at(self.motions[0], time)} · {time:.2f} s")
            top, left = height * (k // columns), width * (k % columns)
            sheet[top + (top > 0) : top + height, left + (left > 0) : left + width] = picture[top > 0 :, left > 0 :]
        return sheet

    def scene(self, time: float) -> Scene:
        """The scene at a moment (s); a motion that has ended stays in its last pose."""
        return Scene(bodies=tuple(self._bodies(time, 1.0, np.zeros(3))), marks=self.marks, ground=self.floor)

    def _render(self, scene: Scene, camera: Camera | Direction, width: int = 0, height: int = 0) -> Picture:
        return render(scene, width or self.width, height or self.height, camera=camera, threads=self.threads)

    def _bodies(self, time: float, opacity: float, offset: Array) -> list[SceneBody]:
        place = vector(offset)
        return [
            SceneBody(pose=motion.pose(self._frame_at(motion, time)), colour=colour, opacity=opacity, offset=place)
            for motion, colour in zip(self.motions, cycle(self.colours), strict=False)
        ]

    @staticmethod
    def _frame_at(motion: Motion, time: float) -> int:
        return min(len(motion) - 1, round(time * motion.fps))

    def _moments(self, n: int) -> Array:
        moments: Array = np.linspace(0.0, self.duration, n)
        return moments

    def _extent(self, follow: bool) -> Extent:
        """The space occupied by the whole film, seen from a fixed place or from beside the first motion."""
        scenes = []
        for time in map(float, self._moments(min(FRAMING_SAMPLES, len(self)))):
            away = -self._travel_at(time) if follow else np.zeros(3)
            scenes.append(Scene(bodies=tuple(self._bodies(time, 1.0, away)), marks=() if follow else self.marks))
        return Extent.of(*scenes)

    @cached_property
    def floor(self) -> Ground | None:
        """The ground, at one height for the whole film."""
        if self.ground is None or self.ground.height is not None:
            return self.ground
        return replace(self.ground, height=self._extent(False).floor())

    @cached_property
    def _travel(self) -> Array:
        """(frames, 3), m: the root of the first motion projected on the floor, smoothed over time."""
        motion = self.motions[0]
        path = joint_frames(motion.figure, motion.q).positions[:, 0] * np.array([1.0, 0.0, 1.0])
        return gaussian(path, FOLLOW_SECONDS * motion.fps)

    def _travel_at(self, time: float) -> Array:
        place: Array = self._travel[self._frame_at(self.motions[0], time)]
        return place

    def spread(self, times: Array) -> Array:
        """(3,), m: offset from one moment (s) to the next that places them side by side in the picture."""
        right = np.array(self._extent(True).camera(self.direction, aspect=self.width / self.height).right)
        ends = np.array([self._ends(float(time), right) for time in times])  # of each moment, to the left and right
        wide = float(ends[:, 1].max() - ends[:, 0].min())
        travelled = float((self._travel[-1] - self._travel[0]) @ right) / max(1, len(times) - 1)
        if abs(travelled) > 0.2 * wide:
            return np.zeros(3)
        before, after = ends[:-1], ends[1:]
        if travelled < -0.02 * wide:  # as it goes, else from left to right
            wanted = -float((after[:, 1] - before[:, 0]).max(initial=0.0))
        else:
            wanted = float((before[:, 1] - after[:, 0]).max(initial=0.0))
        spread: Array = (wanted - travelled) * right
        return spread

    def _ends(self, time: float, right: Array) -> tuple[float, float]:
        """m: extent to the left and right of the first motion at a moment."""
        extent = Extent.of(Scene(bodies=tuple(self._bodies(time, 1.0, -self._travel_at(time)))))
        across = extent.centres @ right
        return float((across - extent.radii).min()), float((across + extent.radii).max())
