"""What the clip is edited in, as the message that pages get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from posewright.studio import protocol
from posewright.studio.server.working import Working
from posewright.studio.session.clips.clip import EditSettings
from posewright.studio.session.editor import Editor
from posewright.studio.session.modelling.fitting import clip_choices
from posewright.studio.session.state import State

_HELD: dict[bool | None, Literal["usual", "on", "off"]] = {None: "usual", True: "on", False: "off"}


class ModelView:
    """Remembers what pages were shown."""

    def __init__(self) -> None:
        self._text = ""

    def news(self, editor: Editor, work: Working[Any]) -> Iterator[str]:
        """What pages must get to show it as it is now."""
        text = protocol.write_reply(modelling(editor, work))
        if text != self._text:
            yield text
        self._text = text


def modelling(editor: Editor, work: Working[Any]) -> protocol.Modelling:
    """The message."""
    state = editor.state
    settings = EditSettings() if state.clip is None else state.clip.settings
    return protocol.Modelling(
        clips=tuple(protocol.ChoiceInfo(id=one, name=name) for one, name in clip_choices(state).items()),
        model=_model(state),
        in_model=state.editing_model is not None,
        hold_contacts=_HELD[settings.hold_contacts],
        keep_detail=settings.keep_detail,
        limits=settings.limits,
        max_deviation=settings.max_deviation or 0.0,
        fitting=work.running,
        done=work.progress,
        total=work.total,
        why_not=editor.modeller.failure,
    )


def _model(state: State) -> protocol.ModelInfo | None:
    model, source = state.model, state.source("model")
    if model is None:
        return None
    return protocol.ModelInfo(
        name="" if source is None else source.name,
        clips=model.clips,
        frames=model.n_frames,
        modes=model.n_modes,
        explained=model.explained_variance,
        shares=tuple(model.variance_ratios[: model.n_modes].tolist()),
        warnings=model.warnings,
    )
