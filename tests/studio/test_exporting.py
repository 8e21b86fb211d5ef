"""Exports: the script and the YAML of a session give its pose again; formats are read back."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import re
import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from robot_samples import BIPED
from starlette.testclient import TestClient

from posewright import clips, edit, figure
from posewright.cli.app import command_line
from posewright.conventions import exact_degrees
from posewright.errors import InvalidSetting, PosewrightError
from posewright.figures import Figure
from posewright.figures.vectors import vector
from posewright.formats import FORMATS, ReadOptions, load, load_figure, load_motion
from posewright.formats.gltf.mesh import has_mesh
from posewright.formats.layouts import NAMES
from posewright.formats.npz import amass
from posewright.goals import GOAL_KINDS
from posewright.matching import JointMatch
from posewright.motions import Motion
from posewright.studio.exporting.edit_text import edit_text
from posewright.studio.exporting.exports import export_of, exports_of
from posewright.studio.exporting.question import question_of
from posewright.studio.files.beginning import begun
from posewright.studio.files.files import Files
from posewright.studio.files.folder import Folder
from posewright.studio.server.app import application
from posewright.studio.server.guard import Guard
from posewright.studio.session.command import Command
from posewright.studio.session.commands.clips import OpenClip, SetKey
from posewright.studio.session.commands.goals import DeleteGoal, MoveGoals, PinGoal, SetGoal
from posewright.studio.session.commands.opening import OpenFile
from posewright.studio.session.commands.poses import MirrorPose, SetDofs, Solve
from posewright.studio.session.commands.retargeting import SetRetargeting
from posewright.studio.session.commands.settings import SetRelation, SetRigidity, SetSolver
from posewright.studio.session.commands.sites import NewGoal, PickPoint
from posewright.studio.session.editor import Editor
from posewright.studio.session.retargeting import question as retargeting
from posewright.studio.session.session import Session
from posewright.studio.session.state import State
from posewright.tasks import load_edit, load_task
from posewright.tasks.start import read_pose

from .test_clips import WALK, fitted_editor, some_commands
from .test_server import FILES, ORIGIN, received, talk

FOREARM = PickPoint(joint="left_elbow", point=(0.0, -0.1, 0.03))


def written(editor: Editor, what: str, folder: Path) -> Path:
    return folder / Files(editor, Folder(folder)).exporting(what, None)()


def by_script(editor: Editor, folder: Path) -> dict[str, Any]:
    return runpy.run_path(str(written(editor, "session.py", folder)))


def by_task(editor: Editor, folder: Path) -> np.ndarray[Any, Any]:
    task = load_task(written(editor, "task.yaml", folder))
    return task.solver.solve(task.problem, task.start).q


def dragged(editor: Editor, to: tuple[float, float, float]) -> None:
    editor.begin_drag(FOREARM)
    name = editor.state.goals[-1].label
    start = editor.state.pose.point(name)
    for share in np.linspace(0.2, 1.0, 5):
        x, y, z = start + share * (np.array(to) - start)
        editor.move({name: (x, y, z)})
    editor.end_drag()


points = st.tuples(st.floats(-0.5, 0.8), st.floats(0.2, 1.8), st.floats(-0.3, 0.8))
places = st.sampled_from(["left_sole", "right_sole", "left_forearm.1"])
steps = st.one_of(
    points,
    st.builds(NewGoal, goal_kind=st.sampled_from([*GOAL_KINDS]), at=st.just("left_wrist")),
    st.builds(NewGoal, goal_kind=st.sampled_from([*GOAL_KINDS]), at=st.just("head"), point=st.just((0.01, 0.1, 0.02))),
    st.builds(MoveGoals, targets=st.dictionaries(places, points, min_size=1, max_size=2),
              mode=st.sampled_from(["full body", "limb", "joint"])),
    st.builds(SetGoal, name=places, weight=st.floats(0.1, 3), priority=st.integers(1, 3), enabled=st.booleans()),
    st.builds(PinGoal, name=places, pinned=st.booleans(), orientation=st.booleans()),
    st.builds(SetRigidity, joint=st.sampled_from(["left_elbow", "pelvis"]), rigidity=st.floats(0, 1)),
    st.builds(SetRelation, name=st.sampled_from(["spine", "left_shoulder_complex"]), on=st.booleans()),
    st.builds(DeleteGoal, name=places),
    st.just(MirrorPose()),
    st.just(SetSolver(solver="least_squares")),
)  # fmt: skip


@settings(max_examples=10, deadline=None)
@given(st.lists(steps, min_size=1, max_size=6))
def test_script_and_task_of_any_session_give_its_pose(
    tmp_path_factory: pytest.TempPathFactory, todo: list[Command | tuple[float, float, float]]
) -> None:
    folder = tmp_path_factory.mktemp("export")
    editor = Editor(begun(["human"], folder).session.state)
    for one in todo:
        try:
            dragged(editor, one) if isinstance(one, tuple) else editor.run(one)
        except PosewrightError:
            continue
    np.testing.assert_allclose(by_script(editor, folder)["pose"].q, editor.q, rtol=0, atol=1e-9)
    if question_of(editor.session).solved:
        np.testing.assert_allclose(by_task(editor, folder), editor.q, rtol=0, atol=1e-9)


@settings(max_examples=6, deadline=None)
@given(st.lists(some_commands, min_size=1, max_size=5))
def test_script_and_edit_file_of_any_edit_give_its_clip(
    tmp_path_factory: pytest.TempPathFactory, todo: list[Command]
) -> None:
    folder = tmp_path_factory.mktemp("edit")
    WALK.save(folder / "walk.npz")
    editor = Editor(begun([str(folder / "walk.npz")], folder).session.state)
    for one in todo:
        with contextlib.suppress(PosewrightError):
            editor.run(one)
    clip = editor.state.clip
    assert clip is not None
    np.testing.assert_allclose(by_script(editor, folder)["motion"].q, clip.q, rtol=0, atol=1e-9)
    if not clip.asks:
        return
    path = written(editor, "edit.yaml", folder)
    task = load_edit(path, load_motion(folder / "walk.npz"))
    found = edit(task.motion, task.goals, **task.settings)
    np.testing.assert_allclose(found.motion.q, clip.q, rtol=0, atol=1e-9)
    again = Editor(begun([str(folder / "walk.npz"), str(path)], folder).session.state)
    opened = again.state.clip
    assert opened is not None
    np.testing.assert_allclose(opened.q, clip.q, rtol=0, atol=1e-9)
    assert (opened.contacts, len(opened.keys), len(opened.spans)) == (
        clip.contacts, len(clip.keys), len(clip.spans),
    )  # fmt: skip


def test_a_model_that_was_fitted_is_written_beside_the_script_and_the_command_line_edits_in_it(tmp_path: Path) -> None:
    editor = fitted_editor()
    editor.run(SetKey(frame=20, site="left_wrist", target=(0.35, 1.2, 0.5)))
    clip = editor.state.clip
    assert clip is not None
    np.testing.assert_allclose(by_script(editor, tmp_path)["motion"].q, clip.q, rtol=0, atol=1e-9)
    clip.source_motion(editor.state.figure).save(tmp_path / "jump.npz")
    model, keys = (written(editor, what, tmp_path) for what in ("model.npz", "edit.yaml"))
    words = ["edit", str(tmp_path / "jump.npz"), str(keys), "--model", str(model), "-o", str(tmp_path / "out.npz")]
    answer = CliRunner().invoke(command_line, words)
    assert answer.exit_code in (0, 1), answer.output
    np.testing.assert_allclose(load_motion(tmp_path / "out.npz").q, clip.q, rtol=0, atol=1e-9)
    with pytest.raises(InvalidSetting, match="export to the folder"):
        export_of(editor.session, "session.py").write(editor.session, tmp_path / "x.py", None)


def test_the_script_runs_by_itself_and_the_command_line_solves_the_task(tmp_path: Path) -> None:
    clips.walk(figure("human40")).save(tmp_path / "walk.bvh")
    editor = Editor(begun([str(tmp_path / "walk.bvh")], tmp_path).session.state)
    editor.run(FOREARM)
    dragged(editor, (0.3, 1.2, 0.5))
    editor.run(SetKey(frame=20, site="left_elbow", point=(0.0, -0.1, 0.0), target=(0.4, 1.4, 0.6)))
    question = question_of(editor.session)
    assert question.solved  # a key changes nothing about the pose
    done = subprocess.run(
        [sys.executable, str(written(editor, "session.py", tmp_path)), str(tmp_path / "by_script.npz")],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    from posewright import motion

    assert editor.state.clip is not None
    np.testing.assert_allclose(motion(tmp_path / "by_script.npz").q, editor.state.clip.q, rtol=0, atol=1e-9)
    answer = CliRunner().invoke(command_line, ["pose", str(written(editor, "task.yaml", tmp_path)), "--json"])
    found = json.loads(answer.stdout)["answers"][0]["pose"]
    np.testing.assert_allclose([found[dof] for dof in editor.state.figure.dof_names], editor.q, rtol=0, atol=1e-9)
    paths = [*map(str, (tmp_path / "walk.bvh", written(editor, "edit.yaml", tmp_path), tmp_path / "by_edit.npz"))]
    edited = CliRunner().invoke(command_line, ["edit", *paths[:2], "-o", paths[2]])
    assert edited.exit_code in (0, 1), edited.output
    np.testing.assert_allclose(motion(paths[2]).q, editor.state.clip.q, rtol=0, atol=1e-9)


@pytest.mark.parametrize("task", sorted(Path("examples/tasks").glob("*.yaml")), ids=lambda path: path.stem)
def test_tasks_opened_and_solved_are_exported_as_they_were_asked(task: Path, tmp_path: Path) -> None:
    editor = Editor(begun([str(task)], task.parent).session.state)
    editor.run(Solve())
    np.testing.assert_allclose(by_script(editor, tmp_path)["pose"].q, editor.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(by_task(editor, tmp_path), editor.q, rtol=0, atol=1e-9)


def test_a_pose_set_by_hand_is_said_and_not_solved(tmp_path: Path) -> None:
    editor = Editor(begun(["human"], tmp_path).session.state)
    editor.run(FOREARM)
    editor.run(SetDofs(values={"left_knee.flexion": 0.5}))
    question = question_of(editor.session)
    assert not question.solved
    assert "set by hand" in written(editor, "task.yaml", tmp_path).read_text()
    assert by_script(editor, tmp_path)["pose"].q.tobytes() == editor.q.tobytes()


def test_names_in_scripts_are_only_text(tmp_path: Path) -> None:
    path = tmp_path / "arm.bvh"
    clips.walk(figure("human40")).save(path)
    hostile = 'x\'\\"""+__import__(\'os\').mkdir(\'hacked\')+"""'
    path.write_text(path.read_text().replace("left_wrist", hostile))
    editor = Editor(begun([str(path)], tmp_path).session.state)
    editor.run(NewGoal(goal_kind="position", at=next(n for n in editor.state.figure.joint_names if "hacked" in n)))
    np.testing.assert_allclose(by_script(editor, tmp_path)["pose"].q, editor.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(by_task(editor, tmp_path), editor.q, rtol=0, atol=1e-9)
    assert not Path("hacked").exists()


def test_what_no_file_has_any_more_is_written_beside_script_and_task(tmp_path: Path) -> None:
    clips.walk(figure("human40")).save(tmp_path / "walk.npz")
    editor = Editor(begun([str(tmp_path / "walk.npz")], tmp_path).session.state)
    (tmp_path / "walk.npz").unlink()
    dragged(editor, (0.3, 1.2, 0.5))
    editor.run(SetKey(frame=20, site="left_elbow", point=(0.0, -0.1, 0.0), target=(0.4, 1.4, 0.6)))
    found = by_script(editor, tmp_path)
    assert editor.state.clip is not None
    np.testing.assert_allclose(found["pose"].q, editor.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found["motion"].q, editor.state.clip.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(by_task(editor, tmp_path), editor.q, rtol=0, atol=1e-9)
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == ["walk.source-2.npz", "walk.source.npz"]
    with pytest.raises(InvalidSetting, match="export to the folder, where it is written beside"):
        export_of(editor.session, "session.py").write(editor.session, tmp_path / "x.py", None)
    editor.undo()
    with pytest.raises(InvalidSetting, match="there is nothing to export"):
        edit_text(editor.state)


def test_a_retargeted_clip_is_not_taken_for_its_source(tmp_path: Path) -> None:
    walk = clips.walk(figure("human40"))
    walk.save(tmp_path / "walk.npz")
    editor = Editor(begun([str(tmp_path / "walk.npz")], tmp_path).session.state)
    state = editor.state
    assert state.clip is not None
    other = replace(state.clip, source=state.clip.source + 0.001, q=state.clip.source + 0.001)
    editor.open(OpenFile(name="other"), replace(state, clip=other))
    np.testing.assert_array_equal(by_script(editor, tmp_path)["motion"].q, other.q)


@given(st.floats(-10, 10))
def test_degrees_come_back_as_nearly_as_they_can(radians: float) -> None:
    import math

    assert math.radians(exact_degrees(radians)) == pytest.approx(radians, rel=3e-16, abs=1e-300)


def test_a_clip_made_by_code_is_in_the_script(tmp_path: Path) -> None:
    editor = Editor(begun(["human40"], tmp_path).session.state)
    editor.run(OpenClip(clip="walk"))
    editor.run(SetKey(frame=20, site="left_wrist", target=(0.4, 1.4, 0.6)))
    assert editor.state.clip is not None
    np.testing.assert_allclose(by_script(editor, tmp_path)["motion"].q, editor.state.clip.q, rtol=0, atol=1e-9)


# Formats.


@pytest.fixture
def keyed(tmp_path: Path) -> Editor:
    """A clip with a key."""
    clips.walk(figure("human40"))[:40].save(tmp_path / "walk.npz")
    editor = Editor(begun([str(tmp_path / "walk.npz")], tmp_path).session.state)
    editor.run(SetKey(frame=20, site="left_wrist", target=(0.4, 1.4, 0.6)))
    return editor


def test_every_export_of_the_command_line_is_there(keyed: Editor) -> None:
    known = exports_of(keyed.session)
    for form in FORMATS:
        if form.writes and form.suffix not in (".yaml", ".csv"):  # the latter are for robots
            assert {f"pose{form.suffix}", f"clip{form.suffix}"} <= set(known)
    assert {"pose.yaml", "figure.yaml", "task.yaml", "edit.yaml", "session.py"} <= set(known)
    assert {"pose.png", "clip.png", "clip.gif", "clip.mp4", "pose.html", "clip.html"} <= set(known)
    assert not [one for one in known.values() if one.suffix == ".csv" or one.name == "clip.amass"]


# Whatever a session offers is written and read back: of a clip with a key, of a character with a mesh, of a robot, and
# of a figure of SMPL's family.


def short_walk(performer: Figure) -> Motion:
    return clips.walk(performer)[:8]


def session_with(path: Path) -> Session:
    """The clip of a file with a key, and its joints matched with those of another figure."""
    editor = Editor(begun([str(path)], path.parent).session.state)
    assert editor.state.clip is not None
    editor.run(SetRetargeting(source="open", target="built-in:human"))
    joint = editor.state.figure.joint_names[-1]
    target = vector(editor.state.clip.motion(editor.state.figure).pose(4).point(joint) + 0.01)
    editor.run(SetKey(frame=4, site=joint, target=target))
    return editor.session


def of_a_clip(folder: Path) -> Session:
    short_walk(figure("human40")).save(folder / "it.npz")
    return session_with(folder / "it.npz")


def of_a_character(folder: Path) -> Session:
    short_walk(figure("human40")).save(folder / "it.glb")
    return session_with(folder / "it.glb")


def of_a_robot(folder: Path) -> Session:
    (folder / "it.urdf").write_text(BIPED, encoding="utf-8")
    walker = load_figure(folder / "it.urdf", ReadOptions(base="free"))
    q = walker.rest + 0.05 * np.sin(0.3 * np.arange(8.0)[:, None] + np.arange(walker.n_dofs))
    left, right = (walker.dof_slice(f"{side}_hip").start for side in ("left", "right"))
    q[:, right] = 0.1 - 0.5 * q[:, left]  # as its file says, and as layouts without followers find it again
    Motion(walker, q, fps=50.0, name="it").save(folder / "it.csv")
    return session_with(folder / "it.csv")


def of_smpl(folder: Path) -> Session:
    body = amass.skeleton()
    q = body.rest + 0.05 * np.sin(0.3 * np.arange(8.0)[:, None] + np.arange(body.n_dofs))
    Motion(body, q, fps=30.0).save(folder / "it.npz", layout="amass")
    return session_with(folder / "it.npz")


BEGUN = {"clip": of_a_clip, "character": of_a_character, "robot": of_a_robot, "smpl": of_smpl}


@pytest.fixture(params=BEGUN)
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Session:
    return BEGUN[request.param](tmp_path)


def test_whatever_is_offered_is_written_and_read_back(session: Session, tmp_path: Path) -> None:
    state, out = session.state, tmp_path / "out"
    out.mkdir()
    files = Files(Editor(state), Folder(out))
    offered = exports_of(session)
    assert ("clip.unitree" in offered) == (state.figure.name == "walker")
    assert ("clip.amass" in offered) == (state.figure.name == amass.skeleton().name)
    for what in {*offered} - {"session.py"}:  # tests of its own run it
        export = offered[what]
        path = out / f"{what.replace('.', '_')}{export.suffix}"
        export.write(session, path, out)
        READERS.get(what, READERS.get(export.suffix, motion_comes_back))(state, what, path, tmp_path)
    assert files.listing()  # which are the ones that can be opened again


def motion_comes_back(state: State, what: str, path: Path, folder: Path) -> None:
    layout = what.removeprefix("clip.") if what.removeprefix("clip.") in NAMES else None
    robot = folder / "it.urdf"
    alone = path.suffix in (".bvh", ".glb", ".gltf") or (path.suffix == ".npz" and layout is None)
    beside: dict[str, Any] = {"skeleton": robot, "base": "free"} if robot.exists() and not alone else {}
    back = load(path, ReadOptions(layout=layout, **beside))
    motion = back if isinstance(back, Motion) else Motion(back, back.rest[None], 30.0)
    assert state.clip is not None
    mine = state.clip.motion(state.figure) if what.startswith("clip") else Motion(state.figure, state.q[None], 30.0)
    if len(mine) > 1 and motion.fps != mine.fps:
        mine = mine.resampled(fps=motion.fps)
    names = [joint.name for joint in state.figure.joints if joint.name in motion.figure.joint_names]
    assert len(names) > 0.8 * len(state.figure.joints)
    for name in names:
        for frame in (0, len(motion) - 1):
            np.testing.assert_allclose(motion.pose(frame).point(name), mine.pose(frame).point(name), atol=3e-5)
    if path.suffix == ".glb":
        assert has_mesh(motion.figure)


def picture_comes_back(state: State, what: str, path: Path, folder: Path) -> None:
    with Image.open(path) as picture:
        assert min(picture.size) >= 200
        frames = getattr(picture, "n_frames", 1)
    assert state.clip is not None
    assert (frames > 1) == (path.suffix == ".gif")


def film_comes_back(state: State, what: str, path: Path, folder: Path) -> None:
    reader = imageio_ffmpeg.read_frames(str(path))
    about = next(reader)
    frames = [np.frombuffer(frame, np.uint8) for frame in reader]
    assert state.clip is not None
    assert len(frames) >= len(state.clip) // 2
    assert all(len(frame) == 3 * about["size"][0] * about["size"][1] for frame in frames)
    assert frames[0].std() > 5.0


def page_comes_back(state: State, what: str, path: Path, folder: Path) -> None:
    (packed,) = re.findall(r'id="recording">([^<]*)<', path.read_text(encoding="utf-8"))
    data = gzip.decompress(base64.b64decode(packed))
    header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    (show,) = header["shows"]
    assert [joint["name"] for joint in show["scene"]["joints"]] == [*state.figure.joint_names]
    assert state.clip is not None
    assert (show["document"]["clip"] or {"frames": 1})["frames"] == (len(state.clip) if "clip" in what else 1)


def task_comes_back(state: State, what: str, path: Path, folder: Path) -> None:
    assert [goal.label for goal in load_task(path).problem.goals] == [
        goal.label for goal in state.goals if goal.enabled
    ]


def pose_comes_back(state: State, what: str, path: Path, folder: Path) -> None:
    np.testing.assert_allclose(read_pose(state.figure, path).q, state.q, atol=1e-12)


def figure_comes_back(state: State, what: str, path: Path, folder: Path) -> None:
    assert load_figure(path).dof_names == state.figure.dof_names


def edit_comes_back(state: State, what: str, path: Path, folder: Path) -> None:
    assert state.clip is not None
    (key,) = state.clip.keys
    assert key.site in path.read_text(encoding="utf-8")


def match_comes_back(state: State, what: str, path: Path, folder: Path) -> None:
    back = JointMatch.draft(path, state.figure, figure("human"))  # a small robot lacks what a full match needs
    wanted = retargeting.question_of(state).match
    assert (back.source.parts, back.target.parts) == (wanted.source.parts, wanted.target.parts)


READERS = {
    ".png": picture_comes_back,
    ".gif": picture_comes_back,
    ".mp4": film_comes_back,
    ".html": page_comes_back,
    "task.yaml": task_comes_back,
    "pose.yaml": pose_comes_back,
    "figure.yaml": figure_comes_back,
    "edit.yaml": edit_comes_back,
    "match.yaml": match_comes_back,
}


def test_robots_have_layouts_and_what_is_refused_leaves_nothing(keyed: Editor, tmp_path: Path) -> None:
    files = Files(keyed, Folder(tmp_path))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(PosewrightError):
        files.exporting("clip.csv", "out")()  # no robot
    with pytest.raises(PosewrightError, match=r"no export 'clip\.bhv'"):
        files.exporting("clip.bhv", None)
    for name in ("../out", "/tmp/out", ".out"):
        with pytest.raises(InvalidSetting):
            files.exporting("clip.bvh", name)
    assert sorted(tmp_path.iterdir()) == before


def test_exports_are_never_over_a_source_and_over_others_only_when_told(keyed: Editor, tmp_path: Path) -> None:
    files = Files(keyed, Folder(tmp_path))
    held = (tmp_path / "walk.npz").read_bytes()
    for overwrite in (False, True):
        with pytest.raises(PosewrightError, match="is a source of this session"):
            files.exporting("clip.npz", "walk.npz", overwrite=overwrite)
    assert files.exporting("clip.npz", None)() == "walk-2.npz"
    with pytest.raises(InvalidSetting, match=r"there is a walk-2\.npz already"):
        files.exporting("clip.npz", "walk-2")
    files.exporting("pose.npz", "walk-2", overwrite=True)()
    assert (tmp_path / "walk.npz").read_bytes() == held


def test_a_page_exports_beside_the_line_and_downloads(keyed: Editor, tmp_path: Path) -> None:
    guard = Guard("127.0.0.1", 8123)
    app = application(keyed, guard, FILES, Files(keyed, Folder(tmp_path)))
    with TestClient(app, base_url=ORIGIN) as client:
        assert client.get("/export/pose.bvh").status_code == 403
        client.get("/", params={"token": guard.token})
        answer = client.get("/export/session.py")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == "attachment"
        (tmp_path / "got.py").write_bytes(answer.content)
        assert keyed.state.clip is not None
        found = runpy.run_path(str(tmp_path / "got.py"))
        np.testing.assert_allclose(found["motion"].q, keyed.state.clip.q, rtol=0, atol=1e-9)
        assert client.get("/export/pose.exe").status_code == 422
        with talk(client) as socket:
            assert "edit.yaml" in [one["name"] for one in received(socket, kind="files")["exports"]]
            socket.send_json({"kind": "export", "id": 5, "what": "clip.bvh", "name": "out"})
            assert received(socket, kind="files")["notices"][-1] == "wrote out.bvh"
            assert received(socket, kind="done")["id"] == 5
            socket.send_json({"kind": "export", "id": 6, "what": "clip.bvh", "name": "out"})
            assert "there is a out.bvh already" in received(socket, kind="error")["message"]
            socket.send_json({"kind": "undo", "id": 7})
            assert "edit.yaml" not in [one["name"] for one in received(socket, kind="files")["exports"]]
