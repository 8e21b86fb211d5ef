"""Sorting into cells: every cell that a segment touches lists it."""

import numpy as np

from posewright.kernels.raycast.cones import aim, light_frame, light_past, sky_past
from posewright.kernels.raycast.tiles import cell_of, find_neighbours, sort_segments
from posewright.kernels.tables import GRID, VIEW
from posewright.report.picture import point_light, row_lists
from posewright.report.scene import cone_rows


def test_every_point_of_a_fat_segment_finds_it_in_its_cell() -> None:
    rng = np.random.default_rng(3)
    grid = np.array([(-2.0, 1.0, 2.0, 12, 9)], GRID)[0]
    ends = rng.uniform([-3, 0, -3, 0], [5, 6, 5, 6], (20, 4))
    radii = rng.uniform(0.05, 0.8, 20)
    lists = sort_segments(grid, ends, radii)
    assert lists[0] == 12 * 9 + 1
    assert lists[12 * 9] == len(lists)
    for k, (end, radius) in enumerate(zip(ends, radii, strict=True)):
        for share, angle, reach in rng.uniform(0, 1, (50, 3)):
            x, y = end[:2] + share * (end[2:] - end[:2])
            x, y = x + reach * radius * np.cos(6.3 * angle), y + reach * radius * np.sin(6.3 * angle)
            cell = cell_of(grid, x, y)
            if cell >= 0:
                assert k in lists[lists[cell] : lists[cell + 1]]


def test_lists_ascend_and_leave_out_what_is_far() -> None:
    grid = np.array([(0.0, 0.0, 1.0, 10, 10)], GRID)[0]
    ends = np.array([[0.5, 0.5, 9.5, 9.5], [2.5, 2.5, 2.5, 2.5], [1e12, 0.0, 1e12, 5.0]])
    lists = sort_segments(grid, ends, np.array([0.1, 0.1, 1.0]))
    assert lists[lists[22] : lists[23]].tolist() == [0, 1]
    assert lists[lists[9] : lists[10]].tolist() == []  # the other corner
    assert 2 not in lists[101:]


def test_negative_radii_are_nowhere_and_infinite_ones_everywhere() -> None:
    grid = np.array([(0.0, 0.0, 1.0, 3, 2)], GRID)[0]
    lists = sort_segments(grid, np.ones((2, 4)), np.array([-1.0, np.inf]))
    assert lists.tolist() == [*range(7, 14), *[1] * 6]


def test_points_outside_the_grid_have_no_cell() -> None:
    grid = np.array([(0.0, 0.0, 1.0, 3, 2)], GRID)[0]
    assert [cell_of(grid, x, y) for x, y in ((0.0, 0.0), (2.9, 1.9), (3.0, 1.0), (-0.1, 1.0), (1.0, 2.0))] == [
        0, 5, -1, -1, -1,
    ]  # fmt: skip


def test_neighbours_are_all_that_shade_or_dim_and_none_of_another_layer() -> None:
    rng = np.random.default_rng(8)
    starts, ends = rng.uniform(-1, 1, (25, 3)), rng.uniform(-1, 1, (25, 3))
    radii = rng.uniform(0.02, 0.15, (25, 2))
    cones = cone_rows(starts, ends, radii, np.ones((25, 3)), alpha=1.0, glow=0.0, casts=1.0)
    cones["layer"][12:] = 1
    light = np.array([0.48, 0.6, 0.64])
    view = np.zeros(1, VIEW)[0]
    point_light(view, light)
    aim(cones, view)
    shades, near = np.zeros((2, 25, 25), bool)
    find_neighbours(cones, 3.0, shades, near)
    shades, near = row_lists(shades), row_lists(near)
    dropped = 0
    for i in range(25):
        shading = set(shades[shades[i] : shades[i + 1]])
        dimming = set(near[near[i] : near[i + 1]])
        assert all((j < 12) == (i < 12) for j in shading | dimming)
        for _ in range(20):
            out = rng.normal(size=3)
            out /= np.linalg.norm(out)
            share = rng.uniform()
            p = starts[i] + share * (ends[i] - starts[i]) + radii[i].min() * out
            for j in set(range(12) if i < 12 else range(12, 25)) - {i}:
                if light_past(cones[j], *p, *light_frame(view, *p), 0.08, 0.03, 1.0) < 1.0:
                    assert j in shading
                if sky_past(cones[j], *p, *out, 3.0) < 1.0:
                    assert j in dimming
        dropped += 24 - len(shading)
    assert dropped > 100  # it is worth the trouble
