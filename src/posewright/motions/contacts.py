"""Contacts: when the points of the feet (or any sites) rest on the floor.

A site touches when it is low and slow, both measured by the figure's height H and by seconds, never by frames:
height above its standing level < 0.02 H and speed < 0.15 H/s. A contact begins under these thresholds and lasts until
one is exceeded twofold (hysteresis); gaps, then contacts, shorter than 0.03 s are removed.

The speed at a moment is the lesser of the mean speeds over the 1/30 s before and the 1/30 s after it: a foot that has
just come to rest is slow already, and one that is about to leave is slow still, so that the ends of a contact do not
depend on the frame rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from posewright.checks import require, require_list
from posewright.conventions import Array, BoolArray, IntArray
from posewright.errors import InvalidMotion, InvalidSetting, UnknownName
from posewright.figures.kinematics import site_frames
from posewright.motions.floor import Floor, find_floor, standing_levels
from posewright.motions.intervals import at_rest, intervals
from posewright.motions.motion import Motion, require_measurable

_ENOUGH_FPS = 30.0
"""Frames per second that are looked at to find the floor."""


@dataclass(frozen=True, kw_only=True)
class ContactSettings:
    """What counts as a contact."""

    height: float = 0.02
    """Figure heights above the site's standing level."""
    speed: float = 0.15
    """Figure heights per second."""
    release: float = 2.0
    """A contact lasts until height or speed exceed this many times their thresholds; 1 is no hysteresis."""
    min_duration: float = 0.03
    """s, of a contact and of a gap between two, from its first frame to its last."""
    window: float = 1.0 / 30.0
    """s, over which speed is measured; at least one frame."""
    standing_level: float = 0.1
    """Figure heights: how far above the floor a site may be when standing on it (an ankle is inside the foot)."""
    trimmed: bool = False
    """Whether contacts end where sites begin to move, if the motion is clean enough to tell (`motion.rests`)."""

    def __post_init__(self) -> None:
        for name in ("height", "speed", "window"):
            if not getattr(self, name) > 0.0:
                raise InvalidSetting(f"{name} is {getattr(self, name)}; it must be positive")
        if not self.release >= 1.0:
            raise InvalidSetting(f"release is {self.release}; it must be at least 1")
        for name in ("min_duration", "standing_level"):
            if not getattr(self, name) >= 0.0:
                raise InvalidSetting(f"{name} is {getattr(self, name)}; it must not be negative")


@dataclass(frozen=True, eq=False)
class Contacts:
    """Which sites touch the floor, and when."""

    sites: tuple[str, ...]
    touching: BoolArray
    """(frames, sites)"""
    floor: Floor
    levels: Array
    """(sites,), m: height of each site above the floor when it stands on it"""
    fps: float

    def of(self, site: str) -> BoolArray:
        """Whether a site touches, (frames,)."""
        if site not in self.sites:
            raise UnknownName("site", site, self.sites, where="this record of contacts")
        return self.touching[:, self.sites.index(site)]

    def intervals(self, site: str) -> IntArray:
        """Contacts (n, 2) of a site: first frame and the frame after the last."""
        return intervals(self.of(site))

    def times(self, site: str) -> Array:
        """Contacts (n, 2) of a site, s: moments of its first and its last frame."""
        moments: Array = (self.intervals(site) - np.array([0, 1])) / self.fps
        return moments

    def any_of(self, sites: Sequence[str]) -> BoolArray:
        """Whether at least one of some sites touches, (frames,): heel or toes of a foot."""
        together: BoolArray = np.any([self.of(site) for site in sites], axis=0)
        return together


def contacts(
    motion: Motion,
    sites: Sequence[str] | None = None,
    *,
    floor: Floor | float | None = None,
    settings: ContactSettings | None = None,
) -> Contacts:
    """Find when sites rest on the floor.

    Args:
        motion: whose contacts.
        sites: names of sites or joints; default: heels or ankles and toes, or the lowest tips
            (`Anatomy.contact_sites`).
        floor: its height in m, or a plane; None means found from where the sites stand still (`motion.floor`).
        settings: thresholds.
    """
    require_measurable(motion)
    if sites is not None:
        require_list(sites, "sites", "names of sites or joints")
    if floor is not None:
        require(floor, Floor | Real, "floor", "a height in m, or a Floor")
    settings = settings or ContactSettings()
    names = motion.figure.anatomy.contact_sites if sites is None else tuple(sites)
    if len(motion) == 0 or not names:
        raise InvalidMotion("contacts need a motion with at least one frame and at least one site")
    size = motion.figure.height
    if not size > 0.0:
        raise InvalidMotion(f"figure {motion.figure.name!r} has no extent, so nothing can be called near the floor")
    points = site_frames(motion.figure, motion.q, names).points
    speeds = _slowest_speeds(points, settings.window, motion.fps) / size
    slow = speeds < settings.speed
    if floor is None:
        ground, levels = find_floor(points, slow, size)
    else:
        ground = floor if isinstance(floor, Floor) else Floor(float(floor))
        levels = standing_levels(points, slow, ground, size)
    # A site that stands far above the floor (a raised foot, a hand) has no level of its own.
    levels = np.where((levels > 0.0) & (levels <= settings.standing_level * size), levels, 0.0)
    clearance = (ground.heights_of(points) - levels) / size
    enter = (clearance < settings.height) & (speeds < settings.speed)
    stay = (clearance < settings.release * settings.height) & (speeds < settings.release * settings.speed)
    shortest = settings.min_duration * motion.fps
    touching = np.stack([_runs(e, k, shortest) for e, k in zip(enter.T, stay.T, strict=True)], axis=1)
    if settings.trimmed:
        touching = at_rest(touching, speeds)
    touching.flags.writeable = False
    return Contacts(names, touching, ground, levels, motion.fps)


def floor_under(motion: Motion, feet: Sequence[str]) -> Floor:
    """The floor where the points of the feet of a motion stand; of one or two frames, level under the lowest one."""
    if len(motion) < 3:
        return Floor(float(site_frames(motion.figure, motion.q, feet).points[..., 1].min()))
    step = max(1, int(motion.fps / _ENOUGH_FPS))
    return contacts(replace(motion, q=motion.q[::step], fps=motion.fps / step), feet).floor


def _slowest_speeds(points: Array, window: float, fps: float) -> Array:
    """Per frame and site, the lesser of the mean speeds over the window before and after, (frames, sites), m/s."""
    n_frames = len(points)
    if n_frames < 2:
        return np.zeros(points.shape[:2])
    step = max(1.0, window * fps)
    frames = np.arange(n_frames, dtype=np.float64)
    ahead = _mean_speed(points, frames, np.minimum(frames + step, n_frames - 1.0), fps)
    behind = _mean_speed(points, np.maximum(frames - step, 0.0), frames, fps)
    slowest: Array = np.minimum(ahead, behind)
    return slowest


def _mean_speed(points: Array, start: Array, end: Array, fps: float) -> Array:
    travel = np.linalg.norm(_between(points, end) - _between(points, start), axis=-1)
    seconds = ((end - start) / fps)[:, None]
    # At the ends of the motion one of the two windows is empty: the other one decides.
    return np.where(seconds > 0.0, travel / np.where(seconds > 0.0, seconds, 1.0), np.inf)


def _between(points: Array, places: Array) -> Array:
    before = np.minimum(places.astype(np.int64), len(points) - 2)
    fraction = (places - before)[:, None, None]
    between: Array = points[before] + fraction * (points[before + 1] - points[before])
    return between


def _runs(enter: BoolArray, stay: BoolArray, shortest: float) -> BoolArray:
    """Runs of `stay` in which `enter` holds at least once, without gaps and runs of less than `shortest` steps.

    Gaps are closed first: whether a foot trembles for one frame must not decide what belongs together. Runs at the
    ends of the motion may go on outside and are left.
    """
    n_frames = len(stay)
    whole = stay.copy()
    for first, after in intervals(~stay):
        if after - 1 - first < shortest and first > 0 and after < n_frames:
            whole[first:after] = True
    touching = np.zeros(n_frames, dtype=np.bool_)
    for first, after in intervals(whole):
        long_enough = after - 1 - first >= shortest or first == 0 or after == n_frames
        touching[first:after] = long_enough and enter[first:after].any()
    return touching
