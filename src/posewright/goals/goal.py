"""The base class of all goals."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypedDict, get_args

import numpy.typing as npt

from posewright.checks import require, require_choice, require_list, require_number
from posewright.conventions import Array
from posewright.figures import Figure, Pose
from posewright.figures.vectors import vector
from posewright.goals.fields import Point, SiteName, Target, check_fields
from posewright.goals.sketch import Sketch, Stroke
from posewright.goals.term import SiteTerm, Term, Unit

if TYPE_CHECKING:
    from posewright.goals.timed import Ease, Path, Timed

LARGEST_WEIGHT = 1e100
"""Squares and products of larger weights may overflow."""

Recruit = Literal["limb", "limb+spine", "whole"]
"""Which part of the figure may serve a goal: the limb of its site, that limb and the spine, or all of it."""


class GoalSettings(TypedDict, total=False):
    """The settings that all goals share; see `Goal`."""

    weight: float
    priority: int
    tolerance: float | None
    name: str
    joints: tuple[str, ...] | Recruit
    enabled: bool


_NAMING = ("site", "goals", "joints")
"""Roles of fields that make up labels, so that messages about them cannot use the label."""


@dataclass(frozen=True, kw_only=True)
class Goal(ABC):
    """Base class of all goals. A goal states what a pose should do; solvers come as close as they can.

    A subclass declares its fields with the types of `goals.fields` and defines `label` and `terms`; everything else has
    defaults.
    """

    weight: float = 1.0
    """Factor of the squared error; angles are converted to metres by the goal's `radius`."""
    priority: int = 1
    """Goals with priority 1 are served first; later priorities use only the freedom that is left."""
    tolerance: float | None = None
    """Largest error that counts as reached, m or rad; None: 1e-4 of the reach of the site's chain, or 0.1 degrees."""
    name: str = ""
    """Name of the goal in results; empty: the site's name."""
    joints: tuple[str, ...] | Recruit = "whole"
    """Joints that may move for this goal. The joints of all goals are pooled: a joint that serves one serves all.
    Posture and smoothness goals add only the joints they name, unless the problem has no other goals."""
    enabled: bool = True
    """A disabled goal stays in the problem but is ignored."""

    error_unit: ClassVar[Unit | None] = "m"
    """Unit of error and tolerance; None if the goal has errors of several units, or none."""
    path_field: ClassVar[str | None] = None
    """Name of the field that a path over time replaces (`along`); None if there is none."""
    moves_its_site: ClassVar[bool] = False
    """Whether the goal, at a frame of a motion, displaces its site in a way that neighbouring frames can share."""

    def __post_init__(self) -> None:
        require(self.name, str, f"the name of {_a(type(self))}", "text")
        check_fields(self, _a(type(self)), only=_NAMING)
        check_fields(self, str(self))
        require_number(self.weight, f"the weight of {self}", at_least=0.0, at_most=LARGEST_WEIGHT)
        require_number(
            self.priority, f"the priority of {self}", "1, 2, 3, ...; 1 is served first", at_least=1, whole=True
        )
        if self.tolerance is not None:
            require_number(self.tolerance, f"the tolerance of {self}", above=0.0, finite=False)
        if isinstance(self.joints, str):
            require_choice(self.joints, f"joints of {self}", get_args(Recruit))
        else:
            require_list(self.joints, f"joints of {self}", "names, or limb, limb+spine or whole", str)
            object.__setattr__(self, "joints", tuple(self.joints))

    @classmethod
    def word(cls) -> str:
        """Name of this kind of goal in task files, such as `half_space` for `HalfSpace`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    @property
    @abstractmethod
    def label(self) -> str:
        """Name of the goal in results."""

    @abstractmethod
    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """The residuals that make up this goal."""

    def branches(self, figure: Figure) -> tuple[tuple[Term, ...], ...]:
        """The terms of each alternative; most goals have only one."""
        return (self.terms(figure),)

    @property
    def place(self) -> Target | None:
        """The point or site that a path over time replaces; None if there is none."""
        return None if self.path_field is None else getattr(self, self.path_field)

    @classmethod
    def place_in(cls, pose: Pose, values: Mapping[str, Any]) -> Point:
        """The point that `start` stands for in a task file: where the start pose has what the goal is about."""
        return vector(pose.point(values["site"]))

    def nearest_point(self, figure: Figure, here: Array) -> Array | None:
        """The point (3,) nearest to `here` at which the goal is met; None if the goal is not about a place."""
        terms = self.terms(figure)
        if len(terms) != 1 or not isinstance(terms[0], SiteTerm) or terms[0].partner is not None:
            return None
        return terms[0].nearest_point(terms[0].target, here)

    def with_weights(self, weights: Sequence[float], priority: int) -> Self:
        """A copy of the goal with another priority and with these weights of its terms."""
        return replace(self, weight=float(weights[0]), priority=priority)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """Strokes that show the goal in pictures."""
        yield from ()

    # In time.

    def at(self, frame: int, *, ease: Ease | None = None) -> Timed:
        """Apply this goal at one frame of a motion.

        Args:
            frame: frame, counted from 0; negative frames count from the end.
            ease: number of frames over which the goal fades in before and out after, or a pair of both. None: as many
                as keep the motion smooth (in `edit`, half a second or more; in a motion model, none).
        """
        return self.during(frame, frame, ease=ease)

    def during(self, start: int, end: int, *, ease: Ease | None = None) -> Timed:
        """Apply this goal over a range of frames, both ends included.

        Args:
            start: first frame, counted from 0; negative frames count from the end.
            end: last frame, counted in the same way.
            ease: number of frames over which the goal fades in before and out after, or a pair of both. None: in
                `edit` as many as keep the motion smooth, otherwise none.
        """
        from posewright.goals.timed import Timed, both_ends

        before, after = (None, None) if ease is None else both_ends(ease)
        return Timed(self, start, end, ease_in=before, ease_out=after)

    def along(
        self,
        path: Path | None = None,
        *,
        x: npt.ArrayLike | None = None,
        y: npt.ArrayLike | None = None,
        rotations: npt.ArrayLike | None = None,
        start: int | None = None,
        end: int | None = None,
        ease: Ease | None = None,
        activation: npt.ArrayLike | None = None,
    ) -> Timed:
        """Apply this goal with a different target in every frame.

        Args:
            path: target points (frames, 3), m, or a spline whose times are frames.
            x: directions (frames, 3) of the site's x axis, if the goal has one.
            y: directions (frames, 3) of the site's y axis, if the goal has one.
            rotations: rotations of the site instead of x and y: (frames, 4) wxyz or (frames, 3, 3).
            start: first frame; default: the first of the motion, or of the spline.
            end: last frame; default: the last of the motion, or of the spline.
            ease: number of frames over which the goal fades in before and out after, or a pair of both. None: in
                `edit` as many as keep the motion smooth, otherwise none.
            activation: (frames,), from 0 (off) to 1: how much the goal counts in each of these frames.
        """
        from posewright.goals.timed import along

        return along(self, path, x, y, rotations, start, end, ease, activation)

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.label!r}"


@dataclass(frozen=True)
class SiteGoal(Goal):
    """Base class of goals about one site."""

    site: SiteName
    """Name of a site, or of a joint for its origin and axes."""

    @property
    def label(self) -> str:
        """Name of the goal in results."""
        return self.name or self.site


def _a(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"
