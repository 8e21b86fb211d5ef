import numpy as np
import pytest

import posewright as pw
from posewright.figures import catalogue
from posewright.goals.sketch import solid_edges
from posewright.report.result_pictures import GAP, MET, MISSED, goal_marks, pose_picture

UP, FORWARD = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
POINT = (-0.3, 1.2, 0.4)


@pytest.fixture(scope="module")
def figure() -> pw.Figure:
    return catalogue.build("human40")


GOALS = {
    "position": pw.Position("right_hand", POINT),
    "hands": pw.Position("right_hand", "left_hand"),
    "orientation": pw.Orientation("view", x=FORWARD),
    "like": pw.Orientation("left_hand", like="right_hand"),
    "placement": pw.Placement("right_hand", POINT, x=FORWARD, y=UP),
    "aim": pw.Aim("view", POINT),
    "line": pw.Line("right_hand", POINT, UP),
    "plane": pw.Plane("right_hand", POINT, UP),
    "half_space": pw.HalfSpace("head_top", POINT, UP),
    "distance": pw.goals.Distance("right_hand", POINT, 0.1),
    "balance": pw.CentreOfMass("left_sole"),
    "balance at": pw.CentreOfMass(POINT, vertical=False),
    "any_of": pw.AnyOf((pw.Position("right_hand", POINT), pw.Position("right_hand", (1.0, 1.0, 1.0)))),
    "outside": pw.Outside("right_hand", box=((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))),
}


@pytest.mark.parametrize("goal", GOALS.values(), ids=GOALS.keys())
def test_every_goal_about_places_can_be_seen(figure, goal):
    marks = goal_marks([goal], pw.Pose.rest(figure))
    assert marks
    assert {mark.colour for mark in marks} <= {MET, GAP}


def test_what_is_aimed_at_from_far_away_does_not_shrink_the_figure(figure):
    rest = pw.Pose.rest(figure)
    eye, point = np.array(rest.point("view")), np.array((5.0, 1.0, 20.0))
    (line,) = goal_marks([pw.Aim("view", tuple(point))], rest)
    start, end = np.array(line.points)
    np.testing.assert_allclose(start, eye)
    assert 0.5 < np.linalg.norm(end - start) < 2.0
    np.testing.assert_allclose(np.cross(end - start, point - eye), 0.0, atol=1e-9)
    assert len(goal_marks([GOALS["aim"]], rest)) == 2, "a target nearby is shown"


def test_what_cannot_be_seen_has_no_mark(figure):
    off = pw.Position("right_hand", POINT, enabled=False)
    assert goal_marks([pw.Posture(), off], pw.Pose.rest(figure)) == ()


def test_missed_goals_are_red_and_show_how_far(figure):
    problem = pw.Problem(figure, [pw.Position("right_hand", (0.0, 9.0, 0.0)), pw.Orientation("view", y=UP)],
                         frozen=["pelvis"])  # fmt: skip
    result = pw.LeastSquares(restarts=0).solve(problem)
    marks = goal_marks(problem.goals, result.pose, result.errors)
    assert marks[0].colour == MISSED
    assert marks[1].colour == GAP
    assert marks[1].points[1] == (0.0, 9.0, 0.0)


def test_edges_of_a_box_and_of_a_tetrahedron():
    box = [(np.array(p), np.array(n)) for p, n in
           [((0, 0, 0), (-1, 0, 0)), ((0, 0, 0), (0, -1, 0)), ((0, 0, 0), (0, 0, -1)),
            ((1, 2, 3), (1, 0, 0)), ((1, 2, 3), (0, 1, 0)), ((1, 2, 3), (0, 0, 1))]]  # fmt: skip
    edges = solid_edges(box)
    assert sorted(float(np.linalg.norm(a - b)) for a, b in edges) == pytest.approx([1.0] * 4 + [2.0] * 4 + [3.0] * 4)
    corner = [*box[:3], (np.array([1.0, 0.0, 0.0]), np.full(3, 3.0**-0.5))]
    assert len(solid_edges(corner)) == 6


def test_answers_stand_side_by_side(figure):
    problem = pw.Problem(figure, [GOALS["position"]])
    result = pw.LeastSquares().solve(problem)
    one = pose_picture(problem, {"a": result}, width=80, height=90)
    two = pose_picture(problem, {"a": result, "b": result}, width=80, height=90)
    assert one.shape == (90, 80, 3)
    assert two.shape == (90, 160, 3)
    six = pose_picture(problem, dict.fromkeys("abcdef", result), width=80, height=90)
    assert six.shape == (180, 240, 3), "two rows of three"
    five = pose_picture(problem, dict.fromkeys("abcde", result), width=80, height=90)
    np.testing.assert_array_equal(five[:90], six[:90])
    assert (five[90:, 160:] == 255).all()


def test_others_are_ghosts_and_do_not_turn_the_camera(figure):
    problem = pw.Problem(figure, [GOALS["position"]])
    result = pw.LeastSquares().solve(problem)
    alone = pose_picture(problem, {"a": result}, width=80, height=90)
    same = pose_picture(problem, {"a": result}, others=[], width=80, height=90)
    there = pose_picture(problem, {"a": result}, others=[pw.Pose.rest(figure)], width=80, height=90)
    np.testing.assert_array_equal(alone, same)
    assert (there != alone).any()
