"""Sequential Monte Carlo (Courty & Arnaud 2008, figures 4, 5): a person with planted feet (3-E), a hand (3-F)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

import posewright as pw
from posewright.conventions import Array
from posewright.experiments.experiment import Outcome, experiment
from posewright.experiments.grips import gripping, random_grip, tips_of
from posewright.figures.catalogue import hand, human40
from posewright.figures.catalogue.hand import COUPLING, FINGERS, THUMB
from posewright.figures.joint import Vector
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.problem.predicates import NearPoints
from posewright.report.camera import Direction
from posewright.report.picture import Picture
from posewright.report.result_pictures import side_by_side
from posewright.report.scene import Mark, Scene, SceneBody

HEIGHT = 1.75
BAND_SHARE = 0.005
BAND = BAND_SHARE * HEIGHT
HANDS: Mapping[str, Vector] = {"left_hand": (0.35, 0.55, 0.45), "right_hand": (-0.30, 0.75, 0.40)}
SOLES = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")
PERSON = pw.SequentialMonteCarlo.for_planted_feet(polish=False)
"""The defaults; feet on the floor are a set too thin for draws, so draws are projected."""


@experiment(
    "3-E",
    "Person with planted feet, a target for each hand",
    accepts="hands within 1 % of the height, feet within the band in every frame, knees bent more than 10 degrees; by "
    "rejection alone at most a tenth of the draws is accepted, projected most of them",
)
def planted_person(found: Outcome, seeds: int = 10, by_rejection: int = 200) -> None:
    """A free pelvis, feet that stay on the floor, a target for each hand."""
    found.columns = (
        "feet", "reached", f"worst hand (allowed {10 * HEIGHT:.0f} mm)", f"drift (band {1000 * BAND:.1f} mm)",
        "knees, mean of both", "iterations", "draws accepted",
    )  # fmt: skip
    problem, rest = _planted(HEIGHT, HANDS)
    projected = [replace(PERSON, seed=seed) for seed in found.seeds(seeds, "person")]
    plain = [replace(solver, project=False, max_iterations=by_rejection) for solver in projected[:3]]
    results = [solver.solve(problem) for solver in found.each([*projected, *plain])]
    for words, these, least, most in (
        ("feet projected, then judged", results[:seeds], 0.5, 1.0), ("rejection alone", results[seeds:], 0.0, 0.1),
    ):  # fmt: skip
        worst = max(max(result.errors.values()) for result in these)
        drift = max(_drift(_path(result), rest) for result in these)
        knees = [_knees(result.pose) for result in these]
        acceptance = float(np.mean([result.history["acceptance"][1:].mean() for result in these]))
        found.row(
            words, f"{sum(result.reached for result in these)}/{len(these)}", f"{1000 * worst:.0f} mm",
            f"{1000 * drift:.1f} mm", f"{min(knees):.0f}-{max(knees):.0f}°",
            f"{np.median([result.iterations for result in these]):g}", f"{100 * acceptance:.0f} %",
        )  # fmt: skip
        found.require(drift <= BAND, f"{words}: feet drift {1000 * drift:.1f} mm, more than {1000 * BAND:.1f} mm")
        found.require(least <= acceptance <= most, f"{words}: {100 * acceptance:.0f} % of the draws are accepted")
    found.require(
        all(result.reached for result in results[:seeds]), "a hand misses its target by more than 1 % of the height"
    )
    found.require(min(_knees(result.pose) for result in results[:seeds]) > 10.0, "the knees bend by 10 degrees or less")
    for height in (1.2, HEIGHT, 2.0):
        others = _planted_beside(height, seeds, found.random(f"hands at {height} m"))
        drift = max(drift / height for _, drift in others)
        found.beside(
            f"other targets, 10 cm around, for a person of {height} m: reached; worst drift, of the height",
            f"{sum(reached for reached, _ in others)} of {seeds}; {100 * drift:.2f} %",
        )
    found.note(
        "paper: both hands reached, knees bend; feet by acceptance and rejection",
        "the drift is the worst of heels and toe tips over all frames and seeds",
        f"rejection alone has {by_rejection} iterations and three seeds; planted feet are too thin a set to be hit",
        "the defaults, with projection",
    )
    marks = [
        Mark.target(point, colour=colour, radius=0.025)
        for point, colour in zip(HANDS.values(), ("sky", "sand"), strict=True)
    ]
    seen_from = Direction(azimuth=0.75, elevation=0.2)
    found.draw = lambda: _strip(_path(results[0]), (0, 1, 2, 4, -1), marks, seen_from, 190, 340)


def _planted(height: float, hands: Mapping[str, Vector]) -> tuple[pw.Problem, pw.Pose]:
    """Targets for the hands of a person who stands, and that pose."""
    rest = pw.Pose.rest(human40(height=height))
    goals = [pw.Position(site, point, tolerance=0.01 * height) for site, point in hands.items()]
    return pw.Problem(rest.figure, goals, predicates=[NearPoints.at(rest, SOLES, BAND_SHARE * height)]), rest


def _planted_beside(height: float, count: int, random: np.random.Generator) -> list[tuple[bool, float]]:
    """Whether targets around those of the picture, scaled to a height, are reached, and how far the feet drift (m)."""
    found = []
    for seed in range(count):
        hands = {
            site: vector(height / HEIGHT * (np.array(point) + random.uniform(-0.1, 0.1, 3)))
            for site, point in HANDS.items()
        }
        problem, rest = _planted(height, hands)
        result = replace(PERSON, seed=seed).solve(problem)
        found.append((result.reached, _drift(_path(result), rest)))
    return found


def _drift(path: pw.Motion, rest: pw.Pose) -> float:
    """How far the soles get from where they were (m), over the whole path."""
    points = site_frames(rest.figure, path.q, SOLES).points
    return float(np.linalg.norm(points - site_frames(rest.figure, rest.q, SOLES).points, axis=-1).max())


def _knees(pose: pw.Pose) -> float:
    """Mean flexion of both knees, degrees."""
    return float(np.degrees(0.5 * (pose["left_knee.flexion"] + pose["right_knee.flexion"])))


HAND_LENGTH = 0.19
NEAR = 0.005 * HAND_LENGTH
SWITCH = 350
"""Iterations for each of the two sets of targets."""
FINGERS_FILTER = pw.SequentialMonteCarlo.for_hands(polish=False, max_iterations=2 * SWITCH)
"""The defaults but for a slower estimate: it is watched as an animation, and tips must not leap."""
LEAP = 0.1 * HAND_LENGTH
"""m: no finger tip may jump further from one frame to the next."""


@experiment(
    "3-F",
    "Hand: a target per finger tip, two sets in sequence, coupled joints",
    accepts="tips within 0.5 % of the hand, coupling within 2 degrees, no leap through the switch",
)
def fingertips(found: Outcome, seeds: int = 5, iterations: int = SWITCH) -> None:
    """A target per finger tip, two sets one after the other."""
    found.columns = ("hand of 24 dofs", f"worst tip, set 1 (allowed {1000 * NEAR:.2f} mm)", "worst tip, set 2",
                     "coupling", "longest leap of a tip")  # fmt: skip
    figure = hand(length=HAND_LENGTH)
    closed = gripping(figure, (60.0, 65.0, 70.0, 75.0), thumb=30.0, spreads=(0.0,) * 4, wrist=-20.0)
    pointing = gripping(figure, (20.0, 10.0, 45.0, 60.0), thumb=10.0, spreads=(4.0,) * 4, wrist=5.0)
    sets = [tips_of(closed), tips_of(pointing)]
    problem = pw.Problem(figure, [pw.Position(tip, point, tolerance=NEAR) for tip, point in sets[0].items()])
    paths = []
    for number, seed in enumerate(found.each(found.seeds(seeds, "hand"))):
        path, misses, coupling, leap = _followed(problem, sets, iterations, seed)
        found.row(f"run {number + 1}", *(f"{1000 * miss:.2f} mm" for miss in misses), f"{coupling:.1g}°",
                  f"{1000 * leap:.1f} mm")  # fmt: skip
        found.require(max(misses) <= NEAR, f"run {number + 1}: a tip is {1000 * max(misses):.2f} mm from its target")
        found.require(coupling <= 2.0, f"run {number + 1}: coupled joints are {coupling:.1f} degrees apart")
        found.require(leap <= LEAP, f"run {number + 1}: a tip jumps {1000 * leap:.0f} mm between two frames")
        paths.append(path)
    random = found.random("grips")
    pairs = [[tips_of(random_grip(figure, random)) for _ in range(2)] for _ in range(2 * seeds)]
    for words, gain in (("", FINGERS_FILTER.gain), (", with the default gain", pw.SequentialMonteCarlo().gain)):
        runs = [_followed(problem, pair, iterations, k, gain) for k, pair in enumerate(pairs)]
        met = sum(max(misses) <= NEAR for _, misses, _, _ in runs)
        leap = max(leap for *_, leap in runs)
        found.beside(
            f"random grips, two in sequence{words}: met; longest leap", f"{met} of {len(runs)}; {1000 * leap:.0f} mm"
        )
    found.note(
        "paper: plausible motion (pictures); a biomechanical constraint links the last two joints of each finger",
        "the last joints follow the ones before exactly, because equalities are sampled in their free coordinates",
    )
    found.draw = lambda: _hand_picture(paths[0], iterations, sets)


def _followed(
    problem: pw.Problem, sets: Sequence[Mapping[str, Vector]], iterations: int, seed: int, gain: float | None = None
) -> tuple[pw.Motion, list[float], float, float]:
    """The path to two sets of targets, the worst miss of each (m), the coupling's error (degrees), the longest leap."""
    figure, tips = problem.space.figure, list(sets[0])
    solver = replace(FINGERS_FILTER, seed=seed, max_iterations=2 * iterations, gain=gain or FINGERS_FILTER.gain)
    path = _path(solver.follow(problem, lambda k: sets[0] if k < iterations else sets[1]))
    points = site_frames(figure, path.q, tips).points
    misses = [
        float(np.linalg.norm(points[frame] - np.array(list(wanted.values())), axis=-1).max())
        for frame, wanted in zip((iterations, -1), sets, strict=True)
    ]
    leap = float(np.linalg.norm(np.diff(points, axis=0), axis=-1).max())
    return path, misses, _coupling_error(figure, path.q), leap


def _coupling_error(figure: pw.Figure, q: Array) -> float:
    """How far a last joint is from its share of the one before, degrees, the worst of all frames."""
    names = [finger.name for finger in (*FINGERS, THUMB)]
    ends, middles = ([figure.dof_index(f"{name}_{part}.flexion") for name in names] for part in ("end", "middle"))
    return float(np.degrees(np.abs(q[:, ends] - COUPLING * q[:, middles]).max()))


def _hand_picture(path: pw.Motion, switch: int, sets: Sequence[Mapping[str, Vector]]) -> Picture:
    rows = []
    for wanted, frames in zip(sets, ((0, 8, 25, switch), (switch + 1, switch + 8, switch + 25, -1)), strict=True):
        marks = [
            Mark.target(point, colour=colour, radius=0.004)
            for point, colour in zip(wanted.values(), ("sky", "leaf", "sand", "plum", "red"), strict=True)
        ]
        rows.append(_strip(path, frames, marks, Direction(azimuth=0.9, elevation=0.35), 230, 185))
    return np.vstack(rows)


def _strip(
    path: pw.Motion, frames: Sequence[int], marks: Sequence[Mark], camera: Direction, width: int, height: int
) -> Picture:
    """Moments of a path side by side, seen by one camera."""
    panels = [
        (f"frame {frame}", Scene(bodies=(SceneBody(pose=path.pose(frame)),), marks=tuple(marks)))
        for frame in (frame % len(path) for frame in frames)
    ]
    return side_by_side(panels, width, height, camera=camera)


def _path(result: pw.PoseResult) -> pw.Motion:
    assert result.path is not None
    return result.path
