"""Posing without a browser: every kind of goal, modes, symmetry, poses, settings and proposals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from posewright import figure
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures.kinematics import joint_positions
from posewright.goals import GOAL_KINDS
from posewright.studio import protocol
from posewright.studio.server import view
from posewright.studio.session.commands.goals import DeleteGoal, MoveGoals, PinGoal, SetGoal
from posewright.studio.session.commands.poses import MirrorPose, SetDofs
from posewright.studio.session.commands.settings import SetRelation, SetRigidity, SetSolver
from posewright.studio.session.commands.sites import NewGoal, PickPoint
from posewright.studio.session.editor import Editor
from posewright.studio.session.goals.fields import goal_fields, read_goal
from posewright.studio.session.goals.places import can_move, can_turn, place_of
from posewright.studio.session.opening import opened
from posewright.studio.session.proposals import Proposal, by_every_solver, distinct_answers

FOREARM = PickPoint(joint="left_elbow", point=(0.0, -0.1, 0.03))
TURN = (float(np.cos(0.1)), 0.0, float(np.sin(0.1)), 0.0)
UP_FORWARD = np.array([0.1, 0.25, 0.2])


def new(kind: str) -> NewGoal:
    """By a click on the forearm; a smooth chain is that of the spine."""
    if kind == "smoothness":
        return NewGoal(goal_kind=kind, at="head")
    return NewGoal(goal_kind=kind, at="left_elbow", point=(0.0, -0.1, 0.03))


@pytest.mark.parametrize("kind", GOAL_KINDS)
def test_each_kind_is_made_moved_turned_and_deleted(editor: Editor, kind: str) -> None:
    sites, before = editor.state.figure.site_names, editor.q
    editor.run(new(kind))
    goal = editor.state.goals[-1]
    assert (goal.word(), goal.priority) == (kind, 2)
    assert editor.judged[goal.label].reached
    np.testing.assert_allclose(editor.q, before, atol=1e-6)  # what is met at once moves nothing
    here = place_of(goal, editor.state.pose)
    editor.begin_drag(goals=(goal.label,))
    if can_move(goal):
        assert here is not None
        there = tuple(np.add(here, (0.05, 0.02, 0.03)).tolist())
        editor.move({goal.label: there})
        assert place_of(editor.goals[-1], editor.state.pose) == pytest.approx(there)
    if can_turn(goal):
        editor.move({}, {goal.label: TURN})
    editor.end_drag()
    assert editor.judged[goal.label].reached
    assert all(editor.judged[foot].reached for foot in ("left_sole", "right_sole"))
    editor.run(DeleteGoal(name=goal.label))
    assert editor.state.figure.site_names == sites


@pytest.mark.parametrize("kind", GOAL_KINDS)
def test_the_fields_of_a_goal_read_back_to_the_goal(editor: Editor, kind: str) -> None:
    editor.run(new(kind))
    goal = editor.state.goals[-1]
    again = read_goal({k: v for k, v in goal_fields(goal).items() if v is not None}, editor.state)
    assert goal_fields(again) == goal_fields(goal)
    if kind not in ("posture", "smoothness"):  # arrays of poses do not compare
        assert again.branches(editor.state.figure) == goal.branches(editor.state.figure)


def test_fields_are_set_as_in_task_files_and_say_what_is_wrong(editor: Editor) -> None:
    editor.run(new("distance"))
    name = editor.state.goals[-1].label
    editor.run(SetGoal(name=name, fields={"distance": 0.5, "tolerance": 0.01, "joints": "limb", "name": "reach"}))
    goal: Any = editor.state.goals[-1]
    assert (goal.distance, goal.tolerance, goal.joints, goal.label) == (0.5, 0.01, "limb", "reach")
    editor.run(SetGoal(name="reach", fields={"tolerance": None}))
    assert editor.state.goals[-1].tolerance is None
    with pytest.raises(InvalidSetting, match="distance"):
        editor.run(SetGoal(name="reach", fields={"distance": -1}))
    with pytest.raises(UnknownName, match="distance"):
        editor.run(SetGoal(name="reach", fields={"distanse": 1}))
    with pytest.raises(UnknownName):
        editor.run(SetGoal(name="reach", fields={"kind": "aim"}))


def test_the_alternative_that_counts_is_told(editor: Editor) -> None:
    editor.run(new("any_of"))
    name = editor.state.goals[-1].label
    assert editor.judged[name].branch == 0
    members = goal_fields(editor.state.goals[-1])["members"]
    editor.run(SetGoal(name=name, fields={"members": members[::-1]}))
    assert editor.judged[name].branch == 1


@pytest.mark.parametrize(
    ("mode", "may_move"),
    [("limb", {"left_clavicle", "left_shoulder", "left_elbow"}), ("joint", {"left_elbow"}), ("full body", None)],
)
def test_modes_say_what_of_the_body_follows(editor: Editor, mode: Any, may_move: set[str] | None) -> None:
    before = editor.q
    start = editor.state.pose.point("left_elbow")
    editor.begin_drag(FOREARM, mode=mode)
    editor.move({"left_forearm.1": tuple(start + UP_FORWARD)})
    editor.end_drag()
    changed = {
        name.partition(".")[0]
        for name, old, now in zip(editor.state.figure.dof_names, before, editor.q, strict=True)
        if old != now
    }
    assert changed == may_move if may_move is not None else "L3" in changed or len(changed) > 6
    again = editor.session.replay(editor.session.states[0], editor.session.entries)
    assert again.state.q.tobytes() == editor.q.tobytes()
    editor.run(SetGoal(name="left_forearm.1", weight=2.0))  # the mode was that of the drag
    assert editor.state.still == ()


def test_pins_hold_position_and_orientation_separately(editor: Editor) -> None:
    editor.run(FOREARM)
    name = "left_forearm.1"
    for position, orientation, kind in ((True, True, "placement"), (True, False, "position"),
                                        (False, True, "orientation")):  # fmt: skip
        editor.run(PinGoal(name=name, pinned=True, position=position, orientation=orientation))
        goal = editor.state.goals[-1]
        assert (goal.label, goal.word(), goal.priority, editor.judged[name].reached) == (name, kind, 1, True)
    with pytest.raises(InvalidSetting, match="neither"):
        editor.run(PinGoal(name=name, pinned=True, position=False, orientation=False))
    editor.run(PinGoal(name=name, pinned=False))
    assert (editor.state.goals[-1].word(), editor.state.goals[-1].priority) == ("position", 2)


def test_live_symmetry_mirrors_the_other_side(editor: Editor) -> None:
    start = editor.state.pose.point("left_elbow")
    editor.begin_drag(FOREARM, symmetric=True)
    editor.move({"left_forearm.1": tuple(start + UP_FORWARD)})
    editor.end_drag()
    pose = editor.state.pose
    left, right = pose.point("left_forearm.1"), pose.point("right_forearm.1")
    np.testing.assert_allclose(right, left * [-1, 1, 1], atol=1e-3)
    assert len(editor.session.entries) == 1
    x, y, z = left
    editor.begin_drag(goals=("left_forearm.1",), symmetric=True)  # the partner is there now, and taken along
    editor.move({"left_forearm.1": (x, y + 0.05, z)})
    editor.end_drag()
    assert [goal.label for goal in editor.state.goals[2:]] == ["left_forearm.1", "right_forearm.1"]
    assert editor.state.pose.point("right_forearm.1")[1] == pytest.approx(y + 0.05, abs=1e-3)


def test_a_site_in_the_middle_has_no_other_side(editor: Editor) -> None:
    editor.begin_drag(PickPoint(joint="head", point=(0.0, 0.1, 0.0)), symmetric=True)
    assert [goal.label for goal in editor.state.goals] == ["left_sole", "right_sole", "head.1"]
    editor.cancel_drag()


def bent(editor: Editor) -> None:
    start = editor.state.pose.point("left_elbow")
    editor.run(FOREARM)
    editor.run(MoveGoals(targets={"left_forearm.1": tuple(start + UP_FORWARD)}))


def test_mirroring_twice_is_nothing_and_goals_follow(editor: Editor) -> None:
    bent(editor)
    before = editor.q
    editor.run(MirrorPose())
    assert all(judged.reached for judged in editor.judged.values())
    assert not np.allclose(editor.q, before, atol=1e-2)
    editor.run(MirrorPose())
    np.testing.assert_allclose(editor.q, before, atol=1e-9)


def test_copied_poses_are_pasted_and_pasted_flipped(editor: Editor) -> None:
    with pytest.raises(InvalidSetting, match="no pose was copied"):
        editor.paste(flipped=False)
    bent(editor)
    copied = editor.q
    left = editor.state.pose.point("left_wrist")
    editor.copy()
    editor.undo()
    editor.paste(flipped=False)
    np.testing.assert_array_equal(editor.q, copied)
    editor.paste(flipped=True)
    right = editor.state.pose.point("right_wrist")
    np.testing.assert_allclose(right[1:], left[1:], atol=1e-6)


def test_numbers_of_joints_keep_their_limits(editor: Editor) -> None:
    editor.run(SetDofs(values={"left_elbow.flexion": 1.0}))
    assert editor.state.pose["left_elbow.flexion"] == 1.0
    with pytest.raises(InvalidSetting, match="within its limits"):
        editor.run(SetDofs(values={"left_elbow.flexion": 9.0}))


def test_a_rigid_joint_does_not_move_and_is_shown(editor: Editor) -> None:
    editor.run(SetRigidity(joint="left_elbow", rigidity=1.0))
    before = editor.state.pose["left_elbow.flexion"]
    bent(editor)
    assert editor.state.pose["left_elbow.flexion"] == before
    shown = {joint.name: joint.rigidity for joint in view.scene(editor).joints}
    assert shown["left_elbow"] == 1.0


def test_groups_and_constraints_are_switched(editor: Editor) -> None:
    names = {one.name: one for one in view.document(editor).relations}
    assert names["spine"].is_group
    assert not names["spine"].on
    editor.run(SetRelation(name="spine", on=True))
    assert len(editor.state.problem.space.names) < editor.state.figure.n_dofs
    constraint = next(name for name, one in names.items() if not one.is_group)
    editor.run(SetRelation(name=constraint, on=False))
    kept = [one.name for one in editor.state.problem.figure.constraints]
    assert constraint not in kept
    assert len(kept) == len(editor.state.figure.constraints) - 1
    bent(editor)
    assert editor.judged["left_forearm.1"].reached
    with pytest.raises(UnknownName, match="spine"):
        editor.run(SetRelation(name="spin", on=True))


def test_a_solver_is_chosen_by_name(editor: Editor) -> None:
    editor.run(SetSolver(solver="least_squares"))
    bent(editor)
    assert editor.judged["left_forearm.1"].reached
    with pytest.raises(UnknownName, match="prioritized"):
        editor.run(SetSolver(solver="prioritised"))


def test_every_solver_proposes_and_one_is_accepted(editor: Editor) -> None:
    bent(editor)
    found = [one for one in by_every_solver(editor.state) if isinstance(one, Proposal)]
    assert {"least_squares", "prioritized", "active_set_bfgs", "sequential_monte_carlo"} <= {one.name for one in found}
    for one in found:
        editor.propose(one)
    editor.accept(1)
    np.testing.assert_array_equal(editor.q, found[1].q)
    assert editor.session.undoes == f"accept {found[1].name}"
    assert editor.proposals == ()
    with pytest.raises(InvalidSetting, match="no proposal 0"):
        editor.accept(0)


def test_distinct_answers_differ_and_all_are_met(editor: Editor) -> None:
    bent(editor)
    found = [one for one in distinct_answers(editor.state) if isinstance(one, Proposal)]
    assert len(found) > 1
    first = found[0]
    assert len(first.path) > 1
    assert (len(first.particles), first.particles.shape[2]) == first.path.shape
    assert all(not one.particles.size for one in found[1:])
    for one in found:
        editor.propose(one)
    assert [len(list(view.proposal_poses(editor, k))) for k in range(len(found))] == [2] + [1] * (len(found) - 1)
    kind, number, *shape = protocol.PARTICLE_HEADER.unpack_from(crowd := list(view.proposal_poses(editor, 0))[1])
    assert (kind, number, shape[0], shape[2]) == (
        protocol.PARTICLE_FRAME,
        0,
        len(first.path),
        len(editor.state.figure.joints),
    )
    places = np.frombuffer(crowd, "<f4", offset=protocol.PARTICLE_HEADER.size).reshape(*shape, 3)
    expected = joint_positions(editor.state.figure, first.particles[3, 0])
    np.testing.assert_allclose(places[3, 0], expected, atol=1e-5)
    assert all(judged.reached for one in found for judged in one.judged.values())
    gaps = [np.abs(a.q - b.q).max() for k, a in enumerate(found) for b in found[:k]]
    assert min(gaps) > 0.05


@pytest.mark.parametrize("name", ["arm4", "chain", "hand", "human22", "human40"])
def test_other_figures_are_posed_in_the_same_way(name: str) -> None:
    editor = Editor(opened(figure(name)))
    joint = editor.state.figure.joint_names[-1]
    for kind in ("position", "orientation", "line", "half_space", "outside"):
        editor.run(NewGoal(goal_kind=kind, at=joint, point=(0.0, 0.0, 0.0)))
    assert all(judged.reached for judged in editor.judged.values())
    view.scene(editor), view.document(editor), view.pose(editor)
