"""The objective of a frame collapsed to one target per track and one reference pose (Tak & Ko, section 4.2).

With the frames before known, ‖e - e₁ - (E - E₁)‖² is the squared distance of e to e₁ + E - E₁, and so on; a weighted
sum of squared distances to points is one squared distance to their mean, and a constant. Ball joints are compared in
the chart of the frame's example rotation, q = Θ·exp(w), where all are differences of vectors: there it is exact.

Symbols: E track, e site, Θ example, q answer; an index counts frames back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.problem.imitation import Imitation
from posewright.rotations import (
    quaternion_conjugate,
    quaternion_from_vector,
    quaternion_multiply,
    vector_from_quaternion,
)


@dataclass(frozen=True, eq=False)
class Before:
    """What is known of the two frames before; values of one kind, such as sites (terms, 3) or dofs (dofs,)."""

    known: int
    """How many frames before are known: 0 and 1 switch velocity and acceleration off; more than 2 count as 2."""
    wanted1: Array
    wanted2: Array
    answer1: Array
    answer2: Array


def collapsed(wanted: Array, velocity: float, acceleration: float, before: Before) -> tuple[Array, float]:
    """The one point to be near instead of place, velocity and acceleration, and the factor of its squared distance."""
    velocity = velocity if before.known >= 1 else 0.0
    acceleration = acceleration if before.known >= 2 else 0.0
    total = 1.0 + velocity + acceleration
    e1, e2, E1, E2 = before.answer1, before.answer2, before.wanted1, before.wanted2
    point = wanted
    if velocity:
        point = point + velocity * (e1 + wanted - E1)
    if acceleration:
        point = point + acceleration * (2.0 * e1 - e2 + wanted - 2.0 * E1 + E2)
    mean: Array = point / total
    return mean, total


def collapsed_pose(
    imitation: Imitation, example: Array, stiffness: Array, reference: Array, before: Before
) -> tuple[Array, Array]:
    """The reference pose and the weights (dofs,) that take the place of example, its rates, and stiffness.

    Args:
        imitation: factors of velocity and acceleration.
        example: (dofs,) weights of the squared distance to the example.
        stiffness: (dofs,) weights of the squared distance to the frame before.
        reference: (dofs,) the example; as all poses here in the frame's chart.
        before: examples and answers of the frames before.
    """
    mean, total = collapsed(reference, imitation.example_velocity, imitation.example_acceleration, before)
    stiff = stiffness if before.known >= 1 else np.zeros(len(stiffness))
    weights: Array = total * example + stiff
    blend = np.where(weights > 0.0, stiff / np.maximum(weights, 1e-300), 0.0)
    pose: Array = mean + blend * (before.answer1 - mean) if before.known >= 1 else mean
    return pose, weights


def chart_balls(figure: Figure) -> tuple[int, ...]:
    """First dofs of the balls that are compared in the chart of the example: those without limits."""
    found = []
    for index, joint in enumerate(figure.joints):
        if joint.ball is not None:
            first = figure.dof_slice(index).stop - 3
            limits = (figure.lower[first : first + 3], figure.upper[first : first + 3])
            if np.isinf(limits).all():
                found.append(first)
    return tuple(found)


def in_chart_of(reference: Array, q: Array, balls: tuple[int, ...]) -> Array:
    """`q` (..., dofs) with its balls as rotation vectors from those of `reference`."""
    return _recharted(q, reference, balls, inverse=True)


def out_of_chart_of(reference: Array, q: Array, balls: tuple[int, ...]) -> Array:
    """The inverse of `in_chart_of`."""
    return _recharted(q, reference, balls, inverse=False)


def _recharted(q: Array, reference: Array, balls: tuple[int, ...], *, inverse: bool) -> Array:
    if not balls:
        return q
    found = q.copy()
    columns = np.array([[d, d + 1, d + 2] for d in balls])
    chart = quaternion_from_vector(reference[..., columns])
    if inverse:
        chart = quaternion_conjugate(chart)
    turned = quaternion_multiply(chart, quaternion_from_vector(q[..., columns]))
    found[..., columns] = vector_from_quaternion(turned)
    return found
