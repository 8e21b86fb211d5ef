"""Learned motion, timed: `python benchmarks/models.py [--rounds 50]`.

Key-frame edits of a 132-frame swing (the fit is not counted), key trajectories over long clips, the fit itself; posture
databases: built from clips, opened, asked for the nearest postures, and designed from.
Times are the median and the least over rounds: on a busy machine the least says more about the code.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from timing import seconds_of

import posewright as pw
from posewright.experiments.clip_sets import (
    IMPACT,
    STEEP,
    activities,
    jumps,
    left_out,
    person,
    reach_to,
    reaches,
    swing,
    swings,
    varied_clips,
    wandering_postures,
)
from posewright.experiments.posture_database import NEIGHBOURS, SITES
from posewright.experiments.posture_design import SITES as GOAL_SITES
from posewright.experiments.posture_design import goals_at
from posewright.figures.catalogue import human40
from posewright.formats import load_motion
from posewright.models.postures.database import PostureClip
from posewright.models.postures.distance import normalised
from posewright.models.postures.figure_postures import FigurePostures
from posewright.motions import Motion


def timed(call: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median and least seconds."""
    seconds = seconds_of(call, rounds=rounds)
    return float(np.median(seconds)), float(seconds.min())


def show(what: str, times: tuple[float, float], bound: float | None, note: str = "") -> None:
    """One row."""
    asked = "" if bound is None else f"asked <= {1e3 * bound:g} ms"
    print(f"{what:48} {1e3 * times[0]:9.2f} ms median {1e3 * times[1]:9.2f} ms least   {asked} {note}")


def key_frames(rounds: int) -> None:
    """A swing put on a slope by three goals at the impact."""
    model = pw.MotionModel.fit(swings(), explained_variance=1.0)
    flat, steep = swing(0.0), swing(STEEP)
    sites = ("left_sole", "right_sole", "club_head")
    points = pw.figures.kinematics.site_frames(flat.figure, steep.q[IMPACT], sites).points
    keys = [
        pw.Position(site, tuple(point), priority=1 + (site == "club_head"), tolerance=5e-3).at(IMPACT)
        for site, point in zip(sites, points, strict=True)
    ]
    prepared = pw.Prioritized(max_step=2.0, attraction=0.1, settle=False).prepare(pw.MotionProblem(model, keys, flat))
    there = dict(zip(sites, points.tolist(), strict=True))
    drag = timed(lambda: prepared.solve(there).reached, rounds)
    show("key-frame edit, motion loaded (a drag)", drag, 3e-3, repr(prepared.solve())[:40])
    show("edit() of a clip that was edited before", timed(lambda: pw.edit(flat, keys, space=model), rounds), 3e-3)
    new = (replace(flat) for _ in range(rounds + 1))  # a value of its own each time: nothing of it is known
    show("edit() of a clip never seen", timed(lambda: pw.edit(next(new), keys, space=model), rounds), 3e-3)
    hands = [("right_hand", "left_hand")]
    held = timed(lambda: pw.edit(flat, keys[2:], space=model, hold_contacts=True, hold_together=hands), rounds)
    show("the club head moved, feet and hands held", held, None)
    show("the first edit in joint space", timed(lambda: pw.edit(flat, keys), rounds), None)


def trajectories(rounds: int) -> None:
    """A hand along a path over a long clip."""
    model = pw.MotionModel.fit(reaches(), explained_variance=1.0)
    long: Motion = reach_to((0.3, 1.1, 0.45)).resampled(frames=2000)
    track = pw.figures.kinematics.site_frames(long.figure, long.q, ["left_hand"]).points[:, 0]
    travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(track, axis=0), axis=1))])
    away = (travelled / travelled[-1])[:, None] * np.array([0.06, 0.08, 0.03])
    frames = np.arange(len(long))
    key = pw.Position("left_hand", (0.0, 0.0, 0.0)).along(
        pw.motions.KochanekBartels(frames, track + away), start=0, end=len(long) - 1
    )
    for name, pattern in (("in a pattern of 15 modes", model), ("in joint space", None)):
        result = pw.edit(long, [key], space=pattern)
        median, least = timed(lambda pattern=pattern: pw.edit(long, [key], space=pattern), max(3, rounds // 10))
        print(
            f"key trajectory, 2000 frames, {name:26} {len(long) / median:9.0f} frames/s median "
            f"{len(long) / least:9.0f} at best   asked >= 10000   {result.iterations} iterations"
        )


def fitting(rounds: int) -> None:
    """Clips of different lengths to a model of 26 frames."""
    clips = jumps()
    show("fit of 89 clips to 26 frames", timed(lambda: pw.MotionModel.fit(clips, frames=26), max(3, rounds // 10)), 0.2)
    same = [clip.resampled(frames=26) for clip in clips]
    show("the same, clips of 26 frames", timed(lambda: pw.MotionModel.fit(same, frames=26), max(3, rounds // 10)), 0.2)


def recordings() -> list[Path]:
    """The CMU clips, where they are: $POSEWRIGHT_DATA, or ../shared/data beside the repository."""
    chosen = os.environ.get("POSEWRIGHT_DATA")
    folder = Path(chosen) if chosen else Path(__file__).parents[2] / "shared" / "data"
    return sorted((folder / "cmu" / "bvh").glob("*.bvh"))


def building(rounds: int) -> None:
    """Databases of recorded and of generated clips."""
    options = pw.formats.ReadOptions(drop_first=True)
    files = recordings()
    libraries = {
        "recorded (115 clips, 25 figures)": [load_motion(path, options) for path in files],
        "generated, short": varied_clips(human40()),
        "the same, 10 times slower": [clip.resampled(frames=10 * len(clip)) for clip in varied_clips(human40())],
        "wandering (random, all unlike)": [
            Motion(human40(), wandering_postures(human40(), 5000, seed=k).q, 30.0) for k in range(10)
        ],
    }
    for name, clips in libraries.items():
        if not clips:
            continue
        n_frames = sum(map(len, clips))
        for threshold in (0.15, 0.05, 0.01):
            database = pw.Postures.build(clips, threshold=threshold)
            median, least = timed(
                lambda clips=clips, threshold=threshold: pw.Postures.build(clips, threshold=threshold),
                max(3, rounds // 20),
            )
            print(
                f"postures of {name}, {threshold:g} rad: {n_frames:7} frames {len(database):6} kept "
                f"{n_frames / median:9.0f} frames/s median {n_frames / least:9.0f} at best   asked >= 50000"
            )
        again = timed(lambda database=database, clips=clips: database.extended(clips), 3)
        show(f"the same clips again ({name})", again, None)
    if files:
        began = time.perf_counter()
        n_frames = sum(len(load_motion(path, options)) for path in files)
        print(f"reading those files alone: {n_frames / (time.perf_counter() - began):.0f} frames/s")


def searching(rounds: int) -> None:
    """The nearest postures by one site and by five."""
    figure = human40()
    for size, bound in ((10_000, None), (100_000, 5e-3), (1_000_000, 20e-3)):
        database = wandering_postures(figure, size)
        wanted = wandering_postures(figure, 1000, seed=1).on(figure)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "all.postures.npz"
            database.save(path)
            show(f"opening {size:,} postures", timed(lambda path=path: pw.Postures.open(path), 5), None)
        on = database.on(figure)
        began = time.perf_counter()
        on.prepare(SITES)
        print(f"{size:,} postures on a figure, {len(SITES)} sites: {time.perf_counter() - began:.2f} s, once")
        for n_sites in (1, 5):
            ask = cycled(on, wanted, SITES[:n_sites])
            show(f"nearest of {size:,} by {n_sites} sites", timed(ask, rounds), bound)


def cycled(on: FigurePostures, wanted: FigurePostures, sites: tuple[str, ...]) -> Callable[[], object]:
    """A question after another."""
    rows = itertools.cycle(range(0, len(wanted), 20))

    def ask() -> object:
        row = next(rows)
        return on.nearest([(on.values(site), wanted.values(site)[row], 2.0) for site in sites], NEIGHBOURS)

    return ask


def designing(rounds: int) -> None:
    """A drag of hip, hands and feet through poses left out, from 10,000 postures and from standing."""
    figure, rng = person(), np.random.default_rng(3)
    frames = normalised(figure, np.concatenate([clip.q for seed in range(4) for clip in activities(seed)]))
    q = frames[rng.integers(len(frames), size=10_000)]
    q = np.clip(q + 0.02 * rng.normal(size=q.shape), figure.lower, figure.upper)
    rows = np.arange(len(q), dtype=np.int32)
    postures = pw.Postures(figure, q, (PostureClip("generated", "", len(q)),), np.zeros_like(rows), rows)
    poses = left_out()[rng.integers(len(left_out()), size=50)]
    points = pw.figures.kinematics.site_frames(figure, poses, GOAL_SITES).points
    drag = [{site: point.tolist() for site, point in zip(GOAL_SITES, row, strict=True)} for row in points]
    goals = goals_at(points[0])
    designer, standing = (
        pw.workflows.PostureDesigner(pw.Problem(figure, goals), postures),
        pw.Prioritized().prepare(pw.Problem(figure, goals)),
    )
    rest = np.array(figure.rest)
    results = [designer.solve(targets) for targets in drag]
    alone = [standing.solve(targets, start=rest) for targets in drag]
    moves = itertools.cycle(drag)
    times = timed(lambda: designer.solve(next(moves)), 2 * rounds)
    show("design of a pose from 10,000 postures", times, 1e-3, f"{sum(r.reached for r in results)} of 50 reached")
    moves = itertools.cycle(drag)
    times = timed(lambda: standing.solve(next(moves), start=rest), 2 * rounds)
    show("the same from standing", times, None, f"{sum(r.reached for r in alone)} of 50 reached")
    ratios = [a.iterations / max(r.iterations, 1) for a, r in zip(alone, results, strict=True)]
    print(
        f"iterations: {np.median([r.iterations for r in results]):g} median, from standing "
        f"{np.median([a.iterations for a in alone]):g}; ratio {np.median(ratios):.2g} median   asked >= 2"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    arguments = parser.parse_args()
    key_frames(arguments.rounds)
    trajectories(arguments.rounds)
    fitting(arguments.rounds)
    building(arguments.rounds)
    searching(arguments.rounds)
    designing(arguments.rounds)
