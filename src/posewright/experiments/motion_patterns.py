"""Editing inside learned motion patterns (Carvalho, Boulic & Thalmann 2009): experiments 4-A to 4-F."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

import numpy as np

import posewright as pw
from posewright.clips.clip import Clip
from posewright.conventions import Array, BoolArray
from posewright.experiments.clip_sets import IMPACT, JUMPS, STEEP, a_jump, jumps, reach_to, reaches, swing, swings
from posewright.experiments.experiment import Outcome, experiment, seconds_in_turns
from posewright.experiments.pattern_families import Family, families, learned_from, source_and_truth
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.figures.transforms.limits import admitting
from posewright.figures.vectors import vector
from posewright.models import Latent
from posewright.motions.quality.measures import acceleration_peak
from posewright.report.picture import Picture
from posewright.report.result_pictures import edit_picture
from posewright.workflows.editing.edit import JOINT_SOLVER
from posewright.workflows.editing.in_model import PATTERN_SOLVER

_RISE = 0.1
_JUMPS_EXPLAINED = 0.99
"""The paper's 95 % are 5 modes of generated jumps, too few for feet that stay (30 in the paper, of recorded jumps)."""
_ROUNDING = 1e-9  # degrees


def frame_by_frame(source: pw.Motion, keys: list[pw.goals.Timed]) -> pw.MotionResult:
    """Keys met in joint space as the paper compares it: prioritized IK in every frame that a key reaches."""
    return JOINT_SOLVER.solve(pw.MotionProblem(admitting(source.figure, source.q), keys, source))


@dataclass(frozen=True, eq=False)
class Edits:
    """One edit made inside a pattern and in joint space."""

    source: pw.Motion
    keys: list[pw.goals.Timed]
    model: pw.MotionModel

    @property
    def inside(self) -> pw.workflows.EditResult:
        """In the pattern."""
        return self.both[0]

    @cached_property
    def both(self) -> tuple[pw.workflows.EditResult, pw.MotionResult]:
        """In the pattern, and in joint space, where every frame is solved by itself."""
        return pw.edit(self.source, self.keys, space=self.model), frame_by_frame(self.source, self.keys)

    def pattern_alone(self) -> pw.MotionResult:
        """What the modes do without joints."""
        return PATTERN_SOLVER.solve(pw.MotionProblem(self.model, self.keys, self.source))

    def seconds(self) -> tuple[float, ...]:
        """Median processor times: in the pattern once the motion is loaded and from the clip on, in joint space."""
        editor = pw.workflows.MotionEditor(self.source, space=self.model)
        editor.edit(self.keys)
        times = seconds_in_turns(
            lambda: editor.edit(self.keys).errors,
            lambda: pw.edit(replace(self.source), self.keys, space=self.model),  # a copy, which no model has seen
            lambda: frame_by_frame(self.source, self.keys),
            turns=2, at_once=2,
        )  # fmt: skip
        return tuple(np.median(times, axis=1).tolist())

    def strips(self) -> Picture:
        """Before and after."""
        inside, outside = (result.motion for result in self.both)
        return edit_picture(
            {"source": self.source, "inside the pattern": inside, "in joint space": outside},
            keys=self.keys, width=640, height=230, moments=5,
        )  # fmt: skip

    def judge(self, found: Outcome) -> None:
        """What every edit must keep, and what is shown of it."""
        for error in (error for result in self.both for error in result.errors.parts):
            found.require(error.reached, f"{error} is missed")
        found.note(*self.inside.remarks)
        found.draw = self.strips


def _sites(motion: pw.Motion, *names: str) -> Array:
    points: Array = site_frames(motion.figure, motion.q, names).points
    return points


def _worst(result: pw.MotionResult) -> str:
    worst = result.worst()[0]
    return f"{_mm(worst.value)}{'' if worst.reached else ', missed'}"


def _mm(metres: float) -> str:
    return f"{1e3 * metres:.2g} mm" if metres < 0.0995 else f"{1e3 * metres:.0f} mm"


@cache
def _slope_edits(seed: int, share: float = 1.0, steep: float = STEEP, tolerance: float | None = None) -> Edits:
    """A flat swing put on a slope by three goals; by default with all modes that 16 swings have."""
    model = pw.MotionModel.fit(swings(seed), explained_variance=share)
    priorities = {"left_sole": 1, "right_sole": 1, "club_head": 2}
    there = _sites(swing(steep, seed), *priorities)[IMPACT]
    keys: list[pw.goals.Timed] = [
        pw.Position(site, vector(point), priority=priority, tolerance=tolerance).at(IMPACT)
        for (site, priority), point in zip(priorities.items(), there, strict=True)
    ]
    return Edits(swing(0.0, seed), keys, model)


def _family_edits(family: Family, share: float, pair: int, seed: int) -> tuple[Edits, pw.Motion]:
    """An unseen clip whose site is put where another unseen clip has it, and that clip."""
    source, truth = source_and_truth(family, pair, seed)
    frame = round(family.moment * (len(source) - 1))
    key = pw.Position(family.site, vector(_sites(truth, family.site)[frame, 0])).at(frame)
    return Edits(source, [key], _family_model(family, share, seed, len(source))), truth


@cache
def _family_model(family: Family, share: float, seed: int, frames: int) -> pw.MotionModel:
    return pw.MotionModel.fit(learned_from(family, seed), explained_variance=share, frames=frames)


@experiment(
    "4-A",
    "A golf swing put on a steeper slope, and edits of six other kinds of motion",
    accepts="With all modes every goal is met within the default tolerance, in fewer iterations than in joint space "
    "and no further beyond limits than the source. In the median all seven end nearer to the true clip, and all but "
    "the swing slide the feet less; the swing keeps the club in both hands better, and no deeper in the ground.",
)
def slope(found: Outcome, count: int = 8) -> None:
    """Edits by models of 98 % and of full rank, beside prioritized IK in every frame that a key reaches."""
    found.columns = ("motion", "edited", "modes", "met", "worst error", "iterations", "to the true clip", "feet slide",
                     "beyond limits", "processor time")  # fmt: skip
    for family, share in found.each([(family, share) for family in (None, *families()) for share in (0.98, 1.0)]):
        pairs: list[tuple[Edits, pw.Motion]]
        if family is None:
            pairs = [(_slope_edits(found.seed, share), swing(STEEP, found.seed))]
        else:
            pairs = [_family_edits(family, share, pair, found.seed) for pair in range(count)]
        name = "swing" if family is None else family.name
        inside, outside = (_measured(pairs, which) for which in (0, 1))
        found.row(name, f"inside, {100 * share:g} %", str(pairs[0][0].model.n_modes), *inside.cells(pairs))
        if share < 1.0:
            continue
        found.row("", "in joint space", "", *outside.cells(pairs))
        found.require(inside.reached.all() and outside.reached.all(), f"{name}: the model with all modes misses a goal")
        found.require(inside.beyond.max() <= _ROUNDING, f"{name}: limits are broken by {inside.beyond.max():.2g}°")
        fewer = (inside.iterations < outside.iterations).all()
        found.require(fewer, f"{name}: not fewer iterations inside the pattern")
        near, slid = (np.median(inside.distance), np.median(outside.distance)), (inside.slide, outside.slide)
        found.require(near[0] < near[1], f"{name}: joint space ends nearer to the true clip")
        if family is not None:
            found.require(np.median(slid[0]) < np.median(slid[1]), f"{name}: the feet slide less in joint space")
        nearer = int((inside.distance < outside.distance).sum())
        found.note(f"{name}: {nearer} of {len(pairs)} end nearer to the true clip inside the pattern")
    shown = _slope_edits(found.seed)
    grips = [_grip_change(result.motion, shown.source) for result in shown.both]
    depths = [_under_ground(result.motion, STEEP) for result in shown.both]
    solves = [result.iterations for result in shown.both]
    loaded, first, joint = shown.seconds()
    found.require(grips[0] < grips[1], "the palm leaves the club further inside the pattern")
    found.require(depths[0] <= depths[1], "the club goes deeper inside the pattern")
    shown.judge(found)
    for degrees in (3.0, 5.0, 7.0, 9.0):
        other = _slope_edits(found.seed, 1.0, math.radians(degrees))
        within = _slope_edits(found.seed, 1.0, math.radians(degrees), 5e-3)
        goes = [result.iterations for result in other.both]
        assert other.inside.latent is not None
        where = f"the swing on a slope of {degrees:g} degrees"
        found.beside(
            f"{where}: worst error; iterations; from the mean",
            f"{_worst(other.inside)}; {goes[0]} against {goes[1]}; {other.inside.latent.distance:.1f} σ",
        )
        for one, words in ((other, "within the default tolerance"), (within, "within 5 mm")):
            alone = one.pattern_alone()
            assert alone.x is not None
            found.beside(
                f"{where}, by the pattern alone {words}: worst error; iterations; from the mean",
                f"{_worst(alone)}; {alone.iterations}; {np.linalg.norm(alone.x):.1f} σ",
            )
    found.note(
        f"the swing: {solves[0]} iterations against {solves[1]} (paper: 100, 13200), "
        f"{1e3 * loaded:.2f} ms with the motion loaded, {1e3 * first:.1f} ms from the clip on, against "
        f"{1e3 * joint:.1f} ms (paper: 3 s, 102 s)",
        f"its palm leaves the grip by {_mm(grips[0])} against {_mm(grips[1])}, and the club goes "
        f"{_mm(depths[0])} against {_mm(depths[1])} below the ground (paper: kept and lost; no and yes)",
        f"98 % of the variance of 16 swings are {_slope_edits(found.seed, 0.98).model.n_modes} modes; the paper's 98 % "
        "were 15, all that 16 clips can have",
        "the pattern alone would meet the last millimetres on a slope that was not learned by bending modes that hold "
        "the small differences of clips, by dozens of standard deviations; an edit leaves them to joints and says so",
        "to the true clip: mean distance of the joints, over all frames, from the clip that the goal was taken from",
        "beyond limits: the furthest that a dof is outside its limits, less what the source is",
    )


@dataclass(frozen=True, eq=False)
class _Measured:
    """What edits of one kind came to, an entry each."""

    reached: BoolArray
    error: Array
    iterations: Array
    distance: Array
    slide: Array
    beyond: Array
    which: int

    def cells(self, pairs: Sequence[tuple[Edits, pw.Motion]]) -> tuple[str, ...]:
        """Medians; of errors and limits the worst."""
        seconds = pairs[0][0].seconds()[2 * self.which]
        return (
            f"{self.reached.sum()}/{len(pairs)}", _mm(self.error.max()), f"{np.median(self.iterations):g}",
            _mm(float(np.median(self.distance))), _mm(float(np.median(self.slide))), f"{self.beyond.max():.2g}°",
            f"{1e3 * seconds:.2f} ms",
        )  # fmt: skip


def _measured(pairs: Sequence[tuple[Edits, pw.Motion]], which: int) -> _Measured:
    rows = []
    for edits, truth in pairs:
        result = edits.both[which]
        motion, source = result.motion, edits.source
        rows.append((result.reached, result.worst()[0].value, result.iterations, _distance(motion, truth),
                     _foot_slide(motion, source), _beyond_limits(motion, source)))  # fmt: skip
    reached, error, iterations, distance, slide, beyond = np.array(rows, dtype=np.float64).T
    return _Measured(reached > 0.0, error, iterations, distance, slide, beyond, which)


def _distance(motion: pw.Motion, truth: pw.Motion) -> float:
    places = (joint_positions(one.figure, one.q) for one in (motion, truth))
    return float(np.linalg.norm(np.subtract(*places), axis=-1).mean())


def _beyond_limits(motion: pw.Motion, source: pw.Motion) -> float:
    """Degrees."""
    figure = source.figure
    over = [np.maximum(figure.lower - one.q, one.q - figure.upper).max() for one in (motion, source)]
    return float(np.degrees(max(0.0, over[0] - max(0.0, over[1]))))


def _grip_change(motion: pw.Motion, source: pw.Motion) -> float:
    """m, the largest change of the distance from the trailing palm to its place on the club."""
    now, before = (_sites(one, "right_hand", "club_grip_right") for one in (motion, source))
    gaps = [np.linalg.norm(points[:, 0] - points[:, 1], axis=1) for points in (now, before)]
    return float(np.abs(gaps[0] - gaps[1]).max())


def _under_ground(motion: pw.Motion, slope: float) -> float:
    """m, how deep the club head goes below a slope through the origin."""
    up = np.array([-np.sin(slope), np.cos(slope), 0.0])
    return float(max(0.0, -(_sites(motion, "club_head")[:, 0] @ up).min()))


SHOWN_REACH, SHOWN_PATH = (0.3, 1.1, 0.45), (0.06, 0.08, 0.03)
"""m: where the reach of the picture ends, and by how much its end is moved."""


@cache
def _reach_edits(seed: int, to: tuple[float, ...] = SHOWN_REACH, moved: tuple[float, ...] = SHOWN_PATH) -> Edits:
    source = reach_to(to, seed=50 + 1000 * seed)
    track = _sites(source, "left_hand")[:, 0]
    travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(track, axis=0), axis=1))])
    knots = np.array([*range(0, 49, 3), 49])  # another end, approached as the source approaches its own
    away = (travelled / travelled[-1])[:, None] * np.array(moved)
    path = pw.motions.KochanekBartels(knots, (track + away)[knots])
    goal = pw.Position("left_hand", (0.0, 0.0, 0.0)).along(path, start=0, end=49)
    return Edits(source, [goal], pw.MotionModel.fit(reaches(seed), explained_variance=1.0))  # 15 modes, as the paper's


@experiment(
    "4-B",
    "A reach along another path",
    accepts="The hand follows its path, and the feet slide at most half as far as in joint space, in the median of the "
    "reach that the picture shows and eight others.",
)
def hand_path(found: Outcome, count: int = 8) -> None:
    """Reaches whose hand follows a path; nothing holds the feet."""
    found.columns = ("reach", "end moved by", "largest error of the hand", "mean slide of the feet inside",
                     "slide in joint space", "iterations inside", "iterations in joint space",
                     "from the mean")  # fmt: skip
    shares: list[float] = []
    for k, (to, moved) in enumerate(found.each([(SHOWN_REACH, SHOWN_PATH), *_other_reaches(found, count)])):
        edits = _reach_edits(found.seed, to, moved)
        inside, outside = edits.both
        slides = [_foot_slide(result.motion, edits.source) for result in edits.both]
        assert inside.latent is not None
        name = f"reach {k}" if k else "that of the picture"
        found.row(
            name, _mm(float(np.linalg.norm(moved))), _mm(inside.worst()[0].value), *map(_mm, slides),
            str(inside.iterations), str(outside.iterations), f"{inside.latent.distance:.1f} σ",
        )  # fmt: skip
        found.require(inside.reached, f"{name}: the hand leaves its path by {_mm(inside.worst()[0].value)}")
        shares.append(slides[0] / slides[1])
    median = float(np.median(shares))
    found.require(median <= 0.5, f"the feet slide {median:.2f} times as far as in joint space")
    found.beside(
        "slide over that in joint space: least, median, most", f"{min(shares):.2f}, {median:.2f}, {max(shares):.2f}"
    )
    found.beside(
        "reaches in which the feet slide more than half as far", f"{sum(s > 0.5 for s in shares)} of {len(shares)}"
    )
    shown = _reach_edits(found.seed)
    shown.judge(found)
    found.note("the paper says that the feet slide in joint space and not inside the pattern")


def _other_reaches(found: Outcome, count: int = 8) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """m: where other reaches end, and by how much their ends are moved."""
    random = found.random("paths")
    ends = random.uniform((0.15, 0.9, 0.4), (0.45, 1.3, 0.55), (count, 3))
    moved = random.uniform(-0.1, 0.1, (count, 3))
    return [(tuple(a), tuple(b)) for a, b in zip(ends.tolist(), moved.tolist(), strict=True)]


def _foot_slide(motion: pw.Motion, source: pw.Motion) -> float:
    """m, horizontal travel of the feet during the source's contacts, on average over sites."""
    touching = source.contacts()
    both = touching.touching[1:] & touching.touching[:-1]
    steps = np.linalg.norm(np.diff(_sites(motion, *touching.sites), axis=0)[..., [0, 2]], axis=-1)
    return float((steps * both).sum(axis=0).mean())


@cache
def _jump_model(clips: int, seed: int) -> pw.MotionModel:
    return pw.MotionModel.fit(jumps(clips, seed), explained_variance=_JUMPS_EXPLAINED, frames=26, events="flight")


def _jump_edits(clips: int, seed: int, jumped: Clip | None = None, rise: float = _RISE) -> Edits:
    source = (jumped or _shown_jump(seed)).resampled(frames=26)
    pelvis = _sites(source, "pelvis")[:, 0]
    apex = int(np.argmax(pelvis[:, 1]))
    key = pw.Position("pelvis", vector(pelvis[apex] + np.array([0.0, rise, 0.0])), tolerance=0.01 * abs(rise)).at(apex)
    return Edits(source, [key], _jump_model(clips, seed))


def _shown_jump(seed: int) -> Clip:
    return a_jump(seed=77 + 1000 * seed)


@experiment(
    "4-C",
    "A jump made higher",
    accepts="In all of 28 jumps the apex is raised within 1 %, and feet in contact are nearer the ground than in joint "
    "space.",
)
def higher_jump(found: Outcome, clips: int = JUMPS, seeds: int = 3) -> None:
    """Jumps made 10 cm higher by moving the root at the apex: one of 0.8 m, and longer, shorter, higher, lower ones."""
    found.columns = ("jump", "error of the rise inside, of 10 cm", "error in joint space",
                     "feet off the ground in contact inside, of the height", "off the ground in joint space",
                     "from the mean")  # fmt: skip
    lengths, heights = (0.5, 0.8, 1.1), (0.15, 0.2, 0.25)
    others = [a_jump(a, b, 1000 * found.seed + 200 + k) for a in lengths for b in heights for k in range(seeds)]
    off = []
    for k, jumped in enumerate(found.each([_shown_jump(found.seed), *others])):
        edits = _jump_edits(clips, found.seed, jumped)
        gaps = [_contact_height(result.motion, edits.source, jumped) for result in edits.both]
        errors = [result.worst()[0].value / _RISE for result in edits.both]
        assert edits.inside.latent is not None
        a, b = lengths[(k - 1) // (3 * seeds)] if k else 0.8, heights[(k - 1) // seeds % 3] if k else 0.2
        found.row(
            f"{a} m long, {b} m high" + ("" if k else " (the picture)"),
            *(f"{100 * share:.2g} %" for share in (*errors, *gaps)), f"{edits.inside.latent.distance:.1f} σ",
        )  # fmt: skip
        off.append(gaps)
        found.require(max(errors) <= 0.01, f"{a} m long, {b} m high: the apex is off by {100 * max(errors):.1f} %")
    inside, outside = np.array(off).T
    nearer, share = int((inside < outside).sum()), float(np.median(inside) / np.median(outside))
    found.require(nearer == len(off), f"joint space keeps the contacts as well in {len(off) - nearer} jumps")
    edits = _jump_edits(clips, found.seed)
    edits.judge(found)
    for rise in (-0.05, 0.05, 0.2):
        other = _jump_edits(clips, found.seed, rise=rise)
        gaps = [_contact_height(result.motion, other.source, _shown_jump(found.seed)) for result in other.both]
        found.beside(
            f"the jump of 0.8 m made {100 * rise:+.0f} cm higher: feet off the ground inside, in joint space",
            f"{100 * gaps[0]:.1f} %, {100 * gaps[1]:.1f} %{'' if other.inside.reached else '; the goal is missed'}",
        )
    kinds: tuple[tuple[float, Literal["flight"] | None], ...] = ((0.95, None), (0.95, "flight"), (0.99, None))
    for explained, events in kinds:
        model = pw.MotionModel.fit(jumps(clips, found.seed), explained_variance=explained, frames=26, events=events)
        kept = 0
        for jumped in others[::seeds]:
            changed = replace(_jump_edits(clips, found.seed, jumped), model=model)
            gaps = [_contact_height(result.motion, changed.source, jumped) for result in changed.both]
            kept += gaps[0] < gaps[1]
        found.beside(
            f"a model of {100 * explained:g} %, {model.n_modes} modes, {'not ' * (events is None)}aligned at take-off "
            "and landing: feet nearer the ground than in joint space",
            f"{kept} of {len(others[::seeds])}",
        )
    found.note(
        f"{edits.model.n_modes} modes explain {100 * _JUMPS_EXPLAINED:g} % (paper: 30 modes, 95 %); the paper says "
        "that contacts are kept inside the pattern and lost in joint space",
        f"nearer the ground than in joint space in {nearer} of {len(off)}, in the median {share:.2f} times as far from "
        f"it; within 2 % of the height in {(inside <= 0.02).sum()}",
    )


def _contact_height(motion: pw.Motion, source: pw.Motion, jumped: pw.Motion) -> float:
    """Heights of the figure: how far the feet are from the ground in the frames where the source has contact."""
    touching = jumped.contacts()
    frames = np.rint(np.linspace(0.0, 1.0, len(source)) * (len(jumped) - 1)).astype(np.int64)
    heights = np.abs(_sites(motion, *touching.sites)[..., 1] - _sites(source, *touching.sites)[..., 1])
    return float((heights * touching.touching[frames]).max() / source.figure.height)


@experiment(
    "4-D",
    "Continuity of edits",
    accepts="Where one set of coordinates makes the motion, acceleration is at most 1.5 times the source's.",
)
def continuity(found: Outcome, clips: int = JUMPS) -> None:
    """The acceleration of edited motions over that of their sources."""
    found.columns = ("edit", "peak inside the pattern, of the source's", "in joint space", "coordinates jump")
    cases = {
        "swing": _slope_edits(found.seed),
        "reach, frame by frame": _reach_edits(found.seed),
        "jump": _jump_edits(clips, found.seed),
    }
    for name, edits in found.each(list(cases.items())):
        inside, outside = _peaks(edits)
        found.row(name, f"{inside:.2f}", f"{outside:.2f}", "yes" if _jumps(edits) else "no")
        if edits.inside.latent is not None and edits.inside.latent.x.ndim == 1:
            found.require(inside <= 1.5, f"{name}: the peak of acceleration is {inside:.2f} times the source's")
    others = [_reach_edits(found.seed, to, moved) for to, moved in _other_reaches(found)]
    found.beside(
        "the eight other reaches of 4-B, frame by frame: largest peak inside, in joint space; coordinates jump",
        f"{', '.join(f'{peak:.2f}' for peak in np.max([_peaks(one) for one in others], axis=0))}; "
        f"in {sum(map(_jumps, others))}",
    )
    for family in families():
        pairs = [_family_edits(family, 1.0, pair, found.seed)[0] for pair in range(4)]
        peaks = [_peaks(edits) for edits in pairs]
        inside, outside = (max(values) for values in zip(*peaks, strict=True))
        found.beside(
            f"{family.name}, four edits of 4-A: largest peak inside, in joint space", f"{inside:.2f}, {outside:.2f}"
        )
    found.note(
        "along a path every frame has its own coordinates, as in the paper, which gives up one set of them there; they "
        "jump where the pattern hardly moves the hand, and the edit says so"
    )


def _jumps(edits: Edits) -> bool:
    """Whether the edit says that its coordinates jump."""
    return any("coordinates jump" in warning for warning in edits.inside.remarks)


def _peaks(edits: Edits) -> tuple[float, float]:
    """Of acceleration, over the source's: inside the pattern and in joint space."""
    motions = (edits.source, *(result.motion for result in edits.both))
    source, inside, outside = (acceleration_peak(joint_positions(m.figure, m.q), m.fps) for m in motions)
    return inside / source, outside / source


@experiment("4-E", "Compactness of patterns", accepts="More modes lose less; the share asked is explained.")
def compactness(found: Outcome, clips: int = JUMPS) -> None:
    """How many modes a share of the variance takes, and what is lost."""
    found.columns = ("clips", "share", "modes", "paper", "worst error", "mean of the worst per clip", "")
    paper = {("16 swings", 0.98): "15", ("16 reaches", 0.98): "15", ("89 jumps", 0.95): "30"}
    seed = found.seed
    sets = (
        ("16 swings", swings(seed), 132),
        ("16 reaches", reaches(seed), 50),
        (f"{clips} jumps", jumps(clips, seed), 26),
    )
    for name, examples, frames in found.each(sets):
        last = np.inf
        for share in (0.9, 0.95, 0.98, 0.99, 1.0):
            model = pw.MotionModel.fit(examples, explained_variance=share, frames=frames)
            worst, mean = float(np.degrees(model.clip_errors.max())), float(np.degrees(model.clip_errors.mean()))
            found.row(name, f"{100 * share:g} %", str(model.n_modes), paper.get((name, share), ""),
                      f"{worst:.2g}°", f"{mean:.2g}°", "full rank" if model.is_full_rank else "")  # fmt: skip
            found.require(mean <= 1.001 * last, f"{name}: more modes lose more at {share:g}")
            found.require(model.explained_variance >= share - 1e-9, f"{name}: the modes do not explain {share:g}")
            last = mean
    for family in families():
        learned = learned_from(family, seed)
        modes = [pw.MotionModel.fit(learned, explained_variance=share).n_modes for share in (0.9, 0.98, 1.0)]
        found.beside(f"{len(learned)} clips of {family.name}: modes for 90, 98, 100 %", ", ".join(map(str, modes)))
    found.note("15 modes of 16 clips are full rank, so the paper's 98 % was no truncation")


@experiment("4-F", "Edits stored as coordinates", accepts="The round trip is exact to 1e-10.")
def storage(found: Outcome, clips: int = JUMPS) -> None:
    """Edits written as motions and as coordinates, and read again."""
    found.columns = ("edit", "coordinates", "numbers of the motion", "round trip (rad, m)", "file with detail",
                     "motion file")  # fmt: skip
    cases = {
        "swing": _slope_edits(found.seed),
        "reach": _reach_edits(found.seed),
        "jump": _jump_edits(clips, found.seed),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, edits in found.each(list(cases.items())):
            latent, motion = edits.inside.latent, edits.inside.motion
            assert latent is not None
            whole, short = (Path(folder) / f"{name}.{kind}.npz" for kind in ("motion", "latent"))
            motion.save(whole)
            latent.save(short)
            again = edits.model.decode(Latent.load(short, edits.model))
            worst = float(np.abs(again.q - motion.q).max())
            sizes = (f"{path.stat().st_size / 1024:.1f} kB" for path in (short, whole))
            found.row(name, str(latent.x.size), str(motion.q.size), f"{worst:.1e}", *sizes)
            found.require(worst <= 1e-10, f"{name}: the round trip is off by {worst:.1e}")
        for family in families():
            edits = _family_edits(family, 0.98, 0, found.seed)[0]
            latent = edits.inside.latent
            assert latent is not None
            latent.save(Path(folder) / "other.latent.npz")
            again = edits.model.decode(Latent.load(Path(folder) / "other.latent.npz", edits.model))
            off = float(np.abs(again.q - edits.inside.motion.q).max())
            found.beside(f"{family.name}, {latent.x.size} coordinates of a model of 98 %: round trip", f"{off:.1e}")
