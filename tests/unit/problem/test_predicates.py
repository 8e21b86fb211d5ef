import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright.figures.catalogue import build, chain
from posewright.figures.kinematics import joint_frames, site_frames


def verdicts(predicate, figure, q):
    return predicate.holds(figure, q, joint_frames(figure, q))


def random_poses(figure, n=40):
    lower, upper = np.maximum(figure.lower, -1.2), np.minimum(figure.upper, 1.2)
    return np.random.default_rng(0).uniform(lower, upper, (n, figure.n_dofs))


@pytest.mark.parametrize(
    "make",
    [
        lambda _: pw.predicates.WithinLimits(),
        lambda _: pw.predicates.AbovePlane(("finger", "foot"), (0.0, 0.1, 0.0), (0.0, 2.0, 0.0)),
        lambda _: pw.predicates.NearPlane(("foot",), band=0.3),
        lambda _: pw.predicates.SwingTwist(
            "leg", axis=(0.0, -1.0, 0.0), twist=(-0.6, 0.8), swing=1.0, across=0.7, side=(1, 0, 0)
        ),
    ],
    ids=["limits", "above", "near", "swing"],
)
def test_many_poses_at_once_are_judged_as_one_by_one(mixed_figure, make):
    predicate, q = make(mixed_figure), random_poses(mixed_figure)
    q[::7, 7] = 5.0  # some outside the limits too
    together = verdicts(predicate, mixed_figure, q)
    assert together.tolist() == [predicate(pw.Pose(mixed_figure, one)) for one in q]
    assert 0 < together.sum() < len(q), "a test that always says the same tells nothing"


def test_planes_are_judged_by_the_height_of_each_site(mixed_figure):
    q = random_poses(mixed_figure)
    heights = site_frames(mixed_figure, q, ["finger", "foot"]).points[..., 1]
    above = pw.predicates.AbovePlane(("finger", "foot"), (9.0, 0.1, 9.0), (0.0, 5.0, 0.0))
    assert np.array_equal(verdicts(above, mixed_figure, q), (heights >= 0.1).all(axis=1))
    near = pw.predicates.NearPlane(("foot",), band=0.25)
    assert np.array_equal(verdicts(near, mixed_figure, q), np.abs(heights[:, 1]) <= 0.25)


@pytest.mark.parametrize(
    ("swing", "twist", "holds"),
    [(0.5, 0.0, True), (0.7, 0.0, False), (0.5, 0.9, True), (0.5, 1.1, False), (0.5, -1.1, False), (0.0, 0.9, True)],
)
def test_swing_and_twist_are_told_apart(mixed_figure, swing, twist, holds):
    axis = np.array([0.0, -1.0, 0.0])
    across = np.array([0.6, 0.0, 0.8])
    turn = Rotation.from_rotvec(swing * across) * Rotation.from_rotvec(twist * axis)
    w = turn.as_rotvec()
    pose = pw.Pose.rest(mixed_figure).with_values({"leg.wx": w[0], "leg.wy": w[1], "leg.wz": w[2]})
    assert pw.predicates.SwingTwist("leg", axis=(0.0, -1.0, 0.0), twist=(-1.0, 1.0), swing=0.6)(pose) is holds


@pytest.mark.parametrize(
    ("about", "angle", "holds"), [((1, 0, 0), 0.9, True), ((0, 0, 1), 0.9, False), ((0, 0, 1), 0.4, True)]
)
def test_an_elliptic_cone_is_wider_one_way(mixed_figure, about, angle, holds):
    w = angle * np.array(about, dtype=float)
    pose = pw.Pose.rest(mixed_figure).with_values({"leg.wx": w[0], "leg.wy": w[1], "leg.wz": w[2]})
    cone = pw.predicates.SwingTwist("leg", axis=(0.0, -1.0, 0.0), swing=1.0, across=0.5, side=(1.0, 0.0, 0.0))
    assert cone(pose) is holds


def test_a_folded_chain_runs_into_itself():
    figure = chain(4, joints="hinge", length=4.0)
    free = pw.predicates.NoSelfIntersection(figure)
    assert free(pw.Pose.rest(figure))
    names = figure.dof_names
    square = dict.fromkeys(names, 0.0) | {names[2]: math.pi - 0.05}  # third segment back along the second
    bent = dict.fromkeys(names, 0.0) | {names[2]: 1.0}
    assert free(pw.Pose.rest(figure).with_values(bent))
    assert not free(pw.Pose.rest(figure).with_values(square))


def test_a_hand_through_the_chest_is_noticed_and_rest_is_not():
    figure = build("human22")
    free = pw.predicates.NoSelfIntersection(figure)
    assert free(pw.Pose.rest(figure))
    behind = site_frames(figure, figure.rest, ["T7"]).points[0]
    result = pw.LeastSquares().solve(
        pw.Problem(pw.Space.grouped(figure), [pw.Position("left_hand", behind)], predicates=[free])
    )
    assert result.errors["left_hand"] < 0.05
    assert result.warnings == ("the pose does not satisfy the predicate 'no self-intersection'",)


def test_a_margin_keeps_parts_apart():
    figure = chain(4, joints="hinge", length=4.0)
    pose = pw.Pose.rest(figure).with_values({figure.dof_names[2]: 2.0})
    assert pw.predicates.NoSelfIntersection(figure)(pose)
    assert not pw.predicates.NoSelfIntersection(figure, margin=0.75)(pose)


def test_a_function_is_a_predicate_and_is_warned_of_by_its_name(mixed_figure):
    def hand_is_straight(pose: pw.Pose) -> bool:
        return abs(pose["hand.rz"]) < 1e-3

    def always(pose: pw.Pose) -> bool:
        return True

    goals = [pw.Position("finger", (0.2, 0.8, 0.3))]
    result = pw.LeastSquares().solve(pw.Problem(mixed_figure, goals, predicates=[always, hand_is_straight]))
    assert result.reached
    assert result.warnings == ("the pose does not satisfy the predicate 'hand_is_straight'",)


def test_impossible_predicates_are_refused(mixed_figure):
    with pytest.raises(pw.errors.InvalidSetting, match="normal of 'foot above a plane' is zero"):
        pw.predicates.AbovePlane(("foot",), normal=(0.0, 0.0, 0.0))
    with pytest.raises(pw.errors.InvalidSetting, match="the sites of AbovePlane are empty; at least one is needed"):
        pw.predicates.AbovePlane(())
    with pytest.raises(pw.errors.InvalidSetting, match="band of 'foot near a plane' must be a positive number"):
        pw.predicates.NearPlane(("foot",), band=-1.0)
    with pytest.raises(pw.errors.InvalidSetting, match="twist of 'swing and twist of leg' runs from 1 to 0"):
        pw.predicates.SwingTwist("leg", twist=(1, 0))
    with pytest.raises(pw.errors.InvalidSetting, match="'point' has no body"):
        pw.predicates.NoSelfIntersection(pw.Figure(name="point", joints=[pw.figures.Joint(name="point")]))
    with pytest.raises(pw.errors.UnknownName, match="did you mean 'foot'"):
        pw.predicates.AbovePlane(("fot",))(pw.Pose.rest(mixed_figure))
