"""A motion as glTF: the figure's joints and sites as nodes, a body of rounded cones bent by them, and the animation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Skin
from posewright.figures.capsules import capsule_table
from posewright.figures.kinematics import joint_frames
from posewright.formats.gltf.accessors import (
    INDICES,
    UNSIGNED_BYTE,
    UNSIGNED_INT,
    UNSIGNED_SHORT,
    VERTICES,
    Appender,
)
from posewright.formats.gltf.body_mesh import body_mesh
from posewright.formats.gltf.node_tree import transform
from posewright.formats.gltf.rewriting import local_frames, write_character
from posewright.motions import Motion
from posewright.rotations import quaternion_from_matrix

_COLOUR = [0.78, 0.55, 0.40, 1.0]


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused, in one sentence
def write_body(motion: Motion, path: Path) -> None:
    """Write a motion with a generated body; a single frame becomes the pose of the nodes, without animation."""
    figure = motion.figure
    positions, rotations = local_frames(figure, figure.rest[np.newaxis])
    document = _skeleton(figure, positions[0], quaternion_from_matrix(rotations[0]))
    appender = Appender(document, b"")
    _add_body(appender, figure)
    skin = Skin(document, appender.binary, tuple(range(len(figure.joints))))
    write_character(replace(motion, figure=replace(figure, skin=skin, source=None)), skin, path)


def _skeleton(figure: Figure, translations: Array, rotations: Array) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = []
    for index, joint in enumerate(figure.joints):
        node: dict[str, Any] = {"name": joint.name}
        if figure.children[index]:
            node["children"] = list(figure.children[index])
        node.update(transform(translations[index], rotations[index]))
        nodes.append(node)
    roots = [index for index, parent in enumerate(figure.parents) if parent < 0]
    if len(roots) > 1:  # a skin's joints must have one root in common
        nodes.append({"name": figure.name, "children": roots})
        roots = [len(nodes) - 1]
    return {
        "asset": {"version": "2.0", "generator": "Posewright"},
        "scene": 0,
        "scenes": [{"name": figure.name, "nodes": roots}],
        "nodes": nodes,
    }


def _add_body(appender: Appender, figure: Figure) -> None:
    """The mesh in the world of the rest pose, its skin and the node that shows it."""
    mesh = body_mesh(capsule_table(figure))
    if not len(mesh.points):
        return
    frames = joint_frames(figure, figure.rest)
    R = frames.rotations[mesh.joints]
    points = np.einsum("vab,vb->va", R, mesh.points) + frames.positions[mesh.joints]
    normals = np.einsum("vab,vb->va", R, mesh.normals)
    bind = np.tile(np.eye(4), (len(figure.joints), 1, 1))
    bind[:, :3, :3] = np.swapaxes(frames.rotations, -1, -2)
    bind[:, :3, 3] = -np.einsum("jba,jb->ja", frames.rotations, frames.positions)
    owners = np.zeros((len(points), 4))
    owners[:, 0] = mesh.joints
    weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1))
    attributes = {
        "POSITION": appender.add(points, "VEC3", target=VERTICES, bounds=True),
        "NORMAL": appender.add(normals, "VEC3", target=VERTICES),
        "JOINTS_0": appender.add(
            owners, "VEC4", UNSIGNED_BYTE if len(figure.joints) <= 256 else UNSIGNED_SHORT, target=VERTICES
        ),
        "WEIGHTS_0": appender.add(weights, "VEC4", target=VERTICES),
    }
    small = UNSIGNED_SHORT if len(points) < 65535 else UNSIGNED_INT
    indices = appender.add(mesh.triangles.ravel(), "SCALAR", small, target=INDICES)
    document = appender.document
    document["materials"] = [
        {
            "name": "body",
            "pbrMetallicRoughness": {"baseColorFactor": _COLOUR, "metallicFactor": 0.0, "roughnessFactor": 0.6},
        }
    ]
    document["meshes"] = [
        {"name": figure.name, "primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}
    ]
    document["skins"] = [
        {
            "joints": list(range(len(figure.joints))),
            # glTF stores matrices column by column
            "inverseBindMatrices": appender.add(np.swapaxes(bind, -1, -2).reshape(-1, 16), "MAT4"),
        }
    ]
    document["scenes"][0]["nodes"].append(len(document["nodes"]))
    document["nodes"].append({"name": f"{figure.name} body", "mesh": 0, "skin": 0})
