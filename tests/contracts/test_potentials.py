"""The potential of every goal in every space, written as the papers print it: it is ‖ρ‖², and its gradient is 2 Jᵀρ."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from goals_and_spaces import GOALS, OUT_OF_REACH, POINT, SPACES, X, Y, leggy, twice_the_gap
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.problem.linearisation import linearise
from posewright.problem.lowering import lower


def squared(vector):
    return float(np.sum(np.square(vector)))


class Effector(NamedTuple):
    """A site in the world: e = (r, x, y), and the reach L of its chain (m)."""

    r: np.ndarray
    x: np.ndarray
    y: np.ndarray
    L: float

    @property
    def matrix(self):
        return np.column_stack([self.x, self.y, np.cross(self.x, self.y)])

    def turned(self, x, y):
        """Squared angle from these directions to others."""
        wanted = np.column_stack([x, y, np.cross(x, y)])
        return squared(Rotation.from_matrix(wanted @ self.matrix.T).as_rotvec())

    def chords(self, x, y):
        return squared(self.x - x) + squared(self.y - y)

    def aimed(self, p, v):
        away = np.array(p) - self.r
        return squared(away / np.linalg.norm(away) - v)

    def from_line(self, p, direction):
        away = np.array(p) - self.r
        return squared(away - (away @ direction) * np.array(direction))

    def from_plane(self, p, normal):
        return float((np.array(p) - self.r) @ normal) ** 2

    def outside(self, p, normal):
        """Of the half-space that the normal points into."""
        return 0.0 if (np.array(p) - self.r) @ normal < 0.0 else self.from_plane(p, normal)


class At(NamedTuple):
    """A pose: the plain figure's, and the numbers of the same pose in the chart of the space."""

    pose: pw.Pose
    q: np.ndarray
    space: pw.Space

    def of(self, site):
        figure, frames = self.pose.figure, site_frames(self.pose.figure, self.pose.q, [site])
        where = figure.site(site)
        bones = [math.dist((0, 0, 0), figure.joints[index].offset) for index in figure.ancestors(where.joint)]
        return Effector(
            frames.points[0], frames.x_axes[0], frames.y_axes[0], sum(bones) + math.dist((0, 0, 0), where.point)
        )

    @property
    def mass(self):
        figure, frames = self.pose.figure, joint_frames(self.pose.figure, self.pose.q)
        centres = [
            position + rotation @ joint.centre
            for joint, position, rotation in zip(figure.joints, frames.positions, frames.rotations, strict=True)
        ]
        return np.average(centres, axis=0, weights=[joint.mass for joint in figure.joints])

    def part(self, joint):
        return self.q[self.pose.figure.dof_slice(joint)]


def aim_at_the_figure(at):
    finger, hand = at.of("finger"), at.of("hand")
    return finger.L**2 * finger.aimed(at.of("foot").r, hand.matrix @ (0.0, 0.6, 0.8))


def posture(at):
    figure = at.pose.figure
    reference = at.space.in_chart(figure.rest + 0.1)
    weights = {"arm": 3.0, "spine.rx": 0.0}
    each = [weights.get(name, weights.get(name.split(".")[0], 1.0)) for name in figure.dof_names]
    return float(np.sum(each * (at.q - reference) ** 2))


POTENTIALS = {
    "position": lambda at: 2.0 * squared(at.of("finger").r - POINT),
    "position on the figure": lambda at: 2.0 * squared(at.of("finger").r - at.of("foot").r),
    "orientation": lambda at: 0.7**2 * at.of("finger").turned(X, Y),
    "orientation by chords": lambda at: 0.5 * at.of("foot").L ** 2 * at.of("foot").chords(X, Y),
    "one direction": lambda at: at.of("finger").L ** 2 * squared(at.of("finger").y - Y),
    "orientation like another": lambda at: at.of("finger").L ** 2 * at.of("finger").turned(*at.of("foot")[1:3]),
    "directions like another": lambda at: at.of("finger").L ** 2 * at.of("finger").chords(*at.of("foot")[1:3]),
    "placement": lambda at: (
        0.3 * squared(at.of("finger").r - POINT) + 0.7 * at.of("finger").L ** 2 * at.of("finger").turned(X, Y)
    ),
    "placement on the figure": lambda at: (
        0.5 * squared(at.of("foot").r - at.of("finger").r)
        + 0.5 * at.of("foot").L ** 2 * at.of("foot").turned(*at.of("arm")[1:3])
    ),
    "aim": lambda at: 0.4**2 * at.of("finger").aimed(POINT, at.of("finger").x),
    "aim at the figure": aim_at_the_figure,
    "line": lambda at: at.of("finger").from_line(POINT, X),
    "line through the figure": lambda at: at.of("finger").from_line(at.of("foot").r, X),
    "plane": lambda at: at.of("foot").from_plane(POINT, X),
    "plane through the figure": lambda at: at.of("foot").from_plane(at.of("finger").r, X),
    "distance": lambda at: 2.0 * (np.linalg.norm(at.of("finger").r - POINT) - 0.2) ** 2,
    "distance to the figure": lambda at: (np.linalg.norm(at.of("finger").r - at.of("foot").r) - 0.3) ** 2,
    "half-space": lambda at: at.of("finger").outside(OUT_OF_REACH, Y),
    "half-space from the figure": lambda at: at.of("foot").outside(at.of("finger").r, Y),
    "any of": lambda at: 3.0 * min(squared(at.of("finger").r - POINT), squared(at.of("foot").r - OUT_OF_REACH)),
    "any of placements": lambda at: min(
        0.5 * squared(at.of("finger").r - OUT_OF_REACH) + 0.5 * at.of("finger").L ** 2 * squared(at.of("finger").x - X),
        0.5 * squared(at.of("finger").r - POINT) + 0.5 * at.of("finger").L ** 2 * at.of("finger").turned(X, Y),
    ),
    "outside": lambda at: min(
        at.of("finger").outside(corner * np.ones(3), np.sign(corner) * axis)
        for axis, corners in zip(np.eye(3), ((-9.0, 9.0), (-9.0, 7.0), (-9.0, 9.0)), strict=True)
        for corner in corners
    ),
    "centre of mass": lambda at: squared(at.mass - POINT),
    "centre of mass over": lambda at: squared((at.mass - POINT)[[0, 2]]),
    "centre of mass over the figure": lambda at: squared((at.mass - at.of("foot").r)[[0, 2]]),
    "centre of mass on the figure": lambda at: squared(at.mass - at.of("foot").r),
    "posture": posture,
    "smoothness": lambda at: 2.0 * squared(at.part("pelvis") - at.part("leg")),
    "Python": lambda at: 1.5 * squared(twice_the_gap(at.pose)),
    "Python with Jacobian": lambda at: squared(at.mass),
}


def test_no_goal_is_without_a_potential():
    assert POTENTIALS.keys() == GOALS.keys()


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("goal", GOALS)
def test_the_rows_of_a_goal_make_its_potential_and_its_gradient(mixed_figure, goal, kind):
    figure = leggy(mixed_figure)
    space = SPACES[kind](figure)
    lowered = lower(pw.Problem(space, [GOALS[goal](figure)]))

    def potential(x):
        return POTENTIALS[goal](At(pw.Pose(figure, space.decode(x)), space.matrix @ x + space.offset, space))

    x = np.random.default_rng(7 * len(goal) + len(kind)).uniform(-0.6, 0.6, len(space.names))
    (rows,) = linearise(lowered, lowered.targets, x, np.array(figure.rest))
    P = potential(x)
    assert P > 1e-6, "a goal that is met would prove nothing"
    assert squared(rows.rho) == pytest.approx(P, rel=1e-11)
    slope = np.array([(potential(x + e) - potential(x - e)) / 2e-6 for e in 1e-6 * np.eye(len(x))])
    np.testing.assert_allclose(2.0 * rows.pull, slope, rtol=0.0, atol=1e-6 * max(1.0, P, np.abs(slope).max()))
