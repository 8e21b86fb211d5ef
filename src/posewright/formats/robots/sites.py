"""Sites that a robot's file does not name: soles, hands and head, found by the names and boxes of its links.

They get the names that built-in figures use (`left_sole`, `left_heel`, `left_toe_tip`, `left_hand`, `left_fingertips`,
`head_top`, `view`), so that tasks, contacts and retargeting speak of robots as of people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from posewright.anatomy.names import side_of
from posewright.conventions import FORWARD, LEFT, UP, Array
from posewright.figures import Figure, Site
from posewright.figures.kinematics import JointFrames, joint_frames
from posewright.figures.vectors import vector
from posewright.formats.robots.body import Box, Link, extent

_FOOT, _TOE = ("ankle", "foot", "sole"), ("toe",)
_HANDS = (("wrist", "hand", "palm", "gripper"), ("elbow", "forearm", "lower_arm"))
_FINGERS = ("thumb", "index", "middle", "ring", "pinky", "little", "finger")
_UP, _FORWARD, _LEFT = np.array(UP), np.array(FORWARD), np.array(LEFT)
_SNAP = 0.9
"""Cosine: a link's own axis this near to a wanted direction is what its maker meant by it."""


class RobotSites:
    """The search for them, in the figure's rest pose."""

    def __init__(self, figure: Figure, links: Mapping[str, Link]) -> None:
        self.figure, self.links = figure, links
        self.frames: JointFrames = joint_frames(figure, figure.rest)

    def all(self) -> Iterator[Site]:
        """Soles, hands, head, then a site at each end of the tree that got none."""
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
            toe = self._last(side, _TOE)
            rear = self._last(side, _FOOT)
            rear = toe if rear is None else rear
            front = rear if toe is None else toe
            if rear is None or front is None or not self._boxes(rear):
                continue
            x, y = self._axis(rear, _FORWARD), self._axis(rear, _UP)
            across = np.cross(y, x)
            boxes = self._boxes(rear)
            low, sideways = extent(boxes, y)[0], 0.5 * sum(extent(boxes, across))
            back, tip = extent(boxes, x)
            ground = low * y + sideways * across
            yield self._site(f"{side}_sole", rear, ground + 0.5 * (back + tip) * x, x, y)
            yield self._site(f"{side}_heel", rear, ground + back * x, x, y, tip=True)
            if front != rear and self._boxes(front):
                yield self._toe_tip(side, front)
            else:
                yield self._site(f"{side}_toe_tip", rear, ground + tip * x, x, y, tip=True)

    def _toe_tip(self, side: str, index: int) -> Site:
        x, y, boxes = self._axis(index, _FORWARD), self._axis(index, _UP), self._boxes(index)
        across = np.cross(y, x)
        point = extent(boxes, x)[1] * x + extent(boxes, y)[0] * y + 0.5 * sum(extent(boxes, across)) * across
        return self._site(f"{side}_toe_tip", index, point, x, y, tip=True)

    def _hands(self) -> Iterator[Site]:
        for side in ("left", "right"):
            wrist = next((i for words in _HANDS if (i := self._last(side, words, _FINGERS)) is not None), None)
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

    def _last(self, side: str, words: tuple[str, ...], never: tuple[str, ...] = ()) -> int | None:
        """The moving joint of a side furthest from the root whose name or link has one of the words."""
        depth, found = -1, None
        for index, joint in enumerate(self.figure.joints):
            text = self._words(index)
            if joint.n_dofs and any(w in text for w in words) and not any(w in text for w in never):
                n_above = len(self.figure.ancestors(index))
                if self._side(index) == side and n_above > depth:
                    depth, found = n_above, index
        return found

    def _words(self, index: int) -> str:
        name = self.figure.joint_names[index]
        return f"{name} {self.links[name].name if name in self.links else ''}".casefold()

    def _side(self, index: int) -> str:
        name = self.figure.joint_names[index]
        return side_of(name) or (side_of(self.links[name].name) if name in self.links else "")

    def _boxes(self, index: int) -> list[Box]:
        """Boxes of a joint's link and of what is fixed to it, in the joint's frame."""
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
        """A world direction in a joint's frame; exactly along an axis of the frame where nearly so."""
        return _snapped(self.frames.rotations[index].T @ direction)


def _snapped(direction: Array) -> Array:
    nearest = np.zeros(3)
    k = int(np.argmax(np.abs(direction)))
    nearest[k] = np.sign(direction[k])
    return nearest if abs(direction[k]) > _SNAP else direction
