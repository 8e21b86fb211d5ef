"""Zhao & Badler 1994: rigidity and joint groups."""

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.figures.kinematics import site_frames, site_jacobians
from posewright.problem.linearisation import linearise
from posewright.problem.lowering import lower

BENDS = ("flexion", "lateral", "axial")
LEFT_ARM = ("left_clavicle", "left_shoulder", "left_elbow", "left_wrist")
REACHES = ((0.75, 1.1, 0.5), (0.2, 0.9, 0.9), (-0.5, 1.0, 0.6), (0.5, 1.0, 0.75))


def vertebrae(figure):
    return tuple(joint.name for joint in figure.joints if joint.name[0] in "LT" and joint.name[1:].isdigit())


def stiffened(figure, rigidity, labels):
    """The figure with that rigidity of these dofs of the spine."""
    spine = vertebrae(figure)
    joints = [
        replace(joint, rotation=tuple(replace(h, rigidity=rigidity) if h.label in labels else h for h in joint.hinges))
        if joint.name in spine
        else joint
        for joint in figure.joints
    ]
    return replace(figure, joints=joints)


def reach_from_the_waist(figure, point):
    joints = (*vertebrae(figure), *LEFT_ARM)
    goal = pw.Placement("left_hand", point, y=(0.0, -1.0, 0.0), joints=joints)
    return pw.LeastSquares().solve(pw.Problem(pw.Space.grouped(figure), [goal]))


@pytest.mark.parametrize("point", REACHES)
def test_experiment_1_f_a_rigid_spine_bends_less_sideways_and_still_reaches(point):
    free = build("human22")
    space = pw.Space.grouped(free)
    assert len(space.names) == 22
    sideways = [space.names.index("spine.lateral"), space.names.index("spine.axial")]
    stiff = stiffened(free, 0.5, ("lateral", "axial"))
    results = [reach_from_the_waist(figure, point) for figure in (free, stiff)]
    assert all(result.reached for result in results)
    squares = [float(np.sum(space.encode(result.q)[sideways] ** 2)) for result in results]
    assert squares[1] <= 0.7 * squares[0]


def test_full_rigidity_removes_a_dof():
    figure = stiffened(build("human22"), 1.0, ("lateral", "axial"))
    result = reach_from_the_waist(figure, REACHES[0])
    assert not any(result.pose[f"{name}.{bend}"] for name in vertebrae(figure) for bend in ("lateral", "axial"))
    assert abs(result.pose["L5.flexion"]) > 0.01


def test_rigidity_changes_the_way_and_not_the_minimum(mixed_figure):
    """Where the best pose is unique, rigidity leaves it as it is."""
    goals = [pw.Position("finger", (0.6, 1.3, 0.4), weight=3.0), pw.Posture()]
    soft = pw.LeastSquares().solve(pw.Problem(mixed_figure, goals))
    spine = mixed_figure.joint("spine")
    stiff = replace(spine, rotation=tuple(replace(hinge, rigidity=0.7) for hinge in spine.rotation))
    joints = [stiff if joint.name == "spine" else joint for joint in mixed_figure.joints]
    hard = pw.LeastSquares().solve(pw.Problem(replace(mixed_figure, joints=joints), goals))
    np.testing.assert_allclose(hard.q, soft.q, rtol=0.0, atol=2e-4)
    assert hard.cost == pytest.approx(soft.cost, rel=1e-6)


def test_the_chain_rule_of_the_spine_sums_its_vertebrae():
    figure = build("human22")
    space = pw.Space.grouped(figure)
    x = space.encode(figure.rest) + 0.05
    q = space.decode(x)
    goal = pw.Position("left_hand", (0.3, 1.2, 0.6))
    lowered = lower(pw.Problem(space, [goal]))
    (rows,) = linearise(lowered, lowered.targets, x, q)
    plain = site_jacobians(figure, q, ["left_hand"])[0, :3]
    group = next(group for group in figure.groups if group.name == "spine")
    members, shares = [figure.dof_index(member) for member in group.members], np.array(group.matrix)
    assert len(members) == 51
    np.testing.assert_allclose(shares.sum(axis=0), 1.0, rtol=0.0, atol=1e-12)
    assert (shares >= 0.0).all()
    columns = [space.names.index(f"spine.{bend}") for bend in BENDS]
    np.testing.assert_allclose(rows.J[:, columns], plain[:, members] @ shares, rtol=0.0, atol=1e-12)
    assert sum(q[figure.dof_index(f"{name}.flexion")] for name in vertebrae(figure)) == pytest.approx(
        x[columns[0]], abs=1e-12
    )


def tube_task(figure, seed=None):
    """Look into a tube (experiment 1-A): hands on it, elbows on planes, the eye on its axis and looking along it.

    The tube is where a pose of the grouped figure holds it, so that every goal can be met; a seed varies that pose.
    """
    space = pw.Space.grouped(build("human22"))
    rng = np.random.default_rng(seed)
    angles = {
        "spine.flexion": 30.0, "spine.lateral": 12.0, "spine.axial": 20.0, "neck.flexion": 20.0, "head.axial": 10.0,
        **{f"{side}_shoulder_complex.{name}": value for side in ("left", "right")
           for name, value in (("elevation", 70.0), ("abduction", 20.0), ("twist", 30.0))},
        "left_elbow.flexion": 90.0, "right_elbow.flexion": 80.0,
    }  # fmt: skip
    x = np.zeros(len(space.names))
    for name, degrees in angles.items():
        x[space.names.index(name)] = np.radians(degrees) * (1.0 if seed is None else rng.uniform(0.6, 1.2))
    frames = site_frames(
        space.figure, space.decode(x), ["left_hand", "right_hand", "left_elbow", "right_elbow", "view"]
    )
    eye, gaze = frames.points[4], frames.x_axes[4]
    sides = ("left", "right")
    return pw.Problem(
        pw.Space.grouped(figure),
        [
            *(pw.Placement(f"{s}_hand", frames.points[k], y=frames.y_axes[k]) for k, s in enumerate(sides)),
            *(pw.Plane(f"{s}_elbow", frames.points[2 + k], (1.0, 0.0, 0.0)) for k, s in enumerate(sides)),
            pw.Line("view", eye, gaze),
            pw.Aim("view", eye + 0.6 * gaze, name="look"),
        ],
    )


def roughness(pose):
    """Sum of squared second differences of the spine's angles along the vertebrae."""
    angles = [[pose[f"{name}.{bend}"] for name in vertebrae(pose.figure)] for bend in BENDS]
    return float(np.sum(np.diff(angles, n=2, axis=1) ** 2))


def roughness_of_grouped_against_single(seed):
    results = [pw.LeastSquares().solve(tube_task(build(name), seed)) for name in ("human22", "human70")]
    assert all(result.reached for result in results)
    return roughness(results[0].pose) / roughness(results[1].pose)


def test_experiment_1_c_a_grouped_spine_bends_smoothly():
    assert [len(pw.Space.grouped(build(name)).names) for name in ("human22", "human70")] == [22, 70]
    assert roughness_of_grouped_against_single(None) <= 0.2
    assert np.median([roughness_of_grouped_against_single(seed) for seed in range(8)]) <= 0.2


@pytest.mark.parametrize("side", ["left", "right"])
def test_three_numbers_drive_clavicle_and_arm(side):
    figure = build("human22")
    space = pw.Space.grouped(figure)
    group = next(group for group in figure.groups if group.name == f"{side}_shoulder_complex")
    assert group.coordinates == ("elevation", "abduction", "twist")
    assert {member.split(".")[0] for member in group.members} == {f"{side}_clavicle", f"{side}_shoulder"}
    columns = [space.names.index(f"{group.name}.{name}") for name in group.coordinates]
    driven = np.flatnonzero(space.matrix[:, columns].any(axis=1))
    assert {figure.dof_names[d] for d in driven} == set(group.members)
    x = space.encode(figure.rest)
    raised = x.copy()
    raised[columns[1]] += 1.0
    change = space.decode(raised) - space.decode(x)
    assert change[figure.dof_index(f"{side}_clavicle.elevation")] > 0.1
    assert change[figure.dof_index(f"{side}_shoulder.abduction")] > 0.5


def test_the_complex_alone_poses_the_arm():
    figure = build("human22")
    space = pw.Space.grouped(figure)
    wanted = space.encode(figure.rest)
    columns = [space.names.index(f"left_shoulder_complex.{name}") for name in ("elevation", "abduction", "twist")]
    wanted[columns] += (0.8, 0.5, 0.2)
    point = site_frames(figure, space.decode(wanted), ["left_hand"]).points[0]
    goal = pw.Position("left_hand", point, joints=("left_clavicle", "left_shoulder"))
    result = pw.LeastSquares().solve(pw.Problem(space, [goal]))
    assert result.reached
    found = space.encode(result.q)
    assert set(np.flatnonzero(np.abs(found - space.encode(figure.rest)) > 1e-12)) <= set(columns)
    assert result.pose["left_clavicle.elevation"] != figure.rest[figure.dof_index("left_clavicle.elevation")]
    np.testing.assert_allclose(space.decode(found), result.q, rtol=0.0, atol=1e-12)
