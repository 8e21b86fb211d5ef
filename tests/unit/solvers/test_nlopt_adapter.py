"""The end of a search by nlopt, which goes on calling a function that raised."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.solvers.external.nlopt import Nlopt
from posewright.solvers.external.objective import Objective

REACHABLE = [pw.Position("left_hand", (0.3, 1.2, 0.3))]


@pytest.fixture
def asked_after_the_end(monkeypatch):
    """A list that grows with every point that is asked for after the search was ended."""
    ended, after = [], []
    asked = Objective.__call__

    def watched(self, y):
        after.extend(ended)
        try:
            return asked(self, y)
        except BaseException as end:
            ended.append(end)
            raise

    monkeypatch.setattr(Objective, "__call__", watched)
    return after


@pytest.mark.parametrize("inner", ["LBFGS", "SLSQP"])
@pytest.mark.parametrize("limit", [5000, 3])
def test_no_point_is_asked_for_after_the_end(asked_after_the_end, inner, limit):
    result = Nlopt(inner=inner, max_iterations=limit).solve(pw.Problem(build("human40"), REACHABLE))
    assert result.stopped == ("reached" if limit > 3 else "out of iterations")
    assert asked_after_the_end == []


@pytest.mark.parametrize("inner", ["LBFGS", "SLSQP"])
def test_what_a_goal_raises_comes_out_at_once(inner):
    figure, calls = build("human40"), []
    by_q = (np.array(figure.dof_names) == "left_elbow.flexion")[np.newaxis].astype(float)

    def fails_the_third_time(pose):
        calls.append(pose)
        if len(calls) == 3:
            raise ZeroDivisionError("third time")
        return np.array([pose["left_elbow.flexion"] - 1.0])

    goal = pw.PythonGoal(fails_the_third_time, 1, jacobian=lambda _: by_q, unit="rad")
    with pytest.raises(ZeroDivisionError, match="third time"):
        Nlopt(inner=inner).solve(pw.Problem(figure, [goal, *REACHABLE]))
    assert len(calls) == 3
