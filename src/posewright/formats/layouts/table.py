"""The layouts, one value each. `docs/formats/robot-layouts.md` shows them in a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.formats.layouts import parts
from posewright.formats.layouts.parts import Part
from posewright.formats.layouts.robot import Bodies, LayoutRobot, Order

Files = Literal["csv", "folder", "npz", "compressed npz", "pickle", "pickle of clips"]
Numbers = Literal["<f4", "<f8", "%.6f", "%.18e"]


@dataclass(frozen=True, eq=False)
class Field:
    """An array in a file, or a file in a folder."""

    name: str
    parts: tuple[Part, ...]
    numbers: Numbers = "<f8"
    """Type of the numbers: a numpy type, or a text format."""
    rows_of: int = 0
    """Length of the rows into which the columns of a frame are divided; 0: not divided."""
    optional: bool = False
    """Whether readers can do without it."""
    header: tuple[str, ...] = ()
    """Names of its columns, of text that has some; {joint} stands for each joint's name, {n} for each number of a
    joint or body, {axis} for each letter of its rows."""


@dataclass(frozen=True)
class Rate:
    """How a file states its frame rate."""

    whole: bool
    """Whether it must be a whole number."""
    shape: tuple[int, ...] | None = None
    """Shape of the array; None: a plain number."""
    optional: bool = False
    names: tuple[str, ...] = ("fps",)
    """Names of the field; the first one found is read."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Layout:
    """A layout for exchanging motions of robots."""

    name: str
    title: str
    files: Files
    order: Order
    fields: tuple[Field, ...]
    fps: float
    """Rate that its readers assume if the file states none."""
    any_rate: bool = False
    """Whether its readers accept any rate stated in the file."""
    rate: Rate | None = None
    bodies: Bodies = "moving"
    world: bool = False
    followers: bool = True
    joint_names: str = ""
    """The field with the names of joints; empty: not stored, or in a header."""
    body_names: str = ""
    constants: tuple[tuple[str, object], ...] = ()
    """Values stored in every file."""
    reads_too: tuple[tuple[Field, ...], ...] = ()
    """Alternative fields that such files may have; never written."""

    @property
    def suffix(self) -> str:
        """Suffix of its files; empty for a folder."""
        return {"csv": ".csv", "folder": "", "npz": ".npz", "compressed npz": ".npz"}.get(self.files, ".pkl")

    @property
    def order_in_words(self) -> str:
        """Order of its joints, in words."""
        return "the order of the robot's file" if self.order == "file" else f"{self.order.replace(' ', '-')} order"

    def robot(self, figure: Figure) -> LayoutRobot:
        """A robot with joints and bodies numbered as in this layout."""
        return LayoutRobot(figure, self.order, self.bodies, self.world, self.followers)

    def decoded(self, arrays: Mapping[str, Array], robot: LayoutRobot) -> dict[str, Any]:
        """The fields of a `RobotMotion` except its rate, as far as the arrays of a file (frames, ...) contain them."""
        found: dict[str, Any] = {}
        for field in self.fields:
            if field.name not in arrays:
                continue
            rows = np.asarray(arrays[field.name], dtype=np.float64)
            rows = rows.reshape(len(rows), math.prod(rows.shape[1:]))
            place = 0
            for part in field.parts:
                width = rows.shape[1] if part.of_bodies else part.width(robot)
                if part.gives and part.gives not in found:
                    found[part.gives] = part.read(rows[:, place : place + width], robot)
                place += width
        if "joints" in found:
            found["joint_names"], found["joint_positions"] = robot.with_followers(found.pop("joints"))
        return found


_TRAINING = (
    Field("joint_pos", (parts.JOINTS,), "<f4"),
    Field("joint_vel", (parts.JOINT_VELOCITIES,), "<f4", optional=True),
    Field("body_pos_w", (parts.BODY_XYZ,), "<f4", 3),
    Field("body_quat_w", (parts.BODY_WXYZ,), "<f4", 4),
)
_BONES = (
    "Frame",
    *(f"root_{moves}{axis}" for moves in ("translate", "rotate") for axis in "XYZ"),
    "{joint}_dof",
)
_SPINS = Field("body_ang_vel_w", (parts.BODY_SPINS,), "<f4", 3, optional=True)

_LISTED = (
    Layout(
        name="unitree",
        title="Unitree's LAFAN1 retargeting dataset",
        files="csv",
        order="file",
        fps=30.0,
        fields=(Field("", (parts.ROOT_XYZ, parts.ROOT_XYZW, parts.JOINTS), "%.6f"),),
    ),
    Layout(
        name="qpos",
        title="MuJoCo's qpos as text: Kimodo, ARDY",
        files="csv",
        order="depth first",
        fps=30.0,
        fields=(Field("", (parts.ROOT_XYZ, parts.ROOT_WXYZ, parts.JOINTS), "%.18e"),),
    ),
    Layout(
        name="bones",
        title="BONES-SEED",
        files="csv",
        order="depth first",
        fps=120.0,
        fields=(
            Field("", (parts.FRAME, parts.ROOT_CM, parts.ROOT_EULER, parts.JOINTS_DEGREES), "%.6f", header=_BONES),
        ),
    ),
    Layout(
        name="sonic",
        title="SONIC deployment folder (GR00T-WholeBodyControl)",
        files="folder",
        order="breadth first",
        fps=50.0,
        fields=(
            Field("joint_pos", (parts.JOINTS,), "%.6f", header=("joint_{n}",)),
            Field("joint_vel", (parts.JOINT_VELOCITIES,), "%.6f", header=("joint_vel_{n}",), optional=True),
            Field("body_pos", (parts.BODY_XYZ,), "%.6f", 3, header=("body_{n}_{axis}",)),
            Field("body_quat", (parts.BODY_WXYZ,), "%.6f", 4, header=("body_{n}_{axis}",)),
            Field("body_lin_vel", (parts.SIMULATED_VELOCITIES,), "%.6f", 3, True, ("body_{n}_vel_{axis}",)),
            Field("body_ang_vel", (parts.BODY_SPINS,), "%.6f", 3, True, ("body_{n}_angvel_{axis}",)),
        ),
    ),
    Layout(
        name="beyondmimic",
        title="BeyondMimic (whole_body_tracking)",
        files="npz",
        order="breadth first",
        fps=50.0,
        rate=Rate(whole=True, shape=(1,)),
        fields=(*_TRAINING, Field("body_lin_vel_w", (parts.SIMULATED_VELOCITIES,), "<f4", 3, True), _SPINS),
    ),
    Layout(
        name="mjlab",
        title="mjlab",
        files="npz",
        order="depth first",
        bodies="all",
        fps=50.0,
        rate=Rate(whole=False, shape=(1,)),
        fields=(*_TRAINING, Field("body_lin_vel_w", (parts.BODY_VELOCITIES,), "<f4", 3, True), _SPINS),
    ),
    Layout(
        name="holosoma",
        title="holosoma training; also reads retargeting results of holosoma and OmniRetarget",
        files="npz",
        order="depth first",
        bodies="all",
        world=True,
        fps=50.0,
        rate=Rate(whole=True, shape=(1,)),
        joint_names="joint_names",
        body_names="body_names",
        fields=(
            Field("joint_pos", (parts.ROOT_XYZ, parts.ROOT_WXYZ, parts.JOINTS)),
            Field("joint_vel", (parts.ROOT_VELOCITY, parts.ROOT_SPIN, parts.JOINT_VELOCITIES), optional=True),
            Field("body_pos_w", (parts.BODY_XYZ,), "<f8", 3, optional=True),
            Field("body_quat_w", (parts.BODY_WXYZ,), "<f8", 4, optional=True),
            Field("body_lin_vel_w", (parts.CENTRE_VELOCITIES,), "<f8", 3, optional=True),
            Field("body_ang_vel_w", (parts.BODY_SPINS,), "<f8", 3, optional=True),
        ),
        reads_too=(
            (Field("qpos", (parts.ROOT_XYZ, parts.ROOT_WXYZ, parts.JOINTS)),),
            (Field("qpos", (parts.ROOT_WXYZ, parts.ROOT_XYZ, parts.JOINTS)),),
        ),
    ),
    Layout(
        name="pyroki",
        title="PyRoki results as ProtoMotions stores them",
        files="compressed npz",
        order="file",
        followers=False,
        fps=30.0,
        any_rate=True,
        rate=Rate(whole=False, shape=(), optional=True, names=("fps", "source_fps")),
        constants=(("subsample_factor", 1),),
        fields=(
            Field("base_frame_pos", (parts.ROOT_XYZ,), "<f4"),
            Field("base_frame_wxyz", (parts.ROOT_WXYZ,), "<f4"),
            Field("joint_angles", (parts.JOINTS,), "<f4"),
        ),
    ),
    Layout(
        name="gmr",
        title="GMR",
        files="pickle",
        order="depth first",
        bodies="all",
        fps=30.0,
        any_rate=True,
        rate=Rate(whole=False, optional=True),
        body_names="link_body_list",
        fields=(
            Field("root_pos", (parts.ROOT_XYZ,)),
            Field("root_rot", (parts.ROOT_XYZW,)),
            Field("dof_pos", (parts.JOINTS,)),
            Field("local_body_pos", (parts.LOCAL_BODY_XYZ,), "<f4", 3, optional=True),
        ),
    ),
    Layout(
        name="phc",
        title="PHC robots",
        files="pickle of clips",
        order="depth first",
        fps=30.0,
        rate=Rate(whole=True, optional=True),
        fields=(
            Field("root_trans_offset", (parts.ROOT_XYZ,), "<f4"),
            Field("dof", (parts.JOINTS,), "<f4", optional=True),
            Field("pose_aa", (parts.ROOT_VECTOR, parts.JOINT_VECTORS, parts.EXTRA_VECTORS), "<f4", 3, optional=True),
            Field("root_rot", (parts.ROOT_XYZW,), "<f4", optional=True),
            Field("smpl_joints", (parts.SMPL_JOINTS,), "<f4", 3, optional=True),
        ),
    ),
)
LAYOUTS = {layout.name: layout for layout in _LISTED}
