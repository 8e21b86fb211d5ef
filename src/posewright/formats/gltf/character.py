"""The character that a figure came from: its document read again, and how the figure's joints are placed in it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path

from posewright.figures import Figure, Skin
from posewright.formats.budget import Budget
from posewright.formats.gltf.document import GltfFile, checked
from posewright.formats.gltf.nodes import Hanging, NodeTree, hang, node_tree


@dataclass(frozen=True, eq=False)
class Character:
    """A document whose nodes are the joints of a figure."""

    file: GltfFile
    """The same with a copy of the document, which may be changed."""
    tree: NodeTree
    nodes: tuple[int, ...]
    """(joints,): the node of each joint"""
    hanging: Hanging
    metres_per_unit: float
    up: str


def character_of(figure: Figure, skin: Skin, path: Path) -> Character:
    """The character of a figure; `path` is for messages.

    Raises:
        FileProblem: the figure's joints are no longer those of the character.
    """
    document = copy.deepcopy(dict(skin.document))
    file = GltfFile(path, document, skin.binary, checked(path, document), Budget(path, len(skin.binary)))
    tree = node_tree(file)
    known = len(tree.parents)
    if len(skin.nodes) == len(figure.joints) and all(0 <= node < known for node in skin.nodes):
        source = figure.source
        metres, up = (source.metres_per_unit, source.up) if source is not None else (1.0, "y")
        hanging = hang(file, tree, skin.nodes, metres_per_unit=metres, up=up)
        if hanging.parents == figure.parents:
            return Character(file, tree, skin.nodes, hanging, metres, up)
    raise file.problem(
        f"figure {figure.name!r} no longer has the joints of its character's {len(skin.nodes)} nodes; "
        "give it `skin=None` to write it with a generated body"
    )
