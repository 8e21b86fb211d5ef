"""Where the crowd says that goals are met: the step of an ensemble Kalman filter (Evensen 1994), without derivatives.

Symbols: v_i the way from the cheapest particle to particle i, ρ_i its residual, C_vρ and C_ρρ their covariances over
the crowd. A particle leans by -C_vρ C_ρρ⁻¹ ρ_i: to where the crowd's own scatter predicts that its residual is gone.
Drawing about there instead of about where it is makes the evolution prior an informed one; what is drawn is weighed as
ever.

Coordinates that would lean far over their limits are *held*: they go to the limit, and the others are asked what is
left. For that, residuals are taken without what held coordinates explain of them, β_c = C_cρ / C_cc per unit.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.sampling.particles import (
    BALL,
    LOWER,
    NUMBER,
    SPREAD,
    TIED,
    UPPER,
    Freedom,
    block_holds,
    composed,
    followed,
)
from posewright.kernels.tables import Array

_FURTHEST = 2.0  # standard deviations, before annealing, that a coordinate leans at most
_DAMPING = 1e-3  # of the mean variance of a row
_SHARE = 0.5  # of its lean: a coordinate that has less room than this is held
_PASSES = 4
_HALVINGS = 6  # of a lean that breaks the rows of a block

# Rows of `Regression.places`.
_WAY: Final = 0
_HELD: Final = 1
_MEAN: Final = 2
_VARIANCE: Final = 3
N_PLACES: Final = 4


class Regression(NamedTuple):
    """What a crowd says about the way to the goals."""

    numbers: Array
    """(coordinates + rows + 3, rows): C_vρ, of held coordinates β; the factor L of C_ρρ = L Lᵀ; mean residual;
    scratch"""
    places: Array
    """(N_PLACES, coordinates): scratch for a way; 1 or -1 for a coordinate held at its upper or lower limit; mean and
    variance of the crowd's ways"""


@kernel
def learn(freedom: Freedom, x: Array, rho: Array, centre: int, known: Regression) -> None:
    """Regress residuals (particles, rows) of a crowd x (particles, coordinates) on its scatter about one of them."""
    held = known.places[_HELD]
    held[:] = 0.0
    for _ in range(_PASSES):
        _regress(freedom, x, rho, centre, known)
        _aim(freedom, known, rho[centre], 1.0, x[centre])
        if not _hold(freedom, known, x[centre]):
            return
    _regress(freedom, x, rho, centre, known)


@kernel
def _regress(freedom: Freedom, x: Array, rho: Array, centre: int, known: Regression) -> None:
    particles, n, m = x.shape[0], x.shape[1], rho.shape[1]
    numbers, way, held = known.numbers, known.places[_WAY], known.places[_HELD]
    covariance, mean, off = numbers[n : n + m], numbers[n + m], numbers[n + m + 1]
    means, variances = known.places[_MEAN], known.places[_VARIANCE]
    numbers[:, :] = 0.0
    means[:] = 0.0
    variances[:] = 0.0
    for i in range(particles):
        _between(freedom, x[centre], x[i], way)
        for c in range(n):
            means[c] += way[c] / particles
        for r in range(m):
            mean[r] += rho[i, r] / particles
    any_held = False
    for c in range(n):
        any_held = any_held or held[c] != 0.0
    for i in range(particles if any_held else 0):  # β
        _between(freedom, x[centre], x[i], way)
        for c in range(n):
            if held[c] != 0.0:
                aside = (way[c] - means[c]) / particles
                variances[c] += aside * (way[c] - means[c])
                for r in range(m):
                    numbers[c, r] += aside * (rho[i, r] - mean[r])
    for c in range(n):
        if variances[c] > 0.0:
            for r in range(m):
                numbers[c, r] /= variances[c]
    for i in range(particles):
        _between(freedom, x[centre], x[i], way)
        for r in range(m):
            off[r] = rho[i, r] - mean[r]
            for c in range(n if any_held else 0):
                if held[c] != 0.0:
                    off[r] -= numbers[c, r] * (way[c] - means[c])
        for r in range(m):
            for s in range(r + 1):
                covariance[r, s] += off[r] * off[s] / particles
            for c in range(n):
                if held[c] == 0.0:
                    numbers[c, r] += off[r] * way[c] / particles
    _factorise(covariance)


@kernel
def _factorise(covariance: Array) -> None:
    """Cholesky, in place, with some damping."""
    m, damping = covariance.shape[1], 1e-300
    for r in range(m):
        damping += _DAMPING * covariance[r, r] / m
    for r in range(m):
        covariance[r, r] += damping
        for s in range(r + 1):
            total = covariance[r, s]
            for k in range(s):
                total -= covariance[r, k] * covariance[s, k]
            covariance[r, s] = math.sqrt(max(total, damping)) if r == s else total / covariance[s, s]


@kernel
def _between(freedom: Freedom, a: Array, b: Array, way: Array) -> None:
    """Write the way (coordinates,) from a to b: a turn in the ball's own frame, a difference of other coordinates."""
    way[:] = 0.0
    for k in range(freedom.atoms.shape[0]):
        atom = freedom.atoms[k]
        c = atom["first"]
        if atom["kind"] == BALL:
            way[c], way[c + 1], way[c + 2] = composed(-a[c], -a[c + 1], -a[c + 2], b[c], b[c + 1], b[c + 2])
        elif atom["kind"] == NUMBER:
            way[c] = b[c] - a[c]


@kernel
def _aim(freedom: Freedom, known: Regression, rho: Array, share: float, origin: Array) -> None:
    """Write the way of a lean, limits of coordinates that are not held left out of account."""
    n, m = origin.shape[0], rho.shape[0]
    numbers, way, held = known.numbers, known.places[_WAY], known.places[_HELD]
    L, y = numbers[n : n + m], numbers[n + m + 2]
    for r in range(m):
        y[r] = rho[r]
    for c in range(n):
        if held[c] != 0.0:
            way[c] = freedom.numbers[UPPER if held[c] > 0.0 else LOWER, c] - origin[c]
            for r in range(m):
                y[r] += numbers[c, r] * way[c]
    for r in range(m):
        for s in range(r):
            y[r] -= L[r, s] * y[s]
        y[r] /= L[r, r]
    for r in range(m - 1, -1, -1):
        for s in range(r + 1, m):
            y[r] -= L[s, r] * y[s]
        y[r] /= L[r, r]
    over = 1.0
    for c in range(n):
        if held[c] == 0.0:
            way[c] = 0.0
            for r in range(m):
                way[c] -= numbers[c, r] * y[r]
        way[c] *= share
        most = _FURTHEST * freedom.numbers[SPREAD, c]
        if most > 0.0:
            over = max(over, abs(way[c]) / most)
    for c in range(n):
        way[c] /= over


@kernel
def _hold(freedom: Freedom, known: Regression, origin: Array) -> bool:
    """Hold what has no room for its way at the limit; whether there was any."""
    way, held, any_new = known.places[_WAY], known.places[_HELD], False
    for k in range(freedom.atoms.shape[0]):
        c = freedom.atoms[k]["first"]
        if freedom.atoms[k]["kind"] != NUMBER or held[c] != 0.0 or way[c] == 0.0:
            continue
        upwards = way[c] > 0.0
        room = freedom.numbers[UPPER, c] - origin[c] if upwards else origin[c] - freedom.numbers[LOWER, c]
        if room < _SHARE * abs(way[c]):
            held[c] = 1.0 if upwards else -1.0
            any_new = True
    return any_new


@kernel
def lean(freedom: Freedom, base: Array, known: Regression, rho: Array, share: float, origin: Array, out: Array) -> None:
    """Write where a point with residual rho (rows,) leans to, within limits and rows.

    Args:
        freedom: how particles move.
        base: a point that keeps the equalities.
        known: what the crowd says.
        rho: the residual.
        share: of the lean.
        origin: the point.
        out: (coordinates,); not the origin itself.
    """
    _aim(freedom, known, rho, share, origin)
    copy_into(origin, out)
    first = 0
    while first < freedom.atoms.shape[0]:
        _lean_block(freedom, first, base, known.places[_WAY], origin, out)
        first = freedom.atoms[first]["end"]


@kernel
def _lean_block(freedom: Freedom, first: int, base: Array, way: Array, origin: Array, out: Array) -> None:
    """Go along the way to the limits of single coordinates, and only as far as the rows of the block hold."""
    end, share = freedom.atoms[first]["end"], 1.0
    for attempt in range(_HALVINGS + 1):
        for k in range(first, end):
            atom = freedom.atoms[k]
            c = atom["first"]
            if atom["kind"] == TIED:
                out[c] = followed(freedom, atom, base, out)
            elif atom["kind"] == BALL:
                v0, v1, v2 = share * way[c], share * way[c + 1], share * way[c + 2]
                out[c], out[c + 1], out[c + 2] = composed(origin[c], origin[c + 1], origin[c + 2], v0, v1, v2)
            else:
                out[c] = min(max(origin[c] + share * way[c], freedom.numbers[LOWER, c]), freedom.numbers[UPPER, c])
        if block_holds(freedom, first, out):
            return
        share = 0.5 * share if attempt + 1 < _HALVINGS else 0.0
