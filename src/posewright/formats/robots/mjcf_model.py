"""An MJCF file compiled by MuJoCo, its complaints as one sentence with the line, its bodies as boxes."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from posewright.errors import FileProblem, MissingExtra
from posewright.formats.robots.body import Box, inertia_box
from posewright.formats.robots.xml_elements import Element, read_xml
from posewright.rotations import matrix_from_quaternion

FREE, BALL, SLIDE = 0, 1, 2
"""Kinds of joints (mjtJoint); 3 is a hinge."""
JOINT_EQUALITY = 2
"""The kind (mjtEq) of an equality between two joints."""
_FLOORS = (0, 1)
"""Kinds of geoms (mjtGeom) that are ground, not body: planes and height fields."""
_COPIED, _MOST_COPIES = ("replicate", "composite", "flexcomp"), 20_000
"""Elements that stand for many, and how many they may be."""
_GRIDS, _LARGEST_GRID = {"hfield": ("nrow", "ncol"), "texture": ("width", "height")}, 2**26
"""Elements that MuJoCo fills with numbers, and how many they may be."""
_MASSLESS = 1e-9
"""kg: what bodies whose meshes are missing get, so that MuJoCo accepts them."""


def compiled(path: Path) -> tuple[Any, list[str]]:
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


def name_of(model: Any, kind: str, index: int) -> str:
    """The name of a body, joint or site; empty where it has none."""
    start = int(getattr(model, {"body": "name_bodyadr", "joint": "name_jntadr", "site": "name_siteadr"}[kind])[index])
    return bytes(model.names)[start:].split(b"\0", 1)[0].decode("utf-8", "replace").strip()


def body_boxes(model: Any, body: int) -> tuple[tuple[Box, ...], bool]:
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
        raise root.problem(f"is no MJCF: its root element is <{root.tag[:40]}>, not <mujoco>{hint}")
    elements: list[tuple[Element, int]] = [(root, 1)]
    for element, above in elements:  # grows while it is walked
        copies = above * _product(element, ("count",) if element.tag in _COPIED else ())
        if copies > _MOST_COPIES:
            raise element.problem(f"{element.called} would be {copies:,} things; at most {_MOST_COPIES:,} are made")
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
    bare = [name_of(model, "body", b) for b in range(1, model.nbody) if model.body_mass[b] <= _MASSLESS]
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
