"""Curves by which a motion is displaced: exact at keys, nothing outside the windows, with the least jerk in between."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posewright.problem.displacements import Curves, Stretch, least_jerk


@given(
    st.lists(st.integers(0, 199), min_size=1, max_size=5, unique=True),
    st.floats(2.0, 80.0),
    st.floats(2.0, 80.0),
)
def test_each_curve_is_one_at_its_key_and_nothing_at_the_others_or_outside(frames, before, after):
    keys = [(frame, before, after) for frame in sorted(frames)]
    shares = least_jerk(200, keys)
    np.testing.assert_array_equal(shares[sorted(frames)], np.eye(len(frames)))
    felt = np.zeros(200, bool)
    for frame in frames:
        felt |= (np.arange(200) > frame - before) & (np.arange(200) < frame + after)
    assert (
        not shares[~felt].any()
        or any(  # between keys whose windows overlap there is no outside
            later - earlier < before + after for earlier, later in zip(sorted(frames), sorted(frames)[1:], strict=False)
        )
    )
    assert np.abs(shares).max() < 1.2


def test_no_curve_through_a_key_has_less_jerk():
    half = 1000
    share = least_jerk(2 * half + 1, [(half, half, half)])[:, 0]
    jerk = np.sum(np.diff(share, n=3) ** 2)
    rng = np.random.default_rng(1)
    t = np.arange(2 * half + 1) / (2 * half)
    for _ in range(50):  # other curves with the same value and slope at the key and the same rest at both ends
        other = share + 0.5 * rng.standard_normal() * (t * (1 - t)) ** 3 * (t - 0.5) ** 2 * 64
        other += 0.5 * rng.standard_normal() * (t * (1 - t)) ** 3 * (t - 0.5) ** 3 * 64
        assert np.sum(np.diff(other, n=3) ** 2) >= jerk * (1 - 1e-3)  # frames are not quite a continuum


def test_a_lopsided_window_does_not_overshoot():
    share = least_jerk(200, [(60, 15.0, 120.0)])[:, 0]
    assert share.max() == share[60] == 1.0
    assert share.min() >= 0.0


@given(
    st.integers(0, 150), st.integers(0, 80), st.floats(1.0, 60.0), st.floats(1.0, 60.0), st.sampled_from([25.0, 120.0])
)
def test_curves_over_a_stretch_fill_it_and_rest_where_its_windows_end(first, length, before, after, fps):
    last = min(first + length, 199)
    curves = Curves.of(200, [Stretch(first, last, (before, after))], fps)
    inside = (curves.frames > first - before) & (curves.frames < last + after)
    assert inside.all()
    assert set(range(first, last + 1)) <= set(curves.frames.tolist())
    assert np.linalg.eigvalsh(curves.effort).min() >= -1e-9 * np.trace(curves.effort)
    for k in range(curves.overlap + 1, curves.shares.shape[1]):
        assert not (curves.shares[:, k:] * curves.shares[:, :-k]).any()


def test_stretches_apart_share_no_curve_and_those_that_overlap_do():
    apart = Curves.of(300, [Stretch(50, 60, (10.0, 10.0)), Stretch(200, 200, (30.0, 30.0))], 60.0)
    early = apart.shares[apart.frames < 100].any(axis=0)
    late = apart.shares[apart.frames > 100].any(axis=0)
    assert not (early & late).any()
    assert apart.frames.min() == 41
    assert apart.frames.max() == 229
    together = Curves.of(300, [Stretch(50, 60, (10.0, 10.0)), Stretch(75, 75, (30.0, 30.0))], 60.0)
    assert (np.diff(together.frames) == 1).all()


def test_what_begins_at_once_touches_nothing_before():
    curves = Curves.of(100, [Stretch(40, 60, (0.0, 10.0))], 30.0)
    assert curves.frames.min() == 40
    assert curves.shares[0].sum() == pytest.approx(1.0)
