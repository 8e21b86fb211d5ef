"""Something that can be chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class ChoiceInfo:
    """Something that can be chosen."""

    id: str
    name: str


INFOS: tuple[type[Any], ...] = (ChoiceInfo,)
