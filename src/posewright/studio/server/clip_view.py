"""The clip of an editor, as the messages that pages get: its poses travel once, then only what an edit changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.kinematics import joint_frames
from posewright.rotations import quaternion_from_matrix
from posewright.studio import protocol
from posewright.studio.session.clips.clip import Clip
from posewright.studio.session.clips.editing import REACHED, key_error, span_judgement
from posewright.studio.session.clips.opening import BUILT_IN
from posewright.studio.session.clips.span import Span
from posewright.studio.session.goals.places import can_turn
from posewright.studio.session.state import State
from posewright.workflows.editing.in_joints import windows

Measure = Literal["height", "speed", "jerk"]
MeasureUnit = Literal["m", "m/s", "m/s³"]
_DRAWN = 97
"""Points by which a path is drawn."""
_MOST = 2000
"""Values of a curve."""
_CHUNK = 2 * 1024 * 1024
"""Bytes of a message, about: a pose that is dragged meanwhile does not wait long behind one."""


def clip_info(state: State) -> protocol.ClipInfo | None:
    """The clip but for its poses."""
    clip = state.clip
    if clip is None:
        return None
    keys = []
    for key in clip.keys:
        error = key_error(state, clip, key)
        ease_in, ease_out = (0.0, 0.0) if state.editing_model is not None else windows(state.source_motion, key.goal)
        keys.append(
            protocol.KeyInfo(
                frame=key.frame,
                site=key.site,
                target=key.target,
                error=error,
                reached=error <= REACHED,
                ease_in=ease_in,
                ease_out=ease_out,
                eased=key.ease is not None,
            )
        )
    return protocol.ClipInfo(
        name=clip.name,
        frames=len(clip),
        fps=clip.fps,
        keys=tuple(keys),
        spans=tuple(_span(state, clip, span) for span in clip.spans),
        feet=clip.feet,
        contacts=tuple(protocol.ContactInfo(foot=bar.foot, start=bar.start, end=bar.end) for bar in clip.contacts),
        contacts_by_hand=clip.by_hand is not None,
        notes=clip.notes,
    )


def _span(state: State, clip: Clip, span: Span) -> protocol.SpanInfo:
    judged, path = span_judgement(state, clip, span), span.path
    points: list[list[float]] = []
    if path is not None and len(path.times) > 1:
        points = path.at(np.linspace(path.times[0], path.times[-1], _DRAWN)).tolist()
    return protocol.SpanInfo(
        name=span.name,
        goal_kind=span.goal.word(),
        turnable=can_turn(span.goal),
        site=getattr(span.goal, "site", None),
        start=span.start,
        end=span.end,
        ease_in=span.ease_in,
        ease_out=span.ease_out,
        knots=tuple(protocol.KnotInfo(frame=knot.frame, point=knot.point) for knot in span.knots),
        points=tuple((x, y, z) for x, y, z in points),
        tension=span.tension,
        continuity=span.continuity,
        bias=span.bias,
        error=judged.error,
        unit=judged.unit,
        reached=judged.reached,
    )


def curves(state: State, joint: str) -> protocol.Curves:
    """The dofs of a joint, and how it moves, over time.

    Raises:
        PosewrightError: there is no such joint, or no clip.
    """
    motion, clip, figure = state.source_motion, state.clip, state.figure
    assert clip is not None
    where = figure.dof_slice(figure.joint(joint).name)
    frames = np.unique(np.linspace(0, len(motion) - 1, min(len(motion), _MOST)).round().astype(int))
    slides = len(figure.joint(joint).slides)
    found = tuple(
        protocol.CurveInfo(
            name=figure.dof_names[dof],
            unit="m" if dof - where.start < slides else "rad",
            of="dofs",
            source=tuple(clip.source[frames, dof].tolist()),
            edited=tuple(clip.q[frames, dof].tolist()),
        )
        for dof in range(where.start, where.stop)
    )
    source, made = (_movement(state, q, figure.joint_index(joint)) for q in (clip.source, clip.q))
    units: dict[Measure, MeasureUnit] = {"height": "m", "speed": "m/s", "jerk": "m/s³"}
    measures = tuple(
        protocol.CurveInfo(
            name=of,
            unit=unit,
            of=of,
            source=tuple(source[of][frames].tolist()),
            edited=tuple(made[of][frames].tolist()),
        )
        for of, unit in units.items()
    )
    return protocol.Curves(joint=joint, frames=tuple(frames.tolist()), curves=(*found, *measures))


def _movement(state: State, q: Array, joint: int) -> dict[Measure, Array]:
    """(frames,) each: how high a joint is above the floor, how fast it goes, and how fast its acceleration changes."""
    assert state.clip is not None
    places, fps = joint_frames(state.figure, q).positions[:, joint], state.clip.fps
    changes = [places]
    for _ in range(3):
        last = changes[-1]
        changes.append(fps * np.gradient(last, axis=0) if len(last) > 1 else np.zeros_like(last))
    return {
        "height": places[:, 1] - state.floor,
        "speed": np.linalg.norm(changes[1], axis=1),
        "jerk": np.linalg.norm(changes[3], axis=1),
    }


def clip_names() -> tuple[str, ...]:
    """Clips that can be opened by name."""
    return tuple(BUILT_IN)


def clip_poses(state: State, before: State | None) -> Iterator[bytes]:
    """What a page that was shown a state must get to show the clip of another; None: it was shown nothing."""
    clip = state.clip
    old = None if before is None else before.clip
    if clip is None or clip is old:
        return
    if old is None or clip.source is not old.source:
        yield from motion_frames(state.figure, clip.source, protocol.SOURCE, 0, len(clip))
        if clip.q is clip.source:
            return
    if old is None or clip.q is not old.q:
        yield from motion_frames(state.figure, clip.q, protocol.EDITED, *clip.changed)


def motion_frames(figure: Figure, q: Array, which: int, first: int, after: int) -> Iterator[bytes]:
    """Some of the frames of a motion (frames, dofs), at least one message."""
    size = max(1, _CHUNK // (4 * protocol.JOINT_NUMBERS * len(figure.joints)))
    for start in range(first, max(after, first + 1), size):
        end = min(start + size, after)
        yield protocol.clip_frame(which, len(q), start, joint_numbers(figure, q[start:end]), is_last=end >= after)


def joint_numbers(figure: Figure, q: Array) -> Array:
    """(..., joints, 7): place (m) and quaternion xyzw of every joint for q (..., dofs)."""
    frames = joint_frames(figure, q)
    turns = np.roll(quaternion_from_matrix(frames.rotations), -1, axis=-1)
    return np.concatenate([frames.positions, turns], axis=-1)
