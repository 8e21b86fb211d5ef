"""Postures on figures whose joints have other axes, hinges and lengths, beside the same as rotation matrices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from posewright.figures import Ball, Figure, Hinge, Joint, Site, free_slides
from posewright.figures.joint import X, Y, Z
from posewright.figures.kinematics import joint_frames
from posewright.models.postures.transfer import PostureTransfer


def body(turns: dict[str, tuple], rests: dict[str, tuple[float, float, float, float]], scale: float = 1.0) -> Figure:
    """A trunk with an arm, whose joints turn in these ways about axes of their own."""
    offsets = {"root": (0.0, 1.0, 0.0), "chest": (0.0, 0.4, 0.0), "arm": (0.2, 0.3, 0.0), "fore": (0.3, 0.0, 0.0)}
    parents = {"root": None, "chest": "root", "arm": "chest", "fore": "arm"}
    joints = tuple(
        Joint(
            name=name,
            parent=parents[name],
            offset=tuple(scale * v for v in offset),
            rest=rests.get(name, (1.0, 0.0, 0.0, 0.0)),
            slides=free_slides() if name == "root" else (),
            rotation=turns.get(name, Ball()),
        )
        for name, offset in offsets.items()
    )
    return Figure(name="body", joints=joints, sites=(Site(name="hand", joint="fore", point=(0.2, 0, 0), tip=True),))


FREE = tuple(Hinge(axis=axis) for axis in (Z, Y, X))
TURNED = {
    name: tuple(np.roll(Rotation.random(random_state=k).as_quat(), 1).tolist())
    for k, name in enumerate(("root", "chest", "arm"))
}


@pytest.mark.parametrize("turns", [{}, {"arm": FREE, "root": FREE}], ids=["balls", "hinges"])
@pytest.mark.parametrize("rests", [{}, TURNED], ids=["plain", "turned"])
def test_joints_of_another_figure_turn_from_its_zero_pose_as_those_of_the_first(turns, rests):
    source, target = body({"chest": FREE}, {"fore": (0.6, 0.0, 0.8, 0.0)}), body(turns, rests, scale=1.5)
    q = np.random.default_rng(1).uniform(-0.7, 0.7, size=(8, source.n_dofs))
    transfer = PostureTransfer(source, target)
    made = transfer(q)
    assert (transfer.same, transfer.missing, transfer.unused) == (False, (), ())
    own = []
    for figure_, poses in ((source, q), (target, made)):
        zero = joint_frames(figure_, np.zeros((1, figure_.n_dofs))).rotations[0]
        frames, turned = joint_frames(figure_, poses).rotations, []
        for k, parent in enumerate(figure_.parents):
            above, above_zero = (np.eye(3), np.eye(3)) if parent < 0 else (frames[:, parent], zero[parent])
            local = np.swapaxes(np.broadcast_to(above, frames[:, k].shape), 1, 2) @ frames[:, k]
            turned.append(zero[k] @ (above_zero.T @ zero[k]).T @ local @ zero[k].T)
        own.append(np.stack(turned))
    np.testing.assert_allclose(own[0], own[1], atol=1e-9)
    places = [joint_frames(f, poses).positions[:, 0] for f, poses in ((source, q), (target, made))]
    np.testing.assert_allclose(places[1], target.height / source.height * places[0], atol=1e-9)


def test_joints_that_mean_the_same_keep_their_numbers_and_others_their_rest():
    hinged = body({"arm": (Hinge(axis=Y, rest=0.3), Hinge(axis=Z)), "fore": (Hinge(axis=X),)}, {})
    other = body({"arm": (Hinge(axis=Y), Hinge(axis=Z)), "fore": (), "chest": ()}, {})
    assert PostureTransfer(other, hinged).missing == ("chest", "fore")
    assert PostureTransfer(hinged, other).unused == ("chest", "fore")
    q = np.full((2, other.n_dofs), 7.0)
    made = PostureTransfer(other, hinged)(q)
    np.testing.assert_array_equal(made[:, hinged.dof_slice("arm")], 7.0)
    for name in ("chest", "fore"):
        where = hinged.dof_slice(name)
        np.testing.assert_array_equal(made[:, where], np.tile(hinged.rest[where], (2, 1)))
