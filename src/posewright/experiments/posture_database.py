"""Posture databases (Li et al., section 4.1 and its named limit): how they grow (5-E), how long a query takes (5-F)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
from scipy.spatial import KDTree

import posewright as pw
from posewright.conventions import Array, IntArray
from posewright.experiments.clip_sets import STRIDE, person, varied_clips, wandering_postures
from posewright.experiments.experiment import Outcome, experiment, seconds_in_turns
from posewright.figures.catalogue import build
from posewright.models.postures.distance import PostureMetric
from posewright.models.postures.figure_postures import FigurePostures, QueryColumn
from posewright.report.plots import Curve, Plot, plot_picture

THRESHOLDS = (0.02, 0.03, 0.05, 0.08, 0.12, 0.15, 0.2, 0.3)
"""rad"""
SIZES = (1_000, 10_000, 100_000)
SITES = ("left_hand", "right_hand", "left_sole", "right_sole", "view")
NEIGHBOURS = 19
"""As many as 15 values ask for."""
_ALLOWED = 5e-3  # s, at the largest size
_QUERIES = 15


@experiment(
    "5-E",
    "Growth of a posture database with the threshold",
    accepts="any two postures further apart than the threshold, every pose within it of one, and sizes that fall",
)
def database_growth(found: Outcome) -> None:
    """The same clips at rising thresholds."""
    found.columns = ("threshold", "postures", "of the frames", "most alike", "farthest pose")
    clips = varied_clips(person(), found.seed)
    n_frames = sum(map(len, clips))
    metric = PostureMetric(clips[0].figure)
    sizes = []
    for threshold in found.each(THRESHOLDS):
        database = pw.Postures.build(clips, threshold=threshold)
        sizes.append(len(database))
        between = metric.distances(database.q, database.q)
        np.fill_diagonal(between, np.inf)
        apart = float(between.min())
        away = max(float(metric.distances(clip.q, database.q).min(axis=1).max()) for clip in clips)
        share = 100.0 * len(database) / n_frames
        found.row(f"{threshold:g} rad", str(len(database)), f"{share:.1f} %", f"{apart:.4f} rad", f"{away:.4f} rad")
        found.require(apart > threshold, f"two postures are {apart:.6f} rad apart at {threshold:g}")
        found.require(away <= threshold + 1e-5, f"a pose is {away:.6f} rad from all in the database at {threshold:g}")
    twice = pw.Postures.build([*clips, *clips], threshold=THRESHOLDS[0])
    found.beside(f"the same clips given twice, at {THRESHOLDS[0]:g} rad: postures", f"{len(twice)}, once {sizes[0]}")
    for name in ("norman", "abnorman1"):
        other = varied_clips(build(name), found.seed)
        counts = [len(pw.Postures.build(other, threshold=threshold)) for threshold in THRESHOLDS[::3]]
        words = ", ".join(f"{threshold:g}" for threshold in THRESHOLDS[::3])
        found.beside(f"clips of {name} at {words} rad: postures", ", ".join(map(str, counts)))
    falling = all(later < before for before, later in pairwise(sizes))
    found.require(falling, f"sizes {sizes} do not fall as the threshold rises")
    found.note(f"{len(clips)} generated clips of {n_frames} frames, human40; the paper gives no sizes.")
    plot = Plot(
        content=[Curve(x=THRESHOLDS, y=sizes, label="postures")],
        title="postures kept, by threshold", x_label="threshold (rad, mean)", y_label="postures", log_y=True,
    )  # fmt: skip
    found.draw = lambda: plot_picture(plot)


@experiment(
    "5-F",
    "The nearest postures: time against the size of the database",
    accepts="at most 5 ms at 100,000 postures, for one site and for five, and the same as by looking at all",
)
def query_time(found: Outcome) -> None:
    """The nearest postures by a plain scan, by a KD-tree, and by `FigurePostures.nearest`."""
    found.columns = ("postures", "sites", "method", "median")
    times: dict[str, list[float]] = {}
    wanted = wandering_postures(person(), _QUERIES * STRIDE, seed=2 * found.seed + 1).on(person())
    for size, n_sites in found.each([(size, n_sites) for size in SIZES for n_sites in (1, len(SITES))]):
        database = wandering_postures(person(), size, seed=2 * found.seed).on(person())
        database.prepare(SITES)
        queries = [
            [QueryColumn(database.values(site), wanted.values(site)[row], 2.0) for site in SITES[:n_sites]]
            for row in range(0, _QUERIES * STRIDE, STRIDE)
        ]
        tree = KDTree(np.hstack([values * scale for values, _, scale in queries[0]]))
        methods: dict[str, Callable[[list[QueryColumn]], IntArray]] = {
            "all of them (the paper)": _brute,
            "KD-tree": partial(_by_tree, tree),
            "compiled scan (ours)": partial(_by_scan, database),
        }
        for method, search in methods.items():
            same = all((search(query) == _brute(query)).all() for query in queries)
            found.require(same, f"{method}: not the nearest of {size} postures by {n_sites} sites")
            median = float(np.median([seconds_in_turns(partial(search, query), turns=1) for query in queries]))
            found.row(f"{size:,}", str(n_sites), method, f"{1e3 * median:.3f} ms")
            if size == SIZES[-1] and "ours" in method:
                found.require(median <= _ALLOWED, f"{n_sites} sites take {1e3 * median:.1f} ms at {size} postures")
            if n_sites == len(SITES):
                times.setdefault(method, []).append(1e3 * median)
    database = wandering_postures(person(), 2 * SIZES[-1], seed=2 * found.seed).on(person())
    database.prepare(SITES)
    query = [QueryColumn(database.values(site), wanted.values(site)[0], 2.0) for site in SITES]
    longer = float(np.median(seconds_in_turns(partial(_by_scan, database, query), turns=_QUERIES)))
    found.beside(f"{2 * SIZES[-1]:,} postures, {len(SITES)} sites, compiled scan", f"{1e3 * longer:.3f} ms")
    found.note(
        f"Medians of {_QUERIES} queries for {NEIGHBOURS} neighbours, processor time; allowed at {SIZES[-1]:,}: "
        f"{1e3 * _ALLOWED:g} ms.",
        "A KD-tree has to be built for every set of sites; a scan serves every set.",
    )
    plot = Plot(
        content=[Curve(x=SIZES, y=values, label=method) for method, values in times.items()],
        title=f"{NEIGHBOURS} nearest postures by {len(SITES)} sites",
        x_label="postures", y_label="time (ms)", log_x=True, log_y=True,
    )  # fmt: skip
    found.draw = lambda: plot_picture(plot)


def _brute(columns: list[QueryColumn]) -> IntArray:
    squares: Array = np.zeros(len(columns[0][0]))
    for values, wanted, scale in columns:
        squares += ((scale * (values - wanted)) ** 2).sum(axis=1)
    return np.argsort(squares, kind="stable")[:NEIGHBOURS]


def _by_tree(tree: KDTree, columns: list[QueryColumn]) -> IntArray:
    _, rows = tree.query(np.concatenate([scale * wanted for _, wanted, scale in columns]), k=NEIGHBOURS)
    return np.asarray(rows, dtype=np.int64)


def _by_scan(database: FigurePostures, columns: list[QueryColumn]) -> IntArray:
    return database.nearest(columns, NEIGHBOURS).rows
