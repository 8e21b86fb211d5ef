"""What task and edit files add to their figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import posewright as pw
from posewright import clips, figure
from posewright.errors import FileProblem
from posewright.tasks import load_edit, load_task

HAND = "goals:\n- {kind: position, site: left_wrist, target: [0.3, 1.2, 0.3]}\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "task.yaml"
    path.write_text(text)
    return path


def test_sites_can_be_goals(tmp_path: Path) -> None:
    task = load_task(written(tmp_path, (
        "figure: human\nsites: {spot: {joint: left_elbow, point: [0, -0.1, 0.03]}}\n"
        "goals:\n- {kind: position, site: spot, target: start}\n"
    )))  # fmt: skip
    assert task.problem.figure.site("spot").point == (0.0, -0.1, 0.03)
    assert task.solver.solve(task.problem, task.start).reached


def test_rigidities_keep_joints_still(tmp_path: Path) -> None:
    task = load_task(written(tmp_path, f"figure: human\nrigidity: {{L5..T1: 1, left_elbow.flexion: 0.5}}\n{HAND}"))
    body = task.problem.figure
    assert body.rigidity[body.dof_index("left_elbow.flexion")] == 0.5
    result = task.solver.solve(task.problem, task.start)
    spine = [body.dof_slice(name) for name in body.joint_names if name.startswith(("L", "T")) and name[1:].isdigit()]
    assert all((result.q[one] == task.start.q[one]).all() for one in spine)


def test_some_groups_and_released_constraints(tmp_path: Path) -> None:
    body = figure("human")
    group, constraint = body.groups[0].name, body.constraints[0].name.partition("[")[0]
    task = load_task(written(tmp_path, f"figure: human\nspace: {{groups: [{group}]}}\nrelease: [{constraint}]\n{HAND}"))
    assert [one.name for one in task.problem.figure.groups] == [group]
    assert len(task.problem.figure.constraints) < len(body.constraints)


def test_radians_are_exact(tmp_path: Path) -> None:
    task = load_task(
        written(tmp_path, f"figure: human\nstart: {{unit: radians, values: {{head.axial: {1 / 3}}}}}\n{HAND}")
    )
    assert task.start["head.axial"] == 1 / 3


def test_soles_are_known_on_every_body(tmp_path: Path) -> None:
    clips.walk(figure("human40")).save(tmp_path / "walk.bvh")
    task = load_task(
        written(tmp_path, "figure: walk.bvh\ngoals:\n- {kind: position, site: left_sole, target: start}\n")
    )
    assert task.solver.solve(task.problem, task.start).reached


def test_edits_add_sites(tmp_path: Path) -> None:
    walk = clips.walk(figure("human40"))
    task = load_edit(written(tmp_path, (
        "sites: {spot: {joint: left_elbow, point: [0, -0.1, 0.03]}}\n"
        "keys:\n- {frame: 3, goal: {kind: move, site: spot, by: [0, 0.1, 0]}}\n"
    )), walk)  # fmt: skip
    np.testing.assert_allclose(task.goals[0].goal.place, task.motion.pose(3).point("spot") + np.array([0, 0.1, 0]))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sites: {spot: {joint: left_elbw, point: [0, 0, 0]}}", "line 2: sites.spot.joint"),
        ("sites: {spot: {joint: left_elbow, point: [0, 0]}}", "sites.spot.point"),
        ("sites: {spot: {joint: left_elbow, point: [0, 0, 0], x: [0, 0, 0]}}", "must have a direction"),
        ("rigidity: {left_elbow: 2}", "rigidity.left_elbow"),
        ("release: [left_shoulder]", "no constraint 'left_shoulder'"),
        ("space: {groups: [spin]}", "no joint group 'spin'"),
        ("start: {unit: turns, values: {}}", "start.unit"),
    ],
)
def test_mistakes_have_line_and_field(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(FileProblem) as error:
        load_task(written(tmp_path, f"figure: human\n{text}\n{HAND}"))
    assert says in str(error.value)


def test_a_recorded_body_without_masses_has_a_centre_of_mass_in_files(tmp_path: Path) -> None:
    clips.walk(figure("human40"), fps=30.0).save(tmp_path / "walk.bvh")
    motion = pw.motion(tmp_path / "walk.bvh")
    assert not any(joint.mass for joint in motion.figure.joints)
    site = motion.figure.anatomy.parts["left_ankle"][-1]
    text = f"goals:\n- {{kind: centre_of_mass, target: {site}}}\n"
    task = load_task(written(tmp_path, f"figure: walk.bvh\n{text}"))
    assert task.solver.solve(task.problem, task.start).reached
    edit = load_edit(
        written(tmp_path, f"keys:\n- {{frame: 20, goal: {{kind: centre_of_mass, target: {site}}}}}\n"), motion
    )
    assert sum(joint.mass for joint in edit.motion.figure.joints) > 0.0
    lone = written(tmp_path, f"keys:\n- {{frame: 20, goal: {{kind: position, site: {site}, target: [0, 0, 0]}}}}\n")
    assert load_edit(lone, motion).motion is motion
