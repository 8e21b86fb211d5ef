"""Hands that keep to each other, or to an object, on figures of other proportions.

A transferred posture brings the hands of a golfer with other arms apart. Here both get goals around the place that is
midway between them in that posture, as far from each other as in the source times the scale: the solve need not
know that it is about two hands, and keeps its speed.

Unless asked for, only hands that hold each other for a while are brought together, and only as far as arms give way
easily: where that is not enough they stay apart.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.lexicon import SIDES
from posewright.checks import read_only, require_choice, require_number
from posewright.conventions import Array
from posewright.errors import FileProblem, InvalidMotion, InvalidSetting, UnknownName
from posewright.figures import Figure, Site
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.figures.vectors import vector
from posewright.goals.fields import checked_matrices
from posewright.goals.timed import Timed, follow
from posewright.matching import JointMatch, Scaling
from posewright.motions import Motion
from posewright.motions.contacts import intervals
from posewright.motions.smoothing import gaussian
from posewright.motions.splines import ease, ramp
from posewright.rotations import matrix_from_axes, matrix_from_quaternion, quaternion_from_matrix

_PALMS = ("left_hand", "right_hand")
GRIP, _FAR = 0.25, 0.4
"""Distances of the palms over the length of the legs: nearer hands are kept, more distant ones are left alone."""
_WEIGHT = 30.0
"""Weight of a kept hand relative to a foot in the air."""
_PALM = 0.12
"""Share of the length of the legs: largest distance of the palm from the wrist, whatever the hand holds."""
_STRETCH = 0.98
"""Share of its length that an arm is asked to reach at most."""
_ROUNDS = 8
_POINT, _TURN = ("x", "y", "z"), ("qw", "qx", "qy", "qz")
_GROUPS = {
    "points": _POINT,
    "turns": _TURN,
    "target_points": tuple(f"target_{name}" for name in _POINT),
    "target_turns": tuple(f"target_{name}" for name in _TURN),
    "activation": ("activation",),
}
"""Fields of a held object and their columns."""
_ACCEPTED = "x,y,z, and if known qw,qx,qy,qz, target_x to target_z, target_qw to target_qz, activation"


_LASTS, _FADES = 0.4, 0.15
"""s: hands that are near for so long hold each other; s in which bringing them together fades in and out."""
_SOFTLY = 0.05
"""s: width of the filter that smooths their movement."""
_ENOUGH_FPS = 30.0
"""Frames per second that are examined."""
_EASILY = 0.25
"""m: a remaining gap of this size costs as much as turning an arm by one radian."""
_ARM = math.radians(5.0)
"""rad by which an arm turns at most, approximately."""
_BENT = 0.15
"""Sine of the least bend of an elbow that is assumed, because straight arms are hard to shorten."""


@dataclass(frozen=True, eq=False)
class HeldObject:
    """An object that a hand of the source holds or touches: its path in the source's world and in the target's."""

    side: Literal["left", "right"]
    points: Array
    """Path of the object (frames, 3), m."""
    turns: Array | None = None
    """Orientation (frames, 4) wxyz or (frames, 3, 3), stored as wxyz; None: constant."""
    target_points: Array | None = None
    """Path in the target's world (frames, 3), m, with the floor at y = 0; None: as in the source, scaled."""
    target_turns: Array | None = None
    """Orientation in the target's world, given like `turns`; None: as in the source."""
    scale: float = 1.0
    """Size of the target's object relative to the source's; used with `target_points` only."""
    activation: Array | None = None
    """(frames,), from 0 to 1: how firmly the hand is on the object; None: always 1."""

    def __post_init__(self) -> None:
        require_choice(self.side, "the side of a held object", SIDES)
        require_number(self.scale, "the scale of a held object", above=0.0)
        if self.points is None:
            raise InvalidSetting("a held object has no points; they must be (frames, 3), m: its path in the source")
        for name in ("points", "turns", "target_points", "target_turns", "activation"):
            if (given := getattr(self, name)) is not None:
                what = f"{name} of a held object"
                if name.endswith("turns") and np.ndim(given) == 3:
                    given = quaternion_from_matrix(checked_matrices(given, what))
                object.__setattr__(self, name, read_only(given, what))


def with_palms(anatomy: Anatomy) -> Figure:
    """The figure with sites `left_hand` and `right_hand` in the middle of its hands, where it lacks them."""
    figure = anatomy.figure
    known = (*figure.site_names, *figure.joint_names)
    return figure.with_sites(*(site for site in map(partial(_palm, anatomy), SIDES) if site.name not in known))


def _palm(anatomy: Anatomy, side: str) -> Site:
    figure, segments = anatomy.figure, anatomy.segments
    part = f"{side}_wrist" if f"{side}_wrist" in anatomy.parts else f"{side}_elbow"
    wrist = anatomy.last(part)
    below = [figure.joint_names[k] for k in figure.subtree(wrist)]
    below += [site.name for site in figure.sites if site.joint in below]
    away = (site_frames(figure, figure.rest, below).points - segments.positions[wrist]) @ segments.rotations[wrist]
    middle = away[int(np.argmax(np.linalg.norm(away, axis=1)))]
    if part.endswith("wrist"):  # the end of an arm without one is its hand
        middle *= min(0.5, _PALM * segments.leg_length / max(float(np.linalg.norm(middle)), 1e-9))
    return Site(name=f"{side}_hand", joint=figure.joint_names[wrist], point=vector(middle))


def goals_together(source: Motion, match: JointMatch, scaling: Scaling, q: Array) -> list[Timed]:
    """Goals for both palms of the target: as near to each other as the source's, where these are near.

    Args:
        source: the motion.
        match: of its figure and the target, which has palms.
        scaling: of places.
        q: (frames, dofs), the transferred posture.
    """
    ours = match.source
    apart = _palms_apart(ours, source.q)
    near, far = GRIP * ours.segments.leg_length, _FAR * ours.segments.leg_length
    share = 1.0 - ease((np.linalg.norm(apart, axis=1) - near) / (far - near))
    if not share.any():
        return []
    shoulders = [match.target.figure.joint_names[match.target.segments.centre(f"{side}_shoulder")] for side in SIDES]
    places = site_frames(match.target.figure, q, [*_PALMS, *shoulders]).points
    half = 0.5 * scaling.factor * apart[:, None] * np.array([[-1.0], [1.0]])
    middle = _within_reach(match.target, places[:, 2:], places[:, :2].mean(axis=1), half)
    return [
        follow(palm, middle + half[:, k], weight=_WEIGHT, activation=share, priority=2, name=f"kept {SIDES[k]}")
        for k, palm in enumerate(_PALMS)
    ]


def _within_reach(anatomy: Anatomy, shoulders: Array, middle: Array, half: Array) -> Array:
    """The places (frames, 3) nearest to `middle` at which both arms reach their palm."""
    arms = [_arm_length(anatomy, side) for side in SIDES]
    for _ in range(_ROUNDS):
        for k, arm in enumerate(arms):
            away = middle + half[:, k] - shoulders[:, k]
            long = np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
            middle = middle - np.maximum(0.0, 1.0 - _STRETCH * arm / long) * away
    return middle


def _arm_length(anatomy: Anatomy, side: str) -> float:
    """m, from shoulder to palm, stretched out."""
    parts = [f"{side}_{part}" for part in ("shoulder", "elbow", "wrist") if f"{side}_{part}" in anatomy.parts]
    palm = site_frames(anatomy.figure, anatomy.figure.rest, [f"{side}_hand"]).points[0]
    bends = [*(anatomy.segments.place(part) for part in parts), palm]
    return float(sum(np.linalg.norm(b - a) for a, b in itertools.pairwise(bends)))


def drawn_together(pair: JointMatch, source: Motion, ends: Sequence[int], factor: float, q: Array) -> Array:
    """Movements (frames, ends, 3), m, of wrists that bring hands together that hold each other in the source.

    Args:
        pair: the match of the source's figure and the target.
        source: the motion.
        ends: joints of the target; of these, wrists are moved.
        factor: by which the source is scaled.
        q: (frames, dofs), the transferred posture of the target.
    """
    moved = np.zeros((len(q), len(ends), 3))
    if not all(f"{side}_wrist" in pair.parts for side in SIDES):
        return moved
    fps, ours = source.fps, pair.source
    some = np.arange(0, len(q), max(1, int(fps / _ENOUGH_FPS)))
    apart = _palms_apart(ours, source.q[some])
    near = np.linalg.norm(apart, axis=1) < GRIP * ours.segments.leg_length
    held = [(a, b) for a, b in intervals(near).tolist() if some[b - 1] - some[a] >= _LASTS * fps]
    if not held:
        return moved
    share, frames = np.zeros(len(q)), np.arange(len(q))
    for first, after in held:
        ramps = ramp(frames, int(some[first]), int(some[after - 1]), ease_in=_FADES * fps, ease_out=_FADES * fps)
        share = np.maximum(share, ramps)
    on = np.flatnonzero(share)
    missing = factor * _palms_apart(ours, source.q[on]) - _palms_apart(pair.target, q[on])
    costs = [_turning(pair.target, side, q[on]) for side in SIDES]
    slack = np.linalg.inv(costs[0]) + np.linalg.inv(costs[1]) + _EASILY**2 * np.eye(3)
    pull = np.linalg.solve(slack, missing[..., None])
    for side, cost, sign in zip(SIDES, costs, (-1.0, 1.0), strict=True):
        away = np.linalg.solve(cost, pull)[..., 0]
        turned = np.sqrt(np.maximum(np.einsum("fi,fi->f", away, np.einsum("fij,fj->fi", cost, away)), 1e-12))
        away *= (_ARM * np.tanh(turned / _ARM) / turned)[:, None]
        moved[on, ends.index(pair.target.first(f"{side}_wrist"))] = sign * share[on, None] * away
    return gaussian(moved.reshape(len(q), -1), max(0.5, _SOFTLY * fps)).reshape(moved.shape)


def _palms_apart(anatomy: Anatomy, q: Array) -> Array:
    """(frames, 3), m: from the left palm to the right."""
    places = site_frames(with_palms(anatomy), q, _PALMS).points
    apart: Array = places[:, 1] - places[:, 0]
    return apart


def _turning(anatomy: Anatomy, side: str, q: Array) -> Array:
    """(frames, 3, 3), 1/m²: squared angles (rad) by which an arm turns to move its wrist, for squared distances."""
    chain = [anatomy.segments.centre(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist")]
    shoulder, elbow, wrist = np.swapaxes(joint_positions(anatomy.figure, q)[:, chain], 0, 1)
    reach = np.maximum(np.linalg.norm(wrist - shoulder, axis=1), 1e-9)
    along = (wrist - shoulder) / reach[:, None]
    upper, lower = np.linalg.norm(elbow - shoulder, axis=1), np.linalg.norm(wrist - elbow, axis=1)
    height = np.linalg.norm(np.cross(elbow - shoulder, along), axis=1)  # of the elbow beside the line of the arm
    height = np.maximum(height, _BENT * np.minimum(upper, lower))
    line = along[:, :, None] * along[:, None, :]
    found: Array = (np.eye(3) - line) / (reach**2)[:, None, None] + line / (height**2)[:, None, None]
    return found


def held_goal(held: HeldObject, source: Motion, anatomy: Anatomy, scaling: Scaling) -> Timed:
    """The goal for a palm of the target to keep the source's place relative to its object."""
    n = len(source)
    points, turns = _checked(held, "points", n, 3), _checked(held, "turns", n, 4)
    onto, onto_turns = _checked(held, "target_points", n, 3), _checked(held, "target_turns", n, 4)
    assert points is not None
    name = f"{held.side}_hand"
    palm = site_frames(with_palms(anatomy), source.q, [name]).points[:, 0]
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


def held_object(given: str, source: Motion, frames: slice) -> HeldObject:
    """The object given as `SIDE=JOINT` or `SIDE=TABLE.csv` on the command line.

    Args:
        given: which hand, and the joint or site of the source that is the object, or a file with a row per frame.
        source: the motion to be retargeted.
        frames: which rows of the file belong to it.
    """
    side, _, what = given.partition("=")
    if side not in ("left", "right") or not what:
        raise InvalidSetting(f"--hold is {given!r}; it must be left=... or right=..., with a joint or a .csv file")
    hand: Literal["left", "right"] = "left" if side == "left" else "right"
    if what.lower().endswith(".csv"):
        return _from_table(hand, Path(what), frames)
    known = (*source.figure.joint_names, *source.figure.site_names)
    if what not in known:
        raise UnknownName("joint or site", what, known, where="the motion, to be held")
    path = site_frames(source.figure, source.q, [what])
    turns = quaternion_from_matrix(matrix_from_axes(path.x_axes[:, 0], path.y_axes[:, 0]))
    return HeldObject(hand, path.points[:, 0], turns)


def _from_table(side: Literal["left", "right"], path: Path, frames: slice) -> HeldObject:
    columns = _columns(path)
    found: dict[str, Array] = {}
    for field, names in _GROUPS.items():
        given = [name for name in names if name in columns]
        if given and len(given) < len(names):
            raise FileProblem(path, f"has {', '.join(given)} but not all of {', '.join(names)}")
        if given:
            table = np.stack([columns[name] for name in names], axis=1)[frames]
            found[field] = table[:, 0] if field == "activation" else table
    turns, onto, onto_turns, when = (found.get(field) for field in list(_GROUPS)[1:])
    return HeldObject(side, found["points"], turns, onto, onto_turns, activation=when)


def _columns(path: Path) -> Mapping[str, Array]:
    """The columns of a table with a line of names above."""
    try:
        lines = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError) as problem:
        raise FileProblem(path, f"cannot be read as a table: {getattr(problem, 'strerror', None) or problem}") from None
    names = [name.strip() for name in lines[0]] if lines else []
    strange = [name for name in names if name not in {each for group in _GROUPS.values() for each in group}]
    if strange or not set(_POINT) <= set(names):
        what = f"the column {strange[0]!r}" if strange else "no columns x,y,z"
        raise FileProblem(path, f"{what} in the first line; it must name the columns {_ACCEPTED}", line=1)
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            rows.append([float(cell) for cell in line])
        except ValueError:
            raise FileProblem(path, "a cell is not a number", line=number) from None
        if len(line) != len(names):
            raise FileProblem(path, f"{len(line)} cells; the first line names {len(names)} columns", line=number)
    table = np.array(rows, dtype=np.float64).reshape(-1, len(names))
    return {name: table[:, k] for k, name in enumerate(names)}
