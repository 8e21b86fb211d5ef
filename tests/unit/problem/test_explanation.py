"""A result says which goal lost, to which, and why."""

import math

import numpy as np
import pytest

import posewright as pw
from posewright.figures.kinematics import site_frames
from posewright.goals.term import Point


def arm(elbow: tuple[float, float] = (-math.pi, math.pi), shoulder: tuple[float, float] = (-math.pi, math.pi)):
    """Two segments of 1 m along x that turn about z."""
    z = (0.0, 0.0, 1.0)
    return pw.Figure(
        name="arm",
        joints=[
            pw.figures.Joint(
                name="shoulder", rotation=(pw.figures.Hinge(axis=z, lower=shoulder[0], upper=shoulder[1], rest=0.1),)
            ),
            pw.figures.Joint(
                name="elbow",
                parent="shoulder",
                offset=(1.0, 0.0, 0.0),
                rotation=(pw.figures.Hinge(axis=z, lower=elbow[0], upper=elbow[1], rest=0.1),),
            ),
        ],
        sites=[
            pw.figures.Site(name="tip", joint="elbow", point=(1.0, 0.0, 0.0)),
            pw.figures.Site(name="mid", joint="elbow"),
        ],
    )


def at(x: float, y: float) -> Point:
    return (x, y, 0.0)


def missed(problem: pw.Problem, **settings) -> pw.PoseResult:
    result = pw.LeastSquares(**settings).solve(problem)
    assert not result.reached
    return result


def test_out_of_reach_by_half_a_metre():
    result = missed(pw.Problem(arm(), [pw.Position("tip", at(1.5, 2.0))]))
    (goal,) = result.explain().missed
    assert goal.out_of_reach == pytest.approx(0.5, abs=1e-6)
    assert not goal.limits
    assert not goal.rivals
    assert str(goal) == "tip missed by 500 mm: out of reach by 500 mm, even without other goals"


def test_blocked_by_an_elbow_limit():
    figure = arm(elbow=(-0.2, math.radians(20.0)))
    result = missed(pw.Problem(figure, [pw.Position("tip", at(0.6, 0.6))]))
    goal = result.explain()["tip"]
    assert [hold.name for hold in goal.limits] == ["elbow.rz"]
    assert goal.limits[0].share == pytest.approx(1.0, abs=0.05)
    assert "elbow.rz at its upper limit of 20°" in str(goal)
    assert goal.out_of_reach == pytest.approx(result.errors["tip"], rel=1e-3)


def test_lost_to_a_higher_priority():
    goals = [
        pw.Position("tip", at(1.2, 0.5)),
        pw.Position("mid", at(0.0, -1.0), name="elbow down", priority=2),
        pw.Position("shoulder", at(0.0, 0.0)),
    ]
    result = missed(pw.Problem(arm(), goals))
    goal = result.explain()["elbow down"]
    assert goal.out_of_reach == 0.0
    assert [hold.name for hold in goal.rivals] == ["tip"]
    assert "lost to tip (priority 1 before 2)" in str(goal)


def test_priorities_that_a_solver_takes_as_weights_lose_as_weights():
    figure = arm()
    goals = [
        pw.Position("shoulder", at(0.0, 0.0)),
        pw.Position("mid", at(0.0, 1.0), name="elbow up", priority=2),
        pw.Position("tip", at(40.0, 0.0), priority=3),
    ]
    problem = pw.Problem(figure, goals)
    strict = pw.Prioritized().solve(problem)
    assert strict.errors["elbow up"] < 1e-3
    weighed = pw.ActiveSetBfgs().solve(problem)
    goal = weighed.explain()["elbow up"]
    assert [hold.name for hold in goal.rivals] == ["tip"], "a goal of a lower priority, but it pulls from far away"
    assert goal.rivals[0].share == pytest.approx(1.0, abs=0.05)
    assert "lost to tip (weight 0.0001 against 0.01)" in str(goal)


def test_lost_to_a_heavier_goal():
    goals = [
        pw.Position("tip", at(1.5, 0.5), weight=100.0),
        pw.Position("mid", at(0.0, 1.0), name="elbow up", weight=1.0),
    ]
    explanation = missed(pw.Problem(arm(), goals)).explain()
    goal = explanation["elbow up"]
    assert [hold.name for hold in goal.rivals] == ["tip"]
    assert goal.rivals[0].share == pytest.approx(1.0, abs=0.05)
    assert "lost to tip (weight 100 against 1)" in str(explanation)


def test_a_posture_can_win_too():
    goals = [pw.Position("tip", at(0.0, 2.0)), pw.Posture(weight=10.0)]
    goal = missed(pw.Problem(arm(), goals)).explain()["tip"]
    assert [hold.name for hold in goal.rivals] == ["posture"]


def test_a_frozen_chain():
    problem = pw.Problem(arm(), [pw.Position("tip", at(0.0, 2.0))], frozen=["shoulder", "elbow"])
    (goal,) = missed(problem).explain().missed
    assert goal.frozen
    assert str(goal).endswith("nothing on its chain may move")


def test_held_by_a_linear_constraint():
    rows = [pw.LinearConstraint(name="bent little", coefficients=(("shoulder.rz", 1.0), ("elbow.rz", 1.0)), upper=0.5)]
    problem = pw.Problem(arm(), [pw.Position("tip", at(0.0, 2.0))], constraints=rows)
    goal = missed(problem).explain()["tip"]
    assert [hold.name for hold in goal.limits] == ["bent little"]
    assert "the constraint bent little" in str(goal)


def test_targets_of_a_prepared_solve_are_the_ones_explained():
    prepared = pw.LeastSquares().prepare(pw.Problem(arm(), [pw.Position("tip", at(1.0, 1.0))]))
    result = prepared.solve(targets={"tip": at(0.0, 3.0)})
    assert result.explain()["tip"].out_of_reach == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(KeyError, match="the explanation has no missed goal 'tap'; did you mean 'tip'"):
        result.explain()["tap"]


def test_a_search_cut_short_says_so():
    result = missed(pw.Problem(arm(), [pw.Position("tip", at(-1.0, 0.5))]), max_iterations=1, restarts=0)
    goal = result.explain()["tip"]
    assert goal.unfinished
    assert goal.limits == goal.rivals == ()
    assert str(goal).endswith("(even alone, the search did not converge)")


def test_a_local_minimum_at_a_limit_names_the_limit():
    """The shoulder would have to go round the other way, which a search without restarts cannot."""
    figure = arm(shoulder=(-3.0, 3.0))
    start = pw.Pose.rest(figure).with_values({"shoulder.rz": 2.5, "elbow.rz": 1.5})
    wanted = site_frames(figure, start.with_values({"shoulder.rz": -2.7}).q, ["tip"]).points[0]
    problem = pw.Problem(figure, [pw.Position("tip", wanted)], frozen=["elbow"])
    stuck = pw.LeastSquares(restarts=0).solve(problem, start)
    assert [hold.name for hold in stuck.explain()["tip"].limits] == ["shoulder.rz"]
    assert pw.LeastSquares().solve(problem, start).reached


def test_nothing_missed_nothing_to_explain():
    result = pw.LeastSquares().solve(pw.Problem(arm(), [pw.Position("tip", at(1.0, 1.0))]))
    assert str(result.explain()) == "every goal was reached"


def test_a_goal_in_python_is_explained_as_any_other():
    def straight(pose: pw.Pose) -> np.ndarray:
        return np.array([pose["elbow.rz"] - 2.0])

    figure = arm(elbow=(-0.5, 0.5))
    goal = missed(pw.Problem(figure, [pw.PythonGoal(straight, rows=1, unit="rad")])).explain()["straight"]
    assert [hold.name for hold in goal.limits] == ["elbow.rz"]
    assert goal.out_of_reach == pytest.approx(1.5, abs=1e-9)


def test_a_goal_without_weight_is_not_called_out_of_reach():
    idle = pw.Position("tip", at(1.0, 1.0), weight=0.0)
    for goals in ([idle], [idle, pw.Posture()]):
        goal = missed(pw.Problem(arm(), goals)).explain()["tip"]
        assert goal.weightless
        assert not goal.unfinished
        assert str(goal).endswith("its weight is 0")


def test_a_part_of_a_placement_without_weight_is_not_called_out_of_reach():
    figure = arm()
    only_place = pw.Placement("tip", at(0.0, 1.5), x=(0.0, 0.0, 1.0), position_share=1.0, name="tip")
    goal = missed(pw.Problem(figure, [only_place])).explain()["tip"]
    assert goal.weightless
    too_far = pw.Placement("tip", at(0.0, 2.5), x=(0.0, 0.0, 1.0), position_share=1.0)
    goal = missed(pw.Problem(figure, [too_far])).explain()["tip"]  # what weighs comes first
    assert not goal.weightless
    assert goal.out_of_reach == pytest.approx(0.5, abs=1e-6)


def test_how_far_a_turn_is_out_of_reach_is_an_angle():
    """Alone, the placement misses its place by 0.1 m and has its turn; beside a rival it is the turn that is worst."""
    figure = pw.figure("human40")
    chain = pw.Space.chain(figure, ("right_shoulder", "right_elbow", "right_wrist"), at=pw.Pose.rest(figure))
    goals = [
        pw.Placement("right_hand", (-0.3, 1.3, 0.7), y=(0.0, -1.0, 0.0)),
        pw.Orientation("right_hand", y=(1.0, 0.5, 0.0), name="rival", weight=100.0),
    ]
    goal = missed(pw.Problem(chain, goals)).explain()["right_hand"]
    assert goal.error.value > 1.0
    assert goal.out_of_reach == 0.0
    assert [hold.name for hold in goal.rivals] == ["rival"]


@pytest.mark.filterwarnings("error")
def test_where_forces_balance_in_many_ways_no_share_is_beyond_measure():
    """Two goals of higher priorities on the same chain: there are more of their rows than dofs."""
    figure = pw.figure("human40")
    goals = [
        pw.Position("right_hand", (0.0, 1.3, -0.5), name="back"),
        pw.Aim("right_hand", (0.0, 1.3, -0.5), name="turn", priority=2),
        pw.Position("right_hand", (0.0, 1.3, 0.5), name="front", priority=3),
    ]
    chain = pw.Space.chain(figure, ("right_shoulder", "right_elbow", "right_wrist"), at=pw.Pose.rest(figure))
    result = pw.Prioritized().solve(pw.Problem(chain, goals))
    goal = result.explain()["front"]
    assert {hold.name for hold in goal.rivals} == {"back", "turn"}
    assert sum(hold.share for hold in (*goal.rivals, *goal.limits)) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("solver", [pw.LeastSquares(), pw.ActiveSetBfgs()], ids=lambda solver: type(solver).__name__)
def test_a_goal_of_little_weight_is_in_reach_alone(solver):
    goals = [
        pw.Position("right_hand", (0.0, 1.2, 0.5), name="light", weight=1e-9),
        pw.Position("right_hand", (0.0, 1.2, 0.7), name="heavy"),
    ]
    goal = solver.solve(pw.Problem(pw.figure("human40"), goals)).explain()["light"]
    assert goal.out_of_reach == 0.0
    assert "lost to heavy (weight 1 against 1e-09)" in str(goal)


def test_an_explanation_is_gone_through_goal_by_goal():
    explanation = missed(pw.Problem(arm(), [pw.Position("tip", at(1.5, 2.0))])).explain()
    assert [goal.error.label for goal in explanation] == ["tip"]
    assert len(explanation) == 1
    reached = pw.LeastSquares().solve(pw.Problem(arm(), [pw.Position("tip", at(1.0, 1.0))]))
    assert not list(reached.explain())
