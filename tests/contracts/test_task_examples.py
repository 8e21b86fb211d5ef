"""What is promised of the task files in examples/tasks: every goal kind occurs, and every task is solved as it says."""

import re
import typing
from pathlib import Path

import numpy as np
import pytest
import yaml

import posewright as pw
from posewright.problem.feasible import feasible_region
from posewright.tasks.goals import AnyGoal

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "tasks").glob("*.yaml"))


def kinds_known() -> set[str]:
    def tags(annotation: object) -> set[str]:
        found = {part.tag.strip("<>") for part in typing.get_args(annotation) if hasattr(part, "tag")}
        return found.union(*(tags(part) for part in typing.get_args(annotation)))

    return tags(AnyGoal) - {"word", "other"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_reached_within_all_limits(path):
    task = pw.tasks.load_task(path)
    result = task.solver.solve(task.problem, task.start)
    assert result.reached, result
    assert task.notes == ()
    region = feasible_region(task.problem)
    assert region.violation(task.problem.space.encode(result.q)) <= 1e-9


def test_every_goal_kind_has_an_example():
    used = {goal["kind"] for path in EXAMPLES for goal in yaml.safe_load(path.read_text())["goals"]}
    assert used == kinds_known()
    assert len(used) == 13


def test_every_kind_of_space_and_constraint_has_an_example():
    tasks = [yaml.safe_load(path.read_text()) for path in EXAMPLES]
    assert {str(type(task.get("space", "all")).__name__) for task in tasks} == {"str", "dict"}
    constraints = {row["kind"] for task in tasks for row in task.get("constraints", ())}
    assert constraints == {"linear", "polygon", "coupled"}


def test_the_hands_meet_and_the_fingers_stay_coupled():
    task = pw.tasks.load_task(ROOT / "examples" / "tasks" / "pinch.yaml")
    pose = task.solver.solve(task.problem, task.start).pose
    assert pose["ring_base.flexion"] - pose["middle_base.flexion"] == pytest.approx(np.radians(5), abs=1e-9)
    assert pose["forearm.flexion"] == task.start["forearm.flexion"]


def test_the_yaml_of_the_documentation_loads_and_its_table_is_complete(tmp_path):
    text = (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", text, flags=re.DOTALL)
    whole = [block for block in blocks if block.lstrip("# ").startswith("figure") or "\nfigure:" in block]
    assert whole
    for block in whole:
        path = tmp_path / "task.yaml"
        path.write_text(block)
        task = pw.tasks.load_task(path)
        assert task.solver.solve(task.problem, task.start).reached
    for block in set(blocks) - set(whole):  # pieces of a task: they must fit into one
        path = tmp_path / "piece.yaml"
        goals = "" if "goals:" in block else "goals: [{kind: position, site: right_hand, target: [-0.3, 1.2, 0.4]}]\n"
        path.write_text("figure: human\n" + goals + block)
        pw.tasks.load_task(path)
    rows = set(re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE))
    assert kinds_known() <= rows
