"""Curves over time with continuous accelerations, from which clips are drawn, and rotations along them.

Times are seconds; `t` is any array of times and the answer has its shape, with the values' own axes after it.
A *turn* is a rotation (..., 3, 3) of a segment against how it stands at rest, facing +z, in the world's axes: the
identity when the figure stands relaxed, whatever its joints' own frames are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.motions import splines
from posewright.rotations import matrix_from_vector, vector_from_matrix


def ease(t: Array, start: float, end: float) -> Array:
    """0 until `start`, 1 from `end`, a minimum-jerk step between: zero speed and acceleration at both ends."""
    return splines.ease((np.asarray(t, dtype=np.float64) - start) / (end - start))


def through(t: Array, keys: Sequence[tuple[float, npt.ArrayLike]]) -> Array:
    """The smooth curve through keys (time, value), at rest at both ends and constant beyond them.

    Speeds at the keys are those of Fritsch and Carlson, so that nothing overshoots its keys; accelerations lie
    between those that a cubic would have before and after the key.
    """
    times = np.array([time for time, _ in keys])
    values = np.array([value for _, value in keys], dtype=np.float64)
    from scipy.interpolate import PchipInterpolator  # slow to import, needed here only

    cubic = PchipInterpolator(times, values)
    rates, bends = cubic(times, 1), np.zeros_like(values)
    rates[0] = rates[-1] = 0.0
    h = np.diff(times).reshape(-1, *(1,) * (values.ndim - 1))
    slopes = np.diff(values, axis=0) / h
    arriving = (2.0 * rates[:-1] + 4.0 * rates[1:] - 6.0 * slopes) / h
    leaving = (6.0 * slopes - 4.0 * rates[:-1] - 2.0 * rates[1:]) / h
    before, after = arriving[:-1], leaving[1:]
    agree = before * after > 0.0
    bends[1:-1] = np.where(agree, 0.6 * np.sign(before) * np.minimum(np.abs(before), np.abs(after)), 0.0)
    return quintic(t, list(zip(times, values, rates, bends, strict=True)), hold=True)


def periodic(phase: Array, keys: Sequence[tuple[float, float]]) -> Array:
    """The smooth periodic curve through keys (phase in [0, 1), value); `phase` may be any number of turns."""
    first = keys[0]
    phases = np.array([p for p, _ in keys] + [first[0] + 1.0])
    values = np.array([v for _, v in keys] + [first[1]])
    from scipy.interpolate import CubicSpline  # slow to import, needed here only

    curve: Array = CubicSpline(phases, values, bc_type="periodic")(phases[0] + np.mod(phase - phases[0], 1.0))
    return curve


def quintic(
    t: Array, nodes: Sequence[tuple[float, npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]], *, hold: bool = False
) -> Array:
    """The curve through nodes (time, value, rate, acceleration), a fifth-degree polynomial between each two.

    Beyond the nodes the first and last polynomials continue, or the first and last values if `hold`.
    """
    times = np.array([node[0] for node in nodes])
    derivatives = [np.array([value, rate, acceleration], dtype=np.float64) for _, value, rate, acceleration in nodes]
    at = np.clip(t, times[0], times[-1]) if hold else t
    from scipy.interpolate import BPoly  # slow to import, needed here only

    curve: Array = BPoly.from_derivatives(times, derivatives)(at)
    return curve


def turn(*, left: npt.ArrayLike = 0.0, forward: npt.ArrayLike = 0.0, right: npt.ArrayLike = 0.0) -> Array:
    """Face further left, then lean forward, then lean to the right (rad, any shapes that broadcast)."""
    yaw, pitch, roll = np.broadcast_arrays(left, forward, right)
    return about((0.0, 1.0, 0.0), yaw) @ about((1.0, 0.0, 0.0), pitch) @ about((0.0, 0.0, 1.0), roll)


def about(axis: npt.ArrayLike, angle: npt.ArrayLike) -> Array:
    """Rotation by `angle` (...) rad about a unit axis (3,) or (..., 3)."""
    return matrix_from_vector(np.asarray(angle, dtype=np.float64)[..., None] * np.asarray(axis, dtype=np.float64))


def between(a: Array, b: Array, fraction: Array) -> Array:
    """From turns a to b (..., 3, 3), a fraction (...) of the rotation between them."""
    return a @ matrix_from_vector(np.asarray(fraction)[..., None] * vector_from_matrix(np.swapaxes(a, -1, -2) @ b))


def apply(turns: Array, vectors: Array) -> Array:
    """Vectors (..., 3) turned by (..., 3, 3)."""
    turned: Array = np.einsum("...ij,...j->...i", turns, vectors)
    return turned
