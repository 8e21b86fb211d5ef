"""What is to be retargeted, looked up: names become motions, figures and a match."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from posewright.errors import InvalidSetting, PosewrightError, UnknownName
from posewright.figures import Figure
from posewright.figures.catalogue import CATALOGUE, build
from posewright.matching import JointMatch
from posewright.motions import Motion
from posewright.studio.session.clips.opening import BUILT_IN
from posewright.studio.session.retargeting.choices import Retargeting
from posewright.studio.session.state import State
from posewright.workflows.retargeting.setup import RetargetSetup

OPEN = "open"
"""What is edited, as a source or target."""
ITEM, MADE = "item:", "built-in:"
"""What else is open, and what code makes: the name follows."""
PERFORMER = "human"
"""Who performs clips that code makes."""


@dataclass(frozen=True, eq=False)
class Question:
    """The same, looked up: what is retargeted."""

    retargeting: Retargeting
    source: Motion
    target: Figure
    """Resting as it stands."""
    match: JointMatch
    """Essential joints may be missing."""

    @property
    def obstacle(self) -> str:
        """Why it cannot be answered yet, a sentence; empty: it can."""
        try:
            self.match.source.require()
            self.match.target.require()
        except PosewrightError as error:
            return str(error).partition(";")[0] + "; correct the match, or choose a body with arms and legs"
        return ""

    @property
    def figure(self) -> Figure:
        """Of the answer: the target with sites for its soles, and for its palms if hands are kept."""
        chosen = self.retargeting.options
        setup = RetargetSetup.between(
            self.source, self.target, self.match, floor=chosen.floor, scale=chosen.scale, palms=chosen.hands
        )
        return setup.target

    @property
    def name(self) -> str:
        """Of the answer."""
        return f"{self.source.name or 'clip'} on {self.target.name}"


def retargeting_of(state: State) -> Retargeting:
    """What was chosen; before that, what is likely meant: the clip that is open, on the figure that was opened last.

    Where a character with a mesh is open, that is the figure, though it may have a clip of its own.
    """
    return state.retargeting or Retargeting(_likely_source(state), _likely_target(state))


def _likely_source(state: State) -> str:
    items = state.library.items
    moving = [item.name for item in items if item.motion is not None]
    bare = [item.name for item in items if not item.is_body]
    if bare and state.figure.skin is not None:
        return f"{ITEM}{bare[-1]}"
    return OPEN if state.clip is not None else f"{ITEM}{moving[-1]}" if moving else f"{MADE}walk"


def _likely_target(state: State) -> str:
    source = _likely_source(state)
    bodies = [item.name for item in state.library.items if item.is_body]
    others = bodies or [item.name for item in state.library.items if f"{ITEM}{item.name}" != source]
    if source != OPEN:
        return OPEN
    return f"{ITEM}{others[-1]}" if others else f"{MADE}{'human40' if state.figure.name != 'human40' else PERFORMER}"


def source_names(state: State) -> dict[str, str]:
    """What a user may choose as the source, with what it is called."""
    found = {OPEN: state.clip.name or "this clip"} if state.clip is not None else {}
    found |= {f"{ITEM}{item.name}": item.name for item in state.library.items if item.motion is not None}
    return found | {f"{MADE}{name}": f"{name.replace('_', ' ')} (built in)" for name in BUILT_IN}


def target_names(state: State) -> dict[str, str]:
    """The same for the target."""
    found = {OPEN: state.figure.name or "this figure"}
    found |= {f"{ITEM}{item.name}": item.name for item in state.library.items}
    return found | {f"{MADE}{name}": f"{name} (built in)" for name in CATALOGUE}


def source_of(state: State, source: str) -> Motion:
    """The motion that a name of `source_names` means.

    Raises:
        PosewrightError: there is none of that name.
    """
    if source == OPEN:
        if state.clip is None:
            raise InvalidSetting("no clip is open that could be retargeted; choose another source")
        return state.clip.motion(state.figure)
    if source.startswith(ITEM):
        motion = state.library[source.removeprefix(ITEM)].motion
        if motion is None:
            raise InvalidSetting(f"{source.removeprefix(ITEM)!r} is a figure without a motion; choose a clip as source")
        return motion
    if source.removeprefix(MADE) not in BUILT_IN or not source.startswith(MADE):
        raise UnknownName("source", source, source_names(state))
    return _made(source.removeprefix(MADE))


def target_of(state: State, target: str) -> Figure:
    """The figure that a name of `target_names` means.

    Raises:
        PosewrightError: there is none of that name.
    """
    if target == OPEN:
        clip = state.clip
        return state.figure if clip is None else clip.source_motion(state.figure).with_standing_rest().figure
    if target.startswith(ITEM):
        return state.library[target.removeprefix(ITEM)].figure
    if target.removeprefix(MADE) not in CATALOGUE or not target.startswith(MADE):
        raise UnknownName("target", target, target_names(state))
    return _built(target.removeprefix(MADE))


@cache
def _made(name: str) -> Motion:
    return BUILT_IN[name](_built(PERFORMER))


@cache
def _built(name: str) -> Figure:
    return build(name)


def question_of(state: State) -> Question:
    """What is to be retargeted.

    Raises:
        PosewrightError: source or target are not there any more, or corrected joints are not theirs.
    """
    chosen = retargeting_of(state)
    source, target = source_of(state, chosen.source), target_of(state, chosen.target)
    match = JointMatch.guess(source.figure, target)
    match = match.with_parts(source=chosen.source_parts, target=chosen.target_parts)
    return Question(chosen, source, target, match)


def with_match(state: State, match: JointMatch) -> State:
    """The state with a corrected match: what differs from what is found is kept."""
    chosen = retargeting_of(state)
    found = JointMatch.guess(*match.figures)
    sides = ((match.source.parts, found.source.parts), (match.target.parts, found.target.parts))
    source, target = (
        {part: tuple(mine.get(part, ())) for part in {**theirs, **mine} if mine.get(part) != theirs.get(part)}
        for mine, theirs in sides
    )
    return replace(state, retargeting=replace(chosen, source_parts=source, target_parts=target))
