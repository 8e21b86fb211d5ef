"""What depends on a figure alone is computed once and kept with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from posewright.figures.figure import Figure

_Found = TypeVar("_Found")


def kept_with_figure(function: Callable[[Figure], _Found]) -> Callable[[Figure], _Found]:
    """A function of a figure, called once per figure: figures never change, and what is found is not to be changed."""
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def look_up(figure: Figure) -> _Found:
        kept = vars(figure)
        if name not in kept:
            kept[name] = function(figure)
        found: _Found = kept[name]
        return found

    return look_up
