"""Looking into a tube (Zhao & Badler 1994, section 12, figure 3): a task of six goals for the upper body of a person.

Both hands hold the tube from the sides with their palms on it, the elbows are spread to two planes, the point between
the eyes lies on the tube's axis and the gaze goes to its far end. From standing upright.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.conventions import UP, Array
from posewright.figures import Figure, Pose
from posewright.figures.catalogue import human, human22
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.goals import Aim, Goal, Line, Placement, Plane
from posewright.goals.term import Point
from posewright.problem import Problem, Space
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
        """Horizontal, to the left, across the tube."""
        across = np.cross(UP, self.direction)
        side: Array = across / np.linalg.norm(across)
        return side

    def at(self, along: float, aside: float = 0.0) -> Point:
        """A point so far along the axis and to the left of it."""
        return vector(np.array(self.mouth) + along * np.array(self.direction) + aside * self.side)

    def goals(self) -> tuple[Goal, ...]:
        """The six: the palms' normals meet the tube, and one direction of each hand is left free."""
        hands = [
            Placement(f"{name}_hand", self.at(grip, sign * self.radius), y=vector(-sign * self.side))
            for (name, sign), grip in zip(_SIDES, self.grips, strict=True)
        ]
        elbows = [
            Plane(f"{name}_elbow", self.at(0.0, sign * self.elbows), vector(sign * self.side)) for name, sign in _SIDES
        ]
        return (
            *hands,
            *elbows,
            Line("view", self.mouth, self.direction),
            Aim("view", self.at(self.length), name="look"),
        )

    def problem(self, figure: Figure) -> Problem:
        """The task for a figure with joint groups."""
        return Problem(Space.grouped(figure), self.goals())

    def marks(self, staves: int = 40) -> tuple[Mark, ...]:
        """The tube itself, as a ring of staves with a rim at either end."""
        up = np.cross(self.direction, self.side)
        turns = np.linspace(0.0, 2.0 * np.pi, staves + 1)
        ring = (self.radius - 0.006) * (np.cos(turns)[:, None] * self.side + np.sin(turns)[:, None] * up)
        near, far = np.array(self.mouth) + ring, np.array(self.at(self.length)) + ring
        walls = [
            Mark(points=(vector(a), vector(b)), colour="sky", radius=0.0055)
            for a, b in zip(near[:-1], far[:-1], strict=True)
        ]
        rims = [Mark(points=tuple(map(vector, rim)), colour="indigo", radius=0.007) for rim in (near, far)]
        return (*walls, *rims)


def random_tubes(count: int, seed: int = 1) -> Sequence[Tube]:
    """Tubes 8 cm before the face of a bent person; where hands and elbows end up is not looked at."""
    figure = human22()
    space, random = Space.grouped(figure), np.random.default_rng(seed)
    found = []
    for _ in range(count):
        x = space.encode(figure.rest)
        for name, (low, high) in _BENDS.items():
            x[space.names.index(name)] += np.radians(random.uniform(low, high))
        eye = site_frames(figure, space.decode(x), ["view"])
        gaze = eye.x_axes[0]
        found.append(Tube(vector(eye.points[0] + 0.08 * gaze), vector(gaze)))
    return found


def whole(pose: Pose) -> Pose:
    """The same pose on the whole person, who also has legs to stand on; for pictures."""
    person = Pose.rest(human())
    return person.with_values({name: pose[name] for name in pose.figure.dof_names})


TUBE = Tube((0.04, 1.47, 0.36), (-0.2992, -0.4189, 0.8573))
"""The one that pictures show: to look into it one has to lean, bend and turn."""
