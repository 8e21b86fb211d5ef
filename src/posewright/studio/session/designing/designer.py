"""Designing beside the work: a posture spliced from a database for the goals of the session, and refined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting, PosewrightError
from posewright.figures import Figure, Pose
from posewright.goals import Goal
from posewright.models.postures.builder import PostureBuilder
from posewright.models.postures.database import Postures
from posewright.models.postures.figure_postures import FigurePostures
from posewright.models.postures.splicing import SplicedPart
from posewright.models.postures.transfer import PostureTransfer
from posewright.motions import Motion
from posewright.solvers.motion.frames import Progress
from posewright.studio.session.commands.poses import SetPose
from posewright.studio.session.designing.choices import Designing, part_name
from posewright.studio.session.retargeting.question import source_of
from posewright.studio.session.state import State
from posewright.workflows.design import PostureDesigner
from posewright.workflows.design_result import DesignResult
from posewright.workflows.retargeting.retarget import retarget

APART = 0.02
"""rad, mean over the joints: of a few clips, more postures are told apart than of a library."""
_KEPT = 4
"""Databases that are remembered."""


@dataclass(frozen=True, eq=False)
class Designed:
    """A design for the goals as they are shown."""

    spliced: Array
    """(dofs,): as edited"""
    result: DesignResult


def collected(motions: Sequence[Motion], figure: Figure, progress: Progress) -> Postures:
    """The postures of clips, on a figure; clips of bodies whose joints have other names are retargeted to it first.

    Raises:
        PosewrightError: a clip means nothing to the figure.
    """
    builder = PostureBuilder(figure, APART)
    for number, motion in enumerate(motions):
        progress(number)
        builder.add(motion if _fits(motion.figure, figure) else retarget(motion, figure).motion)
    progress(len(motions))
    return builder.database()


def _fits(source: Figure, figure: Figure) -> bool:
    try:
        return not PostureTransfer(source, figure).missing
    except PosewrightError:
        return False


class Designer:
    """The design of the state and goals that are shown; what does not depend on targets is prepared once."""

    def __init__(self) -> None:
        self.shown = False
        """Whether a page looks at it; else nothing is computed."""
        self.failure = ""
        """Why postures could not be collected; empty: they could."""
        self._collected: list[tuple[tuple[object, ...], Postures]] = []
        self._on: FigurePostures | None = None
        self._last: tuple[tuple[object, ...], Designed | None, str] = ((), None, "")

    # The postures.

    def clips(self, state: State, names: Sequence[str]) -> list[Motion]:
        """The clips of these names.

        Raises:
            PosewrightError: there is none of that name, or there are no names.
        """
        if not names:
            raise InvalidSetting("no clip is chosen whose postures could be collected; choose one or more")
        self.failure = ""
        return [source_of(state, name) for name in names]

    def keep(self, state: State, names: Sequence[str], found: Postures) -> None:
        """Postures that were collected."""
        self._collected = [(_key(state, names), found), *self._collected][:_KEPT]

    def postures(self, state: State) -> Postures | None:
        """What is spliced from; None: nothing was chosen or collected yet."""
        names = _designing(state).clips
        if not names:
            return state.postures
        try:
            wanted = _key(state, names)
        except PosewrightError:
            return None
        return next((found for key, found in self._collected if _is(key, wanted)), None)

    # The design.

    def look(self, state: State, goals: Sequence[Goal]) -> Designed | None:
        """The design for goals that may have moved since the state; None: there is none, and `why_not` says why."""
        postures = self.postures(state)
        if postures is None or not any(goal.enabled for goal in goals):
            return None
        key = (state.figure, state.q, state.designing, postures, *goals)
        if not _is(self._last[0], key):
            try:
                self._last = key, self._design(state, goals, postures), ""
            except PosewrightError as error:
                self._last = key, None, str(error)
        return self._last[1]

    def why_not(self, state: State, goals: Sequence[Goal]) -> str:
        """Why there is no design, a sentence; empty: there is one."""
        if self.failure:
            return self.failure
        if self.postures(state) is None:
            return "" if not _designing(state).clips else "The postures of these clips are not collected yet."
        if not any(goal.enabled for goal in goals):
            return "There is no goal to design for; make some in the tab Pose."
        self.look(state, goals)
        return self._last[2]

    def accepted(self, state: State, goals: Sequence[Goal]) -> SetPose:
        """What makes the design the pose.

        Raises:
            InvalidSetting: there is none.
        """
        found = self.look(state, goals)
        if found is None:
            raise InvalidSetting(self.why_not(state, goals) or "there are no postures to design from yet")
        return SetPose(q=tuple(found.result.q.tolist()), what="accept the design", goals_follow=False)

    def _design(self, state: State, goals: Sequence[Goal], postures: Postures) -> Designed:
        figure, chosen = state.problem.figure, _designing(state)
        if self._on is None or self._on.database is not postures or not self._on.figure.is_like(figure):
            self._on = postures.on(figure)
        on = self._on
        known = {goal.label for goal in goals}
        recruiting = {name: level for name, level in chosen.recruiting.items() if name in known}
        problem = state.problem if _is(tuple(goals), state.goals) else state.moved(goals).problem
        designer = PostureDesigner(
            problem, on, start=Pose(figure, state.q), recruiting=recruiting or None, rest_from_start=chosen.keep_rest
        )
        result = designer.solve()
        given = {part_name(part.goals): part for part in result.splice.parts}
        donors = {name: row for name, row in chosen.donors.items() if name in given and 0 <= row < len(on)}
        if donors:
            result = designer.solve(on_initial=lambda pose: _exchanged(pose, on, given, donors))
        return Designed(result.initial.q, result)


def _exchanged(pose: Pose, on: FigurePostures, parts: dict[str, SplicedPart], donors: dict[str, int]) -> Pose:
    """The splice with parts as single postures of the database have them."""
    q = np.array(pose.q)
    for name, row in donors.items():
        for joint in parts[name].joints:
            where = pose.figure.dof_slice(joint)
            q[where] = on.q[row, where]
    return Pose(pose.figure, q)


def _designing(state: State) -> Designing:
    return state.designing or Designing()


def _key(state: State, names: Sequence[str]) -> tuple[object, ...]:
    """What collected postures depend on: figure and clips."""
    return (state.figure.joints, *(source_of(state, name).q for name in names))


def _is(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
