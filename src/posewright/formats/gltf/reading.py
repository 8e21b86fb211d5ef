"""A glTF character as a figure and, where it is animated, a motion.

Joints are the nodes that a skin uses and all below them; without a skin, all nodes of the scene. Nodes above them
become joints only where the animation moves them, and are else folded into the place of the joints that hang there.
Nodes marked as sites are sites.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidFigure, InvalidMotion
from posewright.figures import Ball, Figure, Joint, Skin, Source, free_slides
from posewright.formats.gltf.animation import KeyTrack, title, tracks
from posewright.formats.gltf.bind_pose import bind_pose_notes
from posewright.formats.gltf.buffers import open_gltf
from posewright.formats.gltf.container import GltfFile
from posewright.formats.gltf.frame_times import frame_times
from posewright.formats.gltf.node_tree import Hanging, NodeTree, hang, label, node_tree, varies
from posewright.formats.gltf.schema import Animation
from posewright.formats.gltf.sites import read_sites, site_nodes
from posewright.formats.options import ReadOptions
from posewright.motions import Motion
from posewright.rotations import (
    matrix_from_quaternion,
    nearest_branch,
    quaternion_conjugate,
    quaternion_from_matrix,
    quaternion_multiply,
    vector_from_quaternion,
)

_MOVES = 1e-6  # m; a translation that stays this near its rest needs no slide


@dataclass(frozen=True, eq=False)
class _Moves:
    """What an animation does to joints at its frames; entries only for what it moves."""

    name: str
    fps: float
    frames: int
    slides: Mapping[int, Array]
    """Node: (frames, 3), m, from its rest, in the axes of the joint's parent."""
    turns: Mapping[int, Array]
    """Node: (frames, 4), wxyz, from its rest."""
    notes: tuple[str, ...]


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused below, in one sentence
def read_character(path: Path, options: ReadOptions) -> Figure | Motion:
    """A motion where the file has an animation that moves joints, else a figure."""
    file = open_gltf(path)
    tree = node_tree(file)
    skinned = _skinned(file)
    marked = site_nodes(file, skinned)
    still = set(_joint_nodes(file, tree, skinned, set(), marked))
    animation, notes = _chosen(file, options, still | _above(tree, skinned))
    found = tracks(file, animation) if animation is not None else {}
    joints = _joint_nodes(file, tree, skinned, {node for node, _ in found}, marked)
    metres, up = options.metres_per_unit or 1.0, options.up or "y"
    hanging = hang(file, tree, joints, metres_per_unit=metres, up=up)
    _check_scale_tracks(file, tree, joints, found)
    moves = None if animation is None else _moves(file, tree, joints, hanging, found, animation, options)
    source = Source(
        format=path.suffix.lower().removeprefix("."),
        metres_per_unit=metres,
        up=up,
        notes=(*notes, *_source_notes(file, options), *bind_pose_notes(file, tree)),
    )
    try:
        made = _joints(file, tree, joints, hanging, skinned, moves)
        figure = Figure(
            name=path.stem,
            joints=made,
            sites=read_sites(file, tree, marked, joints, hanging, [joint.name for joint in made]),
            source=source,
            skin=Skin(file.document, file.binary, tuple(joints)),
        )
        if moves is None:
            return figure
        return _motion(figure, joints, moves)
    except (InvalidFigure, InvalidMotion) as error:  # numbers too large to be multiplied
        raise file.problem(str(error)) from error


def _chosen(file: GltfFile, options: ReadOptions, movable: set[int]) -> tuple[Animation | None, tuple[str, ...]]:
    """The animation asked for, else the first that moves joints or what they hang on."""
    animations = file.model.animations
    names = [title(index, animation) for index, animation in enumerate(animations)]
    if options.animation is not None:
        if options.animation not in names:
            known = ", ".join(repr(name[:40]) for name in names[:12]) or "none"
            raise file.problem(f"has no animation {options.animation!r}; it has {known}")
        return animations[names.index(options.animation)], ()
    for index, animation in enumerate(animations):
        if any(channel.target.node in movable for channel in animation.channels):
            others = [repr(name[:40]) for name in (*names[:index], *names[index + 1 :])][:12]
            note = f"animation {names[index][:40]!r} was read; the file also has {', '.join(others)}"
            return animation, (note,) if others else ()
    return None, ()


def _skinned(file: GltfFile) -> set[int]:
    joints = {joint for skin in file.model.skins for joint in skin.joints}
    outside = [joint for joint in joints if joint >= len(file.model.nodes)]
    if outside:
        raise file.problem(f"a skin uses node {outside[0]}; there are {len(file.model.nodes)}")
    return joints


def _joint_nodes(
    file: GltfFile, tree: NodeTree, skinned: set[int], animated: set[int], sites: frozenset[int]
) -> list[int]:
    """Nodes that become joints, parents first."""
    nodes, scenes = file.model.nodes, file.model.scenes
    if skinned:
        inside = skinned | (_above(tree, skinned) & animated)
    else:
        scene = scenes[file.model.scene or 0].nodes if (file.model.scene or 0) < len(scenes) else []
        inside = set(scene) or {node for node, parent in enumerate(tree.parents) if parent < 0}
    joints = []
    for node in tree.order:
        shows_skin = nodes[node].mesh is not None and nodes[node].skin is not None  # its own place is ignored
        below = tree.parents[node] in inside and not shows_skin
        if node not in sites and (node in inside or below):
            inside.add(node)
            joints.append(node)
    if not joints:
        raise file.problem("has no nodes that could be joints")
    return joints


def _above(tree: NodeTree, nodes: set[int]) -> set[int]:
    """All nodes above some, and -1."""
    found: set[int] = set()
    for node in reversed(tree.order):
        if node in nodes or node in found:
            found.add(tree.parents[node])
    return found


def _check_scale_tracks(
    file: GltfFile, tree: NodeTree, joints: list[int], found: Mapping[tuple[int, str], KeyTrack]
) -> None:
    carrying = {tree.parents[node] for node in joints}
    for (node, path), track in found.items():
        if path == "scale" and node in carrying and varies(track.values, tree.scales[node]):
            raise file.problem(
                f"the animation changes the scale of {label(file, node)}, which carries joints; "
                "only scales that stay as the node has them are read"
            )


def _moves(
    file: GltfFile,
    tree: NodeTree,
    joints: list[int],
    hanging: Hanging,
    found: Mapping[tuple[int, str], KeyTrack],
    animation: Animation,
    options: ReadOptions,
) -> _Moves | None:
    index_of = {node: k for k, node in enumerate(joints)}
    used = {key: track for key, track in found.items() if key[0] in index_of and key[1] != "scale"}
    if not used:
        return None
    times, fps, notes = frame_times(file, used.values(), options.fps, len(joints))
    slides: dict[int, Array] = {}
    turns: dict[int, Array] = {}
    for (node, path), track in used.items():
        k, values = index_of[node], track.at(times)
        if path == "rotation":
            turns[node] = quaternion_multiply(quaternion_conjugate(tree.rotations[node]), values)
        else:
            moved = (values - tree.translations[node]) * hanging.scale[k] @ hanging.rotation[k].T
            if not np.abs(moved).max() <= _MOVES:  # so that what is not a number is not lost, but refused
                slides[node] = moved
    name = title(file.model.animations.index(animation), animation)
    return _Moves(name, fps, len(times), slides, turns, notes)


def _joints(
    file: GltfFile, tree: NodeTree, joints: list[int], hanging: Hanging, skinned: set[int], moves: _Moves | None
) -> tuple[Joint, ...]:
    names = _unique_names(file, joints)
    offsets = hanging.position + hanging.scale[:, None] * np.einsum(
        "jab,jb->ja", hanging.rotation, tree.translations[joints]
    )
    rests = quaternion_from_matrix(hanging.rotation @ matrix_from_quaternion(tree.rotations[joints]))
    made = []
    for k, node in enumerate(joints):
        parent = hanging.parents[k]
        top = parent < 0 or (node in skinned and joints[parent] not in skinned)
        slides = top or (moves is not None and node in moves.slides)
        turns = not skinned or node in skinned or (moves is not None and node in moves.turns)
        w, x, y, z = rests[k].tolist()
        made.append(
            Joint(
                name=names[k],
                parent=None if parent < 0 else names[parent],
                offset=tuple(offsets[k].tolist()),
                rest=(w, x, y, z),
                slides=free_slides() if slides else (),
                rotation=Ball() if turns else (),
            )
        )
    return tuple(made)


def _motion(figure: Figure, joints: list[int], moves: _Moves) -> Motion:
    q = np.zeros((moves.frames, figure.n_dofs))
    for k, node in enumerate(joints):
        dofs = figure.dof_slice(k)
        if node in moves.slides:
            q[:, dofs.start : dofs.start + 3] = moves.slides[node]
        if node in moves.turns:
            vectors = vector_from_quaternion(moves.turns[node])
            q[:, dofs.stop - 3 : dofs.stop] = nearest_branch(vectors, vectors[:1])
    return Motion(figure, q, fps=moves.fps, name=moves.name, notes=moves.notes)


def _unique_names(file: GltfFile, joints: list[int]) -> list[str]:
    """Every joint needs a name of its own; glTF does not ask for that."""
    taken: set[str] = set()
    names = []
    for node in joints:
        wanted = file.model.nodes[node].name.strip() or f"node_{node}"
        name = wanted if wanted not in taken else f"{wanted}_{node}"
        while name in taken:
            name += "_"
        taken.add(name)
        names.append(name)
    return names


def _source_notes(file: GltfFile, options: ReadOptions) -> tuple[str, ...]:
    notes = []
    if options.metres_per_unit is not None:
        notes.append(f"one unit of the file was taken as {options.metres_per_unit:g} m, as asked")
    if options.up == "z":
        notes.append("the file was taken as z up, as asked; glTF itself is y up")
    if not file.model.skins:
        notes.append("the file has no skin; every node of its scene was taken as a joint")
    if file.model.extensionsRequired:
        kept = ", ".join(name[:40] for name in file.model.extensionsRequired[:8])
        notes.append(f"the file needs extensions that are kept but not looked into: {kept}")
    return tuple(notes)
