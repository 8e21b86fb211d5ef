"""glTF 2.0, the interchange format of real-time characters: .glb and .gltf, in and out."""

from __future__ import annotations

from pathlib import Path

from posewright.figures import Figure
from posewright.formats.gltf.reading import read_character
from posewright.formats.gltf.rewriting import write_character
from posewright.formats.gltf.writing import write_body
from posewright.formats.options import ReadOptions
from posewright.motions import Motion

__all__ = ["read", "write"]


def read(path: Path, options: ReadOptions) -> Figure | Motion:
    """The skeleton and its animation; meshes and materials are kept in `figure.skin`."""
    return read_character(path, options)


def write(motion: Motion, path: Path) -> None:
    """Write a motion with the character that it came with, else with a generated body."""
    if motion.figure.skin is not None:
        write_character(motion, motion.figure.skin, path)
    else:
        write_body(motion, path)
