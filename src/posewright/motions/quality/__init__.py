"""How good a motion is: measures with fixed formulas (docs/measures.md), each beside the source's own value."""

from posewright.motions.quality.limits import QualityLimits, Verdict
from posewright.motions.quality.report import Measure, QualityReport, Series

__all__ = ["Measure", "QualityLimits", "QualityReport", "Series", "Verdict"]
