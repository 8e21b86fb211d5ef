"""A motion displaced at key frames: exact there, untouched outside the windows, with the least jerk in between."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posewright.clips import walk
from posewright.figures.catalogue import human40
from posewright.problem.displacements import Displacements, least_jerk


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


def test_the_motion_of_coordinates_is_the_source_plus_the_displacement_within_limits():
    source = walk(human40(), steps=2, fps=30.0)
    space = Displacements(source, {20: (10.0, 10.0)})
    elbow = source.figure.dof_index("left_elbow.flexion")
    x = np.zeros(len(space.names))
    x[elbow] = 0.3
    made = space.motion(x)
    assert made.q[20, elbow] == pytest.approx(source.q[20, elbow] + 0.3)
    changed = (made.q != source.q).any(axis=1)
    assert not changed[:11].any()
    assert not changed[30:].any()
    x[elbow] = 100.0
    held = space.motion(x)
    limit = max(source.figure.upper[elbow], source.q[:, elbow].max())
    assert held.q[:, elbow].max() == limit
