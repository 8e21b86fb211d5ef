"""Poses that are kept by name, for figures with the same dofs."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.conventions import Array
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures import Figure


@dataclass(frozen=True, eq=False)
class SavedPose:
    """One pose."""

    name: str
    dofs: tuple[str, ...]
    """Names, in order."""
    q: Array
    """(dofs,), read-only: rad and m"""

    def on(self, figure: Figure) -> Array:
        """Its numbers for a figure.

        Raises:
            InvalidSetting: the figure has other dofs.
        """
        if self.dofs != figure.dof_names:
            raise InvalidSetting(f"pose {self.name!r} is of another figure than {figure.name!r}: their dofs differ")
        return self.q


def saved_pose(poses: tuple[SavedPose, ...], name: str) -> SavedPose:
    """The one of that name.

    Raises:
        UnknownName: there is none.
    """
    for one in poses:
        if one.name == name:
            return one
    raise UnknownName("pose", name, [one.name for one in poses], where="the library")
