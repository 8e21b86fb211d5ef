"""Retargeting without a browser: what is likely meant, corrections of the match, answers that stand beside the work."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright import clips, figure, retarget
from posewright.anatomy.lexicon import ESSENTIAL
from posewright.errors import InvalidSetting, PosewrightError, UnknownName
from posewright.matching import JointMatch
from posewright.studio import protocol
from posewright.studio.files.opening import with_file
from posewright.studio.server.desk import Desk
from posewright.studio.server.meshes import Meshes
from posewright.studio.server.pages import Frames, Page
from posewright.studio.server.retarget_view import RetargetView
from posewright.studio.session.clips.opening import opened_motion
from posewright.studio.session.command import Command
from posewright.studio.session.commands.clips import SetKey
from posewright.studio.session.commands.retargeting import (
    AcceptRetarget,
    ClearPart,
    FindMatch,
    PairJoints,
    SetPart,
    SetRetargeting,
    SetRetargetOptions,
)
from posewright.studio.session.editor import Editor
from posewright.studio.session.journal import read_journal, session_lines
from posewright.studio.session.library import Library
from posewright.studio.session.opening import opened
from posewright.studio.session.retargeting.pairing import paired, part_of
from posewright.studio.session.retargeting.question import question_of, source_names, target_names
from posewright.studio.session.retargeting.retargeter import answer
from posewright.studio.session.sources import Sources
from posewright.studio.session.state import State

from .conftest import run_in_a_loop

WALK = clips.walk(figure("human40"), steps=3, fps=30.0)
SMALL = figure("human")


def walking() -> State:
    """A clip, and a figure that was opened after it."""
    return replace(opened_motion(WALK), library=Library.of([("small", SMALL)]))


@pytest.fixture
def walker() -> Editor:
    return Editor(walking())


def answered(editor: Editor) -> None:
    asked = editor.retargeter.ask(editor.state)
    editor.retargeter.take(answer(asked, lambda done: None))


def test_the_open_clip_on_the_other_figure_is_likely_meant(walker: Editor) -> None:
    asked = question_of(walker.state)
    assert asked.source.q is WALK.q
    assert asked.target is SMALL
    alone = question_of(opened_motion(WALK))
    assert (alone.source.name, alone.target.name) == (WALK.name, "human")
    posed = question_of(replace(opened(SMALL), library=Library.of([("w", WALK), ("w", WALK)])))
    assert (posed.source, posed.target) == (WALK, SMALL)
    assert question_of(opened(SMALL)).source.name == "walk"


def test_every_choice_can_be_looked_up(walker: Editor) -> None:
    for source in source_names(walker.state):
        walker.run(SetRetargeting(source=source))
        assert len(question_of(walker.state).source)
    for target in target_names(walker.state):
        walker.run(SetRetargeting(target=target))
        assert question_of(walker.state).target.joints
    for wrong in ("item:smal", "built-in:wlak", "walk", "item:"):
        with pytest.raises(UnknownName):
            walker.run(SetRetargeting(source=wrong))
    with pytest.raises(InvalidSetting, match="without a motion"):
        walker.run(SetRetargeting(source="item:small"))


def test_the_answer_is_that_of_the_library_and_is_judged_as_check_does(walker: Editor) -> None:
    answered(walker)
    found = walker.retargeter.answer(walker.state)
    made = retarget(WALK, SMALL)
    assert found is not None
    np.testing.assert_array_equal(found.motion.q, made.motion.q)
    assert [v.measure for v in found.verdicts] == list(made.quality().measures)
    assert found.warnings == made.warnings
    assert {bar.foot for bar in found.contacts} == {"left_foot", "right_foot"}


def test_accepting_makes_it_the_clip_and_undo_and_replay_never_solve(
    walker: Editor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = walker.session.state
    with pytest.raises(InvalidSetting, match="press Retarget first"):
        walker.accept_retarget()
    answered(walker)
    found = walker.retargeter.answer(walker.state)
    assert found is not None
    walker.accept_retarget()
    monkeypatch.setattr("posewright.studio.session.retargeting.retargeter.retarget", None)
    state = walker.state
    assert state.clip is not None
    assert state.figure.joint_names == SMALL.joint_names
    np.testing.assert_array_equal(state.clip.q, found.motion.q)
    assert [item.name for item in state.library.items] == ["small", before.clip.name if before.clip else ""]
    assert question_of(state).source.q is WALK.q  # so that it can be done again, differently
    walker.undo()
    assert walker.state is before
    assert walker.retargeter.answer(walker.state) is found  # and accepted again
    walker.redo()
    assert walker.state is state
    text = "".join(session_lines(walker.session, tmp_path, {}))
    (tmp_path / "session").write_text(text, encoding="utf-8")
    again = read_journal(tmp_path / "session", Sources((tmp_path,))).session
    assert again.state.clip is not None
    np.testing.assert_array_equal(again.state.clip.q, state.clip.q)
    np.testing.assert_array_equal(again.state.q, state.q)
    for wrong in ({}, {"frames": 3, "float64": "AAAA"}, {"frames": 1, "float64": "!"}, {"frames": "x", "float64": 3}):
        with pytest.raises(PosewrightError):
            walker.run(AcceptRetarget(q=wrong))


def test_an_answer_belongs_to_its_question(walker: Editor) -> None:
    answered(walker)
    first = walker.retargeter.answer(walker.state)
    walker.run(SetRetargetOptions(options={"feet": False}))
    assert walker.retargeter.answer(walker.state) is None
    walker.undo()
    assert walker.retargeter.answer(walker.state) is first
    x, y, z = WALK.point("head", 10).tolist()
    walker.run(SetKey(frame=10, site="head", target=(x, y - 0.05, z)))  # the source is edited
    assert walker.retargeter.answer(walker.state) is None
    walker.undo()
    assert walker.retargeter.answer(walker.state) is first
    walker.retargeter.let_go()
    assert walker.retargeter.answer(walker.state) is None


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"foot": True}, "foot"),
        ({"feet": 1.5}, "feet"),
        ({"solver": "least_square"}, "least_squares"),
        ({"smooth": "much"}, "smooth"),
    ],
)
def test_options_that_make_no_sense_are_refused(walker: Editor, options: dict[str, object], says: str) -> None:
    with pytest.raises(PosewrightError, match=says):
        walker.run(SetRetargetOptions(options=options))


def test_options_reach_the_solve(walker: Editor) -> None:
    walker.run(SetRetargetOptions(options={"imitation": 1.0, "hands": True, "smooth": 0, "scale": 0.5, "floor": 0.01}))
    answered(walker)
    found = walker.retargeter.answer(walker.state)
    made = retarget(WALK, SMALL, imitation=1.0, keep_hands=True, smooth=0.0, scale=0.5, floor=0.01)
    assert found is not None
    np.testing.assert_array_equal(found.motion.q, made.motion.q)
    walker.accept_retarget()
    assert walker.state.figure.joint_names == made.motion.figure.joint_names


def test_a_wrong_pair_is_corrected_and_what_it_displaces_changes_places(walker: Editor) -> None:
    found = question_of(walker.state).match
    left, right = found.target.parts["left_knee"][0], found.target.parts["right_knee"][0]
    source = found.source.parts["left_knee"][0]
    walker.run(PairJoints(source=source, target=right))  # wrong on purpose
    match = question_of(walker.state).match
    assert (match.target.parts["left_knee"], match.target.parts["right_knee"]) == ((right,), (left,))
    assert match.confidence["left_knee"] == 1.0 or match.target.confidence["left_knee"] == 1.0
    walker.run(PairJoints(source=source, target=left))
    match = question_of(walker.state).match
    assert match.target.parts == found.target.parts
    walker.undo()
    walker.run(FindMatch())
    assert question_of(walker.state).match.target.parts == found.target.parts


def test_a_part_is_cleared_and_given_again(walker: Editor) -> None:
    found = question_of(walker.state).match
    walker.run(ClearPart(part="left_elbow"))
    with pytest.raises(InvalidSetting, match=r"left elbow; correct the match"):
        walker.retargeter.ask(walker.state)
    joint = found.target.parts["left_elbow"][0]
    with pytest.raises(InvalidSetting, match="neither"):
        walker.run(PairJoints(source=found.source.parts["left_elbow"][0], target=joint))
    walker.run(SetPart(part="left_elbow", of="target", joint=joint))
    walker.run(PairJoints(source=found.source.parts["left_elbow"][0], target=joint))
    match = question_of(walker.state).match
    assert (match.source.parts, match.target.parts) == (found.source.parts, found.target.parts)
    assert walker.retargeter.ask(walker.state)
    for wrong in (
        ClearPart(part="left_elbo"),
        SetPart(part="elbow", of="target", joint=joint),
        SetPart(part="left_elbow", of="source", joint="nobody"),
        PairJoints(source="nobody", target=joint),
    ):
        with pytest.raises(UnknownName):
            walker.run(wrong)


@given(st.data())
@settings(max_examples=60)
def test_any_pair_is_paired_or_refused_and_parts_stay_parts(data: st.DataObject) -> None:
    match = JointMatch.guess(WALK.figure, SMALL)
    for _ in range(4):
        source = data.draw(st.sampled_from(WALK.figure.joint_names))
        target = data.draw(st.sampled_from(SMALL.joint_names))
        try:
            match = paired(match, source, target)
        except InvalidSetting:
            assert part_of(match.source, source) is part_of(match.target, target) is None
            continue
        assert part_of(match.source, source) == part_of(match.target, target) is not None
        assert set(match.parts) <= {*match.source.parts}


@given(st.lists(st.sampled_from(["pair", "clear", "part", "option", "source", "undo", "redo"]), max_size=12), st.data())
@settings(max_examples=20)
def test_whatever_is_done_undo_comes_back_and_nothing_breaks(does: list[str], data: st.DataObject) -> None:
    editor = Editor(walking())
    names = WALK.figure.joint_names

    def command(word: str) -> Command:
        if word == "pair":
            return PairJoints(
                source=data.draw(st.sampled_from(names)), target=data.draw(st.sampled_from(SMALL.joint_names))
            )
        if word == "clear":
            return ClearPart(part=data.draw(st.sampled_from(ESSENTIAL)))
        if word == "part":
            return SetPart(
                part=data.draw(st.sampled_from(ESSENTIAL)), of="source", joint=data.draw(st.sampled_from(names))
            )
        if word == "option":
            return SetRetargetOptions(options={"smooth": data.draw(st.sampled_from([0.0, 1.0, 2.5]))})
        return SetRetargeting(source=data.draw(st.sampled_from(["open", "built-in:jump"])))

    editor.retargeter.shown = True
    shown = RetargetView(Meshes())
    for word in does:
        try:
            if word in ("undo", "redo"):
                getattr(editor, word)()
            else:
                editor.run(command(word))
        except PosewrightError:
            pass
        for message in shown.news(editor, running=False, done=0):
            if isinstance(message, Frames):
                assert all(isinstance(frame, bytes) for frame in message.make())
            else:
                assert json.loads(message)["kind"] in ("retargeting", "staged")
    while editor.session.done:
        editor.undo()
    assert question_of(editor.state).match.target.parts == JointMatch.guess(WALK.figure, SMALL).target.parts


class Listener:
    """A page that keeps what it gets."""

    def __init__(self) -> None:
        self.texts: list[dict[str, object]] = []
        self.frames: list[tuple[int, ...]] = []

    async def send_text(self, data: str) -> None:
        self.texts.append(json.loads(data))

    async def send_bytes(self, data: bytes) -> None:
        if int.from_bytes(data[:4], "little") == protocol.CLIP_FRAME:
            self.frames.append(protocol.CLIP_HEADER.unpack_from(data))

    @property
    def retargeting(self) -> dict[str, object]:
        return [one for one in self.texts if one["kind"] == "retargeting"][-1]


def over_the_wire(state: State, *requests: str, until: str) -> Listener:
    """What a page gets after requests, once a run has come to something."""

    async def talk() -> Listener:
        desk, wire = Desk(Editor(state)), Listener()
        page = Page(wire)
        tasks = [asyncio.create_task(page.send_forever()), asyncio.create_task(desk.work_forever())]
        await desk.enter(page)
        for k, kind in enumerate(requests):
            desk.ask(page, json.dumps({"id": k, "kind": kind, **({"at": "retarget"} if kind == "look" else {})}))
        for _ in range(3000):
            await asyncio.sleep(0.01)
            told = [one for one in wire.texts if one["kind"] == "retargeting"]
            ended = [one for one in wire.texts if one["kind"] in ("done", "error")]
            if len(ended) == len(requests) and told and told[-1][until] and not told[-1]["running"]:
                break
        else:
            raise AssertionError("waited in vain")
        for task in tasks:
            task.cancel()
        return wire

    return run_in_a_loop(talk())


def test_a_run_goes_beside_the_line_and_its_answer_arrives() -> None:
    heard = over_the_wire(walking(), "look", "retarget", until="result")
    assert [one["role"] for one in heard.texts if one["kind"] == "staged"] == ["source", "target"]
    of = {which: joints for _, which, _, _, _, joints, _ in heard.frames}
    assert of[protocol.RETARGET_SOURCE] == len(WALK.figure.joints)
    assert of[protocol.RETARGETED] == len(SMALL.joints)
    assert heard.retargeting["why_not"] == ""


def test_nothing_is_computed_for_a_page_that_does_not_look() -> None:
    editor = Editor(walking())
    assert list(RetargetView(Meshes()).news(editor, running=False, done=0)) == []


def test_a_run_that_cannot_be_is_refused_with_the_reason() -> None:
    editor = Editor(replace(walking(), library=Library.of([("chain", figure("chain"))])))
    heard = over_the_wire(editor.state, "look", "retarget", until="why_not")
    assert "no joints of figure 'chain30'" in str(heard.retargeting["why_not"])
    assert any(one["kind"] == "error" for one in heard.texts)


def test_a_match_file_corrects_the_match(walker: Editor, tmp_path: Path) -> None:
    found = question_of(walker.state).match
    left, right = (found.target.parts[f"{side}_knee"] for side in ("left", "right"))
    wrong = found.with_parts(target={"left_knee": right, "right_knee": left})
    wrong.save(tmp_path / "match.yaml")
    opened_with = with_file(walker.state, tmp_path / "match.yaml")
    match = question_of(opened_with).match
    assert (match.source.parts, match.target.parts) == (wrong.source.parts, wrong.target.parts)
