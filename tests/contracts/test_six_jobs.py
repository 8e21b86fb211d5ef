"""What a user writes for the six jobs, each as short as it should be."""

import numpy as np
import pytest

import posewright as pw


@pytest.fixture(scope="module")
def human():
    return pw.figure("human40")


@pytest.fixture(scope="module")
def walk(human, tmp_path_factory):
    path = tmp_path_factory.mktemp("jobs") / "walk.bvh"
    pw.clips.walk(human, steps=2).save(path)
    return pw.motion(path)


def reach(human):
    return [
        pw.Position("right_hand", (-0.35, 1.3, 0.4)),
        pw.Orientation("left_hand", wxyz=(1.0, 0.0, 0.0, 0.0), priority=2),
        pw.Aim("view", at=(-0.35, 1.3, 0.4), priority=2),
        *pw.pin(pw.Pose.rest(human), "left_sole", "right_sole"),
    ]


def test_a_pose(human, tmp_path):
    result = pw.LeastSquares().solve(pw.Problem(human, reach(human)))
    result.pose.save(tmp_path / "reach.bvh")
    assert result.errors["right_hand"].reached
    assert result.errors["left_sole"].reached
    assert "right_hand" in str(result)
    assert len(list(result.explain())) == len(result.errors.missed)


def test_a_drag(human):
    live = pw.LeastSquares().prepare(pw.Problem(human, reach(human)))
    live.solve(targets={"right_hand": (-0.35, 1.2, 0.4)})
    for height in np.linspace(1.2, 1.3, 5):
        pose = live.follow(right_hand=(-0.35, height, 0.4)).pose
        assert pose.point("right_hand") == pytest.approx((-0.35, height, 0.4), abs=1e-3)


def test_a_clip_on_another_body(walk, tmp_path):
    made = pw.retarget(walk, to=pw.figure("abnorman1"))
    made.motion.save(tmp_path / "walking.glb")
    assert made.quality()["contact drift"].value < 1e-3


def test_an_edit_with_and_without_a_learned_space(human):
    jumps = [pw.clips.jump(human, height=0.1 + 0.05 * k, fps=30) for k in range(4)]
    model = pw.MotionModel.fit(jumps, explained_variance=0.98)
    lift = pw.Position("pelvis", np.add(jumps[1].pose(14).point("pelvis"), (0.0, 0.03, 0.0)))
    for space in (None, model):
        assert pw.edit(jumps[1], lift.at(14), space=space).reached


def test_the_same_edit_in_full(walk):
    hand = "left_wrist"
    lift = pw.Position(hand, np.add(walk.pose(40).point(hand), (0.0, 0.1, 0.05)))
    curve = np.linspace(walk.pose(10).point(hand), walk.pose(20).point(hand), 11) + np.array((0.0, 0.02, 0.0))
    problem = pw.MotionProblem(
        walk.figure,
        [lift.at(40), pw.Position(hand, curve[0], name="curve").along(curve, start=10, end=20, ease=5)],
        walk,
    )
    result = pw.Prioritized().solve(problem)
    assert result.reached
    assert len(result.motion) == len(walk)


def test_a_posture_from_a_library(human, tmp_path):
    pw.Postures.build([pw.clips.sit(human), pw.clips.walk(human, steps=2)], threshold=0.1).save(
        tmp_path / "people.postures"
    )
    people = pw.Postures.open(tmp_path / "people.postures")
    result = pw.design(human, [pw.Position("left_hand", (0.3, 1.1, 0.4))], people)
    assert result.reached
