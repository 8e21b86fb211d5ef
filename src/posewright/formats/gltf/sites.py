"""Sites in glTF: leaf nodes below their joint, told from end bones and props by a mark of ours in `extras`.

Other programs see them as empty nodes at the fingertips, soles and eyes; they bend no mesh and are never animated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Site
from posewright.formats.gltf.container import GltfFile
from posewright.formats.gltf.node_tree import Hanging, NodeTree, transform
from posewright.rotations import matrix_from_quaternion, quaternion_from_matrix

_MARK = "posewright_site"
_TIP, _POINT = "tip", "point"  # what the mark says: whether the segment's shape ends here


def site_nodes(file: GltfFile, skinned: set[int]) -> frozenset[int]:
    """Nodes that carry the mark and are still what was marked: leaves that show, bend and move nothing."""
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
    """The sites on joints (node indices) of these names."""
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
