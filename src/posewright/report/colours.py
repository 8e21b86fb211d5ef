"""Colours: names and hex words to linear light, and the palette of Posewright's pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from posewright.checks import require
from posewright.errors import InvalidSetting, suggestion

Rgb = tuple[float, float, float]

PALETTE: Mapping[str, str] = MappingProxyType(
    {
        "coral": "#e9714f",
        "teal": "#1f9e94",
        "indigo": "#5468d4",
        "sand": "#dba646",
        "plum": "#a4559b",
        "slate": "#6c7d92",
        "leaf": "#6aa84f",
        "sky": "#4aa3df",
        "white": "#f4f4f2",
        "ink": "#2d3540",
        "red": "#d8343f",
    }
)
"""Names of colours; figures take the first ones in turn."""


@cache
def linear_rgb(colour: str) -> Rgb:
    """Red, green and blue of a palette name or "#rrggbb", 0 to 1 in linear light (pictures use gamma 2)."""
    require(colour, str, "a colour", "text like '#e9714f' or 'coral'")
    word = PALETTE.get(colour.casefold(), colour)
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", word):
        raise InvalidSetting(f"{colour!r} is not a colour like '#e9714f'{suggestion(colour, PALETTE)}")
    r, g, b = ((int(word[k : k + 2], 16) / 255.0) ** 2 for k in (1, 3, 5))
    return r, g, b


def mixed(colour: Rgb, other: Rgb, share: float) -> Rgb:
    """A colour with a share of another."""
    r, g, b = ((1.0 - share) * a + share * o for a, o in zip(colour, other, strict=True))
    return r, g, b
