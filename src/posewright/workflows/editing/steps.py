"""The steps of an edit: told as they are taken, so that a long one can show how far it is and be stopped."""

from __future__ import annotations

from collections.abc import Callable

from posewright.solvers.motion.frames import Progress

Step = Callable[[], None]
"""Called at each step; what it raises ends the edit."""


def untold() -> None:
    """Nobody wants to know."""


def counted(progress: Progress | None) -> Step:
    """Tells how many steps there were so far."""
    if progress is None:
        return untold
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1
        progress(taken)

    return step
