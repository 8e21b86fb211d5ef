"""A robot as the readers of a layout see it: its joints and bodies in their order, and what follows from its joints.

Trainers number joints and bodies by walking the robot's tree: depth first (MuJoCo) or breadth first (PhysX). Bodies
that are fixed to another are part of it for PhysX, and for MuJoCo when it reads URDF; an MJCF file keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from posewright.conventions import Array
from posewright.figures import Body, Figure
from posewright.figures.kinematics import joint_frames
from posewright.formats.robots.motion import RobotMotion, joint_order, motion_of
from posewright.formats.robots.to_figure import world_from_robot
from posewright.rotations import (
    continuous,
    quaternion_conjugate,
    quaternion_from_matrix,
    quaternion_multiply,
    vector_from_quaternion,
)

Order = Literal["file", "depth first", "breadth first"]
Bodies = Literal["moving", "all"]


@dataclass(frozen=True, eq=False)
class LayoutRobot:
    """A robot with joints and bodies numbered as in a layout."""

    figure: Figure
    order: Order
    keeps: Bodies
    """Which bodies count: those moved by joints, or (in MJCF) also those fixed to them."""
    world: bool = False
    """Whether the world counts as a body before the root."""
    followers: bool = True
    """Whether joints that follow another (`mimic`) count as joints."""

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the moving joints, without the root."""
        if self.order == "file":
            walked = joint_order(self.figure)
        else:
            names = self.figure.joint_names
            walked = tuple(names[k] for k in self._walk if k and self.figure.joints[k].n_dofs)
        return walked if self.followers else tuple(name for name in walked if name not in self.led)

    @cached_property
    def led(self) -> dict[str, tuple[str, float, float]]:
        """By following joint: its leader, ratio and offset."""
        joint_of = {f"{j.name}.{label}": j.name for j in self.figure.joints for label in j.labels}
        found = {}
        for relation in self.figure.constraints:
            if relation.is_equality and len(relation.coefficients) == 2:
                (follower, one), (leader, ratio) = relation.coefficients
                found[joint_of[follower]] = (joint_of[leader], -ratio / one, relation.lower / one)
        return found

    def with_followers(self, joints: Array) -> tuple[tuple[str, ...], Array]:
        """Names and positions (frames, joints) of all joints, from those of the layout."""
        names, columns = list(self.joint_names), list(joints.T)
        waiting = [name for name in self.led if name not in names]
        for _ in waiting:  # a follower may lead another
            for name in waiting:
                leader, ratio, offset = self.led[name]
                if name not in names and leader in names:
                    names.append(name)
                    columns.append(ratio * columns[names.index(leader)] + offset)
        return tuple(names), np.stack(columns, axis=1) if columns else joints

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies in the layout's order, the root first."""
        source = self.figure.source
        known = {body.joint: body for body in source.bodies} if source is not None else {}
        fused = self.keeps == "moving" or (source is not None and source.format == "urdf")
        listed = []
        for k in self._walk:
            joint = self.figure.joints[k]
            if k == 0 or joint.n_dofs or not fused:
                body = known.get(joint.name)
                if body is not None or not known:
                    listed.append(body or Body(name=joint.name, joint=joint.name))
        return tuple(listed)

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies, including the world if it counts."""
        return ("world",) * self.world + tuple(body.name for body in self.bodies)

    @cached_property
    def axes(self) -> Array:
        """(joints, 3): axis of each joint's hinge in its own frame; zero for a slide."""
        hinges = [self.figure.joint(name).hinges for name in self.joint_names]
        return np.array([hinge[0].axis if hinge else (0.0, 0.0, 0.0) for hinge in hinges]).reshape(-1, 3)

    @cached_property
    def centres(self) -> Array:
        """(bodies, 3), m: centre of mass of each body with everything fixed to it, in the body's frame."""
        rest = joint_frames(self.figure, self.figure.rest)
        index = {body.joint: row for row, body in enumerate(self.bodies)}
        masses, sums = np.zeros(len(self.bodies)), np.zeros((len(self.bodies), 3))
        part_of: dict[int, int] = {}
        for k, joint in enumerate(self.figure.joints):
            part_of[k] = row = index.get(joint.name, part_of.get(self.figure.parents[k], 0))
            masses[row] += joint.mass
            sums[row] += joint.mass * (rest.positions[k] + rest.rotations[k] @ np.array(joint.centre))
        out = np.zeros((len(self.bodies), 3))
        for row, body in enumerate(self.bodies):
            if masses[row] > 0.0:
                k = self.figure.joint_index(body.joint)
                out[row] = rest.rotations[k].T @ (sums[row] / masses[row] - rest.positions[k]) - np.array(body.point)
        return out

    @cached_property
    def _walk(self) -> tuple[int, ...]:
        """Joints of the figure in the order used by training; siblings are in file order."""
        figure = self.figure
        ranks = {name: k for k, name in enumerate(figure.source.joint_order if figure.source else ())}
        by_file = sorted(range(len(figure.joints)), key=lambda k: ranks.get(figure.joint_names[k], k))
        below: dict[int, list[int]] = {}
        for k in by_file:
            if k:
                below.setdefault(self._carrier(k), []).append(k)
        walked, waiting = [0], list(below.get(0, ()))
        while waiting:
            k = waiting.pop(0)
            walked.append(k)
            children = below.get(k, [])
            waiting = [*waiting, *children] if self.order == "breadth first" else [*children, *waiting]
        return tuple(walked)

    def _carrier(self, k: int) -> int:
        """The parent of a joint; breadth first, fixed joints are part of their parent."""
        parents = self.figure.parents
        above = parents[k]
        while self.order == "breadth first" and above and not self.figure.joints[above].n_dofs:
            above = parents[above]
        return above


class RobotStates:
    """Everything that a layout may store of a robot's motion, in the robot's world; computed on demand."""

    def __init__(self, robot: LayoutRobot, given: RobotMotion) -> None:
        """The joints of `given` may be in any order."""
        self.robot, self.given = robot, given
        self.motion = motion_of(robot.figure, given)
        place = {name: k for k, name in enumerate(given.joint_names)}
        self.joints = given.joint_positions[:, [place[name] for name in robot.joint_names]]

    @property
    def root_velocity(self) -> Array:
        """(frames, 3), m/s: of the root's origin, by central differences (one-sided at the ends)."""
        return _gradient(self.given.root_position, self.given.fps)

    @cached_property
    def root_spin(self) -> Array:
        """(frames, 3), rad/s, world axes: by central differences; the ends repeat their neighbours."""
        turns, n = self.given.root_wxyz, len(self.given.root_wxyz)
        if n < 2:
            return np.zeros((n, 3))
        apart = min(2, n - 1)
        steps = quaternion_multiply(turns[apart:], quaternion_conjugate(turns[:-apart]))
        inner = vector_from_quaternion(steps) * (self.given.fps / apart)
        return np.concatenate([inner[:1], inner, inner[-1:]])[:n]

    @property
    def joint_velocities(self) -> Array:
        """(frames, joints), rad/s and m/s: by central differences (one-sided at the ends)."""
        return _gradient(self.joints, self.given.fps)

    @cached_property
    def _frames(self) -> tuple[Array, Array]:
        """Positions (frames, joints, 3) and rotations (frames, joints, 3, 3) of the figure's joints."""
        figure = self.robot.figure
        turn = world_from_robot(figure.source.up if figure.source is not None else "y")
        frames = joint_frames(figure, self.motion.q)
        return frames.positions @ turn, turn.T @ frames.rotations

    @cached_property
    def _rows(self) -> list[int]:
        return [self.robot.figure.joint_index(body.joint) for body in self.robot.bodies]

    @cached_property
    def _origins(self) -> Array:
        return np.array([body.point for body in self.robot.bodies]).reshape(-1, 3)

    @cached_property
    def body_positions(self) -> Array:
        """(frames, bodies, 3), m: origins of the bodies."""
        positions, rotations = self._frames
        return self._after_world(positions[:, self._rows] + _turned(rotations[:, self._rows], self._origins))

    @cached_property
    def body_wxyz(self) -> Array:
        """(frames, bodies, 4), with signs continuous over the frames."""
        return self._after_world(continuous(quaternion_from_matrix(self._frames[1][:, self._rows])), 1.0)

    @property
    def local_body_positions(self) -> Array:
        """(frames, bodies, 3), m: in the frame of the root."""
        positions, rotations = self._frames
        from_root: Array = np.einsum("tji,tbj->tbi", rotations[:, 0], self.body_positions - positions[:, :1])
        return from_root

    @cached_property
    def body_spins(self) -> Array:
        """(frames, bodies, 3), rad/s, world axes."""
        return self._after_world(self._rates[1][:, self._rows])

    @property
    def body_velocities(self) -> Array:
        """(frames, bodies, 3), m/s: of the origins of the bodies."""
        return self._velocities_at(self._origins)

    @property
    def centre_velocities(self) -> Array:
        """(frames, bodies, 3), m/s: of the centres of mass of the bodies."""
        return self._velocities_at(self._origins + self.robot.centres)

    @property
    def simulated_velocities(self) -> Array:
        """(frames, bodies, 3), m/s: of the centres of mass, but of the root's origin, as in IsaacLab."""
        velocities = self.centre_velocities
        velocities[:, int(self.robot.world)] = self.root_velocity
        return velocities

    def _velocities_at(self, points: Array) -> Array:
        velocities, spins = self._rates
        arms = _turned(self._frames[1][:, self._rows], points)
        return self._after_world(velocities[:, self._rows] + np.cross(spins[:, self._rows], arms))

    def _after_world(self, values: Array, first: float = 0.0) -> Array:
        """Values (frames, bodies, n) preceded by those of the world, if it counts: `first`, then zeros."""
        if not self.robot.world:
            return values
        still = np.zeros_like(values[:, :1])
        still[..., 0] = first
        return np.concatenate([still, values], axis=1)

    @cached_property
    def _rates(self) -> tuple[Array, Array]:
        """Linear and angular velocities (frames, joints, 3) of the figure's joints, from those of the dofs."""
        figure, (positions, rotations) = self.robot.figure, self._frames
        rates = _gradient(self.motion.q, self.given.fps)
        velocities, spins = np.zeros_like(positions), np.zeros_like(positions)
        velocities[:, 0], spins[:, 0] = self.root_velocity, self.root_spin
        for k in range(1, len(figure.joints)):
            joint, above = figure.joints[k], figure.parents[k]
            arm = positions[:, k] - positions[:, above]
            velocities[:, k] = velocities[:, above] + np.cross(spins[:, above], arm)
            spins[:, k] = spins[:, above]
            if joint.n_dofs:
                rate = rates[:, figure.dof_slice(k).start, np.newaxis]
                if joint.slides:
                    velocities[:, k] += rate * (rotations[:, above] @ np.array(joint.slides[0].axis))
                else:
                    spins[:, k] += rate * (rotations[:, k] @ np.array(joint.hinges[0].axis))
        return velocities, spins


def _turned(rotations: Array, points: Array) -> Array:
    """Points (bodies, 3) turned by rotations (frames, bodies, 3, 3)."""
    turned: Array = np.einsum("tbij,bj->tbi", rotations, points)
    return turned


def _gradient(values: Array, fps: float) -> Array:
    if len(values) < 2:
        return np.zeros_like(values)
    slopes: Array = np.gradient(values, 1.0 / fps, axis=0)
    return slopes
