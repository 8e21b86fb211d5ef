"""The nearest postures: the same as by looking at all of them, for any goals and sizes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright.errors import InvalidMotion, InvalidSetting, UnknownName
from posewright.figures.catalogue import arm4, human40
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.models.postures.database import PostureClip, Postures
from posewright.models.postures.figure_postures import FigurePostures
from random_figures import smooth_q

SITES = ("left_hand", "right_hand", "left_sole", "right_sole", "view")


def database_of(figure, q) -> Postures:
    n = len(q)
    return Postures(figure, q, (PostureClip("a", "0", n),), np.zeros(n, np.int32), np.arange(n, dtype=np.int32))


@pytest.fixture(scope="module")
def on() -> FigurePostures:
    figure = human40()
    q = np.clip(figure.rest + smooth_q(figure, 1, 3000) * 0.3, figure.lower, figure.upper)
    return database_of(figure, q).on(figure)


def brute(blocks, k):
    squares = sum(((scale * (values - wanted)) ** 2).sum(axis=1) for values, wanted, scale in blocks)
    order = np.argsort(squares, kind="stable")[:k]
    return order, np.sqrt(squares[order])


def test_values_are_points_and_directions_in_the_frame_of_the_root(on):
    figure = on.figure
    rows = [0, 17, 2999]
    frames, sites = joint_frames(figure, on.q[rows]), site_frames(figure, on.q[rows], ["left_hand"])
    for i, k in enumerate(rows):
        R, p = frames.rotations[i, 0], frames.positions[i, 0]
        np.testing.assert_allclose(on.values("left_hand")[k], R.T @ (sites.points[i, 0] - p), atol=1e-12)
        np.testing.assert_allclose(on.x_axes("left_hand")[k], R.T @ sites.x_axes[i, 0], atol=1e-12)
        np.testing.assert_allclose(on.y_axes("left_hand")[k], R.T @ sites.y_axes[i, 0], atol=1e-12)
    assert on.values("left_hand") is on.values("left_hand")
    assert on.values("left_elbow").shape == (3000, 3)  # a joint counts as a site
    with pytest.raises(UnknownName, match="left_hand"):
        on.values("left_hnad")


@pytest.mark.parametrize("n_sites", [1, 2, 5])
@pytest.mark.parametrize("k", [1, 19, 700, 5000])
def test_the_nearest_are_those_of_a_scan_in_full(on, n_sites, k):
    rng = np.random.default_rng(k)
    for _ in range(4):
        wanted = rng.uniform(-1.0, 1.0, (n_sites, 3))
        blocks = [(on.values(site), wanted[i], 2.0) for i, site in enumerate(SITES[:n_sites])]
        blocks.append((on.x_axes("view"), np.array([0.0, 0.0, 1.0]), 1.0))
        rows, distances, differences = on.nearest(blocks, k)
        expected = brute(blocks, k)
        np.testing.assert_array_equal(rows, expected[0])
        np.testing.assert_allclose(distances, expected[1], rtol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(differences, axis=1), distances, rtol=1e-12)


def test_a_posture_of_the_database_is_its_own_nearest(on):
    blocks = [(on.values(site), on.values(site)[1234], 1.0) for site in SITES]
    rows, distances, _ = on.nearest(blocks, 4)
    assert rows[0] == 1234
    assert distances[0] == 0.0


def test_values_of_the_caller_are_searched_too(on):
    heights = on.values("left_hand")[:, 1:2] - on.values("right_hand")[:, 1:2]
    blocks = [(heights, np.array([0.3]), 1.0), (on.values("view"), np.array([0.0, 0.5, 0.1]), 0.5)]
    np.testing.assert_array_equal(on.nearest(blocks, 9)[0], brute(blocks, 9)[0])


@settings(max_examples=40)
@given(data=st.data())
def test_any_columns_are_searched_exactly(data):
    n = data.draw(st.sampled_from([1, 5, 127, 128, 129, 600, 2500]))
    seed = data.draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    kind = data.draw(st.sampled_from(["spread", "alike", "equal", "few", "far"]))
    values = rng.normal(size=(n, 4))
    if kind == "alike":
        values = 5.0 + 1e-9 * values
    elif kind == "equal":
        values[:] = 0.25
    elif kind == "few":
        values = np.round(values)  # many at one distance
    elif kind == "far":
        values[0] = 1e6
    wanted = data.draw(st.sampled_from([values[0], rng.normal(size=4), np.full(4, 50.0)]))
    k = data.draw(st.integers(1, min(n, 40)))
    blocks = [(values[:, :3].copy(), wanted[:3], 1.0), (values[:, 3:].copy(), wanted[3:], 0.3)]
    on = database_of(arm4(), np.zeros((n, 4))).on(arm4())
    np.testing.assert_array_equal(on.nearest(blocks, k).rows, brute(blocks, k)[0])


def test_of_postures_equally_near_the_earlier_come_first():
    n = 40_000
    on = database_of(arm4(), np.zeros((n, 4))).on(arm4())
    np.testing.assert_array_equal(on.nearest([(np.zeros((n, 3)), np.ones(3), 1.0)], 5).rows, np.arange(5))


def test_columns_are_kept_for_sites_and_reused_for_others(on):
    for _ in range(4):
        blocks = [(np.random.default_rng(0).normal(size=(3000, 2)), np.zeros(2), 1.0)]
        assert on.nearest(blocks, 2)[0].tolist() == brute(blocks, 2)[0].tolist()
    every = [(on.values(name), np.zeros(3), 1.0) for name in on.figure.joint_names]
    np.testing.assert_array_equal(on.nearest(every, 6)[0], brute(every, 6)[0])


def test_bad_questions_are_refused(on):
    with pytest.raises(InvalidSetting, match="k is 0"):
        on.nearest([(on.values("view"), np.zeros(3), 1.0)], 0)
    with pytest.raises(InvalidSetting, match="3000 x 2"):
        on.nearest([(on.values("view"), np.zeros(2), 1.0)], 1)


def test_damaged_numbers_are_told():
    figure = arm4()
    q = np.zeros((5, 4))
    q[3, 2] = np.nan
    with pytest.raises(InvalidMotion, match=r"posture 3 .* not finite"):
        database_of(figure, q).on(figure).values("segment4")


def test_on_another_figure_the_root_is_as_high_as_its_height_asks(on):
    tall = human40(height=2.0)
    ratio = tall.height / on.figure.height
    there = on.database.on(tall)
    height = on.figure.dof_index("pelvis.ty")
    lifted = on.q[:, height] - on.figure.rest[height]
    assert np.ptp(lifted) > 0.1
    for row in (0, 100, 2000):
        ours, theirs = (postures.pose(row).point("pelvis") for postures in (on, there))
        assert theirs[1] == pytest.approx(ratio * ours[1], rel=1e-9)
        np.testing.assert_allclose(there.q[row, 6:], on.q[row, 6:], atol=1e-9)
