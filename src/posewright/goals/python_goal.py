"""Goals of a user's own: residuals written in Python, of a pose, or compiled, of the frames of some sites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

import numpy as np

from posewright.checks import must_be, require_choice, require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import JointFrames, joint_frames, site_frames, site_jacobians
from posewright.goals.goal import Goal
from posewright.goals.term import PythonTerm, Term, Unit

_STEP = 1e-6  # of central differences, m and of unit vectors

SiteResidual = Callable[[Array, Array, Array], None]
"""Of frames (n, sites, 9), a point, the x axis and the y axis of each site, and numbers (any,), into (n, rows)."""


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
    """The residual (poses, rows) of many poses `q` (poses, dofs) at once, whose joints are at the frames: for solvers
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


def site_function(
    figure: Figure,
    sites: Sequence[str],
    residual: SiteResidual,
    rows: int,
    numbers: Sequence[float] = (),
    unit: Unit = "m",
) -> PythonTerm:
    """The term of a goal kind of your own, whose residual is a function of where some sites are.

    Its derivative by the sites is taken by central differences in one call, and by the joints in closed form, so a
    compiled residual costs the same for any number of joints.

    Args:
        figure: what is posed.
        sites: names of sites, or of joints.
        residual: fills out (n, rows) from frames (n, sites, 9) and `numbers`; best compiled by `kernels.kernel`.
        rows: of the residual.
        numbers: handed to the residual: targets, radii and the like.
        unit: of the residual's length, the error.
    """
    names, constants = list(sites), np.array(numbers, dtype=np.float64)
    n = 9 * len(names)
    steps = _STEP * np.concatenate([np.eye(n), -np.eye(n)]).reshape(2 * n, len(names), 9)

    def evaluated(frames: Array) -> Array:
        out = np.empty((len(frames), rows))
        residual(np.ascontiguousarray(frames), constants, out)
        return out

    def frames_at(q: Array) -> Array:
        found = site_frames(figure, q, names)
        return np.concatenate([found.points, found.x_axes, found.y_axes], axis=-1)

    @lru_cache(maxsize=1)  # solvers ask for the residual of a pose and then for its derivative
    def frames_of(pose: Pose) -> Array:
        return frames_at(pose.q)

    def of_pose(pose: Pose) -> Array:
        values: Array = evaluated(frames_of(pose)[np.newaxis])[0]
        return values

    def jacobian(pose: Pose) -> Array:
        around = evaluated(frames_of(pose) + steps)
        by_frames = (around[:n] - around[n:]).T / (2.0 * _STEP)
        by_q: Array = by_frames @ site_jacobians(figure, pose.q, names).reshape(n, figure.n_dofs)
        return by_q

    def crowd(figure: Figure, q: Array, frames: JointFrames) -> Array:
        return evaluated(frames_at(q))

    return PythonTerm(of_pose, jacobian, rows, unit, crowd)


def crowd_residuals(figure: Figure, label: str, term: PythonTerm, q: Array) -> Array:
    """The residual (poses, rows) of a goal in Python for many poses (poses, dofs)."""
    what, shape = f"the residual of {label!r}", (len(q), term.rows)
    if not len(q):
        return np.zeros(shape)
    if term.crowd is not None:
        found = as_numbers(term.crowd(figure, q, joint_frames(figure, q)), shape, what)
    else:
        one_by_one = [as_numbers(term.residual(Pose(figure, row)), (term.rows,), what) for row in q]
        found = as_numbers([np.atleast_1d(one) for one in one_by_one], shape, what)
    return checked_rows(found, shape, f"{what} for {len(q)} poses")


def as_numbers(given: object, shape: tuple[int, ...], what: str) -> Array:
    """What a user's function returned, if it is numbers; None has a sentence of its own."""
    try:
        if given is None:
            raise TypeError
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidSetting(f"{what} is {given!r:.60}; it must be {shape} numbers") from None


def checked_rows(found: Array, shape: tuple[int, ...], what: str) -> Array:
    """Rows of a residual or of its derivative, refused if they have another shape or are not finite."""
    if found.shape != shape:
        raise InvalidSetting(f"{what} has shape {found.shape}; it must be {shape}")
    if not np.isfinite(found).all():
        raise InvalidSetting(f"{what} is not finite")
    return found
