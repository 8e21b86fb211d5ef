"""Something that can be chosen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ChoiceInfo:
    """Something that can be chosen."""

    id: str
    name: str
