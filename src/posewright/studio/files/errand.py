"""Long work about files: asked for and ended by the one caller of the session, and done by any thread beside it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

Errand = Generator[str, None, None]
"""It yields what it does next, in a few words, and `TURN` once: the rest is for the caller of the session. One that is
closed before changes nothing."""
TURN: Final = ""


def done_at_once(errand: Errand) -> None:
    """All of it, by the caller of the session."""
    for _ in errand:
        pass
