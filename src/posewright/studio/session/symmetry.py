"""Left and right: partners of sites and goals, and the plane between the two sides of a pose."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Pose, Site
from posewright.figures.kinematics import joint_positions
from posewright.figures.vectors import vector
from posewright.goals import Point, Position
from posewright.motions.mirroring import likeness
from posewright.studio.session.names import numbered, segment_names
from posewright.studio.session.state import State

_SAME = 1e-3
"""Of the figure's height: sites of a joint this near to each other are the same."""


@dataclass(frozen=True)
class Plane:
    """A vertical plane between left and right."""

    point: Array
    normal: Array
    """Horizontal, of length 1."""

    def image(self, point: Point) -> Point:
        """The mirror image of a point (m)."""
        at = np.array(point)
        return vector(at - 2.0 * float((at - self.point) @ self.normal) * self.normal)

    def turned(self, wxyz: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """The mirror image of a rotation: its axis is reflected and it turns the other way."""
        axis = np.array(wxyz[1:])
        x, y, z = vector(2.0 * float(axis @ self.normal) * self.normal - axis)
        return wxyz[0], x, y, z


def middle(pose: Pose) -> Plane:
    """Of a pose: through the middle of its pairs of joints, across the line between them."""
    partner = list(pose.figure.anatomy.partners)
    points = joint_positions(pose.figure, pose.q)
    left = np.array([side == "left" for side in pose.figure.anatomy.sides])
    normal = (points - points[partner])[left].sum(axis=0) if left.any() else np.array([1.0, 0.0, 0.0])
    normal[1] = 0.0
    length = float(np.linalg.norm(normal))
    normal = normal / length if length > 1e-9 else np.array([1.0, 0.0, 0.0])
    return Plane(0.5 * (points + points[partner]).mean(axis=0), normal)


def with_partner(state: State, name: str) -> tuple[State, str | None]:
    """The state with a goal for the other side of a goal's site, made if there is none; and what that is called.

    None: the site is in the middle, or its joint has no partner.
    """
    goal = state.goal(name)
    site = partner_site(state.figure, getattr(goal, "site", None))
    if site is None:
        return state, None
    for other in state.goals:
        own = getattr(other, "site", None)
        if other.word() == goal.word() and own is not None and _is_same(state.figure, state.figure.site(own), site):
            return state, other.label
    if site.name not in (*state.figure.site_names, *state.figure.joint_names):
        state = state.with_site(site)
    made = Position(site.name, vector(state.pose.point(site.name)), priority=goal.priority, weight=goal.weight)
    return state.with_goal(made), made.label


def partner_site(figure: Figure, name: str | None) -> Site | None:
    """The site on the other side: one that the figure has, or a new one at the mirrored point."""
    if name is None:
        return None
    site = figure.site(name)
    joint = figure.joint_index(site.joint)
    other = figure.anatomy.partners[joint]
    if other == joint:
        return None
    point = vector(likeness(figure, figure.anatomy.partners)[joint] @ np.array(site.point))
    wanted = Site(name="?", joint=figure.joint_names[other], point=point)
    for known in (*figure.sites, Site(name=wanted.joint, joint=wanted.joint), *figure.anatomy.soles.values()):
        if _is_same(figure, known, wanted):
            return known
    taken = {*figure.site_names, *figure.joint_names}
    return replace(wanted, name=numbered(segment_names(figure)[other], taken))


def _is_same(figure: Figure, one: Site, other: Site) -> bool:
    gap = float(np.linalg.norm(np.subtract(one.point, other.point)))
    return one.joint == other.joint and gap <= _SAME * figure.height
