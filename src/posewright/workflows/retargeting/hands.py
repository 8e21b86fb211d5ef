"""Hands that keep to each other, or to an object, on figures of other proportions.

Postures carried over bring the hands of a golfer with other arms apart. Here both get tracks around the place that is
midway between them in the carried posture, as far from each other as in the source times the scale: the solve need not
know that it is about two hands, and keeps its speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from posewright.anatomy.lexicon import SIDES
from posewright.anatomy.segments import Segments
from posewright.checks import read_only, require_number
from posewright.conventions import Array
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure, Site
from posewright.figures.kinematics import JointFrames, site_frames
from posewright.goals.timed import Timed, follow
from posewright.matching import Scaling
from posewright.motions import Motion
from posewright.rotations import matrix_from_quaternion
from posewright.workflows.retargeting.foot_planting import smooth

_NEAR, _FAR = 0.25, 0.4
"""Distances of the palms, over the length of the legs: nearer, hands are kept; further apart, they are left alone."""
_WEIGHT = 30.0
"""Of a kept hand over a foot in the air."""
_PALM = 0.12
"""Of the length of the legs: palms are no further from the wrist, whatever the hand holds."""
_STRETCH = 0.98
"""Of its length: an arm is asked to reach no further."""
_ROUNDS = 8


@dataclass(frozen=True, eq=False)
class HeldObject:
    """What a hand of the source holds or touches: its way in the source's world, and where it is on the target's."""

    side: Literal["left", "right"]
    points: Array
    """(frames, 3), m: the way of the object."""
    turns: Array | None = None
    """(frames, 4): its orientation, wxyz; None: it never turns."""
    target_points: Array | None = None
    """(frames, 3), m: its way in the target's world, whose floor is y = 0; None: the same, scaled with the figure."""
    target_turns: Array | None = None
    """(frames, 4); None: as in the source."""
    scale: float = 1.0
    """Size of the object on the target over that in the source; with `target_points` only."""
    activation: Array | None = None
    """(frames,), from 0 to 1: when the hand is on it; None: always."""

    def __post_init__(self) -> None:
        if self.side not in SIDES:
            raise InvalidSetting(f"the side of a held object is {self.side!r}; it must be 'left' or 'right'")
        require_number(self.scale, "the scale of a held object", "a positive number")
        if not (np.isfinite(self.scale) and self.scale > 0.0):
            raise InvalidSetting(f"the scale of a held object is {self.scale}; it must be positive")
        if self.points is None:
            raise InvalidSetting("a held object has no points; they must be (frames, 3), m: its way in the source")
        for name in ("points", "turns", "target_points", "target_turns", "activation"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, read_only(given, f"{name} of a held object"))


def with_palms(figure: Figure, segments: Segments) -> Figure:
    """The figure with sites `left_hand` and `right_hand` in the middle of its hands, where it lacks them."""
    fresh = [Site(name=f"{side}_hand", joint=joint, point=point) for side, joint, point in _palms(figure, segments)]
    return figure.with_sites(*(site for site in fresh if site.name not in (*figure.site_names, *figure.joint_names)))


def _palms(figure: Figure, segments: Segments) -> list[tuple[str, str, tuple[float, float, float]]]:
    found = []
    for side in SIDES:
        part = f"{side}_wrist" if f"{side}_wrist" in segments.anatomy.parts else f"{side}_elbow"
        wrist = segments.anatomy.last(part)
        ends = [segments.positions[k] for k in figure.subtree(wrist)]
        for site in figure.sites:
            joint = figure.joint_index(site.joint)
            if joint in figure.subtree(wrist):
                ends.append(segments.positions[joint] + segments.rotations[joint] @ np.array(site.point))
        far = max(ends, key=lambda end: float(np.linalg.norm(end - segments.positions[wrist])))
        way = segments.rotations[wrist].T @ (far - segments.positions[wrist])
        if part.endswith("wrist"):  # the end of an arm without one is its hand
            way *= min(0.5, _PALM * segments.leg_length / max(float(np.linalg.norm(way)), 1e-9))
        x, y, z = way.tolist()
        found.append((side, figure.joint_names[wrist], (x, y, z)))
    return found


class HandsTogether:
    """How near to each other the palms of a source are, and where that puts those of a target."""

    def __init__(self, source: Motion, ours: Segments, theirs: Segments, scaling: Scaling) -> None:
        palms = site_frames(with_palms(ours.figure, ours), source.q, ["left_hand", "right_hand"]).points
        self.apart: Array = palms[:, 1] - palms[:, 0]
        """(frames, 3), m: from the left palm to the right one, in the source."""
        near, far = _NEAR * ours.leg_length, _FAR * ours.leg_length
        self.share: Array = 1.0 - smooth((np.linalg.norm(self.apart, axis=1) - near) / (far - near))
        """(frames,): how much the hands keep to each other."""
        self._theirs, self._scaling = theirs, scaling

    def goals(self, figure: Figure, frames: JointFrames) -> list[Timed]:
        """Tracks of both palms of the target, for its carried posture's frames."""
        if not self.share.any():
            return []
        palms = np.stack([_placed(figure, frames, f"{side}_hand") for side in SIDES], axis=1)
        half = 0.5 * self._scaling.factor * self.apart[:, np.newaxis] * np.array([[-1.0], [1.0]])
        middle = self._within_reach(frames, palms.mean(axis=1), half)
        weight, share = _WEIGHT, self.share
        return [
            follow(
                f"{side}_hand", middle + half[:, k], weight=weight, activation=share, priority=2, name=f"kept {side}"
            )
            for k, side in enumerate(SIDES)
        ]

    def _within_reach(self, frames: JointFrames, middle: Array, half: Array) -> Array:
        """The places (frames, 3) nearest to `middle` at which both arms reach their palm."""
        middle = middle.copy()
        for _ in range(_ROUNDS):
            for k, side in enumerate(SIDES):
                shoulder = frames.positions[:, self._theirs.centre(f"{side}_shoulder")]
                way = middle + half[:, k] - shoulder
                long = np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
                middle -= np.maximum(0.0, 1.0 - _STRETCH * self._arm(side) / long) * way
        return middle

    def _arm(self, side: str) -> float:
        """m, from shoulder to palm, stretched out."""
        theirs = self._theirs
        palm = site_frames(theirs.figure, theirs.figure.rest, [f"{side}_hand"]).points[0]
        bend = [theirs.place(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist") if _has(theirs, side, part)]
        return float(sum(np.linalg.norm(b - a) for a, b in zip(bend, [*bend[1:], palm], strict=True)))


def held_goal(held: HeldObject, source: Motion, ours: Segments, scaling: Scaling) -> Timed:
    """The track of a target's palm that is to its object as the source's is."""
    n = len(source)
    points, turns = _checked(held, "points", n, 3), _checked(held, "turns", n, 4)
    onto, onto_turns = _checked(held, "target_points", n, 3), _checked(held, "target_turns", n, 4)
    assert points is not None
    name = f"{held.side}_hand"
    palm = site_frames(with_palms(ours.figure, ours), source.q, [name]).points[:, 0]
    away = palm - points
    if turns is not None:
        away = np.einsum("fij,fi->fj", matrix_from_quaternion(turns), away)  # seen from the object
    turned = turns if onto_turns is None else onto_turns
    if turned is not None:
        away = np.einsum("fij,fj->fi", matrix_from_quaternion(turned), away)
    scale = scaling.factor if onto is None else held.scale
    places = (scaling(points) if onto is None else onto) + scale * away
    label = f"held {held.side}"
    return follow(name, places, weight=_WEIGHT, activation=held.activation, priority=2, name=label)


def _checked(held: HeldObject, field: str, n: int, width: int) -> Array | None:
    values: Array | None = getattr(held, field)
    if values is None:
        return None
    what = f"{field} of the object in the {held.side} hand"
    if values.shape != (n, width):
        raise InvalidSetting(f"{what} has shape {values.shape}; it must be ({n}, {width}), a row per frame")
    if not np.isfinite(values).all():
        raise InvalidMotion(f"{what} is not finite in frame {int(np.argwhere(~np.isfinite(values))[0, 0])}")
    if width == 4:
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
        if lengths.min(initial=1.0) < 1e-9:
            raise InvalidSetting(f"{what} vanishes in frame {int(lengths.argmin())}; it must be a quaternion wxyz")
        values = values / lengths
    return values


def _placed(figure: Figure, frames: JointFrames, name: str) -> Array:
    site = figure.site(name)
    joint = figure.joint_index(site.joint)
    places: Array = frames.positions[:, joint] + frames.rotations[:, joint] @ np.array(site.point)
    return places


def _has(segments: Segments, side: str, part: str) -> bool:
    return f"{side}_{part}" in segments.anatomy.parts
