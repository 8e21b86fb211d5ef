"""Goals written by a user in plain Python: a residual of a pose, on a slower path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from posewright.checks import must_be, require_choice, require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import JointFrames
from posewright.goals.goal import Goal
from posewright.goals.term import PythonTerm, Term, Unit


@dataclass(frozen=True, eq=False)
class PythonGoal(Goal):
    """A residual that is zero when the goal is met; its length is the error."""

    residual: Callable[[Pose], Array]
    """Of a pose, (rows,)."""
    rows: int
    jacobian: Callable[[Pose], Array] | None = None
    """Derivative (rows, dofs) by `q`; None: central differences."""
    unit: Unit = "m"
    crowd: Callable[[Figure, Array, JointFrames], Array] | None = None
    """The residual (poses, rows) of many poses `q` (poses, dofs) at once, whose joints stand at the frames: for solvers
    that try crowds of poses; without it they ask `residual` pose by pose."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for what, function in (("residual", self.residual), ("jacobian", self.jacobian), ("crowd", self.crowd)):
            if not callable(function) and (function is not None or what == "residual"):
                raise InvalidSetting(must_be(f"the {what} of {self}", "a function", function))
        require_number(self.rows, f"the rows of {self}", at_least=1, whole=True)
        require_choice(self.unit, f"the unit of {self}", get_args(Unit))

    @property
    def label(self) -> str:
        """What results call it."""
        return self.name or getattr(self.residual, "__name__", "python goal")

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """The function itself."""
        return (PythonTerm(self.residual, self.jacobian, self.rows, self.unit, self.crowd),)
