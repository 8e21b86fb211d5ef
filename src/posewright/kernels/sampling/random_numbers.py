"""Random numbers without a state: each is a hash of a key and a counter (splitmix64, Steele, Lea & Flood 2014).

A number that belongs to (seed, iteration, particle, coordinate) is the same whoever asks for it, and whenever: the
order of the work, the number of threads and how solves are batched change nothing.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import cosine_and_sinc


@kernel
def key_of(key: np.uint64, number: int) -> np.uint64:
    """The key of one of the streams within a key's."""
    z = key + np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def uniform(key: np.uint64, counter: int) -> float:
    """Above 0 and below 1."""
    return (float(key_of(key, counter) >> np.uint64(11)) + 0.5) * 1.1102230246251565e-16


@kernel
def two_normals(key: np.uint64, counter: int) -> tuple[float, float]:
    """Two independent standard normal numbers (Box & Muller 1958); takes the counters 2·counter and the next."""
    length = math.sqrt(-2.0 * math.log(uniform(key, 2 * counter)))
    half = math.pi * (uniform(key, 2 * counter + 1) - 0.5)  # of a uniform angle
    cosine, sinc = cosine_and_sinc(half * half)
    sine = half * sinc
    return length * (1.0 - 2.0 * sine * sine), length * 2.0 * sine * cosine
