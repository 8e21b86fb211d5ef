"""glTF 2.0, the interchange format of real-time characters: .glb and .gltf, in and out."""

from __future__ import annotations

from pathlib import Path

from posewright.figure import Figure
from posewright.formats.options import ReadOptions
from posewright.motion import Motion

__all__ = ["read", "write"]


def read(path: Path, options: ReadOptions) -> Figure | Motion:
    """The skeleton and its animation; meshes and materials are kept in `figure.skin`."""
    raise NotImplementedError


def write(motion: Motion, path: Path) -> None:
    """Write a motion with the character that it came with, else with a generated body."""
    from posewright.formats.gltf.writing import write_body

    write_body(motion, path)
