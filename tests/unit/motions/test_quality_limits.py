"""Support polygons, robots' limits, pairing of feet, and judging."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from stepping import stepping

from posewright.anatomy.feet import paired_feet
from posewright.clips import walk
from posewright.constraints import LinearConstraint
from posewright.errors import InvalidFigure, InvalidSetting
from posewright.figures import Capsule, Figure, Hinge, Joint, Site, Slide, free_slides
from posewright.figures.catalogue import build
from posewright.figures.joint import X, Y
from posewright.motions import Motion
from posewright.motions.quality import QualityLimits, as_dict
from posewright.motions.quality.measures import hull_distances, support_distances

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def distance(point: tuple[float, float], corners: np.ndarray, there: list[bool] | None = None) -> float:
    chosen = np.array([[True] * len(corners) if there is None else there])
    return float(hull_distances(np.array([point]), corners[None], chosen)[0])


def test_distances_from_a_square_are_those_of_geometry() -> None:
    assert distance((0.5, 0.5), SQUARE) == pytest.approx(-0.5)
    assert distance((0.9, 0.5), SQUARE) == pytest.approx(-0.1)
    assert distance((1.5, 0.5), SQUARE) == pytest.approx(0.5)
    assert distance((2.0, 2.0), SQUARE) == pytest.approx(np.sqrt(2.0))
    assert distance((0.5, 0.5), SQUARE, [True, True, False, False]) == pytest.approx(0.5), "a line has no inside"
    assert distance((2.0, 0.0), SQUARE, [True, True, False, False]) == pytest.approx(1.0)
    assert distance((0.0, 3.0), SQUARE, [False, False, False, True]) == pytest.approx(2.0)
    assert distance((0.0, 1.0), SQUARE, [False, False, False, True]) == pytest.approx(0.0)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_inside_and_outside_agree_with_a_hull_by_other_means(seed: int) -> None:
    rng = np.random.default_rng(seed)
    corners, point = rng.normal(size=(6, 2)), rng.normal(size=2)
    edges = ConvexHull(corners).equations
    inside = float((edges[:, :2] @ point + edges[:, 2]).max())
    ours = distance((point[0], point[1]), corners)
    assert ours == pytest.approx(inside) if inside <= 0.0 else ours >= inside - 1e-12


def test_a_person_at_rest_is_balanced_and_a_leaning_one_is_not() -> None:
    figure = build("human40")
    feet = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")
    q = np.tile(figure.rest, (3, 1))
    q[1, 3] = 0.6  # lean as a whole about the hips' x axis
    there = np.array([[True] * 4, [True] * 4, [False] * 4])
    standing, leaning, flying = support_distances(Motion(figure, q, 30.0), feet, there)
    assert standing < 0.0 < leaning
    assert np.isnan(flying)


def test_self_contact_is_measured_against_the_body_at_rest() -> None:
    bar = (Capsule(start=(0, 0, 0), end=(1, 0, 0), start_radius=0.05, end_radius=0.05),)
    joints = tuple(
        Joint(name=f"j{k}", parent=f"j{k - 1}" if k else None, offset=(float(k > 0), 0, 0), shape=bar,
              rotation=(Hinge(axis=(0, 0, 1)),))
        for k in range(3)
    )  # fmt: skip
    figure = Figure(name="folding", joints=joints)
    q = np.zeros((5, 3))
    q[2, 1:] = 2.0943951023931953  # a closed triangle
    report = Motion(figure, q, 30.0).quality(feet=["j0"], floor=-5.0)
    assert report["self-contact"].value == pytest.approx(0.1)
    assert report["self-contact"].frame == 2


def test_a_robots_speeds_and_constraints_are_measured() -> None:
    figure = Figure(
        name="robot",
        joints=(
            Joint(name="base", slides=(Slide(axis=Y),)),
            Joint(name="a", parent="base", offset=(0, 1, 0), rotation=(Hinge(axis=X, max_speed=2.0),)),
            Joint(name="b", parent="a", offset=(0, 1, 0), rotation=(Hinge(axis=X),)),
        ),
        constraints=(LinearConstraint.coupling("b follows a", "b.rx", "a.rx", 0.5),),
    )
    q = np.zeros((4, 3))
    q[:, 1], q[:, 2] = [0.0, 0.1, 0.4, 0.4], [0.0, 0.05, 0.2, 0.5]
    report = Motion(figure, q, 10.0).quality(feet=["base"])
    assert report["speed limit"].value == pytest.approx(0.3 * 10.0 / 2.0)
    assert report["speed limit"].frame == 2
    assert report["constraint violation"].value == pytest.approx(0.3)
    broken = [v.measure.name for v in report.check() if v.passed is False]
    assert broken == ["constraint violation", "speed limit"]


def test_measures_that_need_something_else_are_left_out() -> None:
    report = stepping(60.0).quality()
    assert "speed limit" not in report
    assert "constraint violation" not in report
    assert "jerk ratio" not in report


def test_feet_of_unlike_figures_are_paired_by_side_and_end() -> None:
    person = build("human40")
    names = ("LeftFoot", "LeftToeBase", "RightFoot", "RightToeBase")
    joints = [Joint(name="Hips", slides=free_slides()), *(Joint(name=name, parent="Hips") for name in names)]
    other = Figure(name="cmu", joints=tuple(joints))
    assert other.anatomy.feet["left", "rear"] == "LeftFoot"
    pairs = paired_feet(person.anatomy, other.anatomy)
    assert pairs["left_heel"] == "LeftFoot"
    assert sorted(pairs.values()) == sorted(names)
    stumps = Figure(name="stumps", joints=(joints[0],), sites=(Site(name="end", joint="Hips", tip=True),))
    with pytest.raises(InvalidFigure, match="cannot be paired"):
        paired_feet(person.anatomy, stumps.anatomy)


def test_a_copy_of_its_source_breaks_nothing_and_a_bad_one_does() -> None:
    source = walk(build("human40"), seed=2, fps=30.0)
    verdicts = source.quality(source, floor=0.0).check()
    assert {v.measure.name for v in verdicts if v.passed is not None} >= {
        "limit violation", "contact drift", "foot skate", "penetration", "jerk", "fastest turn"
    }  # fmt: skip
    assert not [v for v in verdicts if v.passed is False]
    q = source.q.copy()
    q[:, 1] -= 0.05
    q[20, 10] += 2.0
    report = source.with_q(q).quality(source, floor=0.0)
    broken = {v.measure.name for v in report.check() if v.passed is False}
    assert broken >= {"penetration", "jerk", "fastest turn"}
    assert report["jerk ratio"].value == pytest.approx(report["jerk"].value / report["jerk"].source)
    lenient = QualityLimits(penetration=None, jerk=1e6, turn=1e6, limit_violation=10.0, drift=1.0, skate=10.0)
    assert not [v for v in report.check(lenient) if v.passed is False]


def test_bounds_beyond_a_source_are_not_judged_without_one() -> None:
    report = stepping(60.0).quality()
    verdicts = {v.measure.name: v for v in report.check()}
    assert verdicts["contact drift"].passed is None
    assert verdicts["penetration"].passed is True
    plain = json.loads(json.dumps(as_dict(tuple(verdicts.values()))))
    assert plain["penetration"]["limit"] == 0.01
    assert plain["contact drift"]["passed"] is None


def test_series_have_a_number_per_frame() -> None:
    source = stepping(60.0)
    report = source.quality(source)
    assert {series.name for series in report.series} >= {"penetration", "contact drift", "foot skate", "jerk"}
    for series in report.series:
        assert series.values.shape == (len(source),)
        worst = np.nanmax(series.values)
        if series.name in ("penetration", "contact drift", "fastest turn"):
            assert worst == pytest.approx(report[series.name].value)


def test_limits_must_make_sense() -> None:
    with pytest.raises(InvalidSetting, match="the limit drift must be a number, not negative, got -1"):
        QualityLimits(drift=-1.0)
