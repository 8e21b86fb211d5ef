"""Carvalho, Boulic & Thalmann 2009, section 7: experiments 4-A to 4-F, with fewer jumps; times are not judged."""

import pytest

from posewright.experiments import motion_patterns
from posewright.experiments.registry import EXPERIMENTS

SHARES = []
JUMPS = 24
SMALL = {
    "4-A": lambda: motion_patterns.slope(SHARES.append),
    "4-B": lambda: motion_patterns.hand_path(SHARES.append),
    "4-C": lambda: motion_patterns.higher_jump(SHARES.append, clips=JUMPS),
    "4-D": lambda: motion_patterns.continuity(SHARES.append, clips=JUMPS),
    "4-E": lambda: motion_patterns.compactness(SHARES.append, clips=JUMPS),
    "4-F": lambda: motion_patterns.storage(SHARES.append, clips=JUMPS),
}


@pytest.mark.parametrize("name", SMALL)
def test_the_experiment_is_accepted(name):
    outcome = SMALL[name]()
    assert [sentence for sentence in outcome.failures if "time ratio" not in sentence] == []
    assert all(len(row) == len(outcome.columns) for row in outcome.rows)
    assert all(0.0 <= share <= 1.0 for share in SHARES)
    assert name in EXPERIMENTS
