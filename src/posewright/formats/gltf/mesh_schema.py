"""The parts of the glTF JSON that describe how a character looks: meshes, materials, textures.

They are looked at only when a character is shown: a file whose meshes make no sense can still be posed.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from posewright.formats.gltf.schema import Four, GltfObject, Index, Many, Three

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Two = Annotated[tuple[float, ...], Field(min_length=2, max_length=2)]


class Primitive(GltfObject):
    """Triangles of one material."""

    attributes: dict[str, Index]
    indices: Index | None = None
    material: Index | None = None
    mode: Annotated[int, Field(ge=0, le=6)] = 4
    targets: Many[dict[str, Index]] = ()
    extensions: dict[str, Any] = Field(default_factory=dict)


class Mesh(GltfObject):
    """Primitives that belong together."""

    name: str = ""
    primitives: Many[Primitive] = ()
    weights: Many[float] = ()


class TextureTransform(GltfObject):
    """Shift, rotation and scale of the picture (KHR_texture_transform)."""

    offset: Two = (0.0, 0.0)
    rotation: float = 0.0
    scale: Two = (1.0, 1.0)
    texCoord: Index | None = None


class TextureExtensions(GltfObject):
    """The extensions that are used."""

    transform: Annotated[TextureTransform, Field(alias="KHR_texture_transform")] = TextureTransform()


class TextureUse(GltfObject):
    """A texture of a material."""

    index: Index
    texCoord: Index = 0
    scale: float = 1.0
    """Strength of a normal map."""
    strength: Fraction = 1.0
    """Strength of an occlusion map."""
    extensions: TextureExtensions = TextureExtensions()


class Metallic(GltfObject):
    """Colour, metal and roughness."""

    baseColorFactor: Four = (1.0, 1.0, 1.0, 1.0)
    baseColorTexture: TextureUse | None = None
    metallicFactor: Fraction = 1.0
    roughnessFactor: Fraction = 1.0
    metallicRoughnessTexture: TextureUse | None = None


class Glossy(GltfObject):
    """The older model of materials (KHR_materials_pbrSpecularGlossiness); only colour and gloss are used."""

    diffuseFactor: Four = (1.0, 1.0, 1.0, 1.0)
    diffuseTexture: TextureUse | None = None
    glossinessFactor: Fraction = 1.0


class Strength(GltfObject):
    """KHR_materials_emissive_strength."""

    emissiveStrength: Annotated[float, Field(ge=0.0, le=1000.0)] = 1.0


class MaterialExtensions(GltfObject):
    """The extensions that are used."""

    unlit: Annotated[dict[str, Any] | None, Field(alias="KHR_materials_unlit")] = None
    glossy: Annotated[Glossy | None, Field(alias="KHR_materials_pbrSpecularGlossiness")] = None
    strength: Annotated[Strength, Field(alias="KHR_materials_emissive_strength")] = Strength()


class Material(GltfObject):
    """The look of a surface."""

    name: str = ""
    pbrMetallicRoughness: Metallic = Metallic()
    normalTexture: TextureUse | None = None
    occlusionTexture: TextureUse | None = None
    emissiveTexture: TextureUse | None = None
    emissiveFactor: Three = (0.0, 0.0, 0.0)
    alphaMode: Literal["OPAQUE", "MASK", "BLEND"] = "OPAQUE"
    alphaCutoff: float = 0.5
    doubleSided: bool = False
    extensions: MaterialExtensions = MaterialExtensions()


class WebpSource(GltfObject):
    """EXT_texture_webp."""

    source: Index


class SourceExtensions(GltfObject):
    """The extensions that are used."""

    webp: Annotated[WebpSource | None, Field(alias="EXT_texture_webp")] = None


class Texture(GltfObject):
    """A picture and how it is sampled."""

    source: Index | None = None
    sampler: Index | None = None
    extensions: SourceExtensions = SourceExtensions()


class TextureSampler(GltfObject):
    """How a picture continues beyond its edges."""

    wrapS: int = 10497
    wrapT: int = 10497


class NodeWeights(GltfObject):
    """Morph weights of a node, which replace those of its mesh."""

    weights: Many[float] = ()


class Looks(GltfObject):
    """The parts of the JSON that concern looks."""

    meshes: Many[Mesh] = ()
    materials: Many[Material] = ()
    textures: Many[Texture] = ()
    samplers: Many[TextureSampler] = ()
    nodes: Many[NodeWeights] = ()
