"""Where the elbow of a hand that grips something is held: where the joints of the arm are farthest from their limits.

A hand whose place and orientation are both given leaves an arm one freedom, the swivel of the elbow about the line
from shoulder to wrist. Of a fan of swivels in every moment, the path through them is chosen that strains the joints
least without haste, and drawn as a spline, so that no joint runs into its limit and stops there with a jerk.
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline

from posewright.clips.biped import Arm, Biped
from posewright.clips.turns import about, apply, unit
from posewright.conventions import Array
from posewright.figures.figure import Figure
from posewright.motions.filters import gaussian

_MOMENTS_PER_SECOND = 24.0
_FAN = np.linspace(-1.8, 1.8, 37)
"""rad"""
_STEEPNESS = 10
"""The strain of a joint is this power of its angle from the middle of its range, 1 at the limit."""
_BORDER = 0.3
"""rad, from the border of a linear constraint at which its strain begins."""
_HASTE = 3.0
"""Strain of a swivel by 1 rad from one moment to the next."""


def easiest_elbow(biped: Biped, arm: Arm, t: Array, chest: Array, shoulder: Array, palm: Array, points: Array) -> Array:
    """Direction (frames, 3) in which the elbow points so that the hand's joints stay inside their limits.

    Args:
        biped: whose arm.
        arm: which of the two.
        t: (frames,), s.
        chest: (frames, 3, 3) turn of the chest.
        shoulder: (frames, 3), m.
        palm: (frames, 3, 3) world_from_palm.
        points: (frames, 3), m, of the palm.
    """
    wrist = points - apply(palm, arm.wrist_to_palm)
    line = unit(wrist - shoulder)
    outward = apply(chest, np.array([0.6 * arm.outward, -0.75, -0.3]))
    n = max(4, round((t[-1] - t[0]) * _MOMENTS_PER_SECOND)) + 1
    chosen = np.unique(np.round(np.linspace(0, len(t) - 1, n)).astype(int))
    moments = (chest[chosen], shoulder[chosen], palm[chosen], wrist[chosen])
    fan = [apply(about(line[chosen], swivel), outward[chosen]) for swivel in _FAN]
    strain = np.stack([_strain(biped, arm, *moments, pole) for pole in fan], axis=1)
    swivel = gaussian(_FAN[_least(strain)], 1.5)
    return apply(about(line, CubicSpline(t[chosen], swivel, bc_type="clamped")(t)), outward)


def _strain(biped: Biped, arm: Arm, chest: Array, shoulder: Array, palm: Array, wrist: Array, pole: Array) -> Array:
    """How much (frames,) the joints from shoulder to hand are strained with the elbow towards `pole`."""
    figure = biped.figure
    q = np.tile(figure.rest, (len(wrist), 1))
    upper, angles, _ = arm.to_wrist.place(shoulder, wrist, pole)
    arm.shoulder_chain.unbounded().fit(chest @ biped.rest.rotations[arm.shoulder_base], upper, q)
    arm.hand_chain.unbounded().fit(arm.to_wrist.middle_rotations(upper, angles), palm @ arm.palm_from_wrist, q)
    indices = np.concatenate([arm.shoulder_chain.indices, arm.hand_chain.indices])
    lower, upper = figure.lower[indices], figure.upper[indices]
    strain = (np.abs(2.0 * q[:, indices] - lower - upper) / (upper - lower)) ** _STEEPNESS
    return np.asarray(strain.sum(axis=1) + _row_strain(figure, q))


def _row_strain(figure: Figure, q: Array) -> Array:
    """Strain (frames,) of linear constraints, such as the shoulder polygon: 0 well inside, 1 on the border."""
    factors = np.zeros((len(figure.constraints), figure.n_dofs))
    for row, constraint in zip(factors, figure.constraints, strict=True):
        for dof, factor in constraint.coefficients:
            row[figure.dof_index(dof)] = factor
    lower, upper = (np.array([getattr(row, bound) for row in figure.constraints]) for bound in ("lower", "upper"))
    values = q @ factors.T
    beyond = np.maximum(values - upper, lower - values)
    return np.asarray((np.clip(1.0 + beyond / _BORDER, 0.0, None) ** _STEEPNESS).sum(axis=1))


def _least(strain: Array) -> Array:
    """Index (moments,) of the swivel in each moment on the path of least strain (moments, swivels) and haste."""
    haste = _HASTE * (_FAN[:, None] - _FAN[None, :]) ** 2
    total, came_from = strain[0], []
    for now in strain[1:]:
        ways = total[None, :] + haste
        came_from.append(ways.argmin(axis=1))
        total = now + ways.min(axis=1)
    path = [int(total.argmin())]
    for back in reversed(came_from):
        path.append(int(back[path[-1]]))
    return np.array(path[::-1])
