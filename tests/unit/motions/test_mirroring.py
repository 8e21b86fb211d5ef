import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import KINDS, motions, symmetric_figure

from posewright.anatomy.names import partners
from posewright.errors import InvalidFigure, InvalidMotion
from posewright.figures import Ball, Figure, Hinge, Joint, free_slides
from posewright.figures.catalogue import build
from posewright.figures.joint import X, Y, Z
from posewright.figures.kinematics import joint_frames
from posewright.motions import Motion
from posewright.motions.quality.measures import limit_excess

ACROSS = np.array([-1.0, 1.0, 1.0])


@settings(max_examples=40)
@given(st.data(), st.sampled_from(KINDS), st.integers(0, 1000))
def test_mirroring_reflects_the_world_and_twice_is_the_identity(data, limb, seed):
    figure = symmetric_figure(np.random.default_rng(seed), limb)
    motion = data.draw(motions(figure=figure, n_frames=st.integers(1, 6)))
    image = motion.mirrored()
    partner = list(partners(figure.joint_names))
    before, after = joint_frames(figure, motion.q).positions, joint_frames(figure, image.q).positions
    np.testing.assert_allclose(after, before[:, partner] * ACROSS, atol=1e-9)
    np.testing.assert_allclose(image.mirrored().q, motion.q, atol=1e-7)


def test_hinges_in_another_order_on_the_other_side_and_a_figure_that_faces_x():
    """Arms along ±z: the figure looks along x at zero, and its right shoulder turns about other axes than the left."""
    joints = (
        Joint(name="root", slides=free_slides(), rotation=Ball()),
        Joint(name="LArm", parent="root", offset=(0, 0.5, -0.2), rotation=tuple(Hinge(axis=a) for a in (Z, Y, X))),
        Joint(name="LHand", parent="LArm", offset=(0.1, 0, -0.5)),
        Joint(name="RArm", parent="root", offset=(0, 0.5, 0.2), rotation=tuple(Hinge(axis=a) for a in (X, Z, Y))),
        Joint(name="RHand", parent="RArm", offset=(0.1, 0, 0.5)),
    )
    figure = Figure(name="odd", joints=joints)
    t = np.linspace(0, 2, 30)[:, None]
    motion = Motion(figure, np.sin(t * np.linspace(0.5, 2.0, figure.n_dofs)), 30.0)
    image = motion.mirrored()
    before, after = joint_frames(figure, motion.q).positions, joint_frames(figure, image.q).positions
    np.testing.assert_allclose(after, before[:, [0, 3, 4, 1, 2]] * ACROSS, atol=1e-9)
    assert np.abs(np.diff(image.q, axis=0)).max() < 1.0


@pytest.mark.parametrize("name", ["human", "human40", "abnorman1"])
def test_built_in_bodies_mirror_exactly_and_within_their_limits(name):
    figure = build(name)
    rng = np.random.default_rng(4)
    q = figure.rest + 0.5 * np.sin(np.linspace(0, 2, 10)[:, None] * rng.uniform(1, 4, figure.n_dofs))
    motion = Motion(figure, np.clip(q, figure.lower, figure.upper), 30.0)
    image = motion.mirrored()
    partner = list(partners(figure.joint_names))
    before, after = joint_frames(figure, motion.q).positions, joint_frames(figure, image.q).positions
    np.testing.assert_allclose(after, before[:, partner] * ACROSS, atol=1e-12)
    assert limit_excess(image).max() < 1e-12


def test_a_missing_partner_is_named():
    figure = Figure(name="f", joints=(Joint(name="hips", rotation=Ball()), Joint(name="left_hip", parent="hips")))
    with pytest.raises(InvalidFigure, match="'left_hip' has no partner 'right_hip'"):
        Motion(figure, np.zeros((2, 3)), 30.0).mirrored()


def test_a_figure_that_is_not_symmetric_is_told_with_the_joint():
    joints = (
        Joint(name="hips", rotation=Ball()),
        Joint(name="left_hip", parent="hips", offset=(0.2, -1.0, 0.0)),
        Joint(name="right_hip", parent="hips", offset=(-0.5, -0.6, 0.0)),
    )
    with pytest.raises(InvalidMotion, match=r"'left_hip'.*not symmetric"):
        Motion(Figure(name="f", joints=joints), np.zeros((1, 3)), 30.0).mirrored()


def test_a_hinge_that_cannot_do_what_its_partner_did_is_told():
    joints = (
        Joint(name="hips", rotation=()),
        Joint(name="left_hip", parent="hips", offset=(0.2, 0.0, 0.0), rotation=(Hinge(axis=X),)),
        Joint(name="left_knee", parent="left_hip", offset=(0.0, -0.5, 0.0)),
        Joint(name="right_hip", parent="hips", offset=(-0.2, 0.0, 0.0), rotation=(Hinge(axis=Z),)),
        Joint(name="right_knee", parent="right_hip", offset=(0.0, -0.5, 0.0)),
    )
    with pytest.raises(InvalidMotion, match="knee"):
        Motion(Figure(name="f", joints=joints), np.array([[0.8, 0.0]]), 30.0).mirrored()
