"""Fade goals in by moving their targets from the source's values to the wanted ones, so that nothing jumps.

This implements the activation of `goals.timed` for solvers that serve all goals strictly, by priority.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posewright.conventions import Array, BoolArray
from posewright.figures.kinematics import JointFrames, centre_of_mass, joint_frames
from posewright.goals.term import SiteTerm, SiteTrack
from posewright.motions import Motion
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.motion_lowering import rows_of
from posewright.problem.schedule import Schedule

DROPPED = 1e-3
"""Goals whose targets cannot move are weighted instead, and left out below this activation."""


def sliding_targets(lowered: LoweredProblem, schedules: Sequence[Schedule], source: Motion) -> tuple[Array, Array]:
    """Targets (frames, terms, 9) and weights (frames, terms) of goals over time.

    Args:
        lowered: the problem of one frame, of a figure with the joints of the source's.
        schedules: its goals over the frames of the source.
        source: the motion from whose values targets move.
    """
    n_frames = len(source)
    targets = np.repeat(lowered.targets[np.newaxis], n_frames, axis=0)
    weights = np.repeat(lowered.terms["weight"][np.newaxis], n_frames, axis=0)
    frames = joint_frames(source.figure, source.q)
    for schedule, rows in rows_of(lowered, schedules):
        for row in range(rows.start, rows.stop):
            if lowered.terms[row]["partner"] >= 0:
                targets[:, row, :3] = lowered.terms[row]["partner_point"]
        schedule.write(targets, lowered.site_terms, rows)
        share = schedule.activation
        for row in range(rows.start, rows.stop):
            term = lowered.terms[row]
            if term["partner"] >= 0 or term["choice"] >= 0:
                weights[:, row] *= np.where(share >= DROPPED, share, 0.0)
                continue
            weights[:, row] *= share > 0.0
            fading = (share > 0.0) & (share < 1.0)
            if fading.any():
                here = _track(lowered.site_terms[row], term, frames, source, fading)
                wanted = targets[fading, row]
                lowered.site_terms[row].fade(wanted, share[fading, np.newaxis], here)
                targets[fading, row] = wanted
    return targets, weights


def _track(term: SiteTerm, row: np.void, frames: JointFrames, motion: Motion, where: BoolArray) -> SiteTrack:
    """Where a motion has the site of a term, in some frames."""
    turns = frames.rotations[where, row["joint"]]
    if term.site is None:
        points = centre_of_mass(motion.figure, motion.q[where])
    else:
        points = frames.positions[where, row["joint"]] + turns @ row["point"]
    return SiteTrack(points, turns @ row["x_axis"], turns @ row["y_axis"])
