"""The editor: a session and the drag that is going on. Everything a page can ask for is a method here.

It knows nothing of the web and of threads: one caller at a time. What is refused raises a PosewrightError and changes
nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from posewright.conventions import Array
from posewright.errors import InvalidSetting, PosewrightError
from posewright.goals import Goal
from posewright.goals.fields import Point
from posewright.studio.session.clips.asking import Asked, same_clip
from posewright.studio.session.clips.copying import CopiedKey, copied, pasted
from posewright.studio.session.clips.editing import ClipEditing
from posewright.studio.session.clips.previewing import previewed
from posewright.studio.session.command import Command, after
from posewright.studio.session.commands.modelling import TakeModel
from posewright.studio.session.commands.poses import SetPose, mirrored
from posewright.studio.session.designing.designer import Designer
from posewright.studio.session.drag import Drag
from posewright.studio.session.goals.places import Quaternion
from posewright.studio.session.live import Judged, judged, solved
from posewright.studio.session.modelling.fitting import Modeller
from posewright.studio.session.modelling.values import write_model
from posewright.studio.session.modes import Mode
from posewright.studio.session.proposals import Proposal
from posewright.studio.session.retargeting.retargeter import Retargeter
from posewright.studio.session.session import Entry, Session
from posewright.studio.session.state import State

_BUSY = "the clip is being edited; wait for it, or stop it"


class Editor:
    """A session being edited."""

    def __init__(self, state: State) -> None:
        self.session = Session.begin(state)
        self.drag: Drag | None = None
        self.revision = 1
        """Counts the questions shown: it changes with everything but the pose and targets of a drag."""
        self.seconds = 0.0
        """How long the last solve took."""
        self.copied: Array | None = None
        """(dofs,): the pose that was copied last"""
        self.copied_keys: tuple[CopiedKey, ...] = ()
        """The keys that were copied last."""
        self.proposals: tuple[Proposal, ...] = ()
        """Other answers to the question shown; they go when it changes."""
        self.editing = ClipEditing()
        self.edits_later = False
        """Whether edits of the clip are made by whoever takes them from `asked`; else a command makes its own."""
        self.asked: tuple[Asked, ...] = ()
        """Commands whose edits are still to be made, the first one first."""
        self._gesture: State | None = None  # with the clip as a command would make it; nothing is done yet
        self.saved = state
        """The one that nothing of would be lost: as first shown, or as saved last."""
        self.retargeter = Retargeter()
        """What is retargeted, beside the work."""
        self.designer = Designer()
        """What is designed, beside the work."""
        self.modeller = Modeller()
        """What is fitted, beside the work."""
        self._judged = judged(state, reasons=True)

    # What is shown.

    @property
    def unsaved(self) -> bool:
        """Whether something was done that is not saved."""
        return bool(self.asked) or self.session.state is not self.saved

    @property
    def state(self) -> State:
        """The one shown; in a drag with the goal that is dragged, but its targets and pose as the drag began."""
        return self.drag.state if self.drag is not None else self.session.state

    @property
    def clip_state(self) -> State:
        """The one whose clip is shown."""
        return self.previewed or self.state

    @property
    def latest(self) -> State:
        """The session's, with all that is asked of its clip, as if the edits were made already."""
        return self.asked[-1].state if self.asked else self.session.state

    @property
    def undoes(self) -> str | None:
        """What undo would undo, in a few words; None: nothing is left."""
        return self.asked[-1].command.says if self.asked else self.session.undoes

    @property
    def redoes(self) -> str | None:
        """What redo would do again; None: nothing was undone."""
        return None if self.asked else self.session.redoes

    @property
    def previewed(self) -> State | None:
        """With the clip as a gesture would make it, or as it is asked for; None: it is as it is."""
        return self._gesture or (self.asked[-1].state if self.asked else None)

    @property
    def q(self) -> Array:
        """(dofs,): the pose shown"""
        return self.drag.live.q if self.drag is not None else self.session.state.q

    @property
    def goals(self) -> tuple[Goal, ...]:
        """As shown: where the drag has brought them."""
        moved = self.drag.goals if self.drag is not None else {}
        return tuple(moved.get(goal.label, goal) for goal in self.state.goals)

    @property
    def judged(self) -> dict[str, Judged]:
        """How each goal fares."""
        return self.drag.live.judged if self.drag is not None else self._judged

    @property
    def title(self) -> str:
        """What is edited, in a word."""
        state = self.state
        return (state.clip.name if state.clip is not None else "") or state.figure.name

    # What can be done.

    def save_point(self, session: Session) -> None:
        """A session is saved now, and all that was done up to it."""
        self.saved = session.state
        self.revision += 1

    def go_on_with(self, session: Session, *, saved: bool) -> None:
        """Another session in place of this one."""
        self.require_no_drag()
        self.saved = session.state if saved else session.states[0]
        self.copied, self.copied_keys, self.asked = None, (), ()
        self._show(session)

    def open(self, command: Command, state: State, before: State | None = None) -> None:
        """What files held becomes the state; a step like any other.

        Args:
            command: that stands for it.
            state: with what they held.
            before: that they add to; what was done meanwhile stays. None: they take the place of all.

        Raises:
            PosewrightError: what they change was changed meanwhile.
        """
        self.require_no_drag()
        now = self.latest
        if before is not None and before is not now:
            state = Asked(command, before, state).added_to(now)
        if state.clip is not now.clip and state.clip is not None:
            if self.edits_later and state.clip.asks and same_clip(now, state):
                self._ask(Asked(command, now, state))
                return
            state, self.seconds = self.editing.edited(state)
        self.asked = ()
        self._opened(command, state)

    def _opened(self, command: Command, state: State) -> None:
        self._show(self.session.with_entry(Entry(command, None, state.q, None, state), state))

    def run(self, command: Command) -> None:
        """Do something that can be undone."""
        self.require_no_drag()
        if self.asked:
            before = self.latest
            state = after(command, before)
            if state.clip is not before.clip:  # it stands on what is still to be made
                if not same_clip(before, state):
                    self.asked = ()
                elif command.solves:
                    raise InvalidSetting(_BUSY)
                else:
                    self._ask(Asked(command, before, state))
                    return
        self._commit(command, self.session.state.q)

    def preview(self, command: Command) -> None:
        """Show what a command would make of the clip."""
        self.require_no_drag()
        before = self.latest
        state = after(command, before)
        if state.clip is None or command.solves:
            raise InvalidSetting(f"{command.says!r} changes no clip, so there is nothing to preview")
        self._gesture, self.seconds = previewed(self.editing, before, state)

    def stop_preview(self) -> None:
        """Show the clip as it is."""
        self._gesture = None

    def undo(self) -> None:
        """Undo the last thing; of edits that are still to be made the last one is given up."""
        self.require_no_drag()
        if self.asked:
            self.give_up(self.asked[-1])
        else:
            self._show(self.session.undone())

    def redo(self) -> None:
        """Do again what was undone last."""
        self.require_no_drag()
        if self.asked:
            raise InvalidSetting(_BUSY)
        self._show(self.session.redone())

    # Edits of the clip that are made later.

    def give_up(self, *asked: Asked) -> None:
        """Edits that are still to be made are not; the clip is as it was."""
        self.asked, self._gesture = tuple(one for one in self.asked if one not in asked), None
        self.revision += 1

    def take_edit(self, asked: Asked, made: State) -> None:
        """The first edit that was asked for is made: its command becomes an entry.

        Raises:
            PosewrightError: it no longer fits the session; it is given up.
        """
        self.require_no_drag()
        gesture = self._gesture
        self.give_up(asked)
        state = asked.on(self.session.state)
        if state.clip is None or made.clip is None or not same_clip(state, made):
            raise InvalidSetting(f"the clip has changed while {asked.command.says!r} was under way; do it again")
        state = replace(state, clip=state.clip.with_q(made.clip.q, made.clip.notes))
        if asked.command.keeps_state:
            self._opened(asked.command, state)
        else:
            self._enter(asked.command, None, state)
        self._gesture = gesture

    def copy(self) -> None:
        """Remember the pose shown."""
        self.copied = self.q

    def paste(self, *, flipped: bool) -> None:
        """The pose that was copied, with goals that follow it."""
        if self.copied is None:
            raise InvalidSetting("no pose was copied yet; copy one first")
        q = mirrored(self.state.figure, self.copied) if flipped else self.copied
        self.run(SetPose(q=tuple(q.tolist()), what="paste the pose flipped" if flipped else "paste the pose"))

    def copy_keys(self, frames: Collection[int]) -> None:
        """Remember the keys of some frames."""
        self.copied_keys = copied(self.latest, frames)
        self.revision += 1

    def paste_keys(self, frame: int, *, flipped: bool) -> None:
        """The keys that were copied, at a frame."""
        self.run(pasted(self.latest, self.copied_keys, frame, flipped=flipped))

    def propose(self, proposal: Proposal) -> None:
        """One answer more beside the work."""
        self.proposals = (*self.proposals, proposal)

    def accept(self, number: int) -> None:
        """Take a proposal, counted from 0, as the pose."""
        if not 0 <= number < len(self.proposals):
            raise InvalidSetting(f"there is no proposal {number}; there are {len(self.proposals)}")
        chosen = self.proposals[number]
        self.run(SetPose(q=tuple(chosen.q.tolist()), what=f"accept {chosen.name}", goals_follow=False))

    def reject(self) -> None:
        """Let all proposals go."""
        self.proposals = ()

    def accept_retarget(self) -> None:
        """Take what was retargeted as the clip."""
        self.run(self.retargeter.accepted(self.state))

    def take_model(self) -> None:
        """What was fitted becomes what the clip is edited in; not while something is dragged."""
        found = self.modeller.found
        if found is None or self.drag is not None:
            return
        self.modeller.found = None
        names, model = found
        try:
            self.run(TakeModel(clips=names, model=write_model(model)))
        except PosewrightError as error:
            self.modeller.failed(error)

    def accept_design(self) -> None:
        """Take what was designed as the pose."""
        self.run(self.designer.accepted(self.state, self.goals))

    def begin_drag(
        self,
        first: Command | None = None,
        goals: tuple[str, ...] = (),
        mode: Mode = "full body",
        *,
        symmetric: bool = False,
    ) -> None:
        """Take hold of goals; `first` is done before, and undone together with the drag. See `Drag`."""
        self.require_no_drag()
        self.drag = Drag(self.session.state, first, goals, mode, symmetric=symmetric)
        self.proposals = ()
        self.revision += 1

    def move(self, targets: dict[str, Point], turns: dict[str, Quaternion] | None = None) -> None:
        """Bring goals elsewhere (m, by name) and turn them (wxyz, since the drag began)."""
        drag = self._require_drag()
        drag.move(targets, turns or {})
        self.seconds = drag.live.seconds

    @property
    def on_the_way(self) -> bool:
        """Whether a drag that rests has not arrived yet: `go_on` brings it nearer."""
        return self.drag is not None and self.drag.live.on_the_way

    def go_on(self) -> None:
        """Answer the same targets once more, from where the drag is now."""
        drag = self._require_drag()
        drag.live.follow(drag.goals)
        self.seconds = drag.live.seconds

    def end_drag(self) -> None:
        """Let go: one last solve to convergence, from the pose shown."""
        drag = self._require_drag()
        self.drag = None
        if drag.command is None:
            self._show(self.session)
        else:
            self._commit(drag.command, drag.live.q)

    def cancel_drag(self) -> None:
        """Let go, and all is as before."""
        self._require_drag()
        self.drag = None
        self._show(self.session)

    def _commit(self, command: Command, start: Array) -> None:
        """A command, solved from a pose, becomes an entry."""
        before, solves = self.session.state, command.solves
        state = after(command, before)
        if solves:
            state, self.seconds = solved(state.with_pose(start))
        if state.clip is not None and state.clip is not before.clip:
            if self.edits_later and state.clip.asks and not solves:
                self._ask(Asked(command, before, state))
                return
            state, self.seconds = self.editing.edited(state)
        self._enter(command, start if solves else None, state)

    def _ask(self, asked: Asked) -> None:
        """One edit more is to be made; until then its clip moves as it was shown last."""
        shown, clip = self._gesture, asked.state.clip
        if clip is not None and shown is not None and shown.clip is not None and same_clip(shown, asked.state):
            asked = replace(asked, state=replace(asked.state, clip=clip.with_q(shown.clip.q)))
        self.asked, self._gesture = (*self.asked, asked), None
        self.revision += 1

    def _enter(self, command: Command, start: Array | None, state: State) -> None:
        """A command that led to a state becomes an entry."""
        before = self.session.state
        clip_q = state.clip.q if state.clip is not None and state.clip is not before.clip else None
        entry = Entry(command, start, state.q, clip_q, state if command.keeps_state else None)
        self._show(self.session.with_entry(entry, state))

    def _show(self, session: Session) -> None:
        self._judged = judged(session.state, reasons=True)
        self.session = session
        self._gesture = None
        self.proposals = ()
        self.revision += 1

    def require_no_drag(self) -> None:
        """Refuse while a drag is going on."""
        if self.drag is not None:
            raise InvalidSetting("a drag is going on; end or cancel it first")

    def _require_drag(self) -> Drag:
        if self.drag is None:
            raise InvalidSetting("no drag has begun")
        return self.drag
