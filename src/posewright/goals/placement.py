"""Placement goals: position and orientation in one goal (Zhao & Badler 1994, section 5.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, Unpack

from posewright.checks import require
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import site_frames
from posewright.goals.fields import Place, Share
from posewright.goals.goal import GoalSettings
from posewright.goals.orientation import TurnedGoal
from posewright.goals.position import PointTerm
from posewright.goals.sketch import Sketch, Stroke
from posewright.goals.term import Term


@dataclass(frozen=True)
class Placement(TurnedGoal):
    """Bring a site to a point with a given orientation."""

    target: Place
    """World position, m, or the name of a site."""
    position_share: Share = field(default=0.5, kw_only=True)
    """Fraction of the weight that belongs to the position; the orientation has the rest."""

    path_field = "target"
    error_unit = None

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """A point, then the directions."""
        point = PointTerm(self.site, self.target, share=self.position_share)
        return (point, *self.orientation_terms(1.0 - self.position_share))

    def with_weights(self, weights: Sequence[float], priority: int) -> Self:
        """A copy of the goal with weights of its terms: the point first, then the directions."""
        total = float(sum(weights))
        return replace(self, weight=total, priority=priority, position_share=float(weights[0]) / total)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """The target with its directions."""
        yield from on.place(self.site, self.target)
        yield from self.sketch_axes(on, on.point(self.target))


def pin(pose: Pose, *sites: str, **settings: Unpack[GoalSettings]) -> tuple[Placement, ...]:
    """Goals that keep sites where a pose has them, in position and orientation.

    Args:
        pose: the pose, such as `pw.Pose.rest(figure)` or `motion.pose(frame)`.
        sites: names of sites or joints.
        settings: weight, priority, tolerance and other settings of each goal.
    """
    require(pose, Pose, "what sites are pinned to", "a Pose, such as pw.Pose.rest(figure)")
    frames = site_frames(pose.figure, pose.q, list(sites))
    rows = zip(sites, frames.points.tolist(), frames.x_axes.tolist(), frames.y_axes.tolist(), strict=True)
    return tuple(Placement(site, point, x=x, y=y, **settings) for site, point, x, y in rows)
