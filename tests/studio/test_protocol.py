"""The protocol is declared once: the page's types follow it, and nothing that arrives can do harm."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from posewright.errors import InvalidSetting
from posewright.goals import GOAL_KINDS
from posewright.studio import protocol, typescript
from posewright.studio.files.files import Files
from posewright.studio.files.folder import Folder
from posewright.studio.server import view
from posewright.studio.server.desk import Desk
from posewright.studio.server.pages import Frames, Page
from posewright.studio.session.codec import BY_KIND
from posewright.studio.session.editor import Editor

from .conftest import run_in_a_loop


def test_the_types_of_the_page_are_those_of_the_protocol() -> None:
    written = typescript.FILE.read_text(encoding="utf-8")
    assert written == typescript.protocol_types(), "run: python -m posewright.studio.typescript"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "the request cannot be read"),
        ('{"kind": "undo"}', "id: Field required"),
        ('{"kind": "undo", "id": -1}', "id: "),
        ('{"kind": "undo", "id": true}', "id: "),
        ('{"kind": "undo", "id": 1, "more": 2}', "more: "),
        ('{"kind": "walk", "id": 1}', "walk"),
        ('{"kind": "move_drag", "id": 1, "targets": {"a": [NaN, 0, 0]}}', "targets.a.0"),
        ('{"kind": "move_drag", "id": 1, "targets": {"a": [1e999, 0, 0]}}', "targets.a.0"),
        ('{"kind": "begin_drag", "id": 1, "mode": "leg"}', "mode: "),
        ('{"kind": "move_drag", "id": 1, "targets": {}, "turns": {"a": [1, 0, 0]}}', "turns.a"),
        (" " * (protocol.LARGEST_REQUEST + 1), "are accepted"),
        ("[" * 100_000, "the request cannot be read"),
    ],
)
def test_requests_that_cannot_be_read_say_why(text: str, says: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        protocol.read_request(text)
    assert says in str(error.value)


def test_a_frame_holds_the_pose_bit_for_bit(editor: Editor) -> None:
    frame = view.pose(editor)
    kind, revision, joints, goals, *_ = protocol.POSE_HEADER.unpack_from(frame)
    assert (kind, revision, joints, goals) == (protocol.POSE_FRAME, editor.revision, 36, 2)
    numbers = np.frombuffer(frame, "<f8", offset=protocol.POSE_HEADER.size)
    at = numbers[: 36 * 7].reshape(36, 7)
    expected = np.array([editor.state.pose.point(name) for name in editor.state.figure.joint_names])
    np.testing.assert_array_equal(at[:, :3], expected)
    np.testing.assert_allclose(np.linalg.norm(at[:, 3:], axis=1), 1.0)


class Silent:
    """A page that keeps what it gets."""

    def __init__(self) -> None:
        self.texts: list[dict[str, object]] = []

    async def send_text(self, data: str) -> None:
        self.texts.append(json.loads(data))

    async def send_bytes(self, data: bytes) -> None:
        pass


async def _all_answered(desk: Desk, pages: list[Page]) -> None:
    tasks = [asyncio.create_task(page.send_forever()) for page in pages]
    work = asyncio.create_task(desk.work_forever())
    async with asyncio.timeout(60):
        while not desk.idle:
            await asyncio.sleep(0.001)
    await asyncio.sleep(0.01)
    for task in (*tasks, work):
        task.cancel()


def test_of_the_moves_that_wait_only_the_newest_is_solved(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[float] = []
    move = editor.move
    monkeypatch.setattr(editor, "move", lambda at, by: (solved.append(at["left_sole"][0]), move(at, by)))

    async def drag() -> list[dict[str, object]]:
        wire = Silent()
        desk, page = Desk(editor), Page(wire)
        await desk.enter(page)
        desk.ask(page, '{"kind": "begin_drag", "id": 1}')
        for k in range(2, 50):
            desk.ask(page, json.dumps({"kind": "move_drag", "id": k, "targets": {"left_sole": [0.001 * k, 0, 0]}}))
        desk.ask(page, '{"kind": "end_drag", "id": 50}')
        await _all_answered(desk, [page])
        return wire.texts

    texts = run_in_a_loop(drag())
    assert solved == [0.049]
    assert sorted(one["id"] for one in texts if one["kind"] == "done") == list(range(1, 51))  # each is answered
    assert editor.state.goal("left_sole").place == (0.049, 0.0, 0.0)


def test_what_a_drag_needs_overtakes_frames_of_a_long_clip() -> None:
    sent: list[str | bytes] = []

    class Slow:
        async def send_text(self, data: str) -> None:
            sent.append(data)

        async def send_bytes(self, data: bytes) -> None:
            sent.append(data)
            if data == b"frame 1":
                page.show(b"an older pose")
                page.reply("moved")
                page.show(b"pose")

    page = Page(Slow())

    async def scene() -> None:
        page.reply(Frames(lambda: iter([b"frame 1", b"frame 2"])))
        page.answer("opened")
        page.reply("document")
        sending = asyncio.create_task(page.send_forever())
        while "opened" not in sent:
            await asyncio.sleep(0.001)
        sending.cancel()

    run_in_a_loop(scene())
    assert sent == ["document", b"frame 1", "moved", b"pose", b"frame 2", "opened"]


def test_a_page_that_goes_lets_go_of_its_drag_and_others_wait_until_then(editor: Editor) -> None:
    async def scene() -> list[dict[str, object]]:
        one, other = Silent(), Silent()
        desk, first, second = Desk(editor), Page(one), Page(other)
        await desk.enter(first)
        await desk.enter(second)
        desk.ask(first, '{"kind": "begin_drag", "id": 1}')
        desk.ask(first, '{"kind": "move_drag", "id": 2, "targets": {"left_sole": [0.2, 0, 0]}}')
        desk.ask(second, '{"kind": "undo", "id": 7}')
        await _all_answered(desk, [first, second])
        desk.leave(first)
        desk.ask(second, '{"kind": "undo", "id": 8}')
        await _all_answered(desk, [second])
        return other.texts

    texts = run_in_a_loop(scene())
    (refused,) = [one for one in texts if one["kind"] == "error"]
    assert (refused["id"], refused["message"]) == (7, "another page is dragging; wait until it has finished")
    assert [one["id"] for one in texts if one["kind"] == "done"] == [8]
    assert (len(editor.session.entries), editor.session.done) == (1, 0)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
kinds = st.sampled_from([*(request.kind for request in protocol.REQUESTS), "other"])  # type: ignore[attr-defined]
command_kinds = st.sampled_from([*BY_KIND])
targets = st.dictionaries(
    st.sampled_from(["left_sole", "pelvis.1", "nobody"]), st.lists(st.floats(-3, 3), min_size=2, max_size=4), max_size=2
)
turns = st.dictionaries(
    st.sampled_from(["left_sole", "pelvis.1"]), st.lists(st.floats(-1, 1), min_size=4, max_size=4), max_size=1
)
a_command = st.fixed_dictionaries(
    {"kind": command_kinds},
    optional={
        "name": st.sampled_from(["left_sole", "pelvis.1"]),
        "joint": st.just("pelvis"),
        "point": st.just([0, 0.1, 0]),
        "pinned": st.booleans(),
        "weight": st.floats(),
        "priority": st.integers(),
        "targets": targets,
        "commands": st.lists(json_values, max_size=2),
        "goal": json_values,
        "goal_kind": st.sampled_from([*GOAL_KINDS]),
        "at": st.just("pelvis"),
        "fields": st.dictionaries(st.sampled_from(["tolerance", "target", "name", "x"]), json_values, max_size=2),
        "turns": turns,
        "mode": st.sampled_from(["limb", "joint", "arm"]),
        "q": st.lists(st.floats(), max_size=3),
        "what": st.just("paste"),
        "values": st.dictionaries(st.sampled_from(["pelvis.tx", "neck.flexion"]), st.floats(), max_size=2),
        "rigidity": st.floats(),
        "on": st.booleans(),
        "solver": st.sampled_from(["least_squares", "prioritized", "other"]),
        "clip": st.sampled_from(["walk", "wlk"]),
        "frame": st.integers(-1, 400),
        "to": st.integers(-1, 400),
        "site": st.sampled_from(["left_wrist", "left_hnd"]),
        "target": st.lists(st.floats(-3, 3), min_size=3, max_size=3),
    },
)
some_files = st.sampled_from(["arm.yaml", "task.yaml", "broken.bvh", "../x", "it.posewright"])
messages = st.one_of(
    st.text(max_size=60),
    json_values.map(json.dumps),
    st.fixed_dictionaries(
        {"kind": kinds, "id": st.integers(0, 9) | json_values},
        optional={
            "command": a_command | json_values,
            "first": a_command | st.none(),
            "targets": targets | json_values,
            "turns": turns,
            "goals": st.lists(st.sampled_from(["left_sole", "nobody"]), max_size=2),
            "mode": st.sampled_from(["full body", "limb", "joint"]),
            "symmetric": st.booleans(),
            "flipped": st.booleans(),
            "number": st.integers(),
            "name": st.sampled_from(["it", "../it", "arm.yaml", ""]) | json_values,
            "names": st.lists(some_files, max_size=1),
            "uploads": st.lists(st.text(max_size=5), max_size=1),
            "beside": st.booleans(),
            "overwrite": st.booleans(),
            "what": st.sampled_from(["task.yaml", "session.py", "pose.npz", "clip.bvh"]),
        },
    ).map(json.dumps),
)


sound_messages = st.one_of(
    st.sampled_from(["undo", "redo", "copy_pose", "end_drag", "reject"]).map(lambda kind: {"kind": kind, "id": 1}),
    st.builds(
        lambda mode, symmetric: {"kind": "begin_drag", "id": 1, "goals": ["left_sole"], "mode": mode,
                                 "symmetric": symmetric},
        st.sampled_from(["full body", "limb", "joint"]), st.booleans(),
    ),
    st.builds(
        lambda at: {"kind": "move_drag", "id": 1, "targets": {"left_sole": at}},
        st.lists(st.floats(-2, 2), min_size=3, max_size=3),
    ),
    st.builds(
        lambda kind: {"kind": "run", "id": 1, "command": {"kind": "new_goal", "goal_kind": kind, "at": "left_wrist"}},
        st.sampled_from([*GOAL_KINDS]),
    ),
).map(json.dumps)  # fmt: skip


@settings(max_examples=100, deadline=None, suppress_health_check=[*HealthCheck])
@given(st.lists(st.one_of(messages, sound_messages), min_size=100, max_size=100))
def test_random_messages_never_break_a_session(all_messages: list[str]) -> None:
    from posewright import figure
    from posewright.studio.session.opening import opened

    editor = Editor(opened(figure("human40")))
    kept = tempfile.TemporaryDirectory()
    folder = Path(kept.name, "folder")
    folder.mkdir()
    figure("arm4").save(folder / "arm.yaml")
    (folder / "task.yaml").write_text("figure: arm.yaml\ngoals: []\n")
    (folder / "broken.bvh").write_text("HIERARCHY")

    async def talk() -> list[dict[str, object]]:
        wire = Silent()
        desk, page = Desk(editor, Files(editor, Folder(folder), state_folder=Path(kept.name, "state"))), Page(wire)
        await desk.enter(page)
        for message in (*all_messages, '{"kind": "end_drag", "id": 1}'):  # an edit is not taken before
            desk.ask(page, message)
        await _all_answered(desk, [page])
        return wire.texts

    texts = run_in_a_loop(talk())
    answers = [one for one in texts if one["kind"] in ("done", "error")]
    assert len(answers) == len(all_messages) + 1
    assert not [one for one in answers if "internal error" in str(one.get("message"))]
    assert np.isfinite(editor.q).all()
    assert view.document(editor).revision == editor.revision
    assert sorted(path.name for path in Path(kept.name).iterdir() if path.name != "state") == ["folder"]
    kept.cleanup()
