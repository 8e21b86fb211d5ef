"""What every solver makes of questions at the edge: nothing to do, nothing that moves, conflicts, warnings."""

import numpy as np
import pytest

import posewright as pw
from posewright.errors import MissingExtra
from posewright.figures.catalogue import build, chain
from posewright.solvers.registry import SOLVERS

over_solvers = pytest.mark.parametrize("name", SOLVERS)
REACHABLE = [pw.Position("left_hand", (0.3, 1.2, 0.4))]
MOON = (3.0, 30.0, -7.0)


def solve(name, problem, start=None):
    return SOLVERS[name]().solve(problem, start)


@over_solvers
def test_without_goals_the_start_is_the_answer(name):
    figure = build("human40")
    result = solve(name, pw.Problem(figure))
    assert result.stopped == "nothing to do"
    assert np.array_equal(result.q, figure.rest)
    outside = pw.Pose(figure, np.full(figure.n_dofs, 9.0))
    brought_inside = solve(name, pw.Problem(figure), outside)
    assert (brought_inside.q <= figure.upper).all()


@over_solvers
def test_a_figure_that_cannot_move_answers_as_it_stands(name):
    figure = pw.Figure(
        name="statue",
        joints=[pw.figures.Joint(name="foot"), pw.figures.Joint(name="head", parent="foot", offset=(0.0, 1.0, 0.0))],
    )
    missed = solve(name, pw.Problem(figure, [pw.Position("head", (0.0, 2.0, 0.0))]))
    assert missed.q.shape == (0,)
    assert missed.stopped == "nothing to do"
    assert missed.errors["head"] == pytest.approx(1.0)
    assert missed.warnings
    met = solve(name, pw.Problem(figure, [pw.Position("head", (0.0, 1.0, 0.0))]))
    assert met.reached


@over_solvers
def test_a_frozen_chain_is_told_and_the_rest_is_served(name):
    figure = build("human40")
    far = pw.Position("right_hand", (-0.5, 1.5, 0.3))
    arm = ["pelvis", "waist", "back", "right_shoulder", "right_elbow", "right_wrist"]
    result = solve(name, pw.Problem(figure, [*REACHABLE, far], frozen=arm))
    assert result.errors["left_hand"] < 5e-3
    assert any("right_hand" in sentence and "frozen" in sentence for sentence in result.warnings)
    for joint in arm:
        where = figure.dof_slice(joint)
        assert np.array_equal(result.q[where], figure.rest[where])


@over_solvers
def test_a_goal_that_is_off_or_weighs_nothing_changes_nothing(name):
    figure = build("human40")
    alone = solve(name, pw.Problem(figure, REACHABLE))
    off = pw.Position("right_hand", MOON, enabled=False)
    assert np.array_equal(solve(name, pw.Problem(figure, [*REACHABLE, off])).q, alone.q)


@over_solvers
def test_a_lower_priority_costs_a_higher_one_nothing_or_it_is_said(name):
    moon = pw.Position("right_hand", MOON, priority=2, name="moon")
    result = solve(name, pw.Problem(build("human40"), [*REACHABLE, moon]))
    kept = next(error for error in result.errors.parts if error.label == "left_hand").reached
    assert kept or any("weights, 100 per level" in sentence for sentence in result.warnings)
    assert kept == (SOLVERS[name].support.strict_levels >= 2)


@over_solvers
def test_the_answer_is_within_the_iterations_allowed_and_says_so(name):
    problem = pw.Problem(build("human40"), [pw.Position("left_hand", MOON)], frozen=["pelvis"])
    solver = SOLVERS[name]()
    for allowed in (0, 1, 3):
        result = solver.stopping_after(allowed).solve(problem)
        assert result.iterations <= allowed
        assert not result.reached
        if SOLVERS[name].support.shares_evenly:  # one that draws at random finishes by another method
            assert result.stopped == "out of iterations"
    rest = solver.stopping_after(0).solve(problem)
    assert np.array_equal(rest.q, problem.figure.rest) or not SOLVERS[name].support.shares_evenly
    luck = 1.0 if SOLVERS[name].support.shares_evenly else 1.001
    assert solver.solve(problem).cost <= luck * result.cost <= luck**2 * rest.cost


@over_solvers
def test_two_equal_equalities_are_one(name):
    figure = build("human40")
    rows = [
        pw.LinearConstraint.coupling("alike", "left_elbow.flexion", "right_elbow.flexion", 1.0),
        pw.LinearConstraint.coupling("alike again", "right_elbow.flexion", "left_elbow.flexion", 1.0),
    ]
    result = solve(name, pw.Problem(figure, REACHABLE, constraints=rows))
    assert result.reached
    assert result.pose["left_elbow.flexion"] == pytest.approx(result.pose["right_elbow.flexion"], abs=1e-9)


@over_solvers
def test_constraints_that_conflict_are_named_before_any_search(name):
    rows = [
        pw.LinearConstraint(name="bent", coefficients=(("left_elbow.flexion", 1.0),), lower=1.0),
        pw.LinearConstraint(name="straight", coefficients=(("left_elbow.flexion", 1.0),), upper=0.5),
    ]
    with pytest.raises(pw.errors.Infeasible, match="straight"):
        solve(name, pw.Problem(build("human40"), REACHABLE, constraints=rows))


@over_solvers
@pytest.mark.parametrize("n", [1, 30])
def test_balls_without_limits_from_a_straight_chain(name, n):
    """The target is on the axis of the chain, where no joint sees how to come nearer: missed, or left by luck."""
    figure = chain(n)
    result = solve(name, pw.Problem(figure, [pw.Position("tip", (0.0, 0.0, 0.0))]))
    assert np.isfinite(result.q).all()
    assert np.isfinite(result.cost)
    assert result.reached == all(error.reached for error in result.errors.parts)


@over_solvers
def test_a_predicate_that_the_answer_breaks_is_said(name):
    def never(pose):
        return False

    result = solve(name, pw.Problem(build("human40"), REACHABLE, predicates=[never]))
    assert any("never" in sentence for sentence in result.warnings)


def test_a_solver_without_its_package_says_what_to_install(monkeypatch):
    monkeypatch.setattr("posewright.solvers.external.nlopt.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"nlopt, which is not installed: pip install 'posewright\[nlopt\]'"):
        solve("nlopt", pw.Problem(build("human40"), REACHABLE))


@over_solvers
def test_a_vertebra_that_is_frozen_stays_where_groups_drive_the_spine(name):
    figure = build("human")
    space = pw.Space.grouped(figure)
    result = solve(name, pw.Problem(space, REACHABLE, frozen=["L3"]))
    assert result.reached
    start = space.decode(space.encode(figure.rest))
    where = figure.dof_slice("L3")
    assert result.q[where] == pytest.approx(start[where], abs=1e-9)


HIPS = pw.LinearConstraint(
    name="hips", coefficients=(("left_hip.flexion", 1.0), ("right_hip.flexion", 1.0)), lower=0.9, upper=0.9
)


@over_solvers
def test_what_is_free_gives_way_to_a_constraint_and_what_is_frozen_does_not(name):
    figure = build("human40")
    start = pw.Pose.rest(figure).with_values({"left_hip.flexion": 0.3})
    result = solve(name, pw.Problem(figure, REACHABLE, constraints=[HIPS], frozen=["left_hip"]), start)
    assert result.pose["left_hip.flexion"] == 0.3
    assert result.pose["right_hip.flexion"] == pytest.approx(0.6, abs=1e-9)


@over_solvers
def test_a_constraint_that_frozen_dofs_break_is_named_with_them(name):
    figure = build("human40")
    problem = pw.Problem(figure, REACHABLE, constraints=[HIPS], frozen=["left_hip", "right_hip"])
    with pytest.raises(pw.errors.Infeasible) as caught:
        solve(name, problem)
    assert set(caught.value.rows) >= {"hips", "left_hip.flexion (frozen)", "right_hip.flexion (frozen)"}
    nearly = pw.Pose.rest(figure).with_values({"left_hip.flexion": 0.4, "right_hip.flexion": 0.5000001})
    rounded = solve(name, problem, nearly)  # as numbers in files are
    assert rounded.pose["left_hip.flexion"] + rounded.pose["right_hip.flexion"] == pytest.approx(0.9, abs=1e-9)


@over_solvers
def test_limits_hold_in_a_space_that_counts_dofs_from_elsewhere(name):
    figure = build("human40")
    away = pw.Space(figure, figure.dof_names, np.eye(figure.n_dofs), figure.rest + np.resize([0.5, -0.4, 0.3], 40))
    arm = pw.Space.chain(figure, ["waist", "back", "right_shoulder", "right_elbow", "right_wrist"])
    arm_away = pw.Space(figure, arm.names, arm.matrix, arm.offset + 0.4 * arm.matrix.sum(axis=1))
    bend = pw.LinearConstraint(name="bend", coefficients=(("waist.flexion", 1.0), ("back.flexion", 1.0)), upper=0.1)
    for space in (away, arm_away):
        for constraints in ((), (bend,)):
            for point in ((-0.3, 0.9, 0.5), (0.5, 1.6, -0.4)):
                goal = pw.Position("right_hand", point)
                q = solve(name, pw.Problem(space, [goal], constraints=constraints)).q
                assert (q >= figure.lower - 1e-9).all()
                assert (q <= figure.upper + 1e-9).all()
                if constraints:
                    assert bend.value(dict(zip(figure.dof_names, q, strict=True))) <= 0.1 + 1e-9


@over_solvers
def test_an_array_given_as_start_may_be_written_to_afterwards(name):
    figure = build("human40")
    problem = pw.Problem(figure, [*REACHABLE, pw.Posture(weight=1e-4)])
    prepared = SOLVERS[name]().prepare(problem)
    start = figure.rest + 0.05
    first = prepared.solve(start=start)
    start += 0.3
    assert np.array_equal(prepared.solve().q, first.q)
    moved = first.q - (figure.rest + 0.05)
    assert first.errors["posture"] == pytest.approx(np.sqrt(np.mean(moved**2)), abs=1e-12)


@over_solvers
def test_nothing_is_kept_of_a_call_that_fails(name):
    figure = build("human40")
    prepared = SOLVERS[name]().prepare(pw.Problem(figure, REACHABLE))
    before = prepared.solve()
    other = {"left_hand": (0.2, 1.0, 0.4)}
    for wrong in (
        {"targets": {**other, "left_hnd": (0.0, 0.0, 0.0)}},
        {"targets": other, "start": np.zeros(3)},
        {"targets": other, "start": figure.rest + 0.1, "reference": np.zeros(3)},
        {"targets": {"left_hand": "head"}, "start": figure.rest + 0.1},
    ):
        with pytest.raises(pw.PosewrightError):
            prepared.solve(**wrong)
        assert np.array_equal(prepared.solve().q, before.q)


@over_solvers
@pytest.mark.parametrize(
    ("returned", "sentence"),
    [
        (lambda gap: None, r"the residual of 'gap' is None; it must be \(1,\) numbers"),
        (lambda gap: "wide", r"the residual of 'gap' is 'wide'; it must be \(1,\) numbers"),
        (lambda gap: [gap, gap], r"the residual of 'gap'( for \d+ poses)? has shape"),
        (lambda gap: [gap if gap == -2.0 else np.nan], r"the residual of 'gap'( for \d+ poses)? is not finite"),
    ],
)
def test_what_a_goal_in_python_must_not_return_is_told(name, returned, sentence):
    figure = build("human40")
    goal = pw.PythonGoal(lambda pose: returned(pose.q[10] - figure.rest[10] - 2.0), 1, name="gap")
    with pytest.raises(pw.errors.InvalidSetting, match=sentence):
        solve(name, pw.Problem(figure, [*REACHABLE, goal]))


@pytest.mark.parametrize("seed", range(4))
def test_goals_far_out_of_reach_end_as_stationary(seed):
    """Where guarded Gauss-Newton steps converge slowly, Newton steps arrive, and say so."""
    away = np.random.default_rng(seed).normal(size=3)
    goal = pw.Position("right_hand", 6.0 * away / np.linalg.norm(away))
    result = pw.LeastSquares(restarts=0).solve(pw.Problem(pw.figure("human40"), [goal], frozen=["pelvis"]))
    assert result.stopped == "stationary"
    assert not result.reached
