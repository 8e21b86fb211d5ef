"""Joint groups: a few coordinates that drive many dofs, `dofs = matrix · coordinates + offset`.

Examples are the spine (3 coordinates bend 17 vertebrae) and the shoulder complex of Zhao & Badler 1994, section 12.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from posewright.errors import InvalidFigure


@dataclass(frozen=True, kw_only=True)
class JointGroup:
    """Dofs that are driven together: `dofs = matrix · coordinates + offset`."""

    name: str
    coordinates: tuple[str, ...]
    """Names of the coordinates, such as flexion, lateral, axial."""
    members: tuple[str, ...]
    """Names of the driven dofs."""
    matrix: tuple[tuple[float, ...], ...]
    """One row per member, one column per coordinate."""
    offset: tuple[float, ...] = ()
    """One value per member, rad or m; empty means zero."""

    def __post_init__(self) -> None:
        where = f"group {self.name!r}"
        if not self.coordinates or not self.members:
            raise InvalidFigure(f"{where} needs at least one coordinate and one member")
        for names in (self.coordinates, self.members):
            if len(set(names)) != len(names):
                raise InvalidFigure(f"{where} names something twice: {', '.join(names)}")
        if not self.offset:
            object.__setattr__(self, "offset", (0.0,) * len(self.members))
        if len(self.offset) != len(self.members) or not all(map(math.isfinite, self.offset)):
            raise InvalidFigure(f"{where}: offset must be {len(self.members)} finite numbers, one per member")
        if len(self.matrix) != len(self.members) or any(len(row) != len(self.coordinates) for row in self.matrix):
            raise InvalidFigure(
                f"{where}: matrix must have {len(self.members)} rows (members) of {len(self.coordinates)} (coordinates)"
            )
        if not all(math.isfinite(value) for row in self.matrix for value in row):
            raise InvalidFigure(f"{where}: matrix has a value that is not finite")
        for k, coordinate in enumerate(self.coordinates):
            if all(row[k] == 0.0 for row in self.matrix):
                raise InvalidFigure(f"{where}: coordinate {coordinate!r} moves no member")

    def renamed(self, prefix: str) -> JointGroup:
        """The same group with a prefix added to its name and to the names of its members."""
        return replace(self, name=prefix + self.name, members=tuple(prefix + member for member in self.members))
