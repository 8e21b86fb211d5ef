"""A motion checked beside a source of another skeleton: both by their soles, each on the floor that it stands on.

Skeletons differ in what they call a foot: ankles and toe joints lie some centimetres inside it, soles under it. Judged
by such points, a motion whose soles are on the floor seems to sink into that of its source.
"""

from __future__ import annotations

from dataclasses import replace

from posewright.anatomy.body import Body
from posewright.anatomy.segment_axes import Anatomy
from posewright.matching import sole_sites, standing, with_soles
from posewright.matching.soles import floor_under
from posewright.motions import Motion, QualityReport
from posewright.motions.quality.assess import shared_sites


def assess_beside(motion: Motion, source: Motion, *, floor: float | None = None, body: bool = True) -> QualityReport:
    """Measure a motion beside its source, as `retarget` reports it.

    Bodies that are not recognised, and motions of the source's own figure, are measured by the points of their feet
    that names tell (`assess`).

    Args:
        motion: what to measure.
        source: what it was made from, frame by frame.
        floor: height under the motion, m; None: where its soles stand.
        body: as for `assess`.
    """
    bodies = [Body.find(each.figure) for each in (motion, source)]
    if motion.figure.is_like(source.figure) or any(found.missing for found in bodies):
        return motion.quality(source, floor=floor, body=body)
    sites = shared_sites(motion.figure, source.figure)
    mine, theirs = (_on_soles(each, found) for each, found in zip((motion, source), bodies, strict=True))
    feet = [name for name in sole_sites(mine[0].figure) if name in sole_sites(theirs[0].figure)]
    return mine[0].quality(
        theirs[0], sites=sites, feet=feet, body=body,
        floor=floor_under(*mine) if floor is None else floor, source_floor=floor_under(*theirs),
    )  # fmt: skip


def _on_soles(motion: Motion, body: Body) -> tuple[Motion, Anatomy]:
    """The motion of the figure with soles, and its anatomy as it stands."""
    anatomy = Anatomy(replace(body, figure=standing(motion, body)))
    return replace(motion, figure=with_soles(anatomy.figure, anatomy.body)), anatomy
