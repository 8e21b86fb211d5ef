"""Opening files of every kind, from the folder and from pages; what is hostile gets a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from posewright import MotionModel, Position, clips, edit, figure
from posewright.errors import PosewrightError
from posewright.studio.files.beginning import begun
from posewright.studio.files.errand import done_at_once
from posewright.studio.files.files import Files
from posewright.studio.files.folder import Folder
from posewright.studio.server.app import application
from posewright.studio.server.guard import Guard
from posewright.studio.session.commands.clips import SetKey
from posewright.studio.session.commands.opening import OpenFile
from posewright.studio.session.commands.poses import Solve
from posewright.studio.session.commands.sites import PickPoint
from posewright.studio.session.editor import Editor
from posewright.studio.session.retargeting.question import question_of
from posewright.tasks import load_task
from posewright.tasks.start import write_pose

from .test_saving import looks
from .test_server import FILES, ORIGIN, received, talk

TASKS = sorted(Path("examples/tasks").glob("*.yaml"))
WALK = clips.walk(figure("human40"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "folder"
    path.mkdir()
    WALK.save(path / "walk.npz")
    figure("human40").save(path / "person.yaml")
    write_pose(WALK.pose(3), path / "pose.yaml")
    (path / "edit.yaml").write_text(
        "keys:\n- {frame: 20, goal: {kind: move, site: left_wrist, by: [0, 0.2, 0.1]}}\n"
        "- {frame: 50, goal: {kind: position, site: head, target: [0, 1.5, 0.9]}}\n"
    )
    (path / "reach.yaml").write_text(
        "figure: human40\ngoals:\n- {kind: position, site: left_wrist, target: [0.3, 1.2, 0.3]}\nsolver: prioritized\n"
    )
    return path


@pytest.fixture
def files(folder: Path, editor: Editor) -> Files:
    return Files(editor, Folder(folder))


def test_a_clip_is_opened_as_one_step_of_undo(files: Files, editor: Editor) -> None:
    before = looks(editor.state)
    done_at_once(files.opening(["walk.npz"]))
    assert editor.state.clip is not None
    assert editor.state.clip.q.tobytes() == WALK.q.tobytes()
    assert (editor.title, editor.session.undoes) == ("walk", "open walk.npz")
    editor.undo()
    assert looks(editor.state) == before
    editor.redo()
    assert editor.state.clip is not None


def test_edits_poses_and_models_add_to_a_clip(files: Files, editor: Editor, folder: Path) -> None:
    MotionModel.fit([WALK, clips.walk(figure("human40"), speed=1.6)]).save(folder / "walks.model.npz")
    done_at_once(files.opening(["walk.npz"]))
    done_at_once(files.opening(["edit.yaml"]))
    clip = editor.state.clip
    assert clip is not None
    assert [(key.frame, key.site) for key in clip.keys] == [(20, "left_wrist"), (50, "head")]
    goals = [Position("left_wrist", WALK.pose(20).point("left_wrist") + np.array([0, 0.2, 0.1])).at(20),
             Position("head", (0, 1.5, 0.9)).at(50)]  # fmt: skip
    np.testing.assert_allclose(clip.q, edit(WALK, goals).motion.q, rtol=0, atol=1e-9)
    done_at_once(files.opening(["pose.yaml"]))
    np.testing.assert_allclose(editor.q, WALK.q[3], rtol=0, atol=1e-9)
    done_at_once(files.opening(["walks.model.npz"]))
    assert editor.state.model is not None


def test_an_edit_that_names_a_solver_is_refused(files: Files, folder: Path) -> None:
    done_at_once(files.opening(["walk.npz"]))
    (folder / "solved.yaml").write_text(f"solver: least_squares\n{(folder / 'edit.yaml').read_text()}")
    with pytest.raises(PosewrightError, match="the studio edits with its own"):
        done_at_once(files.opening(["solved.yaml"]))


def test_several_files_open_together_whatever_their_order(files: Files, editor: Editor) -> None:
    done_at_once(files.opening(["edit.yaml", "walk.npz", "person.yaml"]))
    assert editor.state.clip is not None
    assert len(editor.state.clip.keys) == 2
    assert [item.name for item in editor.state.library.items] == ["person.yaml"]
    assert editor.session.done == 1
    done_at_once(files.opening(["walk.npz"], beside=True))
    assert [item.name for item in editor.state.library.items] == ["person.yaml", "walk.npz"]
    assert len(editor.state.clip.keys) == 2


def test_what_was_open_stays_beside_what_is_opened_next_to_be_retargeted(
    files: Files, editor: Editor, folder: Path
) -> None:
    clips.kick(figure("human")).save(folder / "kicker.glb")  # a character with a clip of its own
    done_at_once(files.opening(["person.yaml"]))
    done_at_once(files.opening(["walk.npz"]))
    asked = question_of(editor.state)
    assert asked.source.q.tobytes() == WALK.q.tobytes()
    assert asked.retargeting.target == "item:person.yaml"
    editor.run(SetKey(frame=20, site="left_wrist", target=(0.3, 1.4, 1.0)))
    edited = editor.state.clip
    assert edited is not None
    done_at_once(files.opening(["kicker.glb"]))
    asked = question_of(editor.state)
    assert asked.source.q.tobytes() == edited.q.tobytes()  # the work on it is not lost
    assert (asked.retargeting.source, asked.retargeting.target) == ("item:walk.npz", "open")
    done_at_once(files.opening(["walk.npz"]))
    assert [item.name for item in editor.state.library.items] == ["person.yaml", "kicker.glb"]
    assert question_of(editor.state).retargeting.target == "item:kicker.glb"
    for _ in range(4):
        editor.undo()
    assert not editor.state.library.items


def test_what_is_opened_for_retargeting_is_the_source_or_the_target(files: Files, editor: Editor) -> None:
    done_at_once(files.opening(["person.yaml"]))
    for names, source, target in (
        (["walk.npz"], "item:walk.npz", "open"),
        (["person.yaml"], "item:walk.npz", "item:person.yaml"),
        (["walk.npz"], "item:walk.npz.2", "item:person.yaml"),
    ):
        done_at_once(files.opening(names, beside=True))
        chosen = question_of(editor.state).retargeting
        assert (chosen.source, chosen.target) == (source, target)


@pytest.mark.parametrize("task", TASKS, ids=lambda path: path.stem)
def test_every_task_is_opened_and_solved_as_by_the_command_line(task: Path) -> None:
    known = load_task(task)
    editor = Editor(begun([str(task)], task.parent).session.state)
    np.testing.assert_array_equal(editor.q, known.start.q)
    editor.run(Solve())
    expected = known.solver.solve(known.problem, known.start)
    np.testing.assert_allclose(editor.q, expected.q, rtol=0, atol=1e-9)


def test_opening_a_project_puts_the_session_aside(files: Files, editor: Editor, tmp_path: Path, folder: Path) -> None:
    editor.run(PickPoint(joint="head", point=(0.0, 0.1, 0.0)))
    done_at_once(files.saving("one"))
    kept = looks(editor.state)
    aside = Files(editor, Folder(folder), state_folder=tmp_path / "state")
    editor.run(PickPoint(joint="pelvis", point=(0.0, 0.1, 0.0)))
    aside.keep()
    done_at_once(aside.opening(["one.posewright"]))
    assert looks(editor.state) == kept
    assert not editor.unsaved
    assert [one.crashed for one in aside.recoveries] == [False]
    done_at_once(aside.recovering(aside.recoveries[0].name))
    assert editor.session.done == 2


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("task.yaml", "figure: /etc/person.bvh\ngoals: []\n", "must be a file in the folder"),
        ("task.yaml", "figure: ../secret.yaml\ngoals: []\n", "must be a file in the folder"),
        ("task.yaml", "figure: link.yaml\ngoals: []\n", "must be a file in the folder"),
        ("task.yaml", "figure: human40\nstart: {file: ../secret.yaml}\ngoals: []\n", "must be a file in the folder"),
        ("task.yaml", "figure: human40\ngoals:\n- {kind: position, site: head, target: "
         "{figure: ../secret.yaml, site: head}}\n", "must be a file in the folder"),
        ("task.yaml", "figure: human40\ngoals: 3\n", "goals"),
        ("what.exe", "MZ", "cannot open a file with suffix '.exe'"),
        ("hero.fbx", "Kaydara FBX Binary", "cannot open a file with suffix '.fbx': export it as .glb"),
        ("clip.bvh", "HIERARCHY", "clip.bvh"),
        ("clip.npz", "PK", "is not a .npz archive"),
        ("clip.glb", "glTF", "clip.glb"),
        ("edit.yaml", "keys:\n- {frame: 1, goal: {kind: position, site: head, target: [0, 1, 0]}}\n", "needs a clip"),
        ("match.yaml", "format: posewright match\nversion: 1\nparts: {nose: {}}\n", "body parts as keys"),
        ("old.posewright", "{}", "is no Posewright session"),
        ("bomb.yaml", "a: &a [x]\nb: *a\n", "uses a YAML alias"),
    ],
)  # fmt: skip
def test_what_cannot_be_opened_says_why_and_leaves_no_copy(
    files: Files, editor: Editor, folder: Path, name: str, text: str, says: str
) -> None:
    figure("human40").save(folder.parent / "secret.yaml")
    (folder / "link.yaml").symlink_to(folder.parent / "secret.yaml")
    there = {path: path.lstat().st_mtime_ns for path in folder.iterdir()}
    before = editor.session
    (folder.parent / "brought").write_text(text)
    place = files.uploads.place()
    place.write_text(text)
    with pytest.raises(PosewrightError) as error:
        done_at_once(files.opening(uploads=[files.uploads.add(name, place)]))
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert editor.session is before
    assert {path: path.lstat().st_mtime_ns for path in folder.iterdir()} == there


# Over the web.


@pytest.fixture
def guest(editor: Editor, folder: Path) -> Iterator[TestClient]:
    guard = Guard("127.0.0.1", 8123)
    app = application(editor, guard, FILES, Files(editor, Folder(folder)))
    with TestClient(app, base_url=ORIGIN) as client:
        assert client.get("/", params={"token": guard.token}).status_code == 200
        yield client


def bring(client: TestClient, name: str, data: bytes, **headers: str) -> Any:
    return client.post("/upload", params={"name": name}, content=data, headers={"origin": ORIGIN, **headers})


def test_a_file_that_a_page_brings_is_copied_and_never_over_another(
    guest: TestClient, editor: Editor, folder: Path
) -> None:
    data = (folder / "walk.npz").read_bytes()
    with talk(guest) as socket:
        for number, (name, held, expected) in enumerate(
            [("walk.npz", data, "walk.npz"), ("reach.yaml", b"figure: human40\ngoals: []\n", "reach-2.yaml"),
             ("new.npz", data, "new.npz")]
        ):  # fmt: skip
            token = bring(guest, name, held).json()["upload"]
            socket.send_json({"kind": "open", "id": number, "uploads": [token]})
            assert received(socket, kind="done")["id"] == number
            assert editor.state.sources[0].path == folder / expected
            assert (folder / expected).read_bytes() == held
        socket.send_json({"kind": "open", "id": 9, "uploads": [token]})  # it waits no longer
        assert "no file was brought" in received(socket, kind="error")["message"]
    assert "kind: position" in (folder / "reach.yaml").read_text()
    assert editor.session.done == 3


def test_files_that_belong_together_stay_together(guest: TestClient, editor: Editor, folder: Path) -> None:
    figure("human40").save(folder.parent / "person.gltf")
    (folder / "dancer.yaml").write_text("mine")
    named = b"figure: dancer.yaml\ngoals:\n- {kind: position, site: head, target: start}\n"
    held = {"task.yaml": named, "dancer.yaml": (folder / "person.yaml").read_bytes()}
    tokens = [bring(guest, name, data).json()["upload"] for name, data in held.items()]
    with talk(guest) as socket:
        socket.send_json({"kind": "open", "id": 1, "uploads": tokens})
        assert received(socket, kind="done")["id"] == 1
    assert sorted(path.name for path in (folder / "task").iterdir()) == ["dancer.yaml", "task.yaml"]
    assert (folder / "dancer.yaml").read_text() == "mine"
    assert isinstance(editor.session.entries[0].command, OpenFile)


@pytest.mark.parametrize("name", ["../x.bvh", "/etc/x.bvh", "a/b.bvh", "", "..", "x\0.bvh", ".x.bvh", "a\\b.bvh"])
def test_hostile_names_are_refused_in_a_sentence(guest: TestClient, folder: Path, name: str) -> None:
    before = sorted(folder.parent.rglob("*"))
    answer = bring(guest, name, b"x")
    assert answer.status_code == 422
    assert answer.text.strip()
    assert "\n" not in answer.text.strip()
    assert sorted(folder.parent.rglob("*")) == before


def test_uploads_need_cookie_and_origin_and_have_an_end(
    guest: TestClient, monkeypatch: pytest.MonkeyPatch, editor: Editor
) -> None:
    assert bring(guest, "a.bvh", b"x", origin="http://evil.example").status_code == 403
    assert guest.post("/upload", params={"name": "a.bvh"}, content=b"x").status_code == 403
    assert bring(guest, "a.bvh", b"x", host="evil.example").status_code == 421
    monkeypatch.setattr("posewright.studio.server.uploading.LARGEST", 1000)
    assert bring(guest, "a.bvh", b"x" * 1001).status_code == 413

    def chunks() -> Iterator[bytes]:
        yield from [b"x" * 600] * 3

    sent = guest.post("/upload", params={"name": "a.bvh"}, content=chunks(), headers={"origin": ORIGIN})
    assert sent.status_code == 413
    guest.cookies.clear()
    assert bring(guest, "a.bvh", b"x").status_code == 403


def test_a_page_opens_names_of_the_folder_only(guest: TestClient, editor: Editor, folder: Path) -> None:
    WALK.save(folder.parent / "out.npz")
    (folder / "way.npz").symlink_to(folder.parent / "out.npz")
    with talk(guest) as socket:
        told = received(socket, kind="files")
        assert {"walk.npz", "reach.yaml"} <= set(told["names"])
        assert "way.npz" not in told["names"]
        for name in ("../out.npz", "way.npz", str(folder.parent / "out.npz"), "none.npz"):
            socket.send_json({"kind": "open", "id": 1, "names": [name]})
            assert received(socket, kind="error")["message"]
        socket.send_json({"kind": "run", "id": 2, "command": {"kind": "open_file", "name": "walk.npz"}})
        assert "cannot be opened by a command" in received(socket, kind="error")["message"]
        assert editor.session.entries == ()
        socket.send_json({"kind": "open", "id": 3, "names": ["walk.npz"]})
        assert received(socket, kind="done")["id"] == 3
        socket.send_json({"kind": "undo", "id": 4})
        assert received(socket, kind="document")["clip"] is None


def test_a_clip_with_keys_and_its_undo_survive_a_drop(files: Files, editor: Editor) -> None:
    done_at_once(files.opening(["walk.npz"]))
    editor.run(SetKey(frame=10, site="head", target=(0.0, 1.6, 0.3)))
    before = looks(editor.state)
    done_at_once(files.opening(["person.yaml"]))
    assert editor.state.clip is None
    editor.undo()
    assert looks(editor.state) == before
