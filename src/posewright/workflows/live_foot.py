"""A foot whose frames arrive one by one: contacts found and kept with what little is known of the frames ahead."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.motion.contacts import ContactSettings
from posewright.rotations import matrix_from_vector, vector_from_matrix
from posewright.workflows.footprints import FADE, FootShape, FootWay, basis, lying_toes, smooth


class LiveContact:
    """Whether a point rests, decided from some frames ahead, with the thresholds of `motion.contacts`."""

    def __init__(self, size: float, fps: float, settings: ContactSettings) -> None:
        self.touching = False
        self._size, self._fps, self._settings = size, fps, settings
        self._shortest = max(1, round(settings.min_duration * fps))

    def advance(self, points: Array, heights: Array) -> int | None:
        """Take the next frame; return in how many frames the point rests: 0 now, None not as far as is known.

        Args:
            points: (frames, 3), m: the frame before, this frame, and those ahead.
            heights: (frames,), m, above the floor.
        """
        rule = self._settings
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1) * self._fps / self._size
        window = max(1, round(rule.window * self._fps))
        ahead = np.array([steps[k : k + window].mean() for k in range(1, len(steps))])
        speeds = np.minimum(ahead, steps[:-1])
        low = heights[1:-1] / self._size
        enter = (low < rule.height) & (speeds < rule.speed)
        stay = (low < rule.release * rule.height) & (speeds < rule.release * rule.speed)
        soon = slice(0, self._shortest)
        if self.touching:
            self.touching = bool(stay[soon].any())
        else:
            self.touching = bool(stay[soon].all() and enter[soon].any())
        if self.touching:
            return 0
        for k in range(1, len(stay) - self._shortest + 1):
            if stay[k : k + self._shortest].all() and enter[k : k + self._shortest].any():
                return k
        return None


class LiveFoot:
    """The way of a sole that keeps its contacts, frame by frame; memory of one frame."""

    def __init__(self, shape: FootShape, fps: float) -> None:
        self._shape, self._fps = shape, fps
        self._heel: Array | None = None
        self._toes: Array | None = None
        self._moved, self._turned = _Correction(fps), _Correction(fps)

    def advance(
        self, places: Array, turns: Array, toe_tips: Array, heel: int | None, toes: int | None
    ) -> tuple[FootWay, float, float]:
        """The next frame of the way (arrays of one frame), and how much sole and toes rest, from 0 to 1.

        Args:
            places: (frames, 3), m: the carried sole in this frame and those ahead.
            turns: (frames, 3, 3): its frame.
            toe_tips: (frames, 3), m, seen from the sole.
            heel: in how many frames it rests, None if not soon.
            toes: likewise.
        """
        shape = self._shape
        self._heel = self._pin(self._heel, heel, places, turns, shape.heel, self._toes, toes)
        self._toes = self._pin(self._toes, toes, places, turns, shape.toe_tip, self._heel, heel)
        flat_in = None if heel is None or toes is None else max(heel, toes)
        level = _level(turns[flat_in or 0], self._heel, self._toes, flat_in, shape)
        wanted = None if flat_in is None else vector_from_matrix(level @ turns[flat_in].T)
        turned = matrix_from_vector(self._turned.advance(wanted, flat_in)) @ turns[0]
        lying = turned
        if shape.has_toes:
            along = _level(turned, self._heel, self._toes, flat_in if flat_in == 0 else None, shape)
            lying = lying_toes(turned[None], along[None], shape.bend)[0]
        rests = [k for k in (heel, toes) if k is not None]
        soon = min(rests) if rests else None
        place = places[0] + self._moved.advance(self._shift(places, turns, turned, lying, heel, toes, soon), soon)
        low = min(float((turned @ shape.heel)[1]), float((turned @ (shape.ball * [1.0, 0.0, 1.0]))[1])) + place[1]
        if toes != 0:
            low = min(low, float((turned @ toe_tips[0])[1] + place[1]))
        place = place + np.array([0.0, max(0.0, -low) if soon != 0 else 0.0, 0.0])
        way = FootWay(
            place[None], turned[None, :, 0], turned[None, :, 1], lying[None], (place + turned @ shape.ankle)[None]
        )
        return way, self._share(soon), self._share(toes)

    def _share(self, soon: int | None) -> float:
        return 0.0 if soon is None else float(smooth(np.array(1.0 - soon / max(1.0, 0.1 * self._fps))))

    def _pin(
        self,
        pin: Array | None,
        rests_in: int | None,
        places: Array,
        turns: Array,
        point: Array,
        other: Array | None,
        other_rests_in: int | None,
    ) -> Array | None:
        """Where a point rests or will: once it does the place is kept."""
        if rests_in is None:
            return None
        if rests_in == 0 and pin is not None:
            return pin
        found: Array = (places[rests_in:] + turns[rests_in:] @ point).mean(axis=0) * np.array([1.0, 0.0, 1.0])
        if other is not None and other_rests_in == 0:
            way = found - other
            long = float(np.linalg.norm(way))
            length = float(np.linalg.norm(self._shape.toe_tip - self._shape.heel))
            found = other + way * (length / long) if long > 1e-9 else found
        return found

    def _shift(
        self,
        places: Array,
        turns: Array,
        turned: Array,
        lying: Array,
        heel: int | None,
        toes: int | None,
        soon: int | None,
    ) -> Array | None:
        """What is added to the carried place when the foot rests."""
        shape = self._shape
        if soon is None:
            return None
        now = turned if soon == 0 else turns[soon]
        if heel == soon and self._heel is not None:
            shift: Array = self._heel - now @ shape.heel - places[soon]
            return shift
        assert self._toes is not None
        assert toes is not None
        tip = (lying if soon == 0 else turns[soon]) @ (shape.toe_tip - shape.ball)
        shift = self._toes - tip - now @ shape.ball - places[soon]
        return shift


class _Correction:
    """A vector that arrives where it is wanted in time, and goes back to zero with the velocity it had."""

    def __init__(self, fps: float) -> None:
        self._value, self._step = np.zeros(3), np.zeros(3)
        self._rate = 5.0 / (FADE * fps)

    def advance(self, wanted: Array | None, soon: int | None) -> Array:
        if wanted is None or soon is None:  # a critically damped spring
            self._step = self._step - 2.0 * self._rate * self._step - self._rate**2 * self._value
        else:
            self._step = (wanted - self._value) / (soon + 1.0)
        self._value = self._value + self._step
        return self._value


def _level(turned: Array, heel: Array | None, toes: Array | None, flat_in: int | None, shape: FootShape) -> Array:
    own = shape.toe_tip - shape.heel
    way = toes - heel if flat_in is not None and heel is not None and toes is not None else turned @ own
    angle = float(np.arctan2(way[2], way[0]) - np.arctan2(own[2], own[0]))
    return basis(np.array([np.cos(angle), 0.0, np.sin(angle)]), np.array([0.0, 1.0, 0.0]))
