"""A user's own character, written back with a new animation or pose; its meshes and materials stay as they were."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem
from posewright.figures import Figure, Skin
from posewright.figures.kinematics import joint_frames
from posewright.formats.gltf.accessors import Appender
from posewright.formats.gltf.animation import title, write_channels
from posewright.formats.gltf.container import GltfFile, checked, wrap
from posewright.formats.gltf.node_tree import Hanging, NodeTree, hang, node_tree
from posewright.formats.gltf.sites import write_sites
from posewright.motions import Motion
from posewright.rotations import quaternion_from_matrix


def write_character(motion: Motion, skin: Skin, path: Path) -> None:
    """Write the skin's document with the motion; a single frame becomes the pose of the nodes.

    The motion takes the place of the animation of its name, if there is one; animations of other names stay.

    Raises:
        FileProblem: the figure's joints are no longer those of the character.
    """
    document = copy.deepcopy(dict(skin.document))
    file = GltfFile(path, document, skin.binary, checked(path, document))
    tree = node_tree(file)
    hanging = _hanging(file, tree, motion.figure, skin)
    translations, rotations = _node_transforms(motion, hanging)
    write_sites(document, motion.figure, skin.nodes, hanging.scale * tree.scales[list(skin.nodes)].mean(axis=1))
    if len(motion) <= 1:
        document["animations"] = []
        if len(motion) == 1:
            _pose(document, tree, skin, translations[0], rotations[0])
        _finish(document, _without_tail(document, skin.binary, file), path)
        return
    titles = [title(index, animation) for index, animation in enumerate(file.model.animations)]
    animations = list(zip(titles, document.get("animations", []), strict=True))
    kept = [animation for called, animation in animations if called != motion.name]
    still = _other_channels([animation for called, animation in animations if called == motion.name], set(skin.nodes))
    document["animations"] = [*kept, *still]
    appender = Appender(document, _without_tail(document, skin.binary, file))
    rest = (tree.translations[list(skin.nodes)], tree.rotations[list(skin.nodes)])
    fresh = write_channels(appender, skin.nodes, translations, rotations, rest, motion.fps)
    for animation in still:
        fresh["channels"] += [{**c, "sampler": c["sampler"] + len(fresh["samplers"])} for c in animation["channels"]]
        fresh["samplers"] += animation["samplers"]
    document["animations"] = [{"name": motion.name or path.stem, **fresh}, *kept]
    _finish(document, appender.binary, path)


def _finish(document: dict[str, Any], binary: bytes, path: Path) -> None:
    for key in ("animations", "accessors", "bufferViews"):  # glTF allows no empty lists
        if not document.get(key, True):
            del document[key]
    wrap(document, binary, path)


def _hanging(file: GltfFile, tree: NodeTree, figure: Figure, skin: Skin) -> Hanging:
    known = len(tree.parents)
    fits = len(skin.nodes) == len(figure.joints) and all(0 <= node < known for node in skin.nodes)
    source = figure.source
    if fits:
        metres, up = (source.metres_per_unit, source.up) if source is not None else (1.0, "y")
        hanging = hang(file, tree, skin.nodes, metres_per_unit=metres, up=up)
        if hanging.parents == figure.parents:
            return hanging
    raise FileProblem(
        file.path,
        f"figure {figure.name!r} no longer has the joints of its character's {len(skin.nodes)} nodes; "
        "give it `skin=None` to write it with a generated body",
    )


def _node_transforms(motion: Motion, hanging: Hanging) -> tuple[Array, Array]:
    """Translations (frames, joints, 3) in the nodes' unit and rotations (frames, joints, 4) wxyz."""
    positions, rotations = local_frames(motion.figure, motion.q)
    back = np.swapaxes(hanging.rotation, -1, -2)
    translations = np.einsum("jab,fjb->fja", back, positions - hanging.position) / hanging.scale[:, None]
    return translations, quaternion_from_matrix(back @ rotations)


def local_frames(figure: Figure, q: Array) -> tuple[Array, Array]:
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
    """What joints do not decide in animations that give way: scales, faces (morph weights), other nodes."""
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
    """Drop numbers of animations that gave way where they end the buffer, so that saving again does not let it grow."""
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
