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
    "distance": residuals.DISTANCE,
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


@pytest.mark.parametrize("seed", range(16))
def test_half_a_turn_is_about_its_axis(seed):
    axes = Rotation.random(random_state=seed).as_matrix()
    axis = np.eye(3)[seed] if seed < 3 else Rotation.random(random_state=seed + 50).as_matrix()[:, 0]
    wanted = Rotation.from_rotvec(np.pi * axis).as_matrix() @ axes
    gap, target = np.zeros(3), np.concatenate([np.zeros(3), wanted[:, 0], wanted[:, 1]])
    residuals.rotation_gap(axes[:, 0].copy(), axes[:, 1].copy(), target, gap)
    assert Rotation.from_rotvec(gap).as_matrix() @ axes == pytest.approx(wanted, abs=1e-7)


def test_an_aim_is_undefined_on_the_point_it_aims_at_and_led_away_from_it():
    kind, target, _, axes, x = random_case(residuals.AIM, 0)
    point = target[:3].copy()
    rho, G = residual(kind, target, point, axes, x)
    np.testing.assert_allclose(rho, -0.7 * axes[:, 0])
    away = -(G.T @ rho)[3:]
    np.testing.assert_allclose(away / np.linalg.norm(away), -axes[:, 0])
    error = residuals.site_error(kind, 1.0, target, point, axes[:, 0].copy(), axes[:, 1].copy(), np.zeros(3))
    assert error == np.inf


@pytest.mark.parametrize("share", [0.0, 0.3, 0.999, 1.001, 3.0])
def test_close_to_its_target_an_aim_is_smooth(share):
    kind, target, r, axes, x = random_case(residuals.AIM, 5)
    near = 0.7 * residuals.VERY_NEAR
    r = target[:3] + share * near * r / np.linalg.norm(r)
    rho, G = residual(kind, target, r, axes, x)
    for k, e in enumerate(np.eye(6)):
        up, _ = residual(kind, target, *moved(r, axes, x, 1e-8 * e), x)
        down, _ = residual(kind, target, *moved(r, axes, x, -1e-8 * e), x)
        np.testing.assert_allclose(G[:, k], (up - down) / 2e-8, rtol=1e-4, atol=0.1)
    if share >= 1.0:
        to = (target[:3] - r) / (share * near)
        np.testing.assert_allclose(rho, 0.7 * (to - axes[:, 0]), atol=1e-12)


def test_inside_a_half_space_there_is_no_residual():
    kind, target, _, axes, x = random_case(residuals.HALF_SPACE, 0)
    rho, _ = residual(kind, target, target[:3] + 0.5 * target[3:6], axes, x)
    assert rho.size == 0


def angle(u, v):
    return np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v)


@pytest.mark.parametrize("seed", range(8))
def test_residuals_and_errors_are_what_their_kinds_say(seed):
    """Beside SciPy's rotations and vectors; `c` is 0.7."""
    c = 0.7
    for kind in KINDS.values():
        _, target, r, axes, x = random_case(kind, seed)
        p, n, u = target[:3], target[3:6], axes[:, 0]
        wanted = np.stack([n, target[6:], np.cross(n, target[6:])], axis=1)
        gap = Rotation.from_matrix(wanted @ axes.T)
        away, side = r - p, float((r - p) @ n)
        aim = -away / np.linalg.norm(away)
        expected = {
            residuals.POSITION: (away, np.linalg.norm(away)),
            residuals.ROTATION: (-c * gap.as_rotvec(), gap.magnitude()),
            residuals.DIRECTION: (c * (u - n), angle(u, n)),
            residuals.AIM: (c * (aim - u), angle(u, aim)),
            residuals.LINE: (None, np.linalg.norm(away - side * n)),
            residuals.PLANE: ([side], abs(side)),
            residuals.HALF_SPACE: ([side] if side < 0.0 else [], max(0.0, -side)),
            residuals.DISTANCE: ([np.linalg.norm(away) - c], abs(np.linalg.norm(away) - c)),
        }[kind]
        rho, _ = residual(kind, target, r, axes, x)
        error = residuals.site_error(kind, c, target, r, u.copy(), axes[:, 1].copy(), np.zeros(3))
        assert error == pytest.approx(expected[1], abs=1e-12)
        if kind == residuals.LINE:
            assert np.linalg.norm(rho) == pytest.approx(expected[1], abs=1e-12)
        else:
            assert rho == pytest.approx(np.array(expected[0]), abs=1e-12)


@pytest.mark.parametrize(
    "along", [*np.eye(3), *-np.eye(3), (0.6, 0.8, 0.0), (0.0, 0.6, 0.8), (0.8, 0.0, -0.6)], ids=str
)
def test_lines_may_lie_along_axes(along):
    _, target, r, axes, x = random_case(residuals.LINE, 1)
    target[3:6] = along
    rho, G = residual(residuals.LINE, target, r, axes, x)
    away = r - target[:3]
    assert np.linalg.norm(rho) == pytest.approx(np.linalg.norm(np.cross(away, along)))
    np.testing.assert_allclose(G[:, 3:] @ G[:, 3:].T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(G[:, 3:] @ along, 0.0, atol=1e-12)


@pytest.mark.parametrize("size", [0.0, 1e-6, 1e-3, 9e-3, 1.1e-2, 0.3, 2.0, 3.1])
def test_gaps_of_any_size_change_as_their_derivative_says(size):
    axes = Rotation.from_rotvec([0.3, -0.2, 0.9]).as_matrix()
    wanted = Rotation.from_rotvec(size * np.array([0.36, 0.48, 0.8])).as_matrix() @ axes
    target = np.concatenate([np.zeros(3), wanted[:, 0], wanted[:, 1]])
    r, x, step = np.zeros(3), np.array([0.1, 0.2, 0.3]), 1e-6
    _, G = residual(residuals.ROTATION, target, r, axes, x)
    for k, e in enumerate(np.eye(6)):
        up, down = (residual(residuals.ROTATION, target, *moved(r, axes, x, s * e), x)[0] for s in (step, -step))
        assert G[:, k] == pytest.approx((up - down) / (2 * step), abs=1e-7)


def test_a_site_at_the_point_it_is_to_be_away_from_is_led_away():
    _, target, _, axes, x = random_case(residuals.DISTANCE, 2)
    rho, G = residual(residuals.DISTANCE, target, target[:3].copy(), axes, x)
    assert rho == pytest.approx([-0.7])
    assert np.linalg.norm(G[0, 3:]) == pytest.approx(1.0)
