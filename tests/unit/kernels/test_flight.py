"""Falling is told from other ways of moving up and down."""

from __future__ import annotations

import numpy as np
import pytest

from posewright.conventions import Array
from posewright.kernels.motion.free_fall import HIGHEST, LOWEST, MEAN, ROOT, fall, measure_heights

TIME = np.arange(24) / 60.0


@pytest.mark.parametrize("gravity", [1.5, 9.81, 40.0])
def test_the_acceleration_of_a_throw_is_found(gravity: float) -> None:
    heights = 1.0 + 0.2 * gravity * TIME - 0.5 * gravity * TIME**2
    assert np.isclose(fall(heights, 60.0, 1.0), gravity)
    assert fall(heights, 60.0, 1.1 * gravity) == 0.0  # too weak to count
    wobble = 1e-4 * np.sin(200.0 * TIME)
    assert np.isclose(fall(heights + wobble, 60.0, 1.0), gravity, rtol=0.05)


@pytest.mark.parametrize(
    "heights",
    [
        np.ones(24),
        1.0 + 2.0 * TIME,  # carried
        1.0 - 2.0 * TIME + 4.9 * TIME**2,  # bent upwards
        1.0 + 0.1 * np.sin(40.0 * TIME),  # to and fro
        3.0 - 20.0 * TIME - 0.8 * TIME**2,  # hardly bent
    ],
)
def test_other_curves_are_no_fall(heights: Array) -> None:
    assert fall(heights, 60.0, 1.0) == 0.0


def test_heights_are_those_of_the_joints() -> None:
    positions = np.random.default_rng(0).normal(size=(5, 7, 3))
    out = np.empty((4, 5))
    measure_heights(positions, out)
    y = positions[..., 1]
    assert np.array_equal(out[LOWEST], y.min(axis=1))
    assert np.array_equal(out[HIGHEST], y.max(axis=1))
    assert np.allclose(out[MEAN], y.mean(axis=1))
    assert np.array_equal(out[ROOT], y[:, 0])
