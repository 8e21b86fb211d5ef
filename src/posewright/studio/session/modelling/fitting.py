"""A motion model fitted from clips beside the work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from posewright.errors import InvalidSetting, PosewrightError
from posewright.figures import Figure
from posewright.models.motion_model import MotionModel
from posewright.motions import Motion
from posewright.solvers.motion.frames import Progress
from posewright.studio.session.clips.opening import BUILT_IN
from posewright.studio.session.retargeting.question import ITEM, OPEN, source_of
from posewright.studio.session.state import State
from posewright.workflows.retargeting.retarget import retarget

FAMILY = "family:"
"""Clips of one kind that code makes: the name follows."""
SEVERAL = 8
"""Clips of such a family."""
_VARIED: dict[str, Callable[..., Motion]] = {name: make for name, make in BUILT_IN.items() if name != "reach"}


def clip_choices(state: State) -> dict[str, str]:
    """Clips that a model can be fitted from, with what they are called."""
    found = {OPEN: state.clip.name or "this clip"} if state.clip is not None else {}
    found |= {f"{ITEM}{item.name}": item.name for item in state.library.items if item.motion is not None}
    families = {f"{FAMILY}{name}": f"{SEVERAL} of {name.replace('_', ' ')} (built in)" for name in _VARIED}
    return found | (families if _can_perform(state.figure) else {})


def _can_perform(figure: Figure) -> bool:
    """Whether clips made by code are for such a body."""
    return {"left_hip", "right_hip", "left_shoulder", "right_shoulder"} <= {*figure.joint_names}


def clips_of(state: State, names: Sequence[str]) -> list[Motion]:
    """The clips of these names, each of which may mean several.

    Raises:
        PosewrightError: there is none of that name, or there are no names.
    """
    if not names:
        raise InvalidSetting("no clip is chosen that a model could be fitted from; choose several of one activity")
    found: list[Motion] = []
    for name in names:
        family = name.removeprefix(FAMILY)
        if name == OPEN:
            found.append(state.source_motion)
        elif name.startswith(FAMILY) and family in _VARIED:
            found += [_VARIED[family](state.figure, seed=seed) for seed in range(SEVERAL)]
        else:
            found.append(source_of(state, name))
    return found


def fitted(clips: Sequence[Motion], figure: Figure, explained_variance: float, progress: Progress) -> MotionModel:
    """A model of a figure; clips of other bodies are retargeted to it first.

    Raises:
        PosewrightError: a clip means nothing to the figure, or there is nothing to learn from.
    """
    own = []
    for number, clip in enumerate(clips):
        progress(number)
        own.append(replace(clip, figure=figure) if clip.figure.moves_like(figure) else retarget(clip, figure).motion)
    progress(len(clips))
    events: Literal["alike"] | None = "alike" if len(own) > 1 else None
    model = MotionModel.fit(own, explained_variance=explained_variance, events=events)
    progress(len(clips) + 1)
    return model


class Modeller:
    """What was fitted and is not taken yet, and why the last fit ended."""

    def __init__(self) -> None:
        self.failure = ""
        """Why there is no model; empty: there is one, or none was asked for."""
        self.found: tuple[tuple[str, ...], MotionModel] | None = None
        """A model and the clips that it was fitted from, until it is taken."""

    def ask(self, state: State, names: tuple[str, ...]) -> list[Motion]:
        """The clips to fit from.

        Raises:
            PosewrightError: there are none, or no clip is open that could be edited.
        """
        _ = state.source_motion
        self.failure = ""
        return clips_of(state, names)

    def failed(self, why: str | PosewrightError) -> None:
        """There is no model."""
        self.failure = str(why)
