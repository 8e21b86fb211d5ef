"""Distance goals: a sphere around a point, or two sites held apart."""

import numpy as np
import pytest

import posewright as pw
from posewright.clips import walk
from posewright.errors import InvalidSetting
from posewright.goals import Distance

CENTRE = (0.3, 1.2, 0.4)


@pytest.mark.parametrize("solver", [pw.LeastSquares(), pw.Prioritized(), pw.ActiveSetBfgs()])
@pytest.mark.parametrize("target", [CENTRE, "right_hand"])
def test_the_distance_is_met(solver, target):
    figure = pw.figure("human40")
    result = solver.solve(pw.Problem(figure, [Distance("left_hand", target, 0.25)]))
    assert result.reached
    there = result.pose.point(target) if isinstance(target, str) else target
    away = np.linalg.norm(np.subtract(result.pose.point("left_hand"), there))
    assert away == pytest.approx(0.25, abs=1e-3)


def test_a_site_at_the_point_itself_is_led_away():
    figure = pw.figure("human40")
    point = pw.Pose.rest(figure).point("left_hand")
    assert pw.LeastSquares().solve(pw.Problem(figure, [Distance("left_hand", point, 0.1)])).reached


def test_a_distance_must_be_positive():
    with pytest.raises(InvalidSetting, match="distance"):
        Distance("left_hand", CENTRE, 0.0)


@pytest.mark.parametrize("solver", [pw.LeastSquares(), pw.Prioritized()])
def test_it_fades_in_from_what_the_motion_does(solver):
    clip = walk(pw.figure("human40"), fps=30.0)[:9]
    still = pw.Motion(clip.figure, np.repeat(clip.q[:1], 9, axis=0), clip.fps)
    centre = still.point("left_hand", 0) + np.array([0.0, 0.0, 0.3])
    goal = Distance("left_hand", centre, 0.2).during(8, 8, ease=(8, 0))
    result = solver.solve(pw.MotionProblem(still.figure, [goal], still))
    away = np.linalg.norm(np.array([result.motion.pose(k).point("left_hand") for k in range(9)]) - centre, axis=1)
    assert away[0] == pytest.approx(0.3, abs=1e-3)
    assert away[-1] == pytest.approx(0.2, abs=1e-3)
    assert (np.diff(away) < 1e-4).all()
