import numpy as np
import pytest

import posewright as pw
from posewright.figures.kinematics import site_frames


def test_a_pose_tells_where_its_sites_are(mixed_figure):
    pose = pw.Pose.rest(mixed_figure)
    points = site_frames(mixed_figure, pose.q, ["finger", "hand"]).points
    assert pose.point("finger") == pytest.approx(tuple(points[0]))
    assert pose.point("hand") == pytest.approx(tuple(points[1]))


def test_a_site_of_another_figure_in_a_pose_can_be_a_target(mixed_figure):
    partner = pw.Pose(mixed_figure, mixed_figure.rest + np.eye(mixed_figure.n_dofs)[0] * 0.3)
    goal = pw.Position("finger", partner.point("finger"))
    result = pw.LeastSquares().solve(pw.Problem(mixed_figure, [goal]))
    assert result.reached
    assert result.pose.point("finger") == pytest.approx(partner.point("finger"), abs=1e-3)
