"""Goals made visible: what each wants, as marks of a scene, green where it is met and red where it is missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from posewright.conventions import UP, Array
from posewright.figures import Pose
from posewright.figures.kinematics import centre_of_mass, site_frames
from posewright.figures.vectors import vector
from posewright.goals import (
    Aim,
    AnyOf,
    CentreOfMass,
    Goal,
    HalfSpace,
    Line,
    Orientation,
    Placement,
    Plane,
    Position,
)
from posewright.goals.term import Target
from posewright.problem.evaluation import GoalError
from posewright.problem.lowering import reach
from posewright.report.scene import Mark

MET, MISSED, GAP = "leaf", "red", "ink"
HUMAN_REACH = 1.2
"""m; the sizes of marks are made for a figure of this reach and grow and shrink with it"""
FAR = 2.0
"""m, for a figure of that reach: what is aimed at from further away is not shown"""


def goal_marks(goals: Sequence[Goal], pose: Pose, errors: Mapping[str, GoalError] | None = None) -> tuple[Mark, ...]:
    """The marks of all goals that are switched on; `errors` are those of the pose."""
    marks: list[Mark] = []
    for goal in goals:
        missed = errors is not None and goal.label in errors and not errors[goal.label].reached
        if goal.enabled:
            marks += _Drawing(pose, MISSED if missed else MET).of(goal)
    return tuple(marks)


class _Drawing:
    """Draws goals beside one pose in one colour."""

    def __init__(self, pose: Pose, colour: str) -> None:
        self.pose, self.colour = pose, colour
        self.size = reach(pose.figure, None) / HUMAN_REACH

    def of(self, goal: Goal) -> Iterator[Mark]:
        match goal:
            case Position():
                yield from self.place(goal.site, goal.target)
            case Orientation():
                yield from self.directions(goal, self.site(goal.site))
            case Placement():
                yield from self.place(goal.site, goal.target)
                yield from self.directions(goal, self.point(goal.target))
            case Aim():
                yield from self.gaze(self.site(goal.site), self.point(goal.target))
            case Line():
                yield from self.through(goal, np.array(goal.direction))
            case Plane():
                yield from self.square(goal, arrow=False)
            case HalfSpace():
                yield from self.square(goal, arrow=True)
            case CentreOfMass():
                yield from self.balance(goal)
            case AnyOf():
                yield from self.alternatives(goal)

    def place(self, site: str, target: Target) -> Iterator[Mark]:
        point = self.point(target)
        yield Mark.target(vector(point), colour=self.colour, radius=0.02 * self.size)
        if np.linalg.norm(point - self.site(site)) > 0.03 * self.size:
            yield Mark.line((vector(self.site(site)), vector(point)), colour=GAP, radius=0.004 * self.size)

    def directions(self, goal: Orientation | Placement, at: Array) -> Iterator[Mark]:
        x, y = goal.x, goal.y
        if goal.like is not None:
            frame = site_frames(self.pose.figure, self.pose.q, [goal.like])
            x, y = vector(frame.x_axes[0]), vector(frame.y_axes[0])
        for direction, length in ((x, 0.22), (y, 0.13)):  # the x axis is the longer one
            if direction is not None:
                yield self.line(at, at + length * self.size * np.array(direction))

    def gaze(self, eye: Array, point: Array) -> Iterator[Mark]:
        away = float(np.linalg.norm(point - eye))
        if away > FAR * self.size:  # only where it leads: a picture that held the point would show the figure as a dot
            yield self.line(eye, eye + (self.size / away) * (point - eye))
            return
        yield Mark.target(vector(point), colour=self.colour, radius=0.02 * self.size)
        yield self.line(eye, point)

    def through(self, goal: Line, direction: Array) -> Iterator[Mark]:
        point, site = self.point(goal.point), self.site(goal.site)
        middle = point + direction * float((site - point) @ direction)
        half = 0.5 * self.size * direction
        yield self.line(middle - half, middle + half)

    def square(self, goal: Plane | HalfSpace, *, arrow: bool) -> Iterator[Mark]:
        normal, point, site = np.array(goal.normal), self.point(goal.point), self.site(goal.site)
        middle = site - normal * float((site - point) @ normal)
        u = np.cross(normal, (0.0, 1.0, 0.0) if abs(normal[1]) < 0.9 else (0.0, 0.0, 1.0))
        u /= np.linalg.norm(u)
        v = np.cross(normal, u)
        half = 0.3 * self.size
        corners = [middle + half * (a * u + b * v) for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1))]
        yield Mark.line(map(vector, corners), colour=self.colour, radius=0.006 * self.size)
        if arrow:
            yield self.line(middle, middle + 0.2 * self.size * normal)

    def balance(self, goal: CentreOfMass) -> Iterator[Mark]:
        point, centre = self.point(goal.target), np.asarray(centre_of_mass(self.pose.figure, self.pose.q))
        yield Mark.point(vector(centre), colour=self.colour, radius=0.035 * self.size)
        if goal.vertical:
            top = point + np.array(UP) * max(float(centre[1] - point[1]), 0.0)
            yield self.line(point, top)
        else:
            yield Mark.target(vector(point), colour=self.colour, radius=0.02 * self.size)

    def alternatives(self, goal: AnyOf) -> Iterator[Mark]:
        faces = [member for member in goal.members if isinstance(member, HalfSpace)]
        if len(faces) == len(goal.members) > 3:
            for start, end in solid_edges([(self.point(f.point), np.array(f.normal)) for f in faces]):
                yield self.line(start, end)
            return
        for member in goal.members:
            yield from (mark for mark in self.of(member) if mark.colour != GAP)  # one of them is far by intent

    def line(self, start: Array, end: Array) -> Mark:
        return Mark.line((vector(start), vector(end)), colour=self.colour, radius=0.006 * self.size)

    def point(self, target: Target) -> Array:
        return self.site(target) if isinstance(target, str) else np.array(target)

    def site(self, name: str) -> Array:
        return np.asarray(site_frames(self.pose.figure, self.pose.q, [name]).points[0])


def solid_edges(faces: Sequence[tuple[Array, Array]]) -> list[tuple[Array, Array]]:
    """The edges of a convex solid given by a point and the outward normal of each face."""
    normals = np.array([normal for _, normal in faces])
    bounds = np.array([float(point @ normal) for point, normal in faces])
    corners: list[tuple[Array, frozenset[int]]] = []
    for three in combinations(range(len(faces)), 3):
        rows = list(three)
        if abs(np.linalg.det(normals[rows])) < 1e-9:
            continue
        corner = np.linalg.solve(normals[rows], bounds[rows])
        on = np.abs(normals @ corner - bounds) < 1e-9
        if (normals @ corner <= bounds + 1e-9).all() and not any(np.allclose(corner, c) for c, _ in corners):
            corners.append((corner, frozenset(np.flatnonzero(on).tolist())))
    return [(a, b) for (a, on_a), (b, on_b) in combinations(corners, 2) if len(on_a & on_b) >= 2]
