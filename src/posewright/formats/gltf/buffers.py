"""All buffers of a document as one, with the pictures beside it taken in, so that it can be written anywhere."""

from __future__ import annotations

import base64
import binascii
import copy
import urllib.parse
from pathlib import Path
from typing import Any

from posewright.errors import FileProblem
from posewright.formats.gltf.container import GltfFile, checked, unwrap
from posewright.formats.gltf.schema import Document

_COMPRESSION = ("EXT_meshopt_compression", "KHR_meshopt_compression", "MESHOPT_compression")
_PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}


def open_gltf(path: Path) -> GltfFile:
    """A file with its buffers gathered.

    Raises:
        FileProblem: whatever is wrong with the wrapping, the JSON or the buffers.
    """
    document, chunk = unwrap(path)
    model = checked(path, document)
    _check_views(path, model)
    document, binary = _gathered(path, document, model, chunk)
    document, binary = _with_pictures(path, document, binary, model)
    return GltfFile(path, document, binary, checked(path, document))


def _gathered(
    path: Path, document: dict[str, Any], model: Document, chunk: bytes | None
) -> tuple[dict[str, Any], bytes]:
    """The document with its buffers joined into the first; buffers that hold nothing (fallbacks) follow it."""
    joined = bytearray()
    placed: list[tuple[int, int]] = []
    empty: list[dict[str, Any]] = []
    for index, buffer in enumerate(model.buffers):
        data = chunk if buffer.uri is None and index == 0 else None
        if buffer.uri is not None:
            data = _fetch(path, buffer.uri, f"buffer {index}")
        if data is None:
            if not document["buffers"][index].get("extensions"):
                raise FileProblem(path, f"buffer {index} has neither a uri nor a binary chunk to go with it")
            placed.append((1 + len(empty), 0))
            empty.append(document["buffers"][index])
            continue
        if len(data) < buffer.byteLength:
            raise FileProblem(path, f"buffer {index} is truncated: {buffer.byteLength} bytes stated, {len(data)} found")
        joined += b"\0" * (-len(joined) % 16)
        placed.append((0, len(joined)))
        joined += data[: buffer.byteLength]
    if len(placed) <= 1 and not empty:
        return document, bytes(joined)
    document = copy.deepcopy(document)
    document["buffers"] = [{"byteLength": max(1, len(joined))}, *empty]
    for view in document.get("bufferViews", []):
        _move(view, placed)
        for name in _COMPRESSION:
            if name in view.get("extensions", {}):
                _move(view["extensions"][name], placed)
    return document, bytes(joined)


def _move(view: dict[str, Any], placed: list[tuple[int, int]]) -> None:
    buffer = view.get("buffer")
    if isinstance(buffer, int) and 0 <= buffer < len(placed):
        index, base = placed[buffer]
        view["buffer"], view["byteOffset"] = index, view.get("byteOffset", 0) + base


def _with_pictures(
    path: Path, document: dict[str, Any], binary: bytes, model: Document
) -> tuple[dict[str, Any], bytes]:
    outside = {
        index: image.uri
        for index, image in enumerate(model.images)
        if image.uri is not None and not image.uri.startswith("data:")
    }
    if not outside:
        return document, binary
    document = copy.deepcopy(document)
    for index, uri in outside.items():
        try:
            data = _fetch(path, uri, f"image {index}")
        except FileProblem:
            continue  # a missing picture hinders nobody from posing; the link stays as it is
        kind = next((mime for magic, mime in _PICTURES.items() if data.startswith(magic)), None)
        if kind is None:
            continue
        binary += b"\0" * (-len(binary) % 4)
        image = document["images"][index]
        del image["uri"]
        image.update(bufferView=len(document.setdefault("bufferViews", [])), mimeType=kind)
        document["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        binary += data
    others = document.get("buffers", [])[1:]
    document["buffers"] = [{"byteLength": max(1, len(binary))}, *others]
    return document, binary


def _fetch(path: Path, uri: str, what: str) -> bytes:
    if uri.startswith("data:"):
        head, comma, payload = uri.partition(",")
        try:
            if head.endswith(";base64"):
                return base64.b64decode(payload, validate=True)
        except (binascii.Error, ValueError) as error:
            raise FileProblem(path, f"{what}: its data URI is not base64: {error}") from None
        if not comma:
            raise FileProblem(path, f"{what}: its data URI has no data")
        return urllib.parse.unquote_to_bytes(payload)
    name = urllib.parse.unquote(uri)
    if "://" in name or "\0" in name or Path(name).is_absolute():
        raise FileProblem(path, f"{what} is at {name[:80]!r}; only files beside the glTF and data URIs are read")
    neighbour = path.parent / name
    try:
        if not neighbour.is_file():
            raise FileProblem(path, f"{what} is in {name[:80]!r}, which is not there")
        return neighbour.read_bytes()
    except OSError as error:
        raise FileProblem(path, f"{what} is in {name[:80]!r}, which cannot be read: {error.strerror}") from None


def _check_views(path: Path, model: Document) -> None:
    for index, view in enumerate(model.bufferViews):
        if view.buffer >= len(model.buffers):
            raise FileProblem(path, f"bufferViews[{index}].buffer is {view.buffer}; there are {len(model.buffers)}")
        size = model.buffers[view.buffer].byteLength
        if view.byteOffset + view.byteLength > size:
            raise FileProblem(
                path,
                f"bufferViews[{index}] ends at byte {view.byteOffset + view.byteLength} of a buffer of {size} bytes",
            )
