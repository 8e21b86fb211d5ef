"""Goals of every kind made by one click: what each asks for until it is moved. Nearly all are met at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from posewright.anatomy import SIDES
from posewright.conventions import FORWARD, UP, Array
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures import Pose
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.figures.vectors import vector
from posewright.goals import GOAL_KINDS, Goal
from posewright.studio.session.goals.fields import read_goal
from posewright.studio.session.state import State

Fields = dict[str, Any]
_SHORTEST = 0.02
"""Figure heights: a shorter bone says nothing of where a limb points."""


class _Here:
    """Where a pose has a site, and lengths in the size of the figure."""

    def __init__(self, state: State, site: str) -> None:
        frames = site_frames(state.figure, state.q, [site])
        self.state, self.site = state, site
        self.point: Array = frames.points[0]
        self.x, self.y = vector(frames.x_axes[0]), vector(frames.y_axes[0])
        self.size = state.figure.height

    def beside(self, direction: Array | tuple[float, float, float], share: float) -> list[float]:
        """A point away from the site, by a share of the figure's height."""
        found: list[float] = (self.point + share * self.size * np.array(direction)).tolist()
        return found


def _aim(here: _Here) -> Fields:
    """A site that the figure's file has turned aims by its x axis; a joint, or a point on it, as a person would see it.

    What is on the trunk or head aims where that faces, what is on an arm or leg along the bone above it.
    """
    figure = here.state.figure
    site = figure.site(here.site)
    if here.site in figure.site_names and here.site not in here.state.made_sites:
        return {"target": here.beside(here.x, 0.3)}
    frames, joint = joint_frames(figure, here.state.q), figure.joint_index(site.joint)
    bone: Array = frames.positions[joint] - frames.positions[max(figure.parents[joint], 0)]
    length = float(np.linalg.norm(bone))
    on_limb = figure.anatomy.sides[joint] in SIDES and length > _SHORTEST * here.size
    if on_limb:
        way: Array = bone / length
    else:
        rest = joint_frames(figure, Pose.rest(figure).q)
        way = frames.rotations[joint] @ rest.rotations[joint].T @ figure.anatomy.facing(rest.positions)
    return {"target": here.beside(way, 0.3), "axis": vector(frames.rotations[joint].T @ way)}


def _box(here: _Here) -> Fields:
    half = 0.08 * here.size
    middle = np.array(here.beside(FORWARD, 0.14))
    return {"box": [(middle - half).tolist(), (middle + half).tolist()]}


def _any_of(here: _Here) -> Fields:
    points = [here.beside(FORWARD, 0.0), here.beside(FORWARD, 0.2)]
    return {"members": [{"kind": "position", "site": here.site, "target": point} for point in points]}


def _chain(here: _Here) -> Fields:
    """The joints above the site that turn in the same way as their neighbours."""
    figure = here.state.figure
    best: list[str] = []
    run: list[str] = []
    for joint in reversed(figure.ancestors(figure.site(here.site).joint)):
        alike = bool(run) and figure.joint(run[-1]).labels == figure.joints[joint].labels
        run = [*(run if alike else []), figure.joint_names[joint]] if figure.joints[joint].n_dofs else []
        best = max(best, run, key=len)
    if len(best) < 2:
        raise InvalidSetting(f"above {here.site!r} no two neighbouring joints turn in the same way")
    return {"chain": best}


_FIRST: Mapping[str, Callable[[_Here], Fields]] = {
    "position": lambda here: {"target": here.point.tolist()},
    "orientation": lambda here: {"x": here.x, "y": here.y},
    "placement": lambda here: {"target": here.point.tolist(), "x": here.x, "y": here.y},
    "aim": _aim,
    "distance": lambda here: {"target": here.beside(FORWARD, 0.2), "distance": 0.2 * here.size},
    "line": lambda here: {"point": here.point.tolist(), "direction": UP},
    "plane": lambda here: {"point": here.point.tolist(), "normal": FORWARD},
    "half_space": lambda here: {"point": here.beside(UP, -0.05), "normal": UP},
    "centre_of_mass": lambda here: {"target": "start"},
    "posture": lambda here: {"reference": "start"},
    "smoothness": _chain,
    "any_of": _any_of,
    "outside": _box,
}
OF_THE_BODY = ("centre_of_mass", "posture", "smoothness")
"""Kinds that are about no site."""


def first_goal(kind: str, site: str, state: State, *, priority: int) -> Goal:
    """A goal of a kind, about a site where the pose has it.

    Raises:
        UnknownName: there is no such kind.
    """
    if kind not in _FIRST:
        raise UnknownName("kind of goal", kind, GOAL_KINDS)
    fields: Fields = {"kind": kind, "priority": priority, **_FIRST[kind](_Here(state, site))}
    if kind not in (*OF_THE_BODY, "any_of"):
        fields["site"] = site
    return read_goal(fields, state)
