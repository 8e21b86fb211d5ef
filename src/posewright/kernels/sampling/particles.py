"""Particles: poses drawn about other poses, within limits and linear constraints (Courty & Arnaud 2008, section 4).

A particle is a point x of the searched space. Its *atoms* are drawn independently: a ball whose three numbers are
coordinates of their own by the QuTem distribution (Johnson 2003; m ⊗ exp(v) with v normal and no longer than π), every
other coordinate by a normal one. Coordinates that equalities tie to others follow them. Limits and inequalities are
kept by drawing again. They hold together coordinates in *blocks*: drawing one block until its own rows hold
is the same as drawing all until all hold, and does not become hopeless with many limits.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import quaternion_exp, turned_vector
from posewright.kernels.sampling.random_numbers import key_of, two_normals
from posewright.kernels.tables import Array, Row, Table

ATOM: Final = np.dtype(
    [
        ("first", "i8"),  # its coordinate, or the first of the three of a ball
        ("kind", "i8"),  # NUMBER, BALL or TIED
        ("tie", "i8"),  # of a tied coordinate: the row that says how it follows others
        ("end", "i8"),  # of the first atom of a block: the atom after its last
        ("row", "i8"),  # and the inequalities that hold the block together, from this row
        ("row_end", "i8"),  # to the one before this
    ],
    align=True,
)
"""The atoms of a block are neighbours, those that follow others last."""

NUMBER: Final = 0
BALL: Final = 1
TIED: Final = 2

_HALVE = 10  # tries after which the spread is halved
_SLACK = 1e-12  # of a unit: what rounding may do to a row that holds with equality

LOWER: Final = 0
"""Rows of `Freedom.numbers`."""
UPPER: Final = 1
SPREAD: Final = 2
_UNIT: Final = 3
FIRST_ROW: Final = 4
"""From here on: ties x[coordinate] = base[coordinate] + row · (x - base), and inequalities row · x <= bound."""


class Freedom(NamedTuple):
    """How particles may move."""

    atoms: Table
    """of ATOM"""
    numbers: Array
    """(rows, coordinates + 1): lower and upper limits, the standard deviation before annealing, what counts as one (rad
    or m), then ties and inequalities, whose bound is last"""

    @property
    def lower(self) -> Array:
        """(coordinates,)"""
        return np.asarray(self.numbers[LOWER, :-1])

    @property
    def upper(self) -> Array:
        """(coordinates,)"""
        return np.asarray(self.numbers[UPPER, :-1])

    @property
    def spread(self) -> Array:
        """(coordinates,)"""
        return np.asarray(self.numbers[SPREAD, :-1])


@kernel
def composed(a0: float, a1: float, a2: float, b0: float, b1: float, b2: float) -> tuple[float, float, float]:
    """The rotation vector of exp(a) exp(b), no longer than π."""
    w, x, y, z = quaternion_exp(a0, a1, a2)
    return turned_vector(w, x, y, z, b0, b1, b2)


@kernel
def blend(freedom: Freedom, base: Array, a: Array, b: Array, share: float, out: Array) -> None:
    """Write the point at a share of the path from a to b: slerp for balls, straight for the rest. `out` may be `a`."""
    for i in range(a.shape[0]):
        out[i] = a[i]
    for k in range(freedom.atoms.shape[0]):
        atom = freedom.atoms[k]
        c = atom["first"]
        if atom["kind"] == BALL:
            v0, v1, v2 = composed(-a[c], -a[c + 1], -a[c + 2], b[c], b[c + 1], b[c + 2])
            out[c], out[c + 1], out[c + 2] = composed(a[c], a[c + 1], a[c + 2], share * v0, share * v1, share * v2)
        elif atom["kind"] == TIED:
            out[c] = followed(freedom, atom, base, out)
        else:
            out[c] = a[c] + share * (b[c] - a[c])


@kernel
def inside(freedom: Freedom, x: Array) -> bool:
    """Whether limits and inequalities hold."""
    held, first = True, 0
    while first < freedom.atoms.shape[0]:
        held = held and block_holds(freedom, first, x)
        first = freedom.atoms[first]["end"]
    return held


@kernel
def draw(
    freedom: Freedom, base: Array, old: Array, mode: Array, spread: float, key: np.uint64, max_tries: int, out: Array
) -> int:
    """Draw a particle about `mode` into `out`; return how many draws of blocks it took.

    Args:
        freedom: how particles move.
        base: a point that keeps the equalities.
        old: where the particle is; a block that finds no place in `max_tries` draws stays there.
        mode: where it is drawn about.
        spread: factor of the standard deviations; halved after every ten draws in vain.
        key: of this particle in this iteration.
        max_tries: see `old`.
        out: (coordinates,).
    """
    for i in range(old.shape[0]):
        out[i] = old[i]
    draws, first = 0, 0
    while first < freedom.atoms.shape[0]:
        sigma, found = spread, False
        for attempt in range(max_tries):
            if attempt > 0 and attempt % _HALVE == 0:
                sigma *= 0.5
            draws += 1
            within = _draw_block(freedom, first, base, mode, sigma, key_of(key, attempt), out)
            if within and block_holds(freedom, first, out):
                found = True
                break
        end = freedom.atoms[first]["end"]
        for k in range(first, end if not found else first):
            c = freedom.atoms[k]["first"]
            for i in range(c, c + (3 if freedom.atoms[k]["kind"] == BALL else 1)):
                out[i] = old[i]
        first = end
    return draws


@kernel
def _draw_block(
    freedom: Freedom, first: int, base: Array, mode: Array, sigma: float, key: np.uint64, out: Array
) -> bool:
    """Draw all atoms of a block; return whether every turn of a ball is within half a turn."""
    within, spread = True, freedom.numbers[SPREAD]
    for k in range(first, freedom.atoms[first]["end"]):
        atom = freedom.atoms[k]
        c = atom["first"]
        if atom["kind"] == TIED:
            out[c] = followed(freedom, atom, base, out)
            continue
        n0, n1 = two_normals(key, c)
        if atom["kind"] == NUMBER:
            out[c] = mode[c] + sigma * spread[c] * n0
            continue
        n2, _ = two_normals(key, c + 1)
        v0, v1, v2 = sigma * spread[c] * n0, sigma * spread[c + 1] * n1, sigma * spread[c + 2] * n2
        within = within and v0 * v0 + v1 * v1 + v2 * v2 <= math.pi * math.pi
        out[c], out[c + 1], out[c + 2] = composed(mode[c], mode[c + 1], mode[c + 2], v0, v1, v2)
    return within


@kernel
def followed(freedom: Freedom, atom: Row, base: Array, x: Array) -> float:
    """Where a tied coordinate has to be, given those that it follows."""
    row = freedom.numbers[atom["tie"]]
    total: float = base[atom["first"]]
    for c in range(x.shape[0]):
        total += row[c] * (x[c] - base[c])
    return total


@kernel
def block_holds(freedom: Freedom, first: int, x: Array) -> bool:
    """Whether the limits and inequalities of the block that begins with this atom hold."""
    numbers, block = freedom.numbers, freedom.atoms[first]
    for k in range(first, block["end"]):
        atom = freedom.atoms[k]
        c, slack = atom["first"], 0.0
        if atom["kind"] == TIED:
            slack = _SLACK * max(numbers[_UNIT, c], abs(x[c]))
        for i in range(c, c + (3 if atom["kind"] == BALL else 1)):
            if not numbers[LOWER, i] - slack <= x[i] <= numbers[UPPER, i] + slack:
                return False
    for r in range(block["row"], block["row_end"]):
        total = 0.0
        for c in range(x.shape[0]):
            total += numbers[r, c] * x[c]
        bound = numbers[r, x.shape[0]]
        if not total <= bound + _SLACK * max(1.0, abs(bound)):
            return False
    return True
