"""How unlike two postures are: alignment, weights, metric."""

import numpy as np
import pytest

from posewright.errors import InvalidMotion
from posewright.figures import Ball, Figure, Hinge, Joint, Pose, Site, Slide, free_slides
from posewright.figures.catalogue import arm4, human40
from posewright.figures.joint import X, Y, Z
from posewright.figures.kinematics import joint_frames
from posewright.models import Postures
from posewright.models.floor_placement import FloorPlacement
from posewright.models.postures.distance import PostureMetric, normalised
from posewright.motions import Motion
from random_figures import random_figure, random_q

BALL_ROOTS = [seed for seed in range(12) if random_figure(seed).joints[0].ball][:4]
"""Roots of three hinges about any axes cannot turn about the vertical from everywhere."""


@pytest.mark.parametrize("seed", BALL_ROOTS)
def test_a_copy_moved_on_the_floor_and_turned_is_the_same_posture(seed):
    figure = random_figure(seed)
    motion = Motion(figure, random_q(figure, seed, 5), 30.0)
    copy = motion.moved((2.0, 0.0, -1.0), 1.3)
    for k in range(5):
        assert distance(figure, motion.q[k], copy.q[k]) < 1e-6


@pytest.mark.parametrize("seed", BALL_ROOTS)
def test_normalised_poses_stand_at_the_origin_and_face_as_at_rest(seed):
    figure = random_figure(seed)
    for q in normalised(figure, random_q(figure, seed, 3)):
        place = FloorPlacement.of(figure, q)
        assert (place.x, place.z) == pytest.approx((0.0, 0.0), abs=1e-9)
        assert place.yaw == pytest.approx(0.0, abs=1e-6)


def distance(figure, a, b):
    return Postures.distance(Pose(figure, a), Pose(figure, b))


def test_normalising_changes_nothing_but_the_root_and_keeps_its_height():
    figure = human40()
    q = random_q(figure, 1, 4)
    plain = normalised(figure, q)
    np.testing.assert_array_equal(plain[:, 6:], q[:, 6:])
    np.testing.assert_allclose(plain[:, 1], q[:, 1], atol=1e-12)
    np.testing.assert_allclose(normalised(figure, plain), plain, atol=1e-9)


def test_a_root_upside_down_has_no_heading_to_take_out():
    figure = human40()
    q = figure.rest.copy()
    q[3:6] = np.pi, 0.0, 0.0
    assert np.isfinite(normalised(figure, q)).all()


def test_a_root_that_is_bolted_on_stays():
    figure = arm4()
    q = np.array([0.3, -0.2, 0.1, 0.4])
    np.testing.assert_allclose(normalised(figure, q), q)
    assert distance(figure, q, q) == 0.0
    assert distance(figure, q, q + np.array([0.5, 0.0, 0.0, 0.0])) > 0.1


def test_the_distance_is_symmetric_and_obeys_the_triangle_inequality():
    figure = random_figure(3)
    q = random_q(figure, 3, 12)
    D = PostureMetric(figure).distances(q, q)
    np.testing.assert_allclose(D, D.T, atol=1e-12)
    np.testing.assert_allclose(np.diag(D), 0.0, atol=1e-7)
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()


def test_it_grows_with_the_rotation_of_a_joint():
    figure = human40()
    dof = figure.dof_index("left_knee.flexion")
    angles = np.linspace(0.0, 1.5, 6)
    poses = np.tile(figure.rest, (6, 1))
    poses[:, dof] += angles
    found = [distance(figure, figure.rest, q) for q in poses]
    assert (np.diff(found) > 0.0).all()
    metric = PostureMetric(figure)
    weight = metric.weights[metric.joints.tolist().index(figure.joint_index("left_knee"))]
    np.testing.assert_allclose(found, weight * angles, atol=1e-9)


def test_proximal_joints_weigh_more_and_all_weights_together_are_one():
    figure = human40()
    metric = PostureMetric(figure)
    weights = dict(zip((figure.joint_names[j] for j in metric.joints), metric.weights.tolist(), strict=True))
    assert sum(weights.values()) == pytest.approx(1.0)
    assert weights["pelvis"] == max(weights.values())
    assert weights["left_shoulder"] > weights["left_elbow"] > weights["left_wrist"] > 0.0
    assert weights["left_hip"] > weights["left_knee"] > weights["left_ankle"] > 0.0
    assert "neck" not in weights  # it does not turn


def test_weights_grow_with_the_length_that_a_joint_moves():
    joints = (
        Joint(name="root", slides=free_slides(), rotation=Ball()),
        Joint(name="hip", parent="root", offset=(0.0, -0.1, 0.0), rotation=(Hinge(axis=X),)),
        Joint(name="knee", parent="hip", offset=(0.0, -0.4, 0.0), rotation=(Hinge(axis=X),)),
    )
    figure = Figure(
        name="leg", joints=joints, sites=(Site(name="toe", joint="knee", point=(0.0, -0.5, 0.0), tip=True),)
    )
    short = 0.05 * 1.0  # of the height
    raw = np.array([1.0, (0.9 + short) / (1.0 + short), (0.5 + short) / (1.0 + short)])
    np.testing.assert_allclose(PostureMetric(figure).weights, raw / raw.sum(), rtol=1e-12)


def test_hinges_and_a_ball_measure_the_same_rotation():
    hinges = tuple(Hinge(axis=axis) for axis in (Z, Y, X))
    hinged = Figure(name="hinged", joints=(Joint(name="a", rotation=hinges), Joint(name="b", parent="a", offset=Y)))
    balls = hinged.with_balls()
    a, b = np.array([0.4, -0.3, 0.9]), np.array([-1.0, 0.2, 0.3])
    R = joint_frames(hinged, np.stack([a, b])).rotations[:, 0]
    angle = np.arccos((np.trace(R[0].T @ R[1]) - 1.0) / 2.0)
    metric = PostureMetric(hinged)
    turns = metric.turns(np.stack([a, b]))[:, 0]
    assert 2.0 * np.arccos(abs(turns[0] @ turns[1])) == pytest.approx(angle, abs=1e-9)
    assert PostureMetric(balls).weights == pytest.approx([1.0])


def test_a_whole_turn_more_is_the_same_posture():
    figure = arm4()
    q = np.array([0.3, -0.2, 0.1, 0.4])
    assert distance(figure, q, q + np.array([0.0, 2.0 * np.pi, 0.0, 0.0])) == pytest.approx(0.0, abs=1e-7)


def test_poses_of_another_size_are_refused():
    figure = human40()
    with pytest.raises(InvalidMotion, match=r"poses of shape \(1, 5\); those of figure 'human40' have 40 numbers each"):
        PostureMetric(figure).distances(figure.rest[None], figure.rest[None, :5])


def test_a_root_that_cannot_stand_at_the_origin_stays_where_it_is():
    """A single slide along a slope: taking out the floor's part of its place would leave its line."""
    joints = [
        Joint(name="root", slides=(Slide(axis=(0.6, 0.8, 0.0), label="up"),)),
        Joint(name="arm", parent="root", offset=(0.0, 1.0, 0.0), rotation=Ball()),
    ]
    figure = Figure(name="on a slope", joints=joints)
    q = np.array([[0.7, 0.1, 0.2, 0.3]])
    assert np.array_equal(normalised(figure, q), q)


@pytest.mark.parametrize("axes", [(Y,), (Y, X), (Y, X, Y)], ids=len)
def test_roots_of_a_few_hinges_are_turned_back_by_them(axes):
    """Whatever their heading, postures that differ in nothing else are the same."""
    joints = [
        Joint(name="root", slides=free_slides(), rotation=tuple(Hinge(axis=axis) for axis in axes)),
        Joint(name="arm", parent="root", offset=(0.0, 1.0, 0.0), rotation=Ball()),
    ]
    figure = Figure(name="hinged", joints=joints)
    q = np.random.default_rng(1).uniform(-0.4, 0.4, size=(4, figure.n_dofs))
    turned = q + 1.3 * (np.arange(figure.n_dofs) == figure.dof_slice("root").start + 3)
    np.testing.assert_allclose(np.diag(PostureMetric(figure).distances(q, turned)), 0.0, atol=1e-6)
    assert PostureMetric(figure).distances(q[:1], q[1:])[0].min() > 0.005
