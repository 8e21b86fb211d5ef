"""Chains: segments one after another, straight in the zero pose, with a site `tip` at the end.

The chains and the arm of Courty & Arnaud 2008 (sequential Monte Carlo IK).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from posewright.checks import require_choice, require_number
from posewright.figures.catalogue.building import capsule, site
from posewright.figures.figure import Figure
from posewright.figures.joint import ORIGIN, Ball, Hinge, Joint, Vector, X, Y, Z
from posewright.figures.vectors import times

Direction = Literal["x", "y"]
Kind = Literal["ball", "hinge"]

_ALONG: dict[str, Vector] = {"x": X, "y": Y}
_ACROSS: dict[str, tuple[Vector, Vector]] = {"x": (Z, Y), "y": (Z, X)}


def chain(
    n: int = 30, *, joints: Kind = "ball", length: float = 2.0, mass: float = 10.0, direction: Direction = "x"
) -> Figure:
    """A straight chain from the world's origin.

    Args:
        n: how many segments, each with one joint at its beginning.
        joints: "ball" for three dofs each; "hinge" for one, about two axes across the chain in turn.
        length: of all segments together, m.
        mass: of all segments together, kg.
        direction: "x" lies along x; "y" stands upright.
    """
    require_number(n, "the segments of a chain", whole=True, at_least=1)
    require_choice(direction, "direction of a chain", _ALONG)
    axes = [_ACROSS[direction][k % 2] for k in range(n)]
    return _chain(f"chain{n}", axes, joints, length=length, mass=mass, along=_ALONG[direction])


def arm4(joints: Kind = "hinge") -> Figure:
    """An upright arm of four segments, 1 m: a pivot about the vertical, then three about x; or four balls."""
    return _chain("arm4", (Y, X, X, X), joints, length=1.0, mass=4.0, along=Y)


def _chain(name: str, axes: Sequence[Vector], kind: Kind, *, length: float, mass: float, along: Vector) -> Figure:
    require_choice(kind, "joints of a chain", get_args(Kind))
    require_number(length, "length of a chain", above=0.0, unit="metres")
    require_number(mass, "mass of a chain", above=0.0, unit="kg")
    n = len(axes)
    step = times(along, length / n)
    radius = min(0.3 * length / n, 0.03 * length)
    names = [f"segment{k + 1}" for k in range(n)]
    joints = tuple(
        Joint(
            name=names[k],
            parent=names[k - 1] if k else None,
            offset=step if k else ORIGIN,
            rotation=Ball() if kind == "ball" else (Hinge(axis=axes[k]),),
            mass=mass / n,
            centre=times(step, 0.5),
            shape=(capsule(ORIGIN, step, radius * (1.0 - 0.5 * k / n), radius * (1.0 - 0.5 * (k + 1) / n)),),
        )
        for k in range(n)
    )
    tip = site("tip", names[-1], step, along, X if along == Y else Y, tip=True)
    return Figure(name=name, joints=joints, sites=(tip,))
