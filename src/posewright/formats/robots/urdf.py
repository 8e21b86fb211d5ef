"""URDF robots as figures.

A joint of the file is a joint of the figure, under its name and in file order (parents first); its frame is that of
its child link, so masses, shapes and sites of the link need no conversion. The root link is a joint of its own, named
after the link: free for what has legs, else fixed. `mimic` becomes a linear constraint.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from posewright.constraints import LinearConstraint
from posewright.conventions import Array
from posewright.errors import FileProblem, PosewrightError
from posewright.figures import Ball, Figure, Hinge, Joint, Slide, Source, free_slides
from posewright.figures.joint import NO_TURN, Quaternion
from posewright.figures.vectors import clean_axis, vector
from posewright.formats.options import ReadOptions
from posewright.formats.robots.to_figure import (
    WORLD_FROM_ROBOT,
    axes_note,
    dressed,
    has_legs,
    relation,
    site_notes,
    standing,
    world_from_robot,
)
from posewright.formats.robots.urdf_robot import UrdfJoint, UrdfLink, UrdfRobot, read_robot
from posewright.rotations import matrix_from_quaternion, vector_from_quaternion


def read(path: Path, options: ReadOptions) -> Figure:
    """The figure of a file, at rest with all joints at zero (or the nearest limit) and standing on the floor.

    Raises:
        FileProblem: what is wrong, with its line.
    """
    robot = read_robot(path)
    root, joints = _tree(robot)
    base = _base(robot, root, joints, options)
    try:
        return _figure(robot, base, joints if base.floating is None else joints[1:], options)
    except PosewrightError as error:
        raise error if isinstance(error, FileProblem) else FileProblem(path, str(error)) from error


def _tree(robot: UrdfRobot) -> tuple[str, list[UrdfJoint]]:
    """The root link, and the joints with parents before children but otherwise in file order."""
    holder: dict[str, UrdfJoint] = {}
    for joint in robot.joints.values():
        if joint.child in holder:
            other = holder[joint.child].name
            raise joint.element.problem(f"link {joint.child!r} hangs on two joints, {other!r} and {joint.name!r}")
        holder[joint.child] = joint
    roots = [name for name in robot.links if name not in holder]
    if not roots:
        raise robot.element.problem(f"robot {robot.name!r} has no root: its joints form a cycle")
    if len(roots) > 1:
        second = robot.links[roots[1]].element
        raise second.problem(f"links {roots[0]!r} and {roots[1]!r} both hang on no joint; a robot is one tree")
    waiting: dict[str, list[UrdfJoint]] = {}  # by the link that is not placed yet
    placed, ordered = {roots[0]}, list[UrdfJoint]()
    for joint in robot.joints.values():
        if joint.parent not in placed:
            waiting.setdefault(joint.parent, []).append(joint)
            continue
        stack = [joint]
        while stack:
            ready = stack.pop()
            placed.add(ready.child)
            ordered.append(ready)
            stack.extend(reversed(waiting.pop(ready.child, [])))
    if waiting:
        lost = next(iter(waiting.values()))[0]
        raise lost.element.problem(f"joint {lost.name!r} hangs on a cycle of joints, not on the root")
    return roots[0], ordered


@dataclass(frozen=True)
class _Base:
    """The link that the rest hangs on, and how it is held."""

    link: str
    free: bool
    note: str
    floating: UrdfJoint | None = None
    """The file's own joint between an empty world link and the robot, which the free root stands for."""


def _base(robot: UrdfRobot, root: str, joints: list[UrdfJoint], options: ReadOptions) -> _Base:
    on_root = [joint for joint in joints if joint.parent == root]
    if len(on_root) == 1 and on_root[0].kind == "floating" and robot.links[root].mass == 0.0:
        joint = on_root[0]
        return _Base(joint.child, True, f"base: free, by the file's floating joint {joint.name!r}", joint)
    if options.base is not None:
        return _Base(root, options.base == "free", f"base: {options.base}, as given")
    leg = has_legs(joint.name for joint in joints) or has_legs(robot.links)
    if root.casefold() != "world" and leg:
        why = f"because {leg!r} is part of a leg"
        return _Base(root, True, f"base: assumed free, {why} (set base or --base to override)")
    return _Base(root, False, "base: assumed fixed to the world (set base or --base to override)")


def _figure(robot: UrdfRobot, base: _Base, joints: list[UrdfJoint], options: ReadOptions) -> Figure:
    root = _root(robot, base, options.up or "z")
    above = {base.link: root.name} | {joint.child: joint.name for joint in joints}
    built = [_joint(joint, above[joint.parent], robot.links[joint.child]) for joint in joints]
    dofs = {joint.name: f"{joint.name}.{joint.labels[0]}" for joint in built if joint.n_dofs == 1}
    order = tuple(name for name in robot.joints if base.floating is None or name != base.floating.name)
    source = Source(
        format="urdf",
        up=options.up or "z",
        joint_order=() if order == tuple(joint.name for joint in joints) else order,
        notes=(base.note, axes_note(options), *robot.notes),
    )
    figure = Figure(
        name=robot.name,
        joints=(root, *_rest_of_followers(built, joints)),
        constraints=tuple(_constraint(joint, dofs) for joint in joints if joint.mimic is not None),
        source=source,
    )
    links = {root.name: robot.links[base.link].body}
    links |= {joint.name: robot.links[joint.child].body for joint in joints}
    figure = dressed(figure, links)
    if base.free and base.floating is None:
        figure = standing(figure)
    return replace(figure, source=replace(source, notes=(*source.notes, *site_notes(figure, links))))


def _root(robot: UrdfRobot, base: _Base, up: str) -> Joint:
    link = robot.links[base.link]
    place, turn = np.zeros(3), np.zeros(3)
    if base.floating is not None:
        place = world_from_robot(up) @ np.array(base.floating.place)
        turn = vector_from_quaternion(base.floating.turn)
    return Joint(
        name=base.link if base.link not in robot.joints else f"{base.link}_link",
        rest=WORLD_FROM_ROBOT[up],
        slides=free_slides(place.tolist()) if base.free else (),
        rotation=Ball(rest=vector(turn)) if base.free else (),
        mass=link.mass,
        centre=link.centre,
    )


def _joint(joint: UrdfJoint, parent: str, link: UrdfLink) -> Joint:
    """A joint of the figure; slides run along the joint's axes, seen from the parent."""
    slides: tuple[Slide, ...] = ()
    rotation: tuple[Hinge, ...] | Ball = ()
    turn = matrix_from_quaternion(joint.turn)
    lower, upper, speed, rest = joint.lower, joint.upper, joint.max_speed, min(max(0.0, joint.lower), joint.upper)
    if joint.kind == "prismatic":
        along = clean_axis(turn @ np.array(joint.axis))
        slides = (Slide(axis=along, label="t", lower=lower, upper=upper, rest=rest, max_speed=speed),)
    elif joint.kind in ("revolute", "continuous"):
        rotation = (Hinge(axis=joint.axis, lower=lower, upper=upper, rest=rest, max_speed=speed),)
    elif joint.kind == "floating":
        axes = zip("xyz", turn.T, strict=True)
        slides = tuple(Slide(axis=clean_axis(axis), label=f"t{letter}") for letter, axis in axes)
        rotation = Ball()
    return Joint(
        name=joint.name,
        parent=parent,
        offset=joint.place,
        rest=_quaternion(joint.turn),
        slides=slides,
        rotation=rotation,
        mass=link.mass,
        centre=link.centre,
    )


def _rest_of_followers(built: list[Joint], joints: list[UrdfJoint]) -> list[Joint]:
    """Joints that mimic rest where their leader's rest puts them, as far as their limits allow."""
    rests = {joint.name: joint.bounds[0][2] for joint in built if joint.n_dofs == 1}
    for _ in joints:  # a follower may lead another
        before = dict(rests)
        for joint in joints:
            if joint.mimic is not None:
                value = joint.mimic.multiplier * rests[joint.mimic.leader] + joint.mimic.offset
                rests[joint.name] = min(max(value, joint.lower), joint.upper)
        if rests == before:
            break
    return [_at_rest(joint, rests[joint.name]) if joint.n_dofs == 1 else joint for joint in built]


def _at_rest(joint: Joint, rest: float) -> Joint:
    if joint.slides:
        return replace(joint, slides=(replace(joint.slides[0], rest=rest),))
    return replace(joint, rotation=(replace(joint.hinges[0], rest=rest),))


def _constraint(joint: UrdfJoint, dofs: dict[str, str]) -> LinearConstraint:
    mimic = joint.mimic
    assert mimic is not None
    name = f"{joint.name} mimics {mimic.leader}"
    return relation(name, dofs[joint.name], dofs[mimic.leader], mimic.multiplier, mimic.offset)


def _quaternion(turn: Array) -> Quaternion:
    w, x, y, z = turn.tolist()
    return NO_TURN if (w, x, y, z) == NO_TURN else (w, x, y, z)
