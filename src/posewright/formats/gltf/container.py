"""The two wrappings of glTF: .glb (JSON and one binary chunk) and .gltf (JSON with data URIs or neighbouring files)."""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from posewright.errors import FileProblem
from posewright.formats.atomic import replacing
from posewright.formats.field_errors import field_problem
from posewright.formats.gltf.schema import Document

_MAGIC, _JSON, _BIN = 0x46546C67, 0x4E4F534A, 0x004E4942


@dataclass(frozen=True, eq=False)
class GltfFile:
    """A glTF document whose buffers are one."""

    path: Path
    """For messages."""
    document: dict[str, Any] = field(repr=False)
    """The JSON as the file had it, complete."""
    binary: bytes = field(repr=False)
    model: Document = field(repr=False)
    """The understood parts of `document`, checked."""

    def problem(self, message: str) -> FileProblem:
        """An error of this file."""
        return FileProblem(self.path, message)


def unwrap(path: Path) -> tuple[dict[str, Any], bytes | None]:
    """JSON and binary chunk (None without one) of a .glb or .gltf, told apart by their first bytes."""
    data = path.read_bytes()
    if data[:4] == b"glTF":
        return _unwrap_binary(path, data)
    if path.suffix.lower() == ".glb":
        raise FileProblem(path, f"is not a GLB: it begins with {data[:4]!r} instead of b'glTF'")
    return _parse(path, data), None


def checked(path: Path, document: dict[str, Any]) -> Document:
    """The understood parts of a document.

    Raises:
        FileProblem: a field is missing or wrong, or the version is not 2.
    """
    try:
        model = Document.model_validate(document)
    except ValidationError as error:
        raise field_problem(path, error, Document) from None
    if model.asset.version.split(".")[0] != "2":
        raise FileProblem(path, f"is glTF version {model.asset.version[:20]!r}; version 2.0 is read")
    return model


def wrap(document: dict[str, Any], binary: bytes, path: Path) -> None:
    """Write a document whose first buffer is `binary`: as GLB, or as glTF with the buffer embedded."""
    document = dict(document)
    others = document.get("buffers", [])[1:]
    glb = path.suffix.lower() == ".glb"
    if binary or others:
        first: dict[str, Any] = {"byteLength": max(1, len(binary))}
        if not glb:
            first["uri"] = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
        document["buffers"] = [first, *others]
    else:
        document.pop("buffers", None)
    try:
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        raise FileProblem(path, "cannot be written: some place in it is not a finite number") from None
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


def _unwrap_binary(path: Path, data: bytes) -> tuple[dict[str, Any], bytes | None]:
    if len(data) < 20:
        raise FileProblem(path, f"is truncated: {len(data)} bytes are less than a GLB's header")
    _, version, length = struct.unpack_from("<III", data)
    if version != 2:
        raise FileProblem(path, f"is GLB version {version}; version 2 is read")
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
    return _parse(path, chunks[_JSON]), chunks.get(_BIN)


def _parse(path: Path, text: bytes) -> dict[str, Any]:
    try:
        document = json.loads(text.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise FileProblem(path, f"its JSON is broken: {error.msg.lower()}", line=error.lineno) from None
    except UnicodeDecodeError as error:
        raise FileProblem(path, f"is not glTF: byte {error.start} is not UTF-8 text") from None
    except RecursionError:
        raise FileProblem(path, "its JSON is nested too deeply to be glTF") from None
    except ValueError as error:
        raise FileProblem(path, f"its JSON is broken: {error}") from None
    if not isinstance(document, dict):
        raise FileProblem(path, f"its JSON is {type(document).__name__}, not the object that glTF is")
    return document


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number that JSON has")
