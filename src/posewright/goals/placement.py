"""Position and orientation in one goal, shared by two weights (Zhao & Badler 1994, section 5.2)."""

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
    """A site at a point and turned as wanted."""

    target: Place
    """m, in the world; or a site's name."""
    position_share: Share = field(default=0.5, kw_only=True)
    """Of the weight; the rest is the orientation's."""

    path_field = "target"
    error_unit = None

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """A point, then the directions."""
        point = PointTerm(self.site, self.target, share=self.position_share)
        return (point, *self.orientation_terms(1.0 - self.position_share))

    def with_weights(self, weights: Sequence[float], priority: int) -> Self:
        """The same goal with weights for its terms: the first is its point."""
        total = float(sum(weights))
        return replace(self, weight=total, priority=priority, position_share=float(weights[0]) / total)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """The target with its directions."""
        yield from on.place(self.site, self.target)
        yield from self.sketch_axes(on, on.point(self.target))


def pin(pose: Pose, *sites: str, **settings: Unpack[GoalSettings]) -> tuple[Placement, ...]:
    """Goals that keep sites where a pose has them, in position and orientation.

    Args:
        pose: such as `figure.rest_pose` or the pose of a motion.
        sites: names of sites, or of joints.
        settings: weight, priority, tolerance and the like, of each goal.
    """
    require(pose, Pose, "what sites are pinned to", "a Pose, such as pw.Pose.rest(figure)")
    frames = site_frames(pose.figure, pose.q, list(sites))
    rows = zip(sites, frames.points.tolist(), frames.x_axes.tolist(), frames.y_axes.tolist(), strict=True)
    return tuple(Placement(site, point, x=x, y=y, **settings) for site, point, x, y in rows)
