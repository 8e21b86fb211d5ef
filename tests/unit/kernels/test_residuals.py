"""Every kind of goal: the derivative by the twist equals central differences; the error is in its own unit."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from posewright.kernels.goals import residuals

KINDS = {
    "position": residuals.POSITION,
    "rotation": residuals.ROTATION,
    "direction": residuals.DIRECTION,
    "aim": residuals.AIM,
    "line": residuals.LINE,
    "plane": residuals.PLANE,
    "half_space": residuals.HALF_SPACE,
}


def random_case(kind, seed):
    rng = np.random.default_rng(seed)
    axes = Rotation.random(random_state=seed).as_matrix()
    wanted = Rotation.random(random_state=seed + 100).as_matrix()
    target = np.concatenate([rng.normal(size=3), wanted[:, 0], wanted[:, 1]])
    return kind, target, rng.normal(size=3), axes, rng.normal(size=3)


def residual(kind, target, r, axes, x):
    rho, G = np.zeros(3), np.zeros((3, 6))
    rows = residuals.site_residual(
        kind, 0.7, target, r, np.ascontiguousarray(axes[:, 0]), np.ascontiguousarray(axes[:, 1]), x, rho, G
    )
    return rho[:rows], G[:rows]


def moved(r, axes, x, twist):
    """The same site after a small twist about the reference point r - x."""
    turn = Rotation.from_rotvec(twist[:3]).as_matrix()
    return r - x + turn @ x + twist[3:], turn @ axes


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_gradient_equals_central_differences(kind, seed):
    kind, target, r, axes, x = random_case(kind, seed)
    rho, G = residual(kind, target, r, axes, x)

    def potential(twist):
        value, _ = residual(kind, target, *moved(r, axes, x, twist), x)
        return value @ value

    step = 1e-6
    differences = [(potential(step * e) - potential(-step * e)) / (2 * step) for e in np.eye(6)]
    assert 2.0 * G.T @ rho == pytest.approx(differences, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_derivative_equals_central_differences(kind):
    kind, target, r, axes, x = random_case(kind, 3)
    if kind == residuals.HALF_SPACE:
        target[:3] = r + target[3:6]  # outside: the row is there
    _, G = residual(kind, target, r, axes, x)
    step = 1e-6
    for k, e in enumerate(np.eye(6)):
        up, _ = residual(kind, target, *moved(r, axes, x, step * e), x)
        down, _ = residual(kind, target, *moved(r, axes, x, -step * e), x)
        assert G[:, k] == pytest.approx((up - down) / (2 * step), abs=1e-7)


@pytest.mark.parametrize("angle", [0.0, 1e-10, 1e-4, 1.0, 3.0, np.pi - 1e-7, np.pi])
def test_the_gap_of_a_rotation_is_its_geodesic_angle(angle):
    axes = Rotation.from_rotvec([0.3, -0.2, 0.9]).as_matrix()
    axis = np.array([0.36, 0.48, 0.8])
    wanted = Rotation.from_rotvec(angle * axis).as_matrix() @ axes
    gap = np.zeros(3)
    target = np.concatenate([np.zeros(3), wanted[:, 0], wanted[:, 1]])
    found = residuals.rotation_gap(axes[:, 0].copy(), axes[:, 1].copy(), target, gap)
    assert found == pytest.approx(angle, abs=1e-7)
    assert np.linalg.norm(gap) == pytest.approx(angle, abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_half_a_turn_is_about_its_axis(seed):
    axes = Rotation.random(random_state=seed).as_matrix()
    axis = np.eye(3)[seed] if seed < 3 else Rotation.random(random_state=seed + 50).as_matrix()[:, 0]
    wanted = Rotation.from_rotvec(np.pi * axis).as_matrix() @ axes
    gap, target = np.zeros(3), np.concatenate([np.zeros(3), wanted[:, 0], wanted[:, 1]])
    residuals.rotation_gap(axes[:, 0].copy(), axes[:, 1].copy(), target, gap)
    assert Rotation.from_rotvec(gap).as_matrix() @ axes == pytest.approx(wanted, abs=1e-7)


def test_an_aim_is_undefined_on_the_point_it_aims_at():
    kind, target, _, axes, x = random_case(residuals.AIM, 0)
    rho, G = residual(kind, target, target[:3].copy(), axes, x)
    away, _ = residual(kind, target, target[:3] + axes[:, 0], axes, x)  # it looks exactly the other way
    assert np.linalg.norm(rho) == pytest.approx(np.linalg.norm(away))
    assert not G.any()
    point = target[:3].copy()
    error = residuals.site_error(kind, 1.0, target, point, axes[:, 0].copy(), axes[:, 1].copy(), np.zeros(3))
    assert error == np.inf


def test_inside_a_half_space_there_is_no_residual():
    kind, target, _, axes, x = random_case(residuals.HALF_SPACE, 0)
    rho, _ = residual(kind, target, target[:3] + 0.5 * target[3:6], axes, x)
    assert rho.size == 0
