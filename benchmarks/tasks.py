"""The posing tasks of the benchmarks: neutral bodies, problem sets and scoring, in numpy alone.

Every library, ours too, builds its own model from a `Body` and returns states, which are scored here by kinematics
that belong to none of them. Metres and radians; z up, x forward, y left (each library converts at its border).

A state is [root xyz, root quaternion wxyz, angles] of a floating body, [angles] of a fixed one. A bone with several
axes turns by the product of their rotations in order, always a sub-sequence of z, y, x.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Range = tuple[float, float]

POSITION_TOLERANCE, ANGLE_TOLERANCE, LIMIT_TOLERANCE = 1e-3, 1e-2, 1e-3
"""m, rad and rad: what counts as success."""


@dataclass(frozen=True)
class Bone:
    """A joint: an offset in its parent's frame (m), then a turn about each axis letter in order."""

    name: str
    parent: int
    offset: tuple[float, float, float]
    axes: str = ""
    limits: tuple[Range, ...] = ()


@dataclass(frozen=True)
class Tip:
    """A point on a bone that has a target; oriented if the bone's rotation has one too."""

    name: str
    bone: int
    offset: tuple[float, float, float]
    oriented: bool = False


@dataclass(frozen=True, eq=False)
class Body:
    """A tree of bones, under a free root if floating."""

    name: str
    bones: tuple[Bone, ...]
    tips: tuple[Tip, ...]
    floating: bool = False
    root_height: float = 0.0
    rest_angles: dict[tuple[str, str], float] = field(default_factory=dict)
    """By bone and axis letter; 0 elsewhere."""

    @cached_property
    def dofs(self) -> list[tuple[int, str]]:
        """Bone and axis letter of each angle."""
        return [(index, axis) for index, bone in enumerate(self.bones) for axis in bone.axes]

    @property
    def dof_names(self) -> list[str]:
        """Of each angle."""
        return [f"{self.bones[index].name}_{axis}" for index, axis in self.dofs]

    @cached_property
    def limits(self) -> Array:
        """(2, angles): lower, upper."""
        return np.array([limit for bone in self.bones for limit in bone.limits]).T.copy()

    @property
    def n_root(self) -> int:
        """How many numbers of a state come before the angles."""
        return 7 if self.floating else 0

    @cached_property
    def oriented(self) -> npt.NDArray[np.bool_]:
        """(tips,)"""
        return np.array([tip.oriented for tip in self.tips])

    @cached_property
    def rest(self) -> Array:
        """The state that every solve starts from."""
        angles = [self.rest_angles.get((self.bones[index].name, axis), 0.0) for index, axis in self.dofs]
        root = [0.0, 0.0, self.root_height, 1.0, 0.0, 0.0, 0.0] if self.floating else []
        return np.concatenate([root, np.clip(angles, *self.limits)])

    def tip_frames(self, states: Array) -> tuple[Array, Array]:
        """World points (states, tips, 3) and rotations (states, tips, 3, 3) of the tips."""
        angles = states[:, self.n_root :]
        if self.floating:
            root_rotation, root_point = matrices_of_quaternions(states[:, 3:7]), states[:, :3]
        else:
            root_rotation, root_point = np.broadcast_to(np.eye(3), (len(states), 3, 3)), np.zeros((len(states), 3))
        rotations: list[Array] = []
        points: list[Array] = []
        column = 0
        for bone in self.bones:
            rotation, point = (root_rotation, root_point)
            if bone.parent >= 0:
                rotation, point = rotations[bone.parent], points[bone.parent]
            points.append(point + rotation @ np.array(bone.offset))
            for axis in bone.axes:
                rotation = rotation @ turns(axis, angles[:, column])
                column += 1
            rotations.append(rotation)
        found = [points[tip.bone] + rotations[tip.bone] @ np.array(tip.offset) for tip in self.tips]
        return np.stack(found, 1), np.stack([rotations[tip.bone] for tip in self.tips], 1)


@dataclass(frozen=True, eq=False)
class Task:
    """Poses to find, each from the body's rest state."""

    name: str
    body: Body
    truth: Array
    """(solves, state): one answer each; targets are reachable."""
    points: Array
    """(solves, tips, 3)"""
    rotations: Array
    """(solves, tips, 3, 3); only those of oriented tips are wanted"""

    def __len__(self) -> int:
        return len(self.truth)

    def first(self, n: int) -> Task:
        """The same task with fewer solves."""
        return Task(self.name, self.body, self.truth[:n], self.points[:n], self.rotations[:n])


@dataclass(frozen=True)
class Score:
    """How good some answers are."""

    reached: npt.NDArray[np.bool_]
    """(solves,)"""
    worst_violation: float
    """rad beyond a limit, 0 if none"""

    @property
    def success(self) -> float:
        """Per cent."""
        return 100.0 * float(self.reached.mean())


def score(task: Task, states: Array) -> Score:
    """Judge returned states by the kinematics above."""
    states = np.asarray(states, dtype=np.float64)
    points, rotations = task.body.tip_frames(states)
    distance = np.linalg.norm(points - task.points[: len(states)], axis=-1).max(axis=1)
    angle = angles_between(rotations, task.rotations[: len(states)])
    angle = np.where(task.body.oriented, angle, 0.0).max(axis=1)
    lower, upper = task.body.limits
    angles = states[:, task.body.n_root :]
    violation = np.maximum(lower - angles, angles - upper).max(axis=1)
    reached = (distance < POSITION_TOLERANCE) & (angle < ANGLE_TOLERANCE) & (violation < LIMIT_TOLERANCE)
    return Score(reached, max(0.0, float(violation.max())))


def make_task(name: str, body: Body, n: int, seed: int, spread: float = 1.0) -> Task:
    """Angles uniform within the limits, shrunk towards rest by `spread`; the root within 0.3 m and 0.5 rad per axis."""
    rng = np.random.default_rng(seed)
    lower, upper = body.limits
    rest = body.rest[body.n_root :]
    truth = rest + spread * (rng.uniform(lower, upper, (n, len(rest))) - rest)
    if body.floating:
        point = rng.uniform(-0.3, 0.3, (n, 3)) + body.rest[:3]
        turn = quaternions_of_vectors(rng.uniform(-0.5, 0.5, (n, 3)))
        truth = np.concatenate([point, turn, truth], axis=1)
    return Task(name, body, truth, *body.tip_frames(truth))


def human(leg: float = 1.0, arm: float = 1.0, spine: float = 1.0) -> Body:
    """22 bones, 49 angles under a free root; hands and head as points, feet as points and rotations.

    The factors lengthen legs, arms and spine.
    """
    bones: list[Bone] = []
    tips: list[Tip] = []
    index: dict[str, int] = {}

    def add(name: str, parent: str, offset: tuple[float, float, float], axes: str = "", *limits: Range) -> None:
        index[name] = len(bones)
        bones.append(Bone(name, index.get(parent, -1), offset, axes, limits))

    def tip(name: str, bone: str, offset: tuple[float, float, float], oriented: bool = False) -> None:
        tips.append(Tip(name, index[bone], offset, oriented))

    back = ((-0.35, 0.35), (-0.3, 0.5), (-0.3, 0.3))
    add("pelvis", "", (0.0, 0.0, 0.0))
    add("spine1", "pelvis", (0.0, 0.0, 0.10 * spine), "zyx", *back)
    add("spine2", "spine1", (0.0, 0.0, 0.13 * spine), "zyx", *back)
    add("spine3", "spine2", (0.0, 0.0, 0.13 * spine), "zyx", *back)
    add("neck", "spine3", (0.0, 0.0, 0.18 * spine), "zyx", (-0.6, 0.6), (-0.5, 0.5), (-0.4, 0.4))
    add("head", "neck", (0.01, 0.0, 0.10), "zyx", (-0.6, 0.6), (-0.4, 0.4), (-0.3, 0.3))
    tip("head", "head", (0.0, 0.0, 0.18))

    def mirrored(low: float, high: float, side: int) -> Range:
        return (low, high) if side > 0 else (-high, -low)

    rest: dict[tuple[str, str], float] = {}
    for s, side in (("l_", 1), ("r_", -1)):
        add(f"{s}clavicle", "spine3", (0.0, 0.03 * side, 0.13 * spine), "zx",
            mirrored(-0.35, 0.35, side), mirrored(-0.2, 0.5, side))  # fmt: skip
        add(f"{s}shoulder", f"{s}clavicle", (0.0, 0.15 * side, 0.0), "zyx",
            mirrored(-2.2, 0.6, side), (-1.4, 1.4), mirrored(-1.5, 1.4, side))  # fmt: skip
        add(f"{s}elbow", f"{s}shoulder", (0.0, 0.29 * side * arm, 0.0), "z", mirrored(-2.5, 0.0, side))
        add(f"{s}wrist", f"{s}elbow", (0.0, 0.26 * side * arm, 0.0), "zyx",
            mirrored(-0.5, 0.5, side), (-1.3, 1.3), mirrored(-1.2, 1.2, side))  # fmt: skip
        tip(f"{s}hand", f"{s}wrist", (0.0, 0.12 * side * arm, 0.0))
        rest |= {(f"{s}elbow", "z"): -0.3 * side}
        rest |= {(f"{s}shoulder", "x"): -0.6 * side, (f"{s}shoulder", "z"): -0.3 * side}
    for s, side in (("l_", 1), ("r_", -1)):
        add(f"{s}hip", "pelvis", (0.0, 0.09 * side, -0.06), "zyx",
            (-0.7, 0.7), (-2.0, 0.5), mirrored(-0.5, 0.8, side))  # fmt: skip
        add(f"{s}knee", f"{s}hip", (0.0, 0.0, -0.42 * leg), "y", (0.0, 2.5))
        add(f"{s}ankle", f"{s}knee", (0.0, 0.0, -0.41 * leg), "zyx", (-0.4, 0.4), (-0.8, 0.5), (-0.4, 0.4))
        tip(f"{s}foot", f"{s}ankle", (0.05, 0.0, -0.07), oriented=True)
        add(f"{s}toe", f"{s}ankle", (0.13, 0.0, -0.06), "y", (-0.8, 0.3))
        rest |= {(f"{s}knee", "y"): 0.25, (f"{s}hip", "y"): -0.12, (f"{s}ankle", "y"): -0.13}
    height = 0.06 + 0.83 * leg + 0.07
    return Body("human", tuple(bones), tuple(tips), floating=True, root_height=height, rest_angles=rest)


def chain() -> Body:
    """30 segments of three axes, 3 m long, fixed; the tip as a point."""
    bones = tuple(Bone(f"s{i:02d}", i - 1, (0.0, 0.0, 0.1 if i else 0.0), "zyx", ((-1.0, 1.0),) * 3) for i in range(30))
    rest = {(bone.name, "y"): 0.05 for bone in bones}
    return Body("chain", bones, (Tip("tip", 29, (0.0, 0.0, 0.1)),), rest_angles=rest)


def arm() -> Body:
    """Seven axes with the proportions and limits of a KUKA iiwa 14; the tip as a point and a rotation."""
    lengths = (0.1575, 0.2025, 0.2045, 0.2155, 0.1845, 0.2155, 0.081)
    ends = (2.9668, 2.0942, 2.9668, 2.0942, 2.9668, 2.0942, 3.0541)
    bones = tuple(
        Bone(f"a{i}", i - 1, (0.0, 0.0, length), axis, ((-end, end),))
        for i, (length, end, axis) in enumerate(zip(lengths, ends, "zyzyzyz", strict=True))
    )
    rest = {("a1", "y"): 0.4, ("a3", "y"): -0.9, ("a5", "y"): 0.6}
    return Body("arm", bones, (Tip("tip", 6, (0.0, 0.0, 0.045), oriented=True),), rest_angles=rest)


TASKS: dict[str, Callable[[], Task]] = {
    "t1": lambda: make_task("t1", human(), 200, 7),
    "t1x": lambda: make_task("t1x", human(), 1000, 4242),
    "t1m": lambda: make_task("t1m", human(), 200, 7, spread=0.5),
    "chain": lambda: make_task("chain", chain(), 200, 11, spread=0.5),
    "arm": lambda: make_task("arm", arm(), 200, 13, spread=0.95),
    "t4": lambda: make_task("t4", human(), 4096, 99),
}
"""t1: tuned on; t1x: held out, quote success from it; t1m: half the range; t4: many independent solves."""


def fresh(seed: int, n: int = 20_000) -> Task:
    """Poses of the human that no setting can have been tuned on."""
    return make_task("fresh", human(), n, seed)


def turns(axis: str, angles: Array) -> Array:
    """Rotation matrices (n, 3, 3) about a coordinate axis."""
    c, s = np.cos(angles), np.sin(angles)
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    found = np.zeros((len(angles), 3, 3))
    found[:, i, i] = 1.0
    found[:, j, j], found[:, j, k], found[:, k, j], found[:, k, k] = c, -s, s, c
    return found


def matrices_of_quaternions(wxyz: Array) -> Array:
    """(..., 4) of any length -> (..., 3, 3)."""
    unit = wxyz / np.linalg.norm(wxyz, axis=-1, keepdims=True)
    w, v = unit[..., 0, None, None], unit[..., 1:]
    across = np.zeros((*unit.shape[:-1], 3, 3))
    across[..., 0, 1], across[..., 0, 2], across[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    across -= np.swapaxes(across, -1, -2)
    matrix: Array = np.eye(3) + 2.0 * w * across + 2.0 * across @ across
    return matrix


def quaternions_of_matrices(matrices: Array) -> Array:
    """(..., 3, 3) -> (..., 4) wxyz with w >= 0: the eigenvector of Bar-Itzhack's matrix (2000)."""
    flat = np.asarray(matrices, dtype=np.float64).reshape(-1, 3, 3)
    trace = np.trace(flat, axis1=1, axis2=2)
    K = np.zeros((len(flat), 4, 4))
    K[:, 0, 0] = trace
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        K[:, 0, i + 1] = K[:, i + 1, 0] = flat[:, k, j] - flat[:, j, k]
    K[:, 1:, 1:] = flat + np.swapaxes(flat, 1, 2) - trace[:, None, None] * np.eye(3)
    found = np.linalg.eigh(K)[1][:, :, -1]
    return (found * np.where(found[:, :1] < 0.0, -1.0, 1.0)).reshape(*np.shape(matrices)[:-2], 4)


def quaternions_of_vectors(vectors: Array) -> Array:
    """Rotation vectors (..., 3) -> (..., 4) wxyz."""
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2), 0.5 * np.sinc(angle / (2 * np.pi)) * vectors], axis=-1)


def angles_between(a: Array, b: Array) -> Array:
    """Angle (rad) between rotation matrices, accurate near zero."""
    chord = np.linalg.norm(a - b, axis=(-2, -1)) / np.sqrt(8.0)
    return 2.0 * np.arcsin(np.clip(chord, 0.0, 1.0))
