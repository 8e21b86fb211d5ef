"""Additions of a file to its figure: sites, other rigidities, released constraints."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from posewright.errors import InvalidFigure, UnknownName
from posewright.figures import Figure, Site
from posewright.formats.yaml_document import YamlDocument
from posewright.goals import CentreOfMass
from posewright.tasks.fields import (
    Direction,
    FileMapping,
    JointName,
    JointOrDofName,
    Name,
    Share,
    Three,
    expanded,
    located,
)


class SiteModel(FileMapping):
    """A point on a joint's segment."""

    joint: JointName
    point: Three
    """m, in the joint's frame"""
    x: Direction = (1.0, 0.0, 0.0)
    """Directions of the site, in the joint's frame."""
    y: Direction = (0.0, 1.0, 0.0)

    def build(self, name: str) -> Site:
        """The site."""
        return Site(name=name, joint=self.joint, point=self.point, x_axis=self.x, y_axis=self.y)


class SitesModel(FileMapping):
    """Sites that are added to the figure."""

    sites: Annotated[dict[Name, SiteModel], Field(default_factory=dict)]
    """Sites by name."""


class AddedModel(SitesModel):
    """Everything that a task adds to its figure."""

    rigidity: Annotated[dict[JointOrDofName, Share], Field(default_factory=dict)]
    """0: moves like other joints; 1: does not move."""
    release: tuple[str, ...] = ()
    """Constraints of the figure that are released; a polygon can be named without its number."""


def with_sites(file: YamlDocument, figure: Figure) -> Figure:
    """The figure with the sites of a file, and with masses if the file is about its centre of mass.

    Raises:
        FileProblem: a site is invalid; the message has line and field.
    """
    model = file.validated(SitesModel, {"figure": figure}, partly=True)
    with located(file, "sites"):
        figure = figure.with_sites(*(site.build(name) for name, site in model.sites.items())) if model.sites else figure
    return _weighed(figure) if CentreOfMass.word() in str(file.data) else figure


def with_additions(file: YamlDocument, figure: Figure) -> Figure:
    """The figure with everything that a task adds to it.

    Raises:
        FileProblem: an addition is invalid; the message has line and field.
    """
    model = file.validated(AddedModel, {"figure": figure}, partly=True)
    figure = with_sites(file, figure)
    with located(file, "rigidity"):
        shares = {name: share for key, share in model.rigidity.items() for name in expanded(figure, (key,))}
        figure = figure.with_rigidity(shares) if shares else figure
    with located(file, "release"):
        return _released(figure, model.release)


def _weighed(figure: Figure) -> Figure:
    """A figure with masses; if it has none, they are estimated from the volumes of its segments."""
    if not any(joint.mass for joint in figure.joints):
        with suppress(InvalidFigure):  # no segment has any volume: the goal says what is missing
            return figure.with_masses(1.0)
    return figure


def _released(figure: Figure, names: tuple[str, ...]) -> Figure:
    known = dict.fromkeys(plain for one in figure.constraints for plain in (one.name.partition("[")[0], one.name))
    for name in names:
        if name not in known:
            raise UnknownName("constraint", name, known, where=f"figure {figure.name!r}")
    if not names:
        return figure
    held = tuple(one for one in figure.constraints if not {one.name, one.name.partition("[")[0]} & set(names))
    return replace(figure, constraints=held)
