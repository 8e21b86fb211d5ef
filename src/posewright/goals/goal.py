"""What every goal has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy.typing as npt

from posewright.checks import require, require_list
from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.goals.term import Term, is_number, is_whole

if TYPE_CHECKING:
    from posewright.goals.timed import Ease, Path, Timed

LARGEST_WEIGHT = 1e100
"""Squares and products of larger ones may be infinite."""

Recruit = Literal["limb", "limb+spine", "whole"]
"""How much of a figure serves a goal: the limb its site is on, with the spine, or everything."""


@dataclass(frozen=True, kw_only=True)
class Goal(ABC):
    """Something wanted that may be missed."""

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
    recruiting: Recruit | Literal["auto"] = "auto"
    """How much of the body is taken from a posture database for it (`design`); auto: as much as reaches its target."""
    enabled: bool = True
    """A goal that is off stays in the problem and is ignored."""

    def __post_init__(self) -> None:
        require(self.name, str, f"the name of a {type(self).__name__}", "text")
        if not (is_number(self.weight) and 0.0 <= float(self.weight) <= LARGEST_WEIGHT):
            raise InvalidSetting(
                f"{self}: weight is {self.weight!r}; it must be a number, not negative and at most {LARGEST_WEIGHT:g}"
            )
        if not (is_whole(self.priority) and self.priority >= 1):
            raise InvalidSetting(f"{self}: priority is {self.priority!r}; priorities count from 1, the first served")
        if self.tolerance is not None and not (is_number(self.tolerance) and self.tolerance > 0.0):
            raise InvalidSetting(f"{self}: tolerance is {self.tolerance!r}; it must be positive")
        if isinstance(self.joints, str) and self.joints not in ("limb", "limb+spine", "whole"):
            raise InvalidSetting(
                f"{self}: joints is {self.joints!r}; it must be limb, limb+spine, whole or a tuple of names"
            )
        if not isinstance(self.joints, str):
            require_list(self.joints, f"{self}: joints", "names, or limb, limb+spine or whole")
            object.__setattr__(self, "joints", tuple(self.joints))
            for joint in self.joints:
                require(joint, str, f"{self}: one of its joints", "a name")
        if self.recruiting not in ("auto", "limb", "limb+spine", "whole"):
            raise InvalidSetting(
                f"{self}: recruiting is {self.recruiting!r}; it must be auto, limb, limb+spine or whole"
            )

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

    # In time.

    def at(self, frame: int, *, ease: Ease | None = None) -> Timed:
        """This goal at one frame of a motion.

        Args:
            frame: counted from 0; negative counts from the end.
            ease: frames before and after over which it fades, or a pair of them; None: as many as keep the motion
                smooth, which is none in a motion model and a quarter of the motion otherwise.
        """
        from posewright.goals.timed import at

        return at(self, frame, ease)

    def during(self, start: int, end: int, *, ease: Ease = 0.0) -> Timed:
        """This goal from a frame to another, both included; `ease`: frames over which it fades before and after."""
        from posewright.goals.timed import during

        return during(self, start, end, ease)

    def along(
        self,
        path: Path | None = None,
        *,
        x: npt.ArrayLike | None = None,
        y: npt.ArrayLike | None = None,
        rotations: npt.ArrayLike | None = None,
        start: int | None = None,
        end: int | None = None,
        ease: Ease = 0.0,
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
            ease: frames over which it fades before and after, or a pair of them.
            activation: (frames,), from 0 (off) to 1: how much the goal counts in each of these frames.
        """
        from posewright.goals.timed import along

        return along(self, path, x, y, rotations, start, end, ease, activation)

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.label!r}"


@dataclass(frozen=True)
class SiteGoal(Goal):
    """A goal about one site."""

    site: str
    """A site, or a joint for its own origin and axes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.site, str):
            raise InvalidSetting(f"the site of a {type(self).__name__} is {self.site!r}; it must be a name")

    @property
    def label(self) -> str:
        """What results call it."""
        return self.name or self.site
