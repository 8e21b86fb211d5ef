"""What an edit hands back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from posewright.errors import InvalidSetting
from posewright.models.latent import Latent
from posewright.motions.motion import Motion
from posewright.problem.evaluation import GoalError


@dataclass(frozen=True, eq=False)
class EditResult:
    """An edited motion and how well it does what was asked."""

    motion: Motion
    latent: Latent | None
    """The same in the words of the model, if there was one."""
    errors: tuple[GoalError, ...]
    """Of each key; of a trajectory the largest over the frames where it counts in full."""
    iterations: int
    """Of all solves together."""
    solves: int
    """How many poses, or sets of poses, were solved for."""
    seconds: float
    warnings: tuple[str, ...] = ()
    """What to know about it, a sentence each: outside the pattern, goals that nothing can move, jumps."""

    @property
    def reached(self) -> bool:
        """Whether every key is within its tolerance."""
        return all(error.reached for error in self.errors)

    def save(self, path: str | Path, *, latent: bool = False) -> None:
        """Write the motion in the format of the file's suffix, or its coordinates in the model (.npz)."""
        if not latent:
            self.motion.save(path)
        elif self.latent is None:
            raise InvalidSetting("this edit was made without a model, so it has no latent coordinates to save")
        else:
            self.latent.save(path)

    def __repr__(self) -> str:
        how = "reached" if self.reached else "not reached"
        listed = "".join(f" · {error}" for error in self.errors)
        return f"{how} after {self.iterations} iterations in {self.solves} solves{listed}"
