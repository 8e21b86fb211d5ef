"""A hand-made glTF character with what real exporters write, built without Posewright's own glTF code.

An armature in centimetres, turned and scaled; joints below it, one with a matrix; a skinned, interleaved mesh with a
material, a texture and a morph target; two animations with every interpolation, normalised integers and a sparse
accessor; a camera that moves; an end bone that the skin does not use.
"""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

ARMATURE, HIPS, SPINE, ARM, END, MESH, CAMERA = range(7)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
TIMES = np.arange(9) / 24.0


class Sample:
    """A document under construction."""

    def __init__(self) -> None:
        self.binary = b""
        self.document: dict[str, Any] = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": []}

    def view(self, data: bytes, **fields: Any) -> int:
        self.binary += b"\0" * (-len(self.binary) % 8)
        self.document["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data), **fields}
        )
        self.binary += data
        return len(self.document["bufferViews"]) - 1

    def accessor(self, view: int | None, count: int, kind: str, component: int = 5126, **fields: Any) -> int:
        entry = {"count": count, "type": kind, "componentType": component, **fields}
        self.document["accessors"].append(entry if view is None else {"bufferView": view, **entry})
        return len(self.document["accessors"]) - 1

    def floats(self, values: np.ndarray, kind: str, **fields: Any) -> int:
        data = np.asarray(values, "<f4")
        return self.accessor(self.view(data.tobytes()), len(data), kind, **fields)

    def times(self, values: np.ndarray) -> int:
        data = np.asarray(values, "<f4")
        return self.floats(data, "SCALAR", min=[float(data.min())], max=[float(data.max())])

    def glb(self, path: Path) -> Path:
        self.document["buffers"] = [{"byteLength": len(self.binary)}]
        text = json.dumps(self.document).encode()
        text += b" " * (-len(text) % 4)
        data = self.binary + b"\0" * (-len(self.binary) % 4)
        size = 12 + 8 + len(text) + 8 + len(data)
        path.write_bytes(
            struct.pack("<IIIII", 0x46546C67, 2, size, len(text), 0x4E4F534A)
            + text
            + struct.pack("<II", len(data), 0x004E4942)
            + data
        )
        return path


def quaternions(axis: int, angles: np.ndarray) -> np.ndarray:
    """xyzw about a coordinate axis."""
    q = np.zeros((len(angles), 4))
    q[:, axis], q[:, 3] = np.sin(angles / 2), np.cos(angles / 2)
    return q


def character() -> Sample:
    sample = Sample()
    half = np.sqrt(0.5)
    # A turn of 90 degrees about z at (0, 20, 0), column by column
    matrix = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 20, 0, 1]
    sample.document |= {
        "scene": 0,
        "scenes": [{"nodes": [ARMATURE, MESH, CAMERA]}],
        "nodes": [
            {"name": "Armature", "children": [HIPS], "rotation": [-half, 0, 0, half], "scale": [0.01, 0.01, 0.01]},
            {"name": "Hips", "children": [SPINE], "translation": [0, 5, 95], "rotation": [half, 0, 0, half]},
            {"name": "Spine", "children": [ARM], "translation": [0, 30, 1]},
            {"name": "Arm", "children": [END], "matrix": matrix},
            {"name": "Arm", "translation": [0, 25, 0]},
            {"name": "Body", "mesh": 0, "skin": 0},
            {"name": "Camera", "camera": 0, "translation": [0, 1, 3]},
        ],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1}}],
        "materials": [{"name": "Cloth", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}],
        "images": [{"bufferView": sample.view(PNG), "mimeType": "image/png"}],
        "extras": {"author": "somebody"},
    }
    _mesh(sample)
    _animations(sample)
    return sample


def _mesh(sample: Sample) -> None:
    points = np.array([[0, 0.9, 0], [0.1, 0.9, 0], [0, 1.2, 0], [0.1, 1.2, 0], [0, 1.5, 0], [0.1, 1.5, 0]])
    vertex = np.zeros(6, [("p", "<f4", 3), ("n", "<f4", 3), ("uv", "<f4", 2), ("j", "u1", 4), ("w", "u1", 4)])
    vertex["p"], vertex["n"], vertex["uv"] = points, [0, 0, 1], points[:, :2] % 1
    vertex["j"][:, 0], vertex["j"][2:4, 1] = [0, 0, 0, 0, 2, 2], 1
    vertex["w"][:, 0] = 255
    vertex["w"][2:4, :2] = [155, 100]
    view = sample.view(vertex.tobytes(), byteStride=vertex.itemsize, target=34962)
    p = vertex["p"]
    attributes = {
        "POSITION": sample.accessor(view, 6, "VEC3", min=p.min(axis=0).tolist(), max=p.max(axis=0).tolist()),
        "NORMAL": sample.accessor(view, 6, "VEC3", byteOffset=12),
        "TEXCOORD_0": sample.accessor(view, 6, "VEC2", byteOffset=24),
        "JOINTS_0": sample.accessor(view, 6, "VEC4", 5121, byteOffset=32),
        "WEIGHTS_0": sample.accessor(view, 6, "VEC4", 5121, byteOffset=36, normalized=True),
    }
    indices = np.array([0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5], "<u2")
    triangles = sample.accessor(sample.view(indices.tobytes(), target=34963), 12, "SCALAR", 5123)
    smile = np.zeros((6, 3), "<f4")
    smile[5] = [0.02, 0, 0]
    morph = sample.accessor(
        sample.view(smile.tobytes(), target=34962), 6, "VEC3", min=[0, 0, 0], max=smile.max(axis=0).tolist()
    )
    sample.document["meshes"] = [
        {
            "primitives": [
                {"attributes": attributes, "indices": triangles, "material": 0, "targets": [{"POSITION": morph}]}
            ],
            "weights": [0.0],
        }
    ]
    bind = np.tile(np.eye(4), (3, 1, 1))
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    places = [(np.eye(3), [0, 0.95, -0.05]), (np.eye(3), [0, 1.25, -0.04]), (turn, [0, 1.45, -0.04])]
    for k, (R, p) in enumerate(places):  # worlds of Hips, Spine and Arm, with the armature's scale
        bind[k, :3, :3], bind[k, :3, 3] = 0.01 * np.array(R), p
    inverse = np.linalg.inv(bind)
    inverse[:, 3] = [0, 0, 0, 1]
    matrices = sample.floats(np.swapaxes(inverse, 1, 2).reshape(-1, 16), "MAT4")
    sample.document["skins"] = [{"joints": [HIPS, SPINE, ARM], "inverseBindMatrices": matrices, "skeleton": HIPS}]


def _animations(sample: Sample) -> None:
    times = sample.times(TIMES)
    few = sample.times(TIMES[[0, 3, 8]])
    rng = np.random.default_rng(5)
    steps = np.zeros((3, 3, 3))
    steps[:, 1] = [[0, 5, 95], [3, 0, 99], [8, -9, 92]]
    steps[:, 0] = steps[:, 2] = 20 * rng.normal(size=(3, 3))
    curve = np.zeros((3, 3, 4))
    curve[:, 1] = quaternions(0, np.array([np.pi / 2, 1.2, 2.1]))
    curve[:, 0] = curve[:, 2] = 0.5 * rng.normal(size=(3, 4))
    packed = np.round(32767 * quaternions(2, np.linspace(-0.5, 0.8, 9))).astype("<i2")
    arm = sample.accessor(sample.view(packed.tobytes()), 9, "VEC4", 5122, normalized=True)
    # Spine: still, but for two keys that a sparse accessor lifts
    lifted = np.array([[0, 33, 1], [2, 30, 1]], "<f4")
    still = np.tile(np.array([0, 30, 1], "<f4"), (9, 1))
    spine = sample.accessor(
        sample.view(still.tobytes()), 9, "VEC3",
        sparse={
            "count": 2,
            "indices": {"bufferView": sample.view(np.array([4, 7], "<u2").tobytes()), "componentType": 5123},
            "values": {"bufferView": sample.view(lifted.tobytes())},
        },
    )  # fmt: skip
    turns = sample.floats(quaternions(1, np.array([0.0, 0.4, -0.6])), "VEC4")
    pan = sample.floats(np.array([[0, 1, 3], [1, 1, 3], [1, 2, 3]]), "VEC3")
    smile = sample.floats(np.array([0.0, 1.0, 0.5]), "SCALAR")

    def animation(name: str, *channels: tuple[int, str, int, int, str]) -> dict[str, Any]:
        return {
            "name": name,
            "channels": [
                {"sampler": k, "target": {"node": node, "path": path}} for k, (node, path, *_) in enumerate(channels)
            ],
            "samplers": [{"input": i, "output": o, "interpolation": how} for _, _, i, o, how in channels],
        }

    sample.document["animations"] = [
        animation(
            "walk",
            (HIPS, "translation", few, sample.floats(steps.reshape(-1, 3), "VEC3"), "CUBICSPLINE"),
            (HIPS, "rotation", few, sample.floats(curve.reshape(-1, 4), "VEC4"), "CUBICSPLINE"),
            (SPINE, "rotation", few, turns, "STEP"),
            (SPINE, "translation", times, spine, "LINEAR"),
            (CAMERA, "translation", few, pan, "LINEAR"),
            (MESH, "weights", few, smile, "LINEAR"),
        ),
        animation("wave", (SPINE, "rotation", few, turns, "LINEAR"), (END, "rotation", times, arm, "LINEAR")),
    ]


def with_matrix_turned_into_parts(document: dict[str, Any]) -> None:
    """An animated node must not have a matrix."""
    half = float(np.sqrt(0.5))
    document["nodes"][ARM] = {
        "name": "Arm", "children": [END], "translation": [0, 20, 0], "rotation": [0, 0, half, half],
    }  # fmt: skip
