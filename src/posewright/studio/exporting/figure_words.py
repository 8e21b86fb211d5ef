"""How a script or a task file names the figure of a state: by what it came from, and what was changed since."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from posewright.constraints import LinearConstraint
from posewright.errors import InvalidSetting, PosewrightError
from posewright.figures import Figure, Site
from posewright.figures.catalogue import CATALOGUE, build
from posewright.formats import load_figure
from posewright.studio.session.state import State


@dataclass(frozen=True, eq=False)
class FigureWords:
    """A figure, in words."""

    name: str | None
    """Of the catalogue; None: it is in a file."""
    path: Path | None
    """Of the file that it is in."""
    sites: tuple[Site, ...]
    """That it does not have there."""
    rigidity: dict[str, float]
    """By dof, where it is another one."""
    constraints: tuple[LinearConstraint, ...]
    """That it does not have there."""


def figure_words(state: State) -> FigureWords:
    """The figure of a state as a change of one that can be named.

    Raises:
        InvalidSetting: its file has changed or is gone, or it never was in one.
    """
    source, figure = state.source("figure"), state.figure
    base: Figure | None = None
    if source is not None and source.path is None and source.name in CATALOGUE:
        base = build(source.name)
    elif source is not None and source.path is not None and source.is_at(source.path):
        try:
            base = load_figure(source.path)
        except PosewrightError:
            base = None
    found = None if base is None else _changes(base, figure)
    if found is None or source is None:
        where = "in no file" if source is None or source.path is None else f"not in {source.path.name}"
        raise InvalidSetting(f"figure {figure.name!r} is {where} as it is here")
    sites, rigidity, constraints = found
    return FigureWords(source.name if source.path is None else None, source.path, sites, rigidity, constraints)


def _changes(
    base: Figure, figure: Figure
) -> tuple[tuple[Site, ...], dict[str, float], tuple[LinearConstraint, ...]] | None:
    """What makes one figure of another; None: more than can be said."""
    if base.dof_names != figure.dof_names:
        return None
    known = {*base.sites}
    sites = tuple(site for site in figure.sites if site not in known)
    constraints = figure.constraints[len(base.constraints) :]
    differs = base.rigidity != figure.rigidity
    rigidity = {figure.dof_names[k]: float(figure.rigidity[k]) for k in np.flatnonzero(differs)}
    made = base.with_sites(*sites) if sites else base
    made = made.with_rigidity(rigidity) if rigidity else made
    made = replace(made, constraints=(*made.constraints, *constraints))
    same = {*made.sites} == {*figure.sites} and replace(made, sites=figure.sites).is_like(figure)
    return (sites, rigidity, constraints) if same else None
