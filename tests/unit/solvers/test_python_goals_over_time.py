"""Goals in Python and compiled goals of one's own in motions: in their frames only, and judged there."""

from dataclasses import dataclass

import numpy as np
import pytest

import posewright as pw
from posewright.clips import walk
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures.catalogue import build
from posewright.goals.goal import SiteGoal
from posewright.goals.python_goal import site_function

SOLVERS = {
    "LeastSquares": pw.LeastSquares(restarts=0),
    "Prioritized": pw.Prioritized(),
    "ActiveSetBfgs": pw.ActiveSetBfgs(),
}
UP = 0.06
FRAMES = 9


def near():
    return walk(build("norman"), fps=30.0)[:FRAMES]


def height(clip, frame):
    """Of the left hand, m."""
    return float(clip.pose(frame).point("left_hand")[1])


def of_pose(level, **settings):
    return pw.PythonGoal(lambda pose: [pose.point("left_hand")[1] - level], rows=1, name="height", **settings)


def gap(frames, numbers, out):
    out[:, 0] = frames[:, 0, 1] - numbers[0]


@dataclass(frozen=True)
class Level(SiteGoal):
    height: float

    def terms(self, figure):
        return (site_function(figure, [self.site], gap, rows=1, numbers=(self.height,)),)


def of_site(level, **settings):
    return Level("left_hand", level, name="height", **settings)


KINDS = {"PythonGoal": of_pose, "a kind of one's own": of_site}
IMITATION = pw.Imitation.static(example=1e-5)


@pytest.fixture(params=SOLVERS)
def solver(request):
    return SOLVERS[request.param]


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def test_a_goal_at_a_frame_changes_that_frame_alone_and_is_judged_there(solver, kind):
    clip = near()
    wanted = height(clip, 2) + UP
    result = solver.solve(pw.MotionProblem(clip.figure, [kind(wanted).at(2, ease=0)], clip, imitation=IMITATION))
    assert height(result.motion, 2) == pytest.approx(wanted, abs=2e-4)
    others = np.arange(FRAMES) != 2
    assert np.abs(result.motion.q - clip.q)[others].max() < 1e-6
    assert result.reached
    assert result.errors["height at frame 2"] < 2e-4
    by_frame = result.errors_by_frame["height at frame 2"]
    assert by_frame.shape == (FRAMES,)
    assert by_frame[5] == pytest.approx(abs(height(clip, 5) - wanted), abs=1e-6)


def test_a_goal_out_of_reach_is_not_reached(solver, kind):
    clip = near()
    frozen = [joint for joint in clip.figure.joint_names if "left" not in joint]
    goals = [kind(9.0).during(3, 5)]
    result = solver.solve(pw.MotionProblem(clip.figure, goals, clip, imitation=IMITATION, frozen=frozen))
    assert not result.reached
    (error,) = result.errors.missed
    assert error.goal == "height from frame 3 to 5"
    assert error.frame in (3, 4, 5)
    assert error > 5.0


def test_beside_goals_about_sites_each_counts_in_its_own_frames(solver, kind):
    clip = near()
    there = clip.point("right_hand", 6) + np.array([0.0, UP, 0.0])
    goals = [pw.Position("right_hand", there).at(6, ease=0), kind(height(clip, 2) + UP).at(2, ease=0)]
    result = solver.solve(pw.MotionProblem(clip.figure, goals, clip, imitation=IMITATION))
    assert result.reached
    assert set(result.errors) == {"right_hand at frame 6", "height at frame 2"}
    changed = np.abs(result.motion.q - clip.q).max(axis=1)
    assert (np.flatnonzero(changed > 1e-5) == [2, 6]).all()


def test_two_priorities(solver, kind):
    clip = near()
    goals = [
        kind(height(clip, 2) + UP).at(2, ease=0),
        pw.Position("left_hand", clip.pose(2).point("left_hand"), priority=2).at(2, ease=0),
    ]
    result = solver.solve(pw.MotionProblem(clip.figure, goals, clip, imitation=IMITATION))
    assert result.errors["height at frame 2"].reached or result.warnings  # a solver without strict levels says so
    assert result.errors["left_hand at frame 2"] == pytest.approx(UP, rel=0.05)


def test_what_fades_lies_between_the_example_and_what_is_wanted(kind):
    """Strict goals slide, as those about sites do."""
    clip = near()
    clip = pw.Motion(clip.figure, np.repeat(clip.q[:1], FRAMES, axis=0), clip.fps)
    wanted, shares = height(clip, 0) + UP, np.linspace(0.0, 1.0, FRAMES)
    goal = kind(wanted).along(activation=shares)
    result = pw.Prioritized().solve(pw.MotionProblem(clip.figure, [goal], clip))
    heights = [height(result.motion, k) - height(clip, 0) for k in range(FRAMES)]
    assert heights == pytest.approx(UP * shares, abs=1e-4)
    assert result.reached


def test_what_fades_is_weighed_by_solvers_that_weigh(kind):
    clip = near()
    still = pw.Motion(clip.figure, np.repeat(clip.q[:1], FRAMES, axis=0), clip.fps)
    goal = kind(height(still, 0) + UP).along(activation=np.linspace(0.0, 1.0, FRAMES))
    for one in (SOLVERS["LeastSquares"], SOLVERS["ActiveSetBfgs"]):
        problem = pw.MotionProblem(still.figure, [goal], still, imitation=pw.Imitation.static(example=1e-2))
        motion = one.solve(problem).motion
        heights = np.array([height(motion, k) for k in range(FRAMES)]) - height(still, 0)
        assert heights[0] == pytest.approx(0.0, abs=1e-9)
        assert (np.diff(heights) > 0.0).all()


def test_a_stream_takes_its_activation(kind):
    clip = near()
    wanted = height(clip, 0) + UP
    problem = pw.MotionProblem(clip.figure, [kind(wanted)], clip[:1], imitation=IMITATION)
    stream = SOLVERS["LeastSquares"].stream(problem)
    off = stream.solve(clip.pose(0), activation={"height": 0.0}).pose
    assert np.abs(off.q - clip.q[0]).max() < 1e-9
    on = stream.solve(clip.pose(0), activation={"height": 1.0}).pose
    assert on.point("left_hand")[1] == pytest.approx(wanted, abs=2e-4)
    with pytest.raises(UnknownName, match="hight"):
        stream.solve(clip.pose(0), activation={"hight": 1.0})


def test_a_space_of_motions_refuses_them(kind):
    clip = near()
    n = clip.figure.n_dofs
    space = pw.Space(clip.figure, clip.figure.dof_names, np.tile(np.eye(n), (FRAMES, 1, 1)), np.array(clip.q))
    with pytest.raises(InvalidSetting, match="cannot be used with a space of motions"):
        pw.MotionProblem(space, [kind(1.0).at(2)], clip)
