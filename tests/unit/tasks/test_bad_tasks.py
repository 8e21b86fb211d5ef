"""Bad task files, one by one: each is one sentence that names the file, the line, the field and what is accepted."""

import os
import re
import sys
from pathlib import Path

import pytest

from posewright.errors import FileProblem, Infeasible
from posewright.tasks import load_task

REACH = "goals: [{kind: position, site: right_hand, target: [-0.3, 1.2, 0.4]}]\n"
HUMAN = "figure: human40\n"


def goal(text: str) -> str:
    return f"{HUMAN}goals:\n  - {text}\n"


def constraint(text: str) -> str:
    return f"{HUMAN}{REACH}constraints:\n  - {text}\n"


BAD = {
    # not a task at all
    "empty": ("", "it holds nothing, not fields such as figure and goals"),
    "a list": ("- 1\n", "it holds a list"),
    "a word": ("walk", "it holds a str"),
    "not yaml": ("figure: [human\n", "line 2: is not YAML"),
    "not text": (b"\xff\xfe\x00\x01", "byte 0 is not UTF-8 text"),
    "junk": (b"x" * 10_000_000, "is 10,000,000 bytes long; at most 1,000,000 are read"),
    "bomb": ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "line 2: uses a YAML alias; write the value out"),
    "nested": ("a: " + "[" * 100 + "]" * 100, "is nested too deeply for a task file"),
    "key twice": (HUMAN + "figure: human\n" + REACH, "line 2: has the field 'figure' twice"),
    "python object": ("figure: !!python/object:os.system x\n", "line 1: uses the YAML tag 'tag:yaml.org"),
    # the file's own fields
    "unknown key": ("figur: human40\n" + REACH, "the file has no field 'figur'; did you mean 'figure'?"),
    "no figure": (REACH, "the file lacks the field 'figure'"),
    "no goals": (HUMAN, "the file lacks the field 'goals'"),
    "goals not a list": (HUMAN + "goals: 3\n", "line 2: goals is 3; it must be a list"),
    "unknown figure": ("figure: humn40\n" + REACH, "line 1: figure: 'humn40' is neither a file nor a figure"),
    "missing figure file": (
        "figure: dancer.bvh\n" + REACH,
        "figure is 'dancer.bvh'; it must be a file beside the task",
    ),
    "units": (HUMAN + "units: {angle: radians}\n" + REACH, "units.angle is 'radians'; it must be 'degrees'"),
    "unknown space": (
        HUMAN + "space: al\n" + REACH,
        "space is 'al'; it must be 'all' or 'grouped', or a mapping of chain",
    ),
    "setting for Python": (
        HUMAN + REACH + "solver: {name: sequential_monte_carlo, settings: {drift: rest}}\n",
        "line 3: solver.settings: drift of solver sequential_monte_carlo can only be set in Python. Known: particles,",
    ),
    "setting with settings of its own": (
        HUMAN + REACH + "solver: {settings: {tracking: 1}}\n",
        "solver.settings: tracking of solver least_squares can only be set in Python. Known: max_iterations, restarts",
    ),
    "unknown joint in chain": (
        HUMAN + "space: {chain: [right_elbo]}\n" + REACH,
        "space.chain[0] is 'right_elbo'; it must be a joint of figure 'human40'; did you mean 'right_elbow'?",
    ),
    "range against the tree": (
        HUMAN + "space: {chain: [right_wrist..right_shoulder]}\n" + REACH,
        "joint 'right_wrist' is not above 'right_shoulder'",
    ),
    "unknown start": (
        HUMAN + "start: zero\n" + REACH,
        "start is 'zero'; it must be 'rest', or a mapping of file, frame, values",
    ),
    "start a file's name": (
        HUMAN + "start: walk.bvh\n" + REACH,
        "start is 'walk.bvh'; it must be 'rest', or a mapping of file, frame, values",
    ),
    "reference a file's name": (
        goal("{kind: posture, reference: pose.yaml}"),
        "goals[0].reference is 'pose.yaml'; it must be 'start' or 'rest', or a mapping of file, frame, values",
    ),
    "one joint, not in a list": (
        goal("{kind: position, site: head, target: [0, 1, 0], joints: neck}"),
        "goals[0].joints is 'neck'; it must be 'limb', 'limb+spine' or 'whole', or a list",
    ),
    "another figure's pose by a file's name": (
        goal("{kind: position, site: head, target: {figure: human, site: head, pose: walk.bvh}}"),
        "but pose is 'walk.bvh'; it must be 'rest', or a mapping of file, frame, values",
    ),
    "start with unknown dof": (
        HUMAN + "start: {values: {left_elbow.flexio: 90}}\n" + REACH,
        "start.values.left_elbow.flexio is 'left_elbow.flexio'; it must be a dof of figure 'human40'; "
        "did you mean 'left_elbow.flexion'?",
    ),
    "start from nowhere": (HUMAN + "start: {file: x.npz}\n" + REACH, "start.file is 'x.npz'; it must be a file beside"),
    "unknown frozen joint": (HUMAN + REACH + "frozen: [pelvi]\n", "frozen[0] is 'pelvi'; it must be a joint"),
    "unknown solver": (HUMAN + REACH + "solver: LeastSquare\n", "it must be a solver; did you mean"),
    "unknown setting": (
        HUMAN + REACH + "solver: {name: LeastSquares, settings: {max_iteration: 3}}\n",
        "line 3: solver.settings: solver least_squares has no setting 'max_iteration'; did you mean 'max_iterations'?",
    ),
    "setting of a wrong type": (
        HUMAN + REACH + "solver: {name: LeastSquares, settings: {restarts: many}}\n",
        "restarts of solver least_squares is 'many'; it must be a valid integer",
    ),
    "negative setting": (
        HUMAN + REACH + "solver: {name: LeastSquares, settings: {restarts: -1}}\n",
        "restarts of solver least_squares is -1; it must be finite and not negative",
    ),
    "setting that is a list": (
        HUMAN + REACH + "solver: {name: LeastSquares, settings: {restarts: [1]}}\n",
        "solver.settings.restarts is [1]; it must be a number, a word, true or false",
    ),
    "seed too large": (
        HUMAN + REACH + "solver: {name: LeastSquares, settings: {seed: 99999999999999999999}}\n",
        "seed of LeastSquares must be a whole number at least 0, below 2^63",
    ),
    "start that is a list": (HUMAN + REACH + "start: [1, 2]\n", "start is [1, 2]; it must be a mapping"),
    "frame of no file": (HUMAN + REACH + "start: {frame: 3}\n", "it has a frame, but no motion file to take it from"),
    "figure of a strange kind": ("figure: bad.yaml\n" + REACH, "is not a figure file"),
    # goals
    "goal without kind": (goal("{site: right_hand}"), "line 3: goals[0] lacks the field 'kind'"),
    "goal that is a word": (goal("reach"), "goals[0] lacks the field 'kind', or is not a mapping"),
    "unknown kind": (goal("{kind: positon, site: right_hand}"), "goals[0].kind is 'positon', which is not accepted"),
    "unknown goal key": (
        goal("{kind: position, site: right_hand, target: [0, 1, 0], wieght: 2}"),
        "line 3: goals[0] has no field 'wieght'; did you mean 'weight'?",
    ),
    "unknown site": (
        goal("{kind: position, site: rigth_hand, target: [0, 1, 0]}"),
        "line 3: goals[0].site is 'rigth_hand'; it must be a site or a joint of figure 'human40'; "
        "did you mean 'right_hand'?",
    ),
    "unknown target site": (
        goal("{kind: aim, site: view, target: left_han}"),
        "goals[0].target is 'left_han'; it must be",
    ),
    "target of two": (goal("{kind: position, site: view, target: [0, 1]}"), "goals[0].target has only 2 entries"),
    "NaN target": (
        goal("{kind: position, site: view, target: [0, .nan, 0]}"),
        "line 3: goals[0].target[1] is nan; it must be a finite number",
    ),
    "infinite target": (goal("{kind: position, site: view, target: [0, .inf, 0]}"), "it must be a finite number"),
    "word as number": (goal("{kind: position, site: view, target: [0, high, 0]}"), "goals[0].target[1] is 'high'"),
    "yes as number": (goal("{kind: position, site: view, target: [0, yes, 0]}"), "goals[0].target[1] is True"),
    "zero normal": (
        goal("{kind: plane, site: view, point: [0, 1, 0], normal: [0, 0, 0]}"),
        "line 3: goals[0].normal is [0, 0, 0]; it must have a direction",
    ),
    "unknown direction": (
        goal("{kind: plane, site: view, point: [0, 1, 0], normal: upp}"),
        "goals[0].normal is 'upp'; it must be three numbers or a word; did you mean 'up'?",
    ),
    "negative weight": (
        goal("{kind: position, site: view, target: [0, 1, 0], weight: -1}"),
        "goals[0].weight is -1; it must be greater than or equal to 0",
    ),
    "zero tolerance": (
        goal("{kind: position, site: view, target: [0, 1, 0], tolerance: 0}"),
        "goals[0].tolerance is 0; it must be greater than 0",
    ),
    "priority zero": (goal("{kind: position, site: view, target: [0, 1, 0], priority: 0}"), "goals[0].priority is 0"),
    "tolerance of a placement": (
        goal("{kind: placement, site: view, target: [0, 1, 0], x: up, tolerance: 1}"),
        "goals[0] has no field 'tolerance'",
    ),
    "orientation of nothing": (
        goal("{kind: orientation, site: view}"),
        "goals[0]: Orientation 'view' needs exactly one of",
    ),
    "parallel directions": (goal("{kind: orientation, site: view, x: up, y: down}"), "are parallel"),
    "a quaternion of another length": (
        goal("{kind: orientation, site: view, wxyz: [1, 1, 0, 0]}"),
        "line 3: goals[0]: the wxyz of Orientation 'view' must be a unit quaternion wxyz, got one of length 1.41",
    ),
    "three numbers for a quaternion": (
        goal("{kind: orientation, site: view, wxyz: [1, 0, 0]}"),
        "goals[0].wxyz has only 3 entries",
    ),
    "two rotations": (
        goal("{kind: orientation, site: view, wxyz: [1, 0, 0, 0], x: up}"),
        "needs exactly one of: directions x and/or y, wxyz, matrix, like; got wxyz and x",
    ),
    "recruiting": (
        goal("{kind: position, site: view, target: [0, 1, 0], joints: leg}"),
        "goals[0].joints is 'leg'; it must be 'limb', 'limb+spine' or 'whole'",
    ),
    "same name twice": (
        f"{HUMAN}goals:\n" + 2 * "  - {kind: position, site: view, target: [0, 1, 0]}\n",
        "two goals are called 'view'; give one of them another name",
    ),
    "empty any_of": (goal("{kind: any_of, members: []}"), "goals[0].members has 0 entries; it must have at least 1"),
    "site of another figure that it lacks": (
        goal("{kind: position, site: left_hand, target: {figure: human22, site: left_hnd}}"),
        "goals[0].target is a mapping; it names a site of another figure, but site is 'left_hnd'; it must be a site or",
    ),
    "another figure that does not exist": (
        goal("{kind: position, site: left_hand, target: {figure: humn22, site: left_hand}}"),
        "but 'humn22' is neither a file nor a figure of the catalogue; did you mean 'human22'?",
    ),
    "another figure in a file that is not there": (
        goal("{kind: position, site: left_hand, target: {figure: partner.bvh, site: left_hand}}"),
        "but figure is 'partner.bvh'; it must be a file beside the task",
    ),
    "a mapping that is no site": (
        goal("{kind: position, site: left_hand, target: {x: 1, y: 2, z: 3}}"),
        "it names a site of another figure, but",
    ),
    "like numbers": (
        goal("{kind: orientation, site: left_hand, like: [[1, 0, 0], [0, 1, 0]]}"),
        "goals[0].like is [[1, 0, 0], [0, 1, 0]]; it must be the name of a site, start, or a mapping of figure",
    ),
    "like the start and a direction": (
        goal("{kind: orientation, site: left_hand, like: start, x: up}"),
        "needs either directions x and y, or like",
    ),
    "aim at the start": (
        goal("{kind: aim, site: view, target: start}"),
        "goals[0].target is 'start'; it must be a site",
    ),
    "polygon that crosses itself": (
        constraint(
            "{kind: polygon, name: p, dofs: [left_wrist.flexion, left_wrist.deviation], "
            "corners: [[0, 10], [-6, -8], [9.5, 3], [-9.5, 3], [6, -8]]}"
        ),
        "constraints[0]: polygon 'p' is not convex",
    ),
    "frozen against a constraint": (
        constraint("{kind: linear, name: hips, sum: {left_hip.flexion: 1, right_hip.flexion: 1}, equals: 50}")
        + "frozen: [left_hip, right_hip]\n",
        "constraints: no pose keeps all constraints; these conflict: ",
    ),
    "smoothness of what does not move": (goal("{kind: smoothness, chain: [neck, head]}"), "its joints have no dofs"),
    "any_of posture": (goal("{kind: any_of, members: [{kind: posture}]}"), "goals[0].members[0].kind is 'posture'"),
    "weight of a member": (
        goal("{kind: any_of, members: [{kind: position, site: view, target: [0, 1, 0], weight: 2}]}"),
        "goals[0] is a mapping; it has a member with its own weight",
    ),
    "flat box": (
        goal("{kind: outside, site: view, box: [[0, 0, 0], [1, 1, 0]]}"),
        "goals[0]: the box of Outside 'view outside' is flat",
    ),
    "outside of nothing": (goal("{kind: outside, site: view}"), "needs either a box (two opposite corners) or faces"),
    "smoothness of one": (goal("{kind: smoothness, chain: [waist]}"), "must be at least two joints"),
    "smoothness of strangers": (goal("{kind: smoothness, chain: [waist, right_knee]}"), "do not turn in the same way"),
    "posture weights": (
        goal("{kind: posture, weights: {left_elbo: 2}}"),
        "it must be a joint or dof of figure 'human40'; did you mean 'left_elbow'?",
    ),
    "posture weight below zero": (goal("{kind: posture, weights: {left_elbow: -2}}"), "weights.left_elbow is -2"),
    # constraints
    "unknown constraint": (constraint("{kind: liner, name: a}"), "constraints[0].kind is 'liner', which is not"),
    "unknown dof": (
        constraint("{kind: coupled, name: a, follower: left_elbow.bend, leader: right_elbow.flexion, ratio: 1}"),
        "line 4: constraints[0].follower is 'left_elbow.bend'; it must be a dof",
    ),
    "clockwise polygon": (
        constraint("{kind: polygon, name: p, dofs: [waist.flexion, waist.lateral], corners: [[0, 0], [0, 9], [9, 0]]}"),
        "line 4: constraints[0]: the corners of polygon 'p' run clockwise; list them counter-clockwise",
    ),
    "non-convex polygon": (
        constraint(
            "{kind: polygon, name: p, dofs: [waist.flexion, waist.lateral], corners: [[0, 0], [9, 0], [2, 2], [0, 9]]}"
        ),
        "constraints[0]: polygon 'p' is not convex",
    ),
    "polygon of two": (
        constraint("{kind: polygon, name: p, dofs: [waist.flexion, waist.lateral], corners: [[0, 0], [9, 0]]}"),
        "polygon 'p' has 2 corners; it needs at least 3",
    ),
    "no bounds": (constraint("{kind: linear, name: a, sum: {waist.flexion: 1}}"), "it must have equals, or lower or"),
    "crossed bounds": (
        constraint("{kind: linear, name: a, sum: {waist.flexion: 1}, lower: 9, upper: 3}"),
        "has a lower bound of 9 above its upper bound of 3",
    ),
    "mixed units": (
        constraint("{kind: linear, name: a, sum: {waist.flexion: 1, pelvis.ty: 1}, upper: 3}"),
        "constraint 'a' mixes angles and slides",
    ),
    "beyond the limits": (
        constraint("{kind: linear, name: stoop, sum: {waist.flexion: 1}, lower: 170}"),
        "constraints: no pose keeps all constraints; these conflict: stoop",
    ),
    "two of one name": (
        constraint("{kind: linear, name: a, sum: {waist.flexion: 1}, lower: 0}")
        + "  - {kind: linear, name: a, sum: {waist.flexion: 1}, upper: 9}\n",
        "line 5: constraints[1]: two constraints are called 'a', including those of the figure; rename one of them",
    ),
}


@pytest.mark.parametrize(("content", "words"), BAD.values(), ids=BAD.keys())
def test_a_bad_task_is_one_sentence(tmp_path: Path, content: str | bytes, words: str):
    path = tmp_path / "bad.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FileProblem) as caught:
        load_task(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_equalities_in_conflict_are_named(tmp_path):
    text = constraint("{kind: coupled, name: same, follower: left_knee.flexion, leader: right_knee.flexion, ratio: 1}")
    text += (
        "  - {kind: linear, name: apart, sum: {left_knee.flexion: 1, right_knee.flexion: -1}, equals: 20}\n"
        "  - {kind: linear, name: harmless, sum: {waist.flexion: 1, waist.lateral: 1}, upper: 20}\n"
    )
    path = tmp_path / "conflict.yaml"
    path.write_text(text)
    with pytest.raises(FileProblem, match=r"line 4: constraints: no pose keeps all .* same") as caught:
        load_task(path)
    assert "apart" in str(caught.value)
    assert "harmless" not in str(caught.value)
    assert isinstance(caught.value.__cause__, Infeasible)
    assert set(caught.value.__cause__.rows) == {"same", "apart"}


def test_a_goal_on_a_frozen_chain_is_a_stated_result(tmp_path):
    path = tmp_path / "frozen.yaml"
    path.write_text(HUMAN + REACH + "frozen: [pelvis..right_wrist]\n")
    task = load_task(path)
    result = task.solver.solve(task.problem, task.start)
    assert result.warnings == ("'right_hand' cannot be met: its chain is frozen",)
    assert not result.reached
    assert (result.q == task.start.q).all()


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(FileProblem, match="no such file"):
        load_task(tmp_path / "nothing.yaml")
    with pytest.raises(FileProblem, match=re.escape("cannot be read: is a directory")):
        load_task(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="has no such files")
@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_devices_and_pipes_are_not_read_without_end(tmp_path: Path, kind: str):
    path = tmp_path / "endless.task.yaml"
    if kind == "device":
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(path)
    with pytest.raises(FileProblem, match="is a device or a pipe"):
        load_task(path)
