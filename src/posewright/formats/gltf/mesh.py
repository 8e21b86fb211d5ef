"""How a character looks: its triangles bound to the joints of its figure, its materials and their pictures.

A point of the mesh is, in the world, the mean of `joint frame · bind · point` over its joints, by its weights. Joints
of figures have no scale; the scales of the file's nodes are in `bind`. What hangs on a node without a skin is bound to
the joint that carries it.

Everything is checked here, so that viewers need no other reader: a part that makes no sense is left out,
with a note that says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from posewright.conventions import Array
from posewright.errors import FileProblem
from posewright.figures import Figure
from posewright.figures.source import Outline
from posewright.formats.assumptions import Y_UP_FROM_Z_UP
from posewright.formats.field_errors import field_problem
from posewright.formats.gltf.accessors import read_accessor
from posewright.formats.gltf.character import Character, character_of
from posewright.formats.gltf.materials import Surface, surfaces
from posewright.formats.gltf.mesh_schema import Looks, Mesh, Primitive
from posewright.formats.gltf.nodes import world_matrices
from posewright.formats.gltf.pictures import PictureFile
from posewright.formats.gltf.triangles import triangles_of

MOST_TRIANGLES = 5_000_000
"""Maximum number of triangles, more than any character has."""
INFLUENCES = 4
"""Maximum number of joints that move a vertex; of more, those with the largest weights."""
GENERATOR = "Posewright"
"""Generator in the asset of files whose mesh was drawn around the bones."""
_AROUND = np.array([way for way in product((-1.0, 0.0, 1.0), repeat=3) if any(way)])
"""(26, 3): directions in which outermost points are searched."""


@dataclass(frozen=True, eq=False)
class MeshPart:
    """Triangles of one surface."""

    points: npt.NDArray[np.float32]
    """(points, 3), in the file's unit, in the bind pose"""
    normals: npt.NDArray[np.float32] | None
    """(points, 3)"""
    uv: npt.NDArray[np.float32] | None
    """(points, 2): texture coordinates; (0, 0) is the upper left corner of a picture"""
    colours: npt.NDArray[np.float32] | None
    """(points, 4): linear red, green, blue, opacity"""
    joints: npt.NDArray[np.uint16]
    """(points, 4): joints of the figure; the index after the last is the world"""
    weights: npt.NDArray[np.float32]
    """(points, 4): weights, which sum to 1"""
    triangles: npt.NDArray[np.uint32]
    """(triangles, 3)"""
    surface: int
    """Index in `surfaces`"""
    bind: int
    """Index in `binds`"""


@dataclass(frozen=True, eq=False)
class CharacterMesh:
    """Everything visible of a character."""

    parts: tuple[MeshPart, ...]
    binds: Array
    """(binds, joints + 1, 3, 4): from the points of a part to the frame of a joint (m)"""
    surfaces: tuple[Surface, ...]
    pictures: tuple[PictureFile, ...]
    notes: tuple[str, ...]
    """Reasons why parts are not shown, one sentence each."""


def has_mesh(figure: Figure) -> bool:
    """Whether a figure came with a visible mesh."""
    return figure.skin is not None and bool(figure.skin.document.get("meshes"))


def character_mesh(figure: Figure) -> CharacterMesh:
    """The mesh of a figure's character.

    Raises:
        FileProblem: it has none, or nothing of it can be shown; the sentence says why.
    """
    path = Path(f"{figure.name}.{figure.source.format}" if figure.source is not None else figure.name)
    if figure.skin is None:
        raise FileProblem(path, "came without a mesh")
    return _Reader(character_of(figure, figure.skin, path)).read()


def mesh_outline(character: Character) -> Outline | None:
    """The outermost points of a character's skinned meshes; None if they cannot be read."""
    if character.file.document["asset"].get("generator") == GENERATOR:
        return None
    try:
        return _Reader(character).outline()
    except FileProblem:  # the viewer reports why
        return None


@dataclass(eq=False)
class _Reader:
    """A character whose mesh is being read."""

    character: Character
    parts: list[MeshPart] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    binds: dict[int, int] = field(default_factory=dict)
    """Index among the binds by skin; -1: without a skin."""
    matrices: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        file = self.character.file
        try:
            self.looks = Looks.model_validate(file.document)
        except ValidationError as error:
            raise field_problem(file.path, error, Looks) from None
        self.joint_of = {node: k for k, node in enumerate(self.character.nodes)}
        self.worlds = world_matrices(self.character.tree)

    def read(self) -> CharacterMesh:
        """The whole mesh."""
        file = self.character.file
        shown, pictures, notes = surfaces(file, self.looks)
        for node in self._nodes_in_scene():
            mesh = file.model.nodes[node].mesh
            if mesh is None:
                continue
            if mesh >= len(self.looks.meshes):
                self.notes.append(f"node {node} shows mesh {mesh}; there are {len(self.looks.meshes)}")
                continue
            for number, primitive in enumerate(self.looks.meshes[mesh].primitives):
                try:
                    self._add(node, self.looks.meshes[mesh], primitive)
                except FileProblem as problem:
                    self._note(mesh, number, problem)
        if not self.parts:
            raise file.problem(self.notes[0] if self.notes else "has no triangles to show")
        binds = np.stack(self.matrices)[:, :, :3]
        return CharacterMesh(tuple(self.parts), binds, shown, pictures, (*notes, *self.notes[:8]))

    def outline(self) -> Outline | None:
        """For each joint, the outermost points that it moves most."""
        joints, points = [], []
        for node in self._nodes_in_scene():
            mesh, skin = self.character.file.model.nodes[node].mesh, self.character.file.model.nodes[node].skin
            if mesh is None or skin is None or mesh >= len(self.looks.meshes):
                continue
            for primitive in self.looks.meshes[mesh].primitives:
                if "POSITION" not in primitive.attributes or primitive.extensions:
                    continue
                bound = self._read(primitive, "POSITION", "VEC3")
                owners, weights = self._influences(primitive, skin, len(bound))
                owner = owners[np.arange(len(bound)), weights.argmax(axis=1)]
                bind = self.matrices[self._bind(skin)]
                for joint in np.unique(owner):
                    own = bound[owner == joint] @ bind[joint, :3, :3].T + bind[joint, :3, 3]
                    outer = np.unique((own @ _AROUND.T).argmax(axis=0))
                    points.append(own[outer])
                    joints.append(np.full(len(outer), joint, np.int64))
        return Outline(np.concatenate(joints), np.concatenate(points)) if joints else None

    def _nodes_in_scene(self) -> list[int]:
        """Nodes of the active scene; all nodes if there is none."""
        model, tree = self.character.file.model, self.character.tree
        scene = model.scene or 0
        if scene >= len(model.scenes) or not model.scenes[scene].nodes:
            return list(tree.order)
        inside = set(model.scenes[scene].nodes)
        for node in tree.order:
            if tree.parents[node] in inside:
                inside.add(node)
        return [node for node in tree.order if node in inside]

    def _note(self, mesh: int, number: int, problem: FileProblem) -> None:
        name = self.looks.meshes[mesh].name[:40]
        called = f"part {number} of mesh {name!r}" if name else f"part {number} of mesh {mesh}"
        self.notes.append(f"{called} is not shown: {str(problem).partition(': ')[2] or problem}")

    def _add(self, node: int, mesh: Mesh, primitive: Primitive) -> None:
        file, skin = self.character.file, self.character.file.model.nodes[node].skin
        packed = next((name for name in primitive.extensions if "compression" in name), None)
        if packed is not None:
            raise file.problem(f"it is packed with {packed[:60]}, which Posewright does not unpack")
        if "POSITION" not in primitive.attributes:
            return
        points = self._read(primitive, "POSITION", "VEC3")
        triangles = triangles_of(file, primitive, len(points))
        if not len(triangles):
            return
        if sum(len(part.triangles) for part in self.parts) + len(triangles) > MOST_TRIANGLES:
            raise file.problem(f"there would be more than {MOST_TRIANGLES:,} triangles")
        surface = len(self.looks.materials) if primitive.material is None else primitive.material
        if surface > len(self.looks.materials):
            raise file.problem(f"it has material {surface}; there are {len(self.looks.materials)}")
        normals = self._read_same(primitive, "NORMAL", "VEC3", points)
        points, normals = self._morphed(node, mesh, primitive, points, normals)
        if skin is not None:
            joints, weights = self._influences(primitive, skin, len(points))
        else:
            points, normals, joint, flipped = self._placed(node, points, normals)
            joints = np.tile(np.array([joint, 0, 0, 0], np.uint16), (len(points), 1))
            weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1))
            triangles = triangles[:, ::-1] if flipped else triangles
        self.parts.append(
            MeshPart(
                points=_float32(points),
                normals=None if normals is None else _float32(_unit(normals)),
                uv=self._uv(primitive, surface, points),
                colours=self._colours(primitive, points),
                joints=joints,
                weights=_float32(weights),
                triangles=np.ascontiguousarray(triangles),
                surface=surface,
                bind=self._bind(-1 if skin is None else skin),
            )
        )

    def _read(self, primitive: Primitive, name: str, kind: str) -> Array:
        return read_accessor(self.character.file, primitive.attributes[name], kind, name)

    def _read_same(self, primitive: Primitive, name: str, kind: str, points: Array) -> Array | None:
        """Values per point; None if there are none."""
        if name not in primitive.attributes:
            return None
        found = self._read(primitive, name, kind)
        if len(found) != len(points):
            raise self.character.file.problem(f"it has {len(points)} points, but {len(found)} of {name}")
        return found

    def _uv(self, primitive: Primitive, surface: int, points: Array) -> npt.NDArray[np.float32] | None:
        """Texture coordinates of the set used by the colour's picture."""
        material = self.looks.materials[surface] if surface < len(self.looks.materials) else None
        used = None if material is None else material.pbrMetallicRoughness.baseColorTexture
        wanted = 0 if used is None else used.texCoord
        found = self._read_same(primitive, f"TEXCOORD_{wanted}", "VEC2", points)
        return None if found is None else _float32(found)

    def _colours(self, primitive: Primitive, points: Array) -> npt.NDArray[np.float32] | None:
        if "COLOR_0" not in primitive.attributes:
            return None
        accessors, index = self.character.file.model.accessors, primitive.attributes["COLOR_0"]
        kind = accessors[index].type if index < len(accessors) and accessors[index].type == "VEC3" else "VEC4"
        found = self._read_same(primitive, "COLOR_0", kind, points)
        assert found is not None
        opaque = found if found.shape[1] == 4 else np.column_stack([found, np.ones(len(found))])
        return _float32(np.clip(opaque, 0.0, 1.0))

    def _morphed(
        self, node: int, mesh: Mesh, primitive: Primitive, points: Array, normals: Array | None
    ) -> tuple[Array, Array | None]:
        """Positions with the morph targets that the file activates."""
        for weight, target in zip(self.looks.nodes[node].weights or mesh.weights, primitive.targets, strict=False):
            moved = Primitive(attributes=target)
            if weight != 0.0 and (by := self._read_same(moved, "POSITION", "VEC3", points)) is not None:
                points = points + weight * by
            if weight != 0.0 and normals is not None:
                turned = self._read_same(moved, "NORMAL", "VEC3", points)
                normals = normals if turned is None else normals + weight * turned
        return points, normals

    def _influences(self, primitive: Primitive, skin: int, count: int) -> tuple[npt.NDArray[np.uint16], Array]:
        """Joints of the figure, and weights (points, 4)."""
        file = self.character.file
        if skin >= len(file.model.skins):
            raise file.problem(f"it has skin {skin}; there are {len(file.model.skins)}")
        nodes = file.model.skins[skin].joints
        owners, weights = [], []
        for k in range(len(primitive.attributes)):
            if f"JOINTS_{k}" not in primitive.attributes or f"WEIGHTS_{k}" not in primitive.attributes:
                break
            owners.append(self._read(primitive, f"JOINTS_{k}", "VEC4"))
            weights.append(self._read(primitive, f"WEIGHTS_{k}", "VEC4"))
        if not owners:
            raise file.problem("it has a skin, but no joints and weights")
        if any(len(one) != count for one in (*owners, *weights)):
            raise file.problem(f"it has {count} points, but joints and weights of another number")
        joints, shares = np.concatenate(owners, axis=1), np.maximum(np.concatenate(weights, axis=1), 0.0)
        if joints.max() >= len(nodes):
            raise file.problem(f"it is bent by joint {int(joints.max())} of its skin, which has {len(nodes)}")
        if joints.shape[1] > INFLUENCES:
            heaviest = np.argsort(-shares, axis=1, kind="stable")[:, :INFLUENCES]
            joints, shares = (np.take_along_axis(values, heaviest, axis=1) for values in (joints, shares))
        total = shares.sum(axis=1, keepdims=True)
        shares[total[:, 0] <= 0.0, 0] = 1.0  # a point that nothing holds goes with its first joint
        shares /= shares.sum(axis=1, keepdims=True)
        of_figure = np.array([self.joint_of[node] for node in nodes], np.uint16)
        return of_figure[joints.astype(np.int64)], shares

    def _placed(self, node: int, points: Array, normals: Array | None) -> tuple[Array, Array | None, int, bool]:
        """Points of a node without a skin relative to its joint, that joint, and whether the points were mirrored."""
        tree, carrier = self.character.tree, node
        while carrier >= 0 and carrier not in self.joint_of:
            carrier = tree.parents[carrier]
        if carrier >= 0:
            joint = self.joint_of[carrier]
            below = np.linalg.solve(self.worlds[carrier], self.worlds[node]) if carrier != node else np.eye(4)
            matrix = self._scale(joint) @ below
        else:
            joint = len(self.joint_of)
            matrix = np.eye(4)
            axes = Y_UP_FROM_Z_UP if self.character.up == "z" else np.eye(3)
            matrix[:3, :3] = self.character.metres_per_unit * axes
            matrix = matrix @ self.worlds[node]
        linear = matrix[:3, :3]
        size = float(np.linalg.det(linear))
        if size == 0.0 or not np.isfinite(matrix).all():
            raise self.character.file.problem("it hangs on a node that flattens it")
        turned = None if normals is None else normals @ np.linalg.inv(linear)
        return points @ linear.T + matrix[:3, 3], turned, joint, size < 0.0

    def _scale(self, joint: int) -> Array:
        """(4, 4): from the node of a joint to the joint's frame, m"""
        node = self.character.nodes[joint]
        return np.diag([*(self.character.hanging.scale[joint] * self.character.tree.scales[node]), 1.0])

    def _bind(self, skin: int) -> int:
        """Index of the matrices of a skin among the binds."""
        if skin in self.binds:
            return self.binds[skin]
        file = self.character.file
        count = len(self.joint_of) + 1
        file.budget.take(count * 16 * 8, "its bind matrices")
        found = np.tile(np.eye(4), (count, 1, 1))
        if skin >= 0:
            nodes = file.model.skins[skin].joints
            at = file.model.skins[skin].inverseBindMatrices
            back = np.tile(np.eye(4), (len(nodes), 1, 1))
            if at is not None:
                flat = read_accessor(file, at, "MAT4", f"inverse bind matrices of skin {skin}")
                if len(flat) < len(nodes):
                    raise file.problem(f"skin {skin} has {len(nodes)} joints but {len(flat)} inverse bind matrices")
                back = np.swapaxes(flat[: len(nodes)].reshape(-1, 4, 4), -1, -2)
            for node, matrix in zip(nodes, back, strict=True):
                found[self.joint_of[node]] = self._scale(self.joint_of[node]) @ matrix
        self.matrices.append(found)
        self.binds[skin] = len(self.matrices) - 1
        return self.binds[skin]


def _float32(values: Any) -> npt.NDArray[np.float32]:
    """As 4-byte numbers, which graphics cards use."""
    return np.ascontiguousarray(np.nan_to_num(values), dtype=np.float32)


def _unit(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(lengths > 0.0, vectors / np.where(lengths > 0.0, lengths, 1.0), (0.0, 1.0, 0.0))
