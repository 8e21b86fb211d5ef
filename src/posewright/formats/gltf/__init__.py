"""glTF 2.0, the interchange format of real-time characters: .glb and .gltf, in and out."""

from posewright.formats.gltf.reading import read
from posewright.formats.gltf.writing import write

__all__ = ["read", "write"]
