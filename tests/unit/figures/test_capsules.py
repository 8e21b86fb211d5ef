"""The rounded cones that stand for a figure's body."""

import numpy as np
import pytest

from posewright.figures import Ball, Capsule, Figure, Joint, Site, free_slides
from posewright.figures.capsules import capsule_table


def bare_biped() -> Figure:
    """A biped as a BVH file gives it: bones without shapes, some of them without length."""
    joints = [Joint(name="Hips", slides=free_slides((0, 0.95, 0)), rotation=Ball())]
    sites = []
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        joints += [
            Joint(name=f"{side}HipJoint", parent="Hips"),
            Joint(name=f"{side}UpLeg", parent=f"{side}HipJoint", offset=(0.09 * sign, -0.05, 0)),
            Joint(name=f"{side}Leg", parent=f"{side}UpLeg", offset=(0, -0.43, 0)),
            Joint(name=f"{side}Foot", parent=f"{side}Leg", offset=(0, -0.42, 0)),
        ]
        sites.append(Site(name=f"{side}Toe", joint=f"{side}Foot", point=(0, -0.05, 0.18), tip=True))
    joints += [
        Joint(name="Spine", parent="Hips", offset=(0, 0.2, 0)),
        Joint(name="Chest", parent="Spine", offset=(0, 0.22, 0)),
        Joint(name="Neck", parent="Chest", offset=(0, 0.15, 0)),
        Joint(name="Head", parent="Neck", offset=(0, 0.08, 0)),
    ]
    sites.append(Site(name="HeadTop", joint="Head", point=(0, 0.18, 0), tip=True))
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        joints += [
            Joint(name=f"{side}Arm", parent="Chest", offset=(0.18 * sign, 0.05, 0)),
            Joint(name=f"{side}ForeArm", parent=f"{side}Arm", offset=(0.28 * sign, 0, 0)),
            Joint(name=f"{side}Hand", parent=f"{side}ForeArm", offset=(0.25 * sign, 0, 0)),
        ]
        sites.append(Site(name=f"{side}Fingers", joint=f"{side}Hand", point=(0.18 * sign, 0, 0), tip=True))
    return Figure(name="bare", joints=tuple(joints), sites=tuple(sites))


def radii_of(figure: Figure, joint: str) -> np.ndarray:
    table = capsule_table(figure)
    return table.radii[table.joint == figure.joint_index(joint)]


def test_a_shape_is_taken_as_it_is() -> None:
    shape = (Capsule(start=(0, 0, 0), end=(0, 0.3, 0), start_radius=0.05, end_radius=0.02),)
    table = capsule_table(Figure(name="stick", joints=(Joint(name="only", shape=shape),)))
    assert table.joint.tolist() == [0]
    np.testing.assert_array_equal(table.end, [[0, 0.3, 0]])
    np.testing.assert_array_equal(table.radii, [[0.05, 0.02]])


def test_bones_without_length_draw_nothing_and_divide_by_nothing() -> None:
    table = capsule_table(bare_biped())
    assert np.isfinite(table.start).all()
    assert np.isfinite(table.radii).all()
    assert (np.linalg.norm(table.end - table.start, axis=1) > 1e-3).all()


def test_limbs_grow_slimmer_towards_their_ends() -> None:
    figure = bare_biped()
    thigh, shin, foot = (radii_of(figure, f"Left{name}")[0] for name in ("UpLeg", "Leg", "Foot"))
    assert thigh[0] > thigh[1] >= shin[0] > shin[1] >= foot[0] > foot[1] > 0.005
    assert 0.05 < thigh[0] < 0.10  # m, of a figure about 1.75 m tall
    assert radii_of(figure, "Spine").max() > thigh[0]
    assert 0.06 < radii_of(figure, "Head").max() < 0.11


def test_both_sides_are_alike() -> None:
    figure = bare_biped()
    for name in ("UpLeg", "Leg", "Arm", "Hand"):
        np.testing.assert_allclose(radii_of(figure, f"Left{name}"), radii_of(figure, f"Right{name}"))


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_radii_scale_with_the_figure(scale: float) -> None:
    figure = bare_biped()
    joints = tuple(
        Joint(name=j.name, parent=j.parent, offset=tuple(scale * v for v in j.offset)) for j in figure.joints
    )
    sites = tuple(
        Site(name=s.name, joint=s.joint, point=tuple(scale * v for v in s.point), tip=True) for s in figure.sites
    )
    large = capsule_table(Figure(name="scaled", joints=joints, sites=sites))
    np.testing.assert_allclose(large.radii, scale * capsule_table(figure).radii, rtol=1e-9)


def test_a_single_point_has_no_body() -> None:
    table = capsule_table(Figure(name="point", joints=(Joint(name="root"), Joint(name="same", parent="root"))))
    assert len(table) == 0
    assert table.start.shape == (0, 3)
    assert table.radii.shape == (0, 2)


def test_the_table_cannot_be_written_to() -> None:
    table = capsule_table(bare_biped())
    for array in (table.joint, table.start, table.end, table.radii):
        assert not array.flags.writeable


def test_a_root_on_the_floor_is_a_place_and_not_a_leg() -> None:
    figure = bare_biped()
    floor = Joint(name="world", slides=free_slides(), rotation=Ball())
    hips = Joint(name="Hips", parent="world", offset=(0, 0.95, 0), rotation=Ball())
    placed = Figure(name="placed", joints=(floor, hips, *figure.joints[1:]), sites=figure.sites)
    assert not (capsule_table(placed).joint == 0).any()
    np.testing.assert_allclose(capsule_table(placed).radii, capsule_table(figure).radii)


def test_a_chain_keeps_its_first_bone() -> None:
    links = tuple(
        Joint(name=f"link{k}", parent=f"link{k - 1}" if k else None, offset=(0, 0.3 if k else 0, 0)) for k in range(4)
    )
    assert capsule_table(Figure(name="chain", joints=links)).joint.tolist() == [0, 1, 2]


def test_the_skull_continues_the_neck_whatever_the_jaw_does() -> None:
    figure = bare_biped()
    jaw = Joint(name="Jaw", parent="Head", offset=(0, -0.02, 0.1))
    with_jaw = Figure(name="jaw", joints=(*figure.joints, jaw), sites=figure.sites)
    table, plain = capsule_table(with_jaw), capsule_table(figure)
    head = with_jaw.joint_index("Head")
    np.testing.assert_allclose(table.end[table.joint == head], plain.end[plain.joint == head])
    assert not (table.joint == with_jaw.joint_index("Jaw")).any()


def test_a_head_without_length_is_upright_at_any_size() -> None:
    for size in (1.0, 1e6):  # of a file in micrometres taken as metres
        joints = (Joint(name="neck"), Joint(name="head", parent="neck"), Joint(name="arm", parent="neck"))
        tip = Site(name="hand", joint="arm", point=(size, 0.0, 0.0), tip=True)
        table = capsule_table(Figure(name="bust", joints=joints, sites=(tip,)))
        (skull,) = np.flatnonzero(table.joint == 1)
        along = table.end[skull] - table.start[skull]
        assert along / np.linalg.norm(along) == pytest.approx([0.0, 1.0, 0.0])
