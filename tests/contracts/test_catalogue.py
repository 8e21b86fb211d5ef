"""What every figure of the catalogue promises."""

import numpy as np
import pytest

from posewright.figures import Figure
from posewright.figures.catalogue import CATALOGUE, build, human40, with_club
from posewright.figures.kinematics import centre_of_mass, joint_frames, site_frames

BIPEDS = ["human", "human22", "human70", "human40", "norman", "abnorman1", "abnorman2"]
STANDING = [name for name in BIPEDS if name not in ("human22", "human70")]


def other_side(name: str) -> str:
    if name.startswith("left_"):
        return "right_" + name.removeprefix("left_")
    return "left_" + name.removeprefix("right_") if name.startswith("right_") else name


def values(figure: Figure, q: np.ndarray) -> dict[str, float]:
    return dict(zip(figure.dof_names, q.tolist(), strict=True))


@pytest.mark.parametrize("name", CATALOGUE)
def test_rest_is_within_limits_and_linear_constraints(name):
    figure = build(name)
    assert (figure.lower <= figure.rest).all()
    assert (figure.rest <= figure.upper).all()
    rest = values(figure, figure.rest)
    for row in figure.constraints:
        assert row.lower - 1e-12 <= row.value(rest) <= row.upper + 1e-12, row.name


@pytest.mark.parametrize("name", CATALOGUE)
def test_rest_is_a_pose_that_the_groups_can_make(name):
    figure = build(name)
    for group in figure.groups:
        members = figure.rest[[figure.dof_index(member) for member in group.members]]
        matrix, offset = np.array(group.matrix), np.array(group.offset)
        coordinates = np.linalg.lstsq(matrix, members - offset, rcond=None)[0]
        np.testing.assert_allclose(matrix @ coordinates + offset, members, rtol=0.0, atol=1e-14, err_msg=group.name)


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_segment_with_a_freedom_has_mass_and_shape(name):
    figure = build(name)
    assert all(joint.mass > 0.0 and joint.shape for joint in figure.joints)
    assert all(np.isfinite(centre_of_mass(figure, figure.rest)))


@pytest.mark.parametrize("name", CATALOGUE)
def test_builds_the_same_figure_each_time(name):
    assert build(name) == build(name)


@pytest.mark.parametrize("name", BIPEDS)
def test_both_sides_have_the_same_freedom_and_mass(name):
    figure = build(name)
    for joint in figure.joints:
        twin = figure.joint(other_side(joint.name))
        assert twin.labels == joint.labels
        assert twin.bounds == joint.bounds
        assert twin.mass == joint.mass
        assert len(twin.shape) == len(joint.shape)


@pytest.mark.parametrize("name", BIPEDS)
def test_equal_angles_on_both_sides_make_a_mirrored_pose(name):
    figure = build(name)
    generator = np.random.default_rng(3)
    lower, upper = np.maximum(figure.lower, -1.0), np.minimum(figure.upper, 1.0)
    drawn = values(figure, generator.uniform(lower, upper))
    limbs = {
        dof: drawn[dof if dof.startswith("left_") else other_side(dof)]
        for dof in figure.dof_names
        if other_side(dof) != dof
    }
    q = np.array([limbs.get(dof, rest) for dof, rest in zip(figure.dof_names, figure.rest, strict=True)])
    names = [*figure.joint_names, *figure.site_names]
    frames = site_frames(figure, q, names)
    twins = site_frames(figure, q, [other_side(n) for n in names])
    mirror = np.array([-1.0, 1.0, 1.0])
    np.testing.assert_allclose(frames.points, twins.points * mirror, rtol=0.0, atol=1e-12)
    is_site = [n in figure.site_names for n in names]
    np.testing.assert_allclose(frames.x_axes[is_site], (twins.x_axes * mirror)[is_site], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(frames.y_axes[is_site], (twins.y_axes * mirror)[is_site], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("name", BIPEDS)
def test_shapes_and_centres_are_mirrored(name):
    figure = build(name)
    for joint in figure.joints:
        if not joint.name.startswith("left_"):
            continue
        twin = figure.joint(other_side(joint.name))
        x, y, z = joint.centre
        assert twin.centre == (-x, y, z)
        for capsule, other in zip(joint.shape, twin.shape, strict=True):
            assert other.start == (-capsule.start[0], *capsule.start[1:])
            assert other.end == (-capsule.end[0], *capsule.end[1:])
            assert (other.start_radius, other.end_radius) == (capsule.start_radius, capsule.end_radius)


@pytest.mark.parametrize("name", STANDING)
def test_stands_with_flat_soles_on_the_floor(name):
    figure = build(name)
    sites = [f"{side}_{part}" for side in ("left", "right") for part in ("sole", "heel", "toe_tip")]
    frames = site_frames(figure, figure.rest, sites)
    np.testing.assert_allclose(frames.points[:, 1], 0.0, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(frames.y_axes, np.tile([0.0, 1.0, 0.0], (6, 1)), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(frames.x_axes, np.tile([0.0, 0.0, 1.0], (6, 1)), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("name", STANDING)
def test_nothing_reaches_through_the_floor_at_rest(name):
    figure = build(name)
    frames = joint_frames(figure, figure.rest)
    for joint, rotation, position in zip(figure.joints, frames.rotations, frames.positions, strict=True):
        for capsule in joint.shape:
            for point, radius in ((capsule.start, capsule.start_radius), (capsule.end, capsule.end_radius)):
                assert (rotation @ point + position)[1] - radius >= -1e-9, joint.name


@pytest.mark.parametrize("name", STANDING)
def test_the_weight_is_over_the_feet_at_rest(name):
    figure = build(name)
    x, _, z = centre_of_mass(figure, figure.rest)
    heel, toe = site_frames(figure, figure.rest, ["left_heel", "left_toe_tip"]).points[:, 2]
    length = toe - heel
    assert abs(x) < 1e-12
    assert heel + 0.2 * length < z < toe - 0.3 * length


@pytest.mark.parametrize("name", BIPEDS)
def test_looks_forward_and_has_its_palms_towards_the_body(name):
    figure = build(name)
    frames = site_frames(figure, figure.rest, ["view", "left_hand", "right_hand"])
    np.testing.assert_allclose(frames.x_axes[0], [0.0, 0.0, 1.0], rtol=0.0, atol=1e-12)
    assert frames.y_axes[1][0] < -0.8  # the left palm looks to the right
    assert frames.y_axes[2][0] > 0.8
    assert frames.x_axes[1][1] < -0.8  # fingers hang


@pytest.mark.parametrize("name", STANDING)
def test_can_hold_a_club(name):
    figure = with_club(build(name))
    assert figure.n_dofs == build(name).n_dofs
    held, grip = (site_frames(figure, figure.rest, [site]) for site in ("left_hand", "club_grip_left"))
    for a, b in ((held.points, grip.points), (held.x_axes, grip.x_axes), (held.y_axes, grip.y_axes)):
        np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-12)


def test_the_right_palm_closes_the_grip_from_the_other_side():
    figure = with_club(human40(), length=1.0)
    sites = ["club_grip_left", "club_grip_right", "club_head"]
    left, right, head = site_frames(figure, figure.rest, sites).points
    frames = site_frames(figure, figure.rest, sites)
    np.testing.assert_allclose(frames.y_axes[0], -frames.y_axes[1], rtol=0.0, atol=1e-12)
    assert np.linalg.norm(head - right) < np.linalg.norm(head - left)  # the trailing hand is lower
    assert np.linalg.norm(head - left) == pytest.approx(0.93, abs=0.01)
    assert np.dot(frames.x_axes[2], frames.y_axes[0]) == pytest.approx(
        -1.0
    )  # the face looks where the hand's back does
