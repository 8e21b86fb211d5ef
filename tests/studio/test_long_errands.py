"""Files are read and written beside the line of requests: drags do not wait for it, and it can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from posewright import clips, figure
from posewright.studio.exporting import exports
from posewright.studio.files import opening
from posewright.studio.files.files import Files
from posewright.studio.files.folder import Folder
from posewright.studio.files.project import Project
from posewright.studio.server.app import application
from posewright.studio.server.guard import Guard
from posewright.studio.session.editor import Editor
from posewright.studio.session.opening import opened

from .test_long_edits import HOST, PATIENCE, Guest

WALK = clips.walk(figure("human40"), steps=2, fps=30.0)
FOREARM = {"kind": "pick_point", "joint": "left_elbow", "point": [0.0, -0.1, 0.03]}


class Slow:
    """Something that takes as long as it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> None:
        self.began, self.may_end = threading.Event(), threading.Event()
        usual: Callable[..., Any] = getattr(where, name)

        def slow(*words: Any, **settings: Any) -> Any:
            self.began.set()
            assert self.may_end.wait(PATIENCE)
            return usual(*words, **settings)

        monkeypatch.setattr(where, name, slow)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    WALK.save(tmp_path / "walk.npz")
    WALK.save(tmp_path / "other.npz")
    figure("human40").save(tmp_path / "person.yaml")
    return tmp_path


@pytest.fixture
def editor() -> Editor:
    return Editor(opened(figure("human40")))


@pytest.fixture
def client(editor: Editor, folder: Path) -> Iterator[TestClient]:
    guard = Guard("127.0.0.1", 8123)
    app = application(editor, guard, {"index.html": b""}, Files(editor, Folder(folder)))
    with TestClient(app, base_url=f"http://{HOST}") as client:
        client.get("/", params={"token": guard.token})
        yield client


@pytest.fixture
def guest(client: TestClient) -> Iterator[Guest]:
    with client.websocket_connect(f"ws://{HOST}/socket", headers={"origin": f"http://{HOST}"}) as socket:
        yield Guest(socket)


def told(guest: Guest) -> dict[str, Any]:
    """The job that pages are told of, once it is under way."""
    (job,) = guest.until(lambda one: one["kind"] == "jobs" and bool(one["jobs"]))["jobs"]
    return dict(job)


def drag(guest: Guest, *, moves: int) -> None:
    assert guest.do("begin_drag", first=FOREARM)["kind"] == "done"
    for k in range(moves):
        assert guest.do("move_drag", targets={"left_forearm.1": [0.3, 1.1 + 0.02 * k, 0.3]})["kind"] == "done"


def test_a_drag_does_not_wait_for_a_file_that_is_opened(
    guest: Guest, editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch, opening, "load")
    number = guest.send("open", names=["walk.npz"])
    job = told(guest)
    assert (job["doing"], job["step"]) == ("opening", "walk.npz")
    drag(guest, moves=5)
    slow.may_end.set()
    assert guest.do("move_drag", targets={"left_forearm.1": [0.3, 1.2, 0.3]})["kind"] == "done"
    assert editor.drag is not None  # it is opened when nobody drags any more
    assert not guest.heard_of(number)
    guest.send("end_drag")
    assert guest.answer(number)["kind"] == "done"
    assert [entry.command.says for entry in editor.session.entries] == ["move left_forearm.1", "open walk.npz"]
    assert guest.heard[-2] == {"kind": "jobs", "jobs": []}
    guest.do("undo")
    assert editor.state.goals[-1].label == "left_forearm.1"


def test_opening_can_be_stopped_and_leaves_no_copy(
    guest: Guest, client: TestClient, editor: Editor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, there = editor.session, sorted(folder.iterdir())
    data = (folder / "walk.npz").read_bytes()
    brought = client.post("/upload", params={"name": "new.npz"}, content=data, headers={"origin": f"http://{HOST}"})
    slow = Slow(monkeypatch, opening, "load")
    number = guest.send("open", uploads=[brought.json()["upload"]])
    guest.send("stop_job", number=told(guest)["number"])
    assert guest.answer(number)["message"] == "opening was stopped; nothing has changed"  # while it still reads
    slow.may_end.set()
    assert guest.do("open", names=["other.npz"])["kind"] == "done"
    assert editor.session.undoes == "open other.npz"
    assert editor.session.done == 1
    assert before.entries == ()
    assert sorted(folder.iterdir()) == there


def test_files_are_opened_in_the_order_in_which_that_was_asked(
    guest: Guest, editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch, opening, "load")
    numbers = [guest.send("open", names=[name]) for name in ("walk.npz", "other.npz")]
    assert slow.began.wait(PATIENCE)
    slow.may_end.set()
    assert [guest.answer(number)["kind"] for number in numbers] == ["done", "done"]
    assert [entry.command.says for entry in editor.session.entries] == ["open walk.npz", "open other.npz"]


def test_what_adds_to_a_session_keeps_what_was_done_meanwhile(
    guest: Guest, editor: Editor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch, opening, "load")
    number = guest.send("open", names=["person.yaml"], beside=True)
    assert slow.began.wait(PATIENCE)
    assert guest.do("run", command=FOREARM)["kind"] == "done"
    slow.may_end.set()
    assert guest.answer(number)["kind"] == "done"
    assert [item.name for item in editor.state.library.items] == ["person.yaml"]
    assert editor.state.goals[-1].label == "left_forearm.1"
    slow = Slow(monkeypatch, opening, "read_pose")
    (folder / "pose.yaml").write_text("")
    guest.do("export", what="pose.yaml", name="pose", overwrite=True)
    number = guest.send("open", names=["pose.pose.yaml"])
    assert slow.began.wait(PATIENCE)
    guest.do("run", command={"kind": "delete_goal", "name": "left_forearm.1"})
    slow.may_end.set()
    answer = guest.answer(number)
    assert answer["message"] == "the session has changed while 'open pose.pose.yaml' was under way; do it again"
    assert editor.session.undoes == "delete left_forearm.1"


def test_a_drag_does_not_wait_for_a_project_that_is_saved(
    guest: Guest, editor: Editor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest.do("run", command=FOREARM)
    slow = Slow(monkeypatch, Project, "save")
    saved = editor.session
    number = guest.send("save", name="it")
    assert slow.began.wait(PATIENCE)
    guest.do("run", command={"kind": "delete_goal", "name": "left_forearm.1"})
    slow.may_end.set()
    assert guest.answer(number)["kind"] == "done"
    assert editor.unsaved  # what was done meanwhile
    guest.do("undo")
    assert not editor.unsaved
    guest.do("open", names=["it.posewright"])
    assert editor.session.undoes == saved.undoes


def test_an_export_that_is_stopped_is_not_written(guest: Guest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch, exports, "save")
    there = sorted(folder.iterdir())
    number = guest.send("export", what="pose.npz", name="out")
    guest.do("stop_job", number=told(guest)["number"])
    slow.may_end.set()
    assert "was stopped" in guest.answer(number)["message"]
    assert sorted(folder.iterdir()) == there
    assert guest.do("export", what="pose.npz", name="out")["kind"] == "done"
    assert (folder / "out.npz").exists()
