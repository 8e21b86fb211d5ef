"""How good a motion is: measures with fixed formulas (docs/measures.md), each beside the source's own value."""

from posewright.motion.quality.assess import assess
from posewright.motion.quality.limits import QualityLimits, Verdict, judged
from posewright.motion.quality.report import Measure, QualityReport, Series

__all__ = ["Measure", "QualityLimits", "QualityReport", "Series", "Verdict", "assess", "judged"]
