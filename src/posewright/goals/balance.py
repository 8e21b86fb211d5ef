"""Centre-of-mass goals: at a point, or on a vertical line through it (Courty & Arnaud 2008, section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from posewright.conventions import UP
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import centre_of_mass
from posewright.figures.vectors import vector
from posewright.goals.fields import Place, Point
from posewright.goals.goal import Goal
from posewright.goals.sketch import Sketch, Stroke
from posewright.goals.term import SiteTerm, Term
from posewright.kernels.goals.residuals import MASS_LINE, MASS_POINT


@dataclass(frozen=True)
class MassPointTerm(SiteTerm):
    """Three residuals: the components of the difference of the centre of mass, m."""

    kind = MASS_POINT


@dataclass(frozen=True)
class MassLineTerm(SiteTerm):
    """Two residuals: the horizontal components of the difference of the centre of mass, m."""

    kind = MASS_LINE


@dataclass(frozen=True)
class CentreOfMass(Goal):
    """Bring the centre of mass to a point, or onto the vertical line through it."""

    target: Place
    """World position, m, or the name of a site."""
    vertical: bool = True
    """Whether only the horizontal distance counts, so that the centre of mass may be at any height."""

    path_field = "target"

    @property
    def label(self) -> str:
        """Name of the goal in results."""
        return self.name or "centre_of_mass"

    @classmethod
    def place_in(cls, pose: Pose, values: Mapping[str, Any]) -> Point:
        """The centre of mass of the pose, or its projection onto the plane y = 0."""
        x, y, z = vector(centre_of_mass(pose.figure, pose.q))
        return x, 0.0 if values["vertical"] else y, z

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """Two horizontal components, or all three."""
        return ((MassLineTerm if self.vertical else MassPointTerm)(None, self.target, x=UP),)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """The centre of mass, and what it should be above or at."""
        point, centre = on.point(self.target), on.centre_of_mass()
        yield on.dot(centre)
        if self.vertical:
            yield on.line(point, point + np.array(UP) * max(float(centre[1] - point[1]), 0.0))
        else:
            yield on.target(point)
