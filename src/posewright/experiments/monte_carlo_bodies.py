"""Courty & Arnaud 2008, figures 4 and 5: a person with planted feet (3-E), a hand with coupled fingers (3-F)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from posewright.conventions import Array
from posewright.experiments.experiment import Outcome, Progress
from posewright.figures import Figure, Pose
from posewright.figures.catalogue import hand, human40
from posewright.figures.catalogue.hand import COUPLING, FINGERS, THUMB
from posewright.figures.kinematics import site_frames
from posewright.goals import Position
from posewright.goals.term import checked_point
from posewright.motions import Motion
from posewright.problem.predicates import NearPoints
from posewright.problem.problem import Problem
from posewright.problem.result import PoseResult
from posewright.report.camera import Direction
from posewright.report.image_files import labelled
from posewright.report.picture import Extent, Picture, render
from posewright.report.scene import Mark, Scene, SceneBody
from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo

Point = tuple[float, float, float]

HEIGHT = 1.75
BAND = 0.005 * HEIGHT
HANDS: Mapping[str, Point] = {"left_hand": (0.35, 0.55, 0.45), "right_hand": (-0.30, 0.75, 0.40)}
SOLES = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")
PERSON = SequentialMonteCarlo(polish=False, project=True, sigma=0.5)

HAND_LENGTH = 0.19
NEAR = 0.005 * HAND_LENGTH
SWITCH = 350
"""Iterations for each of the two sets of targets."""
FINGERS_FILTER = SequentialMonteCarlo(polish=False, particles=200, noise=0.1, alpha=0.1, max_iterations=2 * SWITCH)
LEAP = 0.1 * HAND_LENGTH
"""m: no finger tip may jump further from one frame to the next."""


def planted_person(progress: Progress, seeds: int = 10, by_rejection: int = 200) -> Outcome:
    """3-E: a free pelvis, feet that stay on the floor, a target for each hand."""
    figure = human40(height=HEIGHT)
    rest = Pose.rest(figure)
    goals = [Position(site, point, tolerance=0.01 * HEIGHT) for site, point in HANDS.items()]
    problem = Problem(figure, goals, predicates=[NearPoints.at(rest, SOLES, BAND)])
    results = []
    for seed in range(1, seeds + 1):
        results.append(replace(PERSON, seed=seed).solve(problem))
        progress(seed / (seeds + 2))
    plain = replace(PERSON, project=False, max_iterations=by_rejection).solve(problem)
    rows, failures = [], []
    for words, found in (("feet put back, then judged", results), ("rejection alone", [plain])):
        worst = max(max(result.errors.values()) for result in found)
        slide = max(_drift(result, rest) for result in found)
        knees = [_knees(result.pose) for result in found]
        acceptance = np.mean([result.history["acceptance"][1:].mean() for result in found])
        rows.append(
            (
                words, f"{sum(result.reached for result in found)}/{len(found)}", f"{1000 * worst:.0f} mm",
                f"{1000 * slide:.1f} mm", f"{min(knees):.0f}-{max(knees):.0f}°",
                f"{np.median([result.iterations for result in found]):g}", f"{100 * acceptance:.0f} %",
            )
        )  # fmt: skip
        if slide > BAND:
            failures.append(f"{words}: feet drift {1000 * slide:.1f} mm, beyond the band of {1000 * BAND:.1f} mm")
    if not all(result.reached for result in results):
        failures.append("a hand is further than 1 % of the height from its target")
    if min(_knees(result.pose) for result in results) <= 10.0:
        failures.append("the knees bend by 10 degrees or less")
    columns = (
        "feet", "reached", f"worst hand (allowed {10 * HEIGHT:.0f} mm)", f"drift (band {1000 * BAND:.1f} mm)",
        "knees, mean of both", "iterations", "draws accepted",
    )  # fmt: skip
    notes = (
        "paper: both hands reached, knees bend; feet by acceptance and rejection",
        "the drift is the worst of heels and toe tips over all frames and seeds",
        "planted feet are a set too thin to be hit: by rejection alone nearly every draw is refused "
        f"and {by_rejection} iterations do not arrive",
    )
    return Outcome(columns, tuple(rows), tuple(failures), notes, draw=lambda: _person_picture(results[0]))


def _drift(result: PoseResult, rest: Pose) -> float:
    """How far the soles get from where they were (m), over the whole path."""
    assert result.path is not None
    points = site_frames(rest.figure, result.path.q, SOLES).points
    return float(np.linalg.norm(points - site_frames(rest.figure, rest.q, SOLES).points, axis=-1).max())


def _knees(pose: Pose) -> float:
    """Mean flexion of both knees, degrees."""
    return float(np.degrees(0.5 * (pose["left_knee.flexion"] + pose["right_knee.flexion"])))


def _person_picture(result: PoseResult) -> Picture:
    assert result.path is not None
    frames = np.array([0, 1, 2, 4, len(result.path) - 1])
    marks = tuple(
        Mark.target(point, colour=colour, radius=0.025)
        for point, colour in zip(HANDS.values(), ("sky", "sand"), strict=True)
    )
    return strip(result.path, frames, marks, Direction(azimuth=0.75, elevation=0.2), width=190, height=340)


def fingertips(progress: Progress, seeds: int = 5, iterations: int = SWITCH) -> Outcome:
    """3-F: a target per finger tip, two sets one after the other."""
    figure = hand(length=HAND_LENGTH)
    tips = [site.name for site in figure.sites if site.tip]
    sets = [{tip: checked_point(pose.point(tip).tolist(), tip) for tip in tips} for pose in _grips(figure)]
    problem = Problem(figure, [Position(tip, sets[0][tip], tolerance=NEAR) for tip in tips])
    results = []
    for seed in range(1, seeds + 1):
        solver = replace(FINGERS_FILTER, seed=seed, max_iterations=2 * iterations)
        results.append(solver.follow(problem, lambda k: sets[0] if k < iterations else sets[1]))
        progress(seed / seeds)
    rows, failures = [], []
    for result, seed in zip(results, range(1, seeds + 1), strict=True):
        assert result.path is not None
        points = site_frames(figure, result.path.q, tips).points
        misses = [
            float(np.linalg.norm(points[frame] - np.array([wanted[tip] for tip in tips]), axis=-1).max())
            for frame, wanted in ((iterations, sets[0]), (-1, sets[1]))
        ]
        coupling = _coupling_error(figure, result.path.q)
        leap = float(np.linalg.norm(np.diff(points, axis=0), axis=-1).max())
        rows.append((f"seed {seed}", *(f"{1000 * miss:.2f} mm" for miss in misses), f"{coupling:.1g}°",
                     f"{1000 * leap:.1f} mm"))  # fmt: skip
        if max(misses) > NEAR:
            failures.append(f"seed {seed}: a tip is {1000 * max(misses):.2f} mm from its target")
        if coupling > 2.0:
            failures.append(f"seed {seed}: coupled joints are {coupling:.1f} degrees apart")
        if leap > LEAP:
            failures.append(f"seed {seed}: a tip jumps {1000 * leap:.0f} mm between two frames")
    columns = ("hand of 24 dofs", f"worst tip, set 1 (allowed {1000 * NEAR:.2f} mm)", "worst tip, set 2",
               "coupling", "longest leap of a tip")  # fmt: skip
    notes = (
        "paper: plausible motion (pictures); a biomechanical constraint links the last two joints of each finger",
        "the last joints follow the ones before exactly, because equalities are sampled in their free coordinates",
    )
    return Outcome(
        columns, tuple(rows), tuple(failures), notes, draw=lambda: _hand_picture(results[0], iterations, sets)
    )


def _grips(figure: Figure) -> tuple[Pose, Pose]:
    """Where the targets come from: fingers closed around something, and the index and middle finger stretched."""

    def grip(bends: Sequence[float], spread: float, wrist: float, thumb: float) -> Pose:
        values = {"wrist.flexion": wrist}
        for k, (finger, bend) in enumerate(zip((*FINGERS, THUMB), (*bends, thumb), strict=True)):
            middle = bend * (1.2 if finger is not THUMB else 1.0)
            values[f"{finger.name}_base.flexion"] = bend
            values[f"{finger.name}_middle.flexion"] = middle
            values[f"{finger.name}_end.flexion"] = COUPLING * middle
            if finger is not THUMB:
                values[f"{finger.name}_base.spread"] = spread * (1.5 - k)
        return Pose.rest(figure).with_values({dof: float(np.radians(angle)) for dof, angle in values.items()})

    return grip((60.0, 65.0, 70.0, 75.0), 0.0, -20.0, 30.0), grip((20.0, 10.0, 45.0, 60.0), 4.0, 5.0, 10.0)


def _coupling_error(figure: Figure, q: Array) -> float:
    """How far a last joint is from its share of the one before, degrees, the worst of all frames."""
    worst = 0.0
    for finger in (*FINGERS, THUMB):
        end, middle = (figure.dof_index(f"{finger.name}_{part}.flexion") for part in ("end", "middle"))
        worst = max(worst, float(np.degrees(np.abs(q[:, end] - COUPLING * q[:, middle]).max())))
    return worst


def _hand_picture(result: PoseResult, switch: int, sets: Sequence[Mapping[str, Point]]) -> Picture:
    assert result.path is not None
    rows = []
    for wanted, moments in ((sets[0], (0, 8, 25, switch)), (sets[1], (switch + 1, switch + 8, switch + 25, -1))):
        marks = tuple(
            Mark.target(point, colour=colour, radius=0.004)
            for point, colour in zip(wanted.values(), ("sky", "leaf", "sand", "plum", "red"), strict=True)
        )
        frames = np.array(moments) % len(result.path)
        rows.append(strip(result.path, frames, marks, Direction(azimuth=0.9, elevation=0.35), width=230, height=185))
    return np.vstack(rows)


def strip(
    path: Motion, frames: Array, marks: tuple[Mark, ...], direction: Direction, *, width: int, height: int
) -> Picture:
    """Moments of a path side by side, seen by one camera."""
    scenes = [Scene(bodies=(SceneBody(pose=path.pose(int(k))),), marks=marks) for k in frames]
    camera = Extent.of(*scenes).camera(direction, aspect=width / height)
    return np.hstack(
        [labelled(render(s, width, height, camera=camera), f"frame {k}") for s, k in zip(scenes, frames, strict=True)]
    )
