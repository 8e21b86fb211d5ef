"""Rays and rounded cones, against the definition: a rounded cone is all the balls between its two ends."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright.kernels.raycast.cones import NEVER, aim, hit, light_frame, light_past, normal, sky_past
from posewright.kernels.tables import CONE, VIEW
from posewright.report.picture import point_light
from posewright.report.scene import cone_rows

EYE = np.array([0.0, 0.0, 5.0])


def seen_from_the_eye(light=(0.0, 1.0, 0.0)):
    view = np.zeros(1, VIEW)[0]
    view["ox"], view["oy"], view["oz"] = EYE
    point_light(view, np.array(light))
    return view


def light_left(row, x, y, z, spread, soft, inward):
    """What a point sees of a light above, past a cone."""
    view = seen_from_the_eye()
    return light_past(row, x, y, z, *light_frame(view, x, y, z), spread, soft, inward)


def cone(start, end, radii):
    rows = cone_rows(
        np.array([start], float), np.array([end], float), np.array([radii], float), np.ones((1, 3)),
        alpha=1.0, glow=0.0, casts=1.0,
    )  # fmt: skip
    aim(rows, seen_from_the_eye())
    return rows[0]


def distance(points, start, end, radii):
    """How far points (n, 3) are outside the balls between the two ends, by trying many of them."""
    share = np.linspace(0.0, 1.0, 4001)[:, np.newaxis, np.newaxis]
    centres = np.array(start) + share * (np.array(end) - np.array(start))
    reach = radii[0] + share[..., 0] * (radii[1] - radii[0])
    return (np.linalg.norm(points - centres, axis=-1) - reach).min(axis=0)


def test_a_ray_meets_a_ball_in_front() -> None:
    ball = cone((0, 0, 0), (0, 0, 0), (1, 1))
    assert hit(ball, 0.0, 0.0, -1.0) == pytest.approx(4.0, abs=1e-12)
    assert hit(ball, 0.0, 0.0, 1.0) == NEVER
    assert hit(ball, *(np.array([0.3, 0.0, -1.0]) / math.hypot(0.3, 1.0))) == NEVER


def test_a_ray_meets_the_side_of_a_cylinder() -> None:
    upright = cone((0, -1, 0), (0, 1, 0), (0.5, 0.5))
    assert hit(upright, 0.0, 0.0, -1.0) == pytest.approx(4.5, abs=1e-12)


def test_a_ray_meets_the_side_of_a_cone_where_its_slope_says() -> None:
    # Both balls touch the line that makes the angle asin(0.3/2) with the axis.
    tapered = cone((0, -1, 0), (0, 1, 0), (0.5, 0.2))
    sine = 0.3 / 2.0
    side = (0.5 - sine) / math.sqrt(1.0 - sine * sine)  # radius of the cone at height 0: 1 above the lower centre
    assert hit(tapered, 0.0, 0.0, -1.0) == pytest.approx(5.0 - side, abs=1e-12)


def test_a_ray_along_the_axis_meets_the_nearer_ball() -> None:
    assert hit(cone((0, 0, -1), (0, 0, 1), (0.5, 0.2)), 0.0, 0.0, -1.0) == pytest.approx(3.8, abs=1e-12)
    assert hit(cone((0, 0, 1), (0, 0, -1), (0.5, 0.2)), 0.0, 0.0, -1.0) == pytest.approx(3.5, abs=1e-12)


def test_a_ball_inside_the_other_leaves_the_larger_one() -> None:
    for ends, radii in ((((0, 0, 0), (0, 0.1, 0)), (1.0, 0.3)), (((0, 0.1, 0), (0, 0, 0)), (0.3, 1.0))):
        assert hit(cone(*ends, radii), 0.0, 0.0, -1.0) == pytest.approx(4.0, abs=1e-12)


coordinate = st.floats(-1.0, 1.0)
point = st.tuples(coordinate, coordinate, coordinate)
radius = st.floats(0.02, 0.7)


@settings(max_examples=60)
@given(start=point, end=point, radii=st.tuples(radius, radius), aimed=point)
def test_a_hit_is_the_first_point_of_the_ray_on_the_surface(start, end, radii, aimed) -> None:
    v = np.array(aimed) - EYE
    v /= np.linalg.norm(v)
    row = cone(start, end, radii)
    t = hit(row, *v)
    reach = np.linspace(2.0, 9.0, 400) if t == NEVER else np.linspace(2.0, t - 1e-3, 400)
    assert (distance(EYE + reach[:, np.newaxis] * v, start, end, radii) > -1e-6).all()
    if t != NEVER:
        on = EYE + t * v
        assert abs(distance(on[np.newaxis], start, end, radii)[0]) < 1e-5
        # The normal is where the distance grows fastest.
        steps = 1e-4 * np.eye(3)
        slope = distance(on + steps, start, end, radii) - distance(on - steps, start, end, radii)
        np.testing.assert_allclose(normal(row, *on), slope / 2e-4, atol=2e-2)


def test_light_is_covered_behind_and_free_beside() -> None:
    bar = cone((-1, 1, 0), (1, 1, 0), (0.2, 0.2))
    assert light_left(bar, 0.0, 0.0, 0.0, 0.05, 0.0, 0.0) == 0.0
    assert light_left(bar, 0.0, 0.0, 0.3, 0.05, 0.0, 0.0) == 1.0
    assert light_left(bar, 0.0, 0.0, 0.2, 0.05, 0.0, 0.0) == pytest.approx(0.5, abs=1e-9)
    assert light_left(bar, 0.0, 2.0, 0.0, 0.05, 0.0, 0.0) == 1.0  # it is below
    assert light_left(bar, 0.0, 0.0, 0.2, 0.05, 0.0, 1.0) == 1.0  # the shadow begins at the edge


def test_a_slim_bar_far_away_covers_only_a_part_of_the_light() -> None:
    wire = cone((-1, 10, 0), (1, 10, 0), (0.01, 0.01))
    assert 0.9 < light_left(wire, 0.0, 0.0, 0.0, 0.05, 0.0, 0.0) < 1.0


def test_the_sky_is_dimmer_the_nearer_the_cone() -> None:
    bar = cone((-1, 0.5, 0), (1, 0.5, 0), (0.2, 0.2))
    beside = [sky_past(bar, 0.0, 0.0, z, 0.0, 1.0, 0.0, 9.0) for z in (0.0, 0.3, 0.8, 1.5)]
    assert 0.0 <= beside[0] < beside[1] < beside[2] < beside[3] <= 1.0
    assert sky_past(bar, 0.0, 0.0, 5.0, 0.0, 1.0, 0.0, 9.0) == 1.0
    # The share of the hemisphere that a ball takes, weighted by the cosine: (r/d)².
    ball = cone((0, 1, 0), (0, 1, 0), (0.2, 0.2))
    assert sky_past(ball, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 100.0) == pytest.approx(1.0 - 0.04, abs=0.02)


def test_a_cone_without_size_is_never_met() -> None:
    rows = np.zeros(1, CONE)
    aim(rows, seen_from_the_eye())
    assert hit(rows[0], 0.0, 0.0, -1.0) == NEVER


def test_a_bar_along_the_light_covers_it() -> None:
    pole = cone((0, 1, 0), (0, 3, 0), (0.2, 0.2))
    assert light_left(pole, 0.0, 0.0, 0.0, 0.05, 0.0, 0.0) == 0.0
    assert light_left(pole, 0.0, 0.0, 0.5, 0.05, 0.0, 0.0) == 1.0
    assert light_left(pole, 0.0, 4.0, 0.0, 0.05, 0.0, 0.0) == 1.0
