"""Sessions are values: undo, redo and replay restore numbers, and what is refused changes nothing."""

from __future__ import annotations

import gc
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright import figure
from posewright.errors import InvalidSetting, PosewrightError
from posewright.goals import GOAL_KINDS
from posewright.goals.term import SiteTerm
from posewright.studio.server import view
from posewright.studio.session.codec import read_command, write_command
from posewright.studio.session.command import Command
from posewright.studio.session.commands import COMMANDS
from posewright.studio.session.commands.clips import OpenClip, SetKey
from posewright.studio.session.commands.goals import AddGoal, DeleteGoal, MoveGoals, PinGoal, SetGoal
from posewright.studio.session.commands.poses import MirrorPose
from posewright.studio.session.commands.settings import SetRigidity
from posewright.studio.session.commands.sites import MirrorGoal, NewGoal, PickPoint, RenameSite
from posewright.studio.session.editor import Editor
from posewright.studio.session.live import SOLVER
from posewright.studio.session.opening import opened
from posewright.studio.session.session import Session
from posewright.studio.session.state import State

FOREARM = PickPoint(joint="left_elbow", point=(0.0, -0.1, 0.03))


def looks(state: State) -> tuple[bytes, tuple[Any, ...], tuple[str, ...]]:
    """All that a page shows of a state, bit for bit."""
    return state.q.tobytes(), state.goals, (*state.figure.site_names, *map(str, state.figure.rigidity))


def test_standing_feet_are_pinned_from_the_start(editor: Editor) -> None:
    assert [(goal.label, goal.priority) for goal in editor.state.goals] == [("left_sole", 1), ("right_sole", 1)]
    assert all(judged.reached for judged in editor.judged.values())


@pytest.mark.parametrize("name", ["arm4", "chain", "hand", "human22"])
def test_figures_without_feet_open_with_the_floor_at_zero(name: str) -> None:
    state = opened(figure(name))
    assert (state.goals, state.floor) == ((), 0.0)


def test_a_click_makes_a_site_and_a_goal_and_moves_nothing(editor: Editor) -> None:
    before = editor.q.tobytes()
    editor.run(FOREARM)
    editor.run(FOREARM)
    assert [goal.label for goal in editor.state.goals[2:]] == ["left_forearm.1", "left_forearm.2"]
    assert editor.q.tobytes() == before
    assert editor.judged["left_forearm.1"].reached


def test_a_site_made_by_a_click_goes_with_its_last_goal(editor: Editor) -> None:
    editor.run(FOREARM)
    editor.run(AddGoal(goal={"kind": "position", "site": "left_forearm.1", "target": [0, 1, 0], "name": "other"}))
    editor.run(DeleteGoal(name="left_forearm.1"))
    assert "left_forearm.1" in editor.state.figure.site_names
    editor.run(DeleteGoal(name="other"))
    assert "left_forearm.1" not in editor.state.figure.site_names


def test_a_site_is_renamed_with_all_that_is_about_it(editor: Editor) -> None:
    editor.run(OpenClip(clip="walk"))
    editor.run(FOREARM)
    editor.run(NewGoal(goal_kind="any_of", at="left_forearm.1"))
    editor.run(NewGoal(goal_kind="distance", at="left_forearm.1"))
    editor.run(SetKey(frame=3, site="left_forearm.1", target=(0.3, 1.0, 0.1)))
    before, name = editor.q.tobytes(), "<img src=x onerror=alert(1)>"
    editor.run(RenameSite(site="left_forearm.1", to=name))
    assert editor.state.goals[2].label == name
    terms = [term for branches in editor.state.problem.branches for branch in branches for term in branch]
    assert "left_forearm.1" not in {term.site for term in terms if isinstance(term, SiteTerm)}
    assert editor.state.clip is not None
    assert "left_forearm.1" not in repr((editor.state.figure.sites, editor.state.clip.keys))
    assert editor.q.tobytes() == before
    editor.run(MoveGoals(targets={name: (0.4, 1.2, 0.2)}))
    assert editor.state.goal(name).place == (0.4, 1.2, 0.2)
    for site, to, says in (
        (name, "left_wrist", "there is a site or joint 'left_wrist' already"),
        ("left_sole", "sole", "belongs to the figure"),
        ("left_forearm.1", "it", "left_forearm.1"),
    ):
        with pytest.raises(PosewrightError, match=says):
            editor.run(RenameSite(site=site, to=to))
    editor.undo()
    editor.undo()
    assert editor.state.goals[2].label == "left_forearm.1"
    editor.redo()
    assert name in editor.state.figure.site_names


def test_on_another_pose_a_goal_is_wanted_where_it_was_clicked(editor: Editor) -> None:
    editor.run(PickPoint(joint="left_elbow", point=(0.0, -0.1, 0.03), target=(0.4, 1.3, 0.2)))
    editor.run(NewGoal(goal_kind="line", at="right_elbow", point=(0.0, -0.1, 0.03), target=(-0.4, 1.2, 0.3)))
    arm, line = editor.state.goals[2:]
    assert (arm.target, line.point) == ((0.4, 1.3, 0.2), (-0.4, 1.2, 0.3))
    assert all(judged.reached for judged in editor.judged.values())


def test_a_drag_is_one_entry_that_repeats_to_the_same_pose(editor: Editor) -> None:
    before = looks(editor.state)
    feet = [editor.state.pose.point(foot) for foot in ("left_sole", "right_sole")]
    editor.begin_drag(FOREARM)
    start = editor.state.pose.point("left_forearm.1")
    for share in np.linspace(0.1, 1.0, 10):
        editor.move({"left_forearm.1": tuple(start + share * np.array([0.1, 0.25, 0.2]))})
    editor.end_drag()
    (entry,) = editor.session.entries
    assert entry.start is not None
    again = SOLVER.prepare(editor.state.problem).solve(start=entry.start)
    np.testing.assert_allclose(again.q, entry.q, atol=1e-9)
    pose = editor.state.pose
    np.testing.assert_allclose(pose.point("left_forearm.1"), start + np.array([0.1, 0.25, 0.2]), atol=1e-3)
    np.testing.assert_allclose([pose.point(foot) for foot in ("left_sole", "right_sole")], feet, atol=2e-4)
    editor.undo()
    assert looks(editor.state) == before


def test_moves_of_a_drag_leave_nothing_to_the_garbage_collector(editor: Editor) -> None:
    editor.begin_drag(FOREARM)
    start = editor.state.pose.point("left_forearm.1")

    def move(rise: float) -> None:
        x, y, z = start
        editor.move({"left_forearm.1": (x, y + rise, z)})
        view.pose(editor)

    move(0.01)  # what is made once
    gc.collect()
    gc.disable()
    try:
        for rise in np.linspace(0.02, 0.3, 5):
            move(float(rise))
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_cancelled_drag_leaves_no_trace(editor: Editor) -> None:
    before = looks(editor.state)
    editor.begin_drag(FOREARM)
    editor.move({"left_forearm.1": (0.5, 1.5, 0.3)})
    editor.cancel_drag()
    assert looks(editor.state) == before
    assert editor.session.entries == ()


def test_out_of_reach_the_reason_is_told_and_the_feet_stay(editor: Editor) -> None:
    editor.begin_drag(FOREARM)
    editor.move({"left_forearm.1": (5.0, 5.0, 5.0)})
    editor.end_drag()
    judged = editor.judged["left_forearm.1"]
    assert not judged.reached
    assert judged.why.startswith("left_forearm.1 missed by")
    assert editor.judged["left_sole"].reached


points = st.tuples(*[st.floats(-1.0, 2.0)] * 3)
names = st.sampled_from(["left_sole", "right_sole", "left_forearm.1", "left_forearm.2", "head.1", "nobody"])
commands = st.one_of(
    st.builds(PickPoint, joint=st.sampled_from(["left_elbow", "head", "nobody"]), point=points),
    st.builds(MoveGoals, targets=st.dictionaries(names, points, min_size=1, max_size=2)),
    st.builds(SetGoal, name=names, weight=st.floats(-1, 3), priority=st.integers(0, 3), enabled=st.booleans()),
    st.builds(PinGoal, name=names, pinned=st.booleans(), position=st.booleans(), orientation=st.booleans()),
    st.builds(DeleteGoal, name=names),
    st.builds(NewGoal, goal_kind=st.sampled_from([*GOAL_KINDS]), at=st.just("left_elbow"), point=st.none() | points),
    st.builds(MirrorGoal, name=names),
    st.builds(MirrorPose),
    st.builds(SetRigidity, joint=st.sampled_from(["left_elbow", "nobody"]), rigidity=st.floats(0, 1)),
)


@settings(max_examples=15, deadline=None)
@given(st.lists(commands, min_size=1, max_size=12))
def test_undo_redo_and_replay_are_exact(todo: list[Command]) -> None:
    editor = Editor(opened(figure("human40")))
    for command in todo:
        before, entries = looks(editor.state), editor.session.entries
        try:
            editor.run(command)
        except PosewrightError:  # refused: nothing happened
            assert looks(editor.state) == before
            assert editor.session.entries is entries
    seen = [looks(state) for state in editor.session.states]
    for k in reversed(range(len(seen) - 1)):
        editor.undo()
        assert looks(editor.state) == seen[k]
    for k in range(1, len(seen)):
        editor.redo()
        assert looks(editor.state) == seen[k]
    replayed = Session.replay(opened(figure("human40")), editor.session.entries)
    assert [looks(state) for state in replayed.states] == seen


def test_what_was_undone_is_forgotten_once_something_else_is_done(editor: Editor) -> None:
    editor.run(FOREARM)
    editor.undo()
    editor.run(PickPoint(joint="head", point=(0.0, 0.1, 0.0)))
    assert editor.session.redoes is None
    with pytest.raises(InvalidSetting, match="there is nothing to redo"):
        editor.redo()


def sample(kind: Any) -> Any:
    """A value of the type of a field of a command."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return sample(arguments[0])
    if origin is Literal:
        return arguments[-1]
    if origin in (Union, UnionType):
        return sample(next(one for one in arguments if one is not NoneType))
    if origin is tuple:
        return tuple(sample(one) for one in arguments if one is not ...)
    if origin in (dict, Mapping):
        return {sample(arguments[0]): sample(arguments[1])}
    if kind in (Command, Any):
        return FOREARM if kind is Command else ["x", 1 / 3]
    if is_dataclass(kind):
        types = get_type_hints(kind, include_extras=True)
        return kind(**{one.name: sample(types[one.name]) for one in fields(kind) if one.name != "kind"})
    return {str: "left_sole", int: 3, float: 1 / 3, bool: True}[kind]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.__name__)
def test_every_command_survives_json(command: type[Command]) -> None:
    made = sample(command)
    assert read_command(json.loads(json.dumps(write_command(made)))) == made


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"kind": "pick_pont"}, "pick_point"),
        ({"kind": "delete_goal"}, "name: Field required"),
        ({"kind": "delete_goal", "name": "a", "more": 1}, "more: "),
        ({"kind": "move_goals", "targets": {"a": [1, 2]}}, "targets.a"),
        ({"kind": "move_goals", "targets": {"a": [1, 2, "3"]}}, "targets.a.2"),
        ({"kind": "together", "commands": [{"kind": "undo"}]}, "the kind of a command is 'undo'"),
        (["pick_point"], "the kind of a command is None"),
    ],
)
def test_commands_that_cannot_be_read_say_why(given: object, says: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        read_command(given)
    assert says in str(error.value)


def test_goals_of_any_kind_are_read_as_in_task_files(editor: Editor) -> None:
    editor.run(AddGoal(goal={"kind": "aim", "site": "view", "target": [0.0, 1.0, 2.0], "priority": 2}))
    assert editor.state.goals[-1].word() == "aim"
    with pytest.raises(InvalidSetting, match="the goal cannot be read"):
        editor.run(AddGoal(goal={"kind": "aim", "site": "view"}))
    with pytest.raises(InvalidSetting, match=r"site: must be a site .* did you mean 'left_hand'"):
        editor.run(AddGoal(goal={"kind": "position", "site": "left_hnd", "target": [0, 1, 0]}))
