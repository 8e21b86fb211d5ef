"""Paths of feet that neither slide nor sink: the transferred paths, corrected so that every contact is kept.

A heel or toe that rests in the source gets a fixed place on the floor for as long as it rests. If both rest, the
places are a foot's length apart and the sole is flat. Between contacts the foot moves as the source's does, and the
corrections fade. Clips and streams plan by the same rules (`kernels.motion.feet`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array, BoolArray, IntArray
from posewright.figures import Figure
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.goals.timed import Timed, follow
from posewright.kernels.motion.feet import FOOT, PATH, SINCE, STATE_ROWS, BothFeet, Carried, plan_feet
from posewright.kernels.tables import Table
from posewright.matching import Scaling
from posewright.motions.contacts import around, intervals
from posewright.motions.smoothing import gaussian, smoothed_between
from posewright.motions.splines import ease
from posewright.rotations import matrix_from_axes, matrix_from_vector
from posewright.workflows.retargeting.key_points import KeyPoints, SourceFeet
from posewright.workflows.retargeting.reach import SKIN
from posewright.workflows.retargeting.yielding import SOFT, TIPPED

_FADE = 0.2
"""s before and after a contact in which its correction fades."""
_EASE = 0.1
"""s in which a contact becomes strict."""
_SETTLE = 0.02
"""s at the ends of a contact in which a sole may move a little to reduce jerk."""
_SETTLED = 0.0005
"""m by which it may move."""
_HIGHER = 0.1
"""Share of the length of the leg by which feet are raised or lowered at most to be as high as the source's."""
_STANDS = 0.1
"""Share of the same length: if everything else is higher, the body stands on its feet alone."""
_UPRIGHT, _ROLLED = 0.3, 0.1
"""Cosine of the tilt up to which a foot is pitched fully to lie on the floor; one that stands on end is not pitched.
Least sine of the roll that is assumed."""
_SHORT = 0.05
"""Toes shorter than this share of the foot are ignored."""
_TIPPED, _SOFT = 0.9, 0.98
"""Activations of resting soles whose orientation, and whose place, may be missed: 9 and 49 times the weight in the
air."""
_ENDS = ("heel", "toes")
_RADIUS = 0.1
"""m of displacement that count as much as one radian of rotation of a sole."""
_TOES = 10.0
"""Weight of resting toes relative to the foot's."""
_FAR, _SLIGHT = 0.12, 0.04
"""Shares of the length of the leg: how far a lying foot may be from where the posture has it, and how much less than
the source's it slides."""
_LIES = 0.04
"""s: width of the filter that smooths this."""
_UP = np.array([0.0, 1.0, 0.0])
_SWIVEL, _TURNS = 0.25, 0.05
"""rad by which the swivel of a sole in a contact is reduced at most, and s: width of the filter that smooths this."""


@dataclass(frozen=True, eq=False)
class FootShape:
    """Points of a foot that stands, seen from its sole: x ahead, y up (m)."""

    heel: Array
    toe_tip: Array
    ball: Array
    """The point about which the foot turns when its heel rises: the joint of the toes, or else the toe tip."""
    ankle: Array
    bend: float
    """rad: how far the toes can bend up."""
    leg: float
    """m: thigh and shin."""
    ball_name: str = ""
    """The joint or site of the ball."""

    @classmethod
    def of(cls, anatomy: Anatomy, side: str) -> FootShape:
        """Of a figure with soles, in its rest pose."""
        figure, leg = anatomy.figure, anatomy.segments.leg_bones(side)
        names = [f"{side}_{point}" for point in ("sole", "heel", "toe_tip")]
        places = site_frames(figure, figure.rest, names)
        frame = matrix_from_axes(places.x_axes[0], places.y_axes[0])
        heel, toe_tip = (places.points[1:] - places.points[0]) @ frame
        toes, foot = (figure.joint_index(figure.site(name).joint) for name in (names[2], names[0]))
        at = (joint_frames(figure, figure.rest).positions - places.points[0]) @ frame
        turning = figure.joints[toes].n_dofs > len(figure.joints[toes].slides)
        long = np.linalg.norm(toe_tip - at[toes]) > _SHORT * np.linalg.norm(toe_tip - heel)
        if toes == foot or not turning or not long:
            return cls(heel, toe_tip, toe_tip, at[foot], 0.0, leg, names[2])
        return cls(heel, toe_tip, at[toes], at[foot], _bend(figure, toes, names[2]), leg, figure.joint_names[toes])

    @property
    def has_toes(self) -> bool:
        """Whether the toes bend."""
        return self.ball is not self.toe_tip


class Feet:
    """Both feet of a target: their shapes, and what is planned with them."""

    def __init__(self, shapes: Mapping[str, FootShape], fps: float) -> None:
        self.shapes, self.fps = shapes, fps
        self.table = np.zeros(2, FOOT)
        """FOOT rows of left and right."""
        for row, side in zip(self.table, SIDES, strict=True):
            for name in FOOT.names or ():
                row[name] = getattr(shapes[side], name)
        self.timing: Array = np.array([_FADE * fps, _EASE * fps])
        """The fading times in frames, as the kernel takes them."""

    @classmethod
    def of(cls, anatomy: Anatomy, fps: float) -> Feet:
        """Of a figure with soles."""
        return cls({side: FootShape.of(anatomy, side) for side in SIDES}, fps)

    def carried(self, source: SourceFeet, posture: KeyPoints, scaling: Scaling) -> tuple[Array, Array]:
        """Transferred places (frames, 2, 3), m, and orientations (frames, 2, 3, 3) of soles.

        They are those of the posture, but at the height of the source's soles, because wider hips put feet elsewhere,
        not higher. Feet that joint limits hold far away are not corrected, nor are those of a body that rests on more
        than its feet. Where one end of a foot is under the floor in the recording, the foot is pitched to lie on it.
        """
        places, turns = posture.soles.copy(), posture.turns
        high = scaling.factor * scaling.floor.heights_of(source.soles)
        stands = ease((posture.lowest[:, None] - SKIN) / (_STANDS * self.table["leg"]))
        most = stands * _HIGHER * self.table["leg"]
        higher = high - places[..., 1]
        places[..., 1] += np.clip(higher, -most, most)
        heel, ball = self.table["heel"], self.table["ball"] * [1.0, 0.0, 1.0]
        heels, balls = (places[..., 1] + np.einsum("fsi,si->fs", turns[..., 1, :], end) for end in (heel, ball))
        length = np.linalg.norm(ball - heel, axis=1) * np.maximum(_ROLLED, np.hypot(turns[..., 1, 0], turns[..., 1, 1]))
        pitch, level = (
            np.arcsin(np.clip(rise / length, -1.0, 1.0))
            for rise in (balls - heels, np.maximum(0.0, balls) - np.maximum(0.0, heels))
        )
        missing = (level - pitch) * np.clip(turns[..., 1, 1] / _UPRIGHT, -1.0, 1.0)  # the other way if upside down
        cosine, sine = np.cos(missing)[..., None], np.sin(missing)[..., None]
        ahead, upward, across = (turns[..., i] for i in range(3))
        turns = np.stack([cosine * ahead + sine * upward, cosine * upward - sine * ahead, across], axis=-1)
        places[..., 1] = np.maximum(0.0, heels) - np.einsum("fsi,si->fs", turns[..., 1, :], heel)
        return places, turns

    def with_memory(self) -> BothFeet:
        """Both feet before their first frame, as kernels plan with them."""
        state = np.full((2, STATE_ROWS, 4), np.nan)
        state[:, SINCE] = np.inf
        return BothFeet(self.table, self.timing, state)

    def paths(self, soles: Array, turns: Array, toe_tips: Array, hips: Array, resting: BoolArray) -> Table:
        """The paths (frames, 2) of soles that keep their contacts, rows of `kernels.motion.feet.PATH`.

        Args:
            soles: (frames, 2, 3), m: where they are transferred to; the floor is y = 0.
            turns: (frames, 2, 3, 3): their frames: ahead, up from the sole, across.
            toe_tips: (frames, 2, 3), m: where toes end that do not rest, seen from the sole.
            hips: (frames, 2, 3), m
            resting: (frames, 4): whether left heel, left toes, right heel, right toes rest.
        """
        paths = np.empty((len(soles), 2), PATH)
        plan_feet(self.with_memory(), Carried(soles, turns, toe_tips, hips), np.array(resting), len(soles), paths)
        return paths

    def lowest(self, soles: Array, turns: Array, tips: Array) -> Array:
        """Heights (frames, 2), m, of the lowest of heel, ankle and toes of feet whose soles are placed and turned."""
        up = turns[..., 1, :]
        ends = [np.einsum("fsi,si->fs", up, self.table[name]) for name in ("heel", "ankle")]
        lowest: Array = soles[..., 1] + np.min([*ends, np.einsum("fsi,fsi->fs", up, tips)], axis=0)
        return lowest

    def sliding(self, soles: Array, turns: Array, tips: Array, ends: Array, lying: BoolArray) -> tuple[Array, Array]:
        """Places (frames, 2, 3), m, and orientations (frames, 2, 3, 3) of soles that lie but carry no weight.

        They slide and swivel as the source's do; slight slides are left out.

        Args:
            soles: (frames, 2, 3), m: where they are carried to.
            turns: (frames, 2, 3, 3): how they are turned.
            tips: (frames, 2, 3), m: where toes end, seen from the sole.
            ends: (frames, 4, 3), m: where the source has heels and toe tips, scaled.
            lying: (frames, 4): whether left heel, left toes, right heel, right toes lie.
        """
        soles, turns, width = soles.copy(), turns.copy(), max(0.5, _LIES * self.fps)
        for f, foot in enumerate(self.table):
            heel, toes = 2 * f, 2 * f + 1
            own = np.einsum("fij,fj->fi", turns[:, f], tips[:, f] - foot["heel"])
            theirs = ends[:, toes] - ends[:, heel]
            missing = np.zeros(len(soles))
            for first, after in intervals(lying[:, heel] & lying[:, toes]).tolist():
                a, b = (np.unwrap(np.arctan2(-line[first:after, 2], line[first:after, 0])) for line in (own, theirs))
                missing[first:after] = (b - b.mean()) - (a - a.mean())
            missing = gaussian(np.clip(missing, -_SWIVEL, _SWIVEL), width)
            turns[:, f] = matrix_from_vector(missing[:, None] * _UP) @ turns[:, f]
            moved, n = np.zeros((len(soles), 3)), np.zeros((len(soles), 1))
            for end, points in ((heel, foot["heel"][None]), (toes, tips[:, f])):
                places = soles[:, f] + np.einsum("fij,fj->fi", turns[:, f], np.broadcast_to(points, soles[:, f].shape))
                for first, after in intervals(lying[:, end]).tolist():
                    wish, own = (each[first:after] - each[first:after].mean(axis=0) for each in (ends[:, end], places))
                    moved[first:after] += _shorter(wish, _SLIGHT * foot["leg"]) - own
                    n[first:after] += 1.0
            moved *= [1.0, 0.0, 1.0] / np.maximum(n, 1.0)
            soles[:, f] += gaussian(moved - _shorter(moved, _FAR * foot["leg"]), width)
        return soles, turns

    def headed(self, turns: Array, theirs: Array, levels: IntArray) -> Array:
        """Orientations (frames, 2, 3, 3) of soles with loose contacts, which head as the source's and do not swivel.

        Args:
            turns: (frames, 2, 3, 3): how they are turned.
            theirs: (frames, 2, 3, 3): how the source's are.
            levels: (frames, 2): how loose contacts are.
        """
        headed, width = turns.copy(), max(0.5, _TURNS * self.fps)
        own, wanted = (np.arctan2(-each[..., 0, 2], each[..., 2, 2]) for each in (turns, theirs))
        for f in range(2):
            yields, wish = (levels[:, f] == TIPPED) | (levels[:, f] == SOFT), np.unwrap(wanted[:, f])
            held = np.zeros(len(wish))
            for first, after in intervals(yields).tolist():
                held[first:after] = wish[first:after].mean() - wish[first:after]
            missing = wish + gaussian(np.clip(held, -_SWIVEL, _SWIVEL), width) - own[:, f]
            share = gaussian(around(yields, round(2.0 * width)).astype(np.float64), width)
            missing = share * ((missing + math.pi) % math.tau - math.pi)
            headed[:, f] = matrix_from_vector(missing[:, None] * [0.0, -1.0, 0.0]) @ turns[:, f]
        return headed

    def smoothed(self, paths: Table, resting: BoolArray, roughness: float, *, settling: bool) -> Table:
        """The paths, smoothed where soles do not rest.

        `settling`: at the ends of contacts, resting soles may move a little.
        """
        paths = paths.copy()
        for f in range(2):
            path, rests = paths[:, f], resting[:, 2 * f] | resting[:, 2 * f + 1]
            given = np.hstack([path["place"], path["frame"][:, :, 0], path["frame"][:, :, 1]])
            smooth = smoothed_between(given, rests, roughness)
            if settling:
                window = np.ones(2 * round(_SETTLE * self.fps) + 1)
                inner = np.convolve(~rests, window, mode="same") < 0.5
                loose = smoothed_between(given, inner, roughness) - smooth
                off = float(np.linalg.norm(loose[rests, :3], axis=1).max(initial=0.0))
                smooth += min(1.0, _SETTLED / max(off, _SETTLED)) * loose
            x = smooth[:, 3:6] / np.linalg.norm(smooth[:, 3:6], axis=1, keepdims=True)
            y = smooth[:, 6:] - np.einsum("fi,fi->f", x, smooth[:, 6:])[:, None] * x
            path["place"] = smooth[:, :3]
            path["frame"] = matrix_from_axes(x, y / np.linalg.norm(y, axis=1, keepdims=True))
        return paths

    def goals(
        self, paths: Table, *, strict: bool, levels: IntArray | None = None, resting: BoolArray | None = None
    ) -> list[Timed]:
        """Goals for soles to follow paths (frames, 2); `strict`: with priority 1 where they rest, where toes lie flat.

        `levels` (frames, 2): how loose contacts are; `resting` (frames, 4): which ends rest.
        """
        goals = []
        for f, side in enumerate(SIDES):
            path, sole, shape = paths[:, f], f"{side}_sole", self.shapes[side]
            x, y = path["frame"][:, :, 0], path["frame"][:, :, 1]
            active = path["sole_active"] if strict else None
            if active is not None and levels is not None and resting is not None and levels[:, f].any():
                tipped, soft = (self.around(levels[:, f] == level) for level in (TIPPED, SOFT))
                for end, name in enumerate((f"{side}_heel", shape.ball_name)):
                    rests = self.around((levels[:, f] == TIPPED) & resting[:, 2 * f + end])
                    if rests.any():
                        point = path["place"] + path["frame"] @ (shape.ball if end else shape.heel)
                        share = np.where(rests, np.clip(2.0 * active - 1.0, 0.0, 1.0), 0.0)
                        goals.append(
                            follow(name, point, activation=share, priority=1, name=f"{sole} on its {_ENDS[end]}")
                        )
                active = np.minimum(active, np.where(tipped, _TIPPED, np.where(soft, _SOFT, 1.0)))
            goals.append(
                follow(sole, path["place"], x, y, activation=active, radius=_RADIUS, priority=1 if strict else 2)
            )
            if strict and shape.has_toes:
                x, y, active = path["toes"][:, :, 0], path["toes"][:, :, 1], path["toes_active"]
                tip = f"{side}_toe_tip"
                goals.append(follow(tip, None, x, y, weight=_TOES, activation=active, radius=_RADIUS, priority=2))
        return goals

    def around(self, flags: BoolArray) -> BoolArray:
        """Whether a flag (frames,) is set within the time in which a contact becomes strict."""
        return around(flags, math.ceil(_EASE * self.fps))


def _shorter(vectors: Array, by: float) -> Array:
    """Vectors (n, 3), shortened by some length; shorter ones become zero."""
    long = np.linalg.norm(vectors, axis=1, keepdims=True)
    shorter: Array = vectors * np.maximum(0.0, 1.0 - by / np.maximum(long, 1e-9))
    return shorter


def _bend(figure: Figure, toes: int, tip: str) -> float:
    """How far the toes can bend up from rest (rad), measured by the dof that lifts their tip most."""
    small = 1e-3
    dofs = range(figure.dof_slice(toes).start + len(figure.joints[toes].slides), figure.dof_slice(toes).stop)
    poses = np.repeat(figure.rest[None], len(dofs) + 1, axis=0)
    for row, dof in enumerate(dofs):
        poses[row + 1, dof] += small
    heights = site_frames(figure, poses, [tip]).points[:, 0, 1]
    lifts = heights[1:] - heights[0]
    best = int(np.argmax(np.abs(lifts)))
    dof = dofs[best]
    room = figure.upper[dof] - figure.rest[dof] if lifts[best] > 0.0 else figure.rest[dof] - figure.lower[dof]
    return float(room)
