"""Files that earlier versions wrote or read still load, and mean what they meant: one small file of each kind."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import posewright as pw
from posewright.tasks.edit_file import load_edit
from posewright.tasks.task import load_task

FILES = Path(__file__).parents[1] / "files_before"
BEFORE = json.loads((FILES / "numbers.json").read_text(encoding="utf-8"))
TASKS = ("chain.task.yaml", "everything.task.yaml", "sampled.task.yaml")


def walk() -> pw.Motion:
    return pw.motion(FILES / "walk.npz")


def test_a_figure_in_yaml():
    figure, built = pw.figure(FILES / "arm4.yaml"), pw.figure("arm4")
    assert figure.dof_names == built.dof_names
    assert figure.is_like(built)


def test_a_motion():
    motion = walk()
    assert (len(motion), motion.fps, motion.name, motion.notes) == (8, 10.0, "two steps", ("made by the catalogue",))
    np.testing.assert_array_equal(motion.q[5], BEFORE["walk.npz"])
    assert motion.figure.is_like(pw.figure("human40"))


def test_a_motion_written_as_bvh():
    motion = pw.motion(FILES / "walk.bvh")
    place = pw.figures.kinematics.site_frames(motion.figure, motion.q[1], ["left_wrist"]).points[0]
    np.testing.assert_allclose(place, BEFORE["walk.bvh"], atol=1e-5)


@pytest.mark.parametrize("name", ["dance.csv", "dance.npz"])
def test_a_motion_of_a_robot(name):
    motion = pw.motion(FILES / name, skeleton=FILES / "walker.urdf" if name.endswith("csv") else None)
    assert len(motion) == 5
    assert motion.fps == pytest.approx(50.0)
    np.testing.assert_allclose(motion.q[-1], BEFORE["dance"], atol=1e-6)


def test_a_match_of_joints():
    match = pw.JointMatch.load(FILES / "human40_norman.match.yaml", pw.figure("human40"), pw.figure("norman"))
    for part, (source, target) in BEFORE["human40_norman.match.yaml"].items():
        assert list(match.source.parts[part]) == source
        assert list(match.target.parts[part]) == target


def test_a_motion_model_and_a_motion_in_its_coordinates():
    model, before = pw.MotionModel.load(FILES / "jumps.model.npz"), BEFORE["jumps.model.npz"]
    assert (model.n_modes, model.n_frames, list(model.clips)) == (before["modes"], before["frames"], before["clips"])
    latent, before = pw.models.Latent.load(FILES / "jump.latent.npz", model), BEFORE["jump.latent.npz"]
    np.testing.assert_array_equal(latent.x, before["x"])
    np.testing.assert_allclose(model.decode(latent).q[-1], before["last"], atol=1e-9)


def test_a_posture_database():
    postures, before = pw.Postures.open(FILES / "people.postures"), BEFORE["people.postures"]
    assert (len(postures), postures.n_read) == (before["count"], before["frames"])
    np.testing.assert_array_equal(postures.q[3], before["third"])


@pytest.mark.parametrize("name", TASKS)
def test_a_task(name):
    task, before = load_task(FILES / name), BEFORE[name]
    problem = task.problem
    assert task.solver_name == before["solver"]
    assert [[goal.label, goal.weight, goal.priority] for goal in problem.goals] == before["goals"]
    assert [constraint.name for constraint in problem.constraints] == before["constraints"]
    assert list(problem.frozen) == before["frozen"]
    np.testing.assert_allclose(task.start.q, before["start"], atol=1e-9)
    if before["reached"]:
        assert task.solver.solve(problem, start=task.start).reached


def test_an_edit():
    motion, before = walk(), BEFORE["lift.edit.yaml"]
    task = load_edit(FILES / "lift.edit.yaml", motion)
    settings = task.settings["limits"], task.settings["max_deviation"]
    assert (len(task.goals), *settings) == (before["keys"], before["limits"], before["farthest"])
    assert task.notes == (f"{task.path}: farthest is now called max_deviation",)
    made = pw.edit(motion, task.goals, **task.settings).motion
    place = pw.figures.kinematics.site_frames(made.figure, made.q[4], ["left_hand"]).points[0]
    np.testing.assert_allclose(place, before["left_hand"], atol=1e-3)
