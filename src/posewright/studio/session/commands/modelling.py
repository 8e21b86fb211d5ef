"""Commands about the space that a clip is edited in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from posewright.errors import InvalidSetting
from posewright.studio.session.command import Command
from posewright.studio.session.commands.clips import open_clip
from posewright.studio.session.commands.goals import Name
from posewright.studio.session.modelling.values import read_model
from posewright.studio.session.state import State

Held = Literal["usual", "on", "off"]


@dataclass(frozen=True, kw_only=True)
class TakeModel(Command):
    """A motion model that was fitted here; edits of the clip stay in it."""

    kind: Literal["take_model"] = "take_model"
    words = "fit a motion model"
    clips: Annotated[tuple[Name, ...], Field(max_length=1000)]
    """That it was fitted from."""
    model: Annotated[str, Field(max_length=2**28)]
    """Its file, in base 64."""

    def apply(self, state: State) -> State:
        """With it in place of another."""
        clip, model = open_clip(state), read_model(self.model, state.figure)
        model.around(state.source_motion)  # says what does not fit
        sources = tuple(one for one in state.sources if one.role != "model")
        clip = replace(clip, settings=replace(clip.settings, in_model=True), notes=())
        return replace(state, model=model, sources=sources, clip=clip)


@dataclass(frozen=True, kw_only=True)
class SetEditing(Command):
    """How the clip is edited; what is None stays."""

    kind: Literal["set_editing"] = "set_editing"
    in_model: bool | None = None
    """Whether edits stay in the motion model; else they are made in joint space."""
    hold_contacts: Held | None = None
    """Whether feet stay where they touch the ground; usual: in joint space, and where contacts are set by hand."""
    keep_detail: bool | None = None
    """Of a model: whether what it cannot express of the clip is kept."""
    limits: bool | None = None
    """Of a model: whether limits are looked at in the search."""
    max_deviation: Annotated[float, Field(ge=0.0, le=1e6)] | None = None
    """Of a model: how many standard deviations a mode may be from the mean; 0: any."""

    def apply(self, state: State) -> State:
        """The clip so."""
        clip = open_clip(state)
        if self.in_model and state.model is None:
            raise InvalidSetting("there is no motion model to edit in; fit one, or open a .model.npz")
        given: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("in_model", "keep_detail", "limits")
            if getattr(self, name) is not None
        }
        if self.hold_contacts is not None:
            given["hold_contacts"] = {"usual": None, "on": True, "off": False}[self.hold_contacts]
        if self.max_deviation is not None:
            given["max_deviation"] = self.max_deviation or None
        return replace(state, clip=replace(clip, settings=replace(clip.settings, **given), notes=()))

    @property
    def says(self) -> str:
        """In a few words."""
        if self.in_model is None:
            return "change how the clip is edited"
        return "edit in the model" if self.in_model else "edit in joint space"
