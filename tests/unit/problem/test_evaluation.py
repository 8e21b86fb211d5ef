import math

import pytest

import posewright as pw
from posewright.problem.evaluation import readable


@pytest.mark.parametrize(
    ("error", "unit", "text"),
    [
        (0.5, "m", "500 mm"),
        (0.9999, "m", "1 m"),
        (2.345, "m", "2.35 m"),
        (0.00012, "m", "0.12 mm"),
        (math.radians(150.0), "rad", "150°"),
        (math.radians(0.05), "rad", "0.05°"),
    ],
)
def test_errors_are_written_as_people_write_them(error, unit, text):
    assert readable(error, unit) == text


def test_every_part_of_the_nearest_alternative_has_its_own_error(mixed_figure):
    far = pw.Placement("finger", (50.0, 0.0, 0.0), x=(1.0, 0.0, 0.0))
    near = pw.Placement("finger", (0.5, 0.9, 0.1), x=(0.0, 0.0, 1.0))
    space = pw.Space.chain(mixed_figure, ["hand"])
    result = pw.LeastSquares(restarts=0).solve(pw.Problem(space, [pw.AnyOf((far, near), name="either")]))
    assert {error.part for error in result.errors["either"].parts} == {"position", "orientation"}
    assert {error.unit for error in result.errors.parts} == {"m", "rad"}


def test_goals_that_are_only_approached_keep_their_names_and_their_weight_is_no_error(mixed_figure):
    names = ("left", "right")
    joints = [
        pw.figures.Joint(name="root"),
        *(pw.figures.Joint(name=n, parent="root", rotation=pw.figures.Ball()) for n in names),
    ]
    figure = pw.Figure(name="two", joints=joints)
    start = pw.Pose(figure, [0.1, 0.0, 0.0, 0.4, 0.0, 0.0])
    goals = [
        pw.Smoothness(names, weight=9.0, name="alike"),
        pw.Position("right", (0.0, 0.0, 0.0), name="smoothness"),
        pw.Posture(name="ease"),
    ]
    result = pw.LeastSquares(max_iterations=0).solve(pw.Problem(figure, goals), start)
    assert result.errors == {"smoothness": 0.0, "alike": pytest.approx(0.3 / math.sqrt(3.0)), "ease": 0.0}


def test_smoothness_is_measured_in_the_chart_in_which_it_is_wanted():
    joints = [
        pw.figures.Joint(name="a", rotation=pw.figures.Ball()),
        pw.figures.Joint(name="b", parent="a", rotation=pw.figures.Ball()),
    ]
    figure = pw.Figure(name="pair", joints=joints)
    space = pw.Space.of(figure).with_chart({"a": (0.6, 0.8, 0.0, 0.0)})
    result = pw.LeastSquares().solve(pw.Problem(space, [pw.Smoothness(("a", "b"), name="alike")]))
    assert result.errors["alike"] == pytest.approx(0.0, abs=1e-6)


def test_alternatives_among_alternatives_are_alternatives(mixed_figure):
    inner = pw.AnyOf((pw.Position("finger", (50.0, 0.0, 0.0)), pw.Position("finger", (0.5, 0.9, 0.1))))
    goal = pw.AnyOf((inner, pw.Position("foot", (0.0, 50.0, 0.0))), name="any")
    result = pw.LeastSquares().solve(pw.Problem(pw.Space.chain(mixed_figure, ["spine", "arm"]), [goal]))
    assert set(result.errors) == {"any"}
    near = pw.Position("finger", (0.5, 0.9, 0.1), name="any")
    alone = pw.LeastSquares().solve(pw.Problem(pw.Space.chain(mixed_figure, ["spine", "arm"]), [near]))
    assert result.errors["any"] == pytest.approx(alone.errors["any"], abs=1e-4)


def test_goals_whose_names_end_in_a_number_keep_it(mixed_figure):
    sites = ("finger", "foot")
    goals = [pw.Position(site, (0.1 * k, 0.5, 0.2), name=f"marker[{k}]") for k, site in enumerate(sites)]
    either = (pw.Position("finger", (9.0, 9.0, 9.0)), pw.Placement("finger", (0.3, 0.4, 0.5), x=(1, 0, 0)))
    result = pw.LeastSquares().solve(pw.Problem(mixed_figure, [*goals, pw.AnyOf(either, name="grip[1]")]))
    assert list(result.errors) == ["marker[0]", "marker[1]", "grip[1]"]
    assert result.errors["grip[1]", "orientation"].unit == "rad"
