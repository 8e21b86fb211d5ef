"""A motion smoothed as a whole: jitter goes; limits, and goals served strictly first, stay as they are.

Beyond the paper, whose frames look back only. With δ what the frames add to the example, it minimises

    Σ_frames G + κ Σ_dofs ‖Δ³ δ‖²,    G the objective of a frame without its rates, Δ³ third differences

by splitting (ADMM: Boyd et al. 2011): frames are solved one by one near a smooth motion z, and z is one banded system
over all frames near the frames found; what parts them is added up in u. Frames are what is handed back, so what frames
keep is kept. The example's own dynamics, however sudden, cost nothing.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from posewright.checks import require
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.kernels.tables import SLIDE
from posewright.motions import Motion
from posewright.problem.frame_objective import chart_balls, in_chart_of, out_of_chart_of
from posewright.problem.motion_lowering import LoweredMotion
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.motion_result import MotionResult
from posewright.solvers.motion.solve_motion import solve_motion
from posewright.solvers.solver import Solver

_THIRD = np.array([-1.0, 3.0, -3.0, 1.0])


def refined(
    result: MotionResult,
    solver: Solver | None = None,
    *,
    frequency: float = 8.0,
    strength: float = 0.1,
    rounds: int = 6,
) -> MotionResult:
    """The result with what it added to the example smoothed over all frames.

    Args:
        result: of `solve_motion`, or of this.
        solver: of the frames, as in `solve_motion`.
        frequency: Hz: changes quicker than this are jitter; at this rate smoothness weighs `strength`.
        strength: weight of smoothness, over that of a track.
        rounds: how often frames and smooth motion are brought together.
    """
    require(result, MotionResult, "what is refined", "a MotionResult, such as solve_motion(problem)")
    fps, lowered = result.motion.fps, result.lowered
    if not 0.0 < frequency <= 0.5 * fps:
        raise InvalidSetting(
            f"frequency is {frequency} Hz; at {fps:g} frames per second it must be up to {0.5 * fps:g}"
        )
    if not strength > 0.0 or rounds < 1:
        raise InvalidSetting(f"strength is {strength} and rounds {rounds}; they must be positive")
    balls = chart_balls(lowered.problem.figure) if lowered.problem.space.is_identity else ()
    moving = lowered.frame.dofs["scale"] > 0.0
    roughness = (fps / (2.0 * np.pi * frequency)) ** 6
    added = _added(lowered, result.motion.q, balls) * moving
    u = np.zeros(added.shape)
    found = result
    for _ in range(rounds):
        z = _smooth(added + u, lowered.begins, roughness)
        u += added - z
        found = solve_motion(_near(lowered, strength, z - u, balls), solver)
        added = _added(lowered, found.motion.q, balls) * moving
    return replace(found, lowered=lowered)


def _added(lowered: LoweredMotion, q: Array, balls: tuple[int, ...]) -> Array:
    """δ (frames, dofs)."""
    added = q - lowered.references
    turned = in_chart_of(lowered.references, q, balls)
    for d in balls:
        added[:, d : d + 3] = turned[:, d : d + 3]
    return added


def _near(lowered: LoweredMotion, strength: float, wanted: Array, balls: tuple[int, ...]) -> MotionProblem:
    """The problem of the frames with a pull to the deviations `wanted` (frames, dofs) besides that to the example.

    Both are one: β δ² + ρ (δ - w)² is (β + ρ)(δ - ρ w / (β + ρ))² and a constant.
    """
    problem, figure = lowered.problem, lowered.problem.figure
    pull = strength * lowered.heaviest * lowered.units
    total = lowered.example + pull
    target = pull / total * wanted
    reference = lowered.references + target
    turned = out_of_chart_of(lowered.references, target, balls)
    for d in balls:
        reference[:, d : d + 3] = turned[:, d : d + 3]
    turning = np.where(figure.tables.dofs["kind"] == SLIDE, 1.0, lowered.length**2)
    weights = dict(zip(figure.dof_names, (total / turning).tolist(), strict=True))
    guidance = replace(
        problem.guidance, example=1.0, weights=weights, stiffness=0.0, track_velocity=0.0, track_acceleration=0.0,
        example_velocity=0.0, example_acceleration=0.0,
    )  # fmt: skip
    motion = Motion(problem.reference.figure, reference, problem.reference.fps, problem.reference.name)
    return problem.with_guidance(guidance).with_reference(motion)


def _smooth(values: Array, begins: npt.NDArray[np.int8], roughness: float) -> Array:
    """The z (frames, dofs) that minimises ‖z - values‖² + roughness ‖Δ³ z‖², from cut to cut."""
    from scipy.linalg import cho_solve_banded, cholesky_banded  # slow to import, needed here only

    found = values.copy()
    edges = [*np.flatnonzero(begins).tolist(), len(values)]
    for low, high in itertools.pairwise(edges):
        n = high - low
        if n < len(_THIRD):
            continue
        # Upper bands of I + roughness · DᵀD, D the third differences.
        bands = np.zeros((len(_THIRD), n))
        bands[-1] = 1.0
        for apart in range(len(_THIRD)):
            products = _THIRD[: len(_THIRD) - apart] * _THIRD[apart:]
            for k, product in enumerate(products):
                columns = slice(k + apart, n - len(_THIRD) + 1 + k + apart)
                bands[-1 - apart, columns] += roughness * product
        found[low:high] = cho_solve_banded((cholesky_banded(bands), False), values[low:high])
    return found
