"""User-defined goals: residuals of a pose written in Python, or compiled residuals of the frames of sites."""

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
"""A function (frames, numbers, out): frames (n, sites, 9) has the point, x axis and y axis of each site, numbers (any,)
are constants, and the residual is written to out (n, rows)."""


@dataclass(frozen=True, eq=False)
class PythonGoal(Goal):
    """A goal given by a Python function: a residual that is zero when the goal is met. Its length is the error."""

    residual: Callable[[Pose], Array]
    """Residual (rows,) of a pose."""
    rows: int
    """Number of rows of the residual."""
    jacobian: Callable[[Pose], Array] | None = None
    """Derivative (rows, dofs) with respect to `q`; None: central differences."""
    unit: Unit = "m"
    """Unit of the residual, "m" or "rad"."""
    crowd: Callable[[Figure, Array, JointFrames], Array] | None = None
    """Residuals (poses, rows) of many poses `q` (poses, dofs), given with their joint frames. Optional; it speeds up
    solvers that sample many poses, which otherwise call `residual` for each pose."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for what, function in (("residual", self.residual), ("jacobian", self.jacobian), ("crowd", self.crowd)):
            if not callable(function) and (function is not None or what == "residual"):
                raise InvalidSetting(must_be(f"the {what} of {self}", "a function", function))
        require_number(self.rows, f"the rows of {self}", at_least=1, whole=True)
        require_choice(self.unit, f"the unit of {self}", get_args(Unit))

    @property
    def label(self) -> str:
        """Name of the goal in results."""
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
    """The term of a user-defined goal whose residual depends on the frames of some sites.

    Derivatives with respect to the sites use central differences, in one call of the residual. Those with respect to
    the joints have a closed form, so the number of joints does not matter for a compiled residual.

    Args:
        figure: the figure.
        sites: names of sites or joints.
        residual: fills out (n, rows) from frames (n, sites, 9) and `numbers`; best compiled by `kernels.kernel`.
        rows: number of rows of the residual.
        numbers: constants passed to the residual, such as targets and radii.
        unit: unit of the residual.
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
    """Residuals (poses, rows) of a Python goal for many poses (poses, dofs)."""
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
    """Convert what a user's function returned to an array of numbers."""
    try:
        if given is None:
            raise TypeError
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidSetting(f"{what} is {given!r:.60}; it must be {shape} numbers") from None


def checked_rows(found: Array, shape: tuple[int, ...], what: str) -> Array:
    """Check that rows of a residual or of its derivative have the right shape and are finite."""
    if found.shape != shape:
        raise InvalidSetting(f"{what} has shape {found.shape}; it must be {shape}")
    if not np.isfinite(found).all():
        raise InvalidSetting(f"{what} is not finite")
    return found
