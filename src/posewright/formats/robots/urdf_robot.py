"""The text of a URDF file as links and joints, checked: every mistake is one sentence with its line."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import suggestion
from posewright.figures.joint import ORIGIN, Vector
from posewright.formats.robots.body import Box, Link, inertia_box
from posewright.formats.robots.xml_elements import Element, read_xml
from posewright.rotations import matrix_from_quaternion, quaternion_multiply

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating")
_SHORTEST_AXIS = 1e-9


@dataclass(frozen=True, eq=False)
class UrdfLink:
    """A rigid part."""

    element: Element
    mass: float
    """kg"""
    centre: Vector
    """m, in the link's frame"""
    body: Link


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """What holds a link to its parent."""

    element: Element
    name: str
    kind: str
    parent: str
    child: str
    place: Vector
    """m, in the parent link's frame"""
    turn: Array
    """(4,): wxyz"""
    axis: Vector
    """Unit, in the joint's frame"""
    lower: float
    """rad or m"""
    upper: float
    max_speed: float
    """rad/s or m/s"""
    mimic: Mimic | None


@dataclass(frozen=True)
class Mimic:
    """`this = multiplier · leader + offset`."""

    leader: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class UrdfRobot:
    """A file's links and joints by name, in file order."""

    element: Element
    name: str
    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]
    notes: list[str] = field(default_factory=list)


def read_robot(path: Path) -> UrdfRobot:
    """The robot of a file.

    Raises:
        FileProblem: no XML, no robot, or an element that contradicts itself or others.
    """
    root = read_xml(path, '<robot name="...">')
    if root.tag != "robot":
        hint = "; MJCF files end with .xml" if root.tag == "mujoco" else ""
        raise root.problem(f"is no URDF: its root element is <{root.tag[:40]}>, not <robot>{hint}")
    for element in _all_elements(root):
        if element.tag.startswith("xacro:"):
            raise element.problem(f"<{element.tag[:40]}>: this is a xacro file; expand it with `xacro` first")
    robot = UrdfRobot(root, root.attributes.get("name", "").strip() or path.stem, {}, {})
    for element in root.all("link"):
        name = element.text("name")
        if name in robot.links:
            raise element.problem(f"there are two links called {name!r}")
        robot.links[name] = _link(element, name)
    for element in root.all("joint"):
        name = element.text("name")
        if name in robot.joints:
            raise element.problem(f"there are two joints called {name!r}")
        robot.joints[name] = _joint(element, name, robot)
    if not robot.links:
        raise root.problem(f"robot {robot.name!r} has no links")
    _check_mimics(robot)
    return robot


def _link(element: Element, name: str) -> UrdfLink:
    inertial = element.first("inertial")
    mass, centre, guess = 0.0, ORIGIN, None
    if inertial is not None:
        place, turn = _origin(inertial)
        weight = inertial.need("mass")
        mass = weight.one("value", 0.0)
        if mass < 0.0:
            raise weight.problem(f"link {name!r}: mass is {mass:g} kg; it must not be negative")
        centre = place
        tensor = inertial.first("inertia")
        if tensor is not None:
            guess = _guessed_box(mass, np.array(place), matrix_from_quaternion(turn), tensor)
    boxes = _geometry(element)
    body = Link(name, boxes or ((guess,) if guess else ()), measured=bool(boxes))
    return UrdfLink(element, mass, centre, body)


def _guessed_box(mass: float, centre: Array, turn: Array, element: Element) -> Box | None:
    xx, yy, zz, xy, xz, yz = (element.one(name, 0.0) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return inertia_box(mass, centre, turn @ tensor @ turn.T)


def _geometry(link: Element) -> tuple[Box, ...]:
    """Boxes around the primitive shapes of a link: its collision shapes or else what is seen of it."""
    for tag in ("collision", "visual"):
        boxes = [box for element in link.all(tag) if (box := _shape_box(element)) is not None]
        if boxes:
            return tuple(boxes)
    return ()


def _shape_box(element: Element) -> Box | None:
    geometry = element.first("geometry")
    place, turn = _origin(element)
    for shape in geometry.children if geometry is not None else ():
        half: tuple[float, float, float]
        if shape.tag == "box":
            x, y, z = shape.three("size", ORIGIN)
            half = (0.5 * x, 0.5 * y, 0.5 * z)
        elif shape.tag == "sphere":
            half = (shape.one("radius", 0.0),) * 3
        elif shape.tag in ("cylinder", "capsule"):
            radius, length = shape.one("radius", 0.0), shape.one("length", 0.0)
            half = (radius, radius, 0.5 * length + (radius if shape.tag == "capsule" else 0.0))
        else:
            continue  # a mesh is in a file of its own
        if min(half) < 0.0:
            raise shape.problem(f"<{shape.tag}> has a negative size")
        return Box(np.array(place), matrix_from_quaternion(turn), np.array(half))
    return None


def _joint(element: Element, name: str, robot: UrdfRobot) -> UrdfJoint:
    kind = element.one_of("type", JOINT_TYPES)
    place, turn = _origin(element)
    lower, upper, speed = _limits(element, name, kind, robot)
    return UrdfJoint(
        element=element,
        name=name,
        kind=kind,
        parent=_end(element, name, "parent", robot),
        child=_end(element, name, "child", robot),
        place=place,
        turn=turn,
        axis=_axis(element, name, kind),
        lower=lower,
        upper=upper,
        max_speed=speed,
        mimic=_mimic(element, name),
    )


def _end(element: Element, name: str, tag: str, robot: UrdfRobot) -> str:
    end = element.need(tag)
    link = end.text("link")
    if link not in robot.links:
        raise end.problem(f"joint {name!r}: there is no link {link[:60]!r}{suggestion(link, robot.links)}")
    return link


def _origin(element: Element) -> tuple[Vector, Array]:
    """Place (m) and turn (wxyz) of an element's <origin>: roll, pitch, yaw about fixed axes."""
    origin = element.first("origin")
    if origin is None:
        return ORIGIN, np.array([1.0, 0.0, 0.0, 0.0])
    roll, pitch, yaw = (math.remainder(angle, 2.0 * math.tau) for angle in origin.three("rpy", ORIGIN))
    x = np.array([math.cos(0.5 * roll), math.sin(0.5 * roll), 0.0, 0.0])
    y = np.array([math.cos(0.5 * pitch), 0.0, math.sin(0.5 * pitch), 0.0])
    z = np.array([math.cos(0.5 * yaw), 0.0, 0.0, math.sin(0.5 * yaw)])
    return origin.three("xyz", ORIGIN), quaternion_multiply(z, quaternion_multiply(y, x))


def _axis(element: Element, name: str, kind: str) -> Vector:
    axis = element.first("axis")
    x, y, z = (1.0, 0.0, 0.0) if axis is None else axis.three("xyz", (1.0, 0.0, 0.0))
    length = math.hypot(x, y, z)
    if axis is not None and not _SHORTEST_AXIS < length < math.inf and kind not in ("fixed", "floating"):
        raise axis.problem(f"joint {name!r}: axis {x:g} {y:g} {z:g} has no direction")
    return (x, y, z) if length in (0.0, 1.0) else (x / length, y / length, z / length)


def _limits(element: Element, name: str, kind: str, robot: UrdfRobot) -> tuple[float, float, float]:
    """Lower, upper and greatest speed; what is not stated is infinite."""
    if kind in ("fixed", "floating"):
        return -math.inf, math.inf, math.inf
    limit = element.first("limit")
    if limit is None:
        if kind != "continuous":
            robot.notes.append(f"joint {name!r} has no <limit>, which a {kind} joint should; it moves freely")
        return -math.inf, math.inf, math.inf
    speed = limit.one("velocity", 0.0)
    speed = speed if speed > 0.0 else math.inf  # 0 is what exporters write when they do not know
    if kind == "continuous":
        return -math.inf, math.inf, speed
    lower, upper = limit.one("lower", 0.0), limit.one("upper", 0.0)
    if lower > upper:
        raise limit.problem(f"joint {name!r}: limits run from {lower:g} to {upper:g}; lower must not exceed upper")
    return lower, upper, speed


def _mimic(element: Element, name: str) -> Mimic | None:
    mimic = element.first("mimic")
    if mimic is None:
        return None
    leader = mimic.text("joint")
    if leader == name:
        raise mimic.problem(f"joint {name!r} mimics itself")
    return Mimic(leader, mimic.one("multiplier", 1.0), mimic.one("offset", 0.0))


def _check_mimics(robot: UrdfRobot) -> None:
    moving = [joint.name for joint in robot.joints.values() if joint.kind in ("revolute", "continuous", "prismatic")]
    for joint in robot.joints.values():
        if joint.mimic is None:
            continue
        for name in (joint.name, joint.mimic.leader):
            if name not in moving:
                why = "does not move" if name in robot.joints else f"does not exist{suggestion(name, moving)}"
                raise joint.element.problem(f"joint {joint.name!r} mimics, but joint {name[:60]!r} {why}")


def _all_elements(root: Element) -> list[Element]:
    found = [root]
    for element in found:  # grows while it is walked
        found += element.children
    return found
