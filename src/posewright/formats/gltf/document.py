"""glTF documents: .glb (JSON and a binary chunk) or .gltf (JSON with data URIs or neighbouring files), in and out.

When one is opened, its buffers are joined into one and pictures beside it are taken in, so that it can be written
anywhere.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from posewright.errors import FileProblem
from posewright.formats.atomic import replacing
from posewright.formats.budget import Budget, is_file, neighbour
from posewright.formats.field_errors import field_problem
from posewright.formats.gltf.schema import COMPONENT_BYTES, WIDTHS, GltfDocument
from posewright.formats.json_document import parse_json

_MAGIC, _JSON, _BIN = 0x46546C67, 0x4E4F534A, 0x004E4942
_COMPRESSION = ("EXT_meshopt_compression", "KHR_meshopt_compression", "MESHOPT_compression")
_PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}


@dataclass(frozen=True, eq=False)
class GltfFile:
    """A glTF document with all its buffers joined into one."""

    path: Path
    """Path of the file, for messages."""
    document: dict[str, Any] = field(repr=False)
    """The complete JSON of the file."""
    binary: bytes = field(repr=False)
    model: GltfDocument = field(repr=False)
    """The parts of `document` that are used, checked."""
    budget: Budget = field(repr=False)
    """Limits for reading its numbers."""

    def problem(self, message: str) -> FileProblem:
        """An error of this file."""
        return FileProblem(self.path, message)


def open_gltf(path: Path) -> GltfFile:
    """A file with its buffers gathered.

    Raises:
        FileProblem: whatever is wrong with the wrapping, the JSON or the buffers.
    """
    budget = Budget.of(path)
    document, chunk = _unwrap(path, budget)
    model = checked(path, document)
    _check_views(path, model)
    binary = _gathered(budget, document, model, chunk)
    _check_accessors(budget, model)
    binary = _with_pictures(budget, document, binary, model)
    return GltfFile(path, document, binary, checked(path, document), budget)


def checked(path: Path, document: dict[str, Any]) -> GltfDocument:
    """The understood parts of a document.

    Raises:
        FileProblem: a field is missing or wrong, or the version is not 2.
    """
    try:
        model = GltfDocument.model_validate(document)
    except ValidationError as error:
        raise field_problem(path, error, GltfDocument) from None
    if model.asset.version.split(".")[0] != "2":
        raise FileProblem(path, f"is glTF version {model.asset.version[:20]!r}; version 2.0 is supported")
    return model


def write_document(document: dict[str, Any], binary: bytes, path: Path) -> None:
    """Write a document whose first buffer is `binary`: as GLB, or as glTF with the buffer embedded."""
    # glTF allows no empty lists
    document = {key: value for key, value in document.items() if value != [] and key != "buffers"} | {
        "buffers": document.get("buffers", [])[1:]
    }
    glb = path.suffix.lower() == ".glb"
    if binary or document["buffers"]:
        first: dict[str, Any] = {"byteLength": max(1, len(binary))}
        if not glb:
            first["uri"] = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
        document["buffers"].insert(0, first)
    else:
        del document["buffers"]
    try:
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        raise FileProblem(path, "cannot be written: it contains a position that is not a finite number") from None
    with replacing(path) as temporary:
        temporary.write_bytes(_glb(text, binary, path) if glb else text)


def _glb(text: bytes, binary: bytes, path: Path) -> bytes:
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<II", len(text), _JSON) + text
    if binary:
        chunks += struct.pack("<II", len(binary), _BIN) + binary
    if len(chunks) + 12 >= 2**32:
        raise FileProblem(path, "would be larger than the 4 GB a GLB can hold; write fewer frames")
    return struct.pack("<III", _MAGIC, 2, len(chunks) + 12) + chunks


def _unwrap(path: Path, budget: Budget) -> tuple[dict[str, Any], bytes | None]:
    """JSON and binary chunk (None without one) of a .glb or .gltf, distinguished by their first bytes."""
    data = path.read_bytes()
    if data[:4] != b"glTF":
        if path.suffix.lower() == ".glb":
            raise FileProblem(path, f"is not a GLB: it begins with {data[:4]!r} instead of b'glTF'")
        return _parse(budget, data), None
    if len(data) < 20:
        raise FileProblem(path, f"is truncated: {len(data)} bytes are less than a GLB's header")
    _, version, length = struct.unpack_from("<III", data)
    if version != 2:
        raise FileProblem(path, f"is GLB version {version}; version 2 is supported")
    if length > len(data):
        raise FileProblem(path, f"is truncated: its header says {length} bytes, it has {len(data)}")
    chunks: dict[int, bytes] = {}
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        if at + 8 + size > length:
            raise FileProblem(path, f"is truncated: a chunk of {size} bytes begins at byte {at} of {length}")
        if at == 12 and kind != _JSON:
            raise FileProblem(path, "does not begin with a JSON chunk, as every GLB must")
        chunks.setdefault(kind, data[at + 8 : at + 8 + size])
        at += 8 + size
    if _JSON not in chunks:
        raise FileProblem(path, "has no JSON chunk")
    return _parse(budget, chunks[_JSON]), chunks.get(_BIN)


def _parse(budget: Budget, text: bytes) -> dict[str, Any]:
    try:
        document = parse_json(budget, text.decode("utf-8-sig"), "the document")
    except UnicodeDecodeError as error:
        raise FileProblem(budget.path, f"is not glTF: byte {error.start} is not UTF-8 text") from None
    if not isinstance(document, dict):
        raise FileProblem(budget.path, f"the document is a {type(document).__name__}, not an object")
    return document


def _check_views(path: Path, model: GltfDocument) -> None:
    for index, view in enumerate(model.bufferViews):
        if view.buffer >= len(model.buffers):
            raise FileProblem(path, f"bufferViews[{index}].buffer is {view.buffer}; there are {len(model.buffers)}")
        size, end = model.buffers[view.buffer].byteLength, view.byteOffset + view.byteLength
        if end > size:
            raise FileProblem(path, f"bufferViews[{index}] ends at byte {end} of a buffer of {size} bytes")


def _check_accessors(budget: Budget, model: GltfDocument) -> None:
    """Check unused accessors too, because files written from this one contain them."""
    for index, accessor in enumerate(model.accessors):
        size = COMPONENT_BYTES[accessor.componentType] * WIDTHS.get(accessor.type, 1)
        stride, room = size, budget.bytes
        if accessor.bufferView is not None and accessor.bufferView < len(model.bufferViews):
            view = model.bufferViews[accessor.bufferView]
            if view.extensions:
                continue  # packed, in whatever way
            stride, room = view.byteStride or size, view.byteLength
        last = accessor.byteOffset + (accessor.count - 1) * stride + size
        if last > room:
            raise FileProblem(budget.path, f"accessor {index} needs {last:,} bytes, where there are {room:,}")


def _gathered(budget: Budget, document: dict[str, Any], model: GltfDocument, chunk: bytes | None) -> bytes:
    """The buffers of a document joined into the first; empty buffers (fallbacks) follow it."""
    path = budget.path
    joined = bytearray()
    placed: list[tuple[int, int]] = []
    empty: list[dict[str, Any]] = []
    for index, buffer in enumerate(model.buffers):
        data = chunk if index == 0 else None
        if buffer.uri is not None:
            data = _fetch(budget, buffer.uri, f"buffer {index}")
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
    if len(placed) > 1 or empty:
        document["buffers"] = [{"byteLength": max(1, len(joined))}, *empty]
        for view in document.get("bufferViews", []):
            packed = [view["extensions"][name] for name in _COMPRESSION if name in view.get("extensions", {})]
            for part in (view, *packed):
                if isinstance(part.get("buffer"), int) and 0 <= part["buffer"] < len(placed):
                    part["buffer"], base = placed[part["buffer"]]
                    part["byteOffset"] = part.get("byteOffset", 0) + base
    return bytes(joined)


def _with_pictures(budget: Budget, document: dict[str, Any], binary: bytes, model: GltfDocument) -> bytes:
    """The buffer with the pictures beside the file; if a picture is missing, its link stays."""
    joined = bytearray(binary)
    for index, image in enumerate(model.images):
        if image.uri is None or urllib.parse.urlsplit(image.uri).scheme:
            continue
        place = _place(budget.path, image.uri, f"image {index}")
        if not is_file(place):
            continue
        data = _contents(budget, place, f"image {index}")
        kind = next((mime for magic, mime in _PICTURES.items() if data.startswith(magic)), None)
        if kind is None:
            continue
        joined += b"\0" * (-len(joined) % 4)
        del document["images"][index]["uri"]
        views = document.setdefault("bufferViews", [])
        document["images"][index].update(bufferView=len(views), mimeType=kind)
        views.append({"buffer": 0, "byteOffset": len(joined), "byteLength": len(data)})
        joined += data
        document["buffers"] = [{"byteLength": len(joined)}, *document.get("buffers", [])[1:]]
    return bytes(joined)


def _fetch(budget: Budget, uri: str, what: str) -> bytes:
    path = budget.path
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
    place = _place(path, uri, what)
    if not is_file(place):
        raise FileProblem(path, f"{what} is in {urllib.parse.unquote(uri)[:80]!r}, which does not exist")
    return _contents(budget, place, what)


def _place(path: Path, uri: str, what: str) -> Path:
    return neighbour(path, urllib.parse.unquote(uri), what)


def _contents(budget: Budget, place: Path, what: str) -> bytes:
    """The bytes of a file beside the document; repeated uses count each time."""
    budget.take(budget.add(place), what)
    return place.read_bytes()
