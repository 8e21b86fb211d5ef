"""What the keys of a clip make of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.figures import Pose
from posewright.studio.session.clips.clip import Clip, Key
from posewright.studio.session.state import State
from posewright.workflows.editing.edit import edit

REACHED = 1e-3
"""m: a key that is met as nearly as this is reached"""


def edited(state: State) -> tuple[State, float]:
    """The state with its clip edited by its keys, from the source on, and how long that took (s)."""
    clip = state.clip
    if clip is None:
        return state, 0.0
    if not clip.keys:
        return replace(state, clip=clip.with_q(clip.source)), 0.0
    result = edit(clip.source_motion(state.figure), [key.goal for key in clip.keys], space=state.model)
    return replace(state, clip=clip.with_q(result.motion.q)), result.seconds


def key_error(state: State, clip: Clip, key: Key) -> float:
    """How far a key's site is from its target at its frame, m."""
    at = Pose(state.figure, clip.q[key.frame]).point(key.site)
    return float(np.linalg.norm(np.subtract(at, key.target)))
