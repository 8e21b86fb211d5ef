"""What became of an edit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from posewright.errors import InvalidSetting
from posewright.goals.timed import Timed
from posewright.models.latent import Latent
from posewright.motions.quality.report import QualityLimits, QualityReport
from posewright.problem import MotionResult

_WORSE = 1.001
"""Times the source's own value: what breaks a limit in the source, too, is no harm."""


@dataclass(frozen=True, eq=False, repr=False)
class EditResult(MotionResult):
    """An edited motion and how well it does what was asked."""

    latent: Latent | None = None
    """The same in the coordinates of the model, if there was one."""

    @cached_property
    def quality(self) -> QualityReport:
        """Measures of the edited motion beside those of the source."""
        return self.motion.quality(self.problem.near)

    @cached_property
    def harm(self) -> tuple[str, ...]:
        """The limits of `check` that the edited motion breaks beside its source, a sentence each.

        But for likeness: an edit is meant to differ. Where a path is asked for it may jerk as the path does, which
        `warnings` take into account.
        """
        paths = any(isinstance(goal, Timed) and goal.points is not None for goal in self.problem.goals)
        usual = QualityLimits(likeness=None, likeness_limbs=None)
        limits = replace(usual, jerk=None) if paths else usual
        broken = [verdict for verdict in self.quality.check(limits) if verdict.passed is False]
        worse = [one for one in broken if one.measure.value > _WORSE * (one.measure.source or 0.0)]
        return tuple(f"{verdict.in_words()}: the edit does harm" for verdict in worse)

    def save(self, path: str | Path, *, latent: bool = False) -> None:
        """Write the motion in the format of the file's suffix, or its coordinates in the model (.npz)."""
        if not latent:
            self.motion.save(path)
        elif self.latent is None:
            raise InvalidSetting("this edit was made without a model, so it has no latent coordinates to save")
        else:
            self.latent.save(path)
