"""Characters with a skin as targets: they come back with their own mesh, and programs of others play the motion."""

import numpy as np
import pytest
from gltf_oracles import assert_valid, load_with_three
from naming_conventions import CONVENTIONS, biped

import posewright as pw
from posewright import retarget
from posewright.clips import walk
from posewright.figures.kinematics import joint_frames, site_frames


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
