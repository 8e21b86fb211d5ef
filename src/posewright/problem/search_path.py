"""The way to an answer, where a solver records one: an estimate per iteration, and other answers found on the way."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.conventions import Array


@dataclass(frozen=True, eq=False)
class Walk:
    """Arrays with one entry per frame: the start, then the estimate of each iteration."""

    q: Array
    """(frames, dofs), of the plain figure"""
    fps: float
    distance: Array
    """(frames,): √(Σ weight‖ρ‖²) of the estimate"""
    n_eff: Array
    """(frames,): effective number of particles, before resampling"""
    acceptance: Array
    """(frames,): share of draws that limits, constraints and predicates let pass"""
    answers: Array
    """(answers, dofs): distinct poses, the best first"""
