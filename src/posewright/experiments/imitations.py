"""What experiments 2-A to 2-H share: examples of Norman, how others imitate them, and how that is measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import posewright as pw
from posewright.clips import kick, reach, throw
from posewright.conventions import Array
from posewright.figures.catalogue import build
from posewright.figures.kinematics import site_frames
from posewright.kernels.tables import SLIDE
from posewright.problem.motion_lowering import chain_length, lower_motion

FIGURES = ("abnorman1", "abnorman2")
PLACED = ("pelvis.tx", "pelvis.ty", "pelvis.tz")
RATE = 120.0
"""Frames per second, as motion capture has it."""
PRECISE = pw.LeastSquares(tracking=pw.solvers.Tracking.precise())


@dataclass(frozen=True, eq=False)
class Example:
    """A motion of Norman, and the site whose path others follow unscaled while they imitate his angles."""

    motion: pw.Motion
    site: str

    @property
    def path(self) -> Array:
        """(frames, 3), m"""
        points: Array = site_frames(self.motion.figure, self.motion.q, [self.site]).points[:, 0]
        return points

    def problem(self, name: str, weights: pw.Imitation, track: pw.goals.Timed | None = None) -> pw.MotionProblem:
        """On a figure, whose pelvis goes along Norman's path."""
        track = pw.goals.follow(self.site, self.motion) if track is None else track
        return pw.MotionProblem(build(name), [track], self.motion, imitation=weights, frozen=PLACED)

    def on(self, name: str, weights: pw.Imitation, track: pw.goals.Timed | None = None) -> pw.MotionResult:
        """Imitated by a figure."""
        return PRECISE.solve(self.problem(name, weights, track))

    def error(self, result: pw.MotionResult) -> Array:
        """Distance of the site from its track over the length of the chain, in every frame."""
        errors: Array = result.errors_by_frame[self.site] / chain_length(result.problem)
        return errors

    def roughness_by_frame(self, q: Array) -> Array:
        """(frames - 2,), the largest second difference of an angle over the largest that the example has anywhere."""
        turns = turning(self.motion.figure)
        own, theirs = (np.abs(np.diff(a[:, turns], 2, axis=0)) for a in (q, self.motion.q))
        rough: Array = own.max(axis=1) / theirs.max()
        return rough

    def roughness(self, q: Array) -> float:
        """The largest of all frames."""
        return float(self.roughness_by_frame(q).max())


def a_throw(random: np.random.Generator, fps: float = RATE) -> Example:
    """The paper's motion: the right hand leads."""
    power, seed = float(random.uniform(0.8, 1.1)), int(random.integers(2**31))
    return Example(throw(build("norman"), power=power, seed=seed, fps=fps), "right_hand")


def other_examples(random: np.random.Generator, fps: float = RATE) -> dict[str, Example]:
    """By words: motions that the paper does not have."""
    norman, seeds = build("norman"), random.integers(2**31, size=3).tolist()
    target = random.uniform((0.1, 0.8, 0.35), (0.5, 1.4, 0.6))
    return {
        "a throw by the left hand": Example(throw(norman, side="left", seed=seeds[0], fps=fps), "left_hand"),
        "a kick led by the toe, out of reach of short legs": Example(
            kick(norman, seed=seeds[1], fps=fps), "right_toe_tip"
        ),
        "a reach": Example(reach(norman, target, side="left", seed=seeds[2], fps=fps), "left_hand"),
    }


def imitation(beta: float, *, stiffness: float = 0.0, exact: bool = False) -> pw.Imitation:
    """α = 1 - β, and the objective as it is."""
    return pw.Imitation(tracks=1.0 - beta, example=beta, stiffness=stiffness, exact=exact, leap=None)


def angle_error(result: pw.MotionResult) -> float:
    """Mean difference of angles from the example (degrees)."""
    away = np.abs(result.motion.q - lower_motion(result.problem).references)
    return float(np.degrees(away[:, turning(result.motion.figure)].mean()))


def turning(figure: pw.Figure) -> npt.NDArray[np.bool_]:
    """Which dofs are angles."""
    angles: npt.NDArray[np.bool_] = figure.tables.dofs["kind"] != SLIDE
    return angles
