"""Problems packed for `ActiveSetBfgs`: one level of weights, and the constraints over what may move."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array, BoolArray, IntArray
from posewright.kernels.active_set.constraints import ActiveSet, Region
from posewright.kernels.active_set.powell_search import LINE
from posewright.kernels.active_set.search import STATE, SearchWork
from posewright.kernels.dense.problem import DenseTables
from posewright.kernels.goals.gradient import ENTRY, WrenchWork
from posewright.kernels.tables import MASS_LINE, MASS_POINT, ROWS_PER_TERM, SLIDE, Table
from posewright.problem.lowering import LEVEL_WEIGHT, LoweredProblem, reach
from posewright.problem.reachability import moving_coordinates
from posewright.solvers.dense_prepared import dense_tables

_LONGEST_TURN = 0.5  # rad: first trial of a line search
_LONGEST_SLIDE = 0.25  # of the longest chain


def weighted_tables(lowered: LoweredProblem) -> DenseTables:
    """The tables with priorities turned into weights."""
    terms, first = lowered.terms.copy(), ROWS_PER_TERM * len(lowered.terms)
    terms["weight"] *= LEVEL_WEIGHT ** -(terms["level"] - 1.0)
    row_levels = lowered.levels[first : first + len(lowered.linear)]
    factor = LEVEL_WEIGHT ** (-0.5 * (row_levels - 1.0))
    tables = dense_tables(lowered, terms=terms, linear=lowered.linear * factor[:, None])
    return tables._replace(
        linear_target=lowered.linear_target * factor,
        posture=lowered.posture * LEVEL_WEIGHT ** -(lowered.n_levels - 1.0),
    )


def free_region(lowered: LoweredProblem) -> Region:
    """The constraints over the coordinates that may move."""
    region, figure = lowered.region, lowered.problem.figure
    matrix = lowered.problem.space.matrix
    moving = moving_coordinates(lowered) & _useful(lowered)
    free = np.flatnonzero(moving).astype(np.int64)
    place = np.full(len(moving), -1, np.int64)
    place[free] = np.arange(len(free))
    scale = lowered.scale[free]
    normals = region.A[:, free] * scale
    lengths = np.linalg.norm(normals, axis=1)
    kept = lengths > 1e-12  # rows of frozen coordinates alone hold as they did at the start
    slides = np.array([(lowered.dofs["kind"][np.flatnonzero(matrix[:, c])] == SLIDE).all() for c in free], np.bool_)
    unit = np.maximum(np.abs(matrix[:, free]).max(axis=0, initial=0.0), 1e-12)
    return Region(
        free=free,
        place=place,
        scale=scale,
        normals=np.ascontiguousarray(normals[kept] / lengths[kept, None]),
        rows=np.ascontiguousarray(region.A[kept] / lengths[kept, None]),
        bounds=region.b[kept] / lengths[kept],
        n_equal=int(kept[: region.n_equal].sum()),
        lower=region.lower[free],
        upper=region.upper[free],
        longest=np.where(slides, _LONGEST_SLIDE * reach(figure, None), _LONGEST_TURN) / unit,
        balls=_balls(lowered, place),
    )


def _useful(lowered: LoweredProblem) -> BoolArray:
    """Which coordinates change what a goal sees, or share a linear constraint with others (coordinates,)."""
    figure, terms = lowered.problem.figure, lowered.terms
    ends = {int(joint) for joint in (*terms["joint"], *terms["partner"]) if joint >= 0}
    chains = {index for end in ends for index in figure.ancestors(end)}
    seen = np.isin(lowered.dofs["joint"], sorted(chains)) | (lowered.posture > 0.0) | lowered.linear.any(axis=0)
    seen |= bool(lowered.python) or bool(np.isin(terms["kind"], (MASS_POINT, MASS_LINE)).any())
    return np.asarray(lowered.problem.space.matrix[seen].any(axis=0) | lowered.region.A.any(axis=0))


def _balls(lowered: LoweredProblem, place: IntArray) -> IntArray:
    """Per ball joint its first dof, and its first variable if nothing but its rotation counts."""
    matrix, region = lowered.problem.space.matrix, lowered.region
    found = []
    for joint in lowered.joints[lowered.joints["ball"] != 0]:
        first = int(joint["first"] + joint["slides"])
        dofs = slice(first, first + 3)
        columns = matrix[dofs].argmax(axis=1)
        single = bool((matrix[dofs][:, columns] == np.eye(3)).all())
        single = single and int((matrix[dofs] != 0.0).sum()) == 3 and int((matrix[:, columns] != 0.0).sum()) == 3
        free = single and bool((np.diff(place[columns]) == 1).all() and place[columns[0]] >= 0)
        plain = free and bool(np.isinf(region.lower[columns]).all() and np.isinf(region.upper[columns]).all())
        touched = region.A[:, columns].any() or lowered.posture[dofs].any() or lowered.linear[:, dofs].any()
        found.append((first, place[columns[0]] if plain and not touched and not lowered.python else -1))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def space_entries(matrix: Array) -> Table:
    """What is not zero in the matrix of a space."""
    dofs, coordinates = np.nonzero(matrix)
    table = np.zeros(len(dofs), ENTRY)
    table["dof"], table["coordinate"], table["factor"] = dofs, coordinates, matrix[dofs, coordinates]
    return table


def search_work(tables: DenseTables, region: Region) -> tuple[WrenchWork, ActiveSet, SearchWork]:
    """Arrays of the sizes that the tables ask for."""
    (n_dofs, n_x), n, m = tables.matrix.shape, len(region.free), len(region.normals)
    forces = WrenchWork(
        per_joint=np.zeros((len(tables.joints), 6)),
        per_term=np.zeros((len(tables.terms), 12)),
        by_q=np.zeros(n_dofs),
        by_x=np.zeros(n_x),
    )
    active = ActiveSet(
        listed=np.zeros(n + 1, np.int64),
        marks=np.zeros(m + 2 * n, np.int8),
        Q=np.zeros((n + 1, n)),
        L_inverse=np.zeros((n + 1, n + 1)),
        H=np.zeros((n, n)),
        normal=np.zeros(n),
        image=np.zeros(n + 1),
        alpha=np.zeros(n + 1),
    )
    search = SearchWork(
        state=np.zeros(1, STATE),
        line=np.zeros(1, LINE),
        base=np.zeros(n_x),
        g=np.zeros(n),
        s=np.zeros(n),
        g_trial=np.zeros(n),
        y=np.zeros(n),
        Hy=np.zeros(n),
        q=np.zeros(n_dofs),
        dq=np.zeros(n_dofs),
    )
    return forces, active, search
