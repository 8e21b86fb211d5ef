"""Two tasks for the upper body of a person (Zhao & Badler 1994, section 12): look into a tube, reach for a box.

Tube (figure 3): both hands hold the tube from the sides with their palms on it, the elbows are spread to two planes,
the point between the eyes lies on the tube's axis and the gaze goes to its far end. From standing upright.

Box (figures 6 to 8): the palm of the right hand on the right face of a box. The torso has five segments of three dofs
each, like the paper's older one; here a segment is three or four vertebrae that bend together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

import posewright as pw
from posewright.conventions import UP, Array
from posewright.figures.catalogue import human, human22, human70
from posewright.figures.catalogue.trunk import COORDINATES, VERTEBRAE
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.goals.fields import Point
from posewright.report.scene import Mark

_SIDES = (("left", 1.0), ("right", -1.0))
_BENDS = {  # degrees from standing: where random tubes have the head
    "spine.flexion": (5.0, 40.0),
    "spine.lateral": (-15.0, 15.0),
    "spine.axial": (-30.0, 30.0),
    "neck.flexion": (0.0, 25.0),
    "head.axial": (-10.0, 10.0),
}


@dataclass(frozen=True)
class Tube:
    """A tube before a person's face; all lengths in m."""

    mouth: Point
    """The middle of the near end."""
    direction: Point
    """Away from the eye; made a unit vector."""
    length: float = 0.6
    radius: float = 0.06
    grips: tuple[float, float] = (0.12, 0.30)
    """How far along the left and the right hand hold it."""
    elbows: float = 0.28
    """From the axis to the plane of each elbow."""

    def __post_init__(self) -> None:
        direction = np.array(self.direction)
        object.__setattr__(self, "direction", vector(direction / np.linalg.norm(direction)))

    @property
    def side(self) -> Array:
        """Horizontal unit vector to the left, across the tube."""
        across = np.cross(UP, self.direction)
        side: Array = across / np.linalg.norm(across)
        return side

    def at(self, along: float, aside: float = 0.0) -> Point:
        """A point so far along the axis and to the left of it."""
        return vector(np.array(self.mouth) + along * np.array(self.direction) + aside * self.side)

    def problem(self, figure: pw.Figure) -> pw.Problem:
        """Six goals for a figure with joint groups; the palms face the tube, one direction of each hand is free."""
        goals: list[pw.Goal] = [
            pw.Placement(f"{name}_hand", self.at(grip, sign * self.radius), y=vector(-sign * self.side))
            for (name, sign), grip in zip(_SIDES, self.grips, strict=True)
        ]
        goals += [
            pw.Plane(f"{name}_elbow", self.at(0.0, sign * self.elbows), vector(sign * self.side))
            for name, sign in _SIDES
        ]
        goals += [pw.Line("view", self.mouth, self.direction), pw.Aim("view", self.at(self.length), name="look")]
        return pw.Problem(pw.Space.grouped(figure), goals)

    def marks(self, staves: int = 40) -> tuple[Mark, ...]:
        """The tube itself, as a ring of staves with a rim at either end."""
        up = np.cross(self.direction, self.side)
        turns = np.linspace(0.0, 2.0 * np.pi, staves + 1)
        ring = (self.radius - 0.006) * (np.cos(turns)[:, None] * self.side + np.sin(turns)[:, None] * up)
        near, far = np.array(self.mouth) + ring, np.array(self.at(self.length)) + ring
        walls = [_line(a, b, colour="sky", radius=0.0055) for a, b in zip(near[:-1], far[:-1], strict=True)]
        return (*walls, *(_line(*rim, colour="indigo", radius=0.007) for rim in (near, far)))


TUBE = Tube((0.04, 1.47, 0.36), (-0.2992, -0.4189, 0.8573))
"""The one that pictures show: to look into it one has to lean, bend and turn."""


def random_tubes(count: int, random: np.random.Generator, away: float = 0.08) -> Sequence[Tube]:
    """Tubes 8 cm (or `away`, m) before the face of a bent person, whatever the hands and elbows can reach."""
    figure = human22()
    space = pw.Space.grouped(figure)
    found = []
    for _ in range(count):
        x = space.encode(figure.rest)
        for name, (low, high) in _BENDS.items():
            x[space.names.index(name)] += np.radians(random.uniform(low, high))
        eye = site_frames(figure, space.decode(x), ["view"])
        gaze = eye.x_axes[0]
        found.append(Tube(vector(eye.points[0] + away * gaze), vector(gaze)))
    return found


ARM = ("right_clavicle", "right_shoulder", "right_elbow", "right_wrist")
WAIST = (*(vertebra.name for vertebra in VERTEBRAE), *ARM)
"""The joints of the chain from the waist to the hand."""
SIDEWAYS = ("lateral", "axial")
_SEGMENTS = (3, 3, 3, 4, 4)  # vertebrae each, from below


@dataclass(frozen=True)
class ReachedBox:
    """A box before a person; only its right face, where the hand belongs, matters to the task. Lengths in m."""

    face: Point
    """The middle of the right face."""
    size: tuple[float, float, float] = (0.30, 0.22, 0.26)

    def problem(self, figure: pw.Figure, joints: Sequence[str]) -> pw.Problem:
        """The palm flat on the face, by these joints; how the fingers point is free."""
        goal = pw.Placement("right_hand", self.face, y=(1.0, 0.0, 0.0), joints=tuple(joints))
        return pw.Problem(pw.Space.grouped(figure), [goal])

    def marks(self) -> tuple[Mark, ...]:
        """Its edges, and the right face hatched."""
        _, height, depth = self.size
        corner = np.array(self.face) - np.array([0.0, 0.5 * height, 0.5 * depth])
        corners = np.array(list(product((0.0, 1.0), repeat=3)))
        edges = [(a, b) for a in corners for b in corners if (a <= b).all() and (b - a).sum() == 1.0]
        heights = np.arange(1, 12)[:, None] * np.array([0.0, height / 12, 0.0])
        return (
            *(_line(corner + a * self.size, corner + b * self.size, colour="slate", radius=0.008) for a, b in edges),
            *(_line(corner + up, corner + up + [0.0, 0.0, depth], colour="sky", radius=0.003) for up in heights),
        )


BOX = ReachedBox((0.06, 0.68, 0.66))
"""The one that pictures show: low, and across the middle."""


def random_boxes(count: int, random: np.random.Generator) -> Sequence[ReachedBox]:
    """Anywhere before the person."""
    return [ReachedBox(vector(face)) for face in random.uniform((-0.45, 0.7, 0.5), (0.35, 1.4, 0.8), (count, 3))]


def five_segment_torso(rigidity: float = 0.0) -> pw.Figure:
    """The upper body whose spine bends in five parts; `rigidity` is that of bending sideways and turning."""
    figure = human70()
    groups, first = [], 0
    for k, count in enumerate(_SEGMENTS):
        part = VERTEBRAE[first : first + count]
        ranges = np.array([(v.flexion, v.lateral, v.axial) for v in part])
        shares = ranges / ranges.sum(axis=0)
        members = tuple(f"{v.name}.{bend}" for v in part for bend in COORDINATES)
        matrix = tuple(tuple(row) for v in shares for row in np.diag(v).tolist())
        groups.append(
            pw.figures.JointGroup(name=f"torso{k + 1}", coordinates=COORDINATES, members=members, matrix=matrix)
        )
        first += count
    joints = list(figure.joints)
    for k in map(figure.joint_names.index, (vertebra.name for vertebra in VERTEBRAE)):
        hinges = (replace(h, rigidity=rigidity) if h.label in SIDEWAYS else h for h in joints[k].hinges)
        joints[k] = replace(joints[k], rotation=tuple(hinges))
    return replace(figure, name="human with a torso of five", joints=tuple(joints), groups=(*groups, *figure.groups))


def sideways_coordinates(problem: pw.Problem) -> list[int]:
    """Which coordinates of a reach bend the torso sideways or turn it."""
    parts = [name.split(".") for name in problem.space.names]
    return [k for k, (joint, bend) in enumerate(parts) if joint.startswith("torso") and bend in SIDEWAYS]


def sideways(problem: pw.Problem, q: Array) -> float:
    """Sum of squares (rad²) of the torso's sideways bends and turns."""
    return float(np.sum(problem.space.encode(q)[sideways_coordinates(problem)] ** 2))


def whole(pose: pw.Pose) -> pw.Pose:
    """The same pose on the whole person, who also has legs to stand on; for pictures."""
    person = pw.Pose.rest(human())
    return person.with_values({name: pose[name] for name in pose.figure.dof_names})


def _line(*points: Array, colour: str, radius: float) -> Mark:
    return Mark.line(map(vector, points), colour=colour, radius=radius)
