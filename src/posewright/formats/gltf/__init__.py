"""Reads and writes glTF 2.0 (.glb and .gltf), the interchange format of real-time characters."""

from posewright.formats.gltf.reading import read
from posewright.formats.gltf.writing import write

__all__ = ["read", "write"]
