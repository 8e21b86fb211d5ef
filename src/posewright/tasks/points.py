"""Points, as task files state them: numbers, a site of the same figure, or a site of another figure in a pose of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Tag, ValidationError, ValidationInfo

from posewright.errors import PosewrightError
from posewright.figure import Pose
from posewright.formats.field_errors import sentence
from posewright.tasks.fields import Part, SiteName, Three, figure_of, word_or_other
from posewright.tasks.start import StartModel, named_figure


class _SiteElsewhere(Part):
    """What a mapping in place of a point must say."""

    figure: str
    """A name of the catalogue, or a file relative to the task file."""
    site: SiteName
    pose: Annotated[
        Annotated[Literal["rest"], Tag("<word>")] | Annotated[StartModel, Tag("<other>")],
        Discriminator(word_or_other),
    ] = "rest"


def _where_it_is(value: Any, info: ValidationInfo) -> Any:
    """The point that a site of another figure is at, in its pose; anything else as it is."""
    if not isinstance(value, dict):
        return value
    try:
        if figure_of(info) is None:  # the first round: is it such a mapping at all?
            _SiteElsewhere.model_validate(value)
            return (0.0, 0.0, 0.0)
        folder = Path((info.context or {})["folder"])
        figure = named_figure(str(value.get("figure")), folder)
        model = _SiteElsewhere.model_validate(value, context={"figure": figure, "folder": folder})
        pose = Pose.rest(figure) if isinstance(model.pose, str) else model.pose.pose(figure)
        return pose.point(model.site)
    except ValidationError as error:
        raise ValueError(f"names a site of another figure, but {sentence(error, _SiteElsewhere)}") from None
    except PosewrightError as error:
        raise ValueError(f"names a site of another figure, but {error}") from None


Point = Annotated[
    Annotated[SiteName, Tag("<word>")] | Annotated[Three, Tag("<other>")],
    Discriminator(word_or_other),
    BeforeValidator(_where_it_is),
]
"""Metres in the world, the name of a site of the same figure, or `{figure, site, pose}` for one of another figure."""
