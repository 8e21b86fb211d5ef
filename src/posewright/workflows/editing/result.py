"""The result of an edit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from posewright.errors import InvalidSetting
from posewright.models.latent import Latent
from posewright.motions.quality.report import QualityLimits, QualityReport
from posewright.problem import MotionResult

_WORSE = 1.001
"""Factor of the source's value above which a broken limit counts as harm; the source may break it as well."""


@dataclass(frozen=True, eq=False, repr=False)
class EditResult(MotionResult):
    """The result of `edit`: the edited motion and its errors."""

    latent: Latent | None = None
    """The edited motion in the coordinates of the model, or None without a model."""

    @cached_property
    def quality(self) -> QualityReport:
        """Quality measures of the edited motion compared with the source."""
        return self.motion.quality(self.problem.near)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is doubtful, could not be done as requested, or is worse than in the source, one sentence each."""
        return (*self.remarks, *self.harm)

    @property
    def remarks(self) -> tuple[str, ...]:
        """The warnings that do not require measuring the motion."""
        return super().warnings

    @cached_property
    def harm(self) -> tuple[str, ...]:
        """A sentence for each limit of `check` that the edited motion breaks and the source does not.

        Likeness is not judged, since an edit is meant to differ, and `remarks` have already judged jerk.
        """
        limits = QualityLimits(likeness=None, likeness_limbs=None, jerk=None)
        broken = [verdict for verdict in self.quality.check(limits) if verdict.passed is False]
        worse = [one for one in broken if one.measure.value > _WORSE * (one.measure.source or 0.0)]
        return tuple(f"the edit makes the motion worse: {verdict.in_words()}" for verdict in worse)

    def save(self, path: str | Path, *, latent: bool = False) -> None:
        """Write the motion in the format of the file's suffix, or its coordinates in the model (.npz)."""
        if not latent:
            self.motion.save(path)
        elif self.latent is None:
            raise InvalidSetting("this edit was made without a model, so it has no latent coordinates to save")
        else:
            self.latent.save(path)
