"""What goals say of themselves beyond their residual: nearest points, directions in between, sketches, activations."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import human40
from posewright.goals.sketch import Sketch
from posewright.goals.term import POINT, X, between

RNG = np.random.default_rng(11)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [pw.Plane, pw.Line, pw.HalfSpace])
def test_the_nearest_point_meets_the_goal_and_no_nearer_one_does(kind, seed):
    rng = np.random.default_rng(seed)
    figure = human40()
    point, normal = rng.normal(size=3), rng.normal(size=3)
    goal = kind("right_hand", point, normal)
    (term,) = goal.terms(figure)
    target = np.zeros(9)
    target[POINT], target[X] = point, normal / np.linalg.norm(normal)
    for _ in range(5):
        here = rng.normal(size=3)
        nearest = term.nearest_point(target, here)
        along = target[X]
        off = (nearest - point) @ along
        if kind is pw.Line:
            assert np.linalg.norm(nearest - point - off * along) < 1e-12
            assert abs((here - nearest) @ along) < 1e-12
        elif kind is pw.Plane or (here - point) @ along < 0.0:
            assert abs(off) < 1e-12
            assert np.linalg.norm(np.cross(here - nearest, along)) < 1e-12
        else:
            assert nearest == pytest.approx(here)


def test_directions_in_between_turn_at_an_even_rate():
    u, v = RNG.normal(size=(2, 40, 3))
    u, v = (a / np.linalg.norm(a, axis=1, keepdims=True) for a in (u, v))
    share = RNG.uniform(size=(40, 1))
    mixed = between(u, v, share)
    whole = np.arccos((u * v).sum(axis=1))
    assert np.linalg.norm(mixed, axis=1) == pytest.approx(np.ones(40))
    assert np.arccos(np.clip((u * mixed).sum(axis=1), -1.0, 1.0)) == pytest.approx(share[:, 0] * whole)
    assert np.arccos(np.clip((mixed * v).sum(axis=1), -1.0, 1.0)) == pytest.approx((1.0 - share[:, 0]) * whole)
    assert np.abs((np.cross(u, v) * mixed).sum(axis=1)).max() < 1e-12
    assert between(u, u, share) == pytest.approx(u)


def test_an_aim_far_away_is_drawn_as_where_it_leads():
    pose = pw.Pose.rest(human40())
    on = Sketch(pose, 10.0)
    eye = pose.point("view")
    near, far = (list(pw.Aim("view", eye + np.array([0.0, 0.0, times * on.size])).sketch(on)) for times in (1.5, 2.5))
    assert on.size > 2.0
    assert [stroke.kind for stroke in near] == ["target", "line"]
    assert [stroke.kind for stroke in far] == ["line"]
    begin, end = np.array(far[0].points)
    assert np.linalg.norm(end - begin) == pytest.approx(on.size)


def test_activations_are_from_0_to_1():
    goal = pw.Position("right_hand", (0.0, 1.0, 0.0))
    for fine in ([0.0, 0.5, 1.0], [1.0, 1.0, 1.0]):
        assert pw.goals.Timed(goal, start=0, end=2, activation=fine).activation.tolist() == fine
    for wrong in ([0.0, 0.5, 1.1], [-0.1, 0.5, 1.0]):
        with pytest.raises(
            pw.errors.InvalidSetting, match="activation of 'right_hand from frame 0 to 2' must be from 0 to 1"
        ):
            pw.goals.Timed(goal, start=0, end=2, activation=wrong)
