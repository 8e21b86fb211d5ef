"""The arrays that cross into kernels: dtype, order and writability of each, fixed here and nowhere else.

Numba compiles a kernel again for each combination of dtype, order and writability, so every table is a
C-ordered, writable structured array of one of these types, and every other array is a C-ordered float64 one.

Local motion of a joint (see `conventions`): `parent_from_joint = translate(offset + Σ slide·q) · rest · Π hinge(q)`
or `· exp(w)` for a ball. Dofs of one joint are neighbours: slides, then hinges, or the three of a ball.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

SLIDE: Final = 0
HINGE: Final = 1
"""A hinge about any unit axis; the three below are the common special cases, about x or -x and so on."""
HINGE_X: Final = 2
HINGE_Y: Final = 3
HINGE_Z: Final = 4
BALL: Final = 5
"""One of the three components of a rotation vector."""

JOINT: Final = np.dtype(
    [
        ("parent", "i8"),  # index, or -1 for a root
        ("first", "i8"),  # index of the first dof
        ("slides", "i8"),  # how many slides
        ("hinges", "i8"),  # how many hinges
        ("ball", "i8"),  # 1 if the rotation is a ball
        ("turned", "i8"),  # 1 if `rest` is not the identity
        ("offset", "f8", (3,)),  # m, in the parent's frame
        ("rest", "f8", (9,)),  # row-major rotation
        ("mass", "f8"),  # kg, of the segment that this joint moves
        ("centre", "f8", (3,)),  # m, centre of that mass in the joint's frame
    ],
    align=True,
)

DOF: Final = np.dtype(
    [
        ("kind", "i8"),
        ("joint", "i8"),
        ("axis", "f8", (3,)),
        ("lower", "f8"),  # rad or m
        ("upper", "f8"),
        ("scale", "f8"),  # 1 - rigidity
    ],
    align=True,
)

SITE: Final = np.dtype(
    [("joint", "i8"), ("point", "f8", (3,)), ("x_axis", "f8", (3,)), ("y_axis", "f8", (3,))], align=True
)

CONE: Final = np.dtype(
    [(name, "f8") for name in ("ax", "ay", "az", "ux", "uy", "uz", "ra", "rb")]  # m: start, end - start, radii
    + [(name, "f8") for name in ("red", "green", "blue")]  # linear light, 0 to 1
    + [("alpha", "f8"), ("glow", "f8"), ("casts", "f8")]  # opacity; share not touched by light; share of its shadow
    + [("layer", "i8")]  # what is seen through together: 0 is opaque, others one each per ghost; rows are sorted by it
    + [(name, "f8") for name in ("ox", "oy", "oz", "uu", "uo", "oo", "d", "k0", "per_uu")]  # filled in by `cones.aim`
    + [(name, "f8") for name in ("s1", "s2", "sl", "w1", "w2", "wl", "per_ww")],  # the same
    align=True,
)
"""A rounded cone: the hull of two spheres; a sphere where start and end meet."""

VIEW: Final = np.dtype(
    [(name, "f8") for name in ("ox", "oy", "oz", "fx", "fy", "fz")]  # eye (m) and the ray to the picture's corner
    + [(name, "f8") for name in ("rx", "ry", "rz", "dx", "dy", "dz")]  # what a pixel right and a pixel down add to it
    + [("lx", "f8"), ("ly", "f8"), ("lz", "f8"), ("spread", "f8")]  # unit, to the light; tangent of its radius
    + [(name, "f8") for name in ("px", "py", "pz", "qx", "qy", "qz")]  # unit, across the light and each other
    + [("size", "f8"), ("floor", "f8"), ("has_floor", "i8")]  # m: of what is looked at; height of the ground
    + [(name, "f8") for name in ("spacing", "cx", "cz", "near", "far")]  # m: grid; what it fades around, from, to
    + [(f"{what}_{c}", "f8") for what in ("horizon", "zenith", "ground", "line") for c in ("r", "g", "b")],
    align=True,
)
"""A camera, a light and the surroundings (colours in linear light)."""

GRID: Final = np.dtype([(name, "f8") for name in ("x", "y", "per_unit", "columns", "rows")], align=True)
"""Square cells: a corner, how many sides make a unit of length, and how many cells there are."""

Table = npt.NDArray[Any]
"""A structured array of one of these dtypes."""
Array = npt.NDArray[np.float64]

# What is wanted: a goal of a problem is one or more terms.
TERM: Final = np.dtype(
    [
        ("kind", "i8"),  # a code of `goals.residuals`
        ("joint", "i8"),
        ("point", "f8", (3,)),  # m, the site in its joint's frame
        ("x_axis", "f8", (3,)),
        ("y_axis", "f8", (3,)),
        ("partner", "i8"),  # joint of the site that is the target, or -1 for a target in the world
        ("partner_point", "f8", (3,)),
        ("partner_x", "f8", (3,)),
        ("partner_y", "f8", (3,)),
        ("weight", "f8"),  # of the squared residual
        ("radius", "f8"),  # m per rad
        ("tolerance", "f8"),  # m or rad, of the error
        ("level", "i8"),  # priority, from 1
        ("choice", "i8"),  # number of the disjunction this belongs to, or -1
        ("branch", "i8"),  # which of its alternatives
        ("block", "i8"),  # which of the frames that share their coordinates it is about
    ],
    align=True,
)

TARGET_WIDTH: Final = 9
"""A target is a row of nine numbers: a point, then two directions (rotation), or one (direction, or a normal)."""

ROWS_PER_TERM: Final = 3

Row = Any
"""One row of a table, inside kernels."""
