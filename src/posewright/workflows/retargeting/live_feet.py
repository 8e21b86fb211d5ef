"""Feet whose frames arrive one by one: contacts found and kept with what little is known of the frames ahead."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posewright.conventions import Array
from posewright.kernels.motion import live_feet as kernels
from posewright.kernels.tables import Table
from posewright.motions.contacts import ContactSettings
from posewright.workflows.retargeting.foot_planting import FADE, FootShape

_EASE = 0.1
"""s, over which a contact grows from a wish to a must."""


class LiveFeet:
    """The ways of two soles that keep their contacts, frame by frame; memory of one frame."""

    def __init__(self, shapes: Sequence[FootShape], size: float, fps: float, settings: ContactSettings) -> None:
        """Prepare.

        Args:
            shapes: of the target's left and right foot.
            size: m, height of the source.
            fps: frames per second.
            settings: what counts as a contact.
        """
        rule = self._rule = np.zeros(1, kernels.RULE)
        rule["per_step"], rule["per_height"] = fps / size, 1.0 / size
        rule["height"], rule["speed"], rule["release"] = settings.height, settings.speed, settings.release
        rule["window"] = max(1, round(settings.window * fps))
        rule["shortest"] = max(1, round(settings.min_duration * fps))
        rule["rate"], rule["ease"] = 5.0 / (FADE * fps), max(1.0, _EASE * fps)
        self._feet, self._ways = np.zeros(2, kernels.FOOT), np.zeros(2, kernels.WAY)
        for foot, shape in zip(self._feet, shapes, strict=True):
            for name in ("heel", "toe_tip", "ball", "ankle", "along", "length", "bend", "has_toes"):
                foot[name] = getattr(shape, name)
        self.touching = np.zeros(4, np.int64)
        """Whether left heel, left toes, right heel, right toes rest in the last frame."""

    def advance(self, points: Array, heights: Array, places: Array, turns: Array, toe_tips: Array) -> Table:
        """The ways of left and right sole (rows of `kernels.live_feet.WAY`) in the next frame.

        Args:
            points: (frames, 4, 3), m: heels and toe tips of the source in the frame before, this one and those ahead.
            heights: (frames, 4), m, above the floor.
            places: (2, frames, 3), m: the carried soles in this frame and those ahead.
            turns: (2, frames, 3, 3): their frames.
            toe_tips: (2, 3), m, seen from the sole, in this frame.
        """
        kernels.advance_feet(
            self._rule, self.touching, points, heights, self._feet, places, turns, toe_tips, self._ways
        )
        return self._ways
