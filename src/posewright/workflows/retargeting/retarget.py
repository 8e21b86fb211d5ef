"""Retarget a motion to another figure: transfer postures, plant feet where the source's stand, keep limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.feet import SOLE_ENDS
from posewright.checks import require, require_list
from posewright.conventions import Array, BoolArray
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure
from posewright.figures.transforms.balls import BallsToHinges
from posewright.figures.transforms.limits import with_max_speeds
from posewright.goals.timed import Timed, follow
from posewright.kernels.tables import Table
from posewright.matching import JointMatch, PoseTransfer
from posewright.motions import Motion, QualityLimits, QualityReport
from posewright.motions.contacts import Contacts, ContactSettings
from posewright.motions.floor import Floor
from posewright.motions.motion import require_measurable
from posewright.motions.quality.assess import assess
from posewright.motions.quality.likeness import Likeness, Stretch, likeness
from posewright.motions.quality.report import unlike
from posewright.problem import Imitation, MotionProblem, MotionResult
from posewright.problem.evaluation import Errors
from posewright.problem.result import Result, Stopped
from posewright.solvers.least_squares import LeastSquares, Tracking
from posewright.solvers.motion.frames import Progress
from posewright.solvers.solver import Solver, require_solver
from posewright.workflows.retargeting.clearance import clearances, reduced_clearances
from posewright.workflows.retargeting.feet import Feet
from posewright.workflows.retargeting.grounding import Ground
from posewright.workflows.retargeting.hands import HeldObject, drawn_together, goals_together, held_goal
from posewright.workflows.retargeting.jerk_budget import ALLOWED, JerkBudget
from posewright.workflows.retargeting.key_points import FindKeyPoints, FindSourceFeet
from posewright.workflows.retargeting.pops import without_pops
from posewright.workflows.retargeting.reach import SKIN, clear_activation, smooth_need
from posewright.workflows.retargeting.setup import RetargetSetup
from posewright.workflows.retargeting.yielding import (
    LOW,
    SOFT,
    Contacted,
    Departure,
    sole_corrections,
    standing,
    within_reach,
)

_MOST_NOTES = 6
"""Number of stretches named in notes."""
_ENOUGH_FPS = 30.0
"""Frames per second at which departures are measured."""
_SUNK = 0.008
"""m under the floor that contacts may pull a body, and joint limits a foot, before something is done about it."""
_HARDLY = 1.2
"""Factor of the departure before smoothing, or of the limit, beyond which smoothing counts as harm."""
ENDS = 0.002
"""Weight of hands and head over that of feet."""
_UP = np.array([0.0, 1.0, 0.0])
QUICK = Tracking(damping=1e-4, gain=1e-4, still=1e-3, met=1e-4)
"""The default work per frame: after a step of 1e-3 rad answers are good to some 1e-5 rad."""


@dataclass(frozen=True, eq=False, repr=False)
class RetargetResult(Result):
    """The result of `retarget`."""

    motion: Motion
    """The motion of the target figure, which has sites for its soles."""
    solved: MotionResult
    """The answer of the solver. Its figure has balls where the target has three free hinges."""
    source: Motion
    """The motion that was retargeted; its figure has sites for its soles."""
    match: JointMatch
    """The joints of both figures, part by part."""
    contacts: Contacts | None
    """Contacts found in the source; None if contacts were turned off."""
    floor: Floor
    """Floor under the source; that of the target is y = 0."""
    scale: float
    """Scale of the root's path."""
    smoothing: tuple[str, ...]
    """How much was smoothed before the solve, one sentence each."""
    seconds: float
    """Time that the solve took, s."""

    @property
    def errors(self) -> Errors:
        """Error of each goal in its worst frame, by label."""
        return self.solved.errors

    @property
    def stopped(self) -> Stopped:
        """Why the search ended: the most serious reason of all frames."""
        return self.solved.stopped

    @property
    def iterations(self) -> int:
        """Total number of iterations over all frames."""
        return self.solved.iterations

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is doubtful, was smoothed, or could not be done as requested, one sentence each."""
        return (*self.remarks, *self._unlike_notes())

    @property
    def remarks(self) -> tuple[str, ...]:
        """The warnings that do not require measuring the motion."""
        meant = self.solved.only_approached  # hands and head give way to feet and posture
        solved = [warning for warning in self.solved.warnings if warning not in meant]
        return (*self.match.notes, *self.smoothing, *solved)

    @property
    def transferred(self) -> Motion:
        """The source's postures on the target without any goals, so feet and hands are not placed."""
        return self.match.transfer(self.source, floor=self.floor, scale=self.scale)

    @property
    def likeness(self) -> Likeness:
        """Likeness of the motion to its source, bone by bone."""
        return self._likenesses[0]

    def quality(self, *, body: bool = True) -> QualityReport:
        """Measure the quality of the motion compared with its source; `body`: include self-contact and balance."""
        return assess(
            self.motion, self.source, sites={}, feet=SOLE_ENDS, floor=0.0, source_floor=self.floor,
            bodies=self._bodies, likenesses=self._likenesses, body=body,
        )  # fmt: skip

    @property
    def _bodies(self) -> tuple[Anatomy, Anatomy]:
        return self.match.target.on(self.motion.figure), self.match.source

    @cached_property
    def _likenesses(self) -> tuple[Likeness, Likeness]:
        """Of the motion, and of what plain transfer makes."""
        mine, theirs = self._bodies
        transferred = self.transferred
        plain = likeness(transferred, self.source, (mine.on(transferred.figure), theirs), Floor(0.0))
        return likeness(self.motion, self.source, self._bodies), plain

    def _unlike_notes(self) -> Iterator[str]:
        """Where bones point elsewhere than the source's, with the contacts of these frames."""
        stretches = unlike(*self._likenesses, QualityLimits())
        for stretch in stretches[:_MOST_NOTES]:
            yield f"{stretch}{self._resting_in(stretch)}"
        if len(stretches) > _MOST_NOTES:
            yield f"bones are off in {len(stretches) - _MOST_NOTES} more stretches; see the report"

    def _resting_in(self, stretch: Stretch) -> str:
        if self.contacts is None:
            return ""
        touching = self.contacts.touching[stretch.first : stretch.last + 1]
        names = [name.replace("_", " ") for k, name in enumerate(self.contacts.sites) if touching[:, k].any()]
        return f", while {' and '.join(names)} rest" if names else ""


def retarget(
    source: Motion,
    to: Figure,
    match: JointMatch | None = None,
    *,
    contacts: Contacts | bool = True,
    floor: Floor | float | None = None,
    scale: float | None = None,
    smooth: float = ALLOWED,
    keep_hands: bool | None = None,
    objects: Sequence[HeldObject] = (),
    goals: Sequence[Timed] = (),
    velocity_limits: bool | Mapping[str, float] | None = None,
    free_translations: bool = False,
    imitation: Imitation | float | None = None,
    tracking: Tracking | None = None,
    solver: Solver | None = None,
    progress: Progress | None = None,
) -> RetargetResult:
    """Retarget a motion to another figure.

    Args:
        source: the motion to retarget.
        to: the target figure. Its rest pose must stand upright. If the rest pose of its file does not, use the figure
            of `motion.with_standing_rest()`.
        match: which joints correspond (default: found by names and shape).
        contacts: whether to plant the feet where the source's feet rest; or the contacts of heels and toe tips to keep.
        floor: the floor under the source, or its height in m (default: estimated from where the feet stand).
        scale: scale of the root's path (default: the ratio of the leg lengths).
        smooth: allowed jerk, as a multiple of the source's. The motion is smoothed only as much as this needs, and
            `warnings` say how much. 0 turns smoothing off.
        keep_hands: whether hands that are near each other in the source keep their distance, scaled. Default: hands
            that hold each other for a while come together as far as the arms allow easily.
        objects: objects that hands hold or touch; hands keep their placement relative to them.
        goals: additional goals for sites or joints of the target. Resting feet have priority 1, hands priority 2.
        velocity_limits: whether joints keep to `Figure.max_speeds`; or maximum speeds (rad/s, m/s) by joint or dof.
            Default: they do if the figure has speed limits, as robots have, and the solver is `LeastSquares`.
        free_translations: whether slides below the root may move; otherwise they stay at rest.
        imitation: weights of goals and example, or one number from 0 (hands and head follow their transferred
            positions) to 1 (a copy of the transferred postures), with other weights at their defaults (default: 0.001).
        tracking: work per frame (default: settings for speed).
        solver: the solver (default: `LeastSquares`, by far the fastest).
        progress: called with the number of frames done.
    """
    require_measurable(source, "the motion to retarget")
    require_list(objects, "objects", "HeldObjects")
    for held in objects:
        require(held, HeldObject, "one of the objects", "a HeldObject")
    require_list(goals, "goals", "goals in time, such as pw.goals.follow(...)")
    require(contacts, Contacts | bool, "contacts", "True, False, or Contacts")
    if velocity_limits is not None:
        require(velocity_limits, Mapping | bool, "velocity_limits", "True, False, or speeds by joint")
    if tracking is not None:
        require(tracking, Tracking, "tracking", "a Tracking, such as Tracking(steps=10)")
    if imitation is not None:
        require(imitation, Imitation | Real, "imitation", "an Imitation, or a number from 0 to 1")
    if solver is not None:
        require_solver(solver)
    if len(source) == 0:
        raise InvalidMotion("the motion to retarget has no frames; it needs at least one")
    if solver is not None and tracking is not None:
        raise InvalidSetting("both a solver and its tracking are given; set the tracking of LeastSquares(tracking=...)")
    if isinstance(velocity_limits, Mapping):
        to = with_max_speeds(to, velocity_limits)
    setup = RetargetSetup.between(
        source, to, match, floor=floor, scale=scale, palms=bool(keep_hands or objects)
    )  # fmt: skip
    has_speeds = bool(np.isfinite(setup.figure.max_speeds).any())
    limited = velocity_limits is not False
    if velocity_limits is None:
        limited = has_speeds and isinstance(solver, LeastSquares | None)
    elif limited and not has_speeds:
        raise InvalidSetting(f"figure {to.name!r} has no speed limits; give velocity_limits by joint, in rad/s or m/s")
    found = contacts if isinstance(contacts, Contacts) else None
    if contacts is True:
        settings = ContactSettings(trimmed=True)
        found = setup.source.contacts(SOLE_ENDS, floor=setup.scaling.floor, settings=settings)
    budget = JerkBudget.beside(source, smooth, setup.match)
    carried = _Carried(setup, budget, limited)
    plan = _Plan(setup, found, carried, draw=keep_hands is None and not objects)
    solver = solver or LeastSquares(tracking=tracking or QUICK)
    asked = [held_goal(held, source, setup.match.source, setup.scaling) for held in objects]
    if keep_hands:
        asked += goals_together(source, setup.match, setup.scaling, carried.q)
    while True:
        own, lowered = plan.goals()
        problem = MotionProblem(
            setup.figure,
            [*own, *asked, *goals],
            Motion(setup.figure, lowered, source.fps, source.name, first_frame=source.first_frame),
            imitation=setup.weights(imitation),
            frozen=setup.frozen(free_translations=free_translations),
            velocity_limits=limited,
        )
        result = solver.solve(problem, progress=progress)
        q = result.motion.q
        if not (plan.loosens_contacts(q) or plan.reduces_clearances(q) or plan.lifts_feet(q)):
            break
    result = budget.kept(
        result, solver, lambda *smoothed: [*plan.planted_again(*smoothed), *asked, *goals], plan.is_no_worse
    )
    return RetargetResult(
        motion=replace(
            result.motion, figure=setup.target, q=BallsToHinges(setup.figure, setup.target)(result.motion.q)
        ),
        solved=result,
        source=setup.source,
        match=setup.match,
        contacts=found,
        floor=setup.scaling.floor,
        scale=setup.scaling.factor,
        smoothing=carried.notes,
        seconds=result.seconds,
    )


class _Carried:
    """The source's postures on the target: transferred, without pops, no rougher and no faster than allowed."""

    def __init__(self, setup: RetargetSetup, budget: JerkBudget, limited: bool) -> None:
        self._setup, self._budget, self._limited = setup, budget, limited
        self.take(PoseTransfer(setup.match)(setup.source.q, setup.scaling, setup.source.fps))

    def take(self, transferred: Array) -> None:
        """Carry transferred frames (frames, dofs)."""
        setup, fps = self._setup, self._setup.source.fps
        q = without_pops(setup.match, setup.source.q, transferred, fps)
        q, self.notes = self._budget.smoothed(setup.figure, q, fps)
        if self._limited:
            q = np.array(Motion(setup.figure, q, fps).within_speeds().q)
        self.q: Array = q


class _Plan:
    """The goals of a clip: feet keep their contacts; hands and head follow the transferred posture."""

    def __init__(self, setup: RetargetSetup, found: Contacts | None, carried: _Carried, *, draw: bool) -> None:
        """Prepare for transferred postures; `draw`: bring hands together that hold each other."""
        self._setup, self._fps, self._strict = setup, setup.source.fps, found is not None
        self._step = max(1, int(self._fps / _ENOUGH_FPS))
        self._find = FindKeyPoints(setup.match.target, setup.ends)
        self._feet = Feet.of(setup.match.target, self._fps)
        self._source = FindSourceFeet(setup.match).over(setup.source.q)
        n = len(setup.source)
        resting: BoolArray = np.zeros((n, 4), np.bool_)
        self._found = resting
        if found is not None:
            resting = self._found = np.stack([found.of(name) for name in SOLE_ENDS], axis=1)
            levels = found.levels[[found.sites.index(name) for name in SOLE_ENDS]]
            high = found.floor.heights_of(self._source.hips) > LOW * setup.match.source.segments.leg_length
            resting = resting & high[:, None]
            resting = standing(self._source, found.floor.heights_of(self._source.ends) - levels, resting)
        self._carried = carried
        self._place(carried.q)
        if self._strict and self._points.lowest.min() < SKIN:
            self._lift_above_floor()
        if self._strict:
            points = self._points
            drops = self._feet.paths(self._soles, self._turns, points.toe_tips, points.hips, resting)["drop"]
            resting = within_reach(resting, drops / self._feet.table["leg"], self._fps)
        self._contacted = Contacted(resting, self._fps)
        self._clear, self._reduced = clearances(setup, self._q), False
        self._lift: Array | None = None
        if draw:
            factor = setup.scaling.factor
            self._clear += drawn_together(setup.match, setup.source, setup.ends, factor, self._q)

    def _place(self, q: Array) -> None:
        """Take a posture (frames, dofs)."""
        self._q, self._points = q, self._find.over(q)
        self._soles, self._turns = self._feet.carried(self._source, self._points, self._setup.scaling)

    def _lift_above_floor(self) -> None:
        """Lift a posture that is under the floor: hands and thighs turn, then the whole body rises."""
        ground = Ground(self._setup)
        if ground.turn_up(self._q):
            self._carried.take(ground.transferred())
            self._place(self._carried.q)
        rise = smooth_need(np.maximum(0.0, SKIN - self._points.lowest), self._fps)
        self._place(self._setup.lowered(self._q, -rise))

    def goals(self) -> tuple[list[Timed], Array]:
        """The goals, and the posture with the pelvis low enough to reach them."""
        points, self._resting = self._points, self._contacted.resting
        turns = self._turns
        if self._contacted.levels.any():
            turns = self._feet.headed(turns, self._source.turns, self._contacted.levels)
        theirs = self._setup.scaling(self._source.ends)
        soles, turns = self._feet.sliding(self._soles, turns, points.toe_tips, theirs, self._found & ~self._resting)
        self._paths = self._feet.paths(soles, turns, points.toe_tips, points.hips, self._resting)
        if self._lift is not None:
            self._paths["place"][..., 1] += self._lift
        either = self._resting[:, ::2] | self._resting[:, 1::2]
        rests = np.stack([self._feet.around(either[:, f]) for f in range(2)], axis=1)
        drop = np.where(rests & (self._contacted.levels < SOFT), self._paths["drop"], 0.0)
        drop = smooth_need(drop.max(axis=1), self._fps)
        missing = np.maximum(0.0, drop + SKIN - points.lowest)
        if missing.any():  # what lies on the floor is not lowered into it
            drop = np.maximum(0.0, drop - smooth_need(missing, self._fps))
        lowered = self._setup.lowered(self._q, drop)
        lowered.flags.writeable = False
        places = points.ends + self._clear - drop[:, None, None] * _UP
        names = [self._setup.figure.joint_names[joint] for joint in self._setup.ends]
        active = np.maximum(ENDS, clear_activation(np.linalg.norm(self._clear, axis=-1)))
        ends = [follow(name, places[:, k], activation=active[:, k], priority=2) for k, name in enumerate(names)]
        return [*self._feet_goals(self._paths), *ends], lowered

    def loosens_contacts(self, q: Array) -> bool:
        """Loosen contacts that bend a solved body (frames, dofs) too far or pull it into the floor; whether any did."""
        if not self._resting.any():
            return False
        trunk, legs, sunk = self._departure(q)
        if max(trunk.max(), legs.max(), sunk.max()) <= 1.0:
            return False
        shown = np.arange(len(q)) // self._step
        trunk, legs, sunk = trunk[shown], legs[shown], sunk[shown]
        corrections = sole_corrections(
            self._paths["place"], self._paths["frame"], self._points.soles, self._points.turns
        )
        return self._contacted.loosen(trunk, legs, sunk, corrections)

    def is_no_worse(self, q: Array, than: Array) -> bool:
        """Whether frames (frames, dofs) bend and sink the body hardly further than other frames, or than allowed."""
        bounds = (_HARDLY * max(1.0, measure.max()) for measure in self._departure(than))
        return all(measure.max() <= bound for measure, bound in zip(self._departure(q), bounds, strict=True))

    def _departure(self, q: Array) -> tuple[Array, Array, Array]:
        """How far trunk and legs depart and how deep the body sinks, in every few frames; 1 is the limit."""
        some = slice(None, None, self._step)
        fps, lowest = self._fps / self._step, self._find.over(q[some]).lowest
        return *Departure(self._setup.match.target).between(q[some], self._q[some], fps), -lowest / _SUNK

    def reduces_clearances(self, q: Array) -> bool:
        """Move arms less that turn too far to leave the body in solved frames (frames, dofs), once; whether any did."""
        if self._reduced or not self._clear.any():
            return False
        before, self._reduced = self._clear, True
        self._clear = reduced_clearances(self._setup, before, q, self._q)
        return self._clear is not before

    def lifts_feet(self, q: Array) -> bool:
        """Lift feet of a solved motion (frames, dofs) that limits turn into the floor, once; whether any were."""
        if self._lift is not None or not self._strict:
            return False
        lowest = self._lowest_of_feet(q[:: self._step])
        if lowest.min() > -_SUNK:
            return False
        lowest = self._lowest_of_feet(q)
        rests = self._resting[:, ::2] | self._resting[:, 1::2]
        need = np.where(rests, 0.0, np.maximum(0.0, -lowest))
        self._lift = smooth_need(np.where(need.max(axis=0) > _SUNK, need, 0.0), self._fps)
        return bool(self._lift.any())

    def _lowest_of_feet(self, q: Array) -> Array:
        points = self._find.over(q)
        return self._feet.lowest(points.soles, points.turns, points.toe_tips)

    def planted_again(self, q: Array, roughness: float, settling: bool) -> list[Timed]:
        """The goals of feet that go as smooth frames of the target have them, but keep their contacts (`Plant`)."""
        points = self._find.over(q)
        paths = self._feet.paths(points.soles, points.turns, points.toe_tips, points.hips, self._resting)
        if self._strict:
            paths = self._feet.smoothed(paths, self._resting, roughness, settling=settling)
        return self._feet_goals(paths)

    def _feet_goals(self, paths: Table) -> list[Timed]:
        return self._feet.goals(paths, strict=self._strict, levels=self._contacted.levels, resting=self._resting)
