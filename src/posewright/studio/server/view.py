"""What an editor shows, as the messages that pages get."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Pose
from posewright.figures.capsules import capsule_table
from posewright.figures.joint import Joint
from posewright.figures.kinematics import centre_of_mass, joint_positions
from posewright.figures.vectors import vector
from posewright.goals import GOAL_KINDS, Goal
from posewright.report.scene import PALETTE, TINT_SHARE, TINTS, Rgb, linear_rgb, mixed
from posewright.solvers.registry import SOLVERS
from posewright.studio import protocol
from posewright.studio.exporting.exports import Export
from posewright.studio.files.files import Files
from posewright.studio.files.kinds import SUFFIXES
from posewright.studio.server.clip_view import clip_info, clip_names, joint_numbers
from posewright.studio.session.editor import Editor
from posewright.studio.session.goals.fields import goal_fields
from posewright.studio.session.goals.places import can_move, can_turn, place_of
from posewright.studio.session.names import segment_names
from posewright.studio.session.state import State

BODY = PALETTE["coral"]
_MOST_PARTICLES, _PARTICLE_BYTES = 100, 8_000_000
"""More of a crowd are not seen apart; and what one search may send."""
_AT_LIMIT = 1e-4
"""rad or m, and of the range of a dof: so near it is at its limit."""


def scene(editor: Editor, mesh: str | None = None) -> protocol.Scene:
    """The figure and its body; `mesh` is where its mesh can be fetched."""
    return figure_scene(editor.state.figure, editor.state.floor, mesh=mesh)


def figure_scene(figure: Figure, floor: float, colour: str = BODY, mesh: str | None = None) -> protocol.Scene:
    """A figure and its body in a colour, over a floor (m); `mesh` is where its mesh can be fetched."""
    rows = zip(figure.joints, figure.parents, figure.anatomy.sides, segment_names(figure), strict=True)
    joints = tuple(_joint(figure, joint, parent, side, segment) for joint, parent, side, segment in rows)
    return protocol.Scene(
        figure=figure.name,
        height=figure.height or 1.0,
        floor=floor,
        joints=joints,
        cones=_cones(figure, colour),
        mesh=mesh,
    )


def _joint(figure: Figure, joint: Joint, parent: int, side: str, segment: str) -> protocol.JointInfo:
    where = figure.dof_slice(joint.name)
    rows = zip(figure.dof_names[where], figure.lower[where].tolist(), figure.upper[where].tolist(), strict=True)
    dofs = tuple(
        protocol.DofInfo(
            name=name,
            unit="m" if k < len(joint.slides) else "rad",
            lower=lower if math.isfinite(lower) else None,
            upper=upper if math.isfinite(upper) else None,
        )
        for k, (name, lower, upper) in enumerate(rows)
    )
    rigidity = float(figure.rigidity[where].max(initial=0.0))
    return protocol.JointInfo(name=joint.name, parent=parent, side=side, segment=segment, rigidity=rigidity, dofs=dofs)


def _cones(figure: Figure, colour: str) -> tuple[protocol.ConeInfo, ...]:
    table = capsule_table(figure)
    rows = zip(table.joint.tolist(), table.start, table.end, table.radii.tolist(), strict=True)
    return tuple(
        protocol.ConeInfo(
            joint=joint,
            start=vector(start),
            end=vector(end),
            radii=(radii[0], radii[1]),
            colour=_colour(figure.anatomy.sides[joint], colour),
        )
        for joint, start, end, radii in rows
    )


def _colour(side: str, colour: str) -> str:
    """As in our pictures: limbs of both sides are tinted, one warm, one cool."""
    plain, tint = linear_rgb(colour), TINTS.get(side)
    return hex_colour(plain if tint is None else mixed(plain, tint, TINT_SHARE))


def hex_colour(colour: Rgb) -> str:
    """As pages write it."""
    return "#" + "".join(f"{round(255 * math.sqrt(part)):02x}" for part in colour)  # pictures use gamma 2


def document(editor: Editor) -> protocol.Document:
    """Sites, goals, and what can be undone."""
    state = editor.state
    sites = tuple(
        protocol.SiteInfo(
            name=site.name,
            joint=state.figure.joint_index(site.joint),
            point=site.point,
            made=site.name in state.made_sites,
        )
        for site in state.figure.sites
    )
    return protocol.Document(
        revision=editor.revision,
        title=editor.title,
        sites=sites,
        goals=tuple(_goal(editor, goal) for goal in state.goals),
        undoes=editor.undoes,
        redoes=editor.redoes,
        unsaved=editor.unsaved,
        solver=state.solver,
        solvers=tuple(SOLVERS),
        goal_kinds=tuple(GOAL_KINDS),
        relations=_relations(state),
        dof_values=tuple(editor.q.tolist()),
        dragging=editor.drag is not None,
        poses=tuple(one.name for one in state.poses if one.dofs == state.figure.dof_names),
        copied=editor.copied is not None,
        copied_keys=len(editor.copied_keys),
        clip=clip_info(state),
        clip_names=clip_names(),
    )


def _relations(state: State) -> tuple[protocol.RelationInfo, ...]:
    groups = [
        protocol.RelationInfo(
            name=group.name,
            is_group=True,
            on=group.name in state.groups,
            about=f"{len(group.members)} dofs by {', '.join(group.coordinates)}",
        )
        for group in state.figure.groups
    ]
    constraints = [
        protocol.RelationInfo(
            name=one.name,
            is_group=False,
            on=one.name not in state.released,
            about=" and ".join(dof for dof, _ in one.coefficients),
        )
        for one in state.figure.constraints
    ]
    return (*groups, *constraints)


def _goal(editor: Editor, goal: Goal) -> protocol.GoalInfo:
    judged = editor.judged.get(goal.label)
    return protocol.GoalInfo(
        name=goal.label,
        goal_kind=goal.word(),
        site=getattr(goal, "site", None),
        weight=goal.weight,
        priority=goal.priority,
        enabled=goal.enabled,
        pinned=goal.priority == 1,
        movable=can_move(goal),
        turnable=can_turn(goal),
        fields=goal_fields(goal),
        tolerance=judged.tolerance if judged is not None and math.isfinite(judged.tolerance) else None,
        unit="rad" if judged is not None and judged.unit == "rad" else "m",
        why=judged.why if judged is not None else "",
    )


def files(of: Files, exports: Iterable[Export]) -> protocol.Files:
    """What the session has to do with files."""
    folder = of.folder if of.has_folder else None
    name = None
    if of.project is not None:
        name = str(of.project.path) if folder is None else folder.name_of(of.project.path)
    return protocol.Files(
        folder=None if folder is None else str(folder.path),
        project=name,
        saved_at=of.saved_at,
        names=of.listing(),
        suffixes=SUFFIXES,
        notices=of.notices,
        recoveries=tuple(
            protocol.RecoveryInfo(
                name=one.name, title=str(one.about.get("title", "")), when=one.when, crashed=one.crashed
            )
            for one in of.recoveries
            if not one.saved
        ),
        exports=tuple(protocol.ExportInfo(name=one.name, title=one.title, suffix=one.suffix) for one in exports),
    )


def pose(editor: Editor) -> bytes:
    """The pose shown, as a binary frame."""
    figure, q = editor.state.figure, editor.q
    return protocol.pose_frame(
        editor.revision,
        joint_numbers(figure, q),
        _goal_numbers(editor),
        dragging=editor.drag is not None,
        milliseconds=1000.0 * editor.seconds,
        at_limit=_at_limit(figure, q),
        centre=centre_of_mass(figure, q) if any(joint.mass for joint in figure.joints) else None,
    )


def proposals(editor: Editor, *, running: bool, wanted: int, refusals: tuple[str, ...]) -> protocol.Proposals:
    """What stands beside the work."""
    infos = tuple(
        protocol.ProposalInfo(
            name=one.name,
            errors=tuple(
                protocol.ErrorInfo(
                    goal=goal, error=found.error, unit="rad" if found.unit == "rad" else "m", reached=found.reached
                )
                for goal, found in one.judged.items()
            ),
            milliseconds=1000.0 * one.seconds,
            iterations=one.iterations,
            stopped=one.stopped,
            frames=len(one.path),
            has_particles=one.particles.size > 0,
        )
        for one in editor.proposals
    )
    return protocol.Proposals(running=running, wanted=wanted, proposals=infos, refusals=refusals)


def proposal_poses(editor: Editor, number: int) -> Iterator[bytes]:
    """The path of a proposal and its particles, as binary frames."""
    figure, proposal = editor.state.figure, editor.proposals[number]
    yield protocol.proposal_frame(number, joint_numbers(figure, proposal.path))
    if proposal.particles.size:
        frames = len(proposal.particles)
        most = max(1, min(_MOST_PARTICLES, _PARTICLE_BYTES // (12 * frames * len(figure.joints))))
        shown = proposal.particles[:, :: math.ceil(proposal.particles.shape[1] / most)]
        yield protocol.particle_frame(number, joint_positions(figure, shown))


def _at_limit(figure: Figure, q: Array) -> Array:
    """(joints,): 1 where a dof is at a limit that it could leave"""
    found = np.zeros(len(figure.joints))
    near = _AT_LIMIT * np.minimum(figure.upper - figure.lower, 1.0)
    at = ((q <= figure.lower + near) | (q >= figure.upper - near)) & (figure.lower < figure.upper)
    found[figure.tables.dofs["joint"][at]] = 1.0
    return found


def _goal_numbers(editor: Editor) -> Array:
    goals, judged = editor.goals, editor.judged
    here = Pose(editor.state.figure, editor.q)
    numbers = np.full((len(goals), protocol.GOAL_NUMBERS), np.nan)
    for row, goal in zip(numbers, goals, strict=True):
        place, found = place_of(goal, here), judged.get(goal.label)
        row[:3] = math.nan if place is None else place
        row[4:] = 0.0, -1.0
        if found is not None:
            row[3:] = found.error, found.reached, found.branch
    return numbers
