"""Designing without a browser: postures collected, a splice that can be edited, and poses kept by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from posewright import clips, design, figure
from posewright.errors import InvalidSetting, PosewrightError, UnknownName
from posewright.models.postures.database import Postures
from posewright.studio.files.opening import with_file
from posewright.studio.server.design_view import DesignView
from posewright.studio.server.working import Working
from posewright.studio.session.commands.designing import SetDesign, SetDonor, UsePostures
from posewright.studio.session.commands.goals import AddGoal, DeleteGoal
from posewright.studio.session.commands.pose_library import ApplyPose, ForgetPose, SavePose
from posewright.studio.session.designing.choices import part_name
from posewright.studio.session.designing.designer import Designed, collected
from posewright.studio.session.editor import Editor
from posewright.studio.session.journal import read_journal, session_lines
from posewright.studio.session.opening import opened
from posewright.studio.session.sources import Sources

BODY = figure("human40")
CLIPS = ("built-in:reach", "built-in:walk")


@pytest.fixture(scope="module")
def postures() -> Postures:
    editor = Editor(opened(BODY))
    return collected(editor.designer.clips(editor.state, CLIPS), BODY, lambda done: None)


@pytest.fixture
def reaching(postures: Postures) -> Editor:
    """A hand wanted ahead, and postures to splice from."""
    editor = Editor(opened(BODY))
    editor.run(AddGoal(goal={"kind": "position", "site": "left_wrist", "target": [0.35, 1.25, 0.3], "priority": 2}))
    editor.designer.keep(editor.state, CLIPS, postures)
    editor.run(UsePostures(clips=CLIPS))
    return editor


def designed(editor: Editor) -> Designed:
    found = editor.designer.look(editor.state, editor.goals)
    assert found is not None
    return found


def test_clips_of_other_bodies_are_retargeted_first(postures: Postures) -> None:
    assert postures.figure is BODY
    assert len(postures) > 10
    assert len(postures.clips) == len(CLIPS)  # they were performed by another body
    with pytest.raises(PosewrightError):
        collected([clips.walk(BODY, steps=2)], figure("chain"), lambda done: None)


def test_a_design_is_that_of_the_library(reaching: Editor, postures: Postures) -> None:
    found, state = designed(reaching), reaching.state
    expected = design(state.figure, state.goals, postures, start=state.pose)
    np.testing.assert_array_equal(found.result.q, expected.q)
    np.testing.assert_array_equal(found.spliced, expected.splice.q)
    assert designed(reaching) is found
    assert found.result.reached
    before = state.q
    reaching.accept_design()
    np.testing.assert_array_equal(reaching.state.q, found.result.q)
    assert reaching.state.goals == state.goals
    reaching.undo()
    np.testing.assert_array_equal(reaching.state.q, before)


def test_a_part_is_given_by_one_posture_and_undone(reaching: Editor, postures: Postures) -> None:
    found = designed(reaching)
    part = next(part for part in found.result.splice.parts if "left_wrist" in part.goals)
    donor = int(part.samples[-1])
    reaching.run(SetDonor(part=part_name(part.goals), posture=donor))
    changed = designed(reaching)
    for joint in part.joints:
        where = BODY.dof_slice(joint)
        np.testing.assert_array_equal(changed.spliced[where], postures.q[donor, where])
    others = [
        k for name in BODY.joint_names if name not in part.joints for k in range(*BODY.dof_slice(name).indices(999))
    ]
    np.testing.assert_array_equal(changed.spliced[others], found.spliced[others])
    assert changed.result.reached  # refined from there
    reaching.undo()
    np.testing.assert_array_equal(designed(reaching).result.q, found.result.q)
    reaching.redo()
    reaching.run(SetDonor(part=part_name(part.goals), posture=None))
    np.testing.assert_array_equal(designed(reaching).spliced, found.spliced)


def test_recruiting_and_the_rest_reach_the_splice(reaching: Editor, postures: Postures) -> None:
    reaching.run(SetDesign(recruiting={"left_wrist": "whole"}, keep_rest=True))
    state = reaching.state
    expected = design(
        state.figure, state.goals, postures, start=state.pose, recruiting={"left_wrist": "whole"}, rest_from_start=True
    )
    np.testing.assert_array_equal(designed(reaching).result.q, expected.q)
    reaching.run(SetDesign(recruiting={"left_wrist": None}))
    assert reaching.state.designing is not None
    assert (reaching.state.designing.recruiting, reaching.state.designing.keep_rest) == ({}, True)
    with pytest.raises(UnknownName):
        reaching.run(SetDesign(recruiting={"left_wrst": "limb"}))


def test_a_design_follows_a_drag(reaching: Editor) -> None:
    before = designed(reaching)
    reaching.begin_drag(goals=("left_wrist",))
    reaching.move({"left_wrist": (0.3, 1.4, 0.35)})
    live = designed(reaching)
    assert live is not before
    at = live.result.pose.point("left_wrist")
    assert np.linalg.norm(at - [0.3, 1.4, 0.35]) < 5e-3
    reaching.cancel_drag()
    np.testing.assert_array_equal(designed(reaching).result.q, before.result.q)


def test_what_is_missing_is_said(reaching: Editor) -> None:
    for name in [goal.label for goal in reaching.state.goals]:
        reaching.run(DeleteGoal(name=name))
    assert "no goal" in reaching.designer.why_not(reaching.state, reaching.goals)
    with pytest.raises(InvalidSetting, match="no goal"):
        reaching.accept_design()
    fresh = Editor(opened(BODY))
    assert fresh.designer.look(fresh.state, fresh.goals) is None
    with pytest.raises(InvalidSetting, match="no postures"):
        fresh.accept_design()
    with pytest.raises(InvalidSetting, match="choose one or more"):
        fresh.designer.clips(fresh.state, ())
    with pytest.raises(UnknownName):
        fresh.run(UsePostures(clips=("built-in:wlk",)))
    fresh.run(UsePostures(clips=("built-in:walk",)))
    assert "not collected" in fresh.designer.why_not(fresh.state, fresh.goals)


def test_a_database_that_is_opened_is_spliced_from(postures: Postures, tmp_path: Path) -> None:
    path = tmp_path / "people.postures.npz"
    postures.save(path)
    editor = Editor(with_file(opened(BODY), path))
    assert len(editor.designer.postures(editor.state) or ()) == len(postures)
    designed(editor)
    strange = replace(opened(figure("chain")))
    with pytest.raises(PosewrightError):
        with_file(strange, path)


def test_messages_name_parts_donors_and_errors(reaching: Editor) -> None:
    reaching.designer.shown = True

    async def nothing(*_: object) -> None: ...

    work: Working[object] = Working(nothing, nothing)
    shown = DesignView()
    first = list(shown.news(reaching, work))
    assert [type(one) for one in first] == [bytes, str]
    assert list(shown.news(reaching, work)) == []
    assert '"left_wrist"' in str(first[1])
    reaching.designer.shown = False
    assert list(DesignView().news(reaching, work)) == []


def test_poses_are_kept_by_name_applied_flipped_and_forgotten(reaching: Editor, tmp_path: Path) -> None:
    reaching.run(SavePose(name="stand"))
    reaching.accept_design()
    reaching.run(SavePose(name="stand"))
    assert [one.name for one in reaching.state.poses] == ["stand", "stand.2"]
    designed_q = reaching.state.q
    reaching.run(ApplyPose(name="stand"))
    np.testing.assert_array_equal(reaching.state.q, reaching.state.poses[0].q)
    reaching.run(ApplyPose(name="stand.2", flipped=True))
    left, right = (reaching.state.pose.point(f"{side}_wrist") for side in ("left", "right"))
    assert right[1] > left[1] + 0.1
    reaching.run(ForgetPose(name="stand"))
    with pytest.raises(UnknownName):
        reaching.run(ApplyPose(name="stand"))
    (tmp_path / "session").write_text("".join(session_lines(reaching.session, tmp_path, {})), encoding="utf-8")
    again = read_journal(tmp_path / "session", Sources((tmp_path,))).session.state
    np.testing.assert_array_equal(again.poses[0].q, designed_q)
    assert again.designing == reaching.state.designing
    with pytest.raises(InvalidSetting, match="another figure"):
        replace(again.poses[0]).on(figure("human"))
