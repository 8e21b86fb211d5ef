"""Posture databases (Li et al., section 4.1 and its named limit): how they grow, and how long a question takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from scipy.spatial import KDTree

from posewright.clips import golf_swing, jump, kick, reach, run, sit, throw, walk
from posewright.conventions import Array, IntArray
from posewright.experiments.experiment import Experiment, Outcome, Progress
from posewright.figures import Figure
from posewright.figures.catalogue import human40
from posewright.models.postures.database import PostureClip, Postures
from posewright.models.postures.distance import PostureMetric
from posewright.models.postures.figure_postures import FigurePostures, QueryColumn
from posewright.motions.motion import Motion
from posewright.report.picture import Picture
from posewright.report.plots import Curve, Plot, plot_picture

THRESHOLDS = (0.02, 0.03, 0.05, 0.08, 0.12, 0.15, 0.2, 0.3)
"""rad"""
SIZES = (1_000, 10_000, 100_000)
SITES = ("left_hand", "right_hand", "left_sole", "right_sole", "view")
NEIGHBOURS = 19
"""As many as 15 values ask for."""
_ASKED = 5e-3
"""s, at the largest size."""
_QUESTIONS = 15
_STRIDE = 25
"""Frames from one random pose to the next."""
_REACH = 1.0
"""rad: how far random poses are from rest."""


def varied_clips(figure: Figure) -> list[Motion]:
    """One or two of every kind of generated clip."""
    targets = ((0.35, 1.4, 0.4), (0.5, 0.7, 0.3), (0.1, 1.0, 0.5))
    makers: tuple[Callable[..., Motion], ...] = (walk, run, kick, sit, throw, jump, golf_swing)
    clips = [make(figure, seed=seed, fps=30.0) for seed in (1, 2) for make in makers]
    return clips + [reach(figure, target, side="left", seed=k, fps=30.0) for k, target in enumerate(targets)]


def wandering_postures(figure: Figure, n: int, seed: int = 0) -> Postures:
    """So many postures on the way from random pose to random pose, as the frames of a very varied clip would be."""
    rng = np.random.default_rng(seed)
    lower, upper = np.maximum(figure.lower, figure.rest - _REACH), np.minimum(figure.upper, figure.rest + _REACH)
    keys = rng.uniform(lower, upper, (n // _STRIDE + 2, figure.n_dofs))
    key, step = np.divmod(np.arange(n), _STRIDE)
    share = (step / _STRIDE)[:, None]
    q = keys[key] + share * share * (3.0 - 2.0 * share) * (keys[key + 1] - keys[key])
    frames = np.arange(n, dtype=np.int32)
    return Postures(figure, q, (PostureClip("wandering", "", n),), np.zeros(n, dtype=np.int32), frames)


@dataclass(frozen=True)
class Growth:
    """A database built with one threshold."""

    threshold: float
    """rad"""
    size: int
    apart: float
    """rad, between the two postures most alike"""
    away: float
    """rad, from the posture that is most unlike all in the database"""


def database_growth(progress: Progress) -> Outcome:
    """5-E: the same clips at rising thresholds."""
    clips = varied_clips(human40())
    metric = PostureMetric(clips[0].figure)
    found: list[Growth] = []
    for k, threshold in enumerate(THRESHOLDS):
        progress(k / len(THRESHOLDS))
        database = Postures.build(clips, threshold=threshold)
        between = metric.distances(database.q, database.q)
        np.fill_diagonal(between, np.inf)
        away = max(float(metric.distances(clip.q, database.q).min(axis=1).max()) for clip in clips)
        found.append(Growth(threshold, len(database), float(between.min()), away))
    n_frames = sum(map(len, clips))
    rows = tuple(
        (
            f"{one.threshold:g} rad",
            str(one.size),
            f"{100.0 * one.size / n_frames:.1f} %",
            f"{one.apart:.4f} rad",
            f"{one.away:.4f} rad",
        )
        for one in found
    )
    failures = [
        f"two postures are {one.apart:.6f} rad apart at {one.threshold:g}"
        for one in found
        if one.apart <= one.threshold
    ]
    failures += [
        f"a pose is {one.away:.6f} rad from all in the database at {one.threshold:g}"
        for one in found
        if one.away > one.threshold + 1e-5
    ]
    sizes = [one.size for one in found]
    if any(later >= before for before, later in pairwise(sizes)):
        failures.append(f"sizes {sizes} do not fall as the threshold rises")
    return Outcome(
        ("threshold", "postures", "of the frames", "most alike", "farthest pose"),
        rows,
        tuple(failures),
        (f"{len(clips)} generated clips of {n_frames} frames, human40; the paper gives no sizes.",),
        draw=lambda: _sizes_by_threshold(found),
    )


def _sizes_by_threshold(found: list[Growth]) -> Picture:
    curve = Curve(x=[one.threshold for one in found], y=[one.size for one in found], label="postures")
    title = "postures kept, by threshold"
    return plot_picture(
        Plot(content=[curve], title=title, x_label="threshold (rad, mean)", y_label="postures", log_y=True)
    )


@dataclass(frozen=True)
class Answers:
    """How long one way of searching takes."""

    size: int
    sites: int
    way: str
    seconds: float
    """Median."""


def query_time(progress: Progress) -> Outcome:
    """5-F: the nearest postures by a plain scan, by a KD-tree, and by `FigurePostures.nearest`."""
    figure = human40()
    found: list[Answers] = []
    failures: list[str] = []
    for k, size in enumerate(SIZES):
        on = wandering_postures(figure, size).on(figure)
        on.prepare(SITES)
        wanted = wandering_postures(figure, _QUESTIONS * _STRIDE, seed=1).on(figure)
        for n_sites in (1, len(SITES)):
            progress((k + 0.5 * (n_sites > 1)) / len(SIZES))
            questions = [_question(on, wanted, SITES[:n_sites], i * _STRIDE) for i in range(_QUESTIONS)]
            tree = KDTree(np.hstack([values * scale for values, _, scale in questions[0]]))
            ways: dict[str, Callable[[list[QueryColumn]], IntArray]] = {
                "all of them (the paper)": _brute,
                "KD-tree": partial(_by_tree, tree),
                "single-precision scan (ours)": partial(_by_scan, on),
            }
            expected = [_brute(columns) for columns in questions]
            for way, search in ways.items():
                seconds, same = _timed(search, questions, expected)
                found.append(Answers(size, n_sites, way, seconds))
                if not same:
                    failures.append(f"{way}: not the nearest of {size} postures by {n_sites} sites")
    slow = [one for one in found if one.size == SIZES[-1] and "ours" in one.way and one.seconds > _ASKED]
    failures += [f"{one.sites} sites take {1e3 * one.seconds:.1f} ms at {one.size} postures" for one in slow]
    rows = tuple((f"{one.size:,}", str(one.sites), one.way, f"{1e3 * one.seconds:.3f} ms") for one in found)
    notes = (
        f"Medians of {_QUESTIONS} questions for {NEIGHBOURS} neighbours; asked of {SIZES[-1]:,}: {1e3 * _ASKED:g} ms.",
        "A KD-tree has to be built for every set of sites; a scan serves every set.",
    )
    columns = ("postures", "sites", "way", "median")
    return Outcome(columns, rows, tuple(failures), notes, draw=lambda: _times_by_size(found))


def _question(on: FigurePostures, wanted: FigurePostures, sites: tuple[str, ...], row: int) -> list[QueryColumn]:
    return [QueryColumn(on.values(site), wanted.values(site)[row], 2.0) for site in sites]


def _brute(columns: list[QueryColumn]) -> IntArray:
    squares: Array = np.zeros(len(columns[0][0]))
    for values, wanted, scale in columns:
        squares += ((scale * (values - wanted)) ** 2).sum(axis=1)
    return np.argsort(squares, kind="stable")[:NEIGHBOURS]


def _by_tree(tree: KDTree, columns: list[QueryColumn]) -> IntArray:
    _, rows = tree.query(np.concatenate([scale * wanted for _, wanted, scale in columns]), k=NEIGHBOURS)
    return np.asarray(rows, dtype=np.int64)


def _by_scan(on: FigurePostures, columns: list[QueryColumn]) -> IntArray:
    return on.nearest(columns, NEIGHBOURS).rows


def _timed(
    search: Callable[[list[QueryColumn]], IntArray], questions: list[list[QueryColumn]], expected: list[IntArray]
) -> tuple[float, bool]:
    """Median seconds of a search, and whether it always found what must be found."""
    search(questions[0])
    seconds, same = [], True
    for question, rows in zip(questions, expected, strict=True):
        began = time.perf_counter()
        found = search(question)
        seconds.append(time.perf_counter() - began)
        same = same and bool((found == rows).all())
    return float(np.median(seconds)), same


def _times_by_size(found: list[Answers]) -> Picture:
    curves = []
    for way in dict.fromkeys(one.way for one in found):
        these = [one for one in found if one.way == way and one.sites == len(SITES)]
        curves.append(Curve(x=[one.size for one in these], y=[1e3 * one.seconds for one in these], label=way))
    title = f"{NEIGHBOURS} nearest postures by {len(SITES)} sites"
    return plot_picture(
        Plot(content=curves, title=title, x_label="postures", y_label="time (ms)", log_x=True, log_y=True)
    )


POSTURE_DATABASE = (
    Experiment(
        id="5-E",
        title="Growth of a posture database with the threshold",
        accepts="any two postures further apart than the threshold, every pose within it of one, and sizes that fall",
        run=database_growth,
    ),
    Experiment(
        id="5-F",
        title="The nearest postures: time against the size of the database",
        accepts="at most 5 ms at 100,000 postures, for one site and for five, and the same as by looking at all",
        run=query_time,
    ),
)
