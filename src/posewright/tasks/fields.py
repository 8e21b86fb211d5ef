"""Fields shared by goals, constraints and tasks, and the place in the file of errors in them.

Validation has `context={"figure": ...}`, so that every site, joint and dof is looked up where it is written. If the
file names no figure, names are not checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
)

from posewright.checks import as_path
from posewright.errors import FileProblem, PosewrightError, suggestion
from posewright.figures import Figure
from posewright.formats.field_errors import spelled
from posewright.formats.yaml_document import YamlDocument

RANGE: Final = ".."
"""`L5..T1` stands for every joint from L5 down the tree to T1."""

START: Final = "start"
"""Replaces the name of a site: the goal's own site in the start."""

DIRECTIONS: Final[Mapping[str, tuple[float, float, float]]] = {
    "left": (1.0, 0.0, 0.0),
    "right": (-1.0, 0.0, 0.0),
    "up": (0.0, 1.0, 0.0),
    "down": (0.0, -1.0, 0.0),
    "forward": (0.0, 0.0, 1.0),
    "back": (0.0, 0.0, -1.0),
}
"""Directions of the world, as seen by a figure that faces +z."""


class FileMapping(BaseModel):
    """A mapping in a task file; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_max_length=1000)


@contextmanager
def located(file: YamlDocument, *location: str | int, kind: type[PosewrightError] = PosewrightError) -> Iterator[None]:
    """Add file, line and field to errors raised inside the block, or to those of one kind."""
    try:
        yield
    except FileProblem:
        raise
    except kind as error:
        raise FileProblem(file.path, f"{spelled(location)}: {error}", line=file.line(location)) from error


def kind_of(value: Any) -> str | None:
    """The `kind` of a goal or constraint in a file."""
    kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    return None if kind is None else f"<{kind}>"


def context_of(path: Path, within: str | Path | None, **more: Any) -> dict[str, Any]:
    """The context of validation: folder of the file, list of files that it names, folder that they must be in."""
    return {"folder": path.parent, "files": [], "within": None if within is None else as_path(within), **more}


def figure_of(info: ValidationInfo) -> Figure | None:
    """The figure of the task."""
    figure: Figure | None = (info.context or {}).get("figure")
    return figure


def is_angle(figure: Figure, dof: str) -> bool:
    """Whether a dof is given in degrees (otherwise it is a slide, in metres)."""
    joint = figure.joints[figure.tables.dofs[figure.dof_index(dof)]["joint"]]
    return bool(figure.dof_index(dof) - figure.dof_slice(joint.name).start >= len(joint.slides))


def to_inner(figure: Figure, values: Mapping[str, float]) -> dict[str, float]:
    """Values by dof, converted from degrees and metres to radians and metres."""
    return {dof: math.radians(value) if is_angle(figure, dof) else value for dof, value in values.items()}


def expanded(figure: Figure, names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of joints (or dofs), with every range `a..b` expanded."""
    found: list[str] = []
    for name in names:
        first, dots, last = name.partition(RANGE)
        found += _down(figure, first, last) if dots else [name]
    return tuple(found)


def _down(figure: Figure, first: str, last: str) -> list[str]:
    chain = [figure.joints[index].name for index in figure.ancestors(last)][::-1]
    return chain[chain.index(first) :]


def _not_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be a number")
    return value


def _known(
    what: str, names_of: Callable[[Figure], Iterable[str]], *others: str
) -> Callable[[str, ValidationInfo], str]:
    """A check that a name is in the figure, or is one of some other words."""

    def check(name: str, info: ValidationInfo) -> str:
        figure = figure_of(info)
        if figure is not None and name not in others and name not in names_of(figure):
            raise ValueError(f"must be {what} of figure {figure.name!r}{suggestion(name, tuple(names_of(figure)))}")
        return name

    return check


def _sites(figure: Figure) -> Iterator[str]:
    """Names of the anatomy come last, because they take longest to find."""
    own = (*figure.site_names, *figure.joint_names)
    yield from own
    yield from (name for name in figure.anatomy.soles if name not in own)


def _known_joint(name: str, info: ValidationInfo) -> str:
    figure = figure_of(info)
    if figure is None:
        return name
    first, dots, last = name.partition(RANGE)
    for joint in (first, last) if dots else (name,):
        if joint not in figure.joint_names:
            raise ValueError(f"must be a joint of figure {figure.name!r}{suggestion(joint, figure.joint_names)}")
    if dots and figure.joint_index(first) not in figure.ancestors(last):
        raise ValueError(f"must run down the tree: joint {first!r} is not above {last!r}")
    return name


def _known_joint_or_dof(name: str, info: ValidationInfo) -> str:
    figure = figure_of(info)
    if figure is None or name in figure.dof_names:
        return name
    if RANGE not in name and name not in figure.joint_names:
        known = (*figure.joint_names, *figure.dof_names)
        raise ValueError(f"must be a joint or dof of figure {figure.name!r}{suggestion(name, known)}")
    return _known_joint(name, info)


def _word_direction(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value not in DIRECTIONS:
        raise ValueError(f"must be three numbers or a word{suggestion(value, DIRECTIONS)}")
    return DIRECTIONS[value]


def _not_zero(value: tuple[float, float, float]) -> tuple[float, float, float]:
    if math.hypot(*value) < 1e-12:
        raise ValueError("must have a direction: not all three numbers may be zero")
    return value


def word_or_other(value: Any) -> str:
    """Distinguishes words from other values, for fields that accept both."""
    return "<word>" if isinstance(value, str) else "<other>"


Number = Annotated[float, Field(allow_inf_nan=False), BeforeValidator(_not_bool)]
Positive = Annotated[Number, Field(gt=0.0)]
NotNegative = Annotated[Number, Field(ge=0.0)]
Share = Annotated[Number, Field(ge=0.0, le=1.0)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Three = tuple[Number, Number, Number]
Direction = Annotated[Three, AfterValidator(_not_zero), BeforeValidator(_word_direction)]
"""Three numbers of any length except zero, or a word of `DIRECTIONS`."""
SiteName = Annotated[str, AfterValidator(_known("a site or a joint", _sites))]
SiteOrStart = Annotated[str, AfterValidator(_known("a site or a joint", _sites, START))]
DofName = Annotated[str, AfterValidator(_known("a dof", lambda figure: figure.dof_names))]
JointName = Annotated[str, AfterValidator(_known_joint)]
"""A joint, or a range `L5..T1`."""
JointOrDofName = Annotated[str, AfterValidator(_known_joint_or_dof)]
