"""Goals about one site, as task files state them: a model per kind, which builds the goal of the same name."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from posewright.figures import Figure, Pose
from posewright.goals import (
    Aim,
    Goal,
    HalfSpace,
    Line,
    Orientation,
    Placement,
    Plane,
    Position,
)
from posewright.tasks.fields import (
    Direction,
    JointName,
    NotNegative,
    Part,
    Positive,
    Share,
    SiteName,
    expanded,
    word_or_other,
)
from posewright.tasks.points import Place, Point, Turn, placed, turned

Joints = Annotated[
    Annotated[Literal["limb", "limb+spine", "whole"], Tag("<word>")]
    | Annotated[tuple[JointName, ...], Field(min_length=1), Tag("<other>")],
    Discriminator(word_or_other),
]


class GoalModel(Part):
    """What every goal may say."""

    name: Annotated[str, Field(max_length=100)] = ""
    weight: NotNegative = 1.0
    priority: Annotated[int, Field(ge=1, strict=True)] = 1
    joints: Joints = "whole"
    recruiting: Literal["auto", "limb", "limb+spine", "whole"] = "auto"
    """How much of the body `design` takes from a posture database for it."""
    enabled: bool = True

    @abstractmethod
    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""

    def common(self, figure: Figure) -> dict[str, Any]:
        """The arguments that all goals share."""
        return {
            "name": self.name,
            "weight": self.weight,
            "priority": self.priority,
            "tolerance": self.inner_tolerance,
            "joints": self.joints if isinstance(self.joints, str) else expanded(figure, self.joints),
            "recruiting": self.recruiting,
            "enabled": self.enabled,
        }

    @property
    def inner_tolerance(self) -> float | None:
        """In metres or radians; None: the default."""
        return None


class LengthModel(GoalModel):
    """A goal whose error is a distance."""

    tolerance: Positive | None = None
    """m"""

    @property
    def inner_tolerance(self) -> float | None:
        """In metres."""
        return self.tolerance


class AngleModel(GoalModel):
    """A goal whose error is an angle."""

    tolerance: Positive | None = None
    """degrees"""
    radius: Positive | None = None
    """Metres that one radian counts as; by default the reach of the chain."""

    @property
    def inner_tolerance(self) -> float | None:
        """In radians."""
        return None if self.tolerance is None else math.radians(self.tolerance)


class PositionModel(LengthModel):
    """A site at a point."""

    kind: Literal["position"]
    site: SiteName
    target: Place

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""
        return Position(self.site, placed(self.target, self.site, start), **self.common(figure))


class OrientationModel(AngleModel):
    """A site turned."""

    kind: Literal["orientation"]
    site: SiteName
    x: Direction | None = None
    y: Direction | None = None
    like: Turn | None = None
    measure: Literal["angle", "chord"] = "angle"

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""
        x, y, like = turned(self.x, self.y, self.like, self.site, start)
        return Orientation(
            self.site, x=x, y=y, like=like, radius=self.radius, measure=self.measure, **self.common(figure)
        )


class PlacementModel(GoalModel):
    """A site at a point and turned. It has no tolerance of its own: one number cannot be metres and degrees."""

    kind: Literal["placement"]
    site: SiteName
    target: Place
    x: Direction | None = None
    y: Direction | None = None
    like: Turn | None = None
    measure: Literal["angle", "chord"] = "angle"
    radius: Positive | None = None
    position_share: Share = 0.5
    """Of the weight; the rest is the orientation's."""

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""
        x, y, like = turned(self.x, self.y, self.like, self.site, start)
        return Placement(
            self.site, placed(self.target, self.site, start), x=x, y=y, like=like, position_share=self.position_share,
            radius=self.radius, measure=self.measure, **self.common(figure),
        )  # fmt: skip


class AimModel(AngleModel):
    """A direction of a site towards a point."""

    kind: Literal["aim"]
    site: SiteName
    target: Point
    axis: Direction | None = None
    """In the frame of the site's joint; by default the site's x axis."""

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""
        return Aim(self.site, self.target, self.axis, self.radius, **self.common(figure))


class LineModel(LengthModel):
    """A site on a line."""

    kind: Literal["line"]
    site: SiteName
    point: Point
    direction: Direction

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""
        return Line(self.site, self.point, self.direction, **self.common(figure))


class PlaneModel(LengthModel):
    """A site on a plane."""

    kind: Literal["plane"]
    site: SiteName
    point: Point
    normal: Direction

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""
        return Plane(self.site, self.point, self.normal, **self.common(figure))


class HalfSpaceModel(LengthModel):
    """A site beyond a plane."""

    kind: Literal["half_space"]
    site: SiteName
    point: Point
    normal: Direction
    """Towards the wanted side."""

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""
        return HalfSpace(self.site, self.point, self.normal, **self.common(figure))


def kind_of(value: Any) -> str | None:
    """The tag of a goal or constraint in a file."""
    kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    return None if kind is None else f"<{kind}>"


SiteGoals = (
    Annotated[PositionModel, Tag("<position>")]
    | Annotated[OrientationModel, Tag("<orientation>")]
    | Annotated[PlacementModel, Tag("<placement>")]
    | Annotated[AimModel, Tag("<aim>")]
    | Annotated[LineModel, Tag("<line>")]
    | Annotated[PlaneModel, Tag("<plane>")]
    | Annotated[HalfSpaceModel, Tag("<half_space>")]
)
