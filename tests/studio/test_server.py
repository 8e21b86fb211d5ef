"""Who may come in, what answers carry, and that no message does harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from posewright.studio import protocol
from posewright.studio.server.app import application
from posewright.studio.server.guard import Guard
from posewright.studio.session.editor import Editor

HOST = "127.0.0.1:8123"
ORIGIN = f"http://{HOST}"
FILES = {"index.html": b"<!doctype html>", "studio.js": b"0"}


@pytest.fixture
def guard() -> Guard:
    return Guard("127.0.0.1", 8123)


@pytest.fixture
def client(editor: Editor, guard: Guard) -> Iterator[TestClient]:
    with TestClient(application(editor, guard, FILES), base_url=ORIGIN) as found:
        yield found


@pytest.fixture
def guest(client: TestClient, guard: Guard) -> TestClient:
    """One who came by the address of the terminal."""
    assert client.get("/", params={"token": guard.token}).status_code == 200
    return client


def talk(client: TestClient, **headers: str) -> Any:
    return client.websocket_connect(f"ws://{HOST}/socket", headers={"origin": ORIGIN, **headers})


def received(socket: Any, *, kind: str) -> dict[str, Any]:
    """The next reply of a kind."""
    while True:
        message = socket.receive()
        if message.get("text"):
            found: dict[str, Any] = json.loads(message["text"])
            if found["kind"] == kind:
                return found


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(client: TestClient, guard: Guard) -> None:
    assert client.get("/").status_code == 403
    answer = client.get("/", params={"token": guard.token})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert client.get("/").status_code == 200
    assert client.get("/studio.js").headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("token", ["", "x", "ä", "None"])
def test_a_wrong_token_is_refused_even_with_the_cookie(guest: TestClient, token: str) -> None:
    assert guest.get("/", params={"token": token}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example:8123", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:8123", ""])
def test_a_foreign_host_is_refused(guest: TestClient, host: str) -> None:
    assert guest.get("/", headers={"host": host}).status_code == 421
    with pytest.raises(WebSocketDisconnect), talk(guest, host=host):
        pass


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "https://127.0.0.1:8123", "http://127.0.0.1:81"])
def test_a_foreign_origin_is_refused(guest: TestClient, origin: str) -> None:
    with pytest.raises(WebSocketDisconnect), talk(guest, origin=origin):
        pass


def test_a_socket_without_the_cookie_is_refused(client: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect), talk(client):
        pass


@pytest.mark.parametrize("path", ["/../pyproject.toml", "/%2e%2e/secret", "/..%2f..%2fetc%2fpasswd", "/other.js"])
def test_nothing_but_the_page_is_served(guest: TestClient, path: str) -> None:
    assert guest.get(path).status_code == 404


def test_every_answer_forbids_foreign_content(client: TestClient, guard: Guard) -> None:
    answers = [client.get("/"), client.get("/", params={"token": guard.token}), client.get("/none"),
               client.get("/", headers={"host": "evil.example"})]  # fmt: skip
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_page_gets_everything_and_then_what_changes(guest: TestClient) -> None:
    with talk(guest) as socket:
        scene = received(socket, kind="scene")
        assert (scene["figure"], scene["version"], len(scene["joints"])) == ("human", protocol.VERSION, 36)
        assert [goal["name"] for goal in received(socket, kind="document")["goals"]] == ["left_sole", "right_sole"]
        command = {"kind": "pick_point", "joint": "head", "point": [0, 0.1, 0]}
        socket.send_json({"kind": "run", "id": 1, "command": command})
        document = received(socket, kind="document")
        assert (document["goals"][-1]["name"], document["undoes"]) == ("head.1", "add a goal")
        assert received(socket, kind="done") == {"kind": "done", "id": 1}


_WATCHED = """
import json, sys
seen = []
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "subprocess.Popen"):
        seen.append([event, repr(arguments)])
from pathlib import Path
from starlette.testclient import TestClient
from posewright.studio.files.beginning import begun
from posewright.studio.server.app import application
from posewright.studio.server.guard import Guard
from posewright.studio.session.editor import Editor
folder = Path(sys.argv[1])
beginning = begun(["human40"], folder)
editor = Editor(beginning.session.state)
guard = Guard("127.0.0.1", 8123)
host = "127.0.0.1:8123"
app = application(editor, guard, {}, beginning.files(editor, guard.token))
with TestClient(app, base_url=f"http://{host}") as client:
    client.get("/", params={"token": guard.token})
    client.cookies.set(guard.cookie, guard.token)
    sys.addaudithook(watch)
    with client.websocket_connect(f"ws://{host}/socket", headers={"origin": f"http://{host}"}) as socket:
        asked = [
            {"kind": "run", "command": {"kind": "new_goal", "goal_kind": "position", "at": "left_wrist"}},
            {"kind": "run", "command": {"kind": "open_clip", "clip": "walk"}},
            {"kind": "save", "name": "it"},
            {"kind": "export", "what": "pose.glb"},
            {"kind": "export", "what": "task.yaml"},
            {"kind": "open", "names": ["it.posewright"]},
        ]
        for number, one in enumerate(asked):
            socket.send_json({"id": number, **one})
            while not (text := socket.receive().get("text")) or json.loads(text)["kind"] not in ("done", "error"):
                pass
            assert json.loads(text)["kind"] == "done", text
print(json.dumps(seen))
"""


def test_the_server_asks_nobody(tmp_path: Path) -> None:
    """Pages are watched by `StudioPage`; here the process itself is."""
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"XDG_STATE_HOME": str(tmp_path / "state")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def test_two_pages_stay_in_step(guest: TestClient) -> None:
    with talk(guest) as one, talk(guest) as other:
        received(one, kind="document")
        received(other, kind="document")
        one.send_json({"kind": "run", "id": 1, "command": {"kind": "delete_goal", "name": "left_sole"}})
        assert [goal["name"] for goal in received(other, kind="document")["goals"]] == ["right_sole"]


def test_messages_that_make_no_sense_get_an_error_and_nothing_else_happens(guest: TestClient, editor: Editor) -> None:
    before = editor.session
    with talk(guest) as socket:
        out_of_order = ("undo", "end_drag", "cancel_drag")
        for text in (
            "", "nonsense", "{}", "x" * (protocol.LARGEST_REQUEST + 1),
            *(json.dumps({"kind": kind, "id": 3}) for kind in out_of_order),
            json.dumps({"kind": "move_drag", "id": 4, "targets": {"left_sole": [0, 0, 0]}}),
        ):  # fmt: skip
            socket.send_text(text)
            assert received(socket, kind="error")["message"]
        socket.send_bytes(b"\x01\x02")
        assert received(socket, kind="error")["message"] == "requests are text, not bytes"
        assert editor.session is before
        socket.send_json({"kind": "run", "id": 6, "command": {"kind": "delete_goal", "name": "left_sole"}})
        assert received(socket, kind="done")["id"] == 6


def test_a_model_is_fitted_beside_the_line_with_progress_and_can_be_stopped(guest: TestClient) -> None:
    with talk(guest) as socket:
        received(socket, kind="modelling")
        socket.send_json({"kind": "fit_model", "id": 1, "clips": ["family:jump"], "explained_variance": 0.9})
        assert "no clip is open" in received(socket, kind="error")["message"]
        socket.send_json({"kind": "run", "id": 2, "command": {"kind": "open_clip", "clip": "jump"}})
        socket.send_json({"kind": "fit_model", "id": 3, "clips": ["family:jump"], "explained_variance": 0.9})
        while not (told := received(socket, kind="modelling"))["fitting"]:
            pass
        assert told["total"] == 9
        socket.send_json({"kind": "stop_fitting", "id": 4})
        while (told := received(socket, kind="modelling"))["fitting"]:
            pass
        assert (told["model"], told["why_not"]) == (None, "")
        socket.send_json({"kind": "fit_model", "id": 5, "clips": ["family:jump"], "explained_variance": 0.9})
        while (told := received(socket, kind="modelling"))["model"] is None:
            pass
        assert told["in_model"]
        socket.send_json({"kind": "look_at_curves", "id": 6, "joint": "left_elbow"})
        assert received(socket, kind="curves")["joint"] == "left_elbow"
