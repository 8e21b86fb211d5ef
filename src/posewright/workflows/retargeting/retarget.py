"""A motion on another figure: postures carried over, feet planted where the source's stand, limits held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from posewright.anatomy.feet import SOLE_ENDS
from posewright.anatomy.lexicon import SIDES
from posewright.checks import require, require_list, require_number
from posewright.conventions import Array, BoolArray
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure
from posewright.figures.joint_inverse import slide_values
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.figures.transforms.balls import HingedAgain, with_balls
from posewright.figures.transforms.speed_limits import with_max_speeds
from posewright.goals.timed import Timed, follow
from posewright.matching import JointMatch, PoseTransfer, Scaling
from posewright.matching.end_paths import SiteTrack, SoleTracks
from posewright.motions import Motion, QualityReport
from posewright.motions.contacts import Contacts, ContactSettings
from posewright.motions.floor import Floor
from posewright.motions.motion import require_measurable
from posewright.problem import Imitation, MotionProblem, MotionResult
from posewright.rotations import matrix_from_axes
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.motion.frames import Progress
from posewright.solvers.motion.tracking import Tracking
from posewright.solvers.solver import Solver, require_solver
from posewright.workflows.retargeting.foot_planting import SETTLE, FootShape, FootWay, faded, planted
from posewright.workflows.retargeting.foot_planting import smooth as ease
from posewright.workflows.retargeting.hands import HandsTogether, HeldObject, held_goal, with_palms
from posewright.workflows.retargeting.jerk_budget import ALLOWED, JerkBudget
from posewright.workflows.retargeting.key_points import Watch, Watched
from posewright.workflows.retargeting.reach_corrections import hand_lift, pelvis_drop

QUICK = Tracking(damping=1e-4, gain=1e-4, still=1e-3, met=1e-4)
"""How much work a frame is worth unless told: after a step of 1e-3 rad answers are good to some 1e-5 rad."""
GUIDANCE = Imitation(
    example=1e-3, track_velocity=0.0, track_acceleration=0.0, example_velocity=0.0, example_acceleration=0.0
)
"""Near the example; tracks settle what the example leaves open. Velocities follow by themselves from smooth tracks."""
CARRIES = 30.0
"""Factor of the example's weight for the slides of the root: feet in the air do not pull the body about."""
SOLE_RADIUS = 0.1
"""m that one radian of a sole counts as."""
_LARGEST_SCALE, _HIGHEST_FLOOR = 1e3, 1e6
"""Beyond, m: a slip of the keyboard, after which numbers overflow."""
_HANDS = 0.1
"""Weight of hands and head over that of feet."""
_DEEP = 0.02
"""m under the floor at which a hand is as heavy as a foot."""
_EASE = 0.1
"""s, over which a contact grows from a wish to a must."""
SWING = 0.5
"""Activation of a foot in the air: as heavy as other tracks."""
_CLOSE = 0.03
"""m above the floor below which a foot in the air counts more, lest it dips into it."""
_LOW = 0.8
"""How much more at the floor, of what is missing to a must."""
_TOES = 10.0
"""Weight of resting toes over the foot's."""
_TOES_EVEN = 0.01
"""Share of it at which they are half-way between lying flat and the example."""


@dataclass(frozen=True, eq=False)
class RetargetResult:
    """What `retarget` made."""

    motion: Motion
    """Of the target, with sites for its soles."""
    result: MotionResult
    """Of the solve, whose figure has balls where the target has three free hinges."""
    source: Motion
    """What was retargeted, with sites for its soles."""
    match: JointMatch
    contacts: Contacts | None
    """Found in the source; None: not asked for."""
    floor: Floor
    """Under the source; the target's is y = 0."""
    notes: tuple[str, ...]
    """What is doubtful, a sentence each."""

    def quality(self, *, body: bool = True) -> QualityReport:
        """The measures of the motion beside those of its source; `body` as for `assess`."""
        return self.motion.quality(self.source, sites={}, feet=SOLE_ENDS, floor=0.0, source_floor=self.floor, body=body)


def retarget(
    source: Motion,
    target: Figure,
    match: JointMatch | None = None,
    *,
    contacts: Contacts | bool = True,
    floor: Floor | float | None = None,
    scale: float | None = None,
    smooth: float = ALLOWED,
    keep_hands: bool = False,
    objects: Sequence[HeldObject] = (),
    tracks: Sequence[Timed] = (),
    velocity_limits: bool | Mapping[str, float] = False,
    free_translations: bool = False,
    guidance: Imitation | None = None,
    tracking: Tracking | None = None,
    solver: Solver | None = None,
    progress: Progress | None = None,
) -> RetargetResult:
    """The motion on another figure.

    Args:
        source: what to carry over.
        target: whose rest pose stands; pass `standing(motion)` of a file whose rest pose means nothing.
        match: which joints are which; None finds them.
        contacts: whether feet are planted where the source's rest; or the contacts of heels and toe tips to keep.
        floor: under the source, or its height in m; None: found from where its feet stand.
        scale: factor of the root's path; None: by the length of the legs.
        smooth: how many times the source's jerk is allowed; smoothed no more than that asks for, and `notes` tell how
            much. 0: nothing is smoothed.
        keep_hands: hands that are near each other in the source are as near on the target, scaled.
        objects: what hands hold or touch: they are to it as in the source.
        tracks: more tracks, for sites or joints of the target; priority 2 is that of hands, 1 that of feet which rest.
        velocity_limits: whether joints keep to `Figure.max_speeds`; or those speeds (rad/s, m/s) by joint or dof.
        free_translations: whether slides below the root may move; they stay at rest unless asked.
        guidance: weights; None: chosen for retargeting.
        tracking: work per frame; None: quick.
        solver: another one than `LeastSquares`, which is far quicker than all others.
        progress: called with the number of frames that are done.
    """
    require_measurable(source, "the motion to retarget")
    require_list(objects, "objects", "HeldObjects")
    for held in objects:
        require(held, HeldObject, "one of the objects", "a HeldObject")
    require_list(tracks, "tracks", "Tracks")
    require(contacts, Contacts | bool, "contacts", "True, False, or Contacts")
    require(velocity_limits, Mapping | bool, "velocity_limits", "True, False, or speeds by joint")
    if tracking is not None:
        require(tracking, Tracking, "tracking", "a Tracking, such as Tracking(steps=10)")
    if solver is not None:
        require_solver(solver)
    if len(source) == 0:
        raise InvalidMotion("the motion to retarget has no frames; it needs at least one")
    if solver is not None and tracking is not None:
        raise InvalidSetting("both a solver and its tracking are given; set the tracking of LeastSquares(tracking=...)")
    if isinstance(velocity_limits, Mapping):
        target = with_max_speeds(target, velocity_limits)
    limited = velocity_limits is not False
    pair = Pair(
        source, target, match, floor=floor, scale=scale,
        palms=keep_hands or bool(objects), free_translations=free_translations,
    )  # fmt: skip
    if limited and not np.isfinite(pair.figure.max_speeds).any():
        raise InvalidSetting(
            f"figure {target.name!r} states no greatest speeds; give velocity_limits by joint, in rad/s or m/s"
        )
    found = contacts if isinstance(contacts, Contacts) else None
    if contacts is True:
        settings = ContactSettings(trimmed=True)
        found = pair.tread.contacts(SOLE_ENDS, floor=pair.scaling.floor, settings=settings)
    budget = JerkBudget.beside(source, smooth)
    carried, smoothing = budget.smoothed(pair.figure, pair.carrier(source.q), source.fps)
    if limited:
        carried = np.array(Motion(pair.figure, carried, source.fps).within_speeds().q)
    watched = pair.watch(carried)
    feet = pair.foot_ways(watched, found)
    drop = pair.drop(watched.hips, np.stack([feet[side].ankles for side in SIDES], axis=1))
    goals = [goal for side in feet for goal in pair.foot_goals(side, feet[side], found)]
    goals += pair.hand_goals(watched, drop)
    pair.sink(carried, drop)
    carried.flags.writeable = False
    del watched, feet  # large, if the motion is long
    asked = [held_goal(held, source, pair.ours, pair.scaling) for held in objects]
    if keep_hands:
        together = HandsTogether(source, pair.ours, pair.theirs, pair.scaling)
        asked += together.goals(pair.figure, joint_frames(pair.figure, carried))
    problem = MotionProblem(
        pair.figure,
        [*goals, *asked, *tracks],
        Motion(pair.figure, carried, source.fps, source.name),
        imitation=guidance or replace(GUIDANCE, weights=dict.fromkeys(pair.slides, CARRIES)),
        frozen=pair.frozen,
        velocity_limits=limited,
    )
    solver = solver or LeastSquares(tracking=tracking or QUICK)
    result = solver.solve(problem, progress=progress)
    result = budget.kept(result, solver, lambda *smoothed: [*pair.planted_again(found, *smoothed), *asked, *tracks])
    return RetargetResult(
        motion=replace(result.motion, figure=pair.target, q=pair.hinged(result.motion.q)),
        result=result,
        source=pair.tread,
        match=pair.match,
        contacts=found,
        floor=pair.scaling.floor,
        notes=(*pair.notes, *smoothing, *result.warnings),
    )


class Pair:
    """A source and a target that know each other: what is the same for every frame."""

    def __init__(
        self,
        source: Motion,
        target: Figure,
        match: JointMatch | None,
        *,
        floor: Floor | float | None,
        scale: float | None,
        palms: bool = False,
        free_translations: bool = False,
    ) -> None:
        require(target, Figure, "the target", "a Figure, such as pw.figure('human40')")
        if match is not None:
            require(match, JointMatch, "the match", "a JointMatch, such as JointMatch.load(path, source, target)")
        if scale is not None:
            require_number(scale, "scale", "a positive number such as 1")
        if floor is not None:
            require(floor, Floor | Real, "floor", "a height in m, or a Floor")
        if scale is not None and not (0.0 < scale <= _LARGEST_SCALE):
            raise InvalidSetting(
                f"scale is {scale}; it must be a positive number such as 1, at most {_LARGEST_SCALE:g}"
            )
        if isinstance(floor, float | int) and not abs(floor) <= _HIGHEST_FLOOR:
            raise InvalidSetting(f"floor is {floor}; it must be a height in m, at most {_HIGHEST_FLOOR:g}")
        match = match or JointMatch.between(source.figure, target)
        self.source, self._free_translations = source, free_translations
        self.target = match.target.on(target).with_soles()
        if palms:
            self.target = with_palms(self.target, match.target.on(self.target).segments)
        self.figure = with_balls(self.target)
        self.tread = source.with_standing_rest(match.source).with_soles(match.source)
        self.match = JointMatch(match.source.on(self.tread.figure), match.target.on(self.figure))
        self.ours, self.theirs = self.match.source.segments, self.match.target.segments
        self.scaling = Scaling.between(self.tread, self.match, floor=floor, scale=scale)
        self.carrier = PoseTransfer(self.match, self.scaling)
        self.sole_tracks = SoleTracks(self.match)
        self.shapes = {side: FootShape.of(self.figure, side) for side in SIDES}
        self.hinged = HingedAgain(self.figure, self.target)
        hips = [self.theirs.centre(f"{side}_hip") for side in SIDES]
        self.watch = Watch(self.figure, hips, list(self.ends().values()))
        joint, above = self.figure.joints[self.carrier.root], self.figure.parents[self.carrier.root]
        down = np.array([0.0, -1.0, 0.0])
        if above >= 0:
            down = down @ self.theirs.rotations[above]
        self._down = slide_values(joint, down) - slide_values(joint, np.zeros(3))
        self._leg_bones = np.array([self.theirs.leg_bones(side) for side in SIDES])

    @property
    def notes(self) -> tuple[str, ...]:
        """What is doubtful."""
        return self.match.notes

    @property
    def slides(self) -> tuple[str, ...]:
        """Dofs that move the target about."""
        first = self.figure.dof_slice(self.carrier.root).start
        return self.figure.dof_names[first : first + 3]

    @property
    def frozen(self) -> tuple[str, ...]:
        """Dofs that stay as they are: slides below the root unless free, and all above what moves the target about."""
        above = set(self.figure.ancestors(self.carrier.root)) - {self.carrier.root}
        kept: list[str] = []
        for index, joint in enumerate(self.figure.joints):
            where = self.figure.dof_slice(index)
            n = where.stop - where.start if index in above else 0 if self._free_translations else len(joint.slides)
            if index != self.carrier.root:
                kept += self.figure.dof_names[where.start : where.start + n]
        return tuple(kept)

    def foot_ways(self, watched: Watched, found: Contacts | None) -> dict[str, FootWay]:
        """Where the soles go, by side, for the carried posture."""
        ways = self.sole_tracks(self.source.q, self.scaling)
        return {side: self._foot_way(watched, side, way, found) for side, way in zip(SIDES, ways, strict=True)}

    def _foot_way(self, watched: Watched, side: str, way: SiteTrack, found: Contacts | None) -> FootWay:
        return self._planted(*carried_sole(watched, side, way), watched.toe_tips[side], side, found)

    def _planted(self, places: Array, turns: Array, toe_tips: Array, side: str, found: Contacts | None) -> FootWay:
        never = np.zeros(len(places), np.bool_)
        heel, toes = (never, never) if found is None else (found.of(f"{side}_heel"), found.of(f"{side}_toe_tip"))
        return planted(places, turns, toe_tips, heel, toes, self.shapes[side], self.source.fps)

    def planted_again(self, found: Contacts | None, q: Array, roughness: float, settling: bool) -> list[Timed]:
        """The tracks of feet that go as smooth frames of the target have them, but keep their contacts (`Plant`)."""
        tips, goals = self.watch(q).toe_tips, []
        for side in SIDES:
            sole = site_frames(self.figure, q, [f"{side}_sole"])
            turns = matrix_from_axes(sole.x_axes[:, 0], sole.y_axes[:, 0])
            way = self._planted(sole.points[:, 0].copy(), turns, tips[side], side, found)
            if found is not None:
                resting = found.of(f"{side}_heel") | found.of(f"{side}_toe_tip")
                way = way.smoothed(resting, roughness, SETTLE * self.source.fps if settling else 0.0)
            goals += self.foot_goals(side, way, found)
        return goals

    def drop(self, hips: Array, ankles: Array) -> Array:
        """How far the pelvis sinks (frames,), m, so that ankles (frames, 2, 3), m, are within reach of the hips."""
        return pelvis_drop(hips, ankles, self._leg_bones, self.source.fps)

    def sink(self, q: Array, drop: Array) -> None:
        """Move frames (frames, dofs) down, in place."""
        first = self.figure.dof_slice(self.carrier.root).start
        q[:, first : first + 3] += drop[:, None] * self._down

    def foot_goals(self, side: str, way: FootWay, found: Contacts | None) -> list[Timed]:
        """The tracks of a foot: strictly first where it rests."""
        sole, fps = f"{side}_sole", self.source.fps
        if found is None:
            return [follow(sole, way.points, way.x, way.y, radius=SOLE_RADIUS, priority=2)]
        heel, toes = found.of(f"{side}_heel"), found.of(f"{side}_toe_tip")
        resting = _share(heel | toes, _EASE * fps)
        close = _LOW * ease(1.0 - way.heights(self.shapes[side]) / _CLOSE)
        activation = SWING + (1.0 - SWING) * (1.0 - (1.0 - resting) * (1.0 - close))
        goals = [follow(sole, way.points, way.x, way.y, activation=activation, radius=SOLE_RADIUS, priority=1)]
        if self.shapes[side].has_toes:
            odds = toe_activation(_share(toes, 2.0 * _EASE * fps))
            x, y = way.toes[:, :, 0].copy(), way.toes[:, :, 1].copy()
            tip = f"{side}_toe_tip"
            goals.append(follow(tip, None, x, y, weight=_TOES, activation=odds, radius=SOLE_RADIUS, priority=2))
        return goals

    def hand_goals(self, watched: Watched, drop: Array) -> list[Timed]:
        """The tracks of wrists and head: where the sunk posture has them, above the floor."""
        goals = []
        for joint, places in watched.ends.items():
            lift = hand_lift(watched.lowest[joint] - drop, self.source.fps)
            places = places + (lift - drop)[:, None] * np.array([0.0, 1.0, 0.0])
            name = self.figure.joint_names[joint]
            goals.append(follow(name, places, activation=hand_activation(lift), priority=2))
        return goals

    def ends(self) -> dict[str, int]:
        """Joints of wrists and head, by part."""
        parts = [part for part in ("left_wrist", "right_wrist", "head") if part in self.match.parts]
        return {part: self.match.target.first(part) for part in parts}

    def goals_at_rest(self) -> list[Timed]:
        """The tracks of one frame at rest: what streams ask for, before they say where."""
        rest = self.figure.rest[None]
        never = np.zeros((1, 4), np.bool_)
        nothing = Contacts(SOLE_ENDS, never, self.scaling.floor, np.zeros(4), self.source.fps)
        feet = {}
        for side in SIDES:
            sole = site_frames(self.figure, rest, [f"{side}_sole"])
            places, x, y = sole.points[:, 0], sole.x_axes[:, 0], sole.y_axes[:, 0]
            feet[side] = FootWay(places, x, y, matrix_from_axes(x, y), places)
        goals = [goal for side in SIDES for goal in self.foot_goals(side, feet[side], nothing)]
        return [*goals, *self.hand_goals(self.watch(rest), np.zeros(1))]


def carried_sole(watched: Watched, side: str, way: SiteTrack) -> tuple[Array, Array]:
    """Place (frames, 3) and frame (frames, 3, 3) of a carried sole.

    Its place is the posture's, for hips of another width put the feet elsewhere, but not higher; its orientation is
    the source's.
    """
    assert way.x is not None
    assert way.y is not None
    places = watched.soles[side].copy()
    places[:, 1] = way.points[:, 1]
    return places, matrix_from_axes(way.x, way.y)


def toe_activation(share: Array) -> Array:
    """How much toes count that rest by a share (frames,) from 0 to 1."""
    odds = np.divide(_TOES_EVEN * share, 1.0 - share, out=np.ones(len(share)), where=share < 1.0)
    return np.minimum(odds, 1.0)


def hand_activation(lift: Array) -> Array:
    """How much a hand counts that is lifted (frames,), m: all the more where the floor is."""
    return np.minimum(1.0, _HANDS + lift / _DEEP)


def _share(flags: BoolArray, fade: float) -> Array:
    """1 where flags are set, fading to 0 around (frames,)."""
    return np.clip(faded(flags[:, None].astype(np.float64), flags, fade)[:, 0], 0.0, 1.0)
