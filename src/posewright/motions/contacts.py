"""Contacts: when the points of the feet (or any sites) rest on the floor.

A contact begins when a site is low and slow: less than 0.02 H above its standing level and slower than 0.15 H/s, where
H is the figure's height. It lasts until either threshold is exceeded twofold (hysteresis). Gaps shorter than 0.03 s are
closed, then contacts shorter than 0.03 s are removed.

The speed at a time is the smaller of the mean speeds over the 1/30 s before and after it, so contacts do not depend on
the frame rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from posewright.checks import require, require_list, require_number
from posewright.conventions import Array, BoolArray, IntArray
from posewright.errors import InvalidMotion, InvalidSetting, UnknownName
from posewright.figures import Figure
from posewright.figures.kinematics import site_points
from posewright.kernels.motion.contacts import RULE, find_contacts, slowest_speeds
from posewright.kernels.tables import Table
from posewright.motions.floor import Floor, find_floor, standing_levels
from posewright.motions.motion import Motion, require_measurable

_ENOUGH_FPS = 30.0
"""Frames per second that are used to find the floor."""
_STILL = 3e-4
"""Figure heights per second (0.5 mm/s): a motion is clean if a quarter of its contact frames are slower."""
_MOVES = 0.02
"""Figure heights per second: a site moves if it is faster than this and than three times its contact's median."""


@dataclass(frozen=True, kw_only=True)
class ContactSettings:
    """Thresholds that define a contact."""

    height: float = 0.02
    """Maximum height above the site's standing level, in figure heights."""
    speed: float = 0.15
    """Maximum speed, in figure heights per second."""
    release: float = 2.0
    """A contact lasts until height or speed exceeds its threshold times this factor; 1 means no hysteresis."""
    min_duration: float = 0.03
    """Minimum duration of a contact and of a gap between contacts, from first frame to last, s."""
    window: float = 1.0 / 30.0
    """Time over which speed is measured, s; at least one frame."""
    standing_level: float = 0.1
    """Maximum height of a standing site above the floor, in figure heights; an ankle, say, is above the sole."""
    trimmed: bool = False
    """Whether contacts end where sites begin to move. This applies only to motions clean enough to tell (`at_rest`)."""

    def __post_init__(self) -> None:
        for name in ("height", "speed", "window"):
            require_number(getattr(self, name), name, "positive", ok=lambda value: value > 0.0)
        require_number(self.release, "release", "at least 1", ok=lambda value: value >= 1.0)
        for name in ("min_duration", "standing_level"):
            require_number(getattr(self, name), name, "a number that is not negative", ok=lambda value: value >= 0.0)

    def rule(self, size: float, fps: float) -> Table:
        """The settings as the table of `kernels.motion.contacts`, for a figure's height (m) and a frame rate."""
        window, shortest = max(1.0, self.window * fps), self.min_duration * fps
        return np.array([(self.height * size, self.speed * size, self.release, shortest, window, fps)], dtype=RULE)


@dataclass(frozen=True, eq=False, repr=False)
class Contacts:
    """Which sites touch the floor, and when."""

    sites: tuple[str, ...]
    touching: BoolArray
    """(frames, sites): whether each site touches the floor in each frame."""
    floor: Floor
    levels: Array
    """(sites,): height of each site above the floor while it stands, m."""
    fps: float
    """Frames per second."""

    def __repr__(self) -> str:
        shares = [f"{site} {share:.0%}" for site, share in zip(self.sites, self.touching.mean(axis=0), strict=True)]
        return f"<Contacts in {len(self.touching)} frames: {', '.join(shares)}>"

    def of(self, site: str) -> BoolArray:
        """(frames,): whether a site touches the floor."""
        if site not in self.sites:
            raise UnknownName("site", site, self.sites, where="this record of contacts")
        return self.touching[:, self.sites.index(site)]

    def intervals(self, site: str) -> IntArray:
        """Contacts of a site (n, 2): the first frame, and the frame after the last."""
        return intervals(self.of(site))

    def times(self, site: str) -> Array:
        """Contacts of a site (n, 2): times of the first and the last frame, s."""
        moments: Array = (self.intervals(site) - np.array([0, 1])) / self.fps
        return moments

    def any_of(self, sites: Sequence[str]) -> BoolArray:
        """(frames,): whether at least one of several sites touches the floor, such as heel or toes of a foot."""
        together: BoolArray = np.any([self.of(site) for site in sites], axis=0)
        return together


def contacts(
    motion: Motion,
    sites: Sequence[str] | None = None,
    *,
    floor: Floor | float | None = None,
    settings: ContactSettings | None = None,
) -> Contacts:
    """See `Motion.contacts`."""
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
        raise InvalidMotion(f"figure {motion.figure.name!r} has no extent, so contacts cannot be found")
    points = site_points(motion.figure, motion.q, names)
    rule, speeds = settings.rule(size, motion.fps), np.empty(points.shape[:2])
    slowest_speeds(points, rule["window"][0], motion.fps, speeds)
    slow = speeds < settings.speed * size
    if floor is None:
        ground, levels = find_floor(points, slow, size)
    else:
        ground = floor if isinstance(floor, Floor) else Floor(float(floor))
        levels = standing_levels(points, slow, ground, size)
    # A site that stands far above the floor (a raised foot, a hand) has no level of its own.
    levels = np.where((levels > 0.0) & (levels <= settings.standing_level * size), levels, 0.0)
    touching = np.empty(speeds.shape, dtype=np.bool_)
    begins = np.full(len(names), -1)
    find_contacts(rule, ground.heights_of(points) - levels, speeds, 0, begins, 0, touching)
    if settings.trimmed:
        touching = at_rest(touching, speeds / size)
    touching.flags.writeable = False
    return Contacts(names, touching, ground, levels, motion.fps)


def feet_of(figure: Figure) -> dict[str, tuple[str, ...]]:
    """The contact sites of each foot, by name: left_foot, right_foot; a site on neither side is its own foot."""
    found: dict[str, tuple[str, ...]] = {}
    for site in figure.anatomy.contact_sites:
        side = figure.anatomy.sides[figure.joint_index(figure.site(site).joint)]
        foot = f"{side}_foot" if side else site
        found[foot] = (*found.get(foot, ()), site)
    return found


Bars = Mapping[str, Sequence[tuple[int, int]]]
"""First and last frame of each contact, counted from 0, by foot (`feet_of`)."""


def bars_of(contacts: Contacts, feet: Mapping[str, Sequence[str]]) -> dict[str, list[tuple[int, int]]]:
    """Contacts of feet: a foot touches the floor when one of its sites does."""
    return {
        foot: [(int(first), int(after) - 1) for first, after in intervals(contacts.any_of(sites))]
        for foot, sites in feet.items()
    }


def with_bars(found: Contacts, figure: Figure, bars: Bars) -> Contacts:
    """Replace the contacts of some feet by given ones.

    In frames where the foot was found to touch, the same sites touch. In other frames of a bar, the sites that touch in
    the nearest such frame of the bar do; if the bar has none, all sites of the foot touch.

    Raises:
        InvalidSetting: a bar is outside the motion, or ends before it begins.
        UnknownName: the figure has no such foot.
    """
    feet, touching = feet_of(figure), found.touching.copy()
    for foot, spans in bars.items():
        if foot not in feet:
            raise UnknownName("foot", foot, feet, where=f"figure {figure.name!r}")
        columns = [found.sites.index(site) for site in feet[foot]]
        touching[:, columns] = False
        for start, end in spans:
            if not 0 <= start <= end < len(touching):
                raise InvalidSetting(
                    f"a contact of {foot!r} is from frame {start} to {end}; the motion has frames 0 to "
                    f"{len(touching) - 1}, and a contact must not end before it begins"
                )
            own = found.touching[start : end + 1][:, columns]
            known = np.flatnonzero(own.any(axis=1))
            if len(known):
                nearest = known[np.abs(np.arange(len(own))[:, None] - known).argmin(axis=1)]
                touching[start : end + 1, columns] |= own[nearest]
            else:
                touching[start : end + 1, columns] = True
    touching.flags.writeable = False
    return replace(found, touching=touching)


def floor_under(motion: Motion, feet: Sequence[str]) -> Floor:
    """The floor on which the feet of a motion stand; for one or two frames, a level floor at the lowest foot site."""
    if len(motion) < 3:
        return Floor(float(site_points(motion.figure, motion.q, feet)[..., 1].min()))
    step = max(1, int(motion.fps / _ENOUGH_FPS))
    return contacts(replace(motion, q=motion.q[::step], fps=motion.fps / step), feet).floor


def intervals(flags: BoolArray) -> IntArray:
    """Runs of true values (n, 2): the first index, and the index after the last."""
    edges = np.diff(np.concatenate([[0], np.asarray(flags, dtype=np.int8), [0]]))
    return np.stack([np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)], axis=1)


def around(flags: BoolArray, frames: int) -> BoolArray:
    """(frames,): whether a flag is set within `frames` frames before or after."""
    near: BoolArray = np.convolve(flags, np.ones(2 * frames + 1))[frames : frames + len(flags)] > 0.5
    return near


def at_rest(touching: BoolArray, speeds: Array) -> BoolArray:
    """Contacts (frames, sites) without the frames at their ends in which sites move, if the motion is clean.

    The thresholds suit recordings, in which feet never stand quite still, so a heel counts as a contact until it is
    centimetres above the floor. In synthetic or cleaned motions, feet are planted, and a contact ends where the site
    begins to move. Feet held for longer would have to catch up, and jerk.

    Args:
        touching: (frames, sites): the contacts.
        speeds: (frames, sites): figure heights per second.
    """
    if not touching.any() or np.quantile(speeds[touching], 0.25) > _STILL:
        return touching
    rests = np.zeros_like(touching)
    for site in range(touching.shape[1]):
        for first, after in intervals(touching[:, site]):
            speed = speeds[first:after, site]
            slow = np.flatnonzero(speed <= max(_MOVES, 3.0 * float(np.median(speed))))
            rests[first + slow[0] : first + slow[-1] + 1, site] = True
    return rests
