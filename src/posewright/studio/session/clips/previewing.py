"""What a gesture would make of a clip, soon enough to follow the mouse.

Keys alone are edited as they will be. A path costs seconds, so while something of one is dragged, or a key beside one,
the clip as it is gets a few keys more, where the point in hand is wanted; letting go edits the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from posewright.goals.timed import Timed
from posewright.studio.session.clips.clip import Clip
from posewright.studio.session.clips.editing import ClipEditing
from posewright.studio.session.clips.span import Span
from posewright.studio.session.goals.places import moved
from posewright.studio.session.state import State


def previewed(editing: ClipEditing, before: State, state: State) -> tuple[State, float]:
    """A state with its clip about as it will be, and how long that took (s).

    Args:
        editing: what edits it.
        before: the one that is shown, with its clip edited.
        state: what becomes of it, with its clip not edited yet.
    """
    clip, old = state.clip, before.clip
    if clip is None or old is None or not clip.spans or state.editing_model is not None:
        return editing.edited(state)
    wanted = list(_wanted(state, clip, old))
    if not wanted:
        return replace(state, clip=clip.with_q(old.q)), 0.0
    as_it_is = replace(state, clip=replace(old, source=old.q, by_hand=None))  # contacts are in its frames already
    result = editing.editor_of(as_it_is).edit(wanted)
    return replace(state, clip=clip.with_q(result.motion.q)), result.seconds


def _wanted(state: State, clip: Clip, old: Clip) -> Iterator[Timed]:
    """Keys for what a gesture has moved or turned; none for what it moves in time."""
    places = {(key.frame, key.site) for key in clip.keys}
    if all((key.frame, key.site) in places for key in old.keys):
        yield from (key.goal for key in clip.keys if key not in old.keys)
    for span, was in zip(clip.spans, old.spans, strict=False):
        if (span.name, span.start, span.end) == (was.name, was.start, was.end) and span != was:
            yield from _keys_of(state, span, was)


def _keys_of(state: State, span: Span, was: Span) -> Iterator[Timed]:
    """A key per knot that was moved, which fades where its neighbours are; of what is held, some all along it."""
    frames = [float(knot.frame) for knot in span.knots]
    if len(frames) < 2:
        goal = moved(span.goal, span.knots[0].point, state.pose) if span.knots else span.goal
        middle = (span.start + span.end) // 2
        for frame in sorted({span.start, middle, span.end}):
            before, after = (span.ease_in, span.ease_out) if span.start == span.end else (middle - span.start,) * 2
            yield goal.at(frame, ease=(max(1.0, before), max(1.0, after)))
    elif frames == [knot.frame for knot in was.knots]:
        ends = [frames[0] - max(1.0, span.ease_in), *frames, frames[-1] + max(1.0, span.ease_out)]
        for number, knot in enumerate(span.knots):
            if knot.point != was.knots[number].point:
                ease = (knot.frame - ends[number], ends[number + 2] - knot.frame)
                yield moved(span.goal, knot.point, state.pose).at(round(knot.frame), ease=ease)
