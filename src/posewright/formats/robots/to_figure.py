"""What URDF and MJCF readers share: the robot's axes in our world, its base, shapes and sites.

Sites that a robot's file does not name (soles, hands, head) are found by the names and boxes of its links. They get the
names that built-in figures use (`left_sole`, `left_heel`, `left_toe_tip`, `left_hand`, `left_fingertips`, `head_top`,
`view`), so that tasks, contacts and retargeting treat robots like people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from posewright.anatomy.lexicon import LINK_WORDS
from posewright.anatomy.names import side_of
from posewright.constraints import LinearConstraint
from posewright.conventions import FORWARD, LEFT, UP, Array
from posewright.figures import Capsule, Figure, Joint, Site
from posewright.figures.joint import NO_TURN, Quaternion
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.figures.vectors import vector
from posewright.formats.assumptions import size_note
from posewright.formats.options import ReadOptions
from posewright.formats.robots.body import Box, Link, extent
from posewright.rotations import matrix_from_quaternion

WORLD_FROM_ROBOT: dict[str, Quaternion] = {"y": NO_TURN, "z": (0.5, -0.5, -0.5, -0.5)}
"""By the robot's vertical axis: x forward, y left, z up (ROS, REP 103) become z, x, y; with y up nothing changes."""

_UP, _FORWARD, _LEFT = np.array(UP), np.array(FORWARD), np.array(LEFT)
_SNAP = 0.9
"""Cosine: an axis of the link this close to a wanted direction is used in its place."""
_BONE = 0.018
"""Radius of the rod between two joints, as a share of the figure's height."""


def world_from_robot(up: str) -> Array:
    """The exact rotation (3, 3) from the robot's world to ours."""
    return np.round(matrix_from_quaternion(np.array(WORLD_FROM_ROBOT[up])))


def axes_note(options: ReadOptions) -> str:
    """The note on the assumed axes."""
    if options.up == "y":
        return "up axis: Y, as given; the robot's axes are the world's"
    why = "as given" if options.up else "as robots have it (set up or --up to override)"
    return f"up axis: Z, {why}; x forward, y left, z up became our z, x, y; joints keep the file's own axes"


def relation(name: str, follower: str, leader: str | None, ratio: float, offset: float) -> LinearConstraint:
    """`follower = ratio · leader + offset` as a constraint; without leader or ratio, the follower is fixed."""
    if leader is None or ratio == 0.0:
        return LinearConstraint(name=name, coefficients=((follower, 1.0),), lower=offset, upper=offset)
    return LinearConstraint.coupling(name, follower, leader, ratio, offset)


def has_legs(names: Iterable[str]) -> str:
    """The first name that belongs to a leg on one side, or ""; a robot with legs is assumed to move around."""
    sided = (name for name in names if side_of(name) or name[:3].upper() in ("FL_", "FR_", "RL_", "RR_", "HL_", "HR_"))
    return next((name for name in sided if any(word in name.casefold() for word in LINK_WORDS["leg"])), "")


@np.errstate(over="ignore")  # a length beyond all numbers is longer than any
def dressed(figure: Figure, links: Mapping[str, Link]) -> Figure:
    """The figure with shapes from the boxes of its links, recognised sites, and notes on these."""
    figure = replace(figure, sites=(*figure.sites, *_RobotSites(figure, links).all()))
    assert figure.source is not None
    points = joint_frames(figure, figure.rest).positions
    size = size_note(points, figure.source.format.upper(), ": check the scale of the file")
    notes = (*figure.source.notes, *size, *_site_notes(figure, links))
    figure = replace(figure, source=replace(figure.source, notes=notes))
    if not any(link.boxes for link in links.values()):
        return figure  # nothing known: shapes follow from the tree alone
    rod = _BONE * max(float(np.ptp(points[:, 1])), 1e-6)
    joints = tuple(_shaped(figure, index, links.get(joint.name), rod) for index, joint in enumerate(figure.joints))
    return replace(figure, joints=joints)


def standing(figure: Figure) -> Figure:
    """The figure with its free root at the height that puts its lowest foot or end on the floor at rest."""
    root = figure.joints[0]
    soles = [site.name for site in figure.sites if site.name.endswith(("_sole", "_heel", "_toe_tip"))]
    lowest = float(site_frames(figure, figure.rest, soles or figure.joint_names).points[:, 1].min())
    slides = tuple(replace(s, rest=s.rest - lowest) if s.axis == (0.0, 1.0, 0.0) else s for s in root.slides)
    return replace(figure, joints=(replace(root, slides=slides), *figure.joints[1:]))


def _site_notes(figure: Figure, links: Mapping[str, Link]) -> Iterable[str]:
    """Notes on sites under feet, at hands and head: which were found, and which are estimates."""
    names = ("left_sole", "right_sole", "left_hand", "right_hand", "head_top")
    own = [site for site in figure.sites if site.name in names]
    guessed = [site.name for site in own if not (site.joint in links and links[site.joint].measured)]
    if own:
        yield f"sites found by name: {', '.join(site.name for site in own)}"
    if guessed:
        yield f"no geometry: the places of {', '.join(guessed)} follow from the links' inertias, accurate to a few mm"


def _shaped(figure: Figure, index: int, link: Link | None, rod: float) -> Joint:
    joint = figure.joints[index]
    shape = [capsule for box in (link.boxes if link else ()) for capsule in box.capsules()]
    for child in figure.children[index]:
        below = figure.joints[child]
        if below.n_dofs and float(np.linalg.norm(below.offset)) > rod:
            shape.append(Capsule(start=(0.0, 0.0, 0.0), end=below.offset, start_radius=rod, end_radius=rod))
    return replace(joint, shape=tuple(shape))


class _RobotSites:
    """A search for soles, hands and the head, in the figure's rest pose."""

    def __init__(self, figure: Figure, links: Mapping[str, Link]) -> None:
        self.figure, self.links = figure, links
        self.frames = joint_frames(figure, figure.rest)
        self.depths: list[int] = []
        for parent in figure.parents:
            self.depths.append(self.depths[parent] + 1 if parent >= 0 else 0)

    def all(self) -> Iterator[Site]:
        """Soles, hands and head, then a site at each remaining end of the tree."""
        found = [*self._feet(), *self._hands(), *self._head()]
        taken = {*self.figure.joint_names, *self.figure.site_names, *(site.name for site in found)}
        served = {site.joint for site in (*found, *self.figure.sites)}
        yield from (site for site in found if site.name not in self.figure.joint_names)
        for index, joint in enumerate(self.figure.joints):
            name = self.links[joint.name].name if joint.name in self.links else ""
            if not self.figure.children[index] and joint.name not in served and name and name not in taken:
                yield Site(name=name, joint=joint.name)

    def _feet(self) -> Iterator[Site]:
        for side in ("left", "right"):
            toe = self._last(side, "toe")
            rear = self._last(side, "foot")
            rear = toe if rear is None else rear
            if rear is None or not self._boxes(rear):
                continue
            x, y, ground, back, tip = self._sole(rear)
            yield self._site(f"{side}_sole", rear, ground + 0.5 * (back + tip) * x, x, y)
            yield self._site(f"{side}_heel", rear, ground + back * x, x, y, tip=True)
            front = toe if toe is not None and self._boxes(toe) else rear
            x, y, ground, _, tip = self._sole(front)
            yield self._site(f"{side}_toe_tip", front, ground + tip * x, x, y, tip=True)

    def _sole(self, index: int) -> tuple[Array, Array, Array, float, float]:
        """Forward and up in a joint's frame, the line below the middle of its boxes, and the ends of that line."""
        x, y, boxes = self._axis(index, _FORWARD), self._axis(index, _UP), self._boxes(index)
        across = np.cross(y, x)
        ground = extent(boxes, y)[0] * y + 0.5 * sum(extent(boxes, across)) * across
        return x, y, ground, *extent(boxes, x)

    def _hands(self) -> Iterator[Site]:
        for side in ("left", "right"):
            wrist = next(
                (i for part in ("hand", "forearm") if (i := self._last(side, part, "finger")) is not None), None
            )
            boxes = [] if wrist is None else self._boxes(wrist)
            if wrist is None or not boxes:
                continue
            volumes = np.array([np.prod(box.half) for box in boxes]) + 1e-12
            centre = np.average([box.centre for box in boxes], axis=0, weights=volumes)
            if not np.linalg.norm(centre) > 0.0:
                continue
            x = _snapped(centre / np.linalg.norm(centre))
            inwards = _LEFT * (-1.0 if side == "left" else 1.0)
            y = self._axis(wrist, inwards)
            if abs(float(x @ y)) > _SNAP:  # an arm stretched sideways: the palm looks down
                y = self._axis(wrist, -_UP)
            yield self._site(f"{side}_hand", wrist, centre, x, y)
            if not any(self.figure.joints[k].n_dofs for k in self.figure.subtree(wrist)[1:]):
                end = centre + (extent(boxes, x)[1] - float(centre @ x)) * x
                yield self._site(f"{side}_fingertips", wrist, end, x, y, tip=True)

    def _head(self) -> Iterator[Site]:
        for index in range(len(self.figure.joints)):
            if "head" in self._words(index) and self._boxes(index):
                boxes, up, ahead = self._boxes(index), self._axis(index, _UP), self._axis(index, _FORWARD)
                across = np.cross(up, ahead)
                middle = 0.5 * (sum(extent(boxes, ahead)) * ahead + sum(extent(boxes, across)) * across)
                top = middle + extent(boxes, up)[1] * up
                eyes = middle + 0.5 * sum(extent(boxes, up)) * up
                yield self._site("view", index, eyes, ahead, up)
                yield self._site("head_top", index, top, ahead, up, tip=True)
                return

    def _site(self, name: str, index: int, point: Array, x: Array, y: Array, *, tip: bool = False) -> Site:
        joint = self.figure.joint_names[index]
        return Site(name=name, joint=joint, point=vector(point), x_axis=vector(x), y_axis=vector(y), tip=tip)

    def _last(self, side: str, part: str, never: str = "") -> int | None:
        """The moving joint on one side, furthest from the root, whose name or link contains a word for a part."""
        depth, found = -1, None
        words, others = LINK_WORDS[part], LINK_WORDS.get(never, ())
        for index, joint in enumerate(self.figure.joints):
            text = self._words(index)
            named = any(word in text for word in words) and not any(word in text for word in others)
            if joint.n_dofs and named and self._side(index) == side and self.depths[index] > depth:
                depth, found = self.depths[index], index
        return found

    def _words(self, index: int) -> str:
        name = self.figure.joint_names[index]
        return f"{name} {self.links[name].name if name in self.links else ''}".casefold()

    def _side(self, index: int) -> str:
        name = self.figure.joint_names[index]
        return side_of(name) or (side_of(self.links[name].name) if name in self.links else "")

    def _boxes(self, index: int) -> list[Box]:
        """Boxes of a joint's link and of links fixed to it, in the joint's frame."""
        inverse, origin = self.frames.rotations[index].T, self.frames.positions[index]
        rigid, found = {index}, []
        for k in self.figure.subtree(index):
            if k != index and (self.figure.joints[k].n_dofs or self.figure.parents[k] not in rigid):
                continue
            rigid.add(k)
            link = self.links.get(self.figure.joint_names[k])
            place = inverse @ (self.frames.positions[k] - origin)
            found += [box.moved(inverse @ self.frames.rotations[k], place) for box in (link.boxes if link else ())]
        return found

    def _axis(self, index: int, direction: Array) -> Array:
        """A world direction in a joint's frame; exactly along an axis of the frame if it is nearly so."""
        return _snapped(self.frames.rotations[index].T @ direction)


def _snapped(direction: Array) -> Array:
    nearest = np.zeros(3)
    k = int(np.argmax(np.abs(direction)))
    nearest[k] = np.sign(direction[k])
    return nearest if abs(direction[k]) > _SNAP else direction
