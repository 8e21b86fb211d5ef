"""The page's types (`web/src/protocol.ts`), written from the protocol: `python -m posewright.studio.typescript`."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from posewright.studio import mesh_file, protocol, recording
from posewright.studio.session.command import Command
from posewright.studio.session.commands import COMMANDS

FILE = Path(__file__).parent / "web" / "src" / "protocol.ts"
_PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "unknown"}


def protocol_types() -> str:
    """The text of `protocol.ts`."""
    parts = [
        "// Written by `python -m posewright.studio.typescript` from the protocol: change that, then run it again.",
        "\n".join(
            f"export const {name} = {getattr(protocol, name)};"
            for name in (
                "VERSION",
                "LARGEST_REQUEST",
                "LARGEST_UPLOAD",
                "POSE_FRAME",
                "JOINT_NUMBERS",
                "GOAL_NUMBERS",
                "PROPOSAL_FRAME",
                "PARTICLE_FRAME",
                "CLIP_FRAME",
                "SOURCE",
                "EDITED",
                "RETARGET_SOURCE",
                "RETARGETED",
                "DESIGNED",
            )
        ),
        f"export const POSE_HEADER_BYTES = {protocol.POSE_HEADER.size};",
        f"export const PROPOSAL_HEADER_BYTES = {protocol.PROPOSAL_HEADER.size};",
        f"export const PARTICLE_HEADER_BYTES = {protocol.PARTICLE_HEADER.size};",
        f"export const CLIP_HEADER_BYTES = {protocol.CLIP_HEADER.size};",
    ]
    parts += [
        _interface(kind)
        for kind in (
            *COMMANDS,
            *protocol.REQUESTS,
            *protocol.INFOS,
            *mesh_file.INFOS,
            *protocol.REPLIES,
            *recording.INFOS,
        )
    ]
    for name, kinds in (("Command", COMMANDS), ("Request", protocol.REQUESTS), ("Reply", protocol.REPLIES)):
        parts.append(f"export type {name} = {' | '.join(kind.__name__ for kind in kinds)};")
    return "\n\n".join(parts) + "\n"


def _interface(kind: type[Any]) -> str:
    hints = get_type_hints(kind, include_extras=True)
    lines = [f"  {line}" for line in _fields(kind, hints)]
    return "\n".join([f"export interface {kind.__name__} {{", *lines, "}"])


def _fields(kind: type[Any], hints: dict[str, Any]) -> Iterator[str]:
    for field in fields(kind):
        sent = issubclass(kind, Command | protocol.Request)  # what the page writes may leave out what has a default
        has_default = field.default is not MISSING or field.default_factory is not MISSING
        optional = sent and field.name != "kind" and has_default
        wanted = "Command" if field.name in ("command", "first") else _type(hints[field.name])
        if field.name == "first":
            wanted = "Command | null"
        yield f"{field.name}{'?' if optional else ''}: {wanted};"


def _type(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Annotated:
        return _type(arguments[0])
    if origin is Literal:
        return " | ".join(f'"{word}"' for word in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(map(_type, arguments))
    if origin is dict:
        return f"Record<string, {_type(arguments[1])}>"
    if origin is tuple and arguments[-1] is Ellipsis:
        return f"{_type(arguments[0])}[]"
    if origin is tuple:
        return f"[{', '.join(map(_type, arguments))}]"
    if isinstance(hint, type):
        return hint.__name__
    raise TypeError(f"{hint} has no TypeScript yet")


if __name__ == "__main__":
    FILE.write_text(protocol_types(), encoding="utf-8")
