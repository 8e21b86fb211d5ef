"""A chapter of the demo's story: what it made, and what a report shows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from posewright.report.html import Section

Tell = Callable[[str], None]
"""Called with what is being done, a few words each time."""


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """What one part of the demo made."""

    section: Section
    """Of the report."""
    files: Mapping[str, Sequence[Path]]
    """By what they hold."""
    sentences: Sequence[str] = ()
    """What came out."""
    command: str
    """That does the like of it."""
