"""Motion models: the mean motion of clips of one activity, and the modes in which they vary.

All clips are brought to the same number of frames, position and heading. Their rotations become vectors in a chart
around their mean, where principal component analysis is meaningful. The model is `q = mean + x · modes` with one
coordinate `x` per mode, in standard deviations. At one or several frames this is a `Space`, so every solver can use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Literal
from weakref import ReferenceType, ref

import numpy as np
import numpy.typing as npt

from posewright.checks import as_path, read_only, require, require_list, require_number
from posewright.conventions import Array, BoolArray, IntArray
from posewright.errors import FileProblem, InvalidFigure, InvalidMotion, InvalidSetting
from posewright.figures import Figure
from posewright.figures.transforms.limits import without_limits
from posewright.kernels.tables import SLIDE
from posewright.models.alignment import (
    BallCoordinates,
    Chart,
    continuous,
    event_times,
    mean_rotations,
    same_length,
)
from posewright.models.floor_placement import FloorPlacement, brought_back, floor_places
from posewright.models.latent import Latent
from posewright.models.model_space import ModelSpace
from posewright.models.time_warping import corresponding
from posewright.motions.motion import Motion, require_motion
from posewright.problem.space import Space

_FORMAT, _VERSION = "posewright-motion-model", 1
_MOST_FRAMES = 100_000
"""Maximum number of frames of a model; more is likely a typing mistake and would fill the memory."""
_NEGLIGIBLE = 1e-9
"""Fraction of the largest deviation; smaller modes are rounding errors."""
_ROUNDING = 1e-10
"""rad, over a whole motion; clips that differ by less are copies."""
_WORTH_THREADS = 50_000_000
"""Number of multiplications below which a matrix product is faster without a library's threads."""


@dataclass(frozen=True, eq=False)
class MotionModel:
    """A motion model: a family of motions of one figure, learned from clips."""

    figure: Figure
    """Figure of the clips."""
    mean: Array
    """Mean motion (frames, dofs of `balls`), rad or m, in the chart."""
    modes: Array
    """Modes (modes, frames, dofs of `balls`), each one standard deviation long."""
    chart: Chart
    """Mean rotation of every ball joint."""
    fps: float
    """Frames per second."""
    variance_ratios: Array
    """(clips - 1,): fraction of the variance that each mode explains, including modes that were not kept."""
    events: Array
    """(events,): times at which the events of the clips were aligned, in frames of the model."""
    clips: tuple[str, ...]
    """Names of the clips that the model was fitted to."""
    clip_errors: Array
    """(clips,): largest error of a joint's rotation when a clip is encoded and decoded, rad. Fingers are left out,
    because recorded ones flip by half a turn."""

    def __post_init__(self) -> None:
        for name in ("mean", "modes", "variance_ratios", "events", "clip_errors"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def fit(
        cls,
        clips: Sequence[Motion],
        *,
        explained_variance: float = 0.98,
        frames: int | None = None,
        events: Sequence[npt.ArrayLike] | Literal["flight", "alike"] | None = None,
    ) -> MotionModel:
        """Fit a model to clips of one figure.

        Args:
            clips: one or more clips. A model of a single clip can only replay it.
            explained_variance: fraction of the variance that the kept modes must explain, above 0 and at most 1.
            frames: number of frames of the model; default: the median length of the clips.
            events: for each clip, the times (s) of events to align, such as the impact of a swing; the same number in
                each. "flight": take-off and landing, found from contacts. "alike": times at which the clips are most
                alike, found by dynamic time warping.
        """
        require_list(clips, "the clips of a model", "motions, such as [pw.motion(path)]")
        clips = list(clips)
        _check(clips, explained_variance, frames)
        figure = clips[0].figure
        balls = figure.with_balls()
        n_frames = int(np.median([len(clip) for clip in clips])) if frames is None else frames
        coordinates = BallCoordinates(figure, balls)
        own = [replace(clip, figure=balls, q=coordinates.into(clip.q)) for clip in clips]
        times = event_times(clips, events)
        phases = np.mean([one / (clip.duration or 1.0) for clip, one in zip(clips, times, strict=True)], axis=0)
        q = same_length(balls, own, n_frames, times, phases)
        q = brought_back(balls, q, floor_places(balls, q[:, :1]))
        chart = mean_rotations(balls, q)
        data = continuous(balls, _in_chart_of(balls, chart).in_chart(q))
        mean = data.mean(axis=0)
        weights = _weights(balls)
        modes, variance_ratios = _principal_modes((data - mean) * weights, explained_variance)
        model = cls(
            figure=figure,
            mean=mean,
            modes=modes / weights,
            chart=chart,
            fps=max(1, n_frames - 1) / (float(np.median([clip.duration for clip in clips])) or 1.0),
            variance_ratios=variance_ratios,
            events=phases * (n_frames - 1),
            clips=tuple(clip.name or f"clip {k + 1}" for k, clip in enumerate(clips)),
            clip_errors=np.zeros(len(clips)),
        )
        return replace(model, clip_errors=model._errors(data))

    def save(self, path: str | Path) -> None:
        """Write the model to an .npz file, which is replaced in one step."""
        from posewright.formats import figure_file
        from posewright.formats.npz.archive import write_arrays

        arrays = {
            "format": np.array(_FORMAT),
            "version": np.array(_VERSION),
            "figure": np.array(figure_file.to_json(self.figure)),
            "mean": self.mean,
            "modes": self.modes,
            "chart_joints": np.array([joint for joint, _ in self.chart], dtype=np.str_),
            "chart": np.array([wxyz for _, wxyz in self.chart]).reshape(-1, 4),
            "fps": np.array(self.fps),
            "shares": self.variance_ratios,
            "events": self.events,
            "clips": np.array(self.clips, dtype=np.str_),
            "clip_errors": self.clip_errors,
        }
        write_arrays(path, arrays)

    @classmethod
    def load(cls, path: str | Path) -> MotionModel:
        """Read a model from a file.

        Raises:
            FileProblem: the file is not a model, has another version, or its arrays are missing, broken or misshapen.
        """
        from posewright.formats import figure_file
        from posewright.formats.npz.archive import NpzArchive

        arrays = NpzArchive(as_path(path))
        arrays.require_format(_FORMAT, _VERSION, "fit the model again")
        figure = figure_file.from_json(arrays.path, arrays.text("figure"))
        n_dofs = figure.with_balls().n_dofs
        mean = arrays.numbers("mean", (None, n_dofs))
        joints, clips = arrays.texts("chart_joints"), arrays.texts("clips")
        references = arrays.numbers("chart", (len(joints), 4)).tolist()
        model = cls(
            figure=figure,
            mean=mean,
            modes=arrays.numbers("modes", (None, len(mean), n_dofs)),
            chart=tuple((joint, (w, x, y, z)) for joint, (w, x, y, z) in zip(joints, references, strict=True)),
            fps=float(arrays.numbers("fps", ())),
            variance_ratios=arrays.numbers("shares", (None,)),
            events=arrays.numbers("events", (None,)),
            clips=clips,
            clip_errors=arrays.numbers("clip_errors", (len(clips),)),
        )
        try:
            model.space([0])
        except (InvalidFigure, ValueError, KeyError) as error:
            raise FileProblem(arrays.path, f"is not a usable motion model: {error}") from error
        return model

    # What it is.

    @cached_property
    def balls(self) -> Figure:
        """The figure with its three-hinge joints as balls; the model uses its dofs."""
        return self.figure.with_balls()

    @property
    def n_modes(self) -> int:
        """Number of modes, which is the number of coordinates of a motion."""
        return len(self.modes)

    @property
    def n_frames(self) -> int:
        """Number of frames of the mean motion."""
        return len(self.mean)

    @property
    def explained_variance(self) -> float:
        """Fraction of the variance of the clips that the modes explain; 1 for copies of one clip."""
        return float(self.variance_ratios[: self.n_modes].sum()) if self.variance_ratios.any() else 1.0

    @property
    def is_full_rank(self) -> bool:
        """Whether all possible modes were kept; the model then spans its clips exactly and generalises poorly."""
        return len(self.clips) > 2 and self.n_modes == len(self.clips) - 1

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reasons not to trust the model, one sentence each."""
        found = []
        if not self.n_modes:
            found.append("the model has one clip, or copies of one, and can only replay it")
        if self.is_full_rank:
            found.append(
                f"the requested variance needs all {self.n_modes} modes that {len(self.clips)} clips can have (full "
                "rank), so the model only spans its clips; give more clips or a smaller explained_variance"
            )
        return tuple(found)

    def __repr__(self) -> str:
        explained = f"{100.0 * self.explained_variance:.4g} % of the variance of {len(self.clips)} clips"
        return f"MotionModel of {self.figure.name}: {self.n_frames} frames, {self.n_modes} modes, {explained}"

    # Motions to coordinates and back.

    def encode(self, motion: Motion, *, events: npt.ArrayLike | Literal["flight", "alike"] | None = None) -> Latent:
        """Coordinates of the model's motion nearest to `motion`, with the difference as detail.

        Args:
            motion: a motion of the model's figure; its sites may differ.
            events: times (s) in the motion that correspond to the model's events; "flight" finds take-off and landing,
                "alike" finds where the motion is like the model's mean at its events. Default: the same fractions of
                the duration as in the model.

        Raises:
            InvalidMotion: the motion has another figure, or no frames.
        """
        asked = events if events is None or isinstance(events, str) else tuple(np.ravel(events).tolist())
        known: tuple[ReferenceType[Motion], object, Latent] | None = self.__dict__.get("_last_encoded")
        if known is not None and known[0]() is motion and known[1] == asked:
            return known[2]
        require_motion(motion)
        if not self.figure.moves_like(motion.figure):
            raise InvalidMotion(
                f"the motion is of figure {motion.figure.name!r}; the model is of {self.figure.name!r}: "
                "retarget the motion to that figure first"
            )
        own = replace(motion, figure=self.balls, q=self._ball_coordinates.into(motion.q))
        times = self._event_times(motion, events)
        placement = FloorPlacement.of(self.balls, own.q[0])
        q = same_length(self.balls, [own], self.n_frames, [times], self._event_phases)[0]
        q = self._from_world(placement, q)
        same = len(own) == self.n_frames and not len(times)
        ends = [0.0, *times, motion.duration or 1.0]
        phases = np.interp(motion.times, ends, [0.0, *self.events, self.n_frames - 1.0])
        latent = Latent(self._coordinates(q), self._frames if same else phases, placement, motion.fps)
        latent = replace(latent, detail=(q if same else self._from_world(placement, own.q)) - self._in_chart(latent))
        self.__dict__["_last_encoded"] = ref(motion), asked, latent  # a drag encodes the same motion again and again
        return latent

    def decode(self, latent: Latent, *, name: str = "") -> Motion:
        """The motion with given coordinates, on the figure of the clips."""
        require(latent, Latent, "what is decoded", "a Latent, such as model.encode(motion)")
        q = latent.placement.out_of_chart(self._vectors, self._in_chart(latent))
        return Motion(self.figure, self._ball_coordinates.back(q), latent.fps, name)

    def explained(self, latent: Latent, motion: Motion) -> Latent:
        """The same coordinates with detail such that they decode to `motion`, which must have as many frames."""
        plain = replace(latent, detail=None)
        own = self._from_world(latent.placement, self._ball_coordinates.into(motion.q))
        return replace(plain, detail=own - self._in_chart(plain))

    # As spaces.

    def around(
        self,
        motion: Motion,
        *,
        events: npt.ArrayLike | Literal["flight", "alike"] | None = None,
        keep_detail: bool = True,
        limits: bool = False,
        max_deviation: float | None = None,
    ) -> ModelSpace:
        """The space of the model's motions around a motion, for a `MotionProblem`.

        Args:
            motion: a motion of the model's figure; goals may be about any of its sites.
            events: times (s) in the motion that correspond to the model's events; see `encode`.
            keep_detail: whether to keep the part of the motion that the model cannot express.
            limits: whether the figure's limits hold at frames with goals; otherwise only the model restricts poses.
            max_deviation: how many standard deviations a mode may be from the mean, unless the motion itself is
                further away. Default: any number, but 6 in frames that have their own coordinates.
        """
        if max_deviation is not None:
            require_number(max_deviation, "max_deviation", above=0.0, unit="standard deviations")
        latent = self.encode(motion, events=events)
        latent = latent if keep_detail else replace(latent, detail=None)
        return ModelSpace(
            self._with_sites_of(motion.figure), latent, name=motion.name, limits=limits, max_deviation=max_deviation
        )

    def space(self, phases: Sequence[float], *, detail: Array | None = None) -> Space:
        """The space of poses of `balls` at some phases of the model's motions, which share their coordinates.

        These motions begin at the origin; those of `around` begin where a given motion does.

        Args:
            phases: times in frames of the model; poses between frames are interpolated.
            detail: values (phases, dofs) to add, rad or m.
        """
        require_list(phases, "phases", "frames of the model")
        for phase in phases:
            require_number(phase, "a phase", at_least=0.0, at_most=self.n_frames - 1, unit="frames of the model")
        mean, maps = self.at(np.asarray(phases, dtype=np.float64))
        if detail is not None and np.shape(detail) != mean.shape:
            raise InvalidSetting(f"detail has shape {np.shape(detail)}; it must be {mean.shape}: moments, dofs")
        return Space(self.unlimited, self.mode_names, maps, mean if detail is None else mean + detail, self.chart)

    @property
    def mode_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(f"mode {j + 1}" for j in range(self.n_modes))

    @cached_property
    def unlimited(self) -> Figure:
        """`balls` without limits."""
        return without_limits(self.balls)

    def at(self, phases: Array) -> tuple[Array, Array]:
        """Mean (phases, dofs) and map from x (phases, dofs, modes) at phases (phases,), in the chart."""
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

    def _with_sites_of(self, figure: Figure) -> MotionModel:
        """The same model with the sites of another figure that moves like its own."""
        if figure.sites == self.figure.sites:
            return self
        known: MotionModel | None = self.__dict__.get("_with_other_sites")
        if known is None or known.figure.sites != figure.sites:
            known = replace(self, figure=replace(self.figure, sites=figure.sites))
            self.__dict__["_with_other_sites"] = known  # a drag asks again and again
        return known

    @cached_property
    def _ball_coordinates(self) -> BallCoordinates:
        return BallCoordinates(self.figure, self.balls)

    @cached_property
    def _vectors(self) -> Space:
        return _in_chart_of(self.balls, self.chart)

    @cached_property
    def _weights(self) -> Array:
        return _weights(self.balls)

    def _coordinates(self, q: Array) -> Array:
        """Project motions (..., frames, dofs) in the chart onto the modes, which are orthogonal when weighted."""
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
        """Convert a motion (frames, dofs) of `balls` to the chart, moved to the origin."""
        return continuous(self.balls, placement.into_chart(self._vectors, q), near=self.mean)

    def _in_chart(self, latent: Latent) -> Array:
        """The motion (frames, dofs) with given coordinates, in the chart, at the origin."""
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
        """For each phase, the frames before and after it, and its fraction (phases, 1) between them."""
        before: IntArray = np.clip(phases.astype(np.int64), 0, max(0, self.n_frames - 2))
        return before, np.minimum(before + 1, self.n_frames - 1), (phases - before)[:, None]

    @cached_property
    def _frames(self) -> Array:
        """(frames,): phases of a motion with as many frames as the model."""
        return read_only(np.arange(self.n_frames))

    @cached_property
    def _maps(self) -> Array:
        """(frames, dofs, modes)"""
        return np.ascontiguousarray(np.moveaxis(self.modes, 0, 2))

    def _errors(self, q: Array) -> Array:
        """Largest errors (motions,), rad, of motions (motions, frames, dofs) in the chart without detail."""
        modes = self.modes.reshape(self.n_modes, self.mean.size)
        expressed = self.mean + (self._coordinates(q) @ modes).reshape(q.shape)
        captured = np.isin(self.balls.tables.dofs["joint"], self.balls.anatomy.captured)
        errors: Array = np.abs(expressed - q)[..., captured & ~_is_slide(self.balls)].max(axis=(1, 2), initial=0.0)
        return errors

    @property
    def _event_phases(self) -> Array:
        """Times of the events as fractions of the duration."""
        phases: Array = self.events / max(1, self.n_frames - 1)
        return phases

    def _event_times(self, motion: Motion, events: npt.ArrayLike | Literal["flight", "alike"] | None) -> Array:
        """Times of the events in a motion, s."""
        if events is None or (events == "alike" and not len(self.events)):
            return self._event_phases * motion.duration
        if isinstance(events, str) and events == "alike":
            mean = self.decode(
                Latent(np.zeros(self.n_modes), self._frames, FloorPlacement.of(self.balls, self.balls.rest), self.fps)
            )
            return corresponding(motion, mean, self.events / self.fps)
        found = event_times([motion], events if isinstance(events, str) else [events])[0]
        if len(found) != len(self.events):
            raise InvalidSetting(f"{len(found)} events were given; the model was fitted with {len(self.events)}")
        return found


def _check(clips: Sequence[Motion], explained_variance: float, frames: int | None) -> None:
    if not clips:
        raise InvalidMotion("a motion model needs clips; there are none")
    for clip in clips:
        require_motion(clip, "a clip of a model")
        if not clips[0].figure.moves_like(clip.figure):
            raise InvalidMotion(
                f"clip {clip.name!r} is of figure {clip.figure.name!r} and clip {clips[0].name!r} of "
                f"{clips[0].figure.name!r}; a model is fitted on clips of one figure: retarget them to it first"
            )
        if not len(clip):
            raise InvalidMotion(f"clip {clip.name!r} has no frames")
    accepted = "above 0 and at most 1, such as 0.98"
    require_number(explained_variance, "explained_variance", accepted, lambda value: 0.0 < value <= 1.0)
    if frames is not None:
        require(frames, Integral, "frames", "a whole number, at least 1")
        accepted = f"at least 1 and at most {_MOST_FRAMES:,}"
        require_number(frames, "frames", accepted, lambda value: 1 <= value <= _MOST_FRAMES)


def _principal_modes(deviations: Array, explained_variance: float) -> tuple[Array, Array]:
    """The modes that explain a given fraction of the variance.

    Args:
        deviations: weighted deviations (clips, frames, dofs) from the mean.
        explained_variance: above 0 and at most 1.

    Returns:
        Modes (modes, frames, dofs), each one standard deviation long, and the fraction of the variance that each
        possible mode explains (clips - 1,).
    """
    from scipy.linalg import eigh  # slow to import, needed here only

    n = len(deviations)
    rows = deviations.reshape(n, -1)
    large = n * rows.size > _WORTH_THREADS
    # Few rows, long ones: their products are far quicker to decompose. Measuring the rotated rows themselves, and not
    # by the root of an eigenvalue, keeps small modes exact.
    products = rows @ rows.T if large else np.einsum("id,jd->ij", rows, rows)
    turn = eigh(products, driver="evr")[1][:, ::-1]  # the driver in which threads wait for each other the least
    along = turn.T @ rows if large else np.einsum("ki,kd->id", turn, rows)
    deviation = (np.linalg.norm(along, axis=1) / np.sqrt(max(1, n - 1)))[: n - 1]
    total = float((deviation**2).sum())
    if total <= _ROUNDING**2:
        return np.zeros((0, *deviations.shape[1:])), np.zeros(len(deviation))
    ratios: Array = deviation**2 / total
    real = int((deviation > _NEGLIGIBLE * deviation[0]).sum())
    enough = int(np.searchsorted(np.cumsum(ratios), explained_variance * (1.0 - 1e-12))) + 1
    kept = min(enough, real)
    modes: Array = (along[:kept] / np.sqrt(max(1, n - 1))).reshape(kept, *deviations.shape[1:])
    return modes, ratios


def _in_chart_of(figure: Figure, chart: Chart) -> Space:
    """The space of all poses with rotation vectors in a chart."""
    return Space.of(figure).with_chart(dict(chart))


def _weights(figure: Figure) -> Array:
    """Weights (dofs,): a slide by the figure's height counts as much as a radian."""
    return np.where(_is_slide(figure), 1.0 / figure.height, 1.0)


def _is_slide(figure: Figure) -> BoolArray:
    slides: BoolArray = figure.tables.dofs["kind"] == SLIDE
    return slides
