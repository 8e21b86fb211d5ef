"""A transfer of poses lowered to tables: which orientation each group of the target's dofs must reach."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.lexicon import FINGERS, SIDES
from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures import Figure
from posewright.figures.joint_coordinates import own_rotations
from posewright.kernels.motion.transfer import PART, UNIT, TransferTables
from posewright.kernels.tables import Table
from posewright.matching.joint_match import JointMatch
from posewright.rotations import matrix_from_quaternion

_DIRECTION = (1.0, 0.05, 0.05)
"""Weights of axis, front and across of a limb that cannot turn every way: where it points counts."""
_WEIGHTS = {"wrist": (1.0, 0.3, 0.3), "hip": (1.0, 0.3, 0.3), "shoulder": (1.0, 0.3, 0.3), "ankle": (0.4, 1.0, 0.4)}
_ALL_ALIKE = (1.0, 1.0, 1.0)
_FULL_HAND = 3
"""A source with fewer fingers than this (of five) has not recorded them: they stay at rest."""


def transfer_tables(match: JointMatch) -> TransferTables:
    """Lower a transfer between the figures of a match."""
    return _Lowering(match).tables()


def root_joint(anatomy: Anatomy) -> int:
    """Index of the pelvis or the joint above it that slides freely: what moves a figure about.

    Raises:
        InvalidFigure: none does.
    """
    figure = anatomy.figure
    for joint in figure.ancestors(anatomy.first("pelvis")):
        axes = [slide.axis for slide in figure.joints[joint].slides]
        if len(axes) == 3 and abs(np.linalg.det(np.array(axes))) > 1e-6:
            return joint
    raise InvalidFigure(
        f"figure {figure.name!r} cannot move freely: neither its pelvis ({anatomy.parts['pelvis'][0]!r}) nor a joint "
        "above it has three slides (read a robot's file with base='free', --base or --to-base free)"
    )


class _Lowering:
    def __init__(self, match: JointMatch) -> None:
        self.match, self.source, self.target = match, match.source.segments, match.target.segments
        self.figure = match.target.figure
        self.rests = matrix_from_quaternion(np.array([joint.rest for joint in self.figure.joints]))
        self.parts: list[Table] = []
        self.units: list[Table] = []
        self.rows: dict[str, int] = {}

    def tables(self) -> TransferTables:
        root = root_joint(self.match.target)
        own = self.match.target.last("pelvis")
        self._unit("pelvis", self._row("pelvis"), self._down(root, own))
        self._trunk()
        for side in SIDES:
            for part in ("clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toes"):
                name = f"{side}_{part}"
                if name in self.match.parts:
                    chain = self.match.target
                    self._unit(name, self._row(name), self._down(chain.first(name), chain.last(name)))
            self._fingers(side)
        for side in SIDES:
            self._bend_below(side, "shoulder", "elbow", 1.0)
            self._bend_below(side, "hip", "knee", -1.0)
        return self._tables(root)

    def _row(self, part: str) -> int:
        """The row that wants a part of the target as the source has it."""
        if part not in self.rows:
            joint = self.match.source.last(part)
            self.rows[part] = self._add_row(joint, self.source.joint_frame(part, joint))
        return self.rows[part]

    def _add_row(
        self, joint: int, frame: Array, after: int = -1, after_frame: Array | None = None, share: float = 0.0
    ) -> int:
        row = np.zeros(1, PART)[0]
        row["joint"], row["frame"], row["next"], row["share"] = joint, frame, after, share
        row["next_frame"] = np.eye(3) if after_frame is None else after_frame
        self.parts.append(row)
        return len(self.parts) - 1

    def _trunk(self) -> None:
        """Spine and neck, spread over however many joints the two figures have."""
        source = self.match.source.parts
        knots = [("pelvis", self.match.source.last("pelvis"))]
        knots += [("spine", self.source.figure.joint_index(name)) for name in source.get("spine", ())]
        self._spread("spine", knots, ends_in=True)
        if "head" in self.match.parts:
            knots = knots[-1:] + [("neck", self.source.figure.joint_index(name)) for name in source.get("neck", ())]
            self._spread("neck", [*knots, ("head", self.match.source.last("head"))], ends_in=False)
            chain = self.match.target
            self._unit("head", self._row("head"), self._down(chain.first("head"), chain.last("head")))

    def _fingers(self, side: str) -> None:
        recorded = [finger for finger in FINGERS if f"{side}_{finger}" in self.match.source.parts]
        if len(recorded) < _FULL_HAND or f"{side}_wrist" not in self.match.parts:
            return
        for finger in recorded:
            name = f"{side}_{finger}"
            knots = [(f"{side}_wrist", self.match.source.last(f"{side}_wrist"))]
            knots += [(name, self.source.figure.joint_index(joint)) for joint in self.match.source.parts[name]]
            self._spread(name, knots, ends_in=True)

    def _spread(self, part: str, knots: Sequence[tuple[str, int]], *, ends_in: bool) -> None:
        """Give a part's joints orientations between the knots; `ends_in`: its last joint that of the last knot."""
        names = self.match.target.parts.get(part, ())
        groups = list(_groups([self.figure.joint_index(name) for name in names], self.figure))
        steps = len(names) if ends_in else len(names) + 1
        done = 0
        for group in groups:
            done += len(group)
            place = done / steps * (len(knots) - 1)
            k = min(int(place), max(len(knots) - 2, 0))
            frames = [self._knot_frame(knots[min(k + step, len(knots) - 1)]) for step in (0, 1)]
            row = self._add_row(knots[k][1], frames[0], knots[min(k + 1, len(knots) - 1)][1], frames[1], place - k)
            self._unit(part, row, self._down(group[0], group[-1]))

    def _knot_frame(self, knot: tuple[str, int]) -> Array:
        return self.source.joint_frame(*knot)

    def _down(self, first: int, last: int) -> list[int]:
        chain = self.figure.ancestors(last)[::-1]
        return list(chain[chain.index(first) :])

    def _unit(self, part: str, row: int, path: Sequence[int]) -> None:
        """Let the first joints of a path that can turn bring the last one to where a row wants it."""
        joints, rest = self.figure.joints, self.figure.rest
        unit = np.zeros(1, UNIT)[0]
        unit["joint"], unit["part"], unit["ball"], unit["lower"] = path[0], row, -1, -1
        unit["frame"] = self.target.joint_frame(part, path[-1])
        constant, before, n = np.eye(3), np.eye(3), 0
        for k in path:
            joint = joints[k]
            first = self.figure.dof_slice(k).start + len(joint.slides)
            constant = constant @ self.rests[k]
            if joint.ball:
                if n == 0 and unit["ball"] < 0:
                    unit["ball"], before, constant = first, constant, np.eye(3)
                else:
                    constant = constant @ own_rotations(joint, rest[None, first : first + 3])[0]
            for i, hinge in enumerate(joint.hinges):
                if n < 3 and unit["ball"] < 0:
                    unit["dofs"][n], unit["axes"][n] = first + i, constant @ np.array(hinge.axis)
                    n += 1
                else:
                    constant = constant @ _hinge_turn(hinge.axis, float(rest[first + i]))
        unit["hinges"], unit["before"], unit["after"] = n, before, constant
        unit["alone"] = len(path) == 1
        used = unit["dofs"][:n]
        unit["damped"] = n == 3 and bool(np.isfinite([self.figure.lower[used], self.figure.upper[used]]).any())
        side_less = part.rpartition("_")[2]
        trunk = side_less in ("pelvis", "spine", "neck", "head", "clavicle")
        unit["weights"] = _ALL_ALIKE if trunk else _WEIGHTS.get(side_less, _DIRECTION)
        if n or unit["ball"] >= 0:
            self.units.append(unit)

    def _bend_below(self, side: str, above: str, below: str, bends_to: float) -> None:
        """Where elbow or knee is a single hinge, the segment above has to twist its axis across the bend."""
        upper, lower = f"{side}_{above}", f"{side}_{below}"
        first = {name: self.match.target.first(name) for name in (upper, lower)}
        found = {name: next((u for u in self.units if u["joint"] == joint), None) for name, joint in first.items()}
        unit, bend = found[upper], found[lower]
        if unit is None or bend is None or bend["hinges"] != 1 or (unit["hinges"] < 3 and unit["ball"] < 0):
            return
        parent = self.figure.parents[first[lower]]
        axis = self.target.frames[upper].T @ self.target.rotations[parent] @ bend["axes"][0]
        # Turning the axis of the limb to its front is positive about axis x front, the third direction.
        unit["hinge"] = axis if bends_to * axis[2] > 0.0 else -axis
        unit["lower"] = bend["part"]

    def _tables(self, root: int) -> TransferTables:
        figure = self.figure
        units = np.array(sorted(self.units, key=lambda unit: int(unit["joint"])), dtype=UNIT)
        unit_at = np.full(len(figure.joints), -1, dtype=np.int64)
        unit_at[units["joint"]] = np.arange(len(units))
        active = {int(d) for u in units for d in (*u["dofs"][: u["hinges"]], u["ball"])}
        moving = np.zeros(len(figure.joints), dtype=np.int64)
        still = self.rests.copy()
        for k, joint in enumerate(figure.joints):
            dofs = figure.dof_slice(k)
            turning = figure.rest[None, dofs.start + len(joint.slides) : dofs.stop]
            moving[k] = any(d in active for d in range(dofs.start, dofs.stop))
            if not moving[k] and turning.any():
                still[k] = still[k] @ own_rotations(joint, turning)[0]
        kept = np.array([root, self.match.target.last("pelvis")])
        return TransferTables(*figure.tables, np.array(self.parts, dtype=PART), units, unit_at, moving, still, kept)


def _groups(joints: Sequence[int], figure: Figure) -> Sequence[list[int]]:
    """Joints of a chain one by one, but up to three single hinges in a row (a robot's waist) together."""
    groups: list[list[int]] = []
    for k in joints:
        single = not figure.joints[k].ball and len(figure.joints[k].hinges) == 1
        last = groups[-1] if groups else []
        joined = last and single and len(last) < 3 and all(len(figure.joints[j].hinges) == 1 for j in last)
        if joined and figure.parents[k] == last[-1]:
            last.append(k)
        else:
            groups.append([k])
    return groups


def _hinge_turn(axis: Sequence[float], angle: float) -> Array:
    half = 0.5 * angle
    return matrix_from_quaternion(np.array([math.cos(half), *(math.sin(half) * np.array(axis))]))
