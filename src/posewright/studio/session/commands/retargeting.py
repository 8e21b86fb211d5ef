"""Commands about retargeting: what and how, which joints are which, and taking the answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from posewright.errors import InvalidSetting, UnknownName
from posewright.motions import Motion
from posewright.solvers.registry import solver_name
from posewright.studio.session.clips.frames import Frames, read_frames
from posewright.studio.session.clips.opening import opened_motion
from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import Name
from posewright.studio.session.retargeting.choices import RetargetOptions
from posewright.studio.session.retargeting.pairing import cleared, paired, placed
from posewright.studio.session.retargeting.question import (
    ITEM,
    MADE,
    OPEN,
    question_of,
    retargeting_of,
    source_of,
    target_of,
    with_match,
)
from posewright.studio.session.sources import Source, of_item
from posewright.studio.session.state import State


@dataclass(frozen=True, kw_only=True)
class SetRetargeting(Command):
    """Another source or target. The match is found anew."""

    kind: Literal["set_retargeting"] = "set_retargeting"
    source: Name | None = None
    """A clip: `open`, `item:NAME` or `built-in:NAME`; None: as before"""
    target: Name | None = None
    """A figure, likewise."""

    def apply(self, state: State) -> State:
        """With it; options stay."""
        old = retargeting_of(state)
        new = replace(old, source=self.source or old.source, target=self.target or old.target)
        source_of(state, new.source)
        target_of(state, new.target)
        if new != old:
            new = replace(new, source_parts={}, target_parts={})
        return replace(state, retargeting=new)

    @property
    def says(self) -> str:
        """In a few words."""
        return "choose the source" if self.source else "choose the target"


@dataclass(frozen=True, kw_only=True)
class PairJoints(Command):
    """Two joints are the same part of the body."""

    kind: Literal["pair_joints"] = "pair_joints"
    words = "pair {source} with {target}"
    source: Name
    target: Name

    def apply(self, state: State) -> State:
        """The match so."""
        return with_match(state, paired(question_of(state).match, self.source, self.target))


@dataclass(frozen=True, kw_only=True)
class SetPart(Command):
    """A joint of the source or of the target is a part of the body."""

    kind: Literal["set_part"] = "set_part"
    part: Name
    of: Literal["source", "target"]
    joint: Name

    def apply(self, state: State) -> State:
        """The match so."""
        match = question_of(state).match
        return with_match(state, replace(match, **{self.of: placed(getattr(match, self.of), self.part, self.joint)}))

    @property
    def says(self) -> str:
        """In a few words."""
        return f"{self.joint} is the {self.part.replace('_', ' ')}"


@dataclass(frozen=True, kw_only=True)
class ClearPart(Command):
    """A part of the body is left out of the match: its joints stay at rest."""

    kind: Literal["clear_part"] = "clear_part"
    part: Name

    def apply(self, state: State) -> State:
        """The match without it."""
        return with_match(state, cleared(question_of(state).match, self.part))

    @property
    def says(self) -> str:
        """In a few words."""
        return f"clear {self.part.replace('_', ' ')}"


@dataclass(frozen=True, kw_only=True)
class FindMatch(Command):
    """The match as it is found, without corrections."""

    kind: Literal["find_match"] = "find_match"
    words = "find the match"

    def apply(self, state: State) -> State:
        """Without them."""
        return replace(state, retargeting=replace(retargeting_of(state), source_parts={}, target_parts={}))


@dataclass(frozen=True, kw_only=True)
class SetRetargetOptions(Command):
    """How it is retargeted."""

    kind: Literal["set_retarget_options"] = "set_retarget_options"
    options: Annotated[dict[Name, Any], Field(min_length=1)] = field(default_factory=dict)
    """Those that change, as `RetargetOptions` has them."""

    def apply(self, state: State) -> State:
        """With them."""
        old = retargeting_of(state)
        names = vars(old.options)
        for name in self.options:
            if name not in names:
                raise UnknownName("option", name, names, where="retargeting")
        try:
            new = TypeAdapter(RetargetOptions).validate_json(json.dumps(names | self.options), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise InvalidSetting(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        new = replace(new, solver=solver_name(new.solver))
        return replace(state, retargeting=replace(old, options=new))

    @property
    def says(self) -> str:
        """In a few words."""
        return f"set {', '.join(self.options).replace('_', ' ')}"


@dataclass(frozen=True, kw_only=True)
class AcceptRetarget(Command):
    """The answer becomes the clip: its numbers are kept, so that nothing is ever solved again."""

    kind: Literal["accept_retarget"] = "accept_retarget"
    words = "accept the retargeted clip"
    q: Frames
    """Of the answer."""

    keeps_state = True

    def apply(self, state: State) -> State:
        """The target performs it; the clip that was open is kept in the library."""
        asked = question_of(state)
        figure = asked.figure
        motion = Motion(figure, read_frames(self.q, figure.n_dofs), asked.source.fps, asked.name)
        chosen, library = asked.retargeting, state.library
        sources = [one for one in state.sources if one.role.startswith(of_item("")) or one.role == "postures"]
        sources += _source_of_figure(state, chosen.target)
        if state.clip is not None:
            name = state.clip.name or "clip"
            library = library.with_item(name, state.clip.motion(state.figure))
            if chosen.source == OPEN:
                chosen = replace(chosen, source=f"{ITEM}{library.items[-1].name}")
            was = state.source("clip")
            sources += [] if was is None else [replace(was, role=of_item(library.items[-1].name))]
        opened = opened_motion(motion)
        return replace(
            opened,
            solver=state.solver,
            library=library,
            sources=tuple(sources),
            retargeting=chosen,
            postures=state.postures,
            poses=state.poses,
        )


def _source_of_figure(state: State, target: str) -> list[Source]:
    """Where a figure that is retargeted to came from, by which its mesh is found again."""
    if target.startswith(MADE):
        return [Source("figure", target.removeprefix(MADE))]
    found = state.source("figure" if target == OPEN else of_item(target.removeprefix(ITEM)))
    return [] if found is None else [replace(found, role="figure")]
