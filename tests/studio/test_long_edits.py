"""Edits of clips that take long: made beside the line of requests, with progress, and they can be stopped."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from posewright import clips, figure
from posewright.conventions import Array
from posewright.studio.server.app import application
from posewright.studio.server.guard import Guard
from posewright.studio.session.clips.editing import ClipEditing
from posewright.studio.session.clips.opening import opened_motion
from posewright.studio.session.editor import Editor
from posewright.studio.session.session import Session
from posewright.studio.session.state import State

WALK = clips.walk(figure("human40"), steps=2, fps=30.0)
HOST = "127.0.0.1:8123"
PATIENCE = 60.0
"""s"""


class Slow:
    """Edits that take as long as they are told to, though they tell their steps all the time."""

    def __init__(self) -> None:
        self.may_end, self.ended = threading.Event(), threading.Semaphore(0)

    def edited(self, editing: ClipEditing, state: State, progress: Callable[[int], None] | None = None) -> Any:
        steps = 0
        try:
            while progress is not None and not self.may_end.wait(0.01):
                steps += 1
                progress(steps)
            return _edited(editing, state)
        finally:
            self.ended.release()


_edited = ClipEditing.edited


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    made = Slow()
    monkeypatch.setattr(ClipEditing, "edited", lambda *words: made.edited(*words))
    return made


class Guest:
    """A page without a picture."""

    def __init__(self, socket: Any) -> None:
        self._socket, self._number = socket, 0
        self.heard: list[dict[str, Any]] = []

    def send(self, kind: str, **fields: Any) -> int:
        self._number += 1
        self._socket.send_json({"kind": kind, "id": self._number, **fields})
        return self._number

    def key(self, by: float, frame: int = 20) -> int:
        x, y, z = WALK.point("left_wrist", frame).tolist()
        return self.send(
            "run", command={"kind": "set_key", "frame": frame, "site": "left_wrist", "target": [x, y + by, z]}
        )

    def until(self, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            text = self._socket.receive().get("text")
            if text:
                self.heard.append(json.loads(text))
                if holds(self.heard[-1]):
                    return self.heard[-1]

    def answer(self, number: int) -> dict[str, Any]:
        return self.until(lambda one: one["kind"] in ("done", "error") and one["id"] == number)

    def do(self, kind: str, **fields: Any) -> dict[str, Any]:
        return self.answer(self.send(kind, **fields))

    def heard_of(self, number: int) -> bool:
        return any(one["kind"] in ("done", "error") and one["id"] == number for one in self.heard)


@pytest.fixture
def editor() -> Editor:
    return Editor(opened_motion(WALK))


@pytest.fixture
def guest(editor: Editor) -> Iterator[Guest]:
    guard = Guard("127.0.0.1", 8123)
    with TestClient(application(editor, guard, {"index.html": b""}), base_url=f"http://{HOST}") as client:
        client.get("/", params={"token": guard.token})
        with client.websocket_connect(f"ws://{HOST}/socket", headers={"origin": f"http://{HOST}"}) as socket:
            yield Guest(socket)


def clip_q(session: Session) -> Array:
    assert session.state.clip is not None
    return session.state.clip.q


def test_a_drag_does_not_wait_and_the_journal_holds_what_came_of_both(editor: Editor, guest: Guest, slow: Slow) -> None:
    edit = guest.key(0.2)
    told = guest.until(lambda one: one["kind"] == "editing" and one["steps"] > 0)
    assert (told["what"], told["waiting"]) == ("key of left_wrist at frame 20", 0)
    goal = {"kind": "pick_point", "joint": "head", "point": [0.0, 0.1, 0.0]}
    assert guest.do("begin_drag", first=goal)["kind"] == "done"
    assert guest.do("move_drag", targets={"head.1": [0.0, 1.4, 0.1]})["kind"] == "done"
    assert guest.do("end_drag")["kind"] == "done"
    assert not guest.heard_of(edit)
    assert np.array_equal(clip_q(editor.session), WALK.q), "the last good clip stays until the edit is made"
    slow.may_end.set()
    assert guest.answer(edit)["kind"] == "done"
    session = editor.session
    assert [entry.command.says for entry in session.entries] == ["move head.1", "key of left_wrist at frame 20"]
    alone, _ = _edited(ClipEditing(), replace(session.state, clip=session.states[-1].clip))
    assert alone.clip is not None
    assert np.array_equal(clip_q(session), alone.clip.q)
    assert np.array_equal(session.entries[-1].clip_q, alone.clip.q)
    again = Session.replay(session.states[0], session.entries)
    assert np.array_equal(clip_q(again), clip_q(session))
    assert guest.do("undo")["kind"] == "done"
    assert np.array_equal(clip_q(editor.session), WALK.q)
    assert np.array_equal(editor.session.state.q, session.state.q)


def test_an_edit_that_is_stopped_leaves_the_last_good_clip_and_says_so(
    editor: Editor, guest: Guest, slow: Slow
) -> None:
    before = editor.session
    edit, next_one = guest.key(0.2), guest.key(0.1, frame=10)
    told = guest.until(lambda one: one["kind"] == "editing" and one["waiting"] == 1)
    assert told["what"] == "key of left_wrist at frame 20"
    stop = guest.send("stop_editing")
    for number in (edit, next_one):
        refused = guest.answer(number)
        assert refused["kind"] == "error"
        assert "was stopped; the clip is as it was before it" in refused["message"]
    assert guest.heard_of(stop) or guest.answer(stop)["kind"] == "done"
    assert editor.session is before
    assert slow.ended.acquire(timeout=PATIENCE), "the work itself ends too"
    assert guest.heard[-1]["kind"] != "editing" or guest.heard[-1]["what"] == ""
    slow.may_end.set()
    assert guest.answer(guest.key(0.1))["kind"] == "done"
    assert len(editor.session.entries) == 1


def test_edits_are_made_in_the_order_they_were_asked_for_and_undo_gives_up_the_last(
    editor: Editor, guest: Guest, slow: Slow
) -> None:
    numbers = [guest.key(0.1), guest.key(0.05, frame=10), guest.key(0.2)]
    guest.until(lambda one: one["kind"] == "editing" and one["waiting"] == 2)
    shown = [one["clip"]["keys"] for one in guest.heard if one["kind"] == "previewed"][-1]
    assert [key["frame"] for key in shown] == [10, 20], "pages show what is asked meanwhile"
    assert guest.do("redo")["kind"] == "error"
    assert guest.answer(guest.send("undo")) == {"kind": "done", "id": 5}
    assert guest.heard_of(numbers[2]) or guest.answer(numbers[2])["kind"] == "error"
    slow.may_end.set()
    assert [guest.answer(number)["kind"] for number in numbers[:2]] == ["done", "done"]
    assert [entry.command.says[-2:] for entry in editor.session.entries] == ["20", "10"]


def test_what_is_made_while_something_is_dragged_waits_for_it_and_another_clip_wins(
    editor: Editor, guest: Guest, slow: Slow
) -> None:
    edit = guest.key(0.2)
    assert guest.do("begin_drag", goals=["right_sole"])["kind"] == "done"
    slow.may_end.set()
    assert slow.ended.acquire(timeout=PATIENCE)
    assert guest.do("move_drag", targets={"right_sole": [0.1, 0.0, 0.1]})["kind"] == "done"
    assert not guest.heard_of(edit)
    guest.do("cancel_drag")
    assert guest.heard_of(edit) or guest.answer(edit)["kind"] == "done"
    slow.may_end.clear()
    lost = guest.key(0.3)
    assert guest.do("run", command={"kind": "open_clip", "clip": "jump"})["kind"] == "done"
    assert guest.heard_of(lost) or guest.answer(lost)["kind"] == "error"
    slow.may_end.set()
    assert [entry.command.says for entry in editor.session.entries][1:] == ["open jump"]
