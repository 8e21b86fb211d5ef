"""Sessions as files: what is saved comes back bit for bit, and nothing is written over unseen."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright import clips, figure
from posewright.errors import FileProblem, InvalidSetting, PosewrightError
from posewright.goals import GOAL_KINDS
from posewright.studio.files import autosave
from posewright.studio.files.beginning import begun
from posewright.studio.files.errand import done_at_once
from posewright.studio.files.files import Files
from posewright.studio.files.folder import Folder
from posewright.studio.files.project import Project
from posewright.studio.files.standing import Address, Standing
from posewright.studio.server import view
from posewright.studio.session.command import Command
from posewright.studio.session.commands.clips import OpenClip, SetKey
from posewright.studio.session.commands.goals import DeleteGoal, MoveGoals, PinGoal, SetGoal
from posewright.studio.session.commands.poses import MirrorPose
from posewright.studio.session.commands.settings import SetRelation, SetRigidity, SetSolver
from posewright.studio.session.commands.sites import NewGoal, PickPoint
from posewright.studio.session.editor import Editor
from posewright.studio.session.journal import read_journal, session_lines
from posewright.studio.session.retargeting.retargeter import answer
from posewright.studio.session.session import Session
from posewright.studio.session.sources import Source, Sources
from posewright.studio.session.state import State
from posewright.studio.session.state_values import read_state, write_state

FOREARM = PickPoint(joint="left_elbow", point=(0.0, -0.1, 0.03))
REACH = MoveGoals(targets={"left_forearm.1": (0.3, 1.3, 0.3)})


def looks(state: State) -> tuple[Any, ...]:
    """All that a session keeps of a state, bit for bit."""
    clip = state.clip
    motion = None if clip is None else (clip.name, clip.fps, clip.q.tobytes(), clip.source.tobytes(), clip.keys)
    goals = [repr(goal) for goal in state.goals]  # poses in them are compared by what they are
    return (
        state.q.tobytes(), goals, state.figure.joint_names, state.figure.sites, state.floor, state.made_sites,
        state.solver, state.solver_settings, state.groups, state.released, state.frozen, state.still, motion,
        state.figure.rigidity.tobytes(),
    )  # fmt: skip


def session_looks(session: Session) -> tuple[Any, ...]:
    return [looks(state) for state in session.states], session.done, [entry.command for entry in session.entries]


def read_back(session: Session, folder: Path) -> Session:
    path = folder / "it.posewright"
    path.write_text("".join(session_lines(session, folder, {})), encoding="utf-8", newline="\n")
    return read_journal(path, Sources([folder])).session


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    clips.walk(figure("human40")).save(path)
    return path


def test_a_state_is_written_whole(tmp_path: Path, editor: Editor) -> None:
    written = write_state(editor.state, tmp_path)
    read_from_sources = {"model", "postures"}
    assert set(written) | read_from_sources == {field.name for field in fields(State)}, "a field of State is not saved"


points = st.tuples(*[st.floats(-1.0, 2.0)] * 3)
names = st.sampled_from(["left_sole", "right_sole", "left_forearm.1", "head.1"])
commands = st.one_of(
    st.builds(PickPoint, joint=st.sampled_from(["left_elbow", "head"]), point=points),
    st.builds(MoveGoals, targets=st.dictionaries(names, points, min_size=1, max_size=2)),
    st.builds(SetGoal, name=names, weight=st.floats(0, 3), priority=st.integers(1, 3), enabled=st.booleans()),
    st.builds(PinGoal, name=names, pinned=st.booleans()),
    st.builds(DeleteGoal, name=names),
    st.builds(NewGoal, goal_kind=st.sampled_from([*GOAL_KINDS]), at=st.just("left_elbow"), point=st.none() | points),
    st.builds(MirrorPose),
    st.builds(SetRigidity, joint=st.just("left_elbow"), rigidity=st.floats(0, 1)),
    st.builds(SetRelation, name=st.sampled_from(["spine", "left_shoulder"]), on=st.booleans()),
    st.builds(SetSolver, solver=st.just("least_squares")),
    st.sampled_from([None, OpenClip(clip="walk"), SetKey(frame=20, site="left_wrist", target=(0.3, 1.2, 0.5))]),
)


@settings(max_examples=12, deadline=None)
@given(st.lists(commands, min_size=1, max_size=10), st.integers(0, 3))
def test_any_session_comes_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, todo: list[Command | None], undone: int
) -> None:
    editor = Editor(begun(["human"], Path()).session.state)
    for command in todo:
        try:
            editor.undo() if command is None else editor.run(command)
        except PosewrightError:
            continue
    for _ in range(min(undone, editor.session.done)):
        editor.undo()
    again = read_back(editor.session, tmp_path_factory.mktemp("session"))
    assert session_looks(again) == session_looks(editor.session)


def test_a_clip_keeps_only_what_its_keys_changed(walk: Path, tmp_path: Path) -> None:
    editor = Editor(begun([str(walk)], tmp_path).session.state)
    editor.run(SetKey(frame=30, site="LeftHand" if "LeftHand" in editor.state.figure.joint_names else "left_wrist",
                      target=(0.4, 1.4, 0.6)))  # fmt: skip
    clip = editor.state.clip
    assert clip is not None
    lines = list(session_lines(editor.session, tmp_path, {}))
    first, after = clip.changed
    assert 0 < after - first < len(clip)
    assert len(lines[1]) < len(lines[0])
    assert session_looks(read_back(editor.session, tmp_path)) == session_looks(editor.session)


def test_save_takes_a_free_name_and_then_keeps_it(tmp_path: Path, editor: Editor) -> None:
    (tmp_path / "human.posewright").write_text("mine")
    files = Files(editor, Folder(tmp_path))
    editor.run(FOREARM)
    assert editor.unsaved
    done_at_once(files.saving())
    assert (tmp_path / "human.posewright").read_text() == "mine"
    assert not editor.unsaved
    editor.run(REACH)
    done_at_once(files.saving())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["human-2.posewright", "human.posewright"]
    _, session = Project.opened(tmp_path / "human-2.posewright", Sources([tmp_path]))
    assert session_looks(session) == session_looks(editor.session)
    editor.undo()
    assert editor.unsaved
    editor.redo()
    assert not editor.unsaved


def test_two_studios_cannot_write_over_each_other_unseen(tmp_path: Path) -> None:
    one, other = (Editor(begun(["human"], tmp_path).session.state) for _ in range(2))
    first, second = Files(one, Folder(tmp_path)), Files(other, Folder(tmp_path))
    one.run(FOREARM)
    done_at_once(first.saving("shot"))
    with pytest.raises(InvalidSetting, match=r"there is a shot\.posewright already; save under another name"):
        done_at_once(second.saving("shot"))
    project, session = Project.opened(tmp_path / "shot.posewright", Sources([tmp_path]))
    third_editor = Editor(session.state)
    third = Files(third_editor, Folder(tmp_path), project=project)
    one.run(REACH)
    done_at_once(first.saving())
    held = (tmp_path / "shot.posewright").read_bytes()
    with pytest.raises(InvalidSetting, match="was changed by another program since it was last saved here"):
        done_at_once(third.saving())
    assert (tmp_path / "shot.posewright").read_bytes() == held
    done_at_once(third.saving("shot", overwrite=True))
    assert (tmp_path / "shot.posewright").read_bytes() != held


def test_nothing_is_saved_over_a_source(tmp_path: Path, walk: Path) -> None:
    beginning = begun([str(walk)], tmp_path)
    files = Files(Editor(beginning.session.state), Folder(tmp_path))
    held = walk.read_bytes()
    (tmp_path / "link.posewright").symlink_to(walk)
    for overwrite in (False, True):
        with pytest.raises(FileProblem, match="is a source of this session and cannot be overwritten"):
            done_at_once(files.saving("link", overwrite=overwrite))
    assert walk.read_bytes() == held


@pytest.mark.parametrize(
    "name", ["../out", "/etc/out", "a/../../out", ".hidden", "a/.b/c", "..", "a\\b", "C:out", "a\nb", "a\0b", "",
             "a//b", "x" * 300, "out/../x", "link/out"],
)  # fmt: skip
def test_names_that_lead_elsewhere_are_refused_in_a_sentence(tmp_path: Path, editor: Editor, name: str) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    with pytest.raises(InvalidSetting) as error:
        done_at_once(Files(editor, Folder(inside)).saving(name))
    assert "\n" not in str(error.value)
    assert list(outside.iterdir()) == []
    assert [path.name for path in inside.iterdir()] == ["link"]


def test_a_source_that_changed_or_is_missing_is_said_and_the_session_goes_on(tmp_path: Path, walk: Path) -> None:
    editor = Editor(begun([str(walk)], tmp_path).session.state)
    done_at_once(Files(editor, Folder(tmp_path)).saving("it"))
    path = str(tmp_path / "it.posewright")
    assert begun([path], tmp_path).notices == ()
    walk.write_bytes(walk.read_bytes() + b"\n")
    changed = begun([path], tmp_path)
    assert len(changed.notices) == 1
    assert "walk.bvh is no longer as it was when this session read it" in changed.notices[0]
    walk.unlink()
    missing = begun([path], tmp_path)
    assert len(missing.notices) == 1
    assert "walk.bvh is missing" in missing.notices[0]
    assert session_looks(missing.session) == session_looks(editor.session)


def test_a_folder_that_was_moved_with_its_project_still_finds_its_sources(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    clips.walk(figure("human40")).save(old / "walk.npz")
    done_at_once(Files(Editor(begun([str(old / "walk.npz")], old).session.state), Folder(old)).saving("it"))
    new = tmp_path / "new"
    old.rename(new)
    found = begun([str(new / "it.posewright")], new)
    assert found.notices == ()
    assert {source.path for source in found.session.state.sources} == {new / "walk.npz"}


def test_meshes_come_back_from_their_files(tmp_path: Path) -> None:
    for name in ("one.glb", "other.glb"):
        figure("human40").save(tmp_path / name)
    began = begun([str(tmp_path / "one.glb"), str(tmp_path / "other.glb")], tmp_path).session.state
    assert began.figure.skin is not None
    done_at_once(Files(Editor(began), Folder(tmp_path)).saving("it"))
    again = begun([str(tmp_path / "it.posewright")], tmp_path).session.state
    assert again.figure.skin is not None
    assert again.library.items[0].figure.skin is not None
    (tmp_path / "other.glb").unlink()
    less = begun([str(tmp_path / "it.posewright")], tmp_path)
    assert less.session.state.library.items[0].figure.skin is None
    assert "other.glb is missing" in less.notices[0]


def test_a_character_that_was_retargeted_to_has_its_mesh_again(tmp_path: Path) -> None:
    clips.walk(figure("human"), steps=1, fps=30.0).save(tmp_path / "walk.npz")
    figure("human40").save(tmp_path / "one.glb")
    editor = Editor(begun([str(tmp_path / name) for name in ("walk.npz", "one.glb")], tmp_path).session.state)
    editor.retargeter.take(answer(editor.retargeter.ask(editor.state), lambda done: None))
    editor.accept_retarget()
    files = Files(editor, Folder(tmp_path))
    done_at_once(files.saving("it"))
    again = begun([str(tmp_path / "it.posewright")], tmp_path)
    assert again.session.state.figure.skin is not None
    assert again.notices == ()
    source = again.session.state.source("item walk")
    assert source is not None
    assert source.path == tmp_path / "walk.npz"


def _without(key: str) -> Callable[[dict[str, Any]], None]:
    return lambda head: head["state"].pop(key)


def _with(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda head: head["state"].update({key: value})


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_without("q"), "a state must have"),
        (_with("q", [1, 2]), "the pose must be finite numbers"),
        (_with("q", [float("inf")]), "the pose must be finite"),
        (_with("goals", [{"kind": "wish"}]), "a goal must have a kind"),
        (_with("goals", [{"kind": "position", "site": "nobody", "target": [0, 0, 0]}]), "no site 'nobody'"),
        (_with("goals", [{"kind": "position", "much": 1}]), "no field 'much'"),
        (_with("figure", "{}"), "is not a figure file"),
        (_with("solver", "magic"), "no solver 'magic'"),
        (_with("solver_settings", {"max_iterations": -1}), "must be finite and not negative"),
        (_with("groups", ["wings"]), "the figure does not have"),
        (_with("clip", {}), "a clip must have"),
        (_with("sources", [{"role": 1}]), "a source must have"),
        (_with("floor", "low"), "the floor must be finite"),
    ],
)
def test_damaged_projects_say_what_is_wrong(
    tmp_path: Path, editor: Editor, damage: Callable[[dict[str, Any]], None], says: str
) -> None:
    first, *rest = session_lines(editor.session, tmp_path, {})
    head = json.loads(first)
    damage(head)
    path = tmp_path / "bad.posewright"
    path.write_text("".join([json.dumps(head) + "\n", *rest]))
    with pytest.raises(FileProblem) as error:
        begun([str(path)], tmp_path)
    assert says in str(error.value)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.binary(min_size=1, max_size=4))
def test_flipped_bytes_never_bring_anything_but_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, where: int, what: bytes
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    editor = Editor(begun(["arm4"], folder).session.state)
    editor.run(NewGoal(goal_kind="position", at=editor.state.figure.joint_names[-1]))
    data = bytearray("".join(session_lines(editor.session, folder, {})).encode())
    where %= len(data)
    data[where : where + len(what)] = what
    path = folder / "it.posewright"
    path.write_bytes(bytes(data))
    try:
        session = begun([str(path)], folder).session
    except PosewrightError:
        return
    assert np.isfinite(session.state.q).all()


def test_sources_outside_the_folders_are_not_looked_at(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    secret = tmp_path / "secret.bvh"
    secret.write_text("secret")
    sources = Sources([inside])
    assert sources.find(Source.of_file("clip", secret)) is None
    assert "is missing" in sources.notices[0]  # no word on whether it is there


def test_names_that_are_no_files_keep_their_sentences(tmp_path: Path) -> None:
    with pytest.raises(PosewrightError, match="did you mean 'human40'"):
        begun(["human41"], tmp_path)
    with pytest.raises(FileProblem, match="no such file"):
        begun([str(tmp_path / "no.bvh")], tmp_path)
    with pytest.raises(InvalidSetting, match="which is not a folder"):
        begun([], tmp_path / "no")
    with pytest.raises(InvalidSetting, match="which is opened alone"):
        begun(["a.posewright", "human"], tmp_path)


# Recovery.


def killed(folder: Path, todo: list[Command | str]) -> Editor:
    """An editor whose program is gone without a word."""
    editor = Editor(begun(["human"], Path()).session.state)
    files = Files(editor, state_folder=folder, about={"files": ["human"], "folder": "here", "tokens": ["old"]})
    for one in todo:
        getattr(editor, one)() if isinstance(one, str) else editor.run(one)
        files.keep()
    assert files._autosave is not None
    if files._autosave._file is not None:
        os.close(files._autosave._file)  # what the system does with the files of a program that was killed
    return editor


def fresh(folder: Path) -> tuple[Editor, Files]:
    editor = Editor(begun(["human"], Path()).session.state)
    return editor, Files(editor, state_folder=folder, about={"files": ["human"], "folder": "here", "tokens": ["new"]})


@pytest.mark.parametrize(
    "todo",
    [
        [FOREARM],
        [FOREARM, REACH, "undo"],
        [FOREARM, REACH, "undo", "undo", "redo"],
        [FOREARM, "undo", DeleteGoal(name="left_sole"), MirrorPose(), "undo"],
        [OpenClip(clip="walk"), SetKey(frame=20, site="left_wrist", target=(0.3, 1.2, 0.5)), "undo", "redo"],
    ],
)
def test_what_was_done_is_recovered_and_nothing_is_solved(
    tmp_path: Path, todo: list[Command | str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = killed(tmp_path, todo)
    (one,) = autosave.recoveries(tmp_path)
    assert one.crashed
    editor, files = fresh(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("posewright.studio.session.editor.solved", None)
        patch.setattr("posewright.studio.session.clips.editing.ClipEditing.edited", None)
        done_at_once(files.recovering(one.name))
    assert session_looks(editor.session) == session_looks(before.session)
    assert editor.unsaved == (before.session.done > 0)
    assert "recovered what was not saved" in files.notices[0]


def test_a_line_cut_short_is_left_out(tmp_path: Path) -> None:
    killed(tmp_path, [FOREARM, REACH])
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b'{"command"') + 100])
    (one,) = autosave.recoveries(tmp_path)
    editor, files = fresh(tmp_path)
    done_at_once(files.recovering(one.name))
    assert [entry.command for entry in editor.session.entries] == [FOREARM]


def test_a_session_that_runs_is_not_offered_and_one_that_was_saved_leaves_nothing(tmp_path: Path) -> None:
    state, folder = tmp_path / "state", tmp_path / "folder"
    folder.mkdir()
    editor = Editor(begun(["human"], folder).session.state)
    files = Files(editor, Folder(folder), state_folder=state)
    files.keep()
    assert not state.exists()  # nothing was done yet
    editor.run(FOREARM)
    files.keep()
    assert len(list(state.iterdir())) == 1
    assert autosave.recoveries(state) == ()
    done_at_once(files.saving())
    files.end()
    assert list(state.iterdir()) == []


def test_work_not_saved_when_the_program_ended_is_offered_and_can_be_discarded(tmp_path: Path) -> None:
    editor, files = fresh(tmp_path)
    editor.run(FOREARM)
    files.keep()
    files.end()
    _, later = fresh(tmp_path)
    (one,) = later.recoveries
    assert (one.crashed, one.about["title"]) == (False, "human")
    assert later.welcome({"new"}) == ()  # it ended in order: it is offered, not forced on anybody
    later.discard(one.name)
    assert later.recoveries == ()
    with pytest.raises(FileProblem, match="there is no such session to recover"):
        done_at_once(later.recovering(one.name))
    with pytest.raises(FileProblem, match="there is no such session to recover"):
        done_at_once(later.recovering("../../etc/passwd"))


def test_pages_of_a_session_that_was_killed_go_on_others_are_offered_it(tmp_path: Path) -> None:
    before = killed(tmp_path, [FOREARM, REACH])
    editor, files = fresh(tmp_path)
    assert files.welcome({"somebody"}) == ()
    assert editor.session.entries == ()
    assert files.welcome({"somebody", "old"}) == ("old",)
    assert session_looks(editor.session) == session_looks(before.session)
    assert files.recoveries == ()
    assert files.welcome({"old"}) == ()


def test_pages_go_on_after_a_second_crash(tmp_path: Path) -> None:
    before = killed(tmp_path, [FOREARM])
    _, files = fresh(tmp_path)
    assert files.welcome({"old"}) == ("old",)
    assert files._autosave is not None
    assert files._autosave._file is not None
    os.close(files._autosave._file)
    again, later = fresh(tmp_path)
    assert sorted(later.welcome({"old"})) == ["new", "old"]
    assert session_looks(again.session) == session_looks(before.session)


def test_pages_of_a_saved_session_that_was_killed_go_on_nobody_else_is_asked(tmp_path: Path) -> None:
    state, folder = tmp_path / "state", tmp_path / "folder"
    folder.mkdir()
    about = {"files": ["human"], "folder": "here"}
    editor = Editor(begun(["human"], folder).session.state)
    files = Files(editor, Folder(folder), state_folder=state, about={**about, "tokens": ["old"]})
    editor.run(FOREARM)
    files.keep()
    done_at_once(files.saving("shot"))
    assert files._autosave is not None
    assert files._autosave._file is not None
    os.close(files._autosave._file)
    again = Editor(begun(["human"], folder).session.state)
    later = Files(again, Folder(folder), state_folder=state, about={**about, "tokens": ["new"]})
    assert view.files(later, ()).recoveries == ()
    assert later.welcome({"somebody"}) == ()
    assert later.welcome({"old"}) == ("old",)
    assert session_looks(again.session) == session_looks(editor.session)
    assert not again.unsaved
    assert later.project is not None
    assert later.project.path == folder / "shot.posewright"


def test_pages_of_a_project_that_was_killed_go_on(tmp_path: Path) -> None:
    path = tmp_path / "it.posewright"
    editor = Editor(begun(["human"], tmp_path).session.state)
    editor.run(FOREARM)
    done_at_once(Files(editor, Folder(tmp_path)).saving("it"))
    about = {"files": [str(path)], "folder": "here"}

    def started(token: str) -> tuple[Editor, Files]:
        beginning = begun([str(path)], tmp_path)
        own = Editor(beginning.session.states[0])
        own.go_on_with(beginning.session, saved=True)
        state = tmp_path / "state"
        return own, Files(own, Folder(tmp_path), state_folder=state, about={**about, "tokens": [token]})

    editor, files = started("old")
    editor.run(REACH)
    files.keep()
    assert files._autosave is not None
    assert files._autosave._file is not None
    os.close(files._autosave._file)
    again, later = started("new")
    assert later.welcome({"old"}) == ("old",)
    assert session_looks(again.session) == session_looks(editor.session)


def test_the_address_of_a_killed_studio_is_taken_by_the_next_one_like_it(tmp_path: Path) -> None:
    human, walk = ({"files": [name], "folder": "here"} for name in ("human", "walk.bvh"))
    address = Address("127.0.0.1", 4711, ("old",))
    running = Standing(tmp_path, human)
    running.keep(address)
    (path,) = tmp_path.iterdir()
    assert path.stat().st_mode & 0o077 == 0
    assert Standing(tmp_path, human).left("127.0.0.1", 0) is None  # it runs
    assert running._file is not None
    os.close(running._file)  # what the system does with the files of a program that was killed
    assert Standing(tmp_path, walk).left("127.0.0.1", 0) is None
    assert Standing(tmp_path, human).left("127.0.0.1", 0) == address
    assert Standing(tmp_path, human).left("127.0.0.1", 0) is None  # one only follows it
    for host, port in (("0.0.0.0", 0), ("127.0.0.1", 4712)):
        killed_again = Standing(tmp_path, human)
        killed_again.keep(address)
        assert killed_again._file is not None
        os.close(killed_again._file)
        assert Standing(tmp_path, human).left(host, port) is None
    (tmp_path / "broken.address").write_text("{")
    ended = Standing(tmp_path, human)
    ended.keep(address)
    ended.end()
    assert Standing(tmp_path, human).left("127.0.0.1", 0) is None


def test_after_a_crash_saving_goes_on_in_the_same_project(tmp_path: Path) -> None:
    state, folder = tmp_path / "state", tmp_path / "folder"
    folder.mkdir()
    editor = Editor(begun(["human"], folder).session.state)
    files = Files(editor, Folder(folder), state_folder=state)
    editor.run(FOREARM)
    files.keep()
    done_at_once(files.saving("shot"))
    editor.run(REACH)
    files.keep()
    assert files._autosave is not None
    assert files._autosave._file is not None
    os.close(files._autosave._file)
    again = Editor(begun(["human"], folder).session.state)
    later = Files(again, Folder(folder), state_folder=state)
    done_at_once(later.recovering(later.recoveries[0].name))
    assert again.unsaved
    done_at_once(later.saving())
    _, session = Project.opened(folder / "shot.posewright", Sources([folder]))
    assert session_looks(session) == session_looks(editor.session)


def test_a_state_folder_that_cannot_be_written_is_said_once_and_harms_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    editor = Editor(begun(["human"], tmp_path).session.state)
    files = Files(editor, state_folder=blocked / "below")
    for command in (FOREARM, REACH):
        editor.run(command)
        files.keep()
    assert len(files.notices) == 1
    assert "only what you save yourself is safe" in files.notices[0]


def test_read_state_reads_what_write_state_wrote(tmp_path: Path, editor: Editor) -> None:
    written = json.loads(json.dumps(write_state(editor.state, tmp_path)))
    assert looks(read_state(written, tmp_path / "it", Sources([]))) == looks(editor.state)


def test_a_user_without_a_home_folder_is_told_that_nothing_is_kept(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    folder = autosave.state_folder()
    assert autosave.recoveries(folder) == ()
    editor.run(FOREARM)
    with pytest.raises(FileProblem, match="the session cannot be kept here"):
        autosave.Autosave(folder, {}).keep(editor.session)
