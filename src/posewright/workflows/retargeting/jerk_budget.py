"""A retargeted motion that jerks no more than allowed.

The noise of a recording grows with the figure, hinges have kinks at their limits, and so has a body whose planted feet
ask for more than limits allow. Therefore the transferred posture is smoothed before feet are planted. If the solved
motion still jerks, it is smoothed, and each frame is solved again for the nearest pose that keeps contacts and limits.
These two steps alternate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.checks import require_number
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.kinematics import joint_positions
from posewright.goals import Goal
from posewright.goals.timed import Timed
from posewright.matching import JointMatch
from posewright.motions import Motion
from posewright.motions.smoothing import JerkSpectrum, smoothed_q
from posewright.problem import MotionProblem, MotionResult
from posewright.solvers.solver import Solver

Plant = Callable[[Array, float, bool], Sequence[Timed | Goal]]
"""Makes goals for feet from frames (frames, dofs) that were smoothed with λ, so that they keep their contacts; the last
argument: whether soles may move a little at the ends of contacts."""

ALLOWED = 1.25
"""Times the source's jerk: the default."""
_ROOM = 0.8
"""Share of the allowed jerk that smoothing aims at, because planting feet adds some."""
_ROUNDS = 6
_WORTH = 0.97
"""A round is worthwhile if it leaves at most this share of the jerk."""
_BLOCK = 4096
"""Frames at a time."""


@dataclass(frozen=True)
class JerkBudget:
    """How much a motion may jerk."""

    source: float
    """m/s³: jerk of the source, scaled to the target's size"""
    allowed: float
    """m/s³"""
    joints: tuple[int, ...]
    """Of the target, over which jerk is measured."""
    first_frame: int = 0
    """Number of the first frame in the source's file."""

    @classmethod
    def beside(cls, source: Motion, times: float, match: JointMatch) -> JerkBudget:
        """A multiple of the source's, over the joints that recordings capture; 0: no limit."""
        accepted = "how many times the source's jerk is allowed, or 0 not to smooth"
        require_number(times, "smooth", accepted, at_least=0.0)
        if times == 0.0:
            return cls(0.0, math.inf, ())
        size = match.target.segments.leg_length / match.source.segments.leg_length
        own = size * _spectrum(source, match.source.captured).jerk
        return cls(own, times * own, match.target.captured, source.first_frame)

    def smoothed(self, figure: Figure, q: Array, fps: float) -> tuple[Array, tuple[str, ...]]:
        """Frames (frames, dofs), smooth enough for the jerk that the solve adds, and a sentence about the smoothing."""
        if math.isinf(self.allowed):
            return q, ()
        spectrum = JerkSpectrum.of(figure, q, fps, self.joints)
        roughness = spectrum.roughness_for(_ROOM * self.allowed)
        if roughness == 0.0:
            return q, ()
        smooth = smoothed_q(figure, q, roughness)
        furthest, joint, frame = _furthest(figure, q, smooth)
        halved = spectrum.frequency_of(roughness)
        waves = (
            f"frequencies from {halved:.0f} Hz up are at least halved"
            if halved < 0.49 * fps
            else "the highest frequencies are reduced"
        )
        note = (
            f"jerk was {_times(spectrum.jerk, self.source)} the source's: {waves}, which moves joints by "
            f"{1e3 * spectrum.moved(roughness):.3g} mm (root mean square), by at most {1e3 * furthest:.3g} mm "
            f"({joint!r}, frame {self.first_frame + frame})"
        )
        return smooth, (note,)

    def kept(
        self, result: MotionResult, solver: Solver, plant: Plant, is_no_worse: Callable[[Array, Array], bool]
    ) -> MotionResult:
        """The solved motion, or one near it that jerks less, keeps contacts and limits as strictly, and is no worse.

        Args:
            result: the solved motion.
            solver: of its frames.
            plant: makes the goals for smooth frames.
            is_no_worse: whether frames (frames, dofs) are as good as others, apart from how they jerk.
        """
        if math.isinf(self.allowed):
            return result
        found, spectrum, settling = result, _spectrum(result.motion, self.joints), False
        for _ in range(_ROUNDS):
            if spectrum.jerk <= self.allowed:
                break
            roughness = spectrum.roughness_for(_ROOM * self.allowed)
            smooth = smoothed_q(found.motion.figure, found.motion.q, roughness)
            tried = solver.solve(_near(result.problem, smooth, plant(smooth, roughness, settling)))
            after = _spectrum(tried.motion, self.joints)
            if after.jerk < _WORTH * spectrum.jerk and is_no_worse(tried.motion.q, result.motion.q):
                found, spectrum = tried, after
            elif settling:
                break
            else:
                settling = True
        warnings = self._warnings(result, found, spectrum.jerk)
        return replace(found, problem=result.problem, goals=result.goals, solver_warnings=warnings)

    def _warnings(self, result: MotionResult, found: MotionResult, jerk: float) -> tuple[str, ...]:
        """Warnings on what solving again did and on the jerk that is left."""
        notes = list(found.solver_warnings)
        if found is not result:
            far, joint, frame = _furthest(found.motion.figure, result.motion.q, found.motion.q)
            notes.append(
                "planting feet added jerk: the motion was smoothed and planted again, which moves joints by at most "
                f"{1e3 * far:.3g} mm ({joint!r}, frame {self.first_frame + frame})"
            )
        if jerk > self.allowed:
            notes.append(
                f"jerk remains {_times(jerk, self.source)} the source's: contacts and limits prevented more smoothing"
            )
        return tuple(notes)


def _spectrum(motion: Motion, joints: Sequence[int]) -> JerkSpectrum:
    return JerkSpectrum.of(motion.figure, motion.q, motion.fps, joints)


def _near(problem: MotionProblem, q: Array, goals: Sequence[Timed | Goal]) -> MotionProblem:
    """The problem of frames near `q` (frames, dofs), with strict goals of priority 1 and within limits."""
    priorities = [goal.goal.priority if isinstance(goal, Timed) else goal.priority for goal in goals]
    imitation = replace(problem.imitation, exact=problem.imitation.exact or 1 in priorities)
    return problem.with_goals(goals).with_near(replace(problem.near, q=q)).with_imitation(imitation)


def _furthest(figure: Figure, q: Array, other: Array) -> tuple[float, str, int]:
    """The greatest distance of a joint between frames and others, m; which joint, in which frame."""
    found = (0.0, 0, 0)
    for start in range(0, len(q), _BLOCK):
        some = slice(start, start + _BLOCK)
        moved = joint_positions(figure, other[some]) - joint_positions(figure, q[some])
        far = np.einsum("fji,fji->fj", moved, moved)
        frame, joint = np.unravel_index(int(np.argmax(far)), far.shape)
        found = max(found, (float(far[frame, joint]), int(joint), start + int(frame)))
    return math.sqrt(found[0]), figure.joint_names[found[1]], found[2]


def _times(value: float, other: float) -> str:
    return f"{value / other:.2f} times" if other > 0.0 else "more than"
