"""`posewright pose`: what it prints, writes and returns."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import posewright as pw
from posewright.cli.answers import readable_time
from posewright.cli.app import command_line
from posewright.errors import FileProblem, MissingExtra, UnknownName
from posewright.figures.kinematics import site_frames

TASK = """
figure: human40
goals:
  - {kind: position, site: right_hand, target: [-0.3, HEIGHT, 0.4]}
  - {kind: placement, site: left_sole, target: [0.095, 0, 0.04], x: forward, y: up}
"""


@pytest.fixture
def reach(tmp_path: Path) -> Path:
    path = tmp_path / "reach.yaml"
    path.write_text(TASK.replace("HEIGHT", "1.2"))
    return path


@pytest.fixture
def too_high(tmp_path: Path) -> Path:
    path = tmp_path / "too_high.yaml"
    path.write_text(TASK.replace("HEIGHT", "9.0"))
    return path


def run(*arguments: object):
    return CliRunner().invoke(command_line, ["pose", *map(str, arguments)])


def test_a_reached_pose_is_a_table_and_exit_code_0(reach):
    result = run(reach)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["goal", "error", "tolerance"]
    assert [line.split("  ")[0] for line in lines[1:4]] == ["right_hand", "left_sole position", "left_sole orientation"]
    assert all(line.rstrip().endswith("reached") for line in lines[1:4])
    assert lines[4].startswith("all goals reached · least_squares, ")


def test_a_missed_goal_is_named_and_exit_code_1(too_high):
    result = run(too_high)
    assert result.exit_code == 1
    assert "missed: right_hand" in result.stdout
    assert " m " in result.stdout  # metres, not thousands of millimetres


def test_why_a_goal_was_missed_is_told_when_asked(too_high, reach):
    told = [line for line in run(too_high, "--why").stdout.splitlines() if " missed by " in line]
    assert told[0].startswith("right_hand missed by ")
    assert "lost to left_sole (weight 1 against 1)" in told[0]
    assert " missed by " not in run(too_high).stdout
    assert " missed by " not in run(reach, "--why").stdout
    (answer,) = json.loads(run(too_high, "--json", "--why").stdout)["answers"]
    assert answer["why"][0]["goal"] == "right_hand"
    assert answer["why"][0]["text"] == told[0]
    assert answer["why"][0]["rivals"]["left_sole"] == pytest.approx(1.0, abs=0.2)
    assert json.loads(run(reach, "--json", "--why").stdout)["answers"][0]["why"] == []


def test_doubts_about_the_task_are_printed(reach):
    reach.write_text(reach.read_text() + "frozen: [pelvis..right_wrist]\n")
    assert run(reach).stdout.count("note 'right_hand' cannot be met") == 1


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz"])
def test_the_pose_is_written_in_every_format(reach, tmp_path, suffix):
    out = tmp_path / f"pose{suffix}"
    result = run(reach, "-o", out)
    assert f"wrote {out}" in result.stdout
    loaded = pw.formats.load(out)
    pose = pw.Pose.rest(loaded) if isinstance(loaded, pw.Figure) else loaded.pose(0)
    wrist = site_frames(pose.figure, pose.q, ["right_wrist"]).points[0]
    task = pw.tasks.load_task(reach)
    wanted = task.solver.solve(task.problem, task.start).pose
    np.testing.assert_allclose(wrist, site_frames(wanted.figure, wanted.q, ["right_wrist"]).points[0], atol=1e-4)


def test_a_pose_file_is_where_the_next_task_may_start(reach, tmp_path):
    run(reach, "-o", tmp_path / "pose.yaml")
    reach.write_text(reach.read_text() + "start: {file: pose.yaml}\n")
    found = json.loads(run(reach, "--json").stdout)
    assert found["answers"][0]["reached"]
    assert found["answers"][0]["iterations"] == 0


def test_json_has_everything_in_radians_and_metres(reach):
    found = json.loads(run(reach, "--json").stdout)
    task = pw.tasks.load_task(reach)
    answer = found["answers"][0]
    solved = task.solver.solve(task.problem, task.start)
    assert answer["pose"] == dict(zip(task.problem.figure.dof_names, solved.q.tolist(), strict=True))
    assert [goal["unit"] for goal in answer["goals"]] == ["m", "m", "rad"]
    assert answer["limits_at_bound"] >= 0


def test_comparing_runs_every_solver(reach, tmp_path):
    from posewright.solvers.registry import SOLVERS

    out = tmp_path / "all.png"
    result = run(reach, "--compare", "-o", out)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    heading = " ".join(lines[:3]).split()  # words wrap, none is cut short
    assert sorted(heading) == sorted(word for name in SOLVERS for word in name.split("_"))
    assert {"right_hand", "reached", "iterations", "time", "limits"} <= {line.split()[0] for line in lines[1:]}
    from PIL import Image

    with Image.open(out) as image:
        assert image.size == (640 * ((len(SOLVERS) + 1) // 2), 2 * 640)
        assert np.asarray(image).std() > 5.0


def test_no_number_of_a_comparison_is_cut_short(reach, monkeypatch):
    """Names of goals may be long and terminals narrow."""
    monkeypatch.setenv("COLUMNS", "40")
    name = "the handle of the door on the right"
    reach.write_text(reach.read_text().replace("kind: position,", f"kind: position, name: {name},"))
    (row,) = [line for line in run(reach, "--compare").stdout.splitlines() if line.startswith("the ")]
    assert row.removeprefix(name).split()[1::2] == ["mm"] * 6


def test_a_comparison_shows_missed_goals_in_red_and_reached_ones_of_the_same_error_not(tmp_path):
    path = tmp_path / "twice.yaml"
    goal = "  - {kind: position, site: right_hand, target: [-0.3, 9.0, 0.4], name: NAME, tolerance: TOLERANCE}\n"
    goals = [goal.replace("NAME", name).replace("TOLERANCE", t) for name, t in (("strict", "0.001"), ("loose", "50"))]
    path.write_text(TASK.replace("HEIGHT", "9.0") + "".join(goals))
    shown = CliRunner().invoke(command_line, ["pose", str(path), "--compare"], color=True).stdout.splitlines()
    (strict,) = [line for line in shown if line.startswith("strict")]
    (loose,) = [line for line in shown if line.startswith("loose")]
    assert "\x1b[31m" in strict
    assert "\x1b[" not in loose
    assert loose.split()[1] in strict


def test_long_times_are_seconds():
    assert [readable_time(seconds) for seconds in (2e-5, 0.25, 1.6, 16.42, 640.0)] == [
        "0.02 ms", "250 ms", "1.6 s", "16 s", "640 s",
    ]  # fmt: skip


def test_bad_input_is_one_sentence(reach, tmp_path):
    assert isinstance(run(tmp_path / "nothing.yaml").exception, FileProblem)
    wrong = run(reach, "-o", tmp_path / "pose.fbx").exception
    assert isinstance(wrong, FileProblem)
    assert "cannot write a pose with suffix '.fbx'" in str(wrong)
    assert isinstance(run(reach, "--solver", "newton").exception, UnknownName)


def test_another_solver_may_be_asked_for(reach):
    assert "· prioritized, " in run(reach, "--solver", "Prioritized").stdout


@pytest.mark.parametrize("name", ["scipy", "nlopt"])
def test_optimisers_of_others_go_by_their_names(reach, name):
    result = run(reach, "--solver", name)
    assert result.exit_code == 0
    assert f"· {name}, " in result.stdout


def test_settings_of_a_solver_in_a_task_choose_its_method(reach):
    reach.write_text(reach.read_text() + "solver: {name: scipy, settings: {method: trust-constr}}\n")
    assert pw.tasks.load_task(reach).solver == pw.Scipy(method="trust-constr")


def test_a_solver_that_is_not_installed_is_told_and_left_out_of_a_comparison(reach, monkeypatch):
    monkeypatch.setattr("posewright.solvers.external.nlopt.find_spec", lambda _: None)
    assert isinstance(run(reach, "--solver", "nlopt").exception, MissingExtra)
    compared = run(reach, "--compare")
    assert compared.exit_code == 0
    assert "nlopt" not in compared.stdout.splitlines()[0].split()
    assert "note the solver nlopt needs nlopt, which is not installed" in compared.stdout


def test_an_interrupted_search_still_writes_its_best_pose(reach, tmp_path, monkeypatch):
    solve = pw.LeastSquares.solve

    def interrupted(self, problem, start=None):
        result = solve(self, problem, start)
        result.stopped = "interrupted"
        return result

    monkeypatch.setattr(pw.LeastSquares, "solve", interrupted)
    out = tmp_path / "best.bvh"
    assert run(reach, "-o", out).exit_code == 130
    assert out.exists()


def test_a_folder_is_not_written_over(reach, tmp_path):
    folder = tmp_path / "folder.bvh"
    folder.mkdir()
    problem = run(reach, "-o", folder).exception
    assert isinstance(problem, FileProblem)
    assert "cannot write here: it is a folder" in str(problem)


HAND = "goals: [{kind: position, site: right_hand, target: [-0.3, 1.2, 0.4]}]\n"
BEND = "constraints: [{kind: polygon, name: bend, dofs: [waist.flexion, waist.lateral], corners: CORNERS}]\n"
APART = "  - {kind: linear, name: NAME, sum: {left_knee.flexion: 1, right_knee.flexion: -1}, equals: NUMBER}\n"
BAD = {
    "unknown site": ("goals: [{kind: aim, site: veiw, target: [0, 1, 9]}]\n", "did you mean 'view'?"),
    "zero normal": (
        "goals: [{kind: plane, site: view, point: [0, 1, 0], normal: [0, 0, 0]}]\n",
        "goals[0].normal is [0, 0, 0]; it must have a direction",
    ),
    "negative weight": (
        "goals: [{kind: aim, site: view, target: [0, 1, 9], weight: -2}]\n",
        "goals[0].weight is -2; it must be",
    ),
    "NaN target": (
        "goals: [{kind: aim, site: view, target: [0, .nan, 9]}]\n",
        "goals[0].target[1] is nan; it must be a finite number",
    ),
    "clockwise polygon": (
        HAND + BEND.replace("CORNERS", "[[0, 0], [0, 9], [9, 0]]"),
        "the corners of polygon 'bend' run clockwise",
    ),
    "non-convex polygon": (
        HAND + BEND.replace("CORNERS", "[[0, 0], [9, 0], [2, 2], [0, 9]]"),
        "polygon 'bend' is not convex",
    ),
    "conflicting equalities": (
        HAND
        + "constraints:\n"
        + APART.replace("NAME", "near").replace("NUMBER", "10")
        + APART.replace("NAME", "far").replace("NUMBER", "20"),
        "no pose keeps all constraints; these conflict: ",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_task_is_one_sentence_and_exit_code_2(posewright, tmp_path, case):
    text, words = BAD[case]
    path = tmp_path / "bad.yaml"
    path.write_text("figure: human40\n" + text)
    done = posewright("pose", path)
    assert done.returncode == 2
    assert not done.stdout
    assert done.stderr.startswith(f"posewright: {path}, line ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_goal_on_a_frozen_chain_is_told_with_its_result(posewright, tmp_path):
    path = tmp_path / "frozen.yaml"
    path.write_text("figure: human40\n" + HAND + "frozen: [pelvis..right_wrist]\n")
    done = posewright("pose", path)
    assert done.returncode == 1
    assert "missed: right_hand (nothing to do)" in done.stdout
    assert "'right_hand' cannot be met: its chain is frozen" in done.stdout
