"""The state: everything that is edited, as one immutable value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from posewright.checks import read_only
from posewright.conventions import Array
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures import Figure, Pose, Site
from posewright.goals import Goal
from posewright.goals.term import SiteTerm
from posewright.models.motion_model import MotionModel
from posewright.models.postures.database import Postures
from posewright.motions import Motion
from posewright.problem import Problem
from posewright.problem.space import Space
from posewright.studio.session.clips.clip import Clip
from posewright.studio.session.designing.choices import Designing
from posewright.studio.session.library import NOTHING_ELSE, Library
from posewright.studio.session.retargeting.choices import Retargeting
from posewright.studio.session.saved_poses import SavedPose
from posewright.studio.session.sources import Source


@dataclass(frozen=True, eq=False)
class State:
    """A figure in a pose, and what is asked of it. A change is a new state; what did not change is shared."""

    figure: Figure
    """With the sites that were made by clicking on the body."""
    q: Array
    """(dofs,), read-only: the pose"""
    goals: tuple[Goal, ...] = ()
    floor: float = 0.0
    """m, height of the floor"""
    made_sites: frozenset[str] = frozenset()
    """Sites made by clicking; one that no goal needs any more goes with its last goal."""
    solver: str = "prioritized"
    """What commands are solved by, as `solvers.registry` calls it."""
    solver_settings: tuple[tuple[str, float | bool | str], ...] = ()
    """Those of its settings that a task says; others are as usual."""
    groups: frozenset[str] = frozenset()
    """Joint groups that move as one; the dofs of others move by themselves."""
    released: frozenset[str] = frozenset()
    """Linear constraints of the figure that do not hold for now."""
    frozen: tuple[str, ...] = ()
    """Joints and dofs that a task says never move."""
    still: tuple[str, ...] = ()
    """Joints that the last command kept as they were: all but a limb, or all but one."""
    clip: Clip | None = None
    """A motion of the figure, which is edited beside the pose; None: none is open."""
    model: MotionModel | None = None
    """What edits of the clip may stay in; None: there is none, so that they are made in joint space."""
    library: Library = NOTHING_ELSE
    """What else is open."""
    sources: tuple[Source, ...] = ()
    """Where figure, clip and model came from."""
    postures: Postures | None = None
    """The posture database that was opened, which designs are spliced from; None: none was."""
    designing: Designing | None = None
    """What designs are made by; None: nothing was chosen yet."""
    poses: tuple[SavedPose, ...] = ()
    """Poses that are kept by name, also those of other figures."""
    retargeting: Retargeting | None = None
    """What is to be retargeted; None: nothing was chosen yet."""

    @cached_property
    def pose(self) -> Pose:
        """The pose."""
        return Pose(self.figure, self.q)

    @cached_property
    def problem(self) -> Problem:
        """What is asked. Building it checks goals against figure and one another."""
        figure = self.figure
        if self.released:
            held = tuple(one for one in figure.constraints if one.name not in self.released)
            figure = replace(figure, constraints=held)
        if not self.groups:
            return Problem(figure, self.goals, frozen=(*self.frozen, *self.still))
        groups = tuple(one for one in figure.groups if one.name in self.groups)
        return Problem(Space.grouped(replace(figure, groups=groups)), self.goals, frozen=(*self.frozen, *self.still))

    @cached_property
    def source_motion(self) -> Motion:
        """The clip as it was opened.

        Raises:
            InvalidSetting: no clip is open.
        """
        clip = self.clip
        if clip is None:
            raise InvalidSetting("no clip is open; open one first")
        return clip.source_motion(self.figure)

    @property
    def editing_model(self) -> MotionModel | None:
        """What edits of the clip stay in; None: joint space."""
        return self.model if self.clip is not None and self.clip.settings.in_model else None

    def source(self, role: str) -> Source | None:
        """Where something came from: "figure", "clip", "model"; None: it is not there."""
        return next((source for source in self.sources if source.role == role), None)

    def with_source(self, source: Source) -> State:
        """A source in place of the one of its role."""
        others = tuple(one for one in self.sources if one.role != source.role)
        return replace(self, sources=(*others, source))

    def goal(self, name: str) -> Goal:
        """The goal of that name.

        Raises:
            UnknownName: there is none.
        """
        for goal in self.goals:
            if goal.label == name:
                return goal
        raise UnknownName("goal", name, [goal.label for goal in self.goals], where="the session")

    def with_pose(self, q: Array) -> State:
        """The same question with another pose."""
        if q.shape != self.q.shape or not np.isfinite(q).all():
            raise InvalidSetting(f"a pose has shape {q.shape}; it must be {self.q.shape} finite numbers")
        return replace(self, q=read_only(np.array(q)))

    def with_goal(self, goal: Goal) -> State:
        """One goal more."""
        return replace(self, goals=(*self.goals, goal)).checked()

    def replacing(self, name: str, goal: Goal) -> State:
        """A goal in place of the one of that name."""
        self.goal(name)
        return replace(self, goals=tuple(goal if old.label == name else old for old in self.goals)).checked()

    def moved(self, goals: Sequence[Goal]) -> State:
        """With goals of the same names in place of its own."""
        return replace(self, goals=tuple(goals))

    def without_goal(self, name: str) -> State:
        """One goal less, and sites that were made by a click and no goal is about any more."""
        gone = self.goal(name)
        return replace(self, goals=tuple(goal for goal in self.goals if goal is not gone)).without_unused_sites()

    def without_unused_sites(self) -> State:
        """Without those that were made by a click and that no goal and no key is about."""
        if not self.made_sites:
            return self
        terms = [term for branches in self.problem.branches for branch in branches for term in branch]
        needed = {site for term in terms if isinstance(term, SiteTerm) for site in (term.site, term.partner)}
        if self.clip is not None:
            needed |= {key.site for key in self.clip.keys}
            needed |= {site for span in self.clip.spans for site in span.sites(self.figure)}
        unused = self.made_sites - needed
        if not unused:
            return self
        sites = tuple(one for one in self.figure.sites if one.name not in unused)
        return replace(self, figure=replace(self.figure, sites=sites), made_sites=self.made_sites - unused)

    def with_site(self, site: Site) -> State:
        """One site more, made by a click."""
        return replace(self, figure=self.figure.with_sites(site), made_sites=self.made_sites | {site.name})

    def checked(self) -> State:
        """This state, if its goals fit its figure and one another; else an error that says what does not."""
        _ = self.problem
        return self
