import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gltf_oracles import assert_valid, load_with_three
from gltf_samples import ARM, ARMATURE, CAMERA, END, HIPS, MESH, SPINE, character, with_matrix_turned_into_parts

from posewright.errors import FileProblem
from posewright.figures import Pose
from posewright.figures.kinematics import joint_frames
from posewright.formats import ReadOptions, load, load_figure, load_motion
from posewright.motions import Motion

KEPT = ("meshes", "materials", "textures", "images", "skins", "cameras", "scenes", "extras")


@pytest.fixture
def hero(tmp_path: Path) -> Path:
    sample = character()
    with_matrix_turned_into_parts(sample.document)
    return sample.glb(tmp_path / "hero.glb")


def edited(motion: Motion) -> Motion:
    """The motion with a wave of the arm."""
    q = np.array(motion.q)
    q[:, motion.figure.dof_slice("Arm")] = np.sin(np.arange(len(q)))[:, None] * [0.3, 0.1, -0.4]
    return motion.with_q(q)


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_a_character_comes_back_with_its_own_mesh(hero: Path, tmp_path: Path, suffix: str) -> None:
    motion = edited(load_motion(hero))
    out = tmp_path / f"out{suffix}"
    motion.save(out)
    assert_valid(out)
    before, after = load_figure(hero).skin, load_figure(out).skin
    for part in KEPT:
        assert after.document[part] == before.document[part], part
    for index, accessor in enumerate(before.document["accessors"][:8]):
        assert after.document["accessors"][index] == accessor
    size = before.document["bufferViews"][5]["byteOffset"]
    assert after.binary[:size] == before.binary[:size]
    back = load_motion(out)
    expected = joint_frames(motion.figure, motion.q).positions
    assert np.abs(joint_frames(back.figure, back.q).positions - expected).max() < 1e-6
    assert (back.name, back.fps, len(back)) == (motion.name, motion.fps, len(motion))


def test_an_independent_loader_plays_the_new_animation(hero: Path, tmp_path: Path) -> None:
    motion = edited(load_motion(hero))
    motion.save(tmp_path / "out.glb")
    read = load_with_three(tmp_path / "out.glb", [float(np.float32(t)) for t in motion.times])
    theirs = read["matrices"][:, list(motion.figure.skin.nodes)][..., :3, 3]
    assert np.abs(theirs - joint_frames(motion.figure, motion.q).positions).max() < 1e-6
    assert [animation["name"] for animation in read["animations"]] == ["walk", "wave"]


def test_other_animations_and_other_channels_stay(hero: Path, tmp_path: Path) -> None:
    original = load_motion(hero).figure.skin.document["animations"]
    edited(load_motion(hero)).save(tmp_path / "out.glb")
    walk, wave = load_motion(tmp_path / "out.glb").figure.skin.document["animations"]
    assert wave == original[1]
    others = [c["target"] for c in walk["channels"] if c["target"]["node"] in (CAMERA, MESH)]
    assert others == [{"node": CAMERA, "path": "translation"}, {"node": MESH, "path": "weights"}]
    wave_again = load_motion(tmp_path / "out.glb", ReadOptions(animation="wave"))
    assert np.array_equal(wave_again.q, load_motion(hero, ReadOptions(animation="wave")).q)


def test_a_motion_of_another_name_is_added_first(hero: Path, tmp_path: Path) -> None:
    replace(edited(load_motion(hero)), name="dance").save(tmp_path / "out.glb")
    names = [a["name"] for a in load_motion(tmp_path / "out.glb").figure.skin.document["animations"]]
    assert names == ["dance", "walk", "wave"]
    assert_valid(tmp_path / "out.glb")


def test_a_pose_moves_the_nodes(hero: Path, tmp_path: Path) -> None:
    motion = edited(load_motion(hero))
    pose = motion.pose(3)
    pose.save(tmp_path / "out.glb")
    assert_valid(tmp_path / "out.glb")
    read = load_with_three(tmp_path / "out.glb", [None])
    assert read["animations"] == []
    theirs = read["matrices"][0, list(motion.figure.skin.nodes), :3, 3]
    assert np.abs(theirs - joint_frames(pose.figure, pose.q).positions).max() < 1e-6
    document = load_figure(tmp_path / "out.glb").skin.document
    assert document["nodes"][ARMATURE] == load_figure(hero).skin.document["nodes"][ARMATURE]


def test_a_node_with_a_matrix_is_posed(tmp_path: Path) -> None:
    sample = character()
    del sample.document["animations"]
    sample.document["nodes"][END]["matrix"] = [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 25, 0, 1]
    del sample.document["nodes"][END]["translation"]
    figure = load_figure(sample.glb(tmp_path / "hero.glb"))
    pose = Pose.rest(figure).with_values({"Arm.wx": 0.7, "Spine.wz": -0.3})
    pose.save(tmp_path / "out.glb")
    document = load_figure(tmp_path / "out.glb").skin.document
    assert "matrix" not in document["nodes"][ARM]
    assert document["nodes"][END]["scale"] == [2.0, 2.0, 2.0]
    read = load_with_three(tmp_path / "out.glb", [None])["matrices"][0, [HIPS, SPINE, ARM, END], :3, 3]
    assert np.abs(read - joint_frames(figure, pose.q).positions).max() < 1e-6


def test_saving_again_and_again_does_not_let_the_file_grow(hero: Path, tmp_path: Path) -> None:
    load_motion(hero).save(tmp_path / "1.glb")
    load_motion(tmp_path / "1.glb").save(tmp_path / "2.glb")
    load_motion(tmp_path / "2.glb").save(tmp_path / "3.glb")
    assert (tmp_path / "3.glb").stat().st_size == (tmp_path / "2.glb").stat().st_size
    assert_valid(tmp_path / "3.glb")
    assert np.abs(load_motion(tmp_path / "3.glb").q - load_motion(tmp_path / "2.glb").q).max() < 1e-12


def test_units_told_when_reading_are_undone_when_writing(hero: Path, tmp_path: Path) -> None:
    edited(load_motion(hero)).save(tmp_path / "a.glb")
    edited(load_motion(hero, ReadOptions(metres_per_unit=0.01, up="z"))).save(tmp_path / "b.glb")
    a, b = load_motion(tmp_path / "a.glb"), load_motion(tmp_path / "b.glb")
    assert np.abs(joint_frames(a.figure, a.q).positions - joint_frames(b.figure, b.q).positions).max() < 1e-6


def test_the_character_itself_is_not_changed(hero: Path, tmp_path: Path) -> None:
    motion = load_motion(hero)
    before = copy.deepcopy(motion.figure.skin.document)
    motion.pose(2).save(tmp_path / "out.glb")
    edited(motion).save(tmp_path / "out.glb")
    assert motion.figure.skin.document == before


def test_other_joints_than_the_characters_are_refused(hero: Path, tmp_path: Path) -> None:
    figure = load_figure(hero)
    fewer = replace(figure, joints=figure.joints[:-1])
    with pytest.raises(FileProblem, match="skin=None"):
        fewer.save(tmp_path / "out.glb")
    replace(fewer, skin=None).save(tmp_path / "out.glb")
    assert len(load(tmp_path / "out.glb").joints) == 3
