"""Feet that keep their contacts, whatever way they were carried over on."""

import numpy as np
import pytest

from posewright.figures.catalogue import build
from posewright.rotations import matrix_from_axes
from posewright.workflows.retargeting.foot_planting import FootShape, faded, planted

SHAPE = FootShape(
    heel=np.array([-0.12, 0.0, 0.0]),
    toe_tip=np.array([0.14, 0.0, 0.0]),
    ball=np.array([0.08, 0.03, 0.0]),
    ankle=np.array([-0.06, 0.08, 0.0]),
    bend=1.0,
)
FPS = 60.0


@pytest.fixture
def step():
    """A foot that slides and sinks a little while it rests: heel first, then all of it, then the toes."""
    n = 60
    time = np.arange(n) / FPS
    pitch = np.interp(np.arange(n), [0, 10, 20, 35, 50, 59], [0.4, 0.3, 0.02, -0.02, -0.7, -0.9])
    x = np.stack([np.cos(pitch), np.sin(pitch), 0.05 * np.sin(9.0 * time)], axis=1)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = np.stack([-np.sin(pitch), np.cos(pitch), np.zeros(n)], axis=1)
    y -= np.sum(x * y, axis=1, keepdims=True) * x
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    points = np.stack([0.1 * time, 0.02 - 0.03 * time, 0.02 * np.sin(5.0 * time)], axis=1)
    heel, toes = np.zeros(n, bool), np.zeros(n, bool)
    heel[8:36], toes[18:52] = True, True
    return points, matrix_from_axes(x, y), np.repeat(SHAPE.toe_tip[None], n, axis=0), heel, toes


def test_what_rests_stays_in_its_place_on_the_floor(step):
    *_, heel, toes = step
    way = planted(*step, SHAPE, FPS)
    frames = matrix_from_axes(way.x, way.y)
    heels = (way.points + frames @ SHAPE.heel)[heel]
    balls = way.points + frames @ SHAPE.ball
    tips = (balls + way.toes @ (SHAPE.toe_tip - SHAPE.ball))[toes]
    assert np.abs(heels - heels[0]).max() < 1e-9
    assert np.abs(tips - tips[0]).max() < 1e-9
    assert np.abs(heels[:, 1]).max() < 1e-9
    assert np.abs(tips[:, 1]).max() < 1e-9
    flat = heel & toes
    assert np.abs(frames[flat, :, 1] - [0.0, 1.0, 0.0]).max() < 1e-9


def test_toes_that_cannot_bend_far_enough_tip_with_the_foot(step):
    stiff = FootShape(SHAPE.heel, SHAPE.toe_tip, SHAPE.ball, SHAPE.ankle, bend=0.3)
    way = planted(*step, stiff, FPS)
    bend = np.arccos(np.clip(np.sum(way.toes[:, :, 0] * way.x, axis=1), -1.0, 1.0))
    rising = slice(40, 52)
    assert bend[rising].max() < 0.3 + 0.02
    tips = way.points + matrix_from_axes(way.x, way.y) @ stiff.ball + way.toes @ (stiff.toe_tip - stiff.ball)
    assert np.abs(tips[rising] - tips[40]).max() < 1e-9


def test_a_foot_in_the_air_stays_above_the_floor(step):
    points, turned, tips, heel, toes = step
    sunk = points - [0.0, 0.1, 0.0]
    way = planted(sunk, turned, tips, heel & False, toes & False, SHAPE, FPS)
    frames = matrix_from_axes(way.x, way.y)
    for point in (SHAPE.heel, SHAPE.toe_tip):
        assert (way.points + frames @ point)[:, 1].min() > -1e-9


def test_what_fades_leaves_with_its_velocity_and_ends_at_zero():
    values = np.linspace(0.0, 1.0, 50)[:, None]
    known = np.zeros(50, bool)
    known[10:20] = True
    out = faded(values, known, 12.0)[:, 0]
    assert np.array_equal(out[known], values[known, 0])
    assert out[20] - out[19] == pytest.approx(values[19, 0] - values[18, 0], rel=0.2)
    assert np.abs(out[32:]).max() == 0.0


@pytest.mark.parametrize("name", ["human40", "abnorman1"])
def test_the_shape_of_a_foot_is_seen_from_its_sole(name):
    shape = FootShape.of(build(name), "left")
    assert shape.heel[0] < 0.0 < shape.toe_tip[0]
    assert abs(shape.heel[1]) < 0.02
    assert shape.ankle[1] > 0.02
