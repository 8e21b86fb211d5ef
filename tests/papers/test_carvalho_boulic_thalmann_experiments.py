"""Carvalho, Boulic & Thalmann 2009, section 7: experiments 4-A to 4-F, with fewer jumps; times are not judged."""

import pytest

from posewright.experiments import EXPERIMENTS

JUMPS = {"clips": 24}
SMALL = {
    "4-A": {"count": 4},
    "4-B": {"count": 2},
    "4-C": {**JUMPS, "seeds": 1},
    "4-D": JUMPS,
    "4-E": JUMPS,
    "4-F": JUMPS,
}


@pytest.mark.parametrize("name", SMALL)
def test_the_experiment_is_accepted(name):
    shares = []
    outcome = EXPERIMENTS[name].run(shares.append, **SMALL[name])
    assert outcome.failures == []
    assert outcome.neighbours
    assert len(set(outcome.columns)) == len(outcome.columns)
    assert all(len(row) == len(outcome.columns) for row in outcome.rows)
    assert all(0.0 <= share <= 1.0 for share in shares)
