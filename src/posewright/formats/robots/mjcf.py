"""MJCF robots as figures, compiled by MuJoCo: defaults, includes, frames and inertias mean what MuJoCo says.

A joint of the file is a joint of the figure, under its name and in file order, with `q` as MuJoCo counts it (`ref`
included). A body that is rigid or free is a joint under the body's name. The frame of a joint has the body's axes and
its origin at the joint's anchor. Joint equalities become linear constraints.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from posewright.constraints import LinearConstraint
from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures import Ball, Body, Figure, Hinge, Joint, Site, Slide, Source, free_slides
from posewright.figures.joint import Quaternion
from posewright.figures.vectors import clean_axis, vector
from posewright.formats.assumptions import distinct
from posewright.formats.options import ReadOptions
from posewright.formats.robots.body import Box, Link, inertia_box
from posewright.formats.robots.mjcf_model import compiled_model
from posewright.formats.robots.to_figure import (
    WORLD_FROM_ROBOT,
    axes_note,
    dressed,
    relation,
    world_from_robot,
)
from posewright.rotations import (
    matrix_from_quaternion,
    quaternion_from_vector,
    quaternion_multiply,
    vector_from_quaternion,
)

_FREE, _BALL, _SLIDE = 0, 1, 2
"""Kinds of joints (mjtJoint); 3 is a hinge."""
_JOINT_EQUALITY = 2
"""The kind (mjtEq) of an equality between two joints."""
_FLOORS = (0, 1)
"""Kinds of geoms (mjtGeom) that are ground, not body: planes and height fields."""
_MASSLESS = 1e-9
"""kg: mass of bodies whose meshes are missing (`mjcf_compiler`)."""


def read(path: Path, options: ReadOptions) -> Figure:
    """The figure of a file, at rest where MuJoCo starts (`qpos0`), or at the nearest limit.

    Raises:
        FileProblem: what is wrong, with its line if MuJoCo reports it.
        MissingExtra: MuJoCo is not installed.
    """
    model, notes = compiled_model(path)
    return _Builder(model, options, notes).figure(path.stem)


@dataclass
class _Builder:
    """Converts bodies to joints one by one, parents first, in MuJoCo's order."""

    model: Any
    options: ReadOptions
    notes: list[str]
    joints: list[Joint] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    links: dict[str, Link] = field(default_factory=dict)
    moves: dict[int, str] = field(default_factory=dict)
    """The joint of the figure that moves a body."""
    shifts: dict[int, Array] = field(default_factory=dict)
    """From the body's origin to that joint's, in the body's axes."""

    def figure(self, name: str) -> Figure:
        """The figure."""
        model, up = self.model, self.options.up or "z"
        self.names = self._joint_names()
        for body in self._bodies():
            self._add(body, up)
        if not self.joints:
            raise InvalidFigure("the file has no bodies")
        for site in range(model.nsite):
            self._add_site(site)
        how = "free, by the file's free joint" if self.joints[0].ball else "fixed to the world, as the file has it"
        constraints = self._constraints()
        source = Source(
            format="mjcf",
            up=up,
            bodies=tuple(self._body(index) for index in self.moves),
            notes=(f"base: {how}", axes_note(self.options), *self.notes),
        )
        figure = Figure(
            name=_model_name(model) or name,
            joints=tuple(self.joints),
            sites=tuple(self.sites),
            constraints=constraints,
            source=source,
        )
        return dressed(figure, self.links)

    def _bodies(self) -> list[int]:
        """All bodies except the world and what never moves in it."""
        model = self.model
        tree = np.array(model.body_rootid)
        moving = {int(tree[model.jnt_bodyid[j]]) for j in range(model.njnt)}
        standing = sorted({int(tree[b]) for b in range(1, model.nbody)} - moving)
        if moving and standing:
            left_out = ", ".join(_name_of(model, "body", b) or f"body {b}" for b in standing[:5])
            self.notes.append(f"left out, because it never moves: {left_out}")
        return [b for b in range(1, model.nbody) if int(tree[b]) in moving or not moving]

    def _joint_names(self) -> dict[tuple[int, int], str]:
        """Names by body and joint; joint -1 stands for a body that is rigid or free."""
        model = self.model
        keys, names = [], []
        for body in range(1, model.nbody):
            own = _name_of(model, "body", body) or f"body{body}"
            first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
            if count == 0 or model.jnt_type[first] == _FREE:
                keys.append((body, -1))
                names.append(own)
            for joint in range(first, first + count):
                if model.jnt_type[joint] != _FREE:
                    keys.append((body, joint))
                    names.append(_name_of(model, "joint", joint) or f"{own}_joint")
        return dict(zip(keys, distinct(names), strict=True))

    def _add(self, body: int, up: str) -> None:
        model = self.model
        parent = int(model.body_parentid[body])
        turn, place = np.array(model.body_quat[body]), np.array(model.body_pos[body])
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        above, shift = self.moves.get(parent), np.zeros(3)
        if above is None:
            turn = quaternion_multiply(np.array(WORLD_FROM_ROBOT[up]), turn)
            place = world_from_robot(up) @ place
        else:
            place = place - self.shifts[parent]
        if count == 0:
            rigid = Joint(name=self.names[body, -1], parent=above, offset=vector(place), rest=_quaternion(turn))
            self.joints.append(rigid)
        elif model.jnt_type[first] == _FREE:
            self.joints.append(self._free(body, int(model.jnt_qposadr[first]), up))
        else:
            for joint in range(first, first + count):
                anchor = shift if model.jnt_type[joint] == _SLIDE else np.array(model.jnt_pos[joint])
                place = place + matrix_from_quaternion(turn) @ (anchor - shift)
                self.joints.append(self._joint(self.names[body, joint], above, joint, place, turn))
                above, shift, place, turn = self.joints[-1].name, anchor, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        self.moves[body], self.shifts[body] = self.joints[-1].name, shift
        centre = vector(np.array(model.body_ipos[body]) - shift)
        self.joints[-1] = replace(self.joints[-1], mass=float(model.body_mass[body]), centre=centre)
        boxes, measured = _body_boxes(model, body)
        moved = tuple(box.moved(np.eye(3), -shift) for box in boxes)
        self.links[self.joints[-1].name] = Link(_name_of(model, "body", body), moved, measured)

    def _body(self, index: int) -> Body:
        name = _name_of(self.model, "body", index) or f"body{index}"
        return Body(name=name, joint=self.moves[index], point=vector(-self.shifts[index]))

    def _free(self, body: int, address: int, up: str) -> Joint:
        start = np.array(self.model.qpos0[address : address + 7])
        place = world_from_robot(up) @ start[:3]
        turn = Ball(rest=vector(vector_from_quaternion(start[3:])))
        name, rest = self.names[body, -1], WORLD_FROM_ROBOT[up]
        return Joint(name=name, rest=rest, slides=free_slides(place.tolist()), rotation=turn)

    def _joint(self, name: str, parent: str | None, joint: int, place: Array, turn: Array) -> Joint:
        model = self.model
        axis, kind = np.array(model.jnt_axis[joint]), int(model.jnt_type[joint])
        limited = bool(model.jnt_limited[joint])
        lower, upper = model.jnt_range[joint].tolist() if limited else (-math.inf, math.inf)
        ref = float(model.qpos0[model.jnt_qposadr[joint]])
        rest = min(max(ref, lower), upper)
        slides: tuple[Slide, ...] = ()
        rotation: tuple[Hinge, ...] | Ball = ()
        if kind == _SLIDE:
            along = matrix_from_quaternion(turn) @ axis
            place = place - ref * along
            slides = (Slide(axis=clean_axis(along), label="t", lower=lower, upper=upper, rest=rest),)
        elif kind == _BALL:
            # MuJoCo limits the angle of a ball; a cube inside that sphere is what a box can say.
            half = upper / math.sqrt(3.0)
            rotation = Ball(lower=(-half,) * 3, upper=(half,) * 3) if limited else Ball()
            if limited:
                self.notes.append(
                    f"ball {name!r}: its cone of {math.degrees(upper):.0f}° was replaced by the cube inside it"
                )
        else:
            turn = quaternion_multiply(turn, quaternion_from_vector(-ref * axis)) if ref else turn
            rotation = (Hinge(axis=clean_axis(axis), lower=lower, upper=upper, rest=rest),)
        offset, own = vector(place), _quaternion(turn)
        return Joint(name=name, parent=parent, offset=offset, rest=own, slides=slides, rotation=rotation)

    def _add_site(self, site: int) -> None:
        model = self.model
        body = int(model.site_bodyid[site])
        name = _name_of(model, "site", site)
        taken = {*(joint.name for joint in self.joints), *(other.name for other in self.sites)}
        if body not in self.moves or not name or name in taken:
            return
        axes = matrix_from_quaternion(np.array(model.site_quat[site]))
        point = np.array(model.site_pos[site]) - self.shifts[body]
        x, y = vector(axes[:, 0]), vector(axes[:, 1])
        self.sites.append(Site(name=name, joint=self.moves[body], point=vector(point), x_axis=x, y_axis=y))

    def _constraints(self) -> tuple[LinearConstraint, ...]:
        model, found, dropped = self.model, [], 0
        dofs = {key[1]: name for key, name in self.names.items() if key[1] >= 0}
        built = {joint.name: joint for joint in self.joints}
        for k in range(model.neq):
            first, second, factors = int(model.eq_obj1id[k]), int(model.eq_obj2id[k]), model.eq_data[k][:5].tolist()
            is_linear = model.eq_type[k] == _JOINT_EQUALITY and not any(factors[2:])
            if not (is_linear and model.eq_active0[k] and dofs.get(first) in built):
                dropped += 1
                continue
            follower = built[dofs[first]]
            ratio = factors[1] if second >= 0 else 0.0
            offset = factors[0] + float(model.qpos0[model.jnt_qposadr[first]])
            dof, leader = f"{follower.name}.{follower.labels[0]}", None
            name = f"{follower.name} is held"
            if ratio != 0.0:
                other = built[dofs[second]]
                name, leader = f"{follower.name} follows {other.name}", f"{other.name}.{other.labels[0]}"
                offset -= ratio * float(model.qpos0[model.jnt_qposadr[second]])
            found.append(relation(name, dof, leader, ratio, offset))
        if dropped:
            self.notes.append(f"ignored: {dropped} equalities that are inactive or not linear relations between joints")
        return tuple(found)


def _model_name(model: Any) -> str:
    return _text_at(model, 0)


def _quaternion(turn: Array) -> Quaternion:
    w, x, y, z = (turn / np.linalg.norm(turn)).tolist()
    return w, x, y, z


def _name_of(model: Any, kind: str, index: int) -> str:
    """The name of a body, joint or site; empty if it has none."""
    start = int(getattr(model, {"body": "name_bodyadr", "joint": "name_jntadr", "site": "name_siteadr"}[kind])[index])
    return _text_at(model, start)


def _text_at(model: Any, start: int) -> str:
    """The string at this place of MuJoCo's names."""
    names: bytes = model.names
    return names[start : names.index(b"\0", start)].decode("utf-8", "replace").strip()


def _body_boxes(model: Any, body: int) -> tuple[tuple[Box, ...], bool]:
    """Boxes in a body's frame, and whether they are geometry: collision, else visual, else from the inertia."""
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    geoms = [g for g in range(first, first + count) if model.geom_type[g] not in _FLOORS]
    colliding = [g for g in geoms if model.geom_contype[g] or model.geom_conaffinity[g]]
    boxes = []
    for g in colliding or geoms:
        turn = matrix_from_quaternion(np.array(model.geom_quat[g]))
        middle, half = np.array(model.geom_aabb[g][:3]), np.array(model.geom_aabb[g][3:])
        boxes.append(Box(np.array(model.geom_pos[g]) + turn @ middle, turn, half))
    if boxes:
        return tuple(boxes), True
    axes = matrix_from_quaternion(np.array(model.body_iquat[body]))
    tensor = axes @ np.diag(model.body_inertia[body]) @ axes.T
    mass = float(model.body_mass[body])
    guess = inertia_box(mass, np.array(model.body_ipos[body]), tensor) if mass > _MASSLESS else None
    return ((guess,) if guess else ()), False
