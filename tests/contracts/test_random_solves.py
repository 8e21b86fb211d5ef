"""Random trees, limits, polytopes, spaces and sizes: no answer breaks anything, and none is falsely called reached.

A small part of what `benchmarks/violations.py` does; its oracle shares no code with Posewright.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import oracle
import violations
from random_problems import random_poses, random_problem

import posewright as pw

SHARES = violations.shares()
NAMES = [f"{k} {type(share.solver).__name__}{' followed' * share.follows}" for k, share in enumerate(SHARES)]


@pytest.mark.parametrize("share", SHARES, ids=NAMES)
def test_answers_keep_everything_and_are_what_they_say(share):
    found = violations.tally(share, 30 * share.batch, 20)
    assert (found.broken, found.false, found.wrong) == (0, 0, 0), found.examples


def test_a_search_whose_steps_lead_nowhere_ends():
    """Of a figure of 85 km: rounding held back each step, though something was left to do, and every call said so."""
    found = violations.check(SHARES[0], [20261120, 0, 2, 15], 50)
    assert (found.broken, found.false, found.wrong) == (0, 0, 0), found.examples


def test_calls_that_are_never_done_are_counted(monkeypatch):
    from posewright.kernels.dense.search_control import ON_THE_WAY
    from posewright.solvers.following import Follower

    calls = []
    monkeypatch.setattr(Follower, "call", lambda *_: calls.append(1) or (0, ON_THE_WAY, 1.0))
    away = pw.CentreOfMass((0.0, 9.0, 0.0), vertical=False)
    problem = pw.Problem(pw.figure("human40"), [away, pw.Posture(weight=1e-3)])
    result = pw.LeastSquares(restarts=0, max_iterations=60).solve(problem)
    assert result.stopped == "out of iterations"
    assert 0 < len(calls) <= 60


def test_the_oracle_sees_what_is_wrong():
    rng = np.random.default_rng(4)
    seen = {"limit": 0, "row": 0, "map": 0, "error": 0}
    for _ in range(60):
        asked = random_problem(rng)
        rest = np.array([[dof.rest for dof in asked.dofs]])
        assert oracle.broken_by(asked, rest, rest)[0] <= 1e-12 or asked.space == "offset"
        for d, dof in enumerate(asked.dofs):
            beyond = rest.copy()
            beyond[0, d] = dof.upper + 1e-7 * asked.units()[d]
            if np.isfinite(beyond).all():
                assert oracle.broken_by(asked, beyond, beyond)[0] > 1e-9
                seen["limit"] += 1
        q = random_poses(asked, rng, 1, beyond=2.0)
        seen["row"] += bool(asked.rows) and oracle.broken_by(asked, q, q)[0] > 1e-9
        seen["map"] += asked.space in ("affine", "group", "chain") and oracle.broken_by(asked, q, q)[0] > 1e-9
        for goal in asked.goals:
            if goal.kind == "position":
                target = goal.target[None]
                near = [oracle.errors(asked, goal, q, target + shift)[0][0] for shift in (0.0, 0.1 * asked.size)]
                seen["error"] += near[0] != near[1]
    assert min(seen.values()) > 5, seen
