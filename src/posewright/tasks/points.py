"""Points and directions in task files: numbers, or a site of the figure, its start or another figure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Discriminator, Tag, ValidationError, ValidationInfo

from posewright.errors import InvalidSetting, PosewrightError
from posewright.figures import Pose
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.formats.field_errors import sentence
from posewright.tasks.fields import START, FileMapping, SiteName, SiteOrStart, Three, figure_of, word_or_other
from posewright.tasks.start import StartModel, named_figure

Vector = tuple[float, float, float]


class _SiteElsewhere(FileMapping):
    """The keys of a mapping that replaces a point."""

    figure: str
    """The name of a built-in figure, or a file relative to the task file."""
    site: SiteName
    pose: Annotated[
        Annotated[Literal["rest"], Tag("<word>")] | Annotated[StartModel, Tag("<other>")],
        Discriminator(word_or_other),
    ] = "rest"


def _site_elsewhere(value: dict[Any, Any], info: ValidationInfo) -> tuple[Pose, str] | None:
    """A pose of another figure and one of its sites; None if the task itself has no figure."""
    try:
        if figure_of(info) is None:
            return None
        context = info.context or {}
        folder, files, within = Path(context["folder"]), context["files"], context.get("within")
        figure = named_figure(str(value.get("figure")), folder, files, within)
        model = _SiteElsewhere.model_validate(value, context={**context, "figure": figure})
        pose = Pose.rest(figure) if isinstance(model.pose, str) else model.pose.pose(figure)
    except ValidationError as error:
        raise ValueError(f"names a site of another figure, but {sentence(error, _SiteElsewhere)}") from None
    except PosewrightError as error:
        raise ValueError(f"names a site of another figure, but {error}") from None
    others: list[Pose] = (info.context or {}).get("others", [])
    if not any(figure.is_like(other.figure) and np.array_equal(pose.q, other.q) for other in others):
        others.append(pose)
    return pose, model.site


def _where_it_is(value: Any, info: ValidationInfo) -> Any:
    """The point of a site of another figure in its pose; other values are unchanged."""
    if not isinstance(value, dict):
        return value
    found = _site_elsewhere(value, info)
    return (0.0, 0.0, 0.0) if found is None else found[0].point(found[1])


def _how_it_is_turned(value: Any, info: ValidationInfo) -> Any:
    """The two directions of a site of another figure in its pose; names are unchanged."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        raise ValueError("must be the name of a site, start, or a mapping of figure, site and pose")
    found = _site_elsewhere(value, info)
    return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) if found is None else _directions(*found)


def _directions(pose: Pose, site: str) -> tuple[Vector, Vector]:
    frames = site_frames(pose.figure, pose.q, [site])
    return vector(frames.x_axes[0]), vector(frames.y_axes[0])


Point = Annotated[
    Annotated[SiteName, Tag("<word>")] | Annotated[Three, Tag("<other>")],
    Discriminator(word_or_other),
    BeforeValidator(_where_it_is),
]
"""Metres in the world, the name of a site of the same figure, or `{figure, site, pose}` for another figure."""

Place = Annotated[
    Annotated[SiteOrStart, Tag("<word>")] | Annotated[Three, Tag("<other>")],
    Discriminator(word_or_other),
    BeforeValidator(_where_it_is),
]
"""A point, or `start`: the place of the goal's own site in the start."""

Turn = Annotated[
    Annotated[SiteOrStart, Tag("<word>")] | Annotated[tuple[Three, Three], Tag("<other>")],
    Discriminator(word_or_other),
    BeforeValidator(_how_it_is_turned),
]
"""A site whose orientation is copied, given like a point, or `start`: the orientation in the start."""


def turned(
    x: Vector | None, y: Vector | None, like: str | tuple[Vector, Vector] | None, site: str, start: Pose
) -> tuple[Vector | None, Vector | None, str | None]:
    """The x, y and like of a goal about a site."""
    if like is None or (isinstance(like, str) and not means_start(like, start)):
        return x, y, like
    if x is not None or y is not None:
        raise InvalidSetting(f"the goal of {site!r} needs either directions x and y, or like")
    return *(_directions(start, site) if isinstance(like, str) else like), None


def means_start(word: object, start: Pose) -> bool:
    """Whether the value is this word, and not a site or joint of the same name."""
    return word == START and START not in (*start.figure.site_names, *start.figure.joint_names)
