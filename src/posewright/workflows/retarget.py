"""A motion on another figure: postures carried over, feet planted where the source's stand, limits held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figure import Figure
from posewright.figure.balls import with_balls
from posewright.matching import Body, JointMatch, sole_sites, standing, tracks, transfer, with_soles
from posewright.matching.anatomy import Anatomy
from posewright.matching.parts import SIDES
from posewright.matching.soles import floor_under
from posewright.matching.tracks import SiteTrack
from posewright.motion import Motion
from posewright.motion.contacts import Contacts, contacts as find_contacts
from posewright.motion.converting import converted
from posewright.motion.floor import Floor
from posewright.problem import Guidance, MotionProblem, MotionResult, Track
from posewright.solvers import LeastSquares, Tracking, refined, solve_motion
from posewright.solvers.over_time import Progress
from posewright.workflows.footprints import FootShape, FootWay, faded, planted

QUICK = Tracking(gain=1e-4)
"""How much work a frame is worth unless told."""
GUIDANCE = Guidance(example=1e-3)
SOLE_RADIUS = 0.1
"""m that one radian of a sole counts as."""
_EASE = 0.1
"""s, over which a contact grows from a wish to a must."""
_SWING = 0.5
"""Activation of a foot in the air: as heavy as other tracks."""


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


def retarget(
    source: Motion,
    target: Figure,
    match: JointMatch | None = None,
    *,
    contacts: Contacts | bool = True,
    floor: Floor | float | None = None,
    scale: float | None = None,
    refine: bool = False,
    guidance: Guidance | None = None,
    tracking: Tracking | None = None,
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
        refine: smooth the result as a whole; costs several solves.
        guidance: weights; None: chosen for retargeting.
        tracking: work per frame; None: quick.
        progress: called with the number of frames that are done.
    """
    if len(source) == 0:
        raise InvalidMotion("the motion to retarget has no frames; it needs at least one")
    match = match or JointMatch.between(source.figure, target)
    figure = with_soles(target, match.target)
    solved_figure = with_balls(figure)
    match = replace(match, target=replace(match.target, figure=solved_figure))
    ours = Anatomy(replace(match.source, figure=standing(source, match.source)))
    tread = replace(source, figure=with_soles(ours.figure, ours.body))
    ground = floor if isinstance(floor, Floor) else Floor(floor) if floor is not None else floor_under(source, ours)
    found = contacts if isinstance(contacts, Contacts) else None
    if contacts is True:
        found = find_contacts(tread, sole_sites(tread.figure), floor=ground)
    example = transfer(source, solved_figure, match, floor=ground, scale=scale)
    ways = tracks(source, example, match, floor=ground, scale=scale)
    problem = MotionProblem(
        solved_figure,
        wanted(ways, found, solved_figure, source.fps),
        example,
        guidance=guidance or GUIDANCE,
        frozen=lower_slides(solved_figure, match.target),
    )
    solver = LeastSquares(tracking=tracking or QUICK)
    result = solve_motion(problem, solver, progress=progress)
    if refine:
        result = refined(result, solver)
    motion = converted(result.motion, figure)
    notes = (*example.notes, *result.warnings)
    return RetargetResult(motion, result, tread, match, found, ground, notes)


def lower_slides(figure: Figure, body: Body) -> tuple[str, ...]:
    """Dofs that slide below the root: they stay at rest."""
    carrying = set(range(body.last("pelvis") + 1))
    return tuple(
        figure.dof_names[dof]
        for index, joint in enumerate(figure.joints)
        if index not in carrying
        for dof in range(figure.dof_slice(index).start, figure.dof_slice(index).start + len(joint.slides))
    )


def wanted(ways: tuple[SiteTrack, ...], found: Contacts | None, figure: Figure, fps: float) -> list[Track]:
    """Tracks of a retargeting: feet first where they rest, and second, like hands and head, where they do not."""
    goals: list[Track] = []
    for way in ways:
        side, _, end = way.site.partition("_")
        if end == "sole" and side in SIDES:
            goals += _foot(way, side, found, figure, fps)
        else:
            goals.append(Track(way.site, way.points, weight=0.1, priority=2))
    return goals


def _foot(way: SiteTrack, side: str, found: Contacts | None, figure: Figure, fps: float) -> list[Track]:
    assert way.x is not None and way.y is not None
    if found is None:
        return [Track(way.site, way.points, way.x, way.y, radius=SOLE_RADIUS, priority=2)]
    heel, toes = found.of(f"{side}_heel"), found.of(f"{side}_toe_tip")
    shape = FootShape.of(figure, side)
    plan = planted(way.points, way.x, way.y, heel, toes, shape, fps)
    resting = heel | toes
    grown = _SWING + (1.0 - _SWING) * faded(resting[:, None].astype(np.float64), resting, _EASE * fps)[:, 0]
    goals = [
        Track(way.site, plan.points, plan.x, plan.y, activation=np.clip(grown, 0.0, 1.0), radius=SOLE_RADIUS, priority=1)
    ]
    if shape.has_toes:
        share = faded(toes[:, None].astype(np.float64), toes, _EASE * fps)[:, 0]
        x, y = plan.toes[:, :, 0].copy(), plan.toes[:, :, 1].copy()
        activation = np.clip(share, 0.0, 1.0)
        goals.append(Track(f"{side}_toe_tip", None, x, y, activation=activation, radius=SOLE_RADIUS, priority=2))
    return goals
