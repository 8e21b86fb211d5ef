"""A glTF character as a figure and, where it is animated, a motion.

Joints are the nodes that a skin uses and all below them; without a skin, all nodes of the scene. Nodes above them
become joints only where the animation moves them, and are else folded into the place of the joints that hang there.
Nodes marked as sites are sites.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem
from posewright.figures import Ball, Figure, Joint, Skin, Source, free_slides
from posewright.figures.source import Outline
from posewright.formats.assumptions import size_note
from posewright.formats.budget import MOST_JOINTS, Budget
from posewright.formats.gltf.accessors import read_accessor
from posewright.formats.gltf.animation import KeyTrack, frame_times, title, tracks
from posewright.formats.gltf.character import Character
from posewright.formats.gltf.document import GltfFile, open_gltf
from posewright.formats.gltf.mesh import mesh_outline
from posewright.formats.gltf.nodes import (
    NodeTree,
    hang,
    label,
    node_tree,
    read_sites,
    site_nodes,
    varies,
    world_matrices,
)
from posewright.formats.gltf.schema import Animation
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


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused, in one sentence
def read(path: Path, options: ReadOptions) -> Figure | Motion:
    """A motion if the file has an animation that moves joints, else a figure; its meshes are kept in `figure.skin`.

    Raises:
        FileProblem: whatever is wrong with the file.
    """
    return _Character(open_gltf(path), options).read()


@dataclass(eq=False)
class _Moves:
    """The movement of joints in the frames of an animation, with entries only for what moves."""

    frames: int = 0
    fps: float = 30.0
    slides: dict[int, Array] = field(default_factory=dict)
    """By node: (frames, 3), m, displacement from rest in the axes of the joint's parent."""
    turns: dict[int, Array] = field(default_factory=dict)
    """By node: (frames, 4), wxyz, rotation from rest."""
    notes: tuple[str, ...] = ()


class _Character:
    """A file that is being read."""

    def __init__(self, file: GltfFile, options: ReadOptions) -> None:
        self.file, self.options = file, options
        self.tree = node_tree(file)
        self.skinned = {joint for skin in file.model.skins for joint in skin.joints}
        outside = [joint for joint in self.skinned if joint >= len(file.model.nodes)]
        if outside:
            raise file.problem(f"a skin uses node {outside[0]}; there are {len(file.model.nodes)}")
        self.marked = site_nodes(file, self.skinned)
        self.metres, self.up = options.metres_per_unit or 1.0, options.up or "y"

    def read(self) -> Figure | Motion:
        """The figure or motion of the file."""
        file = self.file
        animation, notes = self._chosen({*self._joint_nodes(set()), *_above(self.tree, self.skinned)})
        found = tracks(file, animation) if animation is not None else {}
        self.joints = self._joint_nodes({node for node, _ in found})
        self.hanging = hang(file, self.tree, self.joints, metres_per_unit=self.metres, up=self.up)
        self._check_scale_tracks(found)
        self.index_of = {node: k for k, node in enumerate(self.joints)}
        used = {key: track for key, track in found.items() if key[0] in self.index_of and key[1] != "scale"}
        moves = self._moves(used)
        joints = self._figure_joints(moves)
        names = [joint.name for joint in joints]
        figure = Figure(
            name=file.path.stem,
            joints=joints,
            sites=read_sites(file, self.tree, self.marked, self.joints, self.hanging, names),
            source=Source(
                format=file.path.suffix.lower().removeprefix("."),
                metres_per_unit=self.metres,
                up=self.up,
                notes=(*notes, *self._notes(), *_bind_pose_notes(file, self.tree)),
            ),
            skin=Skin(file.document, file.binary, tuple(self.joints), self._outline()),
        )
        if animation is None or not used:
            return figure
        name = title(file.model.animations.index(animation), animation)
        return Motion(figure, self._coordinates(figure, moves), fps=moves.fps, name=name, notes=moves.notes)

    def _chosen(self, movable: set[int]) -> tuple[Animation | None, tuple[str, ...]]:
        """The requested animation, or the first that moves joints or nodes above them."""
        animations, wanted = self.file.model.animations, self.options.animation
        names = [title(index, animation) for index, animation in enumerate(animations)]
        if wanted is not None:
            if wanted not in names:
                known = ", ".join(repr(name[:40]) for name in names[:12]) or "none"
                raise self.file.problem(f"has no animation {wanted!r}; it has {known}")
            return animations[names.index(wanted)], ()
        for index, animation in enumerate(animations):
            if any(channel.target.node in movable for channel in animation.channels):
                others = [repr(name[:40]) for name in (*names[:index], *names[index + 1 :])][:12]
                note = f"animation {names[index][:40]!r} was read; the file also has {', '.join(others)}"
                return animation, (note,) if others else ()
        return None, ()

    def _joint_nodes(self, animated: set[int]) -> list[int]:
        """Nodes that become joints, parents first."""
        model, tree = self.file.model, self.tree
        if self.skinned:
            inside = self.skinned | (_above(tree, self.skinned) & animated)
        else:
            scene = model.scenes[model.scene or 0].nodes if (model.scene or 0) < len(model.scenes) else ()
            inside = set(scene) or {node for node, parent in enumerate(tree.parents) if parent < 0}
        joints = []
        for node in tree.order:
            shows_skin = (
                model.nodes[node].mesh is not None and model.nodes[node].skin is not None
            )  # its place is ignored
            below = tree.parents[node] in inside and not shows_skin
            if node not in self.marked and (node in inside or below):
                inside.add(node)
                joints.append(node)
        if not joints:
            raise self.file.problem("has no nodes that could be joints")
        self.file.budget.require_items(len(joints), "joints", MOST_JOINTS)
        return joints

    def _check_scale_tracks(self, found: dict[tuple[int, str], KeyTrack]) -> None:
        carrying = {self.tree.parents[node] for node in self.joints}
        for (node, path), track in found.items():
            if path == "scale" and node in carrying and varies(track.values, self.tree.scales[node]):
                raise self.file.problem(
                    f"the animation changes the scale of {label(self.file, node)}, which carries joints; "
                    "only constant scales are supported"
                )

    def _moves(self, used: dict[tuple[int, str], KeyTrack]) -> _Moves:
        if not used:
            return _Moves()
        times, fps, notes = frame_times(self.file, used.values(), self.options.fps, len(self.joints))
        moves = _Moves(len(times), fps, notes=notes)
        for (node, path), track in used.items():
            k, values = self.index_of[node], track.at(times)
            if path == "rotation":
                moves.turns[node] = quaternion_multiply(quaternion_conjugate(self.tree.rotations[node]), values)
            else:
                step = (values - self.tree.translations[node]) * self.hanging.scale[k]
                slide = step @ self.hanging.rotation[k].T
                if not np.abs(slide).max() <= _MOVES:  # so that what is not a number is not lost, but refused
                    moves.slides[node] = slide
        return moves

    def _figure_joints(self, moves: _Moves) -> tuple[Joint, ...]:
        hanging, nodes = self.hanging, self.joints
        names = _unique_names(self.file, nodes)
        steps = np.einsum("jab,jb->ja", hanging.rotation, self.tree.translations[nodes])
        offsets = (hanging.position + hanging.scale[:, None] * steps).tolist()
        rests = quaternion_from_matrix(hanging.rotation @ matrix_from_quaternion(self.tree.rotations[nodes])).tolist()
        made = []
        for k, node in enumerate(nodes):
            parent = hanging.parents[k]
            top = parent < 0 or (node in self.skinned and nodes[parent] not in self.skinned)
            made.append(
                Joint(
                    name=names[k],
                    parent=None if parent < 0 else names[parent],
                    offset=tuple(offsets[k]),
                    rest=tuple(rests[k]),
                    slides=free_slides() if top or node in moves.slides else (),
                    rotation=Ball() if not self.skinned or node in self.skinned or node in moves.turns else (),
                )
            )
        return tuple(made)

    def _outline(self) -> Outline | None:
        """The outline of its meshes; their memory does not count as the skeleton's."""
        budget = Budget(self.file.path, self.file.budget.size)
        file = replace(self.file, budget=budget)
        return mesh_outline(Character(file, self.tree, tuple(self.joints), self.hanging, self.metres, self.up))

    def _coordinates(self, figure: Figure, moves: _Moves) -> Array:
        q = np.zeros((moves.frames, figure.n_dofs))
        for k, node in enumerate(self.joints):
            dofs = figure.dof_slice(k)
            if node in moves.slides:
                q[:, dofs.start : dofs.start + 3] = moves.slides[node]
            if node in moves.turns:
                vectors = vector_from_quaternion(moves.turns[node])
                q[:, dofs.stop - 3 : dofs.stop] = nearest_branch(vectors, vectors[:1])
        return q

    def _notes(self) -> tuple[str, ...]:
        notes, model = [], self.file.model
        if self.options.metres_per_unit is not None:
            notes.append(f"unit: {self.metres:g} m, as given")
        else:
            places = world_matrices(self.tree)[self.joints, :3, 3]
            notes += size_note(places, "glTF", " (set metres_per_unit or --unit, such as --unit cm)")
        if self.up == "z":
            notes.append("up axis: Z, as given; glTF itself is y up")
        if not model.skins:
            notes.append("the file has no skin; every node of its scene became a joint")
        if model.extensionsRequired:
            kept = ", ".join(name[:40] for name in model.extensionsRequired[:8])
            notes.append(f"the file needs extensions that are kept but not interpreted: {kept}")
        return tuple(notes)


def _above(tree: NodeTree, nodes: set[int]) -> set[int]:
    """All nodes above the given ones, and -1."""
    found: set[int] = set()
    for node in reversed(tree.order):
        if node in nodes or node in found:
            found.add(tree.parents[node])
    return found


def _unique_names(file: GltfFile, joints: list[int]) -> list[str]:
    """Unique names for joints, which glTF does not require."""
    names: dict[str, int] = {}
    for node in joints:
        wanted = file.model.nodes[node].name.strip() or f"node_{node}"
        name = wanted if wanted not in names else f"{wanted}_{node}"
        while name in names:
            name += "_"
        names[name] = node
    return list(names)


def _bind_pose_notes(file: GltfFile, tree: NodeTree) -> tuple[str, ...]:
    """A sentence for each skin whose bind pose differs from the pose of the nodes."""
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
        worlds = world_matrices(tree) if worlds is None else worlds
        joints = worlds[list(skin.joints)]
        # If all joints are as they were bound, each of these products is the same placement of the mesh.
        placed = joints @ np.swapaxes(flat[: len(skin.joints)].reshape(-1, 4, 4), -1, -2)
        apart = np.abs(placed - placed[0]).max(axis=(1, 2))
        if apart.max() > 1e-3 * max(1.0, float(np.abs(joints[:, :3, 3]).max())):
            node = skin.joints[int(apart.argmax())]
            name = file.model.nodes[node].name[:40] or f"node {node}"
            notes.append(f"the nodes' own pose, taken as rest, is not the one the skin was bound in (see {name!r})")
    return tuple(notes)
