"""The meshes of characters that pages are shown, each made once and fetched by its number."""

from __future__ import annotations

from threading import Lock

from posewright.errors import PosewrightError
from posewright.figures import Figure, Skin
from posewright.formats.gltf.mesh import character_mesh, has_mesh
from posewright.studio.mesh_file import mesh_file, no_mesh

KEPT = 8
"""Characters whose meshes can be fetched: the newest ones."""


class Meshes:
    """By number; for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._next = 1
        self._figures: dict[int, tuple[Skin, Figure]] = {}
        self._files: dict[int, bytes] = {}

    def address(self, figure: Figure) -> str | None:
        """Where a page finds the mesh of a figure; None: it has none. A figure that changed keeps the address."""
        if figure.skin is None or not has_mesh(figure):
            return None
        with self._lock:
            for number, (skin, _) in self._figures.items():
                if skin is figure.skin:
                    return f"mesh/{number}"
            number, self._next = self._next, self._next + 1
            self._figures[number] = (figure.skin, figure)
            for old in list(self._figures)[:-KEPT]:
                del self._figures[old]
                self._files.pop(old, None)
            return f"mesh/{number}"

    def file(self, number: int) -> bytes | None:
        """The mesh of a number; None: there is none."""
        with self._lock:
            if number not in self._figures:
                return None
            if number not in self._files:
                self._files[number] = figure_mesh(self._figures[number][1])
            return self._files[number]


def figure_mesh(figure: Figure) -> bytes:
    """The mesh of a figure as pages get it; where it cannot be shown, the reason."""
    try:
        return mesh_file(character_mesh(figure))
    except PosewrightError as error:
        return no_mesh(str(error))
