"""Forward kinematics, Jacobians and centre of mass equal Pinocchio's, on generated trees with all joint kinds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from posewright.conventions import Array
from posewright.figures import Ball, Figure, Joint, Site, free_slides
from posewright.figures.kinematics import (
    centre_of_mass,
    centre_of_mass_jacobian,
    joint_frames,
    site_frames,
    site_jacobians,
)
from posewright.figures.tables import effective_offset
from random_figures import AXES, random_figure, random_q

pin = pytest.importorskip("pinocchio")

SEEDS = range(12)
TOLERANCE = 1e-9


@dataclass
class Oracle:
    """A figure told to Pinocchio: one of its joints per slide, hinge or ball."""

    figure: Figure

    def __post_init__(self) -> None:
        self.model = pin.Model()
        self.ends: list[tuple[int, object]] = []  # per joint: Pinocchio joint that moves it, and its frame there
        for joint, parent in zip(self.figure.joints, self.figure.parents, strict=True):
            above, placement = (0, pin.SE3.Identity()) if parent < 0 else self.ends[parent]
            self.ends.append(self._add(joint, above, placement))
        for joint, (body, placement) in zip(self.figure.joints, self.ends, strict=True):
            inertia = pin.Inertia(joint.mass, np.array(joint.centre), np.eye(3) * 1e-3)
            self.model.appendBodyToJoint(body, inertia, placement)
        self.frames = [
            self.model.addFrame(pin.Frame(site.name, *self._site_frame(site), pin.FrameType.OP_FRAME))
            for site in self.figure.sites
        ]
        self.data = self.model.createData()

    def _add(self, joint: Joint, body: int, placement: object) -> tuple[int, object]:
        placement = placement * pin.SE3(np.eye(3), np.array(effective_offset(joint)))
        for k, slide in enumerate(joint.slides):
            model = pin.JointModelPrismaticUnaligned(np.array(slide.axis))
            body = self.model.addJoint(body, model, placement, f"{joint.name}.t{k}")
            placement = pin.SE3.Identity()
        w, x, y, z = joint.rest
        placement = placement * pin.SE3(pin.Quaternion(w, x, y, z).toRotationMatrix(), np.zeros(3))
        plain = dict(zip(AXES, (pin.JointModelRX(), pin.JointModelRY(), pin.JointModelRZ()), strict=True))
        for k, hinge in enumerate(joint.hinges):
            model = plain.get(hinge.axis) or pin.JointModelRevoluteUnaligned(np.array(hinge.axis))
            body = self.model.addJoint(body, model, placement, f"{joint.name}.r{k}")
            placement = pin.SE3.Identity()
        if joint.ball:
            body = self.model.addJoint(body, pin.JointModelSpherical(), placement, f"{joint.name}.w")
            placement = pin.SE3.Identity()
        return body, placement

    def _site_frame(self, site: object) -> tuple[int, object]:
        body, placement = self.ends[self.figure.joint_index(site.joint)]
        x, y = np.array(site.x_axis), np.array(site.y_axis)
        return body, placement * pin.SE3(np.stack([x, y, np.cross(x, y)], axis=1), np.array(site.point))

    def coordinates(self, q: Array) -> tuple[Array, Array]:
        """Pinocchio's configuration, and the map (its velocities, our dofs) from rates of q to its velocities."""
        values, blocks, d = [], np.zeros((self.model.nv, self.figure.n_dofs)), 0
        for joint in self.figure.joints:
            single = len(joint.slides) + len(joint.hinges)
            values += q[d : d + single].tolist()
            blocks[d : d + single, d : d + single] = np.eye(single)
            d += single
            if joint.ball:
                w = q[d : d + 3]
                values += pin.Quaternion(pin.exp3(w)).coeffs().tolist()
                blocks[d : d + 3, d : d + 3] = pin.Jexp3(w)
                d += 3
        return np.array(values), blocks


@pytest.fixture(params=SEEDS, ids=lambda seed: f"tree{seed}", scope="module")
def oracle(request: pytest.FixtureRequest) -> Oracle:
    return Oracle(random_figure(request.param))


def test_the_trees_have_every_kind_of_joint() -> None:
    joints = [joint for seed in SEEDS for joint in random_figure(seed).joints[1:]]
    assert {len(joint.hinges) for joint in joints} == {0, 1, 2, 3}
    assert {len(joint.slides) for joint in joints} == {0, 1, 2, 3}
    assert any(joint.ball for joint in joints)
    assert {hinge.axis in AXES for joint in joints for hinge in joint.hinges} == {True, False}
    assert any(len(children) > 1 for seed in SEEDS for children in random_figure(seed).children)


def test_frames_of_joints_and_sites(oracle: Oracle) -> None:
    figure = oracle.figure
    Q = random_q(figure, 1)
    ours, sites = joint_frames(figure, Q), site_frames(figure, Q, figure.site_names)
    for frame, q in enumerate(Q):
        values, _ = oracle.coordinates(q)
        pin.framesForwardKinematics(oracle.model, oracle.data, values)
        for index, (body, placement) in enumerate(oracle.ends):
            world_from_joint = oracle.data.oMi[body] * placement
            np.testing.assert_allclose(
                ours.positions[frame, index], world_from_joint.translation, rtol=0.0, atol=TOLERANCE
            )
            np.testing.assert_allclose(
                ours.rotations[frame, index], world_from_joint.rotation, rtol=0.0, atol=TOLERANCE
            )
        for k, frame_id in enumerate(oracle.frames):
            theirs = oracle.data.oMf[frame_id]
            np.testing.assert_allclose(sites.points[frame, k], theirs.translation, rtol=0.0, atol=TOLERANCE)
            np.testing.assert_allclose(sites.x_axes[frame, k], theirs.rotation[:, 0], rtol=0.0, atol=TOLERANCE)
            np.testing.assert_allclose(sites.y_axes[frame, k], theirs.rotation[:, 1], rtol=0.0, atol=TOLERANCE)


def test_jacobians_of_points_and_directions(oracle: Oracle) -> None:
    figure = oracle.figure
    Q = random_q(figure, 2)
    ours = site_jacobians(figure, Q, figure.site_names)
    for frame, q in enumerate(Q):
        values, velocity_from_rate = oracle.coordinates(q)
        pin.framesForwardKinematics(oracle.model, oracle.data, values)
        for k, frame_id in enumerate(oracle.frames):
            theirs = pin.computeFrameJacobian(
                oracle.model, oracle.data, values, frame_id, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            )
            point, turn = theirs[:3] @ velocity_from_rate, theirs[3:] @ velocity_from_rate
            rotation = oracle.data.oMf[frame_id].rotation
            np.testing.assert_allclose(ours[frame, k, :3], point, rtol=0.0, atol=TOLERANCE)
            np.testing.assert_allclose(ours[frame, k, 3:6], -pin.skew(rotation[:, 0]) @ turn, rtol=0.0, atol=TOLERANCE)
            np.testing.assert_allclose(ours[frame, k, 6:], -pin.skew(rotation[:, 1]) @ turn, rtol=0.0, atol=TOLERANCE)


def test_centre_of_mass_and_its_jacobian(oracle: Oracle) -> None:
    figure = oracle.figure
    Q = random_q(figure, 3)
    ours, jacobians = centre_of_mass(figure, Q), centre_of_mass_jacobian(figure, Q)
    for frame, q in enumerate(Q):
        values, velocity_from_rate = oracle.coordinates(q)
        theirs = pin.jacobianCenterOfMass(oracle.model, oracle.data, values) @ velocity_from_rate
        np.testing.assert_allclose(ours[frame], oracle.data.com[0], rtol=0.0, atol=TOLERANCE)
        np.testing.assert_allclose(jacobians[frame], theirs, rtol=0.0, atol=TOLERANCE)


def test_a_free_root_is_a_free_flyer() -> None:
    joint = Joint(name="root", slides=free_slides(), rotation=Ball())
    figure = Figure(name="free", joints=(joint,), sites=(Site(name="s", joint="root", point=(0.1, 0.2, 0.3)),))
    model = pin.Model()
    body = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    placement = pin.SE3(np.eye(3), np.array([0.1, 0.2, 0.3]))
    frame = model.addFrame(pin.Frame("s", body, placement, pin.FrameType.OP_FRAME))
    data = model.createData()
    for q in random_q(figure, 4):
        turn = pin.exp3(q[3:])
        values = np.concatenate([q[:3], pin.Quaternion(turn).coeffs()])
        pin.framesForwardKinematics(model, data, values)
        np.testing.assert_allclose(
            site_frames(figure, q, ["s"]).points[0], data.oMf[frame].translation, rtol=0.0, atol=TOLERANCE
        )
        theirs = pin.computeFrameJacobian(model, data, values, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        velocity_from_rate = np.block([[turn.T, np.zeros((3, 3))], [np.zeros((3, 3)), pin.Jexp3(q[3:])]])
        ours = site_jacobians(figure, q, ["s"])[0, :3]
        np.testing.assert_allclose(ours, theirs[:3] @ velocity_from_rate, rtol=0.0, atol=TOLERANCE)


@pytest.mark.parametrize("seed", range(4))
def test_jacobians_equal_finite_differences(seed: int) -> None:
    figure = random_figure(seed)
    q, step = random_q(figure, seed, 1)[0], 1e-6
    moved = q + np.concatenate([np.eye(figure.n_dofs), -np.eye(figure.n_dofs)]) * step
    frames = site_frames(figure, moved, figure.site_names)
    stacked = np.concatenate([frames.points, frames.x_axes, frames.y_axes], axis=-1)
    slopes = np.moveaxis(stacked[: figure.n_dofs] - stacked[figure.n_dofs :], 0, -1) / (2 * step)
    np.testing.assert_allclose(site_jacobians(figure, q, figure.site_names), slopes, rtol=0.0, atol=2e-8)
    centres = centre_of_mass(figure, moved)
    slopes = (centres[: figure.n_dofs] - centres[figure.n_dofs :]).T / (2 * step)
    np.testing.assert_allclose(centre_of_mass_jacobian(figure, q), slopes, rtol=0.0, atol=2e-8)
