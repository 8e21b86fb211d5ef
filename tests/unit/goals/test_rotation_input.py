"""Rotations go in as quaternions wxyz, matrices or two directions, everywhere alike."""

import numpy as np
import pytest

import posewright as pw
from posewright.rotations import matrix_from_quaternion
from posewright.tasks import load_task

WXYZ = np.array([0.8, 0.0, 0.6, 0.0])
MATRIX = matrix_from_quaternion(WXYZ)
X, Y = MATRIX[:, 0], MATRIX[:, 1]
POINT = (0.3, 1.2, 0.4)
FORMS = {"wxyz": {"wxyz": WXYZ}, "matrix": {"matrix": MATRIX}, "directions": {"x": X, "y": Y}}


@pytest.fixture(scope="module")
def human():
    return pw.figure("human40")


@pytest.mark.parametrize("form", FORMS)
def test_a_goal_takes_a_rotation_in_any_form(form):
    for goal in (pw.Orientation("left_hand", **FORMS[form]), pw.Placement("left_hand", POINT, **FORMS[form])):
        np.testing.assert_allclose(goal.x, X, atol=1e-12)
        np.testing.assert_allclose(goal.y, Y, atol=1e-12)


def moved_pose(human):
    q = np.random.default_rng(3).normal(human.rest, 0.1)
    return pw.Pose(human, np.clip(q, human.lower, human.upper))


def test_a_new_target_takes_a_rotation_in_any_form(human):
    start = pw.Orientation("left_hand", x=(1, 0, 0), y=(0, 1, 0))
    placed = pw.Placement("left_hand", (0, 1, 0), x=(1, 0, 0), y=(0, 1, 0))
    transform = np.eye(4)
    transform[:3, :3], transform[:3, 3] = MATRIX, POINT
    for goal, forms in (
        (start, [WXYZ, MATRIX, (*X, *Y)]),
        (placed, [(*POINT, *WXYZ), transform, (*POINT, *X, *Y)]),
    ):
        prepared = pw.LeastSquares().prepare(pw.Problem(human, [goal]))
        answers = [prepared.solve({"left_hand": values}, start=human.rest).q for values in forms]
        many = prepared.solve_many({"left_hand": np.array([forms[0], forms[0]])}, human.rest)
        for q in (*answers[1:], *many.q):
            np.testing.assert_allclose(q, answers[0], atol=1e-6)


def test_a_part_of_a_goal_takes_a_target_of_its_own(human):
    goal = pw.Placement("left_hand", POINT, x=(1, 0, 0), y=(0, 1, 0))
    prepared = pw.LeastSquares().prepare(pw.Problem(human, [goal]))
    result = prepared.solve({("left_hand", "orientation"): WXYZ})
    whole = pw.LeastSquares().solve(pw.Problem(human, [pw.Placement("left_hand", POINT, wxyz=WXYZ)]))
    np.testing.assert_allclose(result.q, whole.q, atol=1e-9)
    with pytest.raises(pw.errors.UnknownName, match="goal 'left_hand' has no part 'turn'"):
        prepared.solve({("left_hand", "turn"): WXYZ})


def test_a_path_takes_rotations():
    goal = pw.Orientation("left_hand", x=(1, 0, 0), y=(0, 1, 0))
    by_quaternion, by_matrix = goal.along(rotations=[WXYZ, WXYZ]), goal.along(rotations=[MATRIX, MATRIX])
    np.testing.assert_allclose(by_quaternion.x, by_matrix.x, atol=1e-12)
    np.testing.assert_allclose(by_quaternion.x[0], X, atol=1e-12)


@pytest.mark.parametrize("field", ["wxyz: [0.8, 0, 0.6, 0]", f"matrix: {MATRIX.tolist()}"])
def test_a_task_file_takes_rotations(tmp_path, field):
    path = tmp_path / "turned.yaml"
    path.write_text(f"figure: human40\ngoals:\n  - {{kind: orientation, site: left_hand, {field}}}\n")
    np.testing.assert_allclose(load_task(path).problem.goals[0].x, X, atol=1e-12)


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"wxyz": (1, 1, 0, 0)}, "must be a unit quaternion wxyz, got one of length 1.41"),
        ({"wxyz": (1, 0, 0)}, r"must be an array \(4,\)"),
        ({"matrix": np.diag([1.0, 1.0, -1.0])}, "is not a rotation"),
        ({"wxyz": WXYZ, "x": X}, "needs exactly one of: directions x and/or y, wxyz, matrix, like; got wxyz and x"),
    ],
)
def test_what_is_no_rotation_is_refused(form, sentence):
    with pytest.raises(pw.errors.InvalidSetting, match=sentence):
        pw.Orientation("left_hand", **form)


def test_pinned_sites_stay_where_a_pose_has_them(human):
    pose = moved_pose(human)
    goals = pw.pin(pose, "left_sole", "right_sole", priority=2)
    assert [goal.priority for goal in goals] == [2, 2]
    result = pw.LeastSquares().solve(pw.Problem(human, goals), pose)
    assert result.iterations == 0
    assert result.errors["left_sole", "orientation"] < 1e-9


def test_an_aim_may_be_told_at_what():
    assert pw.Aim("view", at=POINT) == pw.Aim("view", POINT) == pw.Aim("view", target=POINT)
    with pytest.raises(pw.errors.InvalidSetting, match="needs a point or a site to aim at"):
        pw.Aim("view")


def test_a_held_object_takes_matrices():
    path = np.zeros((2, 3))
    held = pw.workflows.HeldObject("left", path, turns=[MATRIX, MATRIX])
    np.testing.assert_allclose(held.turns, [WXYZ, WXYZ], atol=1e-12)
    with pytest.raises(pw.errors.InvalidSetting, match="turns of a held object is not a rotation"):
        pw.workflows.HeldObject("left", path, turns=np.zeros((2, 3, 3)))
