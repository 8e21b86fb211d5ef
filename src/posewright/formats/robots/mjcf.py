"""MJCF robots as figures, compiled by MuJoCo: defaults, includes, frames and inertias mean what MuJoCo says.

A joint of the file is a joint of the figure, under its name and in file order, with `q` as MuJoCo counts it (`ref`
included). A body that is rigid or free is a joint under the body's name. The frame of a joint has the body's axes and
its origin at the joint's anchor. Joint equalities become linear constraints.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from posewright.constraints import LinearConstraint
from posewright.conventions import Array
from posewright.errors import FileProblem, InvalidFigure, MissingExtra
from posewright.figures import Ball, Figure, Hinge, Joint, Site, Slide, Source, free_slides
from posewright.figures.joint import Quaternion
from posewright.figures.vectors import clean_axis, vector
from posewright.formats.assumptions import distinct
from posewright.formats.options import ReadOptions
from posewright.formats.robots.body import Box, Link, inertia_box
from posewright.formats.robots.to_figure import (
    WORLD_FROM_ROBOT,
    axes_note,
    dressed,
    relation,
    world_from_robot,
)
from posewright.formats.robots.xml_elements import Element, read_xml
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
_COPIED, _MOST_COPIES = ("replicate", "composite", "flexcomp"), 20_000
"""Elements that are replicated, and how many copies there may be."""
_GRIDS, _LARGEST_GRID = {"hfield": ("nrow", "ncol"), "texture": ("width", "height")}, 2**26
"""Elements that MuJoCo fills with numbers, and how many they may be."""
_MASSLESS = 1e-9
"""kg: what bodies whose meshes are missing get, so that MuJoCo accepts them."""


def read(path: Path, options: ReadOptions) -> Figure:
    """The figure of a file, at rest where MuJoCo starts (`qpos0`), or at the nearest limit.

    Raises:
        FileProblem: what is wrong, with its line if MuJoCo reports it.
        MissingExtra: MuJoCo is not installed.
    """
    model, notes = _compiled(path)
    return _Builder(model, options, notes).figure(path.stem)


@dataclass
class _Builder:
    """Bodies become joints one by one, parents first, as MuJoCo orders them."""

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
        """The whole."""
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
        source = Source(format="mjcf", up=up, notes=(f"base: {how}", axes_note(self.options), *self.notes))
        figure = Figure(
            name=_model_name(model) or name,
            joints=tuple(self.joints),
            sites=tuple(self.sites),
            constraints=constraints,
            source=source,
        )
        return dressed(figure, self.links)

    def _bodies(self) -> list[int]:
        """All but the world and what never moves in it."""
        model = self.model
        tree = np.array(model.body_rootid)
        moving = {int(tree[model.jnt_bodyid[j]]) for j in range(model.njnt)}
        standing = sorted({int(tree[b]) for b in range(1, model.nbody)} - moving)
        if moving and standing:
            left_out = ", ".join(_name_of(model, "body", b) or f"body {b}" for b in standing[:5])
            self.notes.append(f"left out, because it never moves: {left_out}")
        return [b for b in range(1, model.nbody) if int(tree[b]) in moving or not moving]

    def _joint_names(self) -> dict[tuple[int, int], str]:
        """By body and joint; joint -1 is a body that is rigid, or free."""
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
    return bytes(model.names).split(b"\0", 1)[0].decode("utf-8", "replace").strip()


def _quaternion(turn: Array) -> Quaternion:
    w, x, y, z = (turn / np.linalg.norm(turn)).tolist()
    return w, x, y, z


def _compiled(path: Path) -> tuple[Any, list[str]]:
    """The compiled model (`mujoco.MjModel`) and notes about what was doubtful.

    Raises:
        FileProblem: no XML, no MJCF, or refused by MuJoCo.
        MissingExtra: MuJoCo is not installed.
    """
    _look_over(path)
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("reading MJCF", "mujoco", "robots") from None
    notes: list[str] = []
    with _warnings_into(mujoco, notes):
        try:
            model = mujoco.MjSpec.from_file(str(path)).compile()
        except (ValueError, RuntimeError, MemoryError) as error:
            if "opening file" not in str(error) or "include" in str(error):
                raise _problem(path, str(error)) from None
            model = _without_files(mujoco, path, notes)
    numbers = (model.body_pos, model.body_quat, model.body_mass, model.body_ipos, model.jnt_axis, model.qpos0)
    if not all(np.isfinite(array).all() for array in numbers):
        raise FileProblem(path, "has places, masses or joints that are not finite numbers")
    return model, notes


def _name_of(model: Any, kind: str, index: int) -> str:
    """The name of a body, joint or site; empty where it has none."""
    start = int(getattr(model, {"body": "name_bodyadr", "joint": "name_jntadr", "site": "name_siteadr"}[kind])[index])
    return bytes(model.names)[start:].split(b"\0", 1)[0].decode("utf-8", "replace").strip()


def _body_boxes(model: Any, body: int) -> tuple[tuple[Box, ...], bool]:
    """Boxes in a body's frame, and whether they are geometry: what collides, else what is seen, else the inertia's."""
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


def _look_over(path: Path) -> None:
    """Refuse what MuJoCo would read in silence (another format's root, `nan`) or be busy with for hours."""
    root = read_xml(path, '<mujoco model="...">')
    if root.tag != "mujoco":
        hint = "; URDF files end with .urdf" if root.tag == "robot" else ""
        raise root.problem(f"is not an MJCF file: its root element is <{root.tag[:40]}>, not <mujoco>{hint}")
    elements: list[tuple[Element, int]] = [(root, 1)]
    for element, above in elements:  # grows while it is walked
        copies = above * _product(element, ("count",) if element.tag in _COPIED else ())
        if copies > _MOST_COPIES:
            raise element.problem(
                f"{element.called} would make {copies:,} copies; at most {_MOST_COPIES:,} are accepted"
            )
        if _product(element, _GRIDS.get(element.tag, ())) > _LARGEST_GRID:
            raise element.problem(f"{element.called} has more than {_LARGEST_GRID:,} points")
        elements += [(child, copies) for child in element.children]
        for name, value in element.attributes.items():
            if "nan" in value.casefold().split():
                raise element.problem(f"{element.called}: {name} is {value[:60]!r}, which is not a number")


def _product(element: Element, attributes: Iterable[str]) -> int:
    """Of the whole numbers that attributes hold, 1 without any."""
    words = [word for name in attributes for word in element.attributes.get(name, "").split()]
    return math.prod(max(1, int(word)) for word in words if word.isdecimal() and len(word) < 20)


def _without_files(mujoco: Any, path: Path, notes: list[str]) -> Any:
    """The model without meshes and pictures, some of which are not there."""
    spec = mujoco.MjSpec.from_file(str(path))
    for geom in list(spec.geoms):
        if geom.meshname or geom.hfieldname:
            spec.delete(geom)
        else:
            geom.material = ""
    for unwanted in (spec.sensors, spec.pairs, spec.skins, spec.meshes, spec.hfields, spec.materials, spec.textures):
        for item in list(unwanted):
            spec.delete(item)
    spec.compiler.boundmass, spec.compiler.boundinertia = _MASSLESS, 1e-15
    try:
        model = spec.compile()
    except (ValueError, RuntimeError, MemoryError) as error:
        raise _problem(path, str(error)) from None
    bare = [_name_of(model, "body", b) for b in range(1, model.nbody) if model.body_mass[b] <= _MASSLESS]
    note = "mesh files are missing: shapes are guessed from inertias"
    notes.append(note + (f"; bodies without <inertial> have no mass: {', '.join(bare[:5])}" if bare else ""))
    return model


@contextmanager
def _warnings_into(mujoco: Any, notes: list[str]) -> Iterator[None]:
    """MuJoCo's warnings as notes; left alone, it would write them to a file in the working folder."""
    mujoco.set_mju_user_warning(lambda text: notes.append(f"MuJoCo: {_plain(text)}"))
    try:
        with warnings.catch_warnings(record=True) as caught:
            yield
        notes += [f"MuJoCo: {_plain(str(warning.message))}" for warning in caught]
    finally:
        mujoco.set_mju_user_warning(None)


def _problem(path: Path, text: str) -> FileProblem:
    line = re.search(r"line (?:number=)?(\d+)", text, re.IGNORECASE)
    said = re.sub(r", line \d+", "", _plain(text))
    return FileProblem(path, f"MuJoCo refuses it: {said}", line=int(line.group(1)) if line else None)


def _plain(text: str | bytes) -> str:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    lines = [line.strip() for line in words.replace("XML Error:", "").splitlines()]
    return "; ".join(line.removeprefix("Error:").strip() for line in lines if line)[:300]
