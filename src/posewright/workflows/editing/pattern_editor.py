"""Key frames inside a learned pattern (Carvalho, Boulic & Thalmann 2009): one set of coordinates for the whole motion.

Only the poses at the key frames are solved for; they share their coordinates with all others, so the motion stays of
one piece. Steps are of least length in standard deviations, so what is far from usual changes last.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from posewright.checks import require, require_number
from posewright.conventions import Array
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures.kinematics import site_frames
from posewright.goals import Goal, Position
from posewright.goals.term import SiteTerm
from posewright.goals.timed import Timed
from posewright.models.latent import Latent
from posewright.models.motion_model import MotionModel, require_model
from posewright.motions.motion import Motion, require_motion
from posewright.problem import Problem, Space
from posewright.problem.lowering import LoweredProblem, lower
from posewright.problem.stopping import N_INFO
from posewright.solvers.prioritized import Prioritized, PrioritizedPrepared
from posewright.workflows.editing.checking import checked
from posewright.workflows.editing.key_errors import errors_of_goals
from posewright.workflows.editing.result import EditResult

PATTERN_SOLVER = Prioritized(max_step=2.0, max_iterations=100, attraction=0.1, settle=False)
"""Steps of at most two standard deviations; below all goals, a tenth of the way back to the source in each."""
OUTSIDE = 3.0
"""Standard deviations from the mean motion beyond which an edit is called outside the pattern."""
_STILL = 1e-6
"""m or rad per standard deviation: a site that moves less does not move."""
_ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class _Ready:
    """Keys prepared; other points for the same sites at the same frames need no preparation."""

    structure: tuple[tuple[int, Goal], ...]
    goals: tuple[Goal, ...]
    space: Space
    solver: PrioritizedPrepared


class PatternEditor:
    """A motion ready to be dragged by its key frames: what does not depend on where they are dragged is done once."""

    def __init__(
        self,
        model: MotionModel,
        motion: Motion,
        *,
        keep_detail: bool = True,
        limits: bool = False,
        farthest: float | None = None,
        events: npt.ArrayLike | Literal["flight"] | None = None,
        solver: Prioritized = PATTERN_SOLVER,
    ) -> None:
        """See `edit`.

        Raises:
            InvalidMotion: no frames, or a figure that is not the model's.
            InvalidSetting: `farthest` is not positive.
        """
        require_model(model)
        require_motion(motion)
        require(solver, Prioritized, "the solver of an edit", "a Prioritized, such as Prioritized(max_iterations=200)")
        if farthest is not None:
            require_number(farthest, "farthest", "a positive number of standard deviations")
        if farthest is not None and not farthest > 0.0:
            raise InvalidSetting(f"farthest is {farthest}; it must be a positive number of standard deviations")
        if not len(motion):
            raise InvalidMotion("the motion has no frames, so there is nothing to edit")
        self.model, self.motion = model, motion
        source = model.encode(motion, events=events)
        self.source = source if keep_detail else replace(source, detail=None)
        """The motion in the words of the model."""
        self._limits, self._farthest, self._solver = limits, farthest, solver
        self._ready: _Ready | None = None

    def edit(self, keys: Sequence[Timed], *, beside: Sequence[Timed] = ()) -> EditResult:
        """The motion changed as a whole so that the keys are met.

        Args:
            keys: what is asked.
            beside: what is served with them and not reported.
        """
        began = time.perf_counter()
        asked = sum(key.goal.enabled for key in keys)
        own = checked(self.motion, [*keys, *beside], whole=False)
        if not asked:
            plain = self.motion if self.source.detail is not None else self.model.decode(self.source)
            return EditResult(plain, self.source, (), 0, 0, time.perf_counter() - began)
        ready = self._prepared(own)
        lowered = ready.solver.lowered
        targets = np.array(lowered.targets)
        for key in own:
            if isinstance(key.goal, Position) and not isinstance(key.goal.target, str):
                targets[lowered.rows[key.goal.name], :3] = key.goal.target
        targets = self.source.placement.seen_from(targets)  # the pattern stays at the origin, the world comes to it
        start = lowered.region.projected(self.source.x)[np.newaxis]
        x, errors, info = np.empty(start.shape), np.empty((1, len(lowered.terms))), np.empty((1, N_INFO))
        nowhere = np.zeros((1, ready.space.figure.n_dofs))
        ready.solver.run(start, targets[np.newaxis], nowhere, x, errors, info)
        latent = replace(self.source, x=x[0])
        motion = self.model.decode(latent, name=self.motion.name)
        found = errors_of_goals(lowered, ready.goals[:asked], errors, np.ones((asked, 1), dtype=np.bool_))
        missed = {error.label for error in found if not error.reached}
        warnings = [
            f"uncontrollable: nothing in the pattern moves {goal.label!r}"
            for goal in ready.goals[:asked]
            if goal.label in missed and not _moves(ready.space, goal, start[0])
        ]
        return EditResult(
            motion=motion,
            latent=latent,
            errors=found,
            iterations=int(info[0, 0]),
            solves=1,
            seconds=time.perf_counter() - began,
            warnings=(*warnings, *outside_the_pattern(latent, self.source)),
        )

    def _prepared(self, keys: Sequence[Timed]) -> _Ready:
        structure = tuple((key.range(len(self.motion))[0], _anywhere(key.goal)) for key in keys)
        if self._ready is not None and self._ready.structure == structure:
            return self._ready
        model, source = self.model, self.source
        if not model.n_modes:
            raise InvalidSetting(
                "the model has no modes (one clip, or copies of one): it can only replay, not be edited"
            )
        order = sorted(range(len(structure)), key=lambda k: structure[k][0])
        moments = sorted({frame for frame, _ in structure})
        detail = None if source.detail is None else source.detail[moments]
        space = model.space(source.phases[moments].tolist(), detail=detail, limits=self._limits)
        goals = [goal for _, goal in structure]
        frames = [moments.index(structure[k][0]) for k in order]
        lowered = lower(Problem(space, [goals[k] for k in order]), frames)
        if self._farthest is not None:
            lowered = within(lowered, source.x, self._farthest)
        solver = PrioritizedPrepared(self._solver, lowered, home=source.x)
        self._ready = _Ready(structure, tuple(goals), space, solver)
        return self._ready


def within(lowered: LoweredProblem, x: Array, farthest: float) -> LoweredProblem:
    """The same problem with every mode at most so many standard deviations from the mean, or as far as in x."""
    bound = np.maximum(farthest, np.abs(np.atleast_2d(x)).max(axis=0))
    region = lowered.region
    lower, upper = np.maximum(region.lower, -bound), np.minimum(region.upper, bound)
    return replace(lowered, region=replace(region, lower=lower, upper=upper))


def outside_the_pattern(latent: Latent, source: Latent) -> list[str]:
    """A sentence if coordinates are far from the mean motion, and farther than the source is."""
    far = latent.distance
    if far <= OUTSIDE or far <= source.distance:
        return []
    return [
        f"outside the pattern: {far:.1f} standard deviations from the mean motion "
        f"(the source is at {source.distance:.1f})"
    ]


def _anywhere(goal: Goal) -> Goal:
    """A goal about a point in the world without the point."""
    if isinstance(goal, Position) and not isinstance(goal.target, str):
        return replace(goal, target=_ORIGIN)
    return goal


def _moves(space: Space, goal: Goal, x: Array) -> bool:
    """Whether one standard deviation of some mode moves or turns a site of a goal in some frame."""
    terms = [term for term in goal.terms(space.figure) if isinstance(term, SiteTerm)]
    names = [term.site for term in terms if term.site is not None]
    if len(names) < len(terms) or not terms:  # the centre of mass
        return True
    q = space.decode(x + np.concatenate([np.zeros((1, len(x))), np.eye(len(x))]))
    frames = site_frames(space.figure, q, names)
    moved = np.abs(frames.points[1:] - frames.points[:1]).max(initial=0.0)
    turned = np.abs(frames.x_axes[1:] - frames.x_axes[:1]).max(initial=0.0)
    return bool(moved > _STILL or (any(term.unit == "rad" for term in terms) and turned > _STILL))
