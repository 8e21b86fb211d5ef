"""Measures of motion quality with fixed formulas (docs/measures.md), compared with the values of the source."""

from posewright.motions.quality.likeness import Likeness, Stretch
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

__all__ = [
    "Likeness",
    "Measure",
    "QualityLimits",
    "QualityReport",
    "Rule",
    "Series",
    "Stretch",
    "Verdict",
    "as_dict",
    "verdict_sentence",
]
