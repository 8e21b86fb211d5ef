from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posewright.errors import InvalidSetting
from posewright.motions.splines import KochanekBartels, ease, ramp

TIMES = [0.0, 1.0, 1.5, 4.0]
POINTS = np.random.default_rng(5).normal(size=(4, 3))
setting = st.floats(-1.0, 1.0)


@given(setting, setting, setting)
def test_the_path_passes_its_knots(tension, continuity, bias):
    path = KochanekBartels(TIMES, POINTS, tension=tension, continuity=continuity, bias=bias)
    np.testing.assert_allclose(path.at(TIMES), POINTS, atol=1e-12)


@pytest.mark.parametrize("knot", [1, 2])
def test_velocity_is_continuous_by_default_however_uneven_the_times(knot):
    path, h = KochanekBartels(TIMES, POINTS), 1e-6
    t = TIMES[knot]
    before, after = (path.at(t) - path.at(t - h)) / h, (path.at(t + h) - path.at(t)) / h
    np.testing.assert_allclose(before, after, atol=1e-4)


def test_continuity_makes_corners_and_tension_stops():
    h, t = 1e-6, TIMES[1]
    corner = KochanekBartels(TIMES, POINTS, continuity=0.8)
    jump = (corner.at(t + h) - 2 * corner.at(t) + corner.at(t - h)) / h
    assert np.linalg.norm(jump) > 0.1
    still = KochanekBartels(TIMES, POINTS, tension=1.0)
    assert np.linalg.norm(still.at(t + h) - still.at(t - h)) / h < 1e-4


def test_one_knot_stands_two_are_a_line_and_outside_it_stands_still():
    np.testing.assert_array_equal(KochanekBartels([2.0], [[1, 2, 3]]).at([0.0, 9.0]), [[1, 2, 3]] * 2)
    line = KochanekBartels([0.0, 1.0], [[0, 0, 0], [2, 0, 0]])
    np.testing.assert_allclose(line.at(0.25), [0.5, 0.0, 0.0])
    np.testing.assert_array_equal(line.at(7.0), [2.0, 0.0, 0.0])


def test_a_path_through_a_track():
    times = np.linspace(0.0, 2.0, 41)
    track = np.stack([np.sin(times), np.cos(times), times], axis=1)
    misses = [np.abs(KochanekBartels.through(times, track, n).at(times) - track).max() for n in (6, 11, 21, 41)]
    assert misses[-1] == 0.0
    assert all(later < 0.3 * earlier for earlier, later in pairwise(misses))


@pytest.mark.parametrize(
    ("times", "points", "more", "said"),
    [
        ([0, 0], np.zeros((2, 3)), {}, "must increase"),
        ([0, 1], np.zeros((3, 3)), {}, "as many times as points"),
        ([], np.zeros((0, 3)), {}, "at least one"),
        ([0, 1], np.full((2, 3), np.nan), {}, "finite"),
        ([0, 1], np.zeros((2, 3)), {"bias": 2.0}, "bias of a path must be from -1 to 1, got 2"),
    ],
)
def test_bad_paths_are_refused(times, points, more, said):
    with pytest.raises(InvalidSetting, match=said):
        KochanekBartels(times, points, **more)


def test_a_ramp_is_one_inside_nothing_outside_and_continuous():
    times = np.linspace(0.0, 10.0, 10001)
    share = ramp(times, 3.0, 6.0, ease_in=2.0, ease_out=1.0)
    assert (share[(times >= 3.0) & (times <= 6.0)] == 1.0).all()
    assert (share[(times <= 1.0) | (times >= 7.0)] == 0.0).all()
    assert np.abs(np.diff(share)).max() < 2e-3


def test_a_ramp_begins_and_ends_without_a_jump_of_speed():
    step = 1e-4
    times = np.arange(0.0, 8.0, step)
    speeds = np.diff(ramp(times, 3.0, 6.0, ease_in=2.0, ease_out=1.0)) / step
    assert np.abs(np.diff(speeds)).max() < 10.0 * step
    assert speeds.max() == pytest.approx(1.5 / 2.0, abs=1e-3)
    assert speeds.min() == pytest.approx(-1.5 / 1.0, abs=1e-3)


def test_easing_has_neither_speed_nor_acceleration_at_its_ends():
    step = 1e-4
    shares = ease(np.arange(-0.1, 1.1, step))
    speeds = np.diff(shares) / step
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert ease(np.array([0.5]))[0] == 0.5
    assert (speeds >= 0.0).all()
    assert speeds.max() == pytest.approx(15.0 / 8.0, abs=1e-3)
    assert np.abs(np.diff(speeds, 2)).max() < 100.0 * step**2  # no jump of acceleration


def test_a_ramp_without_easing_is_a_step():
    np.testing.assert_array_equal(ramp([1.9, 2.0, 3.0, 3.1], 2.0, 3.0, ease_in=0.0, ease_out=0.0), [0, 1, 1, 0])
    with pytest.raises(InvalidSetting, match="ends before"):
        ramp([0.0], 2.0, 1.0, ease_in=0.0, ease_out=0.0)
    with pytest.raises(InvalidSetting, match="negative"):
        ramp([0.0], 1.0, 2.0, ease_in=-1.0, ease_out=0.0)
