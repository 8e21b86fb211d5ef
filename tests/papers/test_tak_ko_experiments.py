"""The experiments of example-guided inverse kinematics hold."""

import pytest

from posewright.experiments import experiment_by_id


@pytest.mark.parametrize("name", ["2-A", "2-B", "2-C", "2-D", "2-E", "2-F", "2-G", "2-H"])
def test_the_experiment_is_accepted(name):
    shares = []
    outcome = experiment_by_id(name).run(shares.append)
    assert outcome.failures == []
    assert outcome.neighbours
    assert shares == sorted(shares)
