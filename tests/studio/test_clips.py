"""Clips without a browser: keys make an edit, undo brings back its numbers, and poses travel once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright import MotionModel, Position, clips, edit, figure, motion
from posewright.errors import InvalidSetting, PosewrightError, UnknownName
from posewright.figures import Site
from posewright.figures.kinematics import joint_positions
from posewright.studio import protocol
from posewright.studio.server import clip_view, view
from posewright.studio.session.clips.clip import Clip
from posewright.studio.session.clips.opening import BUILT_IN, built_in_clip, opened_motion
from posewright.studio.session.command import Command
from posewright.studio.session.commands.clips import DeleteKey, EaseKey, MoveKey, OpenClip, SetKey
from posewright.studio.session.commands.contacts import CutContact, DeleteContact, FindContacts, SetContact
from posewright.studio.session.commands.goals import DeleteGoal, PinGoal
from posewright.studio.session.commands.modelling import SetEditing, TakeModel
from posewright.studio.session.commands.sites import PickPoint
from posewright.studio.session.commands.spans import (
    AddKnot,
    AddPath,
    DeleteKnot,
    DeleteSpan,
    Hold,
    MoveSpan,
    SetKnot,
    SetSpan,
    TurnSpan,
)  # fmt: skip
from posewright.studio.session.editor import Editor
from posewright.studio.session.journal import read_journal, session_lines
from posewright.studio.session.modelling.fitting import fitted
from posewright.studio.session.sources import Sources
from posewright.studio.session.state import State

WALK = clips.walk(figure("human40"), steps=4, fps=30.0)
FRAME = 20


@pytest.fixture
def walker() -> Editor:
    return Editor(opened_motion(WALK))


def clip(editor: Editor) -> Clip:
    assert editor.state.clip is not None
    return editor.state.clip


def key(frame: int = FRAME, site: str = "left_wrist", by: tuple[float, float, float] = (0.1, 0.2, 0.05)) -> SetKey:
    x, y, z = (WALK.point(site, frame) + by).tolist()
    return SetKey(frame=frame, site=site, target=(x, y, z))


def test_a_clip_opens_with_its_feet_on_the_ground(walker: Editor) -> None:
    assert clip(walker).q is clip(walker).source
    assert len(clip(walker)) == len(WALK)
    assert abs(walker.state.floor) < 0.01  # it is found from where feet rest
    bars = {bar.foot: (bar.start, bar.end) for bar in clip(walker).contacts}
    assert set(bars) == {"left_foot", "right_foot"}
    assert all(0 <= start <= end < len(WALK) for start, end in bars.values())


def test_a_key_is_met_and_feet_and_far_frames_stay(walker: Editor) -> None:
    walker.run(key())
    edited = clip(walker).motion(walker.state.figure)
    assert np.linalg.norm(edited.point("left_wrist", FRAME) - key().target) < 1e-3
    first, after = clip(walker).changed
    assert 0 < first < FRAME < after <= len(WALK)
    np.testing.assert_array_equal(edited.q[:first], WALK.q[:first])
    for foot in ("left_ankle", "right_ankle"):
        joint = WALK.figure.joint_index(foot)
        moved = joint_positions(WALK.figure, edited.q)[:, joint] - joint_positions(WALK.figure, WALK.q)[:, joint]
        assert np.abs(moved).max() < 2e-3
    info = view.document(walker).clip
    assert info is not None
    assert [(one.frame, one.site, one.reached) for one in info.keys] == [(FRAME, "left_wrist", True)]


def test_a_point_of_the_body_becomes_a_site_that_goes_with_its_key(walker: Editor) -> None:
    sites = walker.state.figure.site_names
    walker.run(SetKey(frame=FRAME, site="left_elbow", point=(0.0, -0.1, 0.03), target=(0.3, 1.2, 0.9)))
    assert walker.state.figure.site_names == (*sites, "left_forearm.1")
    walker.run(SetKey(frame=FRAME, site="left_forearm.1", target=(0.3, 1.1, 0.9)))  # the same key, moved
    assert [one.site for one in clip(walker).keys] == ["left_forearm.1"]
    walker.run(PickPoint(joint="head", point=(0.0, 0.1, 0.0)))
    walker.run(DeleteGoal(name=walker.state.goals[-1].label))  # the key still needs its site
    assert walker.state.figure.site_names == (*sites, "left_forearm.1")
    walker.run(DeleteKey(frame=FRAME))
    assert walker.state.figure.site_names == sites
    assert clip(walker).q is clip(walker).source


def test_a_preview_shows_the_edit_and_does_nothing(walker: Editor) -> None:
    before = walker.session
    walker.preview(key())
    shown = walker.clip_state.clip
    assert shown is not None
    assert walker.session is before
    with pytest.raises(InvalidSetting, match="nothing to preview"):
        walker.preview(PinGoal(name="right_sole", pinned=False))
    walker.run(key())
    np.testing.assert_array_equal(clip(walker).q, shown.q)  # letting go changes nothing more
    walker.preview(key(by=(0.0, 0.1, 0.0)))
    walker.stop_preview()
    assert walker.clip_state is walker.state


def test_with_a_model_the_whole_clip_follows_within_it() -> None:
    body = figure("human40")
    jumps = [clips.jump(body, seed=seed, fps=30.0) for seed in range(4)]
    model = MotionModel.fit(jumps)
    editor = Editor(opened_motion(jumps[0], model))
    x, y, z = jumps[0].point("head", FRAME).tolist()
    editor.run(SetKey(frame=FRAME, site="head", target=(x, y + 0.03, z)))
    expected = edit(jumps[0], Position("head", (x, y + 0.03, z)).at(FRAME), space=model)
    np.testing.assert_array_equal(clip(editor).q, expected.motion.q)
    with pytest.raises(PosewrightError):
        opened_motion(clips.walk(figure("human"), steps=2), model)


def fitted_editor() -> Editor:
    """A jump, edited in a model that was fitted from several."""
    editor = Editor(opened_motion(clips.jump(figure("human40"), seed=20, fps=30.0)))
    names = ("open", "family:jump")
    motions = editor.modeller.ask(editor.state, names)
    done: list[int] = []
    editor.modeller.found = names, fitted(motions, editor.state.figure, 0.9, done.append)
    assert done == list(range(len(motions) + 2))
    editor.take_model()
    assert editor.modeller.failure == ""
    return editor


def test_a_model_is_fitted_taken_and_kept_in_the_journal(tmp_path: Path) -> None:
    editor = fitted_editor()
    model = editor.state.model
    assert model is not None
    assert (len(model.clips), model.explained_variance >= 0.9) == (9, True)
    x, y, z = editor.state.source_motion.point("head", FRAME).tolist()
    editor.run(SetKey(frame=FRAME, site="head", point=(0.0, 0.1, 0.05), target=(x, y + 0.12, z)))  # a site of its own
    first, after = clip(editor).changed
    assert (first, after) == (0, len(clip(editor)))
    editor.run(SetEditing(in_model=False))
    in_joints = clip(editor).changed
    assert in_joints[1] - in_joints[0] < len(clip(editor))
    editor.run(SetEditing(in_model=True, hold_contacts="on", max_deviation=4.0))
    editor.run(OpenClip(clip="jump"))
    path = tmp_path / "it.posewright"
    path.write_text("".join(session_lines(editor.session, tmp_path, {})), encoding="utf-8", newline="\n")
    again = read_journal(path, Sources([])).session
    assert [bits(state) for state in again.states] == [bits(state) for state in editor.session.states]
    kept = again.state.model
    assert kept is not None
    assert kept.modes.tobytes() == model.modes.tobytes()


def test_a_model_waits_until_a_drag_is_over_and_one_that_does_not_fit_is_refused() -> None:
    editor = Editor(opened_motion(WALK))
    two = [WALK, clips.walk(WALK.figure, steps=4, fps=30.0, seed=1)]
    editor.modeller.found = ("open",), MotionModel.fit(two)
    editor.begin_drag(PickPoint(joint="head", point=(0.0, 0.1, 0.0)))
    editor.take_model()
    assert editor.state.model is None
    editor.cancel_drag()
    editor.take_model()
    assert editor.state.model is not None
    with pytest.raises(InvalidSetting, match="no clip is chosen"):
        editor.modeller.ask(editor.state, ())
    with pytest.raises(PosewrightError, match="no source 'family:wlk'"):
        editor.modeller.ask(editor.state, ("family:wlk",))
    with pytest.raises(InvalidSetting, match="base 64"):
        editor.run(TakeModel(clips=(), model="?"))
    with pytest.raises(InvalidSetting, match="damaged"):
        editor.run(TakeModel(clips=(), model="AAAA"))
    other = Editor(opened_motion(WALK))
    with pytest.raises(InvalidSetting, match="no motion model to edit in"):
        other.run(SetEditing(in_model=True))
    other.modeller.found = ("open",), MotionModel.fit([clips.walk(figure("human"), steps=2)])
    other.take_model()
    assert "is of figure 'human', not of 'human40'" in other.modeller.failure


def test_clips_of_other_bodies_are_retargeted_before_a_fit() -> None:
    foreign = clips.walk(figure("human"), steps=2, fps=30.0)
    navel = foreign.figure.with_sites(Site(name="navel", joint="L3"))  # on a joint that the other body does not have
    for body in (WALK.figure, navel):
        model = fitted([WALK, foreign], body, 0.98, lambda done: None)
        assert model.figure.dof_names == body.dof_names


def test_keys_are_pasted_as_they_displace_the_body(walker: Editor) -> None:
    with pytest.raises(InvalidSetting, match="no keys were copied yet"):
        walker.paste_keys(3, flipped=False)
    walker.run(key())
    walker.copy_keys([FRAME])
    walker.paste_keys(40, flipped=False)
    first, second = clip(walker).keys
    moved = [np.subtract(one.target, WALK.point(one.site, one.frame)) for one in (first, second)]
    np.testing.assert_allclose(np.linalg.norm(moved[0]), np.linalg.norm(moved[1]), atol=1e-9)
    assert moved[0] @ moved[1] > 0.9 * moved[0] @ moved[0]  # the body hardly turns
    walker.paste_keys(40, flipped=True)
    right = next(one for one in clip(walker).keys if one.site == "right_wrist")
    across = np.subtract(right.target, WALK.point("right_wrist", 40))
    assert across[0] * moved[0][0] < 0.0  # to the other side
    assert across[1] == pytest.approx(moved[0][1])
    assert walker.session.undoes == "paste keys at frame 40"


def test_curves_are_those_of_the_clip(walker: Editor) -> None:
    walker.run(key())
    told = clip_view.curves(walker.state, "left_elbow")
    curve, height, speed, _ = told.curves
    above = WALK.with_q(clip(walker).q).point("left_elbow", FRAME)[1] - walker.state.floor
    assert height.edited[FRAME] == pytest.approx(above)
    assert 0.5 < np.mean(speed.source) < 3.0  # it walks, m/s
    dof = WALK.figure.dof_index(curve.name)
    assert (told.frames, curve.unit) == (tuple(range(len(WALK))), "rad")
    assert (curve.source, curve.edited) == (tuple(WALK.q[:, dof].tolist()), tuple(clip(walker).q[:, dof].tolist()))
    with pytest.raises(PosewrightError, match="left_elbow"):
        clip_view.curves(walker.state, "left_elbo")


def test_keys_of_a_frame_move_together(walker: Editor) -> None:
    walker.run(key())
    walker.run(key(site="head", by=(0.0, -0.05, 0.0)))
    walker.run(MoveKey(frame=FRAME, to=30))
    assert [(one.frame, one.site) for one in clip(walker).keys] == [(30, "left_wrist"), (30, "head")]
    walker.run(DeleteKey(frame=30, site="head"))
    assert [one.site for one in clip(walker).keys] == ["left_wrist"]


def test_several_frames_of_keys_move_copy_and_go_together(walker: Editor) -> None:
    walker.run(key())
    walker.run(key(frame=30, by=(0.0, 0.1, 0.0)))
    walker.run(MoveKey(frame=FRAME, to=25, also=(30,)))
    assert [one.frame for one in clip(walker).keys] == [25, 35]
    walker.copy_keys([35, 25])
    walker.paste_keys(45, flipped=False)
    assert [one.frame for one in clip(walker).keys] == [25, 35, 45, 55]
    walker.run(DeleteKey(frame=25, also=(45, 55)))
    assert [one.frame for one in clip(walker).keys] == [35]
    with pytest.raises(InvalidSetting, match="outside the clip"):
        walker.run(MoveKey(frame=35, to=len(WALK)))


def test_a_key_fades_over_the_frames_it_is_given(walker: Editor) -> None:
    walker.run(key())
    first, _ = clip(walker).changed
    (told,) = view.document(walker).clip.keys
    assert not told.eased
    assert first == pytest.approx(FRAME - told.ease_in, abs=1.5)
    walker.run(EaseKey(frame=FRAME, ease=(4.0, 12.0)))
    assert clip(walker).changed[0] == FRAME - 3
    walker.run(key(by=(0.0, 0.2, 0.0)))
    assert clip(walker).keys[0].ease == (4.0, 12.0)  # a key that is dragged keeps it
    walker.run(EaseKey(frame=FRAME))
    assert clip(walker).keys[0].ease is None


def test_what_is_held_is_turned_and_what_aims_is_dragged_by_a_knot(walker: Editor) -> None:
    walker.run(Hold(what="orientation", site="head", frame=20, start=15, end=25))
    before = clip(walker).spans[0].goal
    walker.run(TurnSpan(span="head", turn=(0.9848, 0.0, 0.1736, 0.0)))
    assert clip(walker).spans[0].goal != before
    assert view.document(walker).clip.spans[0].reached
    walker.run(Hold(what="aim", site="neck", frame=20, start=15, end=25))
    (knot,) = clip(walker).spans[1].knots
    front = np.subtract(knot.point, WALK.point("neck", 20))
    assert front[2] > 0.9 * np.linalg.norm(front)  # a walk goes along z; it looks ahead


def test_a_knot_is_previewed_by_a_key_and_nothing_is_done(walker: Editor) -> None:
    walker.run(AddPath(site="left_wrist", start=10, end=30))
    span = clip(walker).spans[0]
    point = tuple(np.add(span.knots[1].point, (0.0, 0.05, 0.0)).tolist())
    walker.preview(SetKnot(span=span.name, knot=1, point=point))
    shown = walker.clip_state.clip
    frame = round(span.knots[1].frame)
    at = WALK.with_q(shown.q).point("left_wrist", frame)
    np.testing.assert_allclose(at, point, atol=2e-3)
    assert clip(walker).spans[0] is span
    walker.preview(MoveSpan(span=span.name, by=5))  # in time: the bar alone goes along
    assert walker.clip_state.clip.q.tobytes() == clip(walker).q.tobytes()


def bits(state: State) -> tuple[object, ...]:
    clip = state.clip
    assert clip is not None
    return clip.q.tobytes(), clip.keys, clip.spans, clip.contacts, clip.settings, state.figure.site_names


frames = st.integers(0, len(WALK) - 1)
spans = st.integers(0, 25)
feet = st.sampled_from(["left_foot", "right_foot"])
some_commands: st.SearchStrategy[Command] = st.one_of(
    st.builds(key, frames, st.sampled_from(["left_wrist", "head"]), st.tuples(*[st.floats(-0.2, 0.2)] * 3)),
    st.builds(lambda frame: SetKey(frame=frame, site="right_elbow", point=(0.0, -0.1, 0.0), target=(0, 1, 1)), frames),
    st.builds(lambda frame, to: MoveKey(frame=frame, to=to), frames, frames),
    st.builds(lambda frame: DeleteKey(frame=frame), frames),
    st.builds(lambda frame, before: EaseKey(frame=frame, ease=(before, 9.0)), frames, st.floats(1, 20)),
    st.just(TurnSpan(span="right_wrist", turn=(0.96, 0.0, 0.28, 0.0))),
    st.builds(lambda start, length: AddPath(site="left_wrist", start=start, end=start + length), frames, spans),
    st.builds(
        lambda what, frame: Hold(what=what, site="right_wrist", frame=frame, start=frame - 4, end=frame + 4),
        st.sampled_from(["position", "orientation", "placement", "aim"]), st.integers(4, len(WALK) - 5),
    ),
    st.builds(
        lambda knot, point, frame: SetKnot(span="left_wrist", knot=knot, point=point, frame=frame),
        st.integers(0, 4), st.none() | st.tuples(st.floats(0, 0.5), st.floats(0.8, 1.6), st.floats(0, 3)),
        st.none() | frames,
    ),
    st.builds(lambda frame: AddKnot(span="left_wrist", frame=frame), frames),
    st.builds(lambda knot: DeleteKnot(span="left_wrist", knot=knot), st.integers(0, 4)),
    st.builds(
        lambda start, ease, shape: SetSpan(span="left_wrist", start=start, ease_in=ease, tension=shape, bias=-shape),
        st.none() | frames, st.floats(0, 20), st.floats(-1, 1),
    ),
    st.builds(lambda by: MoveSpan(span="left_wrist", by=by), st.integers(-9, 9)),
    st.just(DeleteSpan(span="left_wrist")),
    st.builds(lambda foot, start, length: SetContact(foot=foot, start=start, end=start + length), feet, frames, spans),
    st.builds(lambda foot, frame: CutContact(foot=foot, number=0, frame=frame), feet, frames),
    st.builds(lambda foot: DeleteContact(foot=foot, number=1), feet),
    st.just(FindContacts()),
)  # fmt: skip


@settings(max_examples=8, deadline=None)
@given(st.lists(some_commands, min_size=1, max_size=6))
def test_undo_redo_and_replay_restore_every_bit(tmp_path_factory: pytest.TempPathFactory, todo: list[Command]) -> None:
    editor = Editor(opened_motion(WALK))
    seen = [bits(editor.state)]
    for command in todo:
        try:
            editor.run(command)
        except PosewrightError:
            assert bits(editor.state) == seen[-1]
        else:
            seen.append(bits(editor.state))
    folder = tmp_path_factory.mktemp("session")
    path = folder / "it.posewright"
    path.write_text("".join(session_lines(editor.session, folder, {})), encoding="utf-8", newline="\n")
    again = read_journal(path, Sources([])).session
    assert [bits(state) for state in again.states] == seen
    for expected in reversed(seen[:-1]):
        editor.undo()
        assert bits(editor.state) == expected
    for expected in seen[1:]:
        editor.redo()
        assert bits(editor.state) == expected


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (SetKey(frame=10_000, site="head", target=(0.0, 1.0, 0.0)), "frame 10000 is outside the clip"),
        (SetKey(frame=1, site="hed", target=(0.0, 1.0, 0.0)), "did you mean 'head'"),
        (MoveKey(frame=1, to=2), "frame 1 has no key; frames with keys: none"),
        (DeleteKey(frame=1, site="head"), "frame 1 has no key about 'head'"),
        (OpenClip(clip="wlk"), "did you mean 'walk'"),
    ],
)
def test_what_makes_no_sense_is_one_sentence_and_changes_nothing(walker: Editor, command: Command, says: str) -> None:
    before = walker.session
    with pytest.raises((InvalidSetting, UnknownName)) as error:
        walker.run(command)
    assert says in str(error.value)
    assert walker.session is before


def test_keys_need_a_clip_and_one_is_opened_by_name(editor: Editor) -> None:
    with pytest.raises(InvalidSetting, match="no clip is open"):
        editor.run(SetKey(frame=0, site="head", target=(0.0, 1.0, 0.0)))
    assert "walk" in view.document(editor).clip_names
    editor.run(OpenClip(clip="walk"))
    assert clip(editor).name == "walk"
    editor.undo()
    assert editor.state.clip is None


def test_every_clip_of_the_library_can_be_opened() -> None:
    assert set(BUILT_IN) == set(clips.__all__) - {"Clip"}
    assert all(len(built_in_clip(WALK.figure, name).contacts) for name in BUILT_IN)


def test_a_motion_without_feet_or_frames_opens_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    from posewright import Motion

    arm = figure("arm4")
    assert opened_motion(Motion(arm, np.zeros((5, arm.n_dofs)), 30.0)).clip is not None
    assert opened_motion(Motion(arm, np.zeros((0, arm.n_dofs)), 30.0)).clip is None
    path = tmp_path_factory.mktemp("clips") / "walk.bvh"
    WALK.save(path)
    assert len(opened_motion(motion(path)).clip or ()) == len(WALK)


class Received:
    """What a page knows of the clip, from the bytes it got."""

    def __init__(self) -> None:
        self.source = self.edited = np.zeros((0, 0, 7), "<f4")
        self.numbers = 0
        self._begins = True

    def take(self, message: bytes) -> None:
        kind, which, total, first, count, joints, is_last = protocol.CLIP_HEADER.unpack_from(message)
        assert kind == protocol.CLIP_FRAME
        numbers = np.frombuffer(message, "<f4", offset=protocol.CLIP_HEADER.size).reshape(count, joints, 7)
        self.numbers += count
        if which == protocol.SOURCE:
            self.source = np.full((total, joints, 7), np.nan, "<f4") if self._begins else self.source
            self.edited = self.source
        elif self._begins:
            self.edited = self.source.copy()
        self.edited[first : first + count] = numbers
        self._begins = bool(is_last)

    def shows(self, state: State) -> bool:
        assert state.clip is not None
        wanted = [clip_view.joint_numbers(state.figure, q).astype("<f4") for q in (state.clip.source, state.clip.q)]
        return all(np.array_equal(*both) for both in zip((self.source, self.edited), wanted, strict=True))


@pytest.mark.parametrize("chunk", [clip_view._CHUNK, 4000])
def test_poses_of_a_clip_travel_once_then_what_an_edit_changed(
    walker: Editor, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clip_view, "_CHUNK", chunk)
    page, late = Received(), Received()
    shown = None

    def follow() -> int:
        """How many frames travel until the page shows what there is."""
        nonlocal shown
        page.numbers = 0
        for message in clip_view.clip_poses(walker.state, shown):
            page.take(message)
        shown = walker.state
        assert page.shows(walker.state)
        return page.numbers

    assert follow() == len(WALK)
    walker.run(key())
    start, after = clip(walker).changed
    assert follow() == after - start < len(WALK)
    assert follow() == 0
    walker.run(key(frame=40))
    assert follow() < len(WALK)
    for message in clip_view.clip_poses(walker.state, None):
        late.take(message)
    assert late.shows(walker.state)
    for _ in range(2):
        walker.undo()
        follow()
    walker.redo()
    assert follow() == after - start
    walker.run(OpenClip(clip="jump"))
    assert follow() == len(clip(walker))
