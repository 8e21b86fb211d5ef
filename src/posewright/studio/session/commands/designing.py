"""Commands about designing: what is spliced from, and what is changed of the splice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from posewright.goals.goal import Recruit
from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import Name
from posewright.studio.session.designing.choices import Designing
from posewright.studio.session.retargeting.question import source_of
from posewright.studio.session.state import State

Part = Annotated[str, Field(min_length=1, max_length=10_000)]


@dataclass(frozen=True, kw_only=True)
class UsePostures(Command):
    """The postures of clips to splice from; none: those of the file that was opened."""

    kind: Literal["use_postures"] = "use_postures"
    words = "collect postures"
    clips: Annotated[tuple[Name, ...], Field(max_length=1000)]

    def apply(self, state: State) -> State:
        """With them; donors are of other postures, so they go."""
        for name in self.clips:
            source_of(state, name)
        return replace(state, designing=replace(state.designing or Designing(), clips=self.clips, donors={}))


@dataclass(frozen=True, kw_only=True)
class SetDonor(Command):
    """One posture of the database gives a part of the splice alone; or it is blended again."""

    kind: Literal["set_donor"] = "set_donor"
    words = "exchange the donor of {part}"
    part: Part
    """Its goals."""
    posture: Annotated[int, Field(ge=0)] | None
    """Of the database; None: a blend of the nearest."""

    def apply(self, state: State) -> State:
        """With it."""
        old = state.designing or Designing()
        donors = {name: row for name, row in old.donors.items() if name != self.part}
        if self.posture is not None:
            donors[self.part] = self.posture
        return replace(state, designing=replace(old, donors=donors))


@dataclass(frozen=True, kw_only=True)
class SetDesign(Command):
    """How it is spliced; what is None stays."""

    kind: Literal["set_design"] = "set_design"
    recruiting: dict[Name, Recruit | None] | None = None
    """How much of the body is spliced for a goal, by its name; None: as much as it takes to reach the goal."""
    keep_rest: bool | None = None

    def apply(self, state: State) -> State:
        """With it."""
        old = state.designing or Designing()
        given = self.recruiting or {}
        for name in given:
            state.goal(name)
        kept = {name: level for name, level in old.recruiting.items() if name not in given}
        kept |= {name: level for name, level in given.items() if level is not None}
        keep_rest = old.keep_rest if self.keep_rest is None else self.keep_rest
        return replace(state, designing=replace(old, recruiting=kept, keep_rest=keep_rest))

    @property
    def says(self) -> str:
        """In a few words."""
        return f"recruit for {', '.join(self.recruiting)}" if self.recruiting else "keep the rest"
