"""Hinges in a row that are fitted within limits, or follow slowly through gimbal lock."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from posewright.kernels.kinematics.hinge_chain import fit_hinges, follow_damped, lock_damping, volume
from posewright.kernels.motion.transfer import UNIT

DOF = np.dtype([("lower", "f8"), ("upper", "f8")])


def chain_of(axes, limits):
    """A unit of hinges and the limits of their dofs."""
    unit, dofs = np.zeros(1, UNIT), np.zeros(3, DOF)
    unit["hinges"], unit["dofs"][0] = len(axes), np.arange(3)
    unit["axes"][0, : len(axes)] = axes
    dofs["lower"], dofs["upper"] = -np.inf, np.inf
    for k, (low, high) in enumerate(limits):
        dofs[k] = (low, high)
    return unit[0], dofs


def product(axes, angles):
    turn = Rotation.identity()
    for axis, angle in zip(axes, angles, strict=False):
        turn = turn * Rotation.from_rotvec(angle * np.asarray(axis))
    return turn.as_matrix()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_fit_is_the_best_within_limits(n, seed):
    rng = np.random.default_rng(seed)
    axes = np.eye(3)[rng.permutation(3)][:n]
    limits = [(-0.6, 0.5)] * n
    wanted = Rotation.from_rotvec(0.6 * rng.normal(size=3)).as_matrix()
    unit, dofs = chain_of(axes, limits)
    angles = np.zeros(3)
    found = fit_hinges(unit, dofs, wanted, False, angles, np.zeros((8, 3, 3)))
    assert all(low <= angle <= high for angle, (low, high) in zip(angles, limits, strict=False))
    assert found == pytest.approx(np.trace(product(axes, angles).T @ wanted))
    starts = rng.uniform(-0.6, 0.5, (6, n))
    best = max(
        -minimize(lambda a: -np.trace(product(axes, a).T @ wanted), start, bounds=limits).fun for start in starts
    )
    assert found == pytest.approx(best, abs=1e-4)


def test_a_hinge_goes_to_the_nearer_end_or_to_the_one_that_comes_first():
    unit, dofs = chain_of([(0.0, 0.0, 1.0)], [(-0.5, 2.5)])
    wanted, work = product([(0.0, 0.0, 1.0)], [-2.5]), np.zeros((8, 3, 3))
    for follow, end in ((False, 2.5), (True, -0.5)):
        angles = np.array([-0.4, 0.0, 0.0])
        fit_hinges(unit, dofs, wanted, follow, angles, work)
        assert angles[0] == end
    angles = np.zeros(3)
    fit_hinges(unit, dofs, product([(0.0, 0.0, 1.0)], [1.2]), False, angles, work)
    assert angles[0] == pytest.approx(1.2)


@pytest.mark.parametrize("middle", [0.0, 0.4, 1.2, np.pi / 2])
def test_the_volume_of_square_axes_is_the_cosine_of_the_middle(middle):
    assert volume(np.eye(3), middle, np.zeros((8, 3, 3))) == pytest.approx(abs(np.cos(middle)), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_away_from_the_lock_damped_angles_are_exact_and_in_it_they_stay_slow(seed):
    rng = np.random.default_rng(seed)
    axes = np.eye(3)
    unit, dofs = chain_of(axes, [(-3.0, 3.0)] * 3)
    last, out = rng.uniform(-0.3, 0.3, 3), np.zeros(3)
    wanted = product(axes, last + rng.uniform(-0.02, 0.02, 3))
    follow_damped(unit, dofs, wanted, 0.0, last, out, np.zeros((8, 3, 3)))
    assert product(axes, out) == pytest.approx(wanted, abs=1e-6)
    locked = np.array([0.3, np.pi / 2, -0.2])
    aside = Rotation.from_rotvec(0.02 * rng.normal(size=3)).as_matrix() @ product(axes, locked)
    follow_damped(unit, dofs, aside, lock_damping(0.0), locked, out, np.zeros((8, 3, 3)))
    assert np.abs(out - locked).max() < 0.1
    tight, narrow = chain_of(axes, [(-0.1, 0.1)] * 3)
    follow_damped(tight, narrow, product(axes, [1.0, 1.0, 1.0]), 0.0, np.zeros(3), out, np.zeros((8, 3, 3)))
    assert np.abs(out).max() <= 0.1
