"""The mesh of a character as pages get it: a header of JSON, then numbers as graphics cards take them, then pictures.

It holds what our own reader understood and checked, and nothing else of the character's file. Layout: a uint32 with the
length of the header, the header, padding to a multiple of 4, the data that the header's blocks are places in.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from posewright.formats.gltf.materials import Surface, SurfacePicture
from posewright.formats.gltf.mesh import CharacterMesh, MeshPart


@dataclass(frozen=True, kw_only=True)
class Block:
    """Where numbers or bytes are in the data."""

    start: int
    """Bytes from its beginning, a multiple of 4"""
    count: int
    """Of numbers"""


@dataclass(frozen=True, kw_only=True)
class MeshPartInfo:
    """Triangles of one surface."""

    points: Block
    """float32, 3 per point, in the unit of the file"""
    normals: Block | None
    """int16, 4 per point, of which 3 count, as fractions of 32767"""
    uv: Block | None
    """float32, 2 per point"""
    colours: Block | None
    """uint8, 4 per point, as fractions of 255, linear"""
    joints: Block
    """uint16, 4 per point; the one after the last is the world"""
    weights: Block
    """uint16, 4 per point, as fractions of 65535"""
    triangles: Block
    """uint32, 3 per triangle"""
    surface: int
    bind: int


@dataclass(frozen=True, kw_only=True)
class PictureInfo:
    """An encoded picture."""

    media_type: str
    data: Block


@dataclass(frozen=True, kw_only=True)
class MeshInfo:
    """The header."""

    joints: int
    """Of the figure, without the world"""
    parts: tuple[MeshPartInfo, ...]
    binds: Block
    """float32, 12 per joint and world, for each bind: the rows of a 3 x 4 matrix"""
    surfaces: tuple[Surface, ...]
    pictures: tuple[PictureInfo, ...]
    notes: tuple[str, ...]
    """What is not shown and why, a sentence each"""


INFOS: tuple[type[Any], ...] = (Block, MeshPartInfo, PictureInfo, SurfacePicture, Surface, MeshInfo)


def mesh_file(mesh: CharacterMesh) -> bytes:
    """A mesh as bytes."""
    data = _Data()
    info = MeshInfo(
        joints=mesh.binds.shape[1] - 1,
        parts=tuple(_part(part, data) for part in mesh.parts),
        binds=data.add(mesh.binds.astype("<f4")),
        surfaces=mesh.surfaces,
        pictures=tuple(
            PictureInfo(media_type=one.media_type, data=data.add(np.frombuffer(one.data, np.uint8)))
            for one in mesh.pictures
        ),
        notes=mesh.notes,
    )
    return _wrapped(info, data.pieces)


def no_mesh(why: str) -> bytes:
    """The mesh of a character that cannot be shown, with the sentence that says why."""
    nothing = Block(start=0, count=0)
    return _wrapped(MeshInfo(joints=0, parts=(), binds=nothing, surfaces=(), pictures=(), notes=(why,)), [])


def _part(part: MeshPart, data: _Data) -> MeshPartInfo:
    normals = None if part.normals is None else _padded(np.round(32767.0 * part.normals)).astype("<i2")
    colours = None if part.colours is None else np.round(255.0 * part.colours).astype(np.uint8)
    return MeshPartInfo(
        points=data.add(part.points.astype("<f4")),
        normals=None if normals is None else data.add(normals),
        uv=None if part.uv is None else data.add(part.uv.astype("<f4")),
        colours=None if colours is None else data.add(colours),
        joints=data.add(part.joints.astype("<u2")),
        weights=data.add(np.round(65535.0 * part.weights).astype("<u2")),
        triangles=data.add(part.triangles.astype("<u4")),
        surface=part.surface,
        bind=part.bind,
    )


def _padded(vectors: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.column_stack([vectors, np.zeros(len(vectors))])


def _wrapped(info: MeshInfo, pieces: list[bytes]) -> bytes:
    header = json.dumps(asdict(info), allow_nan=False, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 4)
    return b"".join([struct.pack("<I", len(header)), header, *pieces])


@dataclass(eq=False)
class _Data:
    """Numbers one after another."""

    pieces: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, values: npt.NDArray[Any]) -> Block:
        """Where they are now."""
        piece = np.ascontiguousarray(values).tobytes()
        block = Block(start=self.size, count=values.size)
        self.pieces += [piece, b"\0" * (-len(piece) % 4)]
        self.size += len(piece) + -len(piece) % 4
        return block
