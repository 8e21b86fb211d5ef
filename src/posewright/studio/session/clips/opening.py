"""Clips opened: from a motion, or one of those that code makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from posewright import clips
from posewright.errors import PosewrightError, UnknownName
from posewright.figures import Figure
from posewright.models.motion_model import MotionModel
from posewright.motions import Motion
from posewright.motions.contacts import Contacts, bars_of, feet_of
from posewright.studio.session.clips.clip import Bar, Clip
from posewright.studio.session.opening import opened
from posewright.studio.session.state import State


def _reach(figure: Figure) -> Motion:
    """For something at the height of the chest, ahead and to the left."""
    return clips.reach(figure, (0.15 * figure.height, 0.7 * figure.height, 0.3 * figure.height))


BUILT_IN: dict[str, Callable[[Figure], Motion]] = {
    "walk": clips.walk,
    "run": clips.run,
    "jump": clips.jump,
    "kick": clips.kick,
    "throw": clips.throw,
    "reach": _reach,
    "sit": clips.sit,
    "golf_swing": clips.golf_swing,
}
"""Clips made by code, for bodies with the joint names of the built-in ones."""


def opened_motion(motion: Motion, model: MotionModel | None = None) -> State:
    """A figure in the first frame of its motion, which is there to be edited; without frames, the figure alone.

    Args:
        motion: to be edited.
        model: what edits stay in (default: joint space).

    Raises:
        InvalidMotion: the model is of another figure.
    """
    if not len(motion):
        return opened(motion.figure)
    if model is not None:
        model.around(motion)  # says what does not fit
    contacts = _contacts(motion)
    floor = None if contacts is None else contacts.floor.height
    return replace(opened(motion.figure, motion.q[0], floor=floor), clip=clip_of(motion, contacts), model=model)


def built_in_clip(figure: Figure, name: str) -> Clip:
    """One of those made by code, performed by a figure.

    Raises:
        UnknownName: there is none of that name.
    """
    if name not in BUILT_IN:
        raise UnknownName("clip", name, [*BUILT_IN])
    motion = BUILT_IN[name](figure)
    return clip_of(motion, _contacts(motion))


def clip_of(motion: Motion, contacts: Contacts | None) -> Clip:
    """A motion without keys."""
    bars = () if contacts is None else _bars(motion.figure, contacts)
    return Clip(motion.name, motion.fps, motion.q, motion.q, bars, first_frame=motion.first_frame)


def _contacts(motion: Motion) -> Contacts | None:
    """None: the figure has nothing to stand on."""
    try:
        return motion.contacts()
    except PosewrightError:
        return None


def contacts_of(motion: Motion) -> tuple[Bar, ...]:
    """When its feet are on the ground; none where it has nothing to stand on."""
    found = _contacts(motion)
    return () if found is None else _bars(motion.figure, found)


def _bars(figure: Figure, contacts: Contacts) -> tuple[Bar, ...]:
    """Heel and toes of a side are one foot."""
    return bars(contacts, feet_of(figure))


def bars(contacts: Contacts, feet: Mapping[str, Sequence[str]]) -> tuple[Bar, ...]:
    """Contacts of feet, each of which has some sites."""
    return tuple(Bar(foot, start, end) for foot, spans in bars_of(contacts, feet).items() for start, end in spans)
