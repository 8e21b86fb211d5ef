"""Strict levels over the rows of every goal in every space: projector, bound of each step, nothing lost to those below.

The same over random rows, also such that lack rank: tests/unit/kernels/test_strict_levels.py.
"""

import numpy as np
import pytest
from goals_and_spaces import GOALS, SPACES, leggy

import posewright as pw
from posewright.kernels.dense.strict_levels import add_level, begin_step, level_work
from posewright.problem.linearisation import linearise
from posewright.problem.lowering import lower

B_MAX = 0.3


def rows_of(figure, kind):
    """Residual and Jacobian of every goal, each alone, at one pose."""
    space = SPACES[kind](figure)
    x = np.random.default_rng(len(kind)).uniform(-0.6, 0.6, len(space.names))
    for name, make in GOALS.items():
        lowered = lower(pw.Problem(space, [make(figure)]))
        (rows,) = linearise(lowered, lowered.targets, x, np.array(figure.rest))
        yield name, rows.rho, np.ascontiguousarray(rows.J)


def projector(rows):
    """I - pinv(J) J."""
    return np.eye(rows.shape[1]) - np.linalg.pinv(rows, rcond=1e-9) @ rows


@pytest.mark.parametrize("kind", SPACES)
def test_a_goal_is_served_in_what_the_goals_above_leave_and_takes_nothing_back(mixed_figure, kind):
    found = list(rows_of(leggy(mixed_figure), kind))
    n, most = found[0][2].shape[1], max(len(rho) for _, rho, _ in found)
    for k, (name, rho, J) in enumerate(found):
        below = [found[(k + shift) % len(found)] for shift in (1, 5, 11)]
        work, step, count = level_work(most, n), np.zeros(n), 0
        begin_step(np.zeros(n), work)
        count = add_level(J, -rho, B_MAX, 0.0, work, count, step)
        first, stacked = J @ step, J
        assert 0.0 < np.linalg.norm(step) <= B_MAX * (1.0 + 1e-12), name
        assert first @ -rho > 0.0, name
        for _, other_rho, other_J in below:
            before = step.copy()
            count = add_level(other_J, -other_rho, B_MAX, 0.0, work, count, step)
            assert np.linalg.norm(step - before) <= B_MAX * (1.0 + 1e-12), name
            np.testing.assert_allclose(J @ step, first, rtol=0.0, atol=1e-11 * np.abs(J).max(), err_msg=name)
            stacked = np.vstack([stacked, other_J])
        V = work.basis[:count]
        np.testing.assert_allclose(np.eye(n) - V.T @ V, projector(stacked), rtol=0.0, atol=1e-9, err_msg=name)
