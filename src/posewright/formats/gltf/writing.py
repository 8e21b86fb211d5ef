"""Motions as glTF: with the character that the figure came with, or with a generated body of rounded cones.

A character keeps its meshes, materials and other animations. A generated body is such a character: the figure's
joints and sites as nodes, and a mesh that they bend.
"""

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
from posewright.formats.gltf.animation import title, write_channels
from posewright.formats.gltf.body_mesh import body_mesh
from posewright.formats.gltf.character import character_of
from posewright.formats.gltf.document import GltfFile, write_document
from posewright.formats.gltf.mesh import GENERATOR
from posewright.formats.gltf.nodes import Hanging, NodeTree, transform, write_sites
from posewright.motions import Motion
from posewright.rotations import quaternion_from_matrix

_COLOUR = [0.78, 0.55, 0.40, 1.0]


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused, in one sentence
def write(motion: Motion, path: Path) -> None:
    """Write a motion with the character that it came with, else with a generated body.

    A single frame becomes the pose of the nodes. The motion replaces the animation of its name, if there is one;
    animations of other names stay.

    Raises:
        FileProblem: the figure's joints are no longer those of the character.
    """
    figure = motion.figure
    if figure.skin is not None:
        _write_character(motion, figure.skin, path)
    else:
        skin = _generated(figure)
        _write_character(replace(motion, figure=replace(figure, skin=skin, source=None)), skin, path)


def _write_character(motion: Motion, skin: Skin, path: Path) -> None:
    character = character_of(motion.figure, skin, path)
    file, tree, hanging = character.file, character.tree, character.hanging
    document, nodes = file.document, list(character.nodes)
    translations, rotations = _node_transforms(motion, hanging)
    write_sites(document, motion.figure, nodes, hanging.scale * tree.scales[nodes].mean(axis=1))
    if len(motion) <= 1:
        document["animations"] = []
        if len(motion) == 1:
            _pose(document, tree, skin, translations[0], rotations[0])
        write_document(document, _without_tail(document, skin.binary, file), path)
        return
    titles = [title(index, animation) for index, animation in enumerate(file.model.animations)]
    animations = list(zip(titles, document.get("animations", []), strict=True))
    kept = [animation for called, animation in animations if called != motion.name]
    still = _other_channels([animation for called, animation in animations if called == motion.name], set(nodes))
    document["animations"] = [*kept, *still]
    appender = Appender(document, _without_tail(document, skin.binary, file))
    rest = (tree.translations[nodes], tree.rotations[nodes])
    fresh = write_channels(appender, nodes, translations, rotations, rest, motion.fps)
    for animation in still:
        fresh["channels"] += [{**c, "sampler": c["sampler"] + len(fresh["samplers"])} for c in animation["channels"]]
        fresh["samplers"] += animation["samplers"]
    document["animations"] = [{"name": motion.name or path.stem, **fresh}, *kept]
    write_document(document, appender.binary, path)


def _node_transforms(motion: Motion, hanging: Hanging) -> tuple[Array, Array]:
    """Translations (frames, joints, 3) in the nodes' unit and rotations (frames, joints, 4) wxyz."""
    positions, rotations = _local_frames(motion.figure, motion.q)
    back = np.swapaxes(hanging.rotation, -1, -2)
    translations = np.einsum("jab,fjb->fja", back, positions - hanging.position) / hanging.scale[:, None]
    return translations, quaternion_from_matrix(back @ rotations)


def _local_frames(figure: Figure, q: Array) -> tuple[Array, Array]:
    """Positions (frames, joints, 3) and rotations (frames, joints, 3, 3) of joints in their parents' frames."""
    frames = joint_frames(figure, q)
    parents = np.array(figure.parents, dtype=np.int64)
    above, origin = frames.rotations[:, parents], frames.positions[:, parents]
    above[:, parents < 0], origin[:, parents < 0] = np.eye(3), 0.0
    back = np.swapaxes(above, -1, -2)
    return np.einsum("fjab,fjb->fja", back, frames.positions - origin), back @ frames.rotations


def _pose(document: dict[str, Any], tree: NodeTree, skin: Skin, translations: Array, rotations: Array) -> None:
    for node, t, r in zip(skin.nodes, translations, rotations, strict=True):
        fields = document["nodes"][node]
        if fields.pop("matrix", None) is not None and np.any(tree.scales[node] != 1.0):
            fields["scale"] = tree.scales[node].tolist()
        fields["translation"] = t.tolist()
        fields["rotation"] = [*r[1:].tolist(), float(r[0])]


def _other_channels(replaced: list[dict[str, Any]], joints: set[int]) -> list[dict[str, Any]]:
    """Channels of replaced animations that joints do not determine: scales, morph weights, other nodes."""
    found = []
    for animation in replaced:
        channels = [
            channel
            for channel in animation["channels"]
            if channel["target"].get("node") not in joints or channel["target"]["path"] in ("scale", "weights")
        ]
        samplers = [animation["samplers"][channel["sampler"]] for channel in channels]
        numbered = [{**channel, "sampler": index} for index, channel in enumerate(channels)]
        found.append({"channels": numbered, "samplers": samplers})
    return found


def _without_tail(document: dict[str, Any], binary: bytes, file: GltfFile) -> bytes:
    """Remove the numbers of replaced animations from the end of the buffer, so that saving again adds nothing."""
    before = {i for animation in file.model.animations for s in animation.samplers for i in (s.input, s.output)}
    after = {
        i for animation in document["animations"] for s in animation["samplers"] for i in (s["input"], s["output"])
    }
    dead = before - after
    accessors, views = document.get("accessors", []), document.get("bufferViews", [])
    while accessors and len(accessors) - 1 in dead:
        last = len(views) - 1
        accessor, users = accessors[-1], [a for a in accessors if a.get("bufferView") == last]
        if users != [accessor] or "sparse" in accessor or views[last]["buffer"] != 0 or "extensions" in views[last]:
            break
        start = views[last].get("byteOffset", 0)
        if not 0 <= len(binary) - start - views[last]["byteLength"] <= 3:
            break
        binary = binary[:start]
        accessors.pop()
        views.pop()
    return binary


def _generated(figure: Figure) -> Skin:
    """A character for a figure without one: its nodes at rest and a mesh of rounded cones."""
    positions, rotations = _local_frames(figure, figure.rest[np.newaxis])
    document = _skeleton(figure, positions[0], quaternion_from_matrix(rotations[0]))
    appender = Appender(document, b"")
    _add_body(appender, figure)
    return Skin(document, appender.binary, tuple(range(len(figure.joints))))


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
        "asset": {"version": "2.0", "generator": GENERATOR},
        "scene": 0,
        "scenes": [{"name": figure.name, "nodes": roots}],
        "nodes": nodes,
    }


def _add_body(appender: Appender, figure: Figure) -> None:
    """The mesh in the world frame of the rest pose, its skin and the node that shows it."""
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
