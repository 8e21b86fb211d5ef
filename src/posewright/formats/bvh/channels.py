"""The channels of BVH joints, and where their numbers go in `q`: positions first, then rotations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from posewright.conventions import Array

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")


class ChannelOrder(NamedTuple):
    """The channels of one joint, told apart."""

    slides: tuple[int, ...]
    """Which of them are positions."""
    hinges: tuple[int, ...]
    """Which of them are rotations."""
    slide_letters: tuple[str, ...]
    """X, Y or Z of each position."""
    hinge_letters: tuple[str, ...]
    """X, Y or Z of each rotation."""


@lru_cache(maxsize=1024)  # nearly all joints of a file have the same ones
def channel_order(channels: tuple[str, ...]) -> ChannelOrder:
    """Positions and rotations of a joint, each in file order."""
    slides = tuple(k for k, name in enumerate(channels) if name.endswith("position"))
    hinges = tuple(k for k, name in enumerate(channels) if name.endswith("rotation"))
    return ChannelOrder(slides, hinges, tuple(channels[k][0] for k in slides), tuple(channels[k][0] for k in hinges))


def q_columns(channels: Sequence[tuple[str, ...]], metres_per_unit: float) -> tuple[list[int], Array]:
    """For each number of `q`: the file's column, and what a value there is multiplied by."""
    order: list[int] = []
    is_position: list[bool] = []
    first = 0
    for names in channels:
        slides, hinges, _, _ = channel_order(names)
        order += [first + k for k in slides + hinges]
        is_position += [True] * len(slides) + [False] * len(hinges)
        first += len(names)
    return order, np.where(is_position, metres_per_unit, math.pi / 180.0)
