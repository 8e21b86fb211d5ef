"""Motions smoothed as much as their spectrum says is needed; slow movements, rotations, limits and rests are kept."""

import numpy as np
import pytest

import posewright as pw
from posewright.clips import walk
from posewright.figures.kinematics import joint_positions
from posewright.kernels.motion.smoothing import smooth_frames
from posewright.motions import Motion
from posewright.motions.quality.measures import jerks, root_mean_square
from posewright.motions.smoothing import SLOWEST, JerkSpectrum, smoothed_between, smoothed_q
from posewright.rotations import matrix_from_vector


def third_differences(n: int) -> np.ndarray:
    rows = np.zeros((n - 3, n))
    for k in range(n - 3):
        rows[k, k : k + 4] = (-1.0, 3.0, -3.0, 1.0)
    return rows


@pytest.mark.parametrize("n", [4, 5, 6, 40])
@pytest.mark.parametrize("roughness", [0.01, 1.0, 300.0])
def test_the_kernel_solves_the_banded_system(n, roughness):
    generator = np.random.default_rng(n)
    values, weights = generator.normal(size=(n, 3)), generator.uniform(0.1, 5.0, n)
    rows = third_differences(n)
    wanted = np.linalg.solve(np.diag(weights) + roughness * rows.T @ rows, weights[:, None] * values)
    found = values.copy()
    smooth_frames(roughness, weights, np.array([0, 2]), np.empty(0, np.int64), found)
    np.testing.assert_allclose(found[:, [0, 2]], wanted[:, [0, 2]], atol=1e-10)
    np.testing.assert_array_equal(found[:, 1], values[:, 1])


@pytest.fixture(scope="module")
def noisy() -> Motion:
    clip = walk(pw.figure("norman"), seed=1, fps=120.0)
    return clip.with_q(clip.q + np.random.default_rng(0).normal(scale=3e-4, size=clip.q.shape))


def test_the_spectrum_has_the_jerk_that_quality_measures(noisy):
    for n in (3, 4, 100, len(noisy)):
        some = noisy[:n]
        assert JerkSpectrum.of(some.figure, some.q, some.fps).jerk == pytest.approx(
            root_mean_square(jerks(joint_positions(some.figure, some.q), some.fps)), rel=1e-9
        )


@pytest.mark.parametrize("share", [0.9, 0.5, 0.2])
def test_smoothing_is_as_strong_as_needed_and_moves_joints_as_foretold(noisy, share):
    spectrum = JerkSpectrum.of(noisy.figure, noisy.q, noisy.fps)
    roughness = spectrum.roughness_for(share * spectrum.jerk)
    q = smoothed_q(noisy.figure, noisy.q, roughness)
    assert root_mean_square(jerks(joint_positions(noisy.figure, q), noisy.fps)) == pytest.approx(
        share * spectrum.jerk, rel=0.05
    )
    way = joint_positions(noisy.figure, q) - joint_positions(noisy.figure, noisy.q)
    moved = float(np.sqrt(np.mean(np.sum(way**2, axis=-1))))
    assert spectrum.moved(roughness) == pytest.approx(moved, rel=0.1)


def test_what_jerks_little_enough_is_left_alone(noisy):
    spectrum = JerkSpectrum.of(noisy.figure, noisy.q, noisy.fps)
    assert spectrum.roughness_for(spectrum.jerk * 1.0001) == 0.0
    np.testing.assert_array_equal(smoothed_q(noisy.figure, noisy.q, 0.0), noisy.q)
    np.testing.assert_array_equal(smoothed_q(noisy.figure, noisy.q[:3], 1.0), noisy.q[:3])


def test_slow_movements_stay_however_little_is_allowed(noisy):
    spectrum = JerkSpectrum.of(noisy.figure, noisy.q, noisy.fps)
    strongest = spectrum.roughness_for(0.0)
    assert spectrum.frequency_of(strongest) == pytest.approx(SLOWEST)
    times = np.arange(len(noisy)) / noisy.fps
    q = np.repeat(noisy.figure.rest[None], len(times), axis=0)
    q[:, 0] = np.sin(2.0 * np.pi * 3.0 * times)  # a swing of 3 Hz
    change = smoothed_q(noisy.figure, q, strongest)[:, 0] - q[:, 0]
    assert np.abs(change[10:-10]).max() < 0.01


def test_balls_turn_on_through_whole_turns_and_stay_on_their_branch():
    figure = pw.Figure(name="top", joints=(pw.figures.Joint(name="top", rotation=pw.figures.Ball()),))
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    angles = np.linspace(0.0, 14.0, 200)
    q = angles[:, None] * axis
    steady = smoothed_q(figure, q, 5.0)
    np.testing.assert_allclose(steady[20:-20], q[20:-20], atol=1e-3)
    rough = q + np.random.default_rng(0).normal(scale=1e-3, size=q.shape)
    smooth = smoothed_q(figure, rough, 5.0)
    turns = [matrix_from_vector(values) for values in (q, rough, smooth)]
    assert np.abs(turns[2] - turns[0])[20:-20].max() < np.abs(turns[1] - turns[0]).max()


def test_limits_hold():
    figure = pw.figure("human40")
    q = np.clip(np.repeat(figure.rest[None], 60, axis=0), figure.lower, figure.upper)
    bounded = np.flatnonzero(np.isfinite(figure.upper))
    q[30:, bounded] = figure.upper[bounded]
    smooth = smoothed_q(figure, q, 3.0)
    assert np.all((smooth >= figure.lower) & (smooth <= figure.upper))


def test_what_is_fixed_stays_and_is_entered_without_a_kink():
    frames = np.arange(60.0)
    height = np.maximum(0.0, 30.0 - frames)[:, None] * 0.01  # falls and stops dead
    fixed = frames >= 30.0
    smooth = smoothed_between(height, fixed, 4.0)
    np.testing.assert_array_equal(smooth[fixed], height[fixed])
    assert np.abs(np.diff(smooth, n=2, axis=0)).max() < 0.5 * np.abs(np.diff(height, n=2, axis=0)).max()
    np.testing.assert_array_equal(smoothed_between(height, fixed | True, 4.0), height)
