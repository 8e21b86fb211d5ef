"""Whether a character stands as its skin was bound: the nodes' own pose against the inverse bind matrices."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem
from posewright.formats.gltf.accessors import read_accessor
from posewright.formats.gltf.container import GltfFile
from posewright.formats.gltf.node_tree import NodeTree
from posewright.rotations import matrix_from_quaternion


def bind_pose_notes(file: GltfFile, tree: NodeTree) -> tuple[str, ...]:
    """A sentence for each skin that was bound in another pose than the nodes have."""
    notes = []
    worlds: Array | None = None
    for index, skin in enumerate(file.model.skins):
        if skin.inverseBindMatrices is None:
            continue
        try:
            flat = read_accessor(file, skin.inverseBindMatrices, "MAT4", f"inverse bind matrices of skin {index}")
        except FileProblem as problem:
            # They bend the mesh, not the skeleton: without them the character can still be posed.
            notes.append(f"the bind pose could not be read ({str(problem).partition(': ')[2]})")
            continue
        if len(flat) < len(skin.joints):
            raise file.problem(f"skin {index} has {len(skin.joints)} joints but {len(flat)} inverse bind matrices")
        worlds = _world_matrices(tree) if worlds is None else worlds
        joints = worlds[list(skin.joints)]
        # Where all joints stand as they were bound, each of these products is the same placement of the mesh.
        placed = joints @ np.swapaxes(flat[: len(skin.joints)].reshape(-1, 4, 4), -1, -2)
        apart = np.abs(placed - placed[0]).max(axis=(1, 2))
        if apart.max() > 1e-3 * max(1.0, float(np.abs(joints[:, :3, 3]).max())):
            node = skin.joints[int(apart.argmax())]
            name = file.model.nodes[node].name[:40] or f"node {node}"
            notes.append(f"the nodes' own pose, taken as rest, is not the one the skin was bound in (see {name!r})")
    return tuple(notes)


def _world_matrices(tree: NodeTree) -> Array:
    local = np.tile(np.eye(4), (len(tree.parents), 1, 1))
    local[:, :3, :3] = matrix_from_quaternion(tree.rotations) * tree.scales[:, None, :]
    local[:, :3, 3] = tree.translations
    for node in tree.order:
        if tree.parents[node] >= 0:
            local[node] = local[tree.parents[node]] @ local[node]
    return local
