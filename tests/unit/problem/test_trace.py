import numpy as np
import pytest

import posewright as pw


@pytest.mark.parametrize("solver", [pw.LeastSquares(restarts=2), pw.Prioritized()], ids=lambda s: type(s).__name__)
def test_a_trace_has_the_cost_after_each_iteration(mixed_figure, solver):
    problem = pw.Problem(mixed_figure, [pw.Position("finger", (0.7, 1.2, 0.3))])
    result = solver.solve(problem)
    assert result.trace.shape == (result.iterations + 1,)
    assert result.trace[-1] == pytest.approx(result.cost)
    assert result.trace[0] > result.trace[-1]


def test_the_trace_of_an_unreachable_goal_never_rises(mixed_figure):
    space = pw.Space.chain(mixed_figure, ["spine", "arm", "hand"])
    result = pw.LeastSquares(restarts=3).solve(pw.Problem(space, [pw.Position("finger", (3.0, 3.0, 0.0))]))
    assert (np.diff(result.trace) <= 1e-15).all()


@pytest.mark.parametrize(
    "solver", [pw.LeastSquares(), pw.Prioritized(), pw.ActiveSetBfgs()], ids=lambda s: type(s).__name__
)
def test_the_cost_of_an_answer_is_the_same_sum_for_all_solvers_whatever_its_priorities(mixed_figure, solver):
    far, near = (
        pw.Position("finger", (3.0, 3.0, 0.0), weight=2.0),
        pw.Position("arm", (0.0, 0.5, 0.0), priority=2),
    )
    chain = pw.Space.chain(mixed_figure, ["spine", "arm", "hand"])
    for goals in ((far, near), (far, near, pw.Posture(priority=3, name="ease", weight=0.0))):
        result = solver.stopping_after(3).solve(pw.Problem(chain, goals))
        assert not result.reached
        assert result.cost == pytest.approx(2.0 * result.errors["finger"] ** 2 + result.errors["arm"] ** 2)
        assert result.trace[-1] == pytest.approx(result.cost)
