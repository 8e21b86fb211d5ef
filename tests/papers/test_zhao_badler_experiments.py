"""Zhao & Badler 1994, section 12: the experiments 1-A to 1-G, in small."""

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.experiments import EXPERIMENTS, nonlinear_programming
from posewright.experiments.evaluation_cost import upper_slope
from posewright.experiments.torso_tasks import BOX, TUBE, WAIST, five_segment_torso, random_tubes, whole
from posewright.figures.kinematics import site_frames

SMALL = {"1-A": {"tubes": 2}, "1-C": {"tubes": 2}, "1-D": {"count": 5}, "1-E": {"count": 5}, "1-F": {"count": 12}}


@pytest.mark.parametrize("name", SMALL)
def test_the_experiment_is_accepted(name):
    shares = []
    outcome = EXPERIMENTS[name].run(shares.append, **SMALL[name])
    assert outcome.accepted, outcome.failures
    assert outcome.neighbours
    assert all(len(row) == len(outcome.columns) for row in outcome.rows)
    assert all(0.0 <= share <= 1.0 for share in shares)


@pytest.mark.parametrize(("name", "dofs"), [("human22", 22), ("human70", 70)])
def test_a_person_looks_into_a_tube(name, dofs):
    """All six goals, checked from the pose alone."""
    problem = TUBE.problem(pw.figure(name))
    assert len(problem.goals) == 6
    assert len(problem.space.names) == dofs
    result = pw.ActiveSetBfgs(restarts=0).solve(problem)
    assert result.reached
    frames = site_frames(result.pose.figure, result.q, ["left_hand", "right_hand", "left_elbow", "right_elbow", "view"])
    mouth, axis = np.array(TUBE.mouth), np.array(TUBE.direction)
    from_axis = frames.points - mouth - np.outer((frames.points - mouth) @ axis, axis)
    assert np.linalg.norm(from_axis[:2], axis=1) == pytest.approx(np.full(2, TUBE.radius), abs=1e-3)
    for palm, outward in zip(frames.y_axes[:2], from_axis[:2], strict=True):
        assert palm @ outward / np.linalg.norm(outward) == pytest.approx(-1.0, abs=1e-3)
    assert from_axis[2:4] @ TUBE.side == pytest.approx([TUBE.elbows, -TUBE.elbows], abs=1e-3)
    assert np.linalg.norm(from_axis[4]) < 1e-3
    gaze = np.array(TUBE.at(TUBE.length)) - frames.points[4]
    assert frames.x_axes[4] @ gaze / np.linalg.norm(gaze) == pytest.approx(1.0, abs=1e-5)


def test_more_dofs_are_met_too_and_bend_the_spine_irregularly():
    for tube in random_tubes(2, np.random.default_rng(3)):
        results = [pw.ActiveSetBfgs(restarts=0).solve(tube.problem(pw.figure(name))) for name in ("human22", "human70")]
        assert all(result.reached for result in results)
        smooth, ragged = (nonlinear_programming.roughness(result.pose) for result in results)
        assert smooth <= 0.2 * ragged


def test_what_is_not_as_it_must_be_is_reported(monkeypatch):
    monkeypatch.setattr(nonlinear_programming, "SOLVER", pw.ActiveSetBfgs(restarts=0, max_iterations=3))
    for name, sizes, failure in (
        ("1-A", {"tubes": 1}, "of them without restarts: 0; accepted if at least 2"),
        ("1-D", {"count": 1}, "stopped: out of iterations; accepted if stationary"),
        ("1-E", {"count": 1}, "reached: no; accepted if yes"),
    ):
        assert EXPERIMENTS[name].run(**sizes).failures[-1] == failure


def test_the_chain_from_the_waist_has_22_dofs_and_rigidity_takes_none_of_them():
    for rigidity in (0.0, 0.5):
        prepared = pw.ActiveSetBfgs().prepare(BOX.problem(five_segment_torso(rigidity), WAIST))
        assert prepared.n_variables == 22
    gone = pw.ActiveSetBfgs().prepare(BOX.problem(five_segment_torso(1.0), WAIST))
    assert gone.n_variables == 12


def test_the_cost_of_an_evaluation_is_measured_for_dofs_and_goals():
    outcome = EXPERIMENTS["1-G"].run(dofs=(4, 8, 12, 16), goals=(1, 2, 3, 4))
    assert [row[0] for row in outcome.rows if "slope" not in row[0]] == [
        "4 dofs, 1 goal", "8 dofs, 1 goal", "12 dofs, 1 goal", "16 dofs, 1 goal",
        "16 dofs, 1 goal", "16 dofs, 2 goals", "16 dofs, 3 goals", "16 dofs, 4 goals",
    ]  # fmt: skip
    assert upper_slope((1, 2, 4, 8), np.array([9.0, 9.0, 4.0, 16.0])) == pytest.approx(2.0)


def test_pictures_show_the_whole_person():
    figure = pw.figure("human22")
    pose = pw.Pose.rest(figure).with_values({"neck.flexion": 0.3, "left_elbow.flexion": 1.0})
    person = whole(pose)
    assert person["neck.flexion"] == 0.3
    for site in ("view", "left_hand"):
        placed = [site_frames(p.figure, p.q, [site]).points[0] for p in (pose, person)]
        np.testing.assert_allclose(placed[0], placed[1], rtol=0.0, atol=1e-9)
    picture = EXPERIMENTS["1-D"].run().draw()
    assert picture.shape == (536, 460, 3)
    red = (picture[:, :, 0] > 180) & (picture[:, :, 1] < 90)
    assert red.sum() > 50, "the goal that was missed"


def test_a_tube_points_along_a_unit_vector():
    assert np.linalg.norm(replace(TUBE, direction=(0.0, 0.0, 5.0)).direction) == pytest.approx(1.0)
