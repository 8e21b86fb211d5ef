"""What URDF and MJCF readers share: the robot's axes in our world, its base, shapes and sites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from posewright.anatomy.names import side_of
from posewright.constraints import LinearConstraint
from posewright.conventions import Array
from posewright.figures import Capsule, Figure, Joint, Site
from posewright.figures.joint import NO_TURN, Quaternion
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.formats.options import ReadOptions
from posewright.formats.robots.body import Link
from posewright.formats.robots.sites import RobotSites
from posewright.rotations import matrix_from_quaternion

WORLD_FROM_ROBOT: dict[str, Quaternion] = {"y": NO_TURN, "z": (0.5, -0.5, -0.5, -0.5)}
"""By the robot's vertical axis: x forward, y left, z up (ROS, REP 103) become our z, x, y; with y up nothing turns."""

_LEGS = ("hip", "thigh", "knee", "calf", "shin", "ankle", "foot", "leg")
_BONE = 0.018
"""Radius of the rod between two joints, as a share of the figure's height."""


def world_from_robot(up: str) -> Array:
    """The turn (3, 3) of the robot's axes into our world's; exact."""
    return np.round(matrix_from_quaternion(np.array(WORLD_FROM_ROBOT[up])))


def axes_note(options: ReadOptions) -> str:
    """What was taken for granted about the axes."""
    if options.up == "y":
        return "up axis: Y, as given; the robot's axes are the world's"
    why = "as given" if options.up else "as robots have it (set up or --up to override)"
    return f"up axis: Z, {why}; x forward, y left, z up became our z, x, y; joints keep the file's own axes"


def relation(name: str, follower: str, leader: str | None, ratio: float, offset: float) -> LinearConstraint:
    """`follower = ratio · leader + offset`, as a constraint; without a leader or ratio, the follower is held."""
    if leader is None or ratio == 0.0:
        return LinearConstraint(name=name, coefficients=((follower, 1.0),), lower=offset, upper=offset)
    return LinearConstraint.coupling(name, follower, leader, ratio, offset)


def has_legs(names: Iterable[str]) -> str:
    """The first name that speaks of a leg on one side, or "": what has legs is taken to walk about."""
    sided = (name for name in names if side_of(name) or name[:3].upper() in ("FL_", "FR_", "RL_", "RR_", "HL_", "HR_"))
    return next((name for name in sided if any(word in name.casefold() for word in _LEGS)), "")


@np.errstate(over="ignore")  # a length beyond all numbers is longer than any
def dressed(figure: Figure, links: Mapping[str, Link]) -> Figure:
    """The figure with shapes from its links' boxes and the sites that can be recognised."""
    figure = replace(figure, sites=(*figure.sites, *RobotSites(figure, links).all()))
    if not any(link.boxes for link in links.values()):
        return figure  # nothing known: shapes follow from the tree alone
    points = joint_frames(figure, figure.rest).positions
    rod = _BONE * max(float(np.ptp(points[:, 1])), 1e-6)
    joints = tuple(_shaped(figure, index, links.get(joint.name), rod) for index, joint in enumerate(figure.joints))
    return replace(figure, joints=joints)


def standing(figure: Figure) -> Figure:
    """The figure with its free root at such a height that its lowest foot or end is on the floor at rest."""
    root = figure.joints[0]
    soles = [site.name for site in figure.sites if site.name.endswith(("_sole", "_heel", "_toe_tip"))]
    lowest = float(site_frames(figure, figure.rest, soles or figure.joint_names).points[:, 1].min())
    slides = tuple(replace(s, rest=s.rest - lowest) if s.axis == (0.0, 1.0, 0.0) else s for s in root.slides)
    return replace(figure, joints=(replace(root, slides=slides), *figure.joints[1:]))


def site_notes(figure: Figure, links: Mapping[str, Link]) -> Iterable[str]:
    """What was guessed about soles and hands."""
    names = ("left_sole", "right_sole", "left_hand", "right_hand", "head_top")
    own = [site for site in figure.sites if site.name in names]
    guessed = [site.name for site in own if not _measured(site, links)]
    if own:
        yield f"sites found by name: {', '.join(site.name for site in own)}"
    if guessed:
        yield f"no geometry: the places of {', '.join(guessed)} follow from the links' inertias, right to some mm"


def _measured(site: Site, links: Mapping[str, Link]) -> bool:
    return site.joint in links and links[site.joint].measured


def _shaped(figure: Figure, index: int, link: Link | None, rod: float) -> Joint:
    joint = figure.joints[index]
    shape = [capsule for box in (link.boxes if link else ()) for capsule in box.capsules()]
    for child in figure.children[index]:
        below = figure.joints[child]
        if below.n_dofs and float(np.linalg.norm(below.offset)) > rod:
            shape.append(Capsule(start=(0.0, 0.0, 0.0), end=below.offset, start_radius=rod, end_radius=rod))
    return replace(joint, shape=tuple(shape))
