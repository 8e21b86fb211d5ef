"""URDF robots as figures.

A joint of the file is a joint of the figure, under its name and in file order (parents first); its frame is that of
its child link, so masses, shapes and sites of the link need no conversion. The root link is a joint of its own, named
after the link: free for what has legs, else fixed. `mimic` becomes a linear constraint.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from posewright.constraints import LinearConstraint
from posewright.conventions import Array
from posewright.errors import suggestion
from posewright.figures import Ball, Body, Figure, Hinge, Joint, Slide, Source, free_slides
from posewright.figures.joint import NO_TURN, ORIGIN, Quaternion, Vector, X
from posewright.figures.vectors import clean_axis, vector
from posewright.formats.budget import MOST_JOINTS, Budget
from posewright.formats.options import ReadOptions
from posewright.formats.robots.body import Box, Link, inertia_box
from posewright.formats.robots.to_figure import (
    WORLD_FROM_ROBOT,
    axes_note,
    dressed,
    has_legs,
    relation,
    standing,
    world_from_robot,
)
from posewright.formats.robots.xml_elements import Element, read_xml
from posewright.rotations import matrix_from_quaternion, vector_from_quaternion

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating")
_SHORTEST_AXIS = 1e-9


class _Part(NamedTuple):
    """A link."""

    mass: float
    """kg"""
    centre: Vector
    """m, in the link's frame"""
    body: Link


class _Mimic(NamedTuple):
    """`this = multiplier · leader + offset`."""

    leader: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class _UrdfJoint:
    """The joint between a link and its parent."""

    element: Element
    name: str
    kind: str
    parent: str
    child: str
    limits: tuple[float, float, float]
    """Lower and upper limit (rad or m), and maximum speed per second; infinite if not stated."""
    mimic: _Mimic | None


@dataclass(frozen=True)
class _Base:
    """The root link, and how it is attached."""

    link: str
    free: bool
    note: str
    floating: _UrdfJoint | None = None
    """The file's own joint between an empty world link and the robot, which the free root replaces."""


def read(path: Path, options: ReadOptions) -> Figure:
    """The figure of a file, at rest with all joints at zero (or the nearest limit) and standing on the floor.

    Raises:
        FileProblem: what is wrong, with its line.
    """
    root = read_xml(path, '<robot name="...">')
    if root.tag != "robot":
        hint = "; MJCF files end with .xml" if root.tag == "mujoco" else ""
        raise root.problem(f"is not a URDF file: its root element is <{root.tag[:40]}>, not <robot>{hint}")
    for element in root.walk():
        if element.tag.startswith("xacro:"):
            raise element.problem(f"<{element.tag[:40]}>: this is a xacro file; expand it with `xacro` first")
    name = root.attributes.get("name", "").strip() or path.stem
    links, notes = _by_name(root, "link"), list[str]()
    parts = {link: _part(element, link) for link, element in links.items()}
    joints = {joint: _joint(element, joint, links, notes) for joint, element in _by_name(root, "joint").items()}
    if not links:
        raise root.problem(f"robot {name!r} has no links")
    _check_mimics(joints)
    top, ordered = _tree(root, name, links, joints)
    base = _base(parts, top, ordered, options)
    if base.floating is not None:
        del joints[base.floating.name]
    return _figure(name, parts, joints, ordered[base.floating is not None :], base, notes, options)


def _by_name(root: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in root.all(tag):
        name = element.text("name")
        if name in found:
            raise element.problem(f"there are two {tag}s called {name!r}")
        found[name] = element
    Budget(root.path, 0).require_items(len(found), f"{tag}s", MOST_JOINTS)
    return found


def _part(element: Element, name: str) -> _Part:
    mass, centre, guess = 0.0, ORIGIN, None
    if (inertial := element.first("inertial")) is not None:
        centre, turn = _origin(inertial)
        weight = inertial.need("mass")
        mass = weight.one("value", 0.0)
        if mass < 0.0:
            raise weight.problem(f"link {name!r}: mass is {mass:g} kg; it must not be negative")
        if (moments := inertial.first("inertia")) is not None:
            xx, yy, zz, xy, xz, yz = (moments.one(k, 0.0) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
            axes = matrix_from_quaternion(turn)
            tensor = axes @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes.T
            guess = inertia_box(mass, np.array(centre), tensor)
    boxes: list[Box] = []
    for tag in ("collision", "visual"):  # what collides, or else what is seen
        boxes = boxes or [box for shape in element.all(tag) if (box := _box(shape)) is not None]
    return _Part(mass, centre, Link(name, tuple(boxes) or ((guess,) if guess else ()), measured=bool(boxes)))


def _box(element: Element) -> Box | None:
    """The box around the primitive of a <collision> or <visual>; None for a mesh, which is in another file."""
    geometry = element.first("geometry")
    place, turn = _origin(element)
    for shape in geometry.children if geometry is not None else ():
        if shape.tag == "box":
            half = 0.5 * np.array(shape.three("size", ORIGIN))
        elif shape.tag in ("sphere", "cylinder", "capsule"):
            radius = shape.one("radius", 0.0)
            length = 0.0 if shape.tag == "sphere" else shape.one("length", 0.0)
            half = np.array([radius, radius, 0.5 * length + (0.0 if shape.tag == "cylinder" else radius)])
        else:
            continue
        if half.min() < 0.0:
            raise shape.problem(f"<{shape.tag}> has a negative size")
        return Box(np.array(place), matrix_from_quaternion(turn), half)
    return None


def _joint(element: Element, name: str, links: Mapping[str, Element], notes: list[str]) -> _UrdfJoint:
    kind = element.one_of("type", JOINT_TYPES)
    ends = []
    for end in (element.need("parent"), element.need("child")):
        ends.append(end.text("link"))
        if ends[-1] not in links:
            raise end.problem(f"joint {name!r}: there is no link {ends[-1][:60]!r}{suggestion(ends[-1], links)}")
    mimic = None
    if (follows := element.first("mimic")) is not None:
        mimic = _Mimic(follows.text("joint"), follows.one("multiplier", 1.0), follows.one("offset", 0.0))
        if mimic.leader == name:
            raise follows.problem(f"joint {name!r} mimics itself")
    return _UrdfJoint(element, name, kind, ends[0], ends[1], _limits(element, name, kind, notes), mimic)


def _origin(element: Element) -> tuple[Vector, Array]:
    """Position (m) and rotation (wxyz) of an <origin>: roll, pitch and yaw about fixed axes."""
    origin = element.first("origin")
    if origin is None:
        return ORIGIN, np.array(NO_TURN)
    halves = [0.5 * math.remainder(angle, 2.0 * math.tau) for angle in origin.three("rpy", ORIGIN)]
    (cx, cy, cz), (sx, sy, sz) = map(math.cos, halves), map(math.sin, halves)
    turn = (
        cx * cy * cz + sx * sy * sz,
        sx * cy * cz - cx * sy * sz,
        cx * sy * cz + sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
    )
    return origin.three("xyz", ORIGIN), np.array(turn)


def _axis(joint: _UrdfJoint) -> Vector:
    axis = joint.element.first("axis")
    x, y, z = X if axis is None else axis.three("xyz", X)
    length = math.hypot(x, y, z)
    if axis is not None and not _SHORTEST_AXIS < length < math.inf:
        raise axis.problem(f"joint {joint.name!r}: axis {x:g} {y:g} {z:g} has no direction")
    return (x, y, z) if length == 1.0 else (x / length, y / length, z / length)


def _limits(element: Element, name: str, kind: str, notes: list[str]) -> tuple[float, float, float]:
    limit = element.first("limit")
    if kind in ("fixed", "floating"):
        return -math.inf, math.inf, math.inf
    if limit is None:
        if kind != "continuous":
            notes.append(f"joint {name!r} has no <limit>, which a {kind} joint should; it moves freely")
        return -math.inf, math.inf, math.inf
    speed = limit.one("velocity", 0.0)
    speed = speed if speed > 0.0 else math.inf  # 0 is what exporters write when they do not know
    if kind == "continuous":
        return -math.inf, math.inf, speed
    lower, upper = limit.one("lower", 0.0), limit.one("upper", 0.0)
    if lower > upper:
        raise limit.problem(f"joint {name!r}: limits run from {lower:g} to {upper:g}; lower must not exceed upper")
    return lower, upper, speed


def _check_mimics(joints: Mapping[str, _UrdfJoint]) -> None:
    moving = [joint.name for joint in joints.values() if joint.kind in ("revolute", "continuous", "prismatic")]
    for joint in joints.values():
        for name in (joint.name, joint.mimic.leader) if joint.mimic else ():
            if name not in moving:
                why = "does not move" if name in joints else f"does not exist{suggestion(name, moving)}"
                raise joint.element.problem(f"joint {joint.name!r} mimics, but joint {name[:60]!r} {why}")


def _tree(
    root: Element, robot: str, links: Mapping[str, Element], joints: Mapping[str, _UrdfJoint]
) -> tuple[str, list[_UrdfJoint]]:
    """The root link, and the joints in file order, but with parents before children."""
    holder: dict[str, _UrdfJoint] = {}
    for joint in joints.values():
        if joint.child in holder:
            other = holder[joint.child].name
            raise joint.element.problem(
                f"link {joint.child!r} is the child of two joints, {other!r} and {joint.name!r}"
            )
        holder[joint.child] = joint
    roots = [name for name in links if name not in holder]
    if not roots:
        raise root.problem(f"robot {robot!r} has no root: its joints form a cycle")
    if len(roots) > 1:
        problem = f"links {roots[0]!r} and {roots[1]!r} both have no parent joint; a robot must be one tree"
        raise links[roots[1]].problem(problem)
    waiting: dict[str, list[_UrdfJoint]] = {}  # by the link that is not placed yet
    placed, ordered = {roots[0]}, list[_UrdfJoint]()
    for joint in joints.values():
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
        raise lost.element.problem(f"joint {lost.name!r} is in a cycle of joints, not connected to the root")
    return roots[0], ordered


def _base(parts: Mapping[str, _Part], root: str, joints: list[_UrdfJoint], options: ReadOptions) -> _Base:
    on_root = [joint for joint in joints if joint.parent == root]
    if len(on_root) == 1 and on_root[0].kind == "floating" and parts[root].mass == 0.0:
        joint = on_root[0]
        return _Base(joint.child, True, f"base: free, by the file's floating joint {joint.name!r}", joint)
    if options.base is not None:
        return _Base(root, options.base == "free", f"base: {options.base}, as given")
    leg = has_legs(joint.name for joint in joints) or has_legs(parts)
    if root.casefold() != "world" and leg:
        why = f"because {leg!r} is part of a leg"
        return _Base(root, True, f"base: assumed free, {why} (set base or --base to override)")
    return _Base(root, False, "base: assumed fixed to the world (set base or --base to override)")


def _figure(
    name: str,
    parts: Mapping[str, _Part],
    joints: Mapping[str, _UrdfJoint],
    ordered: list[_UrdfJoint],
    base: _Base,
    notes: list[str],
    options: ReadOptions,
) -> Figure:
    root = _root(parts[base.link], base, options.up or "z", joints)
    above = {base.link: root.name} | {joint.child: joint.name for joint in ordered}
    built = [_figure_joint(joint, above[joint.parent], parts[joint.child]) for joint in ordered]
    dofs = {joint.name: f"{joint.name}.{joint.labels[0]}" for joint in built if joint.n_dofs == 1}
    source = Source(
        format="urdf",
        up=options.up or "z",
        joint_order=() if [*joints] == [joint.name for joint in ordered] else tuple(joints),
        bodies=tuple(Body(name=link, joint=joint) for link, joint in above.items()),
        notes=(base.note, axes_note(options), *notes),
    )
    figure = Figure(
        name=name,
        joints=(root, *_rest_of_followers(built, ordered)),
        constraints=tuple(_constraint(joint.name, joint.mimic, dofs) for joint in ordered if joint.mimic),
        source=source,
    )
    links = {root.name: parts[base.link].body} | {joint.name: parts[joint.child].body for joint in ordered}
    figure = dressed(figure, links)
    return standing(figure) if base.free and base.floating is None else figure


def _root(part: _Part, base: _Base, up: str, taken: Container[str]) -> Joint:
    place, turn = _origin(base.floating.element) if base.floating else (ORIGIN, np.array(NO_TURN))
    return Joint(
        name=base.link if base.link not in taken else f"{base.link}_link",
        rest=WORLD_FROM_ROBOT[up],
        slides=free_slides((world_from_robot(up) @ np.array(place)).tolist()) if base.free else (),
        rotation=Ball(rest=vector(vector_from_quaternion(turn))) if base.free else (),
        mass=part.mass,
        centre=part.centre,
    )


def _figure_joint(joint: _UrdfJoint, parent: str, part: _Part) -> Joint:
    """A joint of the figure; slides move along the joint's axes in the parent's frame."""
    slides: tuple[Slide, ...] = ()
    rotation: tuple[Hinge, ...] | Ball = ()
    place, turn = _origin(joint.element)
    axes = matrix_from_quaternion(turn)
    lower, upper, speed = joint.limits
    rest = min(max(0.0, lower), upper)
    if joint.kind == "prismatic":
        along = clean_axis(axes @ np.array(_axis(joint)))
        slides = (Slide(axis=along, label="t", lower=lower, upper=upper, rest=rest, max_speed=speed),)
    elif joint.kind in ("revolute", "continuous"):
        rotation = (Hinge(axis=_axis(joint), lower=lower, upper=upper, rest=rest, max_speed=speed),)
    elif joint.kind == "floating":
        slides = tuple(Slide(axis=clean_axis(a), label=f"t{k}") for k, a in zip("xyz", axes.T, strict=True))
        rotation = Ball()
    w, x, y, z = turn.tolist()
    own: Quaternion = (w, x, y, z)
    return Joint(
        name=joint.name,
        parent=parent,
        offset=place,
        rest=own,
        slides=slides,
        rotation=rotation,
        mass=part.mass,
        centre=part.centre,
    )


def _rest_of_followers(built: list[Joint], joints: list[_UrdfJoint]) -> list[Joint]:
    """The joints, with each mimic joint resting where the rest of its leader puts it, within its limits."""
    rests = {joint.name: joint.bounds[0][2] for joint in built if joint.n_dofs == 1}
    waiting = {joint.name: joint for joint in joints if joint.mimic is not None}
    while waiting:  # a follower may lead another, whose rest is then known first; followers in a circle begin anywhere
        led = [waiting.pop(next(iter(waiting)))]
        while led[-1].mimic is not None and led[-1].mimic.leader in waiting:
            led.append(waiting.pop(led[-1].mimic.leader))
        for joint in reversed(led):
            if joint.mimic is not None:
                value = joint.mimic.multiplier * rests[joint.mimic.leader] + joint.mimic.offset
                rests[joint.name] = min(max(value, joint.limits[0]), joint.limits[1])
    return [_at_rest(joint, rests[joint.name]) if joint.n_dofs == 1 else joint for joint in built]


def _at_rest(joint: Joint, rest: float) -> Joint:
    if joint.slides:
        return replace(joint, slides=(replace(joint.slides[0], rest=rest),))
    return replace(joint, rotation=(replace(joint.hinges[0], rest=rest),))


def _constraint(name: str, mimic: _Mimic, dofs: Mapping[str, str]) -> LinearConstraint:
    words = f"{name} mimics {mimic.leader}"
    return relation(words, dofs[name], dofs[mimic.leader], mimic.multiplier, mimic.offset)
