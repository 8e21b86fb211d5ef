"""Feet of an edited motion: each keeps the path that it has in the source, but for one that a goal is about.

A foot that a key moves in the air is back on its path before the next contact; one that it moves on the ground stands
there for the whole contact, and goes there and back in the swings before and after.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array, BoolArray, IntArray
from posewright.figures import Figure
from posewright.figures.kinematics import site_frames
from posewright.goals import Aim, Goal, Orientation, Position
from posewright.goals.term import SiteTerm
from posewright.goals.timed import Timed
from posewright.motions.contacts import Contacts, intervals
from posewright.motions.motion import Motion
from posewright.motions.quality.edited import JERKY, Original
from posewright.motions.splines import ease, ramp
from posewright.problem import MotionProblem
from posewright.problem.displacements import Window
from posewright.workflows.editing.legs import STRAIGHT, legs_of, lowered, on_paths
from posewright.workflows.editing.steadying import CALM, NOISE, SHAKING, steady_leg

_TAKE_OFF, _HALF_A_SECOND = 0.12, 0.5
"""s: how long after take-off, and before landing, feet go from their paths to where the body takes them: half of the
flight, but at least the first and at most the second. The second is also how long a key moves a foot before and after
it where the clip begins or ends in a swing."""
_CLEAR = 0.02
"""Figure heights: a body without a resting foot flies if all feet are higher than this; else it walks on the spot."""
_GOES_ALONG = 0.3
"""s: how long after a contact, and before one, feet go from their places to where an edit in a model takes them."""
_SOON = 0.12
"""s: a foot that is moved this shortly before or after a contact stands displaced in it, too; nor is it a swing when a
foot rests less firmly for so short a time."""
FAR = 1e-3
"""Figure heights: a foot on the ground that is further away than this is reported."""
_SHIFTED = 4e-4
"""Figure heights: by how much a foot may leave its path for the sake of a steady knee."""
_AHEAD = 0.05, 0.15, 0.3
"""s: how long before it must the root begins to be lower: the least that is smooth."""
_ORIGIN = (0.0, 0.0, 0.0)


def has_feet(figure: Figure) -> bool:
    """Whether a figure stands on legs that can be recognised."""
    return {"left_ankle", "right_ankle"} <= figure.anatomy.parts.keys()


class Feet:
    """The feet of a motion, and the goals that may move them."""

    def __init__(self, original: Original, contacts: Contacts | None = None, held: Feet | None = None) -> None:
        """Look at a motion.

        Args:
            original: what is edited.
            contacts: when feet touch the ground (default: as found).
            held: feet of another motion, whose places are those of the contacts.
        """
        self._original, motion, figure = original, original.motion, original.motion.figure
        self._motion = motion
        self._goals: list[Timed] = []
        self._sites = list(figure.anatomy.contact_sites)
        self._legs = legs_of(figure, self._sites)
        self._points = site_frames(figure, motion.q, self._sites).points
        found = motion.contacts(self._sites)
        self._found: BoolArray = found.touching
        self.touching: BoolArray = (contacts or found).touching
        """(frames, contact sites): when each is on the ground"""
        clear = (found.floor.heights_of(self._points) - found.levels).min(axis=1) > _CLEAR * figure.height
        in_the_air = (clear | found.touching.any(axis=1)) & ~self.touching.any(axis=1)
        if held is not None:
            self._points = np.where(self.touching[..., None], held._points, self._points)
        self._flying = _flying(in_the_air, motion.fps)
        """(frames,): from 0, some foot is on the ground, to 1, the body flies"""

    def moved_by(self, goals: Sequence[Timed]) -> Feet:
        """The same feet, with goals of which some may be about them."""
        found = copy(self)
        found._goals = [*goals]
        return found

    def stay(self, edited: Motion) -> bool:
        """Whether an edited motion moves no joint that carries a foot."""
        figure = edited.figure
        above = {index for site in self._sites for index in figure.ancestors(figure.site(site).joint)}
        dofs = np.isin(figure.tables.dofs["joint"], list(above))
        return bool((edited.q[:, dofs] == self._motion.q[:, dofs]).all())

    def window(self, key: Timed, usual: Window) -> Window:
        """Frames before and after a key that its change may take: about a foot, those in which it can swing."""
        hold = self._hold(key)
        if hold is None:
            return usual
        frame = key.range(len(self._motion))[0]
        return (
            usual[0] if hold.begin is None else float(frame - hold.begin),
            usual[1] if hold.end is None else float(hold.end - frame),
        )

    def warnings(self, made: Motion) -> list[str]:
        """Feet that a key can only make slide, since they rest in all frames; and feet that legs do not reach."""
        found = [
            f"{key.goal.label!r} moves a foot that rests on the ground in all frames, so it slides"
            for key in self._goals
            if key.start == key.end and (hold := self._hold(key)) is not None and hold.slides
        ]
        away = np.linalg.norm(site_frames(made.figure, made.q, self._sites).points - self._paths(made), axis=-1)
        away = np.where(self.touching, away, 0.0)
        if away.max() > FAR * made.figure.height:
            frame, k = (int(i) for i in np.unravel_index(int(away.argmax()), away.shape))
            found.append(
                f"{self._sites[k]!r} is {1e3 * away[frame, k]:.0f} mm from its contact in frame "
                f"{made.first_frame + frame}: the leg does not reach"
            )
        return found

    def planted(self, some: BoolArray) -> list[Timed]:
        """Feet on the ground in some frames, to be left there; they bring in no joints of their own."""
        moved = {k for goal in self._goals for k in self._own(goal)}
        return [
            Position(site, _ORIGIN, name=f"{site} on the ground", joints=()).along(self._points[:, k], activation=on)
            for k, site in enumerate(self._sites)
            for on in [some & self.touching[:, k]]
            if on.any() and k not in moved
        ]

    def kept_in_place(self) -> list[Timed]:
        """Places of feet that goals only turn, behind these: what is not asked for stays, as far as it can."""
        found: list[Timed] = []
        for timed in self._goals:
            goal = timed.goal
            if not (self._own(timed) and isinstance(goal, Orientation | Aim)):
                continue
            track = site_frames(self._motion.figure, self._motion.q, [goal.site]).points[:, 0]
            first, last = timed.range(len(track))
            name, priority = f"place of {goal.label}", goal.priority + 1
            x, y, z = track[first].tolist()
            place = Position(goal.site, (x, y, z), name=name, joints=goal.joints, priority=priority)
            path = None if first == last else track[first : last + 1]
            found.append(replace(timed, goal=place, points=path, x=None, y=None, activation=None))
        return found

    def before(self, problem: MotionProblem) -> MotionProblem:
        """The same problem, with the feet on their paths before its goals, wherever one of these counts."""
        active = np.zeros(len(self._motion))
        for schedule in problem.schedules:
            active = np.maximum(active, schedule.activation > 0.0)
        moved = {k for goal in self._goals for k in self._own(goal)}
        paths = [
            Position(site, _ORIGIN, name=f"path of {site}").along(self._points[:, k], activation=active)
            for k, site in enumerate(self._sites)
            if k not in moved
        ]
        return problem.with_goals([*paths, *(behind(goal) for goal in problem.goals)])

    def returned(self, edited: Motion) -> Motion:
        """An edited motion with the feet where this motion has them on the ground; in between they go with the edit."""
        now = site_frames(edited.figure, edited.q, self._sites).points
        frames, share = np.arange(len(now)), np.zeros(self.touching.shape)
        swing = _GOES_ALONG * edited.fps
        for hip in {leg.hip for leg in self._legs}:
            own = [k for k, leg in enumerate(self._legs) if leg.hip == hip]  # a foot goes as one, so its points agree
            for first, after in intervals(np.asarray(self.touching[:, own].any(axis=1))):
                rising = ramp(frames, first, after - 1, ease_in=swing, ease_out=swing)
                share[:, own] = np.maximum(share[:, own], rising[:, None])
        paths = now + share[..., None] * (self._points - now)
        low = lowered(edited, self._motion, self._legs, paths - self._points, ahead=_AHEAD[0])
        made = on_paths(low, edited, self._sites, self._legs, paths)
        return self._steady(made, Original(edited))

    @property
    def are_moved(self) -> bool:
        """Whether some goal is about a foot."""
        return any(self._own(goal) for goal in self._goals)

    def lowered(self, edited: Motion, window: IntArray, straight: float = STRAIGHT, *, sure: bool = False) -> Motion:
        """An edited motion with the root low enough, smoothly, for all legs to reach the paths of their feet.

        Args:
            edited: the motion.
            window: frames that may change.
            straight: how straight legs may be made, of their length, unless the source has them straighter.
            sure: whether it is low enough in all frames, or as nearly as leaves frames alone in which legs reach.
        """
        displaced = self._paths(edited) - self._points
        if not sure:
            return lowered(edited, self._motion, self._legs, displaced, straight)
        legs = frozenset[int]().union(*(leg.limb for leg in self._legs))
        trunk = [k for k, joint in enumerate(edited.figure.anatomy.captured) if joint not in legs]
        best = edited
        for ahead in _AHEAD:
            low = lowered(edited, self._motion, self._legs, displaced, straight, ahead=ahead)
            wide = np.setdiff1d(np.flatnonzero((low.q != edited.q).any(axis=1)), window)
            if len(wide) and best is not edited and not self.are_moved:
                break
            best, change = low, self._original.change(low)
            if low is edited or change.frames is None or change.ratios[trunk].max(initial=0.0) <= JERKY:
                break
        return best

    def brought_back(self, edited: Motion, *, steady: bool) -> Motion:
        """An edited motion with the legs changed so that all feet are on their paths, steadily if asked for."""
        paths = self._paths(edited)
        made = on_paths(edited, self._motion, self._sites, self._legs, paths)
        if not steady or made is edited:
            return made
        made = self._steady(made, self._original)
        if self._original.change(made).jerk_ratio() > JERKY:
            giving = on_paths(edited, self._motion, self._sites, self._legs, paths, giving=True)
            made = giving if self._original.change(giving).jerk_ratio() <= JERKY else made
        return made

    def _steady(self, made: Motion, base: Original) -> Motion:
        """An edited motion whose legs do not jerk beside `base`, if that hardly moves a foot."""
        figure, found, change = made.figure, made, base.change(made)
        here = site_frames(figure, made.q, self._sites).points
        for slow, enough in ((NOISE, CALM), (SHAKING, JERKY)):
            jerky = {figure.anatomy.captured[k] for k in np.flatnonzero(change.ratios > enough)}
            if not jerky:
                break
            tried = made
            for hip in {leg.hip for leg in self._legs if leg.limb & jerky}:
                sites = [site for site, leg in zip(self._sites, self._legs, strict=True) if leg.hip == hip]
                joints = {figure.joint_index(joint) for leg in self._legs if leg.hip == hip for joint in leg.joints}
                tried = steady_leg(base.motion, tried, joints, sites, slow)
            moved = np.linalg.norm(site_frames(figure, tried.q, self._sites).points - here, axis=-1)
            after = base.change(tried)
            if moved.max() <= _SHIFTED * figure.height and after.jerk_ratio() < change.jerk_ratio():
                found, change = tried, after
        return found

    def _paths(self, edited: Motion) -> Array:
        """(frames, sites, 3), m: the source's, displaced by the keys about a foot; in flight they go with the body."""
        along = site_frames(edited.figure, edited.q, self._sites).points - self._points
        paths = self._points + self._flying[:, None, None] * along
        frames = np.arange(len(paths), dtype=np.float64)
        for goal in self._goals:
            hold, own = self._hold(goal), self._own(goal)
            if hold is None:
                continue
            frame = goal.range(len(paths))[0]
            if hold.slides:
                paths[:, own] = self._points[:, own] + along[:, own]
            else:
                paths[:, own] = self._points[:, own] + hold.shares(frames)[:, None, None] * along[frame, own]
        return paths

    def _hold(self, goal: Timed) -> _Hold | None:
        """When a foot is where a goal moves it; None: the goal is about no foot."""
        own = self._own(goal)
        if not own:
            return None
        if goal.start != goal.end:  # it says itself where the foot is
            return _Hold(None, 0, len(self._motion) - 1, None)
        rest: BoolArray = np.array(self.touching[:, own].any(axis=1))
        frame, soon, last = goal.range(len(rest))[0], _SOON * self._motion.fps, len(rest) - 1
        firm: BoolArray = np.asarray(self._found[:, own].any(axis=1))
        for first, after in intervals(~rest):
            if first > 0 and after <= last and after - first < soon and not firm[first:after].any():
                rest[first:after] = True
        low, high = _stretch(rest, frame)
        if not rest[frame]:
            before, after = low, high
            low = high = frame
            if before > 0 and frame - before < soon:
                low = _stretch(rest, before - 1)[0]
            if after < last and after - frame < soon:
                high = _stretch(rest, after + 1)[1]
        begin = float(_stretch(rest, max(low - 1, 0))[0] - 1) if low > 0 else None
        end = float(_stretch(rest, min(high + 1, last))[1] + 1) if high < last else None
        swing = _HALF_A_SECOND * self._motion.fps
        begin = low - swing if begin is not None and begin < 0.0 else begin
        end = high + swing if end is not None and end > last else end
        return _Hold(begin, low, high, end)

    def _own(self, goal: Timed) -> list[int]:
        """Contact points on the limb that a goal is about."""
        asked = _joints(self._motion.figure, goal.goal)
        return [k for k, leg in enumerate(self._legs) if leg.limb & asked]


@dataclass(frozen=True)
class _Hold:
    """The frames in which a foot leaves its path, is displaced in full, and is back."""

    begin: float | None
    """None: it is displaced from the first frame on."""
    low: int
    high: int
    end: float | None

    @property
    def slides(self) -> bool:
        """Whether it never leaves the ground."""
        return self.begin is None and self.end is None

    def shares(self, frames: Array) -> Array:
        """How much of the displacement there is in each frame."""
        rising = 1.0 if self.begin is None else ease((frames - self.begin) / (self.low - self.begin))
        falling = 1.0 if self.end is None else ease((self.end - frames) / (self.end - self.high))
        return np.asarray(np.multiply(rising, falling) * np.ones(len(frames)))


def behind(goal: Timed | Goal) -> Timed | Goal:
    """A goal of the next priority."""
    if isinstance(goal, Timed):
        return replace(goal, goal=replace(goal.goal, priority=goal.goal.priority + 1))
    return replace(goal, priority=goal.priority + 1)


def _joints(figure: Figure, goal: Goal) -> frozenset[int]:
    """The joints that carry the sites of a goal."""
    sites = [term.site for term in goal.terms(figure) if isinstance(term, SiteTerm) and term.site is not None]
    return frozenset(figure.joint_index(figure.site(site).joint) for site in sites)


def _flying(in_the_air: BoolArray, fps: float) -> Array:
    """From 0 on the ground to 1 in flights, which begin and end over some frames."""
    frames = np.arange(len(in_the_air), dtype=np.float64)
    found = np.zeros(len(in_the_air))
    for first, after in intervals(in_the_air).tolist():
        over = fps * min(max(_TAKE_OFF, 0.5 * (after - first) / fps), _HALF_A_SECOND)
        rising = 1.0 if first == 0 else ease((frames - (first - 1)) / over)
        falling = 1.0 if after == len(in_the_air) else ease((after - frames) / over)
        found[first:after] = np.broadcast_to(np.multiply(rising, falling), len(frames))[first:after]
    return found


def _stretch(values: BoolArray, frame: int) -> tuple[int, int]:
    """The first and the last of the frames around one that are all as it is."""
    changes = np.flatnonzero(np.diff(values))
    before, after = changes[changes < frame], changes[changes >= frame]
    return int(before[-1]) + 1 if len(before) else 0, int(after[0]) if len(after) else len(values) - 1
