"""The parts of glTF 2.0 JSON that Posewright uses; everything else is kept unread."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast, Field, model_validator

MOST_NODES = 65_536
"""Maximum index, as many as a skin can number."""

T = TypeVar("T")
Many = Annotated[tuple[T, ...], FailFast()]
"""Lists are as long as files allow, but one wrong element is enough for an error."""
Index = Annotated[int, Field(ge=0, strict=True)]
Size = Annotated[int, Field(ge=1, strict=True)]
Three = Annotated[tuple[float, ...], Field(min_length=3, max_length=3)]
Four = Annotated[tuple[float, ...], Field(min_length=4, max_length=4)]
Sixteen = Annotated[tuple[float, ...], Field(min_length=16, max_length=16)]


class GltfObject(BaseModel):
    """Part of the JSON; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, frozen=True)


class Asset(GltfObject):
    """The version of glTF."""

    version: str


class Buffer(GltfObject):
    """Bytes in the file, beside it or in a data URI."""

    byteLength: Size
    uri: str | None = None


class BufferView(GltfObject):
    """A part of a buffer."""

    buffer: Index
    byteOffset: Index = 0
    byteLength: Size
    byteStride: Annotated[int, Field(ge=4, le=252)] | None = None
    extensions: dict[str, Any] = {}


class SparseView(GltfObject):
    """Location of the indices or values of a sparse accessor."""

    bufferView: Index
    byteOffset: Index = 0


class SparseIndices(SparseView):
    """The elements that a sparse accessor replaces."""

    componentType: Literal[5121, 5123, 5125]


class Sparse(GltfObject):
    """Elements that replace those of the accessor."""

    count: Size
    indices: SparseIndices
    values: SparseView


WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
"""Numbers of an element, by its type."""
COMPONENT_BYTES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}


class Accessor(GltfObject):
    """Numbers in a buffer view."""

    bufferView: Index | None = None
    byteOffset: Index = 0
    componentType: Literal[5120, 5121, 5122, 5123, 5125, 5126]
    normalized: bool = False
    count: Size
    type: str
    sparse: Sparse | None = None


class Node(GltfObject):
    """A frame in the scene: a matrix, or translation, rotation (xyzw) and scale."""

    name: str = ""
    children: Many[Index] = ()
    matrix: Sixteen | None = None
    translation: Three = (0.0, 0.0, 0.0)
    rotation: Four = (0.0, 0.0, 0.0, 1.0)
    scale: Three = (1.0, 1.0, 1.0)
    mesh: Index | None = None
    skin: Index | None = None
    extras: Any = None


class GltfSkin(GltfObject):
    """Nodes that move the vertices of a mesh."""

    name: str = ""
    joints: Annotated[Many[Index], Field(min_length=1)]
    inverseBindMatrices: Index | None = None


class Target(GltfObject):
    """The target of a channel."""

    node: Index | None = None
    path: str


class Channel(GltfObject):
    """A sampler and its target."""

    sampler: Index
    target: Target


class Sampler(GltfObject):
    """Times and values."""

    input: Index
    output: Index
    interpolation: Literal["LINEAR", "STEP", "CUBICSPLINE"] = "LINEAR"


class Animation(GltfObject):
    """Channels that run together."""

    name: str = ""
    channels: Many[Channel]
    samplers: Many[Sampler]

    @model_validator(mode="after")
    def _samplers_exist(self) -> Self:
        most = max((channel.sampler for channel in self.channels), default=-1)
        if most >= len(self.samplers):
            raise ValueError(f"has a channel with sampler {most}, but only {len(self.samplers)} samplers")
        return self


class GltfScene(GltfObject):
    """Root nodes."""

    nodes: Many[Index] = ()


class Image(GltfObject):
    """The picture of a texture."""

    uri: str | None = None
    bufferView: Index | None = None


class GltfDocument(GltfObject):
    """The whole JSON."""

    asset: Asset
    scene: Index | None = None
    scenes: Many[GltfScene] = ()
    nodes: Annotated[Many[Node], Field(max_length=MOST_NODES)] = ()
    skins: Many[GltfSkin] = ()
    animations: Many[Animation] = ()
    accessors: Many[Accessor] = ()
    bufferViews: Many[BufferView] = ()
    buffers: Many[Buffer] = ()
    images: Many[Image] = ()
    extensionsRequired: Many[str] = ()
