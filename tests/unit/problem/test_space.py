import numpy as np
import pytest

import posewright as pw
from posewright.figures.kinematics import joint_frames
from posewright.problem.feasible import feasible_region


def grouped_figure() -> pw.Figure:
    bends = tuple(pw.figures.Hinge(axis=(1.0, 0.0, 0.0)) for _ in range(1))
    joints = [pw.figures.Joint(name="s0", rotation=bends)] + [
        pw.figures.Joint(name=f"s{i}", parent=f"s{i - 1}", offset=(0.0, 0.1, 0.0), rotation=bends) for i in range(1, 4)
    ]
    group = pw.figures.JointGroup(
        name="spine",
        coordinates=("flexion",),
        members=("s0.rx", "s1.rx", "s2.rx"),
        matrix=((0.2,), (0.3,), (0.5,)),
        offset=(0.0, 0.1, 0.0),
    )
    return pw.Figure(name="spine", joints=joints, groups=(group,))


def test_a_figure_stands_for_the_space_of_all_its_dofs(mixed_figure):
    space = pw.Space.of(mixed_figure)
    q = np.random.default_rng(0).normal(size=(4, mixed_figure.n_dofs))
    assert space.is_identity
    assert np.array_equal(space.decode(q), q)


def test_a_chain_moves_only_its_joints(mixed_figure):
    space = pw.Space.chain(mixed_figure, ["arm", "hand"])
    q = space.decode(np.ones(len(space.names)))
    moved = {name.split(".")[0] for name, value in zip(mixed_figure.dof_names, q, strict=True) if value == 1.0}
    assert moved == {"arm", "hand"}
    assert np.array_equal(
        np.delete(q, np.flatnonzero(q == 1.0)), np.delete(mixed_figure.rest, np.flatnonzero(q == 1.0))
    )


def test_groups_drive_their_members_and_leave_the_others():
    space = pw.Space.grouped(grouped_figure())
    assert space.names == ("s3.rx", "spine.flexion")
    assert space.decode(np.array([0.7, 2.0])) == pytest.approx([0.4, 0.7, 1.0, 0.7])


@pytest.mark.parametrize("make", [pw.Space.of, lambda f: pw.Space.chain(f, ["spine", "arm"])], ids=["all", "chain"])
def test_encode_is_the_inverse_of_decode_in_any_chart(mixed_figure, make):
    space = make(mixed_figure).with_chart({"arm": (0.6, 0.0, 0.8, 0.0)})
    x = np.random.default_rng(1).uniform(-0.5, 0.5, (20, len(space.names)))
    assert space.encode(space.decode(x)) == pytest.approx(x, abs=1e-12)


def test_limits_of_a_ball_cannot_be_kept_in_a_chart_but_those_of_its_slides_can():
    limits = {"lower": (-1.0, -1.0, -1.0), "upper": (1.0, 1.0, 1.0)}
    rise = pw.figures.Slide(axis=(0.0, 1.0, 0.0), label="rise", lower=0.0, upper=0.1)
    chart = {"j": (0.0, 1.0, 0.0, 0.0)}
    free = pw.Figure(name="free", joints=[pw.figures.Joint(name="j", slides=(rise,), rotation=pw.figures.Ball())])
    region = feasible_region(pw.Problem(pw.Space.of(free).with_chart(chart)))
    assert (region.lower[0], region.upper[0]) == (0.0, 0.1)
    boxed = pw.Figure(
        name="boxed", joints=[pw.figures.Joint(name="j", slides=(rise,), rotation=pw.figures.Ball(**limits))]
    )
    with pytest.raises(pw.errors.InvalidSetting, match="joint 'j' has limits, which a space with a chart for it"):
        feasible_region(pw.Problem(pw.Space.of(boxed).with_chart(chart)))


def test_folding_a_chart_into_the_tables_gives_the_frames_of_the_decoded_pose(mixed_figure):
    from posewright.kernels.kinematics.frames import place_all

    space = pw.Space.of(mixed_figure).with_chart({"arm": (0.6, 0.0, 0.8, 0.0), "root": (0.0, 0.0, 1.0, 0.0)})
    x = np.random.default_rng(2).uniform(-0.5, 0.5, (5, len(space.names)))
    n = len(mixed_figure.joints)
    rotations, positions = np.empty((5, n, 3, 3)), np.empty((5, n, 3))
    place_all(*space.tables, x, rotations, positions)
    plain = joint_frames(mixed_figure, space.decode(x))
    assert positions == pytest.approx(plain.positions, abs=1e-12)
    assert rotations == pytest.approx(plain.rotations, abs=1e-12)


def test_a_chart_belongs_to_a_ball(mixed_figure):
    with pytest.raises(pw.errors.InvalidSetting, match="only ball joints have a chart; joint 'hand'"):
        pw.Space.of(mixed_figure).with_chart({"hand": (1.0, 0.0, 0.0, 0.0)})


def test_a_space_says_which_shapes_it_needs(mixed_figure):
    with pytest.raises(pw.errors.InvalidSetting, match=r"needs a matrix of 18 x 1 and an offset of 18"):
        pw.Space(mixed_figure, ("x",), np.zeros((2, 1)), np.zeros(2))


def test_out_of_a_chart_and_back(mixed_figure):
    space = pw.Space.of(mixed_figure).with_chart({"leg": (0.8, 0.0, 0.6, 0.0), "root": (0.0, 1.0, 0.0, 0.0)})
    q = np.random.default_rng(3).uniform(-0.5, 0.5, mixed_figure.n_dofs)
    assert space.out_of_chart(space.in_chart(q).copy()) == pytest.approx(q, abs=1e-12)
    idle = pw.Problem(space, [pw.Posture()], frozen=mixed_figure.joint_names)
    result = pw.LeastSquares().solve(idle, pw.Pose(mixed_figure, q))
    assert result.cost == pytest.approx(0.0, abs=1e-20), "the start is its own reference in any chart"


def test_constraints_on_rotation_vectors_are_refused_in_another_chart(mixed_figure):
    space = pw.Space.of(mixed_figure).with_chart({"root": (0.6, 0.0, 0.8, 0.0)})
    turned = pw.LinearConstraint(name="tilt", coefficients=(("root.wx", 1.0), ("root.wz", 1.0)), upper=0.2)
    with pytest.raises(pw.errors.InvalidSetting, match="constraint 'tilt' involves a ball joint that has a chart"):
        pw.LeastSquares().solve(pw.Problem(space, [pw.Position("finger", (0.3, 0.4, 0.5))], constraints=[turned]))
    moved = pw.LinearConstraint(name="place", coefficients=(("root.tx", 1.0), ("root.tz", 1.0)), upper=0.2)
    result = pw.LeastSquares().solve(pw.Problem(space, [pw.Position("finger", (0.9, 0.4, 0.9))], constraints=[moved]))
    assert result.pose["root.tx"] + result.pose["root.tz"] <= 0.2 + 1e-9
