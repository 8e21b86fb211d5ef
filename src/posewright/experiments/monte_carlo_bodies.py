"""Sequential Monte Carlo (Courty & Arnaud 2008, figures 4, 5): a person with planted feet (3-E), a hand (3-F)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

import posewright as pw
from posewright.conventions import Array
from posewright.experiments.experiment import Outcome, experiment
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
BAND = 0.005 * HEIGHT
HANDS: Mapping[str, Vector] = {"left_hand": (0.35, 0.55, 0.45), "right_hand": (-0.30, 0.75, 0.40)}
SOLES = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")
PERSON = pw.SequentialMonteCarlo(polish=False, project=True)
"""The defaults; feet on the floor are a set too thin for draws, so draws are projected."""


@experiment(
    "3-E",
    "Person with planted feet, a target for each hand",
    accepts="hands within 1 % of the height, feet within the band in every frame, knees bent more than 10 degrees",
)
def planted_person(found: Outcome, seeds: int = 10, by_rejection: int = 200) -> None:
    """A free pelvis, feet that stay on the floor, a target for each hand."""
    found.columns = (
        "feet", "reached", f"worst hand (allowed {10 * HEIGHT:.0f} mm)", f"drift (band {1000 * BAND:.1f} mm)",
        "knees, mean of both", "iterations", "draws accepted",
    )  # fmt: skip
    rest = pw.Pose.rest(human40(height=HEIGHT))
    goals = [pw.Position(site, point, tolerance=0.01 * HEIGHT) for site, point in HANDS.items()]
    problem = pw.Problem(rest.figure, goals, predicates=[NearPoints.at(rest, SOLES, BAND)])
    projected = [replace(PERSON, seed=seed) for seed in range(1, seeds + 1)]
    plain = replace(PERSON, project=False, max_iterations=by_rejection)
    results = [solver.solve(problem) for solver in found.each([*projected, plain])]
    for words, these in (("feet projected, then judged", results[:-1]), ("rejection alone", results[-1:])):
        worst = max(max(result.errors.values()) for result in these)
        drift = max(_drift(_path(result), rest) for result in these)
        knees = [_knees(result.pose) for result in these]
        acceptance = np.mean([result.history["acceptance"][1:].mean() for result in these])
        found.row(
            words, f"{sum(result.reached for result in these)}/{len(these)}", f"{1000 * worst:.0f} mm",
            f"{1000 * drift:.1f} mm", f"{min(knees):.0f}-{max(knees):.0f}°",
            f"{np.median([result.iterations for result in these]):g}", f"{100 * acceptance:.0f} %",
        )  # fmt: skip
        found.require(drift <= BAND, f"{words}: feet drift {1000 * drift:.1f} mm, more than {1000 * BAND:.1f} mm")
    found.require(
        all(result.reached for result in results[:-1]), "a hand misses its target by more than 1 % of the height"
    )
    found.require(min(_knees(result.pose) for result in results[:-1]) > 10.0, "the knees bend by 10 degrees or less")
    found.note(
        "paper: both hands reached, knees bend; feet by acceptance and rejection",
        "the drift is the worst of heels and toe tips over all frames and seeds",
        "planted feet are a set too thin to be hit: by rejection alone nearly every draw is refused, and it takes "
        f"{results[-1].iterations} iterations of {by_rejection}",
        "the defaults, with projection",
    )
    marks = [
        Mark.target(point, colour=colour, radius=0.025)
        for point, colour in zip(HANDS.values(), ("sky", "sand"), strict=True)
    ]
    seen_from = Direction(azimuth=0.75, elevation=0.2)
    found.draw = lambda: _strip(_path(results[0]), (0, 1, 2, 4, -1), marks, seen_from, 190, 340)


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
FINGERS_FILTER = pw.SequentialMonteCarlo(polish=False, gain=0.1, max_iterations=2 * SWITCH)
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
    tips = [site.name for site in figure.sites if site.tip]
    sets = [{tip: vector(pose.point(tip)) for tip in tips} for pose in _grips(figure)]
    problem = pw.Problem(figure, [pw.Position(tip, sets[0][tip], tolerance=NEAR) for tip in tips])
    paths = []
    for seed in found.each(range(1, seeds + 1)):
        solver = replace(FINGERS_FILTER, seed=seed, max_iterations=2 * iterations)
        path = _path(solver.follow(problem, lambda k: sets[0] if k < iterations else sets[1]))
        points = site_frames(figure, path.q, tips).points
        misses = [
            float(np.linalg.norm(points[frame] - np.array(list(wanted.values())), axis=-1).max())
            for frame, wanted in zip((iterations, -1), sets, strict=True)
        ]
        coupling = _coupling_error(figure, path.q)
        leap = float(np.linalg.norm(np.diff(points, axis=0), axis=-1).max())
        found.row(f"seed {seed}", *(f"{1000 * miss:.2f} mm" for miss in misses), f"{coupling:.1g}°",
                  f"{1000 * leap:.1f} mm")  # fmt: skip
        found.require(max(misses) <= NEAR, f"seed {seed}: a tip is {1000 * max(misses):.2f} mm from its target")
        found.require(coupling <= 2.0, f"seed {seed}: coupled joints are {coupling:.1f} degrees apart")
        found.require(leap <= LEAP, f"seed {seed}: a tip jumps {1000 * leap:.0f} mm between two frames")
        paths.append(path)
    found.note(
        "paper: plausible motion (pictures); a biomechanical constraint links the last two joints of each finger",
        "the last joints follow the ones before exactly, because equalities are sampled in their free coordinates",
    )
    found.draw = lambda: _hand_picture(paths[0], iterations, sets)


def _grips(figure: pw.Figure) -> tuple[pw.Pose, pw.Pose]:
    """Where the targets come from: fingers closed around something, and the index and middle finger stretched."""

    def grip(bends: Sequence[float], spread: float, wrist: float, thumb: float) -> pw.Pose:
        values = {"wrist.flexion": wrist}
        for k, (finger, bend) in enumerate(zip((*FINGERS, THUMB), (*bends, thumb), strict=True)):
            middle = bend * (1.2 if finger is not THUMB else 1.0)
            values[f"{finger.name}_base.flexion"] = bend
            values[f"{finger.name}_middle.flexion"] = middle
            values[f"{finger.name}_end.flexion"] = COUPLING * middle
            if finger is not THUMB:
                values[f"{finger.name}_base.spread"] = spread * (1.5 - k)
        return pw.Pose.rest(figure).with_values({dof: float(np.radians(angle)) for dof, angle in values.items()})

    return grip((60.0, 65.0, 70.0, 75.0), 0.0, -20.0, 30.0), grip((20.0, 10.0, 45.0, 60.0), 4.0, 5.0, 10.0)


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
