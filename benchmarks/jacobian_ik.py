"""Classic inverse kinematics by the Jacobian of one point, a step at a time: baselines of Courty & Arnaud, figure 3.

As they compare them: the transpose and the damped pseudo-inverse, with the Jacobian by finite differences. Beside these
the same with an analytic Jacobian, which is what anyone would do. Forward kinematics and Jacobians are ours, compiled.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

import posewright as pw

Array = npt.NDArray[np.float64]
Step = Callable[[Array], Array]

_DIFFERENCE = 1e-6  # rad
_DAMPING = 0.1  # m


def by_differences(figure: pw.Figure, q: Array, site: str) -> tuple[Array, Array]:
    """Point and Jacobian (3, dofs) from one pose more than there are dofs."""
    poses = np.concatenate([q[None], q + _DIFFERENCE * np.eye(len(q))])
    points = pw.figures.kinematics.site_frames(figure, poses, [site]).points[:, 0]
    return points[0], (points[1:] - points[0]).T / _DIFFERENCE


def analytic(figure: pw.Figure, q: Array, site: str) -> tuple[Array, Array]:
    """Point and Jacobian (3, dofs) from the axes of the joints."""
    return pw.figures.kinematics.site_frames(figure, q, [site]).points[0], pw.figures.kinematics.site_jacobians(
        figure, q, [site]
    )[0, :3]


def transposed(J: Array, gap: Array) -> Array:
    """A step down the slope, as long as is best for the linear model."""
    d = J.T @ gap
    forward = J @ d
    return d * (gap @ forward) / max(forward @ forward, 1e-300)


def damped(J: Array, gap: Array) -> Array:
    """Jᵀ (J Jᵀ + λ²I)⁻¹ gap."""
    step: Array = J.T @ np.linalg.solve(J @ J.T + _DAMPING**2 * np.eye(3), gap)
    return step


def baselines(figure: pw.Figure, site: str, target: Array) -> dict[str, Step]:
    """One iteration of each, q to q."""

    def step(
        jacobian: Callable[[pw.Figure, Array, str], tuple[Array, Array]], solve: Callable[[Array, Array], Array]
    ) -> Step:
        def move(q: Array) -> Array:
            point, J = jacobian(figure, q, site)
            return q + solve(J, target - point)

        return move

    return {
        "Jacobian transpose, finite differences": step(by_differences, transposed),
        "damped pseudo-inverse, finite differences": step(by_differences, damped),
        "Jacobian transpose, analytic": step(analytic, transposed),
        "damped pseudo-inverse, analytic": step(analytic, damped),
    }
