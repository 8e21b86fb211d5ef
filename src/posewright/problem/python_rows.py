"""Goals written in Python: their rows of residual and Jacobian, filled between the steps of a kernel."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Pose
from posewright.goals.term import PythonTerm
from posewright.kernels.tables import ROWS_PER_TERM
from posewright.problem.lowering import LoweredProblem

_STEP = 1e-6  # of central differences, rad or m


class PythonRows:
    """Evaluates the Python goals of a problem. What they raise is not caught: it reaches the caller as it is."""

    def __init__(self, lowered: LoweredProblem) -> None:
        self._lowered = lowered
        self._first = ROWS_PER_TERM * len(lowered.terms) + len(lowered.linear)
        firsts = self._first + np.cumsum([0, *(term.rows for _, term, _, _ in lowered.python)])[:-1]
        self.levels: list[int] = lowered.levels[firsts].tolist()
        """The priority of each goal, from 1."""
        self.stop: npt.NDArray[np.int8] = np.zeros(1, np.int8)
        """Not 0: the search ends at this point, so derivatives, which take long, are left out."""

    def fill(self, x: Array, rho: Array, J: Array) -> list[bool]:
        """Write the rows at coordinates x; return whether each Python goal is within its tolerance."""
        space, figure = self._lowered.problem.space, self._lowered.problem.figure
        pose = Pose(figure, space.decode(x))
        row, met = self._first, []
        for label, term, root_weight, tolerance in self._lowered.python:
            residual = self._residual(label, term, pose)
            rho[row : row + term.rows] = root_weight * residual
            met.append(float(np.linalg.norm(residual)) <= tolerance)
            if term.jacobian is not None and not space.chart:
                shape, what = (term.rows, figure.n_dofs), f"the jacobian of {label!r}"
                by_q = _checked(as_numbers(term.jacobian(pose), shape, what), shape, what)
                J[row : row + term.rows] = root_weight * by_q @ space.matrix
            else:
                for c in range(len(x)):
                    if self.stop[0] != 0:
                        break
                    step = np.zeros(len(x))
                    step[c] = _STEP
                    up = self._residual(label, term, Pose(figure, space.decode(x + step)))
                    down = self._residual(label, term, Pose(figure, space.decode(x - step)))
                    J[row : row + term.rows, c] = root_weight * (up - down) / (2.0 * _STEP)
            row += term.rows
        return met

    def _residual(self, label: str, term: PythonTerm, pose: Pose) -> Array:
        found = as_numbers(term.residual(pose), (term.rows,), f"the residual of {label!r}")
        return _checked(np.atleast_1d(found), (term.rows,), f"the residual of {label!r}")


def as_numbers(given: object, shape: tuple[int, ...], what: str) -> Array:
    """What a user's function returned, if it is numbers; a function that returns nothing at all is told so."""
    try:
        if given is None:
            raise TypeError
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidSetting(f"{what} is {given!r:.60}; it must be {shape} numbers") from None


def _checked(found: Array, shape: tuple[int, ...], what: str) -> Array:
    if found.shape != shape:
        raise InvalidSetting(f"{what} has shape {found.shape}; it must be {shape}")
    if not np.isfinite(found).all():
        raise InvalidSetting(f"{what} is not finite")
    return found
