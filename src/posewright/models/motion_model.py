"""Motion models: what the clips of one activity have in common, as a mean motion and its few ways to vary.

Every clip is brought to the same number of frames, place and heading; its rotations become vectors in a chart around
their mean, so that principal component analysis means something; what remains is `q = mean + x · modes`, one number
`x` per mode, in standard deviations. At any frame, or at several, that is a `Space`: every solver works in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Literal
from weakref import ReferenceType, ref

import numpy as np
import numpy.typing as npt

from posewright.checks import require, require_list, require_number
from posewright.conventions import Array, IntArray
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure, Pose
from posewright.figures.pose import read_only
from posewright.figures.transforms.limits import without_limits
from posewright.models.as_balls import AsBalls
from posewright.models.contact_events import flight_events
from posewright.models.floor_placement import FloorPlacement, brought_back, floor_places
from posewright.models.latent import Latent
from posewright.models.normalising import (
    Chart,
    charted,
    checked_events,
    continuous,
    mean_rotations,
    same_length,
    shared_phases,
)
from posewright.models.principal_modes import principal_modes
from posewright.motions.motion import Motion, require_motion
from posewright.problem.space import Space

_MOST_FRAMES = 100_000
"""Of a model; a longer pattern is a slip of the keyboard, and would fill the memory."""


@dataclass(frozen=True, eq=False)
class MotionModel:
    """A family of motions of one figure."""

    figure: Figure
    """Of the clips."""
    mean: Array
    """(frames, dofs of `balls`), rad and m, in the chart"""
    modes: Array
    """(modes, frames, dofs of `balls`): one standard deviation of each"""
    chart: Chart
    """Mean rotation of every ball joint."""
    fps: float
    shares: Array
    """(clips - 1,) of the variance, mode by mode, kept or not"""
    events: Array
    """(events,): phases of the moments that were made to coincide, in frames of the model"""
    clips: tuple[str, ...]
    """Names of those it was fitted on."""
    clip_errors: Array
    """(clips,), rad: the largest error of a joint's rotation when a clip is encoded and decoded"""

    def __post_init__(self) -> None:
        for name in ("mean", "modes", "shares", "events", "clip_errors"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def fit(
        cls,
        clips: Sequence[Motion],
        *,
        share: float = 0.98,
        frames: int | None = None,
        events: Sequence[npt.ArrayLike] | Literal["flight"] | None = None,
    ) -> MotionModel:
        """Learn from clips of one figure.

        Args:
            clips: at least one; one alone gives a model that can only replay it.
            share: of the variance that the modes kept must explain, above 0 and at most 1.
            frames: of the model; by default the median length of the clips.
            events: per clip the moments (s) that shall coincide, such as the impact of a swing; as many in each.
                "flight": take-off and landing, found by the contacts of each clip.
        """
        require_list(clips, "the clips of a model", "motions, such as [pw.motion(path)]")
        clips = list(clips)
        _check(clips, share, frames)
        figure = clips[0].figure
        balls = figure.with_balls()
        n_frames = int(np.median([len(clip) for clip in clips])) if frames is None else frames
        as_balls = AsBalls(figure, balls)
        own = [replace(clip, figure=balls, q=as_balls.into(clip.q)) for clip in clips]
        given = [flight_events(clip) for clip in clips] if _are_flights(events) else events
        moments = checked_events(clips, given)
        phases = shared_phases(clips, moments)
        q = same_length(balls, own, n_frames, moments, phases)
        q = brought_back(balls, q, floor_places(balls, q[:, :1]))
        chart = mean_rotations(balls, q)
        data = continuous(balls, charted(balls, chart).in_chart(q))
        mean = data.mean(axis=0)
        weights = _weights(balls)
        modes, shares = principal_modes((data - mean) * weights, share)
        durations = [clip.duration for clip in clips]
        model = cls(
            figure=figure,
            mean=mean,
            modes=modes / weights,
            chart=chart,
            fps=max(1, n_frames - 1) / (float(np.median(durations)) or 1.0),
            shares=shares,
            events=phases * (n_frames - 1),
            clips=tuple(clip.name or f"clip {k + 1}" for k, clip in enumerate(clips)),
            clip_errors=np.zeros(len(clips)),
        )
        return replace(model, clip_errors=model._errors(data))

    # What it is.

    @cached_property
    def balls(self) -> Figure:
        """The figure with three-hinge joints as balls: its coordinates are what the model speaks of."""
        return self.figure.with_balls()

    @property
    def n_modes(self) -> int:
        """How many numbers describe a motion."""
        return len(self.modes)

    @property
    def n_frames(self) -> int:
        """Of the mean motion."""
        return len(self.mean)

    @property
    def share(self) -> float:
        """Of the variance of the clips that the modes explain; 1 for copies of one clip."""
        return float(self.shares[: self.n_modes].sum()) if self.shares.any() else 1.0

    @property
    def is_full_rank(self) -> bool:
        """Whether no mode was left out: the model then just spans its clips and has learned no pattern."""
        return len(self.clips) > 2 and self.n_modes == len(self.clips) - 1

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting it, a sentence each."""
        found = []
        if not self.n_modes:
            found.append("the clips are one, or copies of one: the model can only replay it")
        if self.is_full_rank:
            found.append(
                f"the share asked needs all {self.n_modes} modes that {len(self.clips)} clips can have (full rank): "
                "the model just spans its clips; give more clips or a smaller share"
            )
        return tuple(found)

    def __repr__(self) -> str:
        said = f"{self.n_modes} modes, {100.0 * self.share:.4g} % of the variance of {len(self.clips)} clips"
        return f"MotionModel of {self.figure.name}: {self.n_frames} frames, {said}"

    # Motions to coordinates and back.

    def encode(self, motion: Motion, *, events: npt.ArrayLike | Literal["flight"] | None = None) -> Latent:
        """The coordinates whose motion is nearest to `motion`, with what they cannot say as detail.

        Args:
            motion: of a figure like the model's.
            events: the moments (s) that correspond to the model's events, or "flight" to find take-off and landing;
                by default they are where the model has them, at the same share of the duration.

        Raises:
            InvalidMotion: another figure, or no frames.
        """
        asked = events if events is None or isinstance(events, str) else tuple(np.ravel(events).tolist())
        known: tuple[ReferenceType[Motion], object, Latent] | None = self.__dict__.get("_last_encoded")
        if known is not None and known[0]() is motion and known[1] == asked:
            return known[2]
        require_motion(motion)
        if not self.figure.is_like(motion.figure):
            raise InvalidMotion(
                f"the motion is of figure {motion.figure.name!r}; the model speaks of {self.figure.name!r}, "
                "joint by joint: retarget the motion to that figure first"
            )
        own = replace(motion, figure=self.balls, q=self._as_balls.into(motion.q))
        moments = self._moments(motion, events)
        placement = FloorPlacement.of(self.balls, own.q[0])
        q = same_length(self.balls, [own], self.n_frames, [moments], self._event_shares)[0]
        q = self._from_world(placement, q)
        same = len(own) == self.n_frames and not len(moments)
        ends = [0.0, *moments, motion.duration or 1.0]
        phases = np.interp(motion.times, ends, [0.0, *self.events, self.n_frames - 1.0])
        latent = Latent(self._coordinates(q), self._frames if same else phases, placement, motion.fps)
        latent = replace(latent, detail=(q if same else self._from_world(placement, own.q)) - self._in_chart(latent))
        self.__dict__["_last_encoded"] = ref(motion), asked, latent  # who drags a motion encodes it again and again
        return latent

    def decode(self, latent: Latent, *, name: str = "") -> Motion:
        """The motion of some coordinates, on the figure of the clips."""
        require(latent, Latent, "what is decoded", "a Latent, such as model.encode(motion)")
        q = latent.placement.out_of_chart(self._vectors, self._in_chart(latent))
        return Motion(self.figure, self._as_balls.back(q), latent.fps, name)

    def explained(self, latent: Latent, motion: Motion) -> Latent:
        """The same coordinates with the detail that makes them `motion`, which has as many frames."""
        require(latent, Latent, "what is explained", "a Latent, such as model.encode(motion)")
        require_motion(motion)
        plain = replace(latent, detail=None)
        own = self._from_world(latent.placement, self._as_balls.into(motion.q))
        return replace(plain, detail=own - self._in_chart(plain))

    def pose(self, frame: int, x: Array) -> Pose:
        """One frame of the model's motion with coordinates `x` (modes,), at the origin, on the figure with balls."""
        given = read_only(x, "x")
        if given.shape != (self.n_modes,):
            raise InvalidSetting(f"x has shape {given.shape}; it must be ({self.n_modes},), a number per mode")
        return Pose(self.balls, self.space([frame]).decode(given))

    def space(
        self,
        phases: Sequence[float],
        *,
        placement: FloorPlacement | None = None,
        detail: Array | None = None,
        limits: bool = False,
    ) -> Space:
        """The poses of the figure (with balls) at some moments of the model's motions, driven by the same coordinates.

        Args:
            phases: in frames of the model; between two frames the motion is interpolated.
            placement: where the figure stands, by default at the origin.
            detail: (moments, dofs) to be added, rad and m.
            limits: whether the figure's limits hold at these moments; otherwise the pattern alone says what is
                possible.
        """
        require_list(phases, "phases", "frames of the model")
        for phase in phases:
            require_number(phase, "a phase", "a number of frames of the model")
            if not 0.0 <= phase <= self.n_frames - 1:
                raise InvalidSetting(f"phase {phase:g} is outside the model's frames 0 to {self.n_frames - 1}")
        figure = self.balls if limits else self._unlimited
        if placement is not None:
            figure = placement.of_figure(figure)
        mean, maps = self.at(np.asarray(phases, dtype=np.float64))
        if detail is not None and np.shape(detail) != mean.shape:
            raise InvalidSetting(f"detail has shape {np.shape(detail)}; it must be {mean.shape}: moments, dofs")
        offset = mean if detail is None else mean + detail
        names = tuple(f"mode {j + 1}" for j in range(self.n_modes))
        return Space(figure, names, maps, offset, self.chart)

    def at(self, phases: Array) -> tuple[Array, Array]:
        """The mean (moments, dofs) and the map from x (moments, dofs, modes) at phases (moments,), in the chart."""
        before, after, share = self._between(phases)
        mean: Array = self.mean[before]
        maps: Array = self._maps[before]
        if share.any():
            mean = mean + share * (self.mean[after] - mean)
            step = self._maps[after]
            step -= maps
            step *= share[..., None]
            maps += step
        return mean, maps

    # Inside.

    @cached_property
    def _unlimited(self) -> Figure:
        return without_limits(self.balls)

    @cached_property
    def _as_balls(self) -> AsBalls:
        return AsBalls(self.figure, self.balls)

    @cached_property
    def _vectors(self) -> Space:
        return charted(self.balls, self.chart)

    @cached_property
    def _weights(self) -> Array:
        return _weights(self.balls)

    def _coordinates(self, q: Array) -> Array:
        """Of motions (..., frames, dofs) in the chart: projections on the modes, which are orthogonal when weighted."""
        deviations = (q - self.mean).reshape(*q.shape[:-2], self.mean.size)
        x: Array = np.einsum("...d,jd->...j", deviations, self._projection)  # too small for threads of a product
        return x

    @cached_property
    def _projection(self) -> Array:
        """(modes, frames x dofs)"""
        modes = (self.modes * self._weights).reshape(self.n_modes, self.mean.size)
        squares = np.maximum((modes**2).sum(axis=1), 1e-300)
        projection: Array = np.tile(self._weights, self.n_frames) * modes / squares[:, None]
        return projection

    def _from_world(self, placement: FloorPlacement, q: Array) -> Array:
        """A motion (frames, dofs) of `balls` that stands somewhere, in the chart and at the origin."""
        return continuous(self.balls, placement.into_chart(self._vectors, q), near=self.mean)

    def _in_chart(self, latent: Latent) -> Array:
        """The motion (frames, dofs) of some coordinates, in the chart, at the origin."""
        if latent.x.ndim == 1:
            q: Array = np.einsum("j,jkd->kd", latent.x, self.modes)
            q += self.mean
            if latent.phases is not self._frames:
                before, after, share = self._between(latent.phases)
                q = q[before] + share * (q[after] - q[before])
        else:
            before, after, share = self._between(latent.phases)
            q = self.mean[before] + np.einsum("kj,kdj->kd", latent.x, self._maps[before])
            if share.any():
                q += share * (self.mean[after] + np.einsum("kj,kdj->kd", latent.x, self._maps[after]) - q)
        return q if latent.detail is None else q + latent.detail

    def _between(self, phases: Array) -> tuple[IntArray, IntArray, Array]:
        """The frames before and after moments, and how far (moments, 1) these are on the way."""
        before: IntArray = np.clip(phases.astype(np.int64), 0, max(0, self.n_frames - 2))
        return before, np.minimum(before + 1, self.n_frames - 1), (phases - before)[:, None]

    @cached_property
    def _frames(self) -> Array:
        """(frames,): the phases of a motion as long as the model"""
        return read_only(np.arange(self.n_frames))

    @cached_property
    def _maps(self) -> Array:
        """(frames, dofs, modes)"""
        return np.ascontiguousarray(np.moveaxis(self.modes, 0, 2))

    def _errors(self, q: Array) -> Array:
        """(motions,), rad: of motions (motions, frames, dofs) in the chart, when they are said by the modes alone."""
        modes = self.modes.reshape(self.n_modes, self.mean.size)
        said = self.mean + (self._coordinates(q) @ modes).reshape(q.shape)
        errors: Array = np.abs(said - q)[..., ~_is_slide(self.balls)].max(axis=(1, 2), initial=0.0)
        return errors

    @property
    def _event_shares(self) -> Array:
        shares: Array = self.events / max(1, self.n_frames - 1)
        return shares

    def _moments(self, motion: Motion, events: npt.ArrayLike | Literal["flight"] | None) -> Array:
        if events is None:
            return self._event_shares * motion.duration
        found = checked_events([motion], [flight_events(motion) if _are_flights(events) else events])[0]
        if len(found) != len(self.events):
            raise InvalidSetting(f"{len(found)} events were given; the model was fitted with {len(self.events)}")
        return found


def require_model(model: object) -> None:
    """Refuse what is no model, such as the path of one.

    Raises:
        InvalidSetting: it is something else.
    """
    require(model, MotionModel, "the model", "a MotionModel, such as load_model(path)")


def _check(clips: Sequence[Motion], share: float, frames: int | None) -> None:
    if not clips:
        raise InvalidMotion("a motion model needs clips; there are none")
    for clip in clips:
        require_motion(clip, "a clip of a model")
        if not clips[0].figure.is_like(clip.figure):
            raise InvalidMotion(
                f"clip {clip.name!r} is of figure {clip.figure.name!r} and clip {clips[0].name!r} of "
                f"{clips[0].figure.name!r}; a model is fitted on clips of one figure: retarget them to it first"
            )
        if not len(clip):
            raise InvalidMotion(f"clip {clip.name!r} has no frames")
    require_number(share, "share", "above 0 and at most 1, such as 0.98")
    if not 0.0 < share <= 1.0:
        raise InvalidSetting(f"share is {share:g}; it must be above 0 and at most 1, such as 0.98")
    if frames is not None:
        require(frames, Integral, "frames", "a whole number, at least 1")
    if frames is not None and not 1 <= frames <= _MOST_FRAMES:
        raise InvalidSetting(f"frames is {frames}; it must be at least 1 and at most {_MOST_FRAMES:,}")


def _are_flights(events: object) -> bool:
    if isinstance(events, str) and events != "flight":
        raise InvalidSetting(f"events is {events!r}; it must be 'flight', or moments in seconds")
    return isinstance(events, str)


def _weights(figure: Figure) -> Array:
    """(dofs,): a slide over the figure's height counts as much as a radian."""
    return np.where(_is_slide(figure), 1.0 / figure.height, 1.0)


def _is_slide(figure: Figure) -> npt.NDArray[np.bool_]:
    slides = np.zeros(figure.n_dofs, dtype=np.bool_)
    for k, joint in enumerate(figure.joints):
        start = figure.dof_slice(k).start
        slides[start : start + len(joint.slides)] = True
    return slides
