"""How good a motion is: measures with fixed formulas (docs/measures.md), each beside the source's own value."""

from posewright.motions.quality.report import (
    Measure,
    QualityLimits,
    QualityReport,
    Rule,
    Series,
    Verdict,
    as_dict,
    verdict_sentence,
)

__all__ = ["Measure", "QualityLimits", "QualityReport", "Rule", "Series", "Verdict", "as_dict", "verdict_sentence"]
