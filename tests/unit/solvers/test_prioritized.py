"""Limits, the pull to a reference, and settings of Prioritized; what all solvers promise is in the contracts."""

from itertools import pairwise

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import chain
from posewright.figures.kinematics import site_frames, site_jacobians


def two_links(upper=np.inf):
    hinges = [pw.figures.Hinge(axis=(0.0, 0.0, 1.0), upper=upper), pw.figures.Hinge(axis=(0.0, 0.0, 1.0), rest=0.3)]
    return pw.Figure(
        name="two links",
        joints=[
            pw.figures.Joint(name="a", rotation=(hinges[0],)),
            pw.figures.Joint(name="b", parent="a", offset=(1.0, 0.0, 0.0), rotation=(hinges[1],)),
        ],
        sites=[pw.figures.Site(name="end", joint="b", point=(1.0, 0.0, 0.0))],
    )


def tip(figure, q):
    return site_frames(figure, np.asarray(q), ["end"]).points[0]


def test_a_dof_stays_at_its_bound_while_pushed_outward_and_leaves_it_when_the_goal_turns():
    figure = two_links(upper=0.5)
    prepared = pw.Prioritized().prepare(pw.Problem(figure, [pw.Position("end", tip(figure, [1.2, 0.4]))]))
    pushed = prepared.solve()
    assert pushed.q[0] == 0.5
    assert not pushed.reached
    back = prepared.solve(targets={"end": tip(figure, [0.1, 0.6])}, start=pushed.q)
    assert back.reached
    assert back.q[0] < 0.4


def test_levels_stay_strict_with_dofs_at_their_bounds(mixed_figure):
    """The first level pushes limits; a second far away may not cost it anything."""
    space = pw.Space.chain(mixed_figure, ["spine", "arm", "hand"])
    held = space.matrix.any(axis=1)
    q = np.where(held, np.clip(mixed_figure.rest + 5.0, mixed_figure.lower, mixed_figure.upper), mixed_figure.rest)
    at_corner = pw.Position("finger", site_frames(mixed_figure, q, ["finger"]).points[0])
    far = pw.Position("hand", (9.0, 9.0, 9.0), priority=2)
    result = pw.Prioritized().solve(pw.Problem(space, [at_corner, far]), start=pw.Pose(mixed_figure, q))
    assert next(iter(result.errors.values())).reached
    assert (result.q >= mixed_figure.lower).all()
    assert (result.q <= mixed_figure.upper).all()
    assert ((result.q == mixed_figure.lower) | (result.q == mixed_figure.upper)).any()


def test_the_pull_returns_to_the_reference_in_what_freedom_the_goals_leave():
    figure = chain(7, joints="hinge")
    rng = np.random.default_rng(2)
    start, reference = (pw.Pose(figure, rng.uniform(-0.5, 0.5, figure.n_dofs)) for _ in range(2))
    goal = pw.Position("tip", site_frames(figure, start.q, ["tip"]).points[0])
    problem = pw.Problem(figure, [goal, pw.Posture(reference=reference, priority=2)])
    limited = [pw.Prioritized(max_iterations=k).solve(problem, start=start) for k in (0, 1, 2, 4, 8, 16, 200)]
    distances = [np.linalg.norm(result.q - reference.q) for result in limited]
    assert all(later <= earlier for earlier, later in pairwise(distances))
    settled = limited[-1]
    assert settled.stopped == "reached"
    assert settled.reached
    # Nothing is left to gain: what remains of the difference lies in the rows of the goal's Jacobian.
    J = site_jacobians(figure, settled.q, ["tip"])[0, :3]
    gap = settled.q - reference.q
    assert np.linalg.norm(gap) > 0.1
    assert gap - np.linalg.pinv(J) @ J @ gap == pytest.approx(np.zeros(len(gap)), abs=3e-4)


def test_goals_that_are_met_may_end_the_search_before_the_pull_arrives():
    figure = chain(7, joints="hinge")
    rng = np.random.default_rng(2)
    start, reference = (pw.Pose(figure, rng.uniform(-0.5, 0.5, figure.n_dofs)) for _ in range(2))
    goal = pw.Position("tip", site_frames(figure, start.q + 0.05, ["tip"]).points[0])
    problem = pw.Problem(figure, [goal, pw.Posture(reference=reference, priority=2)])
    at_once, settled = (pw.Prioritized(settle=settle).solve(problem, start=start) for settle in (False, True))
    assert at_once.stopped == settled.stopped == "reached"
    assert at_once.reached
    assert 0 < at_once.iterations < settled.iterations
    assert np.linalg.norm(settled.q - reference.q) < np.linalg.norm(at_once.q - reference.q)


def test_without_goals_the_pull_arrives(mixed_figure):
    reference = pw.Pose(mixed_figure, np.full(mixed_figure.n_dofs, 0.2))
    result = pw.Prioritized().solve(pw.Problem(mixed_figure, [pw.Posture(reference=reference)]))
    assert result.q == pytest.approx(reference.q, abs=1e-3)


def test_a_reference_is_understood_in_the_chart_of_the_space(mixed_figure):
    space = pw.Space.of(mixed_figure).with_chart({"leg": (0.0, 1.0, 0.0, 0.0), "root": (0.8, 0.0, 0.6, 0.0)})
    reference = pw.Pose(mixed_figure, np.full(mixed_figure.n_dofs, 0.2))
    for solver in (pw.Prioritized(), pw.LeastSquares()):
        result = solver.solve(pw.Problem(space, [pw.Posture(reference=reference)]))
        assert result.q == pytest.approx(reference.q, abs=1e-3)


def test_a_goal_in_python_takes_part_in_the_levels(mixed_figure):
    wanted = site_frames(mixed_figure, mixed_figure.rest + 0.2, ["finger"]).points[0]
    goals = [
        pw.PythonGoal(lambda pose: pose.q[6:7] - 0.5, 1, unit="rad", name="bent"),
        pw.Position("finger", wanted, priority=2),
        pw.PythonGoal(lambda pose: pose.q[6:7] + 0.5, 1, unit="rad", name="straight", priority=3),
    ]
    result = pw.Prioritized().solve(pw.Problem(mixed_figure, goals))
    assert result.errors["bent"] < 2e-3
    assert result.errors["finger"] < 1e-3
    assert result.errors["straight"] == pytest.approx(1.0, abs=5e-3)


def test_an_interrupted_search_says_so(mixed_figure):
    prepared = pw.Prioritized().prepare(pw.Problem(mixed_figure, [pw.Position("finger", (0.6, 1.1, 0.2))]))
    prepared._stop[0] = 1
    assert prepared.solve().stopped == "interrupted"
    assert pw.Prioritized(max_iterations=1).solve(prepared.lowered.problem).stopped == "out of iterations"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_step": 0.0}, "max_step of Prioritized must be a positive number"),
        ({"max_residual": -1.0}, "max_residual of Prioritized must be"),
        ({"attraction": 2.0}, "attraction of Prioritized must be a number at least 0 and below 2"),
        ({"max_iterations": -1}, "max_iterations of Prioritized must be"),
    ],
)
def test_settings_out_of_range_are_refused(settings, words):
    with pytest.raises(pw.errors.InvalidSetting, match=words):
        pw.Prioritized(**settings)


def test_a_posture_goal_on_the_level_of_others_is_served_below_them_and_says_so(mixed_figure):
    goals = [pw.Position("finger", (0.6, 1.1, 0.2)), pw.Posture()]
    result = pw.Prioritized().solve(pw.Problem(mixed_figure, goals))
    assert result.reached
    assert "served below all other goals" in result.warnings[0]
