"""Built-in figures, generated from given proportions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from posewright.errors import UnknownName
from posewright.figures.catalogue.bodies import abnorman1, abnorman2, human, human22, human40, human70, norman
from posewright.figures.catalogue.chain import arm4, chain
from posewright.figures.catalogue.club import with_club
from posewright.figures.catalogue.hand import hand
from posewright.figures.figure import Figure

CATALOGUE: Mapping[str, Callable[[], Figure]] = MappingProxyType(
    {f.__name__: f for f in (human, human22, human70, human40, norman, abnorman1, abnorman2, hand, chain, arm4)}
)
"""Functions that build each built-in figure with its default proportions, by name."""


def build(name: str) -> Figure:
    """Build the built-in figure with this name."""
    if name not in CATALOGUE:
        raise UnknownName("figure", name, CATALOGUE, where="the catalogue")
    return CATALOGUE[name]()


__all__ = [
    "CATALOGUE",
    "abnorman1",
    "abnorman2",
    "arm4",
    "build",
    "chain",
    "hand",
    "human",
    "human22",
    "human40",
    "human70",
    "norman",
    "with_club",
]
