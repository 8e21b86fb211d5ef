"""Curves over time with continuous accelerations, from which clips are drawn.

Times are seconds; `t` is any array of times and the answer has its shape, with the values' own axes after it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.interpolate import BPoly, CubicSpline, PchipInterpolator

from posewright.conventions import Array


def ease(t: Array, start: float, end: float) -> Array:
    """0 until `start`, 1 from `end`, a minimum-jerk step between: zero speed and acceleration at both ends."""
    s = np.clip((np.asarray(t, dtype=np.float64) - start) / (end - start), 0.0, 1.0)
    step: Array = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
    return step


def through(t: Array, keys: Sequence[tuple[float, npt.ArrayLike]]) -> Array:
    """The smooth curve through keys (time, value), at rest at both ends and constant beyond them.

    Speeds at the keys are those of Fritsch and Carlson, so that nothing swings beyond its keys; accelerations lie
    between those that a cubic would have before and after the key.
    """
    times = np.array([time for time, _ in keys])
    values = np.array([value for _, value in keys], dtype=np.float64)
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
    nodes = list(zip(times, values, rates, bends, strict=True))
    return quintic(np.clip(t, times[0], times[-1]), nodes)


def round_and_round(phase: Array, keys: Sequence[tuple[float, float]]) -> Array:
    """The smooth periodic curve through keys (phase in [0, 1), value); `phase` may be any number of turns."""
    first = keys[0]
    phases = np.array([p for p, _ in keys] + [first[0] + 1.0])
    values = np.array([v for _, v in keys] + [first[1]])
    curve: Array = CubicSpline(phases, values, bc_type="periodic")(phases[0] + np.mod(phase - phases[0], 1.0))
    return curve


def quintic(t: Array, nodes: Sequence[tuple[float, npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]]) -> Array:
    """The curve through nodes (time, value, rate, acceleration), a fifth-degree polynomial between each two.

    Outside the nodes the first and last polynomials go on.
    """
    derivatives = [np.array([value, rate, acceleration], dtype=np.float64) for _, value, rate, acceleration in nodes]
    curve: Array = BPoly.from_derivatives(np.array([node[0] for node in nodes]), derivatives)(t)
    return curve


def wander(rng: np.random.Generator, t: Array, amount: float) -> Array:
    """Slow aimless movement (frames,) of about `amount`, as a living body has: three sines of 0.2 to 1.1 Hz."""
    rates = rng.uniform([0.2, 0.4, 0.8], [0.4, 0.8, 1.1])
    phases = rng.uniform(0.0, 2.0 * np.pi, 3)
    sines: Array = np.sin(2.0 * np.pi * np.multiply.outer(t, rates) + phases) @ np.array([0.6, 0.4, 0.2])
    return amount * sines
