"""Reaching for a box (Zhao & Badler 1994, section 12, figures 6 to 8): a point on its face, and the face's normal.

The body has a torso of five segments with three dofs each, as the paper's older one; here a segment is three or four
vertebrae that bend together. The palm of the right hand shall lie on the right face of a box, with the arm alone, from
the waist, and from the waist with a torso that is stiff against bending sideways and turning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, JointGroup, Pose
from posewright.figures.catalogue import human70
from posewright.figures.catalogue.spine import COORDINATES, VERTEBRAE
from posewright.figures.vectors import vector
from posewright.goals import Placement, PythonGoal
from posewright.goals.term import Point
from posewright.problem import Problem, Space
from posewright.report.scene import Mark
from posewright.solvers.solver import Solver

ARM = ("right_clavicle", "right_shoulder", "right_elbow", "right_wrist")
WAIST = (*(vertebra.name for vertebra in VERTEBRAE), *ARM)
"""The joints of the chain from the waist to the hand."""
SIDEWAYS = ("lateral", "axial")
_SEGMENTS = (3, 3, 3, 4, 4)  # vertebrae each, from below


@dataclass(frozen=True)
class Box:
    """A box before a person; only its right face, where the hand shall be, matters to the task. Lengths in m."""

    face: Point
    """The middle of the right face."""
    size: tuple[float, float, float] = (0.30, 0.22, 0.26)

    def problem(self, figure: Figure, joints: Sequence[str]) -> Problem:
        """The palm flat on the face, by these joints; how the fingers point is free."""
        goal = Placement("right_hand", self.face, y=(1.0, 0.0, 0.0), joints=tuple(joints))
        return Problem(Space.grouped(figure), [goal])

    def marks(self) -> tuple[Mark, ...]:
        """Its edges, and the right face hatched."""
        _, height, depth = self.size
        corner = np.array(self.face) - np.array([0.0, 0.5 * height, 0.5 * depth])
        ends = {c: corner + np.array(c) * self.size for c in product((0.0, 1.0), repeat=3)}
        edges = [
            (ends[a], ends[b])
            for a in ends
            for b in ends
            if a < b and sum(p != q for p, q in zip(a, b, strict=True)) == 1
        ]
        lines = [
            (corner + np.array([0.0, k * height / 12, 0.0]), corner + np.array([0.0, k * height / 12, depth]))
            for k in range(1, 12)
        ]
        return (
            *(Mark.line((vector(a), vector(b)), colour="slate", radius=0.008) for a, b in edges),
            *(Mark.line((vector(a), vector(b)), colour="sky", radius=0.003) for a, b in lines),
        )


BOX = Box((0.06, 0.68, 0.66))
"""The one that pictures show: low, and across the middle."""


def boxes() -> Sequence[Box]:
    """A grid of places before the person."""
    grid = product((-0.45, -0.25, -0.05, 0.15, 0.35), (0.7, 0.95, 1.2, 1.4), (0.5, 0.65, 0.8))
    return [Box(face) for face in grid]


def five_segment_torso(rigidity: float = 0.0) -> Figure:
    """The upper body whose spine bends in five parts; `rigidity` is that of bending sideways and turning."""
    figure = human70()
    groups, first = [], 0
    for k, count in enumerate(_SEGMENTS):
        part = VERTEBRAE[first : first + count]
        ranges = np.array([(v.flexion, v.lateral, v.axial) for v in part])
        shares = ranges / ranges.sum(axis=0)
        members = tuple(f"{v.name}.{bend}" for v in part for bend in COORDINATES)
        matrix = tuple(tuple(row) for v in shares for row in np.diag(v).tolist())
        groups.append(JointGroup(name=f"torso{k + 1}", coordinates=COORDINATES, members=members, matrix=matrix))
        first += count
    spine = {vertebra.name for vertebra in VERTEBRAE}
    joints = tuple(
        replace(
            joint,
            rotation=tuple(replace(h, rigidity=rigidity) if h.label in SIDEWAYS else h for h in joint.hinges),
        )
        if joint.name in spine
        else joint
        for joint in figure.joints
    )
    return replace(figure, name="human with a torso of five", joints=joints, groups=(*groups, *figure.groups))


def sideways(problem: Problem, q: Array) -> float:
    """Sum of squares (rad²) of the torso's bends sideways and turns."""
    return float(np.sum(problem.space.encode(q)[_sideways_coordinates(problem)] ** 2))


def least_sideways(problem: Problem, solver: Solver, starts: Sequence[Pose]) -> float:
    """The same in the pose that reaches with the least of it, as far as searches from these starts find one.

    The hand may miss by the little (2 mm at most, else the pose does not count) that a faint pull to the front costs.
    """
    chosen = _sideways_coordinates(problem)
    by_q: Array = np.asarray(np.linalg.pinv(problem.space.matrix)[chosen], dtype=np.float64)
    upright = PythonGoal(
        lambda pose: problem.space.encode(pose.q)[chosen],
        len(chosen),
        unit="rad",
        jacobian=lambda _: by_q,
        weight=1e-4,
        tolerance=1e-12,
        name="upright",
    )
    goals = [*(replace(goal, tolerance=1e-12) for goal in problem.goals), upright]
    found = [solver.solve(Problem(problem.space, goals), start) for start in starts]
    return min(sideways(problem, result.q) for result in found if result.errors["right_hand"] < 2e-3)


def _sideways_coordinates(problem: Problem) -> list[int]:
    parts = [name.split(".") for name in problem.space.names]
    return [k for k, (joint, bend) in enumerate(parts) if joint.startswith("torso") and bend in SIDEWAYS]
