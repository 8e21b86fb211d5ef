"""A drag that is going on: goals in the user's hand, followed live. It is not in the journal yet."""

from __future__ import annotations

from dataclasses import replace

from posewright.errors import InvalidSetting
from posewright.goals import Goal
from posewright.goals.fields import Point
from posewright.studio.session.command import Command, after
from posewright.studio.session.commands.goals import MoveGoals
from posewright.studio.session.commands.sites import MirrorGoal
from posewright.studio.session.commands.together import Together
from posewright.studio.session.goals.places import Quaternion
from posewright.studio.session.live import LiveSolve
from posewright.studio.session.modes import Mode, kept_still
from posewright.studio.session.state import State
from posewright.studio.session.symmetry import middle, with_partner


class Drag:
    """Goals that follow the mouse."""

    def __init__(
        self,
        state: State,
        first: Command | None,
        goals: tuple[str, ...] = (),
        mode: Mode = "full body",
        *,
        symmetric: bool = False,
    ) -> None:
        """Take hold.

        Args:
            state: the one shown.
            first: what the gesture does before it moves anything, such as making the goal that it moves.
            goals: names of those that will be moved, besides the one that `first` makes.
            mode: how much of the body follows.
            symmetric: whether goals of the other side mirror what these do.
        """
        known = {goal.label for goal in state.goals}
        self._before: list[Command] = [] if first is None else [first]
        state = replace(state, still=()) if first is None else after(first, state)
        held = [*goals, *(goal.label for goal in state.goals if goal.label not in known)]
        self._partners: dict[str, str] = {}
        for name in held if symmetric else ():
            made, other = with_partner(state, name)
            if made is not state:
                self._before.append(MirrorGoal(name=name))
            state = made
            if other is not None and other not in held:
                self._partners[name] = other
        self._plane = middle(state.pose) if self._partners else None
        self._mode = mode
        self.state = replace(state, still=kept_still(state, (*held, *self._partners.values()), mode))
        self.live = LiveSolve(self.state)
        self._targets: dict[str, Point] = {}
        self._turns: dict[str, Quaternion] = {}
        self.goals: dict[str, Goal] = {}
        """The goals as they have been moved and turned, by name."""

    def move(self, targets: dict[str, Point], turns: dict[str, Quaternion]) -> None:
        """Answer new places (m) and turns (wxyz, since the drag began); where that fails, all stays as it was."""
        if not targets and not turns:
            raise InvalidSetting("this move of a drag names no goal")
        targets, turns = {**self._targets, **targets}, {**self._turns, **turns}
        if self._plane is not None:
            for name, other in self._partners.items():
                if name in targets:
                    targets[other] = self._plane.image(targets[name])
                if name in turns:
                    turns[other] = self._plane.turned(turns[name])
        goals = MoveGoals(targets=targets, turns=turns).goals(self.state)  # says what is wrong with them
        self.live.follow(goals)
        self._targets, self._turns, self.goals = targets, turns, goals

    @property
    def command(self) -> Command | None:
        """What it has come to; None: nothing."""
        done = list(self._before)
        if self._targets or self._turns:
            done.append(MoveGoals(targets=self._targets, turns=self._turns, mode=self._mode))
        if len(done) > 1:
            return Together(commands=tuple(done))
        return done[0] if done else None
