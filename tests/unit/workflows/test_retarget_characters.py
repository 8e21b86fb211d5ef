"""Characters with a skin as targets: they come back with their own mesh, and programs of others play the motion."""

from dataclasses import replace

import numpy as np
import pytest
from gltf_oracles import assert_valid, load_with_three
from naming_conventions import CONVENTIONS, biped

import posewright as pw
from posewright import retarget
from posewright.clips import walk
from posewright.figures import Joint
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.formats.gltf.document import open_gltf, write_document
from posewright.formats.gltf.mesh import character_mesh


@pytest.fixture(scope="module")
def stroll():
    return walk(pw.figure("human40"), seed=1, fps=30.0)[:30]


def test_a_skinned_character_walks(stroll, tmp_path):
    figure = biped(CONVENTIONS["mixamo"])
    pw.Pose.rest(figure).save(tmp_path / "character.glb")
    character = pw.figure(tmp_path / "character.glb")
    made = retarget(stroll, character)
    out = tmp_path / "walking.glb"
    made.motion.save(out)
    assert_valid(out)
    before, after = character.skin.document, pw.figure(out).skin.document
    assert all(after[part] == before[part] for part in ("meshes", "materials", "skins"))
    frames = [0, 12, 29]
    read = load_with_three(out, [float(np.float32(frame / 30.0)) for frame in frames])
    theirs = read["matrices"][:, list(character.skin.nodes)][..., :3, 3]
    assert np.abs(theirs - joint_frames(made.motion.figure, made.motion.q[frames]).positions).max() < 1e-5
    skin = [np.array(frame[0])[:, 1:] for frame in read["vertices"]]
    assert np.abs(skin[2].mean(axis=0) - skin[0].mean(axis=0)).max() > 0.3, "the mesh walks along"
    assert min(float(points[:, 1].min()) for points in skin) > -0.05
    soles = site_frames(made.motion.figure, made.motion.q, ["left_heel", "right_heel"]).points
    assert soles[..., 1].min() > -0.005


def placed_mesh(figure, q):
    """Points (points, 3) of a character's mesh in a pose."""
    mesh, frames = character_mesh(figure), joint_frames(figure, q)
    placed = []
    for part in mesh.parts:
        joint = part.joints[:, 0]  # a body drawn around bones: every point moves with one joint
        own = np.einsum("nij,nj->ni", mesh.binds[part.bind][joint, :, :3], part.points)
        own += mesh.binds[part.bind][joint, :, 3]
        placed.append(np.einsum("nij,nj->ni", frames.rotations[joint], own) + frames.positions[joint])
    return np.concatenate(placed)


def test_a_skinned_character_stands_on_its_shoes(stroll, tmp_path):
    path = tmp_path / "character.glb"
    pw.Pose.rest(biped(CONVENTIONS["mixamo"])).save(path)
    bones = pw.figure(path).with_soles()
    file = open_gltf(path)
    write_document({**file.document, "asset": {"version": "2.0", "generator": "a modeller"}}, file.binary, path)
    character = pw.figure(path).with_soles()
    lowest = placed_mesh(character, character.rest)[:, 1].min()
    drawn, own = (site_frames(f, f.rest, ["left_heel", "right_toe_tip"]).points[:, 1] for f in (bones, character))
    np.testing.assert_allclose(own, lowest, atol=1e-3)
    assert drawn.min() > lowest + 0.015, "a body that is only drawn around the bones says nothing"
    made = retarget(stroll, character)
    assert min(placed_mesh(made.motion.figure, q)[:, 1].min() for q in made.motion.q) > -0.01


def test_a_root_on_the_ground_is_no_part_of_the_body(stroll):
    body = biped(CONVENTIONS["mixamo"])
    slides, rotation = body.joints[0].slides, body.joints[0].rotation
    hips = replace(body.joints[0], parent="root", slides=(), offset=(0.0, 1.0, 0.0))
    root = Joint(name="root", slides=slides, rotation=rotation)
    figure = replace(body, joints=(root, hips, *body.joints[1:]))
    made = retarget(stroll, figure)
    assert joint_frames(made.motion.figure, made.motion.q).positions[:, 0, 1].min() < -0.01
    assert made.quality(body=False)["penetration"].value < 0.01
