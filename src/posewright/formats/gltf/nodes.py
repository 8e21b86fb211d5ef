"""The nodes of a document as arrays, how joints hang in them, and the nodes that are sites.

Posewright's joints have no scale, so the scales of a character (an armature in centimetres has 0.01) are multiplied
down the tree into the joints' offsets; they must therefore be equal in x, y and z wherever joints hang below.

Sites are leaf nodes below their joint, distinguished from end bones and props by a mark of ours in `extras`. Other
programs see them as empty nodes at the fingertips, soles and eyes; they bend no mesh and are never animated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figures import Figure, Site
from posewright.formats.assumptions import Y_UP_FROM_Z_UP
from posewright.formats.gltf.document import GltfFile
from posewright.formats.gltf.schema import Node
from posewright.rotations import matrix_from_quaternion, quaternion_from_matrix

LARGEST = float(np.finfo(np.float32).max)
BEYOND = f"the motion has places beyond {LARGEST:.2g} m, for which glTF has no numbers"
_SAME_SCALE = 1e-4
_MARK = "posewright_site"
_TIP, _POINT = "tip", "point"  # what the mark says: whether the segment's shape ends here


@dataclass(frozen=True, eq=False)
class NodeTree:
    """Local transforms of all nodes."""

    parents: tuple[int, ...]
    """-1 for a root."""
    order: tuple[int, ...]
    """All nodes, parents first: in the order of the file if possible, otherwise branch by branch."""
    translations: Array
    """(nodes, 3), in the file's unit"""
    rotations: Array
    """(nodes, 4), wxyz"""
    scales: Array
    """(nodes, 3)"""


@dataclass(frozen=True, eq=False)
class Hanging:
    """For each joint of a figure, the constant frame that its node's translation and rotation are measured in.

    The frame of a joint below another joint is that joint's, up to `scale`; that of a root joint is the world
    place of the nodes above it, which do not move.
    """

    parents: tuple[int, ...]
    """Index among the joints, -1 for a root."""
    scale: Array
    """(joints,), metres per unit of the node's translation"""
    rotation: Array
    """(joints, 3, 3), identity except for roots"""
    position: Array
    """(joints, 3), m, zero except for roots"""


def node_tree(file: GltfFile) -> NodeTree:
    """The nodes of a file.

    Raises:
        FileProblem: children that do not exist, a node with two parents or below itself, a matrix with shear.
    """
    nodes = file.model.nodes
    parents = [-1] * len(nodes)
    for index, node in enumerate(nodes):
        for child in node.children:
            if child >= len(nodes):
                raise file.problem(f"nodes[{index}] has the child {child}; there are {len(nodes)} nodes")
            if parents[child] >= 0:
                raise file.problem(f"nodes {parents[child]} and {index} both claim node {child} as their child")
            parents[child] = index
    waiting = [index for index, parent in enumerate(parents) if parent < 0][::-1]
    order: list[int] = []
    while waiting:
        order.append(waiting.pop())
        waiting.extend(reversed(nodes[order[-1]].children))
    if len(order) != len(nodes):
        inside = set(order)
        lost = next(index for index in range(len(nodes)) if index not in inside)
        raise file.problem(f"node {lost} is below itself: the nodes form a cycle")
    if all(parent < index for index, parent in enumerate(parents)):
        order.sort()
    local = np.array([np.concatenate(_local(file, k, node)) for k, node in enumerate(nodes)]).reshape(-1, 10)
    return NodeTree(tuple(parents), tuple(order), local[:, :3], local[:, 3:7], local[:, 7:])


def hang(file: GltfFile, tree: NodeTree, joints: Sequence[int], *, metres_per_unit: float, up: str) -> Hanging:
    """Where joints (node indices, parents first) hang, in Posewright's units and axes.

    Raises:
        FileProblem: a node above a joint has a scale that is zero or not the same in x, y and z.
    """
    index_of = {node: k for k, node in enumerate(joints)}
    parents = tuple(index_of.get(tree.parents[node], -1) for node in joints)
    _check_scales(file, tree, joints)
    # World placements of all nodes; the last row is the world itself, which parent -1 finds.
    count = len(tree.parents)
    scales, rotations, positions = np.empty(count + 1), np.empty((count + 1, 3, 3)), np.zeros((count + 1, 3))
    scales[-1], rotations[-1] = metres_per_unit, (Y_UP_FROM_Z_UP if up == "z" else np.eye(3))
    own_scales, own_rotations = tree.scales.mean(axis=1), matrix_from_quaternion(tree.rotations)
    for node in tree.order:
        above = tree.parents[node]
        positions[node] = positions[above] + scales[above] * (rotations[above] @ tree.translations[node])
        rotations[node] = rotations[above] @ own_rotations[node]
        scales[node] = scales[above] * own_scales[node]
    aboves = np.array([tree.parents[node] for node in joints])
    rooted = np.array(parents) < 0
    return Hanging(
        parents,
        scales[aboves],
        np.where(rooted[:, None, None], rotations[aboves], np.eye(3)),
        np.where(rooted[:, None], positions[aboves], 0.0),
    )


def world_matrices(tree: NodeTree) -> Array:
    """(nodes, 4, 4): from each node to the world, in the file's unit and axes"""
    local = np.tile(np.eye(4), (len(tree.parents), 1, 1))
    local[:, :3, :3] = matrix_from_quaternion(tree.rotations) * tree.scales[:, None, :]
    local[:, :3, 3] = tree.translations
    for node in tree.order:
        if tree.parents[node] >= 0:
            local[node] = local[tree.parents[node]] @ local[node]
    return local


def transform(translation: Array, rotation: Array) -> dict[str, list[float]]:
    """The fields of a node at a translation (3,) and rotation (4,) wxyz, without those of the identity."""
    fields: dict[str, list[float]] = {}
    if not np.abs(translation).max() <= LARGEST:
        raise InvalidMotion(BEYOND)
    if np.any(translation != 0.0):
        fields["translation"] = translation.tolist()
    if np.any(rotation[1:] != 0.0):
        fields["rotation"] = [*rotation[1:].tolist(), float(rotation[0])]
    return fields


def varies(scales: Array, scale: Array) -> bool:
    """Whether any of the scales (..., 3) differs from `scale` (3,) by more than the rounding of exporters."""
    return bool(np.any(np.abs(scales - scale) > _SAME_SCALE * np.maximum(np.abs(scale), 1e-12)))


def label(file: GltfFile, index: int) -> str:
    """Description of a node, for messages."""
    name = file.model.nodes[index].name
    return f"node {index} ({name[:40]!r})" if name else f"node {index}"


def _check_scales(file: GltfFile, tree: NodeTree, joints: Sequence[int]) -> None:
    seen: set[int] = set()
    for node in joints:
        above = tree.parents[node]
        while above >= 0 and above not in seen:
            seen.add(above)
            scale = tree.scales[above]
            if scale.mean() == 0.0 or varies(scale, np.full(3, scale.mean())):
                raise file.problem(
                    f"{label(file, above)} has the scale {scale.round(6).tolist()}, and there are joints below it; "
                    "a scale above joints must be one number, not zero, for x, y and z"
                )
            above = tree.parents[above]


def _local(file: GltfFile, index: int, node: Node) -> tuple[Array, Array, Array]:
    if node.matrix is not None:
        return _decomposed(file, index, np.array(node.matrix).reshape(4, 4).T)
    x, y, z, w = node.rotation
    quaternion = np.array([w, x, y, z])
    length = float(np.linalg.norm(quaternion))
    if not abs(length - 1.0) < 1e-2:
        raise file.problem(f"{label(file, index)} has the rotation {node.rotation}, which is not a unit quaternion")
    return np.array(node.translation), quaternion / length, np.array(node.scale)


def _decomposed(file: GltfFile, index: int, matrix: Array) -> tuple[Array, Array, Array]:
    linear = matrix[:3, :3]
    scale = np.linalg.norm(linear, axis=0)
    if scale.min() <= 0.0:
        raise file.problem(f"{label(file, index)} has a matrix that flattens space; it must have three axes")
    axes = linear / scale
    if np.abs(axes.T @ axes - np.eye(3)).max() > 1e-3:
        raise file.problem(
            f"{label(file, index)} has a matrix with shear; only translation, rotation and scale are supported"
        )
    if np.linalg.det(axes) < 0.0:
        scale, axes = -scale, -axes
    # Nearest rotation, so that rounding in the file does not add up along a chain.
    u, _, vt = np.linalg.svd(axes)
    return matrix[:3, 3], quaternion_from_matrix(u @ vt), scale


def site_nodes(file: GltfFile, skinned: set[int]) -> frozenset[int]:
    """Nodes that have the mark and are still as they were marked: leaves that show, bend and move nothing."""
    moved = {channel.target.node for animation in file.model.animations for channel in animation.channels}
    return frozenset(
        index
        for index, node in enumerate(file.model.nodes)
        if _mark(node.extras) and not node.children and node.mesh is None and index not in moved | skinned
    )


def read_sites(
    file: GltfFile,
    tree: NodeTree,
    marked: frozenset[int],
    joints: Sequence[int],
    hanging: Hanging,
    names: Sequence[str],
) -> tuple[Site, ...]:
    """Sites with these names on joints (node indices)."""
    index_of = {node: k for k, node in enumerate(joints)}
    joint_names = set(names)
    found: list[Site] = []
    taken: set[str] = set()
    for node in sorted(marked):
        k = index_of.get(tree.parents[node])
        if k is None:
            continue
        name = file.model.nodes[node].name.strip() or f"node_{node}"
        while name in taken or (name in joint_names and name != names[k]):  # only its own joint may be called the same
            name += "_"
        taken.add(name)
        scale = hanging.scale[k] * tree.scales[joints[k]].mean()
        axes = matrix_from_quaternion(tree.rotations[node])
        found.append(
            Site(
                name=name,
                joint=names[k],
                point=tuple((scale * tree.translations[node]).tolist()),
                x_axis=tuple(axes[:, 0].tolist()),
                y_axis=tuple(axes[:, 1].tolist()),
                tip=_mark(file.model.nodes[node].extras) == _TIP,
            )
        )
    return tuple(found)


def write_sites(document: dict[str, Any], figure: Figure, nodes: Sequence[int], scales: Array) -> None:
    """Give each site of a figure a node, or move the one that it has.

    Args:
        document: the glTF JSON, changed in place.
        figure: whose sites are written.
        nodes: (joints,) the node of each joint.
        scales: (joints,) metres per unit of what hangs on the joint.
    """
    known = document["nodes"]
    for site in figure.sites:
        k = figure.joint_index(site.joint)
        children = known[nodes[k]].setdefault("children", [])
        fresh = _fields(site, float(scales[k]))
        there = [known[child] for child in children if _is(known[child], site.name)]
        if there:
            for field in ("matrix", "scale", "translation", "rotation"):
                there[0].pop(field, None)
            there[0].update(fresh)
        else:
            children.append(len(known))
            known.append({"name": site.name, **fresh, "extras": {_MARK: _TIP if site.tip else _POINT}})


def _fields(site: Site, scale: float) -> dict[str, list[float]]:
    x, y = np.array(site.x_axis), np.array(site.y_axis)
    axes = np.stack([x, y, np.cross(x, y)], axis=-1)
    return transform(np.array(site.point) / scale, quaternion_from_matrix(axes))


def _is(node: Mapping[str, Any], name: str) -> bool:
    return node.get("name") == name and bool(_mark(node.get("extras"))) and not node.get("children")


def _mark(extras: object) -> str:
    mark = extras.get(_MARK) if isinstance(extras, dict) else None
    return mark if mark in (_TIP, _POINT) else ""
