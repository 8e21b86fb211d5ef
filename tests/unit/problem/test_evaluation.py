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
    far = pw.PlacementGoal("finger", (50.0, 0.0, 0.0), x=(1.0, 0.0, 0.0))
    near = pw.PlacementGoal("finger", (0.5, 0.9, 0.1), x=(0.0, 0.0, 1.0))
    space = pw.Space.chain(mixed_figure, ["hand"])
    result = pw.LeastSquares(restarts=0).solve(pw.Problem(space, [pw.AnyOf((far, near), name="either")]))
    assert set(result.errors) == {"either", "either.turn"}
    assert {error.unit for error in result.goal_errors} == {"m", "rad"}
