"""What every goal has in common."""

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
"""Squares and products of larger ones may be infinite."""

Recruit = Literal["limb", "limb+spine", "whole"]
"""How much of a figure serves a goal: the limb its site is on, with the spine, or everything."""


class GoalSettings(TypedDict, total=False):
    """The settings that all goals share; see `Goal`."""

    weight: float
    priority: int
    tolerance: float | None
    name: str
    joints: tuple[str, ...] | Recruit
    enabled: bool


_NAMING = ("site", "goals", "joints")
"""Roles of fields that labels are made of: a sentence about them cannot use the label."""


@dataclass(frozen=True, kw_only=True)
class Goal(ABC):
    """Base class of all goals: something wanted that may be missed.

    A kind of goal is a subclass: fields declared by the types of `goals.fields`, a `label` and `terms`; the rest has
    defaults.
    """

    weight: float = 1.0
    """Multiplies the squared error; angles count as metres through the goal's `radius`."""
    priority: int = 1
    """1 is served first; a lower priority may only use the freedom left over."""
    tolerance: float | None = None
    """Largest error that counts as reached (m or rad); None: 1e-4 of the chain's reach, 0.1 degrees."""
    name: str = ""
    """What results call it; empty: the site's name."""
    joints: tuple[str, ...] | Recruit = "whole"
    """Which joints may serve it. Those of all goals of a problem are pooled: a joint that serves one serves all.
    Posture and smoothness goals bring in those they name and no others, unless there are no other goals."""
    enabled: bool = True
    """A goal that is off stays in the problem and is ignored."""

    error_unit: ClassVar[Unit | None] = "m"
    """Of its error and tolerance; None: it has no single one."""
    path_field: ClassVar[str | None] = None
    """The field whose point a path over time replaces (`along`); None: it has none."""
    moves_its_site: ClassVar[bool] = False
    """Whether at a frame of a motion it asks for a displacement of its site, which neighbouring frames can share."""

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
        """What task files call the kind: `HalfSpace` is `half_space`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    @property
    @abstractmethod
    def label(self) -> str:
        """What results call it."""

    @abstractmethod
    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """The residuals that make up this goal."""

    def branches(self, figure: Figure) -> tuple[tuple[Term, ...], ...]:
        """Its terms; where it is a choice, those of each alternative."""
        return (self.terms(figure),)

    @property
    def place(self) -> Target | None:
        """The point or site that a path over time replaces; None: it has none."""
        return None if self.path_field is None else getattr(self, self.path_field)

    @classmethod
    def place_in(cls, pose: Pose, values: Mapping[str, Any]) -> Point:
        """What a task file means by `start` in place of a point: where a pose has what the goal is about."""
        return vector(pose.point(values["site"]))

    def nearest_point(self, figure: Figure, here: Array) -> Array | None:
        """Of the points (3,) that meet it the one nearest to `here`; None: it is not about a place in the world."""
        terms = self.terms(figure)
        if len(terms) != 1 or not isinstance(terms[0], SiteTerm) or terms[0].partner is not None:
            return None
        return terms[0].nearest_point(terms[0].target, here)

    def with_weights(self, weights: Sequence[float], priority: int) -> Self:
        """The same goal with another priority and weights for its terms, which are all equal."""
        return replace(self, weight=float(weights[0]), priority=priority)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """What pictures show of it."""
        yield from ()

    # In time.

    def at(self, frame: int, *, ease: Ease | None = None) -> Timed:
        """This goal at one frame of a motion.

        Args:
            frame: counted from 0; negative counts from the end.
            ease: frames before and after over which it fades, or a pair of them; None: as many as keep the motion
                smooth, which is none in a motion model; without one, `edit` takes half a second or more.
        """
        return self.during(frame, frame, ease=ease)

    def during(self, start: int, end: int, *, ease: Ease | None = None) -> Timed:
        """This goal from a frame to another, both included.

        Args:
            start: counted from 0; negative counts from the end.
            end: likewise.
            ease: frames before and after over which it fades, or a pair of them; None: at once, but in `edit` as many
                as keep the motion smooth.
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
        """This goal with a target of its own in every frame.

        Args:
            path: points (frames, 3), m, or a spline whose times are frames.
            x: (frames, 3): directions of the site's x axis, where the goal has one.
            y: (frames, 3): of its y axis.
            rotations: of the site, instead of x and y: (frames, 4) wxyz or (frames, 3, 3).
            start: first frame; by default that of the motion, or of the spline.
            end: last frame, likewise.
            ease: frames before and after over which it fades, or a pair of them; None: at once, but in `edit` as many
                as keep the motion smooth.
            activation: (frames,), from 0 (off) to 1: how much the goal counts in each of these frames.
        """
        from posewright.goals.timed import along

        return along(self, path, x, y, rotations, start, end, ease, activation)

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.label!r}"


@dataclass(frozen=True)
class SiteGoal(Goal):
    """A goal about one site."""

    site: SiteName
    """A site, or a joint for its own origin and axes."""

    @property
    def label(self) -> str:
        """What results call it."""
        return self.name or self.site


def _a(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"
