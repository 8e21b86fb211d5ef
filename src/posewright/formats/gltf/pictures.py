"""The pictures of textures: which kind, how large, checked by their first bytes and nothing more.

Whoever shows them decodes them; a picture that would take too much memory is left out.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

LARGEST_SIDE = 8192
"""Maximum size in pixels that graphics cards accept."""
MOST_PIXELS = 256 * 2**20
"""Maximum bytes of all pictures of a character."""


@dataclass(frozen=True, eq=False)
class PictureFile:
    """An encoded picture."""

    media_type: str
    """image/png, image/jpeg or image/webp"""
    data: bytes = field(repr=False)
    width: int
    height: int


def picture_file(data: bytes) -> PictureFile | None:
    """A picture from its bytes; None if it is broken or of an unknown kind."""
    for media_type, size in (("image/png", _png_size), ("image/jpeg", _jpeg_size), ("image/webp", _webp_size)):
        try:
            found = size(data)
        except (struct.error, IndexError):
            return None
        if found is not None:
            return PictureFile(media_type, data, *found) if min(found) > 0 else None
    return None


def _png_size(data: bytes) -> tuple[int, int] | None:
    if not data.startswith(b"\x89PNG\r\n\x1a\n"):
        return None
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    if not data.startswith(b"\xff\xd8\xff"):
        return None
    at = 2
    while True:
        if data[at] != 0xFF:
            raise IndexError
        marker = data[at + 1]
        if marker == 0xFF:  # filling
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        elif marker in (0xD9, 0xDA):
            raise IndexError
        else:
            at += 2 + max(2, int(struct.unpack_from(">H", data, at + 2)[0]))


def _webp_size(data: bytes) -> tuple[int, int] | None:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        return None
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        bits = struct.unpack_from("<I", data, 21)[0]
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF
