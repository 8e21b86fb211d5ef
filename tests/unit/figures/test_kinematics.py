"""Forward kinematics against plain matrix products and SciPy's Euler angles; shapes and errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright.conventions import Array
from posewright.errors import InvalidFigure, InvalidMotion, UnknownName
from posewright.figures.kinematics import (
    centre_of_mass,
    centre_of_mass_jacobian,
    joint_frames,
    site_frames,
    site_jacobians,
)
from random_figures import random_figure, random_q

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def by_matrix_products(figure: pw.Figure, q: Array) -> list[Array]:
    """World frames (4 x 4) of every joint, from nothing but homogeneous matrices and SciPy."""
    world: dict[str | None, Array] = {None: np.eye(4)}
    d = 0
    for joint in figure.joints:
        place = np.array(joint.offset)
        if joint.slides_replace_offset and joint.slides:
            axes = np.array([slide.axis for slide in joint.slides])
            place = place - axes.T @ (axes @ place)
        for slide in joint.slides:
            place = place + q[d] * np.array(slide.axis)
            d += 1
        w, x, y, z = joint.rest
        turn = Rotation.from_quat([x, y, z, w])
        for hinge in joint.hinges:
            turn = turn * Rotation.from_rotvec(q[d] * np.array(hinge.axis))
            d += 1
        if joint.ball:
            turn = turn * Rotation.from_rotvec(q[d : d + 3])
            d += 3
        local = np.eye(4)
        local[:3, :3], local[:3, 3] = turn.as_matrix(), place
        world[joint.name] = world[joint.parent] @ local
    return [world[joint.name] for joint in figure.joints]


@pytest.mark.parametrize("seed", range(6))
def test_frames_equal_matrix_products(seed: int) -> None:
    figure = random_figure(seed)
    for q in random_q(figure, seed):
        frames = joint_frames(figure, q)
        expected = by_matrix_products(figure, q)
        np.testing.assert_allclose(frames.rotations, [T[:3, :3] for T in expected], rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(frames.positions, [T[:3, 3] for T in expected], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("order", ["xyz", "zyx", "zxy", "yxz", "zxz", "xyx"])
def test_hinges_are_intrinsic_euler_angles(order: str) -> None:
    hinges = tuple(pw.figures.Hinge(axis=AXES[letter]) for letter in order)
    figure = pw.Figure(name="ball", joints=(pw.figures.Joint(name="a", rotation=hinges),))
    q = np.random.default_rng(0).uniform(-7.0, 7.0, (50, 3))
    expected = Rotation.from_euler(order.upper(), q).as_matrix()
    np.testing.assert_allclose(joint_frames(figure, q).rotations[:, 0], expected, rtol=0.0, atol=1e-14)


def test_leading_axes_are_kept(mixed_figure: pw.Figure) -> None:
    figure = mixed_figure
    q = np.zeros((4, 2, figure.n_dofs))
    assert joint_frames(figure, q).rotations.shape == (4, 2, 5, 3, 3)
    assert site_frames(figure, q, ["finger", "leg"]).points.shape == (4, 2, 2, 3)
    assert site_jacobians(figure, q, ["finger"]).shape == (4, 2, 1, 9, figure.n_dofs)
    assert centre_of_mass(figure, q).shape == (4, 2, 3)
    assert centre_of_mass_jacobian(figure, q[0, 0]).shape == (3, figure.n_dofs)


def test_a_joint_counts_as_a_site_at_its_origin(mixed_figure: pw.Figure) -> None:
    q = random_q(mixed_figure, 5, 2)
    frames, sites = joint_frames(mixed_figure, q), site_frames(mixed_figure, q, ["arm"])
    arm = mixed_figure.joint_index("arm")
    np.testing.assert_array_equal(sites.points[:, 0], frames.positions[:, arm])
    np.testing.assert_allclose(sites.x_axes[:, 0], frames.rotations[:, arm, :, 0])


def test_a_figure_without_dofs_has_frames_too() -> None:
    stone = pw.Figure(name="stone", joints=(pw.figures.Joint(name="a", offset=(1.0, 2.0, 3.0)),))
    assert joint_frames(stone, np.zeros(0)).positions.tolist() == [[1.0, 2.0, 3.0]]
    assert site_frames(stone, np.zeros((4, 0)), ["a"]).points.shape == (4, 1, 3)


def test_wrong_shapes_names_and_missing_masses_are_told(mixed_figure: pw.Figure) -> None:
    with pytest.raises(InvalidMotion, match=r"q has shape \(3,\); figure 'mixed' has 18 dofs"):
        joint_frames(mixed_figure, np.zeros(3))
    with pytest.raises(UnknownName, match=r"figure 'mixed' has no site 'fingr'; did you mean 'finger'\?"):
        site_frames(mixed_figure, np.zeros(18), ["fingr"])
    bare = pw.Figure(name="bare", joints=(pw.figures.Joint(name="a"),))
    with pytest.raises(InvalidFigure, match="figure 'bare' has no masses"):
        centre_of_mass(bare, np.zeros(0))


@pytest.mark.parametrize("seed", range(5))
def test_sites_ride_on_their_joints_with_both_directions(seed, mixed_figure):
    rng = np.random.default_rng(seed)
    point, x, y = rng.normal(size=(3, 3))
    site = pw.figures.Site(name="anywhere", joint="hand", point=tuple(point), x_axis=tuple(x), y_axis=tuple(y))
    figure = mixed_figure.with_sites(site)
    q = rng.uniform(-0.3, 0.3, (2, figure.n_dofs))
    frames, sites = joint_frames(figure, q), site_frames(figure, q, ["anywhere"])
    site, joint = figure.site("anywhere"), figure.joint_index("hand")
    for k in range(2):
        R, p = frames.rotations[k, joint], frames.positions[k, joint]
        assert sites.points[k, 0] == pytest.approx(p + R @ site.point)
        assert sites.x_axes[k, 0] == pytest.approx(R @ site.x_axis)
        assert sites.y_axes[k, 0] == pytest.approx(R @ site.y_axis)
