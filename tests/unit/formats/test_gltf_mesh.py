"""The mesh of a character is where another program shows it; what makes no sense is left out with a sentence."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_oracles import load_with_three
from gltf_samples import ARM, ARMATURE, HIPS, PNG, SPINE, character
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy.spatial.transform import Rotation

from posewright import clips, figure
from posewright.errors import FileProblem
from posewright.figures import Figure
from posewright.figures.kinematics import joint_frames
from posewright.formats import ReadOptions, load
from posewright.formats.gltf.mesh import CharacterMesh, MeshPart, character_mesh, has_mesh
from posewright.formats.gltf.pictures import picture_file
from posewright.motions import Motion


def skinned(mesh: CharacterMesh, part: MeshPart, owner: Figure, q: np.ndarray) -> np.ndarray:
    """(points, 3): as the documentation of `mesh` says"""
    frames = joint_frames(owner, q)
    count = len(owner.joints)
    world = np.tile(np.eye(4), (count + 1, 1, 1))
    world[:count, :3, :3], world[:count, :3, 3] = frames.rotations, frames.positions
    bind = np.tile(np.eye(4), (count + 1, 1, 1))
    bind[:, :3] = mesh.binds[part.bind]
    moved = np.einsum("jab,vb->vja", (world @ bind)[:, :3], np.column_stack([part.points, np.ones(len(part.points))]))
    own = np.take_along_axis(moved, part.joints.astype(np.int64)[:, :, None], axis=1)
    return np.einsum("vk,vka->va", part.weights, own)


def broken(tmp_path: Path, change: Any) -> CharacterMesh:
    sample = character()
    change(sample.document)
    motion = load(sample.glb(tmp_path / "broken.glb"))
    assert isinstance(motion, Motion)
    return character_mesh(motion.figure)


def assert_as_three_shows_it(path: Path) -> None:
    motion = load(path)
    assert isinstance(motion, Motion)
    mesh = character_mesh(motion.figure)
    frames = [0, 1, len(motion) // 2]
    shown = load_with_three(path, [frame / motion.fps for frame in frames])["vertices"]
    for frame, there in zip(frames, shown, strict=True):
        for part, vertices in zip(mesh.parts, there, strict=True):
            rows = np.array(vertices)
            here = skinned(mesh, part, motion.figure, motion.q[frame])[rows[:, 0].astype(int)]
            np.testing.assert_allclose(here, rows[:, 1:], atol=2e-4)


def test_a_sample_is_shown_as_three_shows_it(tmp_path: Path) -> None:
    """An armature in centimetres, turned; half of the points between two joints."""
    assert_as_three_shows_it(character().glb(tmp_path / "character.glb"))


def test_a_generated_body_is_shown_as_three_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "walk.glb"
    clips.walk(figure("human40"), steps=2, fps=30.0).save(path)
    assert_as_three_shows_it(path)


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_units_and_axes_move_the_mesh_with_the_joints(tmp_path: Path, up: str, unit: float) -> None:
    path = character().glb(tmp_path / "character.glb")
    plain, other = load(path), load(path, ReadOptions(up=up, metres_per_unit=unit))
    assert isinstance(plain, Motion)
    assert isinstance(other, Motion)
    mesh, changed = character_mesh(plain.figure), character_mesh(other.figure)
    here = skinned(mesh, mesh.parts[0], plain.figure, plain.q[3])
    there = skinned(changed, changed.parts[0], other.figure, other.q[3])
    turned = here if up == "y" else np.column_stack([here[:, 0], here[:, 2], -here[:, 1]])
    np.testing.assert_allclose(there, unit * turned, atol=1e-6)


def test_materials_and_pictures_come_along(tmp_path: Path) -> None:
    def change(document: dict[str, Any]) -> None:
        document["materials"][0] |= {"doubleSided": True, "alphaMode": "MASK", "emissiveFactor": [0.1, 0.2, 0.3]}
        document["materials"][0]["pbrMetallicRoughness"] |= {"metallicFactor": 0.25, "baseColorFactor": [1, 0.5, 0, 1]}
        document["samplers"] = [{"wrapS": 33071, "wrapT": 33648}]
        document["textures"][0]["sampler"] = 0

    mesh = broken(tmp_path, change)
    surface = mesh.surfaces[mesh.parts[0].surface]
    assert (surface.colour, surface.metal, surface.alpha, surface.two_sided) == ((1, 0.5, 0, 1), 0.25, "MASK", True)
    assert surface.colour_picture is not None
    assert surface.colour_picture.wrap == ("clamp", "mirror")
    assert mesh.pictures[surface.colour_picture.picture].data == PNG
    assert mesh.notes == ()


def test_a_thing_without_a_skin_goes_with_the_joint_that_carries_it(tmp_path: Path) -> None:
    def change(document: dict[str, Any]) -> None:
        (part,) = document["meshes"][0]["primitives"]
        plain = {name: part["attributes"][name] for name in ("POSITION", "NORMAL")}
        document["meshes"].append({"primitives": [{"attributes": plain, "indices": part["indices"]}]})
        document["nodes"].append({"name": "hat", "mesh": 1, "scale": [-2, 2, 2], "translation": [0, 10, 0]})
        document["nodes"][3]["children"].append(len(document["nodes"]) - 1)  # on the arm

    sample = character()
    change(sample.document)
    path = sample.glb(tmp_path / "hat.glb")
    motion = load(path)
    assert isinstance(motion, Motion)
    mesh = character_mesh(motion.figure)
    hat = next(part for part in mesh.parts if part.bind != mesh.parts[0].bind or part is not mesh.parts[0])
    body = mesh.parts[0] if mesh.parts[0] is not hat else mesh.parts[1]
    assert set(hat.joints[:, 0]) == {motion.figure.joint_index("hat")}
    assert (hat.triangles[0] == body.triangles[0][::-1]).all()  # mirrored, so the other way round
    matrix = np.eye(4)
    for node in (ARMATURE, HIPS, SPINE, ARM, len(sample.document["nodes"]) - 1):
        matrix = matrix @ local(sample.document["nodes"][node])
    wanted = np.column_stack([body.points, np.ones(len(body.points))]) @ matrix[:3].T
    np.testing.assert_allclose(skinned(mesh, hat, motion.figure, motion.figure.rest), wanted, atol=1e-5)


def local(node: dict[str, Any]) -> np.ndarray:
    """The matrix of a node."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=float).reshape(4, 4).T
    found = np.eye(4)
    found[:3, :3] = Rotation.from_quat(node.get("rotation", [0, 0, 0, 1])).as_matrix() * node.get("scale", [1, 1, 1])
    found[:3, 3] = node.get("translation", [0, 0, 0])
    return found


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d["accessors"][5].update(count=1000), "bytes"),
        (lambda d: d["meshes"][0]["primitives"][0]["attributes"].update(POSITION=999), "accessor 999"),
        (lambda d: d["meshes"][0]["primitives"][0].update(material=7), "material 7"),
        (lambda d: d["meshes"][0]["primitives"][0]["attributes"].pop("JOINTS_0"), "no joints and weights"),
        (lambda d: d["meshes"][0]["primitives"][0].update(extensions={"KHR_draco_mesh_compression": {}}), "draco"),
        (lambda d: d["skins"][0].update(joints=[1, 2]), "joint 2 of its skin"),
        (lambda d: d["nodes"][5].update(mesh=4), "mesh 4"),
        (lambda d: d["meshes"][0].update(primitives=[{"attributes": {"POSITION": -1}}]), "must be"),
        (lambda d: d["meshes"][0]["primitives"][0].update(mode=1), "no triangles"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(tmp_path: Path, change: Any, says: str) -> None:
    with pytest.raises(FileProblem, match=says):
        broken(tmp_path, change)


def test_one_bad_part_leaves_the_others(tmp_path: Path) -> None:
    def change(document: dict[str, Any]) -> None:
        parts = document["meshes"][0]["primitives"]
        parts.append({**parts[0], "indices": 999})

    mesh = broken(tmp_path, change)
    assert len(mesh.parts) == 1
    assert "part 1 of mesh 0 is not shown: indices refers to accessor 999" in mesh.notes[0]


@pytest.mark.parametrize("mode", [4, 5, 6])
def test_strips_and_fans_become_triangles(tmp_path: Path, mode: int) -> None:
    mesh = broken(tmp_path, lambda d: d["meshes"][0]["primitives"][0].update(mode=mode, indices=None))
    (part,) = mesh.parts
    strip = [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]
    wanted = {4: [[0, 1, 2], [3, 4, 5]], 5: strip, 6: [[0, k, k + 1] for k in range(1, 5)]}[mode]
    assert part.triangles.tolist() == wanted


def test_figures_without_a_mesh_have_none() -> None:
    assert not has_mesh(figure("human"))
    with pytest.raises(FileProblem, match="came without a mesh"):
        character_mesh(figure("human"))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("lossless", [False, True])
@given(width=st.integers(1, 40), height=st.integers(1, 40))
def test_pictures_say_how_large_they_are(kind: str, lossless: bool, width: int, height: int) -> None:
    data = io.BytesIO()
    Image.new("RGBA" if kind != "JPEG" else "RGB", (width, height)).save(data, kind, lossless=lossless)
    found = picture_file(data.getvalue())
    assert found is not None
    assert (found.media_type, found.width, found.height) == (f"image/{kind.lower()}", width, height)


@given(st.binary(max_size=60), st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF....WEBPVP8 ", b""]))
def test_broken_pictures_are_none(data: bytes, start: bytes) -> None:
    found = picture_file(start + data)
    assert found is None or min(found.width, found.height) > 0
