"""What a figure is in a few numbers, for tables."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.figures.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The numbers that tell figures apart."""

    name: str
    joints: int
    dofs: int
    coordinates: int
    """Independent numbers: group coordinates, and dofs that no group drives, less the equalities among them."""
    height: float
    """m, as `Figure.height`."""
    mass: float
    """kg"""
    sites: int
    groups: int
    constraints: int


def summary(figure: Figure) -> Summary:
    """The numbers of a figure."""
    return Summary(
        name=figure.name,
        joints=len(figure.joints),
        dofs=figure.n_dofs,
        coordinates=independent_coordinates(figure),
        height=figure.height,
        mass=float(sum(joint.mass for joint in figure.joints)),
        sites=len(figure.sites),
        groups=len(figure.groups),
        constraints=len(figure.constraints),
    )


def independent_coordinates(figure: Figure) -> int:
    """How many numbers pose the figure, its groups and linear equalities kept."""
    driven = sum(len(group.members) for group in figure.groups)
    group_coordinates = sum(len(group.coordinates) for group in figure.groups)
    equalities = sum(constraint.is_equality for constraint in figure.constraints)
    return figure.n_dofs - driven + group_coordinates - equalities
