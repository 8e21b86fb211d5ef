"""Events of a clip found by its contacts: when the figure leaves the ground and when it comes back."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.motions.intervals import intervals
from posewright.motions.motion import Motion


def flight_events(clip: Motion) -> Array:
    """Take-off and landing (2,), s: the ends of the longest time in which no foot touches the ground.

    Raises:
        InvalidMotion: the feet never leave the ground, or the flight runs into an end of the clip.
    """
    touching = clip.contacts()
    flights = intervals(~touching.any_of(touching.sites))
    inside = flights[(flights[:, 0] > 0) & (flights[:, 1] < len(clip))] if len(flights) else flights
    if not len(inside):
        raise InvalidMotion(
            f"clip {clip.name!r} has no take-off and landing: its feet never leave the ground between two contacts; "
            "give its events, or fit without"
        )
    first, after = inside[np.argmax(inside[:, 1] - inside[:, 0])]
    return np.array([first - 1, after]) / clip.fps
