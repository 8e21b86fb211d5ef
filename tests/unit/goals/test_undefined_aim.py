"""An aim whose site lies on its target is undefined: not reached, and nothing that a search is drawn to."""

import math

import numpy as np
import pytest

import posewright as pw
from posewright.figures import Figure, Hinge, Joint, Site, free_slides

EYE = Figure(
    name="eye",
    joints=(
        Joint(name="eye", slides=free_slides(), rotation=(Hinge(axis=(0.0, 1.0, 0.0)), Hinge(axis=(0.0, 0.0, 1.0)))),
    ),
    sites=(Site(name="view", joint="eye", point=(0.1, 0.0, 0.0)),),
)
SOLVERS = (pw.LeastSquares(), pw.Prioritized(), pw.ActiveSetBfgs(), pw.Scipy())


def test_it_says_so():
    pinned = pw.Problem(EYE, [pw.Aim("view", (0.1, 0.0, 0.0))], frozen=["eye"])
    result = pw.LeastSquares().solve(pinned)
    assert not result.reached
    assert math.isinf(result.errors["view"])
    assert str(result.errors["view"]) == "view undefined"
    assert any("undefined" in warning and "'view'" in warning for warning in result.warnings)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
def test_no_search_prefers_it(solver):
    goals = [pw.Position("eye", (0.0, 0.0, 0.0), weight=1e-3), pw.Aim("view", (-1.0, 0.5, 0.2))]
    start = pw.Pose(EYE, np.array([-1.1 + 1e-12, 0.5, 0.2, 0.0, 0.0]))
    result = solver.solve(pw.Problem(EYE, goals), start)
    assert math.isfinite(result.errors["view"])


def test_a_site_cannot_aim_at_itself():
    with pytest.raises(pw.errors.InvalidSetting, match="cannot aim at itself"):
        pw.Aim("view", "view")
