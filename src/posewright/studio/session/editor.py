"""The editor: a session and the drag that is going on. Everything a page can ask for is a method here.

It knows nothing of the web and of threads: one caller at a time. What is refused raises a PosewrightError and changes
nothing.
"""

from __future__ import annotations

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.goals.fields import Point
from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import MoveGoals
from posewright.studio.session.commands.together import Together
from posewright.studio.session.live import Judged, LiveSolve, judged, solved
from posewright.studio.session.session import Entry, Session
from posewright.studio.session.state import State


class Drag:
    """A drag that is going on: not in the journal yet."""

    def __init__(self, state: State, first: Command | None) -> None:
        self.first = first
        """What the gesture did before it moved anything, such as making the goal that it moves."""
        self.state = state if first is None else first.apply(state)
        self.live = LiveSolve(self.state)
        self.targets: dict[str, Point] = {}

    def move(self, targets: dict[str, Point]) -> None:
        """Answer new targets; where that fails, the last good pose and its targets stay."""
        MoveGoals(targets=targets).apply(self.state)  # says what is wrong with them
        self.live.follow(targets)
        self.targets.update(targets)

    @property
    def command(self) -> Command | None:
        """What it has come to; None: nothing."""
        move = MoveGoals(targets=self.targets) if self.targets else None
        if self.first is not None and move is not None:
            return Together(commands=(self.first, move))
        return move or self.first


class Editor:
    """A session being edited."""

    def __init__(self, state: State) -> None:
        self.session = Session.begin(state)
        self.drag: Drag | None = None
        self.revision = 1
        """Counts the questions shown: it changes with everything but the pose and targets of a drag."""
        self.seconds = 0.0
        """How long the last solve took."""
        self._judged = judged(state, reasons=True)

    # What is shown.

    @property
    def state(self) -> State:
        """The one shown; in a drag with the goal that is dragged, but its targets and pose as the drag began."""
        return self.drag.state if self.drag is not None else self.session.state

    @property
    def q(self) -> Array:
        """(dofs,): the pose shown"""
        return self.drag.live.q if self.drag is not None else self.session.state.q

    @property
    def targets(self) -> dict[str, Point]:
        """Where the drag has brought goals; others are where their goals say."""
        return self.drag.targets if self.drag is not None else {}

    @property
    def judged(self) -> dict[str, Judged]:
        """How each goal fares."""
        return self.drag.live.judged if self.drag is not None else self._judged

    # What can be done.

    def run(self, command: Command) -> None:
        """Do something that can be undone."""
        self._require_no_drag()
        self._commit(command, self.session.state.q)

    def undo(self) -> None:
        """Undo the last thing."""
        self._require_no_drag()
        self._show(self.session.undone())

    def redo(self) -> None:
        """Do again what was undone last."""
        self._require_no_drag()
        self._show(self.session.redone())

    def begin_drag(self, first: Command | None = None) -> None:
        """Take hold of goals; `first` is done before, and undone together with the drag."""
        self._require_no_drag()
        self.drag = Drag(self.session.state, first)
        self.revision += 1

    def move(self, targets: dict[str, Point]) -> None:
        """Bring goals elsewhere (m, by name)."""
        drag = self._require_drag()
        drag.move(targets)
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
        state, solves = command.apply(self.session.state), command.solves
        if solves:
            state, self.seconds = solved(state.with_pose(start))
        entry = Entry(command, start if solves else None, state.q)
        self._show(self.session.with_entry(entry, state))

    def _show(self, session: Session) -> None:
        self._judged = judged(session.state, reasons=True)
        self.session = session
        self.revision += 1

    def _require_no_drag(self) -> None:
        if self.drag is not None:
            raise InvalidSetting("a drag is going on; end or cancel it first")

    def _require_drag(self) -> Drag:
        if self.drag is None:
            raise InvalidSetting("no drag has begun")
        return self.drag
