"""Li et al., section 4.1: posture databases (splicing: test_li_design.py, refinement: test_li_prioritized.py).

Files, figures and bad input are in tests/unit; what the paper shows is in experiments 5-A to 5-G.
"""

from __future__ import annotations

import numpy as np
import pytest

from posewright.clips import kick, reach, run, sit, walk
from posewright.experiments.posture_database import database_growth
from posewright.figures.catalogue import human40
from posewright.models import Postures
from posewright.models.postures.distance import PostureMetric
from posewright.motions import Motion


@pytest.fixture(scope="module")
def clips() -> list[Motion]:
    figure = human40()
    return [
        walk(figure, seed=1, fps=20.0),
        run(figure, seed=2, fps=20.0),
        kick(figure, seed=3, fps=20.0),
        sit(figure, seed=4, fps=20.0),
        reach(figure, (0.3, 1.3, 0.4), side="left", seed=5, fps=20.0),
    ]


def test_postures_are_alike_wherever_they_stand_and_whichever_way_they_face(clips):
    clip = clips[0]
    elsewhere = clip.moved((3.0, 0.0, -2.0), 2.5)
    for frame in (0, 7, 15):
        assert Postures.distance(clip.pose(frame), elsewhere.pose(frame)) < 1e-7
    a, b = clip.pose(0), clips[3].pose(-1)
    assert Postures.distance(a, b) > 0.05
    assert Postures.distance(a, b) == pytest.approx(Postures.distance(b, a), abs=1e-12)


def test_no_two_postures_of_a_database_are_alike_and_every_pose_is_like_one(clips):
    database = Postures.build(clips, threshold=0.06)
    metric = PostureMetric(database.figure)
    between = metric.distances(database.q, database.q) + 9.0 * np.eye(len(database))
    assert 10 < len(database) < sum(map(len, clips))
    assert between.min() > database.threshold
    for clip in clips:
        assert metric.distances(clip.q, database.q).min(axis=1).max() <= database.threshold + 1e-5


def test_experiment_5_e_is_accepted():
    outcome = database_growth.run()
    assert outcome.accepted, outcome.failures
