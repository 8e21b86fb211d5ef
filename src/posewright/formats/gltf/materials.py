"""The surfaces of a character: its materials with their textures and pictures."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import Literal

from posewright.formats.gltf.document import GltfFile
from posewright.formats.gltf.mesh_schema import Looks, Material, TextureUse
from posewright.formats.gltf.pictures import LARGEST_SIDE, MOST_PIXELS, PictureFile, picture_file

Wrap = Literal["repeat", "clamp", "mirror"]
_WRAPS: dict[int, Wrap] = {10497: "repeat", 33071: "clamp", 33648: "mirror"}


@dataclass(frozen=True, kw_only=True)
class SurfacePicture:
    """A picture on a surface."""

    picture: int
    """Index in the character's pictures"""
    wrap: tuple[Wrap, Wrap]
    """How it continues beyond its edges"""
    offset: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0
    """rad"""
    scale: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Surface:
    """The look of triangles. Colours are linear, 0 to 1."""

    colour: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    metal: float = 0.0
    rough: float = 0.8
    glow: tuple[float, float, float] = (0.0, 0.0, 0.0)
    alpha: Literal["OPAQUE", "MASK", "BLEND"] = "OPAQUE"
    alpha_cutoff: float = 0.5
    two_sided: bool = False
    unlit: bool = False
    bumps: float = 1.0
    """Strength of the normal map"""
    colour_picture: SurfacePicture | None = None
    metal_picture: SurfacePicture | None = None
    """Roughness in green, metal in blue"""
    normal_picture: SurfacePicture | None = None
    glow_picture: SurfacePicture | None = None


def surfaces(file: GltfFile, looks: Looks) -> tuple[tuple[Surface, ...], tuple[PictureFile, ...], tuple[str, ...]]:
    """One surface per material and one for triangles without; the pictures; notes on omitted pictures."""
    gallery = _Gallery(file, looks)
    found = tuple(_surface(material, gallery) for material in looks.materials)
    return (*found, Surface()), tuple(gallery.pictures), tuple(gallery.notes)


def _surface(material: Material, gallery: _Gallery) -> Surface:
    plain, glossy = material.pbrMetallicRoughness, material.extensions.glossy
    strength, glow = material.extensions.strength.emissiveStrength, material.emissiveFactor
    red, green, blue, opacity = plain.baseColorFactor if glossy is None else glossy.diffuseFactor
    return Surface(
        colour=(red, green, blue, opacity),
        metal=plain.metallicFactor if glossy is None else 0.0,
        rough=plain.roughnessFactor if glossy is None else 1.0 - glossy.glossinessFactor,
        glow=(strength * glow[0], strength * glow[1], strength * glow[2]),
        alpha=material.alphaMode,
        alpha_cutoff=material.alphaCutoff,
        two_sided=material.doubleSided,
        unlit=material.extensions.unlit is not None,
        bumps=1.0 if material.normalTexture is None else material.normalTexture.scale,
        colour_picture=gallery.hung(plain.baseColorTexture if glossy is None else glossy.diffuseTexture),
        metal_picture=gallery.hung(plain.metallicRoughnessTexture if glossy is None else None),
        normal_picture=gallery.hung(material.normalTexture),
        glow_picture=gallery.hung(material.emissiveTexture),
    )


@dataclass(eq=False)
class _Gallery:
    """The pictures in use, each once."""

    file: GltfFile
    looks: Looks
    pictures: list[PictureFile] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    """Index in `pictures` by image; -1: omitted."""

    def hung(self, use: TextureUse | None) -> SurfacePicture | None:
        """A texture of a material; None if there is none, or it is omitted."""
        if use is None or use.index >= len(self.looks.textures):
            return None
        texture = self.looks.textures[use.index]
        image = texture.source if texture.extensions.webp is None else texture.extensions.webp.source
        if image is None:
            self._note(f"texture {use.index} has no picture of a known kind")
            return None
        if image not in self.places:
            self.places[image] = self._taken(image)
        if self.places[image] < 0:
            return None
        moved, sampler = use.extensions.transform, None
        if texture.sampler is not None and texture.sampler < len(self.looks.samplers):
            sampler = self.looks.samplers[texture.sampler]
        return SurfacePicture(
            picture=self.places[image],
            wrap=("repeat", "repeat") if sampler is None else (_wrap(sampler.wrapS), _wrap(sampler.wrapT)),
            offset=(moved.offset[0], moved.offset[1]),
            turn=moved.rotation,
            scale=(moved.scale[0], moved.scale[1]),
        )

    def _taken(self, image: int) -> int:
        """Index of a picture among those shown; -1: not shown."""
        data = self._bytes(image)
        picture = None if data is None else picture_file(data)
        if picture is None:
            self._note(f"picture {image} is not there, or neither PNG, JPEG nor WebP")
            return -1
        if max(picture.width, picture.height) > LARGEST_SIDE:
            self._note(f"picture {image} has {picture.width} x {picture.height} pixels; {LARGEST_SIDE} is the most")
            return -1
        pixels = sum(one.width * one.height for one in (*self.pictures, picture))
        if pixels > MOST_PIXELS:
            millions = f"{pixels / 1e6:.0f} megapixels in all; {MOST_PIXELS / 1e6:.0f} is the most"
            self._note(f"picture {image} would make it {millions}")
            return -1
        self.pictures.append(picture)
        return len(self.pictures) - 1

    def _bytes(self, image: int) -> bytes | None:
        model = self.file.model
        if image >= len(model.images):
            return None
        one = model.images[image]
        if one.bufferView is not None and one.bufferView < len(model.bufferViews):
            view = model.bufferViews[one.bufferView]
            return self.file.binary[view.byteOffset : view.byteOffset + view.byteLength] if view.buffer == 0 else None
        head, _, payload = (one.uri or "").partition(",")
        if not (head.startswith("data:") and head.endswith(";base64")):
            return None
        try:
            return base64.b64decode(payload, validate=True)
        except (binascii.Error, ValueError):
            return None

    def _note(self, note: str) -> None:
        if note not in self.notes and len(self.notes) < 8:
            self.notes.append(note)


def _wrap(code: int) -> Wrap:
    return _WRAPS.get(code, "repeat")
