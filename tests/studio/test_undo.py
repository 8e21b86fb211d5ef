"""A hundred random actions of every workflow, undone to the start, done again and recovered: to the last bit."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from posewright import clips, figure
from posewright.errors import PosewrightError
from posewright.goals import GOAL_KINDS
from posewright.studio.session.clips.editing import ClipEditing
from posewright.studio.session.clips.opening import opened_motion
from posewright.studio.session.codec import read_command
from posewright.studio.session.commands.designing import UsePostures
from posewright.studio.session.designing.designer import collected
from posewright.studio.session.editor import Editor
from posewright.studio.session.journal import read_journal, session_lines
from posewright.studio.session.retargeting.retargeter import answer
from posewright.studio.session.sources import Sources
from posewright.studio.session.state import State
from posewright.studio.session.state_values import write_state

WALK = clips.walk(figure("human40"), steps=2, fps=20.0)
ACTIONS = 100


def at_once(self: ClipEditing, state: State, progress: object = None) -> tuple[State, float]:
    """An edit that takes no time, and whose numbers nobody could make again: undo must keep them."""
    clip = state.clip
    if clip is None or not clip.asks:
        return (state if clip is None else replace(state, clip=clip.with_q(clip.source))), 0.0
    return replace(state, clip=clip.with_q(clip.source + 1e-3 * np.random.default_rng().random(clip.source.shape))), 0.0


class User:
    """Does anything at random."""

    def __init__(self, seed: int) -> None:
        self.editor, self._random = Editor(opened_motion(WALK)), random.Random(seed)

    def act(self) -> None:
        self._random.choice(self._actions())()

    def _actions(self) -> list[Callable[[], None]]:
        rare = [self._retarget, self._postures, self._design, self._paste_keys]
        return [self._command] * 12 + [self._drag] * 3 + rare

    def _command(self) -> None:
        self.editor.run(read_command(self._any_command()))

    def _any_command(self) -> dict[str, Any]:
        pick, of = self._random.choice, self._random
        frame, later = (of.randrange(len(WALK)) for _ in range(2))
        site, joint = pick(["left_wrist", "right_wrist", "head"]), pick(["left_elbow", "pelvis", "neck"])
        state = self.editor.state
        goals = [goal.label for goal in state.goals] or ["none"]
        assert state.clip is not None
        span = pick([one.name for one in state.clip.spans] or ["none"])
        key = pick([one.frame for one in state.clip.keys] or [0])
        foot, point = pick(["left_foot", "right_foot"]), [of.uniform(-0.5, 1.5) for _ in range(3)]
        return pick([  # type: ignore[no-any-return]
            {"kind": "pick_point", "joint": joint, "point": [0.0, of.uniform(0, 0.1), 0.0]},
            {"kind": "new_goal", "goal_kind": pick([*GOAL_KINDS]), "at": site},
            {"kind": "move_goals", "targets": {pick(goals): point}},
            {"kind": "set_goal", "name": pick(goals), "weight": of.uniform(0.1, 2), "enabled": of.random() < 0.8},
            {"kind": "pin_goal", "name": pick(goals), "pinned": of.random() < 0.5},
            {"kind": "delete_goal", "name": pick(goals)},
            {"kind": "mirror_pose"},
            {"kind": "set_dofs", "values": {pick(state.figure.dof_names[6:]): of.uniform(-0.3, 0.3)}},
            {"kind": "set_rigidity", "joint": joint, "rigidity": of.random()},
            {"kind": "set_solver", "solver": pick(["least_squares", "prioritized"])},
            {"kind": "save_pose", "name": pick(["a", "b"])}, {"kind": "apply_pose", "name": pick(["a", "b"])},
            {"kind": "set_key", "frame": frame, "site": site, "target": point},
            {"kind": "move_key", "frame": key, "to": later},
            {"kind": "delete_key", "frame": key},
            {"kind": "add_path", "site": site, "start": min(frame, later), "end": max(frame, later)},
            {"kind": "hold", "what": pick(["position", "orientation", "placement", "aim"]), "site": site,
             "frame": frame, "start": frame, "end": frame},
            {"kind": "set_knot", "span": span, "knot": of.randrange(3), "point": point},
            {"kind": "add_knot", "span": span, "frame": frame},
            {"kind": "move_span", "span": span, "by": of.randint(-3, 3)},
            {"kind": "set_span", "span": span, "tension": of.uniform(-1, 1), "ease_in": 2.5},
            {"kind": "delete_span", "span": span},
            {"kind": "set_contact", "foot": foot, "start": min(frame, later), "end": max(frame, later)},
            {"kind": "cut_contact", "foot": foot, "number": 0, "frame": frame},
            {"kind": "delete_contact", "foot": foot, "number": 0}, {"kind": "find_contacts"},
            {"kind": "set_retargeting", "source": "open", "target": pick(["built-in:abnorman1", "open"])},
            {"kind": "clear_part", "part": "head"}, {"kind": "find_match"},
            {"kind": "pair_joints", "source": "left_elbow", "target": "left_elbow"},
            {"kind": "set_retarget_options", "options": {"smooth": of.random() < 0.5}},
            {"kind": "set_design", "recruiting": {pick(goals): "limb"}},
            {"kind": "set_donor", "part": pick(goals), "posture": 0},
            {"kind": "open_clip", "clip": pick(["walk", "jump"])},
        ])  # fmt: skip

    def _drag(self) -> None:
        editor = self.editor
        mode = self._random.choice(["full body", "limb", "joint"])
        first = read_command({"kind": "pick_point", "joint": "left_elbow", "point": [0.0, -0.1, 0.0]})
        editor.begin_drag(first, (), mode, symmetric=self._random.random() < 0.3)
        x, y, z = (self._random.uniform(0.0, 1.2) for _ in range(3))
        editor.move({editor.state.goals[-1].label: (x, y, z)})
        editor.end_drag() if self._random.random() < 0.8 else editor.cancel_drag()

    def _paste_keys(self) -> None:
        self.editor.copy_keys([key.frame for key in self.editor.state.clip.keys[:1]])  # type: ignore[union-attr]
        self.editor.paste_keys(self._random.randrange(10), flipped=self._random.random() < 0.5)

    def _retarget(self) -> None:
        retargeter = self.editor.retargeter
        retargeter.take(answer(retargeter.ask(self.editor.state), lambda done: None))
        self.editor.accept_retarget()

    def _postures(self) -> None:
        designer, state = self.editor.designer, self.editor.state
        motions = designer.clips(state, ("open",))
        designer.keep(state, ("open",), collected(motions, state.figure, lambda done: None))
        self.editor.run(UsePostures(clips=("open",)))

    def _design(self) -> None:
        self.editor.designer.shown = True
        self.editor.accept_design()


def bits(state: State, base: Path) -> str:
    return json.dumps(write_state(state, base), sort_keys=True)


@pytest.mark.parametrize("seed", [1])
def test_a_hundred_random_actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(ClipEditing, "edited", at_once)
    user = User(seed)
    editor = user.editor
    seen, done = [bits(editor.state, tmp_path)], set()
    while len(seen) <= ACTIONS:
        steps = len(editor.session.entries)
        try:
            user.act()
        except PosewrightError:
            if editor.drag is not None:
                editor.cancel_drag()
            assert bits(editor.state, tmp_path) == seen[-1], "what is refused changes nothing"
        if len(editor.session.entries) > steps:
            done.add(editor.session.entries[-1].command.kind)  # type: ignore[attr-defined]
            seen.append(bits(editor.state, tmp_path))
    assert len(done) > 20, "few kinds of actions were carried out"
    path = tmp_path / "it.posewright"
    path.write_text("".join(session_lines(editor.session, tmp_path, {})), encoding="utf-8", newline="\n")
    assert [bits(state, tmp_path) for state in read_journal(path, Sources([])).session.states] == seen
    for expected in reversed(seen[:-1]):
        editor.undo()
        assert bits(editor.state, tmp_path) == expected
    for expected in seen[1:]:
        editor.redo()
        assert bits(editor.state, tmp_path) == expected
