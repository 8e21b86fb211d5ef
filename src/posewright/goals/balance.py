"""Centre-of-mass goals: at a point, or on a vertical line (Courty & Arnaud 2008, section 5)."""

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
    """Three distances of the centre of mass."""

    kind = MASS_POINT


@dataclass(frozen=True)
class MassLineTerm(SiteTerm):
    """Two distances of the centre of mass, across the vertical."""

    kind = MASS_LINE


@dataclass(frozen=True)
class CentreOfMass(Goal):
    """The centre of mass at a point, or anywhere above and below it."""

    target: Place
    """m, in the world; or a site's name."""
    vertical: bool = True
    """Only the two horizontal directions count: the centre of mass is over the target."""

    path_field = "target"

    @property
    def label(self) -> str:
        """What results call it."""
        return self.name or "centre_of_mass"

    @classmethod
    def place_in(cls, pose: Pose, values: Mapping[str, Any]) -> Point:
        """The centre of mass, or the foot of a vertical line through it."""
        x, y, z = vector(centre_of_mass(pose.figure, pose.q))
        return x, 0.0 if values["vertical"] else y, z

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """Two distances across the vertical, or three."""
        return ((MassLineTerm if self.vertical else MassPointTerm)(None, self.target, x=UP),)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """The centre of mass, and what it should be above or at."""
        point, centre = on.point(self.target), on.centre_of_mass()
        yield on.dot(centre)
        if self.vertical:
            yield on.line(point, point + np.array(UP) * max(float(centre[1] - point[1]), 0.0))
        else:
            yield on.target(point)
