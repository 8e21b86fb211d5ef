"""What every solver promises, run over all of them: constraints, priorities, determinism, the three ways to solve."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build, chain
from posewright.figures.kinematics import site_frames
from posewright.problem.feasible import feasible_region
from posewright.solvers.registry import SOLVERS, solver_by_name

FIGURES = ("human40", "human", "hand", "arm4")
SITES = {
    "human40": ("left_hand", "right_hand", "left_sole"),
    "human": ("left_hand", "right_hand", "left_sole"),
    "hand": ("index_tip", "middle_tip", "thumb_tip"),
    "arm4": ("tip",),
}
BROKEN = 1e-9


@cache
def figure_of(name):
    return build(name)


def spaces_of(name):
    figure = figure_of(name)
    yield "all", pw.Space.of(figure)
    if figure.groups:
        yield "grouped", pw.Space.grouped(figure)
    if name == "human40":
        yield "chain", pw.Space.chain(figure, ["back", "left_shoulder", "left_elbow", "left_wrist"])
        turn = {"pelvis": (0.8, 0.0, 0.6, 0.0)}
        yield "chart", pw.Space.of(figure).with_chart(turn)


CASES = [(name, label, space) for name in FIGURES for label, space in spaces_of(name)]
over_solvers = pytest.mark.parametrize("solver", [make() for make in SOLVERS.values()], ids=list(SOLVERS))
over_strict_solvers = pytest.mark.parametrize(
    "solver",
    [make() for make in SOLVERS.values() if make.support.strict_levels >= 2],
    ids=[name for name, make in SOLVERS.items() if make.support.strict_levels >= 2],
)
over_cases = pytest.mark.parametrize(
    ("name", "space"), [(name, space) for name, _, space in CASES], ids=[f"{name}-{label}" for name, label, _ in CASES]
)


def feasible_pose(space, rng, spread=0.5):
    figure = space.figure
    q = figure.rest + rng.uniform(-spread, spread, figure.n_dofs)
    region = feasible_region(pw.Problem(space))
    return space.decode(region.projected(space.encode(np.clip(q, figure.lower, figure.upper))))


def reaching(name, space, seed, priorities=(1, 1, 1)):
    """Sites at places where a random feasible pose has them."""
    sites = list(SITES[name])
    points = site_frames(space.figure, feasible_pose(space, np.random.default_rng(seed)), sites).points
    return [
        pw.Position(site, point, priority=priority)
        for site, point, priority in zip(sites, points, priorities, strict=False)
    ]


def broken(problem, q):
    """By how much the worst limit or row of the figure and the problem is broken (rad or m)."""
    figure = problem.figure
    worst = max((figure.lower - q).max(), (q - figure.upper).max(), 0.0)
    values = dict(zip(figure.dof_names, q.tolist(), strict=True))
    for row in (*figure.constraints, *problem.constraints):
        worst = max(worst, row.lower - row.value(values), row.value(values) - row.upper)
    return worst


@over_solvers
@over_cases
@pytest.mark.parametrize("seed", [1, 2])
def test_constraints_hold_whatever_the_start_and_the_goals(solver, name, space, seed):
    rng = np.random.default_rng(seed)
    figure = space.figure
    start = pw.Pose(figure, 4.0 * rng.normal(size=figure.n_dofs))
    near = pw.Problem(space, reaching(name, space, seed))
    far = pw.Problem(space, [pw.Position(SITES[name][0], 5.0 * rng.normal(size=3))])
    for problem in (near, far):
        result = solver.solve(problem, start=start)
        assert broken(problem, result.q) <= BROKEN


@over_solvers
def test_equalities_and_inequalities_of_a_problem_hold_together(solver):
    figure = figure_of("human40")
    limits = [
        pw.LinearConstraint.coupling("elbows alike", "left_elbow.flexion", "right_elbow.flexion", 1.0),
        pw.LinearConstraint(
            name="bend little in all", coefficients=(("waist.flexion", 1.0), ("back.flexion", 1.0)), upper=0.2
        ),
        pw.LinearConstraint(name="knee", coefficients=(("left_knee.flexion", 1.0),), lower=0.5, upper=0.9),
    ]
    goals = [pw.Position("left_hand", (0.2, 0.4, 0.6)), pw.Position("right_hand", (-0.3, 1.6, 0.3))]
    problem = pw.Problem(figure, goals, constraints=limits)
    for seed in range(3):
        start = pw.Pose(figure, 2.0 * np.random.default_rng(seed).normal(size=figure.n_dofs))
        result = solver.solve(problem, start=start)
        assert broken(problem, result.q) <= BROKEN
    assert solver.solve(problem).reached


@over_strict_solvers
@over_cases
@pytest.mark.parametrize("seed", [3, 4])
def test_an_unreachable_second_priority_leaves_the_first_alone(solver, name, space, seed):
    goals = reaching(name, space, seed)[:1]
    alone = solver.solve(pw.Problem(space, goals))
    moon = pw.Position(SITES[name][-1], (3.0, 30.0, -7.0), priority=2, name="moon")
    result = solver.solve(pw.Problem(space, [*goals, moon]))
    first = result.errors[goals[0].label]
    assert alone.reached
    assert first.reached
    assert not result.reached


@pytest.mark.parametrize("make", [make for make in SOLVERS.values() if make.support.strict_levels < 2])
def test_without_strict_levels_a_priority_is_a_weight_of_100(make):
    goals = [pw.Position("left_hand", (0.3, 1.3, 0.4)), pw.Position("left_hand", (0.3, 1.1, 0.4), name="low")]
    ranked = make().solve(pw.Problem(figure_of("human40"), [goals[0], replace(goals[1], priority=2)]))
    weighed = make().solve(pw.Problem(figure_of("human40"), [goals[0], replace(goals[1], weight=0.01)]))
    assert ranked.q == pytest.approx(weighed.q, abs=1e-9)
    assert ranked.errors["left_hand"] == pytest.approx(0.2 / 101.0, rel=1e-3)
    assert "100 per level" in ranked.warnings[0]


@pytest.mark.parametrize("make", [make for make in SOLVERS.values() if make.support.strict_levels >= 3])
def test_of_three_contradicting_levels_each_keeps_to_what_is_left(make):
    figure = figure_of("human40")
    goals = [
        pw.Position("right_hand", (-0.3, 1.3, 0.3), name="first"),
        pw.Position("left_hand", (0.4, 1.2, 0.3), priority=2, name="second"),
        pw.Position("view", (0.0, 1.0, 5.0), priority=3, name="third"),
    ]
    errors = make().solve(pw.Problem(figure, goals)).errors.parts
    assert [error.reached for error in errors] == [True, True, False]


@over_solvers
@over_cases
def test_the_same_question_has_the_same_answer_to_the_last_bit(solver, name, space):
    problem = pw.Problem(space, reaching(name, space, 5))
    assert np.array_equal(solver.solve(problem).q, solver.solve(problem).q)


@over_solvers
@over_cases
def test_a_solved_start_returns_at_once(solver, name, space):
    problem = pw.Problem(space, reaching(name, space, 6))
    solved = solver.solve(problem)
    assert solved.reached
    again = solver.solve(problem, start=solved.pose)
    assert again.iterations == 0
    assert again.stopped == "reached"
    assert again.q == pytest.approx(solved.q, abs=1e-12)


@over_solvers
@over_cases
def test_an_unreachable_goal_ends_at_the_best_compromise(solver, name, space):
    """No small step that keeps the constraints comes nearer."""
    site, target = SITES[name][0], np.array([2.0, -6.0, 4.0])
    root = [d for d in space.names if d.startswith("pelvis.")]
    problem = pw.Problem(space, [pw.Position(site, target)], frozen=root)
    result = solver.solve(problem)
    assert not result.reached
    assert result.stopped in ("stationary", "out of iterations")

    def distance(q):
        return np.linalg.norm(site_frames(space.figure, q, [site]).points[0] - target)

    assert distance(result.q) == pytest.approx(result.errors[site], abs=1e-9)
    region, rng, x = feasible_region(problem), np.random.default_rng(0), space.encode(result.q)
    moving = np.array([name not in root for name in space.names])
    for _ in range(100):
        trial = region.projected(x + 0.02 * moving * rng.normal(size=len(x)))
        assert distance(space.decode(trial)) > distance(result.q) - 1e-3


@over_solvers
@pytest.mark.parametrize("name", FIGURES)
def test_frozen_dofs_and_joints_outside_a_chain_stay_as_they_are(solver, name):
    figure = figure_of(name)
    rng = np.random.default_rng(8)
    start = pw.Pose(figure, feasible_pose(pw.Space.of(figure), rng, 0.2))
    joint, dof = figure.joint_names[0], figure.dof_names[-1]
    result = solver.solve(pw.Problem(figure, reaching(name, pw.Space.of(figure), 8), frozen=[joint, dof]), start=start)
    kept = [*range(figure.n_dofs)[figure.dof_slice(joint)], figure.n_dofs - 1]
    assert np.array_equal(result.q[kept], start.q[kept])
    if name in ("human40", "arm4"):
        chained = pw.Space.chain(figure, list(figure.joint_names[1:3]), at=start)
        result = solver.solve(pw.Problem(chained, reaching(name, pw.Space.of(figure), 8)), start=start)
        outside = ~chained.matrix.any(axis=1)
        assert np.array_equal(result.q[outside], start.q[outside])
        assert not np.array_equal(result.q, start.q)


@over_solvers
@over_cases
def test_prepared_equals_solve_and_many_equal_one_by_one(solver, name, space):
    problem = pw.Problem(space, reaching(name, space, 9, priorities=(1, 2, 2)))
    prepared = solver.prepare(problem)
    assert np.array_equal(prepared.solve().q, solver.solve(problem).q)
    rng = np.random.default_rng(9)
    targets = np.repeat(prepared.lowered.targets[None], 5, axis=0)
    targets[:, :, :3] += rng.uniform(-0.05, 0.05, (5, targets.shape[1], 3))
    starts = np.stack([feasible_pose(space, rng) for _ in range(5)])
    many = solver.solve_many(problem, targets, starts)
    for k in range(5):
        one = prepared.solve(targets=targets[k], start=starts[k])
        assert np.array_equal(many.q[k], one.q)
        assert many.reached[k] == one.reached
        assert many.iterations[k] == one.iterations
    fork = prepared.fork()
    assert np.array_equal(fork.solve(targets=targets[0], start=starts[0]).q, many.q[0])


@pytest.mark.parametrize("solver", [make() for make in SOLVERS.values() if make.support.shares_evenly], ids=type)
def test_a_stiffer_dof_moves_less(solver):
    """Two hinges that could serve alike: the rigid one leaves the work to the other."""
    moved = []
    for rigidity in (0.0, 0.5, 0.9, 1.0):
        hinges = (pw.figures.Hinge(axis=(0.0, 0.0, 1.0), rigidity=rigidity),), (pw.figures.Hinge(axis=(0.0, 0.0, 1.0)),)
        figure = pw.Figure(
            name="two hinges",
            joints=[
                pw.figures.Joint(name="a", rotation=hinges[0]),
                pw.figures.Joint(name="b", parent="a", rotation=hinges[1]),
            ],
            sites=[pw.figures.Site(name="end", joint="b", point=(1.0, 0.0, 0.0))],
        )
        goal = pw.Position("end", (np.cos(0.3), np.sin(0.3), 0.0))
        result = solver.solve(pw.Problem(figure, [goal]))
        assert result.reached
        moved.append(abs(result.q[0]))
    assert moved[0] == pytest.approx(0.15, abs=1e-3)
    assert moved[1] < 0.7 * moved[0]
    assert moved[2] < 0.7 * moved[1]
    assert moved[-1] == 0.0


GOALS = {
    "position": [pw.Position("left_hand", (0.3, 1.2, 0.4))],
    "orientation": [pw.Orientation("left_hand", x=(0.0, 0.0, 1.0), y=(0.0, 1.0, 0.0))],
    "placement": [pw.Placement("left_hand", (0.3, 1.2, 0.4), x=(0.0, 0.0, 1.0), y=(0.0, -1.0, 0.0))],
    "aim": [pw.Aim("view", (0.5, 1.0, 2.0))],
    "line": [pw.Line("left_hand", (0.3, 1.2, 0.4), (0.0, 1.0, 0.0))],
    "plane": [pw.Plane("left_hand", (0.0, 1.4, 0.0), (0.0, 1.0, 0.0))],
    "half-space": [pw.HalfSpace("left_hand", (0.0, 1.4, 0.0), (0.0, 1.0, 0.0))],
    "centre of mass": [pw.CentreOfMass((0.0, 0.0, 0.1)), pw.Position("left_sole", (0.1, 0.0, 0.0))],
    "hands together": [pw.Position("left_hand", "right_hand")],
    "any of": [pw.Outside("left_hand", box=((-0.5, 0.0, -0.5), (0.5, 2.0, 0.5)))],
    "python": [pw.PythonGoal(lambda pose: np.array([pose["left_elbow.flexion"] - 1.0]), 1, unit="rad")],
    "posture": [pw.Position("left_hand", (0.3, 1.2, 0.4)), pw.Posture(priority=2)],
    "smoothness": [
        pw.Position("left_hand", (0.3, 1.2, 0.4)),
        pw.Smoothness(("waist", "back"), priority=2),
    ],
}


@over_solvers
@pytest.mark.parametrize("kind", GOALS)
def test_every_kind_of_goal_is_reached_and_solved_many_times(solver, kind):
    figure = figure_of("human40")
    problem = pw.Problem(figure, GOALS[kind])
    result = solver.solve(problem)
    strict = solver.support.strict_levels >= max(goal.priority for goal in GOALS[kind])
    if strict:
        assert result.reached
    else:  # a weighted sum gives a little to the lower priority
        assert max(error.value for error in result.errors.parts if np.isfinite(error.tolerance)) < 5e-3
    assert broken(problem, result.q) <= BROKEN
    prepared = solver.prepare(problem)
    many = prepared.solve_many(np.repeat(prepared.lowered.targets[None], 3, axis=0))
    assert many.reached.all() == result.reached
    assert np.array_equal(many.q, np.repeat(result.q[None], 3, axis=0))


@over_strict_solvers
def test_a_half_space_of_the_first_level_is_not_left_for_a_lower_one(solver):
    floor = pw.HalfSpace("left_hand", (0.0, 1.2, 0.0), (0.0, 1.0, 0.0), name="above")
    low = pw.Position("left_hand", (0.3, 0.9, 0.4), priority=2, name="low")
    result = solver.solve(pw.Problem(figure_of("human40"), [floor, low]))
    errors = result.errors
    assert errors["above"].reached
    assert errors["low"].value == pytest.approx(0.3, abs=2e-3)


def test_solvers_are_found_by_name():
    assert solver_by_name("prioritized") is pw.Prioritized
    with pytest.raises(pw.errors.UnknownName, match="no solver 'priorized'; did you mean 'prioritized'"):
        solver_by_name("priorized")


def test_priorities_beyond_what_is_strict_are_told():
    figure = chain(4)
    goals = [pw.Position("tip", (1.0, 0.1 * i, 0.0), priority=i + 1, name=str(i)) for i in range(3)]
    for make in SOLVERS.values():
        result = make().solve(pw.Problem(figure, goals))
        assert bool(result.warnings) == (make.support.strict_levels < 3)
