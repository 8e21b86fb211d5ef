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

ATOM: Final = np.dtype([("first", "i8"), ("ball", "i8")], align=True)
"""One coordinate, or the three of a ball from `first` on."""

BLOCK: Final = np.dtype(
    [(name, "i8") for name in ("atom", "atom_end", "tied", "tied_end", "row", "row_end")], align=True
)
"""Atoms and what holds them together: ranges of the other tables."""

ROW: Final = np.dtype([("entry", "i8"), ("entry_end", "i8"), ("coordinate", "i8"), ("bound", "f8")], align=True)
"""A sum over entries: at most `bound`, or how `coordinate` follows others."""

ENTRY: Final = np.dtype([("column", "i8"), ("factor", "f8")], align=True)

_HALVE = 10  # tries after which the spread is halved
_SLACK = 1e-12  # rad or m: what rounding may do to a row that holds with equality


# Rows of `Freedom.ranges`.
_LOWER: Final = 0
_UPPER: Final = 1
_SPREAD: Final = 2


class Freedom(NamedTuple):
    """How particles may move."""

    atoms: Table
    blocks: Table
    rows: Table
    """ROW, of ties x[coordinate] = base[coordinate] + Σ factor (x[column] - base[column]), and of inequalities
    Σ factor x[column] <= bound"""
    entries: Table
    ranges: Array
    """(3, coordinates): lower and upper limits; standard deviation before annealing, rad or m"""

    @property
    def lower(self) -> Array:
        """(coordinates,)"""
        return np.asarray(self.ranges[_LOWER])

    @property
    def upper(self) -> Array:
        """(coordinates,)"""
        return np.asarray(self.ranges[_UPPER])

    @property
    def spread(self) -> Array:
        """(coordinates,)"""
        return np.asarray(self.ranges[_SPREAD])


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
        c = freedom.atoms[k]["first"]
        if freedom.atoms[k]["ball"] != 0:
            v0, v1, v2 = composed(-a[c], -a[c + 1], -a[c + 2], b[c], b[c + 1], b[c + 2])
            out[c], out[c + 1], out[c + 2] = composed(a[c], a[c + 1], a[c + 2], share * v0, share * v1, share * v2)
        else:
            out[c] = a[c] + share * (b[c] - a[c])
    for k in range(freedom.blocks.shape[0]):
        _follow(freedom, freedom.blocks[k], base, out)


@kernel
def inside(freedom: Freedom, x: Array) -> bool:
    """Whether limits and inequalities hold."""
    held = True
    for k in range(freedom.blocks.shape[0]):
        held = held and _block_holds(freedom, freedom.blocks[k], x)
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
    draws = 0
    for k in range(freedom.blocks.shape[0]):
        block = freedom.blocks[k]
        sigma, found = spread, False
        for attempt in range(max_tries):
            if attempt > 0 and attempt % _HALVE == 0:
                sigma *= 0.5
            draws += 1
            within = _draw_atoms(freedom, block, mode, sigma, key_of(key, attempt), out)
            _follow(freedom, block, base, out)
            if within and _block_holds(freedom, block, out):
                found = True
                break
        if not found:
            for a in range(block["atom"], block["atom_end"]):
                c = freedom.atoms[a]["first"]
                for i in range(c, c + 1 + 2 * freedom.atoms[a]["ball"]):
                    out[i] = old[i]
            for t in range(block["tied"], block["tied_end"]):
                out[freedom.rows[t]["coordinate"]] = old[freedom.rows[t]["coordinate"]]
    return draws


@kernel
def _draw_atoms(freedom: Freedom, block: Row, mode: Array, sigma: float, key: np.uint64, out: Array) -> bool:
    """Draw all atoms of a block; return whether every turn of a ball is within half a turn."""
    within = True
    for a in range(block["atom"], block["atom_end"]):
        c = freedom.atoms[a]["first"]
        n0, n1 = two_normals(key, c)
        if freedom.atoms[a]["ball"] == 0:
            out[c] = mode[c] + sigma * freedom.ranges[_SPREAD, c] * n0
            continue
        n2, _ = two_normals(key, c + 1)
        v0, v1 = sigma * freedom.ranges[_SPREAD, c] * n0, sigma * freedom.ranges[_SPREAD, c + 1] * n1
        v2 = sigma * freedom.ranges[_SPREAD, c + 2] * n2
        within = within and v0 * v0 + v1 * v1 + v2 * v2 <= math.pi * math.pi
        out[c], out[c + 1], out[c + 2] = composed(mode[c], mode[c + 1], mode[c + 2], v0, v1, v2)
    return within


@kernel
def _follow(freedom: Freedom, block: Row, base: Array, x: Array) -> None:
    for t in range(block["tied"], block["tied_end"]):
        row = freedom.rows[t]
        total = base[row["coordinate"]]
        for e in range(row["entry"], row["entry_end"]):
            c = freedom.entries[e]["column"]
            total += freedom.entries[e]["factor"] * (x[c] - base[c])
        x[row["coordinate"]] = total


@kernel
def _block_holds(freedom: Freedom, block: Row, x: Array) -> bool:
    for a in range(block["atom"], block["atom_end"]):
        c = freedom.atoms[a]["first"]
        for i in range(c, c + 1 + 2 * freedom.atoms[a]["ball"]):
            if not freedom.ranges[_LOWER, i] <= x[i] <= freedom.ranges[_UPPER, i]:
                return False
    for t in range(block["tied"], block["tied_end"]):
        i = freedom.rows[t]["coordinate"]
        if not freedom.ranges[_LOWER, i] - _SLACK <= x[i] <= freedom.ranges[_UPPER, i] + _SLACK:
            return False
    for r in range(block["row"], block["row_end"]):
        row = freedom.rows[r]
        total = 0.0
        for e in range(row["entry"], row["entry_end"]):
            total += freedom.entries[e]["factor"] * x[freedom.entries[e]["column"]]
        if not total <= row["bound"] + _SLACK:
            return False
    return True
