"""Linear constraints: what they say, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

from posewright.constraints import LinearConstraint, require_distinct
from posewright.errors import InvalidSetting

TRIANGLE = ((0.0, 0.0), (2.0, 0.0), (0.0, 1.0))


def test_a_coupled_joint_follows() -> None:
    row = LinearConstraint.coupling("last", "finger2.rx", "finger1.rx", 0.5, offset=0.1)
    assert row.is_equality
    assert row.value({"finger2.rx": 0.6, "finger1.rx": 1.0}) == pytest.approx(row.lower)


def test_names_are_prefixed_together() -> None:
    row = LinearConstraint.coupling("k", "a.rx", "b.rx", 2.0).renamed("left_")
    assert row.name == "left_k"
    assert row.coefficients == (("left_a.rx", 1.0), ("left_b.rx", -2.0))


def test_a_polygon_holds_exactly_its_inside() -> None:
    rows = LinearConstraint.polygon("shoulder", "e", "a", TRIANGLE)
    assert len(rows) == 3
    for u, v in np.random.default_rng(0).uniform(-0.5, 2.5, (300, 2)).tolist():
        inside = u > 0 and v > 0 and u / 2 + v < 1
        assert all(row.value({"e": u, "a": v}) <= row.upper for row in rows) == inside


@pytest.mark.parametrize(
    ("corners", "message"),
    [
        (TRIANGLE[:2], "polygon 'p' has 2 corners; it needs at least 3"),
        (TRIANGLE[::-1], "the corners of polygon 'p' run clockwise; list them counter-clockwise"),
        (((0, 0), (2, 0), (1, 0.2), (0, 2)), "polygon 'p' is not convex"),
        (((0, 0), (0, 0), (1, 0), (0, 1)), "polygon 'p' has two equal corners in a row"),
    ],
)
def test_polygons_that_are_none(corners: tuple[tuple[float, float], ...], message: str) -> None:
    with pytest.raises(InvalidSetting, match=message):
        LinearConstraint.polygon("p", "e", "a", corners)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"coefficients": ()}, "constraint 'k' must name at least one dof, and none twice"),
        ({"coefficients": (("a", 1.0), ("a", 2.0))}, "and none twice: \\['a', 'a'\\]"),
        ({"coefficients": (("a", 0.0),)}, "the factor of 'a' in constraint 'k' must be finite and not zero"),
        ({"coefficients": (("a", math.inf),)}, "the factor of 'a' in constraint 'k' must be finite and not zero"),
        ({"coefficients": (("a", 1.0),), "lower": 2.0, "upper": 1.0}, "lower must not exceed upper"),
        ({"coefficients": (("a", 1.0),), "lower": math.nan}, "a bound of constraint .k. must be a number, got nan"),
    ],
)
def test_rows_that_say_nothing(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidSetting, match=message):
        LinearConstraint(name="k", **settings)


def test_two_constraints_of_one_name_are_refused_unless_they_are_the_same() -> None:
    first, other = LinearConstraint.coupling("tie", "a", "b", 1.0), LinearConstraint.coupling("tie", "a", "b", 2.0)
    require_distinct([first, first, LinearConstraint.coupling("knot", "a", "b", 2.0)], beside=[first])
    require_distinct([], beside=[first, other])  # a file may name two of its own alike
    for constraints, beside in (([first, other], []), ([other], [first])):
        with pytest.raises(InvalidSetting, match=r"two constraints are called 'tie'.* rename one"):
            require_distinct(constraints, beside)
