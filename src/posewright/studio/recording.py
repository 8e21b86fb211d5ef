"""Recordings: everything a page needs to show figures, poses and clips, without a server that it could ask.

`posewright view` hands one to its pages, `posewright render -o clip.html` and notebooks put one into the page itself.
Layout: a uint32 with the length of a header of JSON, the header, padding to a multiple of 4, the data that its blocks
are places in.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from posewright.figures import Figure, Pose
from posewright.formats.gltf.mesh import has_mesh
from posewright.motions import Motion
from posewright.studio import protocol
from posewright.studio.mesh_file import Block
from posewright.studio.server import view
from posewright.studio.server.clip_view import clip_poses
from posewright.studio.server.meshes import figure_mesh
from posewright.studio.session.clips.opening import clip_of, opened_motion
from posewright.studio.session.editor import Editor
from posewright.studio.session.opening import opened
from posewright.studio.session.state import State

Shown = Figure | Pose | Motion


@dataclass(frozen=True, kw_only=True)
class ShowInfo:
    """One thing that can be looked at."""

    name: str
    scene: protocol.Scene
    document: protocol.Document
    poses: tuple[Block, ...]
    """Frames of its clip and its pose, as they would come from a server; counted in bytes"""
    mesh: Block | None
    """What `scene.mesh` names; counted in bytes"""


@dataclass(frozen=True, kw_only=True)
class RecordingInfo:
    """The header."""

    shows: tuple[ShowInfo, ...]


INFOS: tuple[type[Any], ...] = (ShowInfo, RecordingInfo)


def recording(shown: Sequence[tuple[str, Shown]], *, contacts: bool = True) -> bytes:
    """Things to look at, each with its name, as bytes.

    Args:
        shown: figures, poses and motions.
        contacts: whether clips have bars for feet on the ground, which have to be found first.
    """
    data = _Data()
    infos = tuple(_show(name, one, number, data, contacts=contacts) for number, (name, one) in enumerate(shown, 1))
    header = json.dumps(asdict(RecordingInfo(shows=infos)), allow_nan=False, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 4)
    return b"".join([struct.pack("<I", len(header)), header, *data.pieces])


def _show(name: str, shown: Shown, number: int, data: _Data, *, contacts: bool) -> ShowInfo:
    editor = Editor(replace(_state(shown, contacts=contacts), goals=()))
    figure = editor.state.figure
    document = replace(view.document(editor), title=name, clip_names=())
    frames = tuple(data.add(message) for message in (*clip_poses(editor.state, None), view.pose(editor)))
    mesh = data.add(figure_mesh(figure)) if has_mesh(figure) else None
    scene = view.scene(editor, None if mesh is None else f"mesh/{number}")
    return ShowInfo(name=name, scene=scene, document=document, poses=frames, mesh=mesh)


def _state(shown: Shown, *, contacts: bool) -> State:
    if isinstance(shown, Figure):
        return opened(shown)
    if isinstance(shown, Pose):
        return opened(shown.figure, shown.q)
    if contacts or not len(shown):
        return opened_motion(shown)
    return replace(opened(shown.figure, shown.q[0]), clip=clip_of(shown, None))


@dataclass(eq=False)
class _Data:
    """Messages one after another."""

    pieces: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, message: bytes) -> Block:
        """Where it is now; numbers of 64 bits must begin at multiples of 8."""
        block = Block(start=self.size, count=len(message))
        padded = message + b"\0" * (-len(message) % 8)
        self.pieces.append(padded)
        self.size += len(padded)
        return block
