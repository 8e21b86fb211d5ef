import base64
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_oracles import assert_valid, load_with_three
from gltf_samples import ARM, ARMATURE, CAMERA, END, HIPS, PNG, SPINE, TIMES, Sample, character

from posewright.errors import FileProblem
from posewright.figures import Figure
from posewright.figures.kinematics import joint_frames
from posewright.formats import ReadOptions, load, load_figure, load_motion
from posewright.formats.assumptions import doubts
from posewright.motions import Motion


def glb(tmp_path: Path, sample: Sample) -> Path:
    return sample.glb(tmp_path / "hero.glb")


def apart_from_three(motion: Motion, path: Path, start: float = 0.0) -> float:
    """Largest distance (m) between our joints and three's nodes, over all frames."""
    times = [float(np.float32(start + t)) for t in motion.times]
    theirs = load_with_three(path, list(times))["matrices"][:, list(motion.figure.skin.nodes)]
    return float(np.abs(theirs[..., :3, 3] - joint_frames(motion.figure, motion.q).positions).max())


def test_the_sample_itself_is_valid(tmp_path: Path) -> None:
    assert_valid(glb(tmp_path, character()))


def test_the_skeleton_stands_in_metres(tmp_path: Path) -> None:
    motion = load_motion(glb(tmp_path, character()))
    figure = motion.figure
    assert figure.joint_names == ("Hips", "Spine", "Arm", "Arm_4")  # the armature does not move: folded away
    assert figure.parents == (-1, 0, 1, 2)
    assert figure.skin.nodes == (HIPS, SPINE, ARM, END)
    positions = joint_frames(figure, figure.rest).positions
    assert np.allclose(positions, [[0, 0.95, -0.05], [0, 1.25, -0.04], [0, 1.45, -0.04], [-0.25, 1.45, -0.04]])
    assert not figure.source.notes[1:]


def test_freedom_follows_skin_and_animation(tmp_path: Path) -> None:
    figure = load_figure(glb(tmp_path, character()))
    slides = {joint.name: len(joint.slides) for joint in figure.joints}
    assert slides == {"Hips": 3, "Spine": 3, "Arm": 0, "Arm_4": 0}
    assert {joint.name for joint in figure.joints if joint.ball is None} == {"Arm_4"}  # an end bone that stays


def test_every_interpolation_equals_threes(tmp_path: Path) -> None:
    path = glb(tmp_path, character())
    motion = load_motion(path)
    assert (motion.name, motion.fps, len(motion)) == ("walk", 24.0, len(TIMES))
    assert apart_from_three(motion, path) < 1e-6


def test_frames_between_keys_equal_threes(tmp_path: Path) -> None:
    path = glb(tmp_path, character())
    motion = load_motion(path, ReadOptions(fps=100.0))
    assert len(motion) == 35  # 8/24 s, and the last key
    inside = motion[:34]
    assert apart_from_three(inside, path) < 1e-6


def test_another_animation_by_name(tmp_path: Path) -> None:
    path = glb(tmp_path, character())
    motion = load_motion(path, ReadOptions(animation="wave"))
    assert motion.figure.joint("Arm_4").ball is not None
    assert motion.q[:, motion.figure.dof_slice("Arm_4")][[0, -1], 2] == pytest.approx([-0.5, 0.8], abs=1e-4)
    with pytest.raises(FileProblem, match="no animation 'jump'; it has 'walk', 'wave'"):
        load(path, ReadOptions(animation="jump"))


def test_an_animation_of_the_camera_alone_is_passed_over(tmp_path: Path) -> None:
    sample = character()
    walk, wave = sample.document["animations"]
    pan = {"name": "pan", "channels": [walk["channels"][4]], "samplers": walk["samplers"]}
    sample.document["animations"] = [pan, wave]
    motion = load_motion(glb(tmp_path, sample))
    assert motion.name == "wave"
    assert any("also has 'pan'" in note for note in motion.figure.source.notes)
    sample.document["animations"] = [pan]
    assert isinstance(load(glb(tmp_path, sample)), Figure)


def test_an_armature_that_moves_becomes_a_joint(tmp_path: Path) -> None:
    sample = character()
    walk = sample.document["animations"][0]
    walk["channels"].append({"sampler": 4, "target": {"node": ARMATURE, "path": "translation"}})
    path = glb(tmp_path, sample)
    motion = load_motion(path)
    assert motion.figure.joint_names[0] == "Armature"
    assert apart_from_three(motion, path) < 1e-6


def test_without_animation_it_is_a_figure_with_a_free_root(tmp_path: Path) -> None:
    sample = character()
    del sample.document["animations"]
    figure = load(glb(tmp_path, sample))
    assert isinstance(figure, Figure)
    assert figure.dof_names[:6] == ("Hips.tx", "Hips.ty", "Hips.tz", "Hips.wx", "Hips.wy", "Hips.wz")
    assert len(figure.joint("Spine").slides) == 0


def test_without_skin_every_node_is_a_joint(tmp_path: Path) -> None:
    sample = character()
    del sample.document["skins"]
    del sample.document["nodes"][5]["skin"]
    path = glb(tmp_path, sample)
    motion = load_motion(path)
    assert len(motion.figure.joints) == 7
    assert len(motion.figure.joint("Camera").slides) == 3
    assert CAMERA in motion.figure.skin.nodes
    assert apart_from_three(motion, path) < 1e-6


def test_mirroring_scales_are_followed(tmp_path: Path) -> None:
    sample = character()
    sample.document["nodes"][SPINE]["scale"] = [-1, -1, -1]
    path = glb(tmp_path, sample)
    assert apart_from_three(load_motion(path), path) < 1e-6


def test_units_and_up_can_be_told(tmp_path: Path) -> None:
    path = glb(tmp_path, character())
    plain, told = load_figure(path), load_figure(path, ReadOptions(metres_per_unit=2.0, up="z"))
    a, b = joint_frames(plain, plain.rest).positions, joint_frames(told, told.rest).positions
    assert np.allclose(b, 2.0 * np.stack([a[:, 0], a[:, 2], -a[:, 1]], axis=-1))


def test_a_figure_of_no_bodys_size_is_doubtful(tmp_path: Path) -> None:
    sample = character()
    assert not doubts(load_figure(glb(tmp_path, sample)))
    sample.document["nodes"][ARMATURE]["scale"] = [1.0, 1.0, 1.0]  # centimetres, taken for metres
    (doubt,) = doubts(load_figure(glb(tmp_path, sample)))
    assert "glTF is in metres" in doubt
    assert not doubts(load_figure(glb(tmp_path, sample), ReadOptions(metres_per_unit=0.01)))


def test_another_bind_pose_is_noted(tmp_path: Path) -> None:
    sample = character()
    sample.document["nodes"][SPINE]["translation"] = [0, 30, 9]
    figure = load_figure(glb(tmp_path, sample))
    assert any("not the one the skin was bound in" in note for note in figure.source.notes)


@pytest.mark.parametrize("wrapping", ["data uri", "one file", "two files"])
def test_gltf_with_buffers_of_all_kinds(tmp_path: Path, wrapping: str) -> None:
    sample = character()
    expected = load_motion(glb(tmp_path, sample))
    document = sample.document
    if wrapping == "data uri":
        document["buffers"][0]["uri"] = (
            "data:application/gltf-buffer;base64," + base64.b64encode(sample.binary).decode()
        )
    elif wrapping == "one file":
        (tmp_path / "hero data.bin").write_bytes(sample.binary)
        document["buffers"][0]["uri"] = "hero%20data.bin"
        (tmp_path / "skin.png").write_bytes(PNG)
        document["images"] = [{"uri": "skin.png"}]
    else:
        _split_buffer(document, sample.binary, tmp_path)
    path = tmp_path / "hero.gltf"
    path.write_text(json.dumps(document))
    motion = load_motion(path)
    assert np.array_equal(motion.q, expected.q)
    image = motion.figure.skin.document["images"][0]
    view = motion.figure.skin.document["bufferViews"][image["bufferView"]]
    assert motion.figure.skin.binary[view.get("byteOffset", 0) :][: view["byteLength"]] == PNG


def _split_buffer(document: dict[str, Any], binary: bytes, folder: Path) -> None:
    middle = document["bufferViews"][6]["byteOffset"]
    (folder / "a.bin").write_bytes(binary[:middle])
    (folder / "b.bin").write_bytes(binary[middle:])
    document["buffers"] = [
        {"byteLength": middle, "uri": "a.bin"},
        {"byteLength": len(binary) - middle, "uri": "b.bin"},
    ]
    for view in document["bufferViews"]:
        if view["byteOffset"] >= middle:
            view.update(buffer=1, byteOffset=view["byteOffset"] - middle)


def test_packed_meshes_stay_closed_but_the_skeleton_reads(tmp_path: Path) -> None:
    sample = character()
    document = sample.document
    document["extensionsUsed"] = document["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    primitive = document["meshes"][0]["primitives"][0]
    primitive["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}
    for index in primitive["attributes"].values():
        document["accessors"][index].pop("bufferView")
        document["accessors"][index].pop("byteOffset", None)
    motion = load_motion(glb(tmp_path, sample))
    assert any("KHR_draco_mesh_compression" in note for note in motion.figure.source.notes)
    assert motion.figure.skin.document["meshes"][0]["primitives"][0]["extensions"] == primitive["extensions"]


def test_rates_and_starts_are_found_and_told(tmp_path: Path) -> None:
    for keys, fps, words in [
        (1.5 + np.arange(7) / 12.5, 12.5, "spacing"),
        (np.array([0, 2, 3, 7]) / 25, 25.0, "lowest common"),
        (np.array([0, 0.011, 0.1234, 0.2]), 30.0, "resampled"),
        (np.array([0.5]), 30.0, "only one key"),
    ]:
        sample = character()
        turns = np.zeros((len(keys), 4))
        turns[:, 3] = 1.0
        track = {"input": sample.times(keys), "output": sample.floats(turns, "VEC4")}
        channel = {"sampler": 0, "target": {"node": ARM, "path": "rotation"}}
        sample.document["animations"] = [{"channels": [channel], "samplers": [track]}]
        motion = load_motion(glb(tmp_path, sample))
        assert motion.fps == pytest.approx(fps, abs=1e-6)
        assert any(words in note for note in motion.notes)
        assert any("begins at" in note for note in motion.notes) == (keys[0] > 0)
        assert motion.name == "animation_0"


def test_turns_beyond_half_a_circle_do_not_jump(tmp_path: Path) -> None:
    sample = character()
    angles = np.linspace(0, 9, 30)
    turns = np.stack([0 * angles, np.sin(angles / 2), 0 * angles, np.cos(angles / 2)], axis=-1)
    turns[turns[:, 3] < 0] *= -1
    track = {"input": sample.times(np.arange(30) / 30), "output": sample.floats(turns, "VEC4")}
    channel = {"sampler": 0, "target": {"node": SPINE, "path": "rotation"}}
    sample.document["animations"] = [{"channels": [channel], "samplers": [track]}]
    motion = load_motion(glb(tmp_path, sample))
    assert motion.q[:, motion.figure.dof_index("Spine.wy")] == pytest.approx(angles, abs=1e-5)


def _set(*keys: Any, to: Any) -> Any:
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_set("nodes", HIPS, "scale", to=[1, 2, 1]), "has the scale [1.0, 2.0, 1.0]"),
        (_set("nodes", HIPS, "scale", to=[-1, -1, 1]), "one number, not zero"),
        (_set("nodes", HIPS, "scale", to=[0, 0, 0]), "one number, not zero"),
        (_set("nodes", HIPS, "rotation", to=[0, 0, 0, 0]), "not a unit quaternion"),
        (_set("nodes", ARM, "matrix", to=[1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), "shear"),
        (_set("nodes", ARM, "matrix", to=[0] * 16), "flattens space"),
        (_set("nodes", ARM, "matrix", to=[1, 2]), "nodes[3].matrix"),
        (_set("nodes", END, "children", to=[HIPS]), "both claim node 1"),
        (_set("nodes", END, "children", to=[99]), "has the child 99"),
        (_set("nodes", ARMATURE, "children", to=[]), ""),
        (_set("nodes", SPINE, "children", to=["x"]), "nodes[2].children[0] is 'x'; it must be a valid integer"),
        (_set("skins", 0, "joints", to=[99]), "uses node 99"),
        (_set("skins", 0, "joints", to=[]), "skins[0].joints"),
        (_set("animations", 0, "channels", 0, "sampler", to=50), "sampler 50"),
        (_set("animations", 0, "channels", 0, "target", "node", to=77), "moves node 77"),
        (_set("animations", 0, "channels", 1, "target", "path", to="translation"), "a second channel for"),
        (_set("animations", 0, "channels", 4, "target", to={"node": HIPS, "path": "scale"}), "changes the scale"),
        (_set("animations", 0, "samplers", 0, "input", to=999), "refers to accessor 999"),
        (
            _set("animations", 0, "samplers", 0, "interpolation", to="WOBBLE"),
            "must be 'LINEAR', 'STEP' or 'CUBICSPLINE'",
        ),
        (_set("animations", 0, "samplers", 0, "interpolation", to="LINEAR"), "3 times and 9 values"),
        (_set("asset", "version", to="1.0"), "glTF version '1.0'"),
        (_set("buffers", to=[]), "buffer"),
        (_set("bufferViews", 3, "byteLength", to=10**9), "bufferViews[3] ends at byte"),
        (_set("nodes", to=[]), "a skin uses node 1; there are 0"),
        (_set("asset", to=None), "asset"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, change: Any, says: str) -> None:
    sample = character()
    sample.document["buffers"] = []
    path = glb(tmp_path, sample)
    raw = path.read_bytes()
    change(sample.document)
    path = tmp_path / "hero.gltf"
    if sample.document["buffers"]:
        sample.document["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(sample.binary).decode()
    path.write_text(json.dumps(sample.document))
    assert raw
    if not says:
        load(path)
        return
    with pytest.raises(FileProblem) as caught:
        load(path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("uri", "says"),
    [
        ("gone.bin", "does not exist"),
        ("https://example.org/a.bin", "only files in the folder of the document"),
        ("/dev/zero", "only files in the folder of the document"),
        ("../secret.bin", "only files in the folder of the document"),
        ("%2e%2e/secret.bin", "only files in the folder of the document"),
        ("a/../../secret.bin", "only files in the folder of the document"),
        ("link.bin", "only files in the folder of the document"),
        ("loop.bin", "only files in the folder of the document"),
        ("pipe", "does not exist"),
        ("data:;base64,!!!", "not base64"),
        ("data:;base64,AAAA", "truncated"),
        ("data:", "no data"),
        ("..", "only files in the folder of the document"),
        (".", "does not exist"),
    ],
)
def test_buffers_out_of_reach_are_said(tmp_path: Path, uri: str, says: str) -> None:
    sample, folder = character(), tmp_path / "hero"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(sample.binary)
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "loop.bin").symlink_to(folder / "loop.bin")
    os.mkfifo(folder / "pipe")
    sample.document["buffers"] = [{"byteLength": len(sample.binary), "uri": uri}]
    (folder / "hero.gltf").write_text(json.dumps(sample.document))
    with pytest.raises(FileProblem) as caught:
        load(folder / "hero.gltf")
    assert says in str(caught.value)


@pytest.mark.parametrize("uri", ["../skin.png", "%2e%2e/skin.png", "link.png"])
def test_pictures_from_elsewhere_are_refused(tmp_path: Path, uri: str) -> None:
    sample, folder = character(), tmp_path / "hero"
    folder.mkdir()
    (tmp_path / "skin.png").write_bytes(b"\x89PNG...")
    (folder / "link.png").symlink_to(tmp_path / "skin.png")
    sample.document["images"] = [{"uri": uri}]
    with pytest.raises(FileProblem, match=r"image 0 is at '.*'; only files in the folder of the document are read"):
        load(glb(folder, sample))


def test_files_used_again_and_again_take_no_more_than_they_can_need(tmp_path: Path) -> None:
    sample = character()
    (tmp_path / "large.bin").write_bytes(bytes(2**22))
    sample.document["buffers"] = [{"byteLength": 2**22, "uri": "large.bin"}] * 200
    (tmp_path / "hero.gltf").write_text(json.dumps(sample.document))
    with pytest.raises(FileProblem, match=r"buffer \d+ would take 4 MB, more than a file of"):
        load(tmp_path / "hero.gltf")


def test_numbers_used_again_and_again_take_no_more_than_the_file_can_need(tmp_path: Path) -> None:
    sample = Sample()
    sample.document["nodes"] = [{} for _ in range(400)]
    times = sample.times(np.arange(50_000.0))
    sample.document["accessors"].append({"componentType": 5126, "count": 50_000, "type": "VEC3"})
    channels = [{"sampler": 0, "target": {"node": k, "path": "translation"}} for k in range(400)]
    sample.document["animations"] = [{"channels": channels, "samplers": [{"input": times, "output": times + 1}]}]
    with pytest.raises(FileProblem, match=r"would take [0-9,]+ MB, more than a file of [0-9,]+ bytes can need"):
        load(glb(tmp_path, sample))


def test_an_animation_that_lasts_for_years_is_refused(tmp_path: Path) -> None:
    sample = character()
    track = {"input": sample.times(np.array([0, 1, 1e9])), "output": sample.floats(np.eye(4)[[3, 3, 3]], "VEC4")}
    sample.document["animations"] = [
        {"channels": [{"sampler": 0, "target": {"node": ARM, "path": "rotation"}}], "samplers": [track]}
    ]
    with pytest.raises(FileProblem, match=r"4 joints for 1e\+09 s at 24 frames/s would take"):
        load(glb(tmp_path, sample))


def test_packed_animations_are_refused_clearly(tmp_path: Path) -> None:
    sample = character()
    output = sample.document["animations"][0]["samplers"][0]["output"]
    view = sample.document["accessors"][output]["bufferView"]
    sample.document["bufferViews"][view]["extensions"] = {"EXT_meshopt_compression": {"buffer": 0}}
    with pytest.raises(FileProblem, match="packed with EXT_meshopt_compression"):
        load(glb(tmp_path, sample))


def _change_accessor(sampler: int, which: str, **fields: Any) -> Any:
    def change(sample: Sample) -> None:
        index = sample.document["animations"][0]["samplers"][sampler][which]
        sample.document["accessors"][index].update(fields)

    return change


def _write_floats(sampler: int, which: str, values: list[float]) -> Any:
    def change(sample: Sample) -> None:
        index = sample.document["animations"][0]["samplers"][sampler][which]
        view = sample.document["bufferViews"][sample.document["accessors"][index]["bufferView"]]
        data, at = np.array(values, "<f4").tobytes(), view["byteOffset"]
        sample.binary = sample.binary[:at] + data + sample.binary[at + len(data) :]

    return change


def _change_unused_accessor(**fields: Any) -> Any:
    def change(sample: Sample) -> None:
        position = sample.document["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
        sample.document["accessors"].append(sample.document["accessors"][position] | fields)

    return change


SPARSE = {"count": 1, "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 0}}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_change_accessor(0, "output", type="VEC2"), "is VEC2; it must be VEC3"),
        (_change_accessor(0, "output", count=10**12), "needs 12,000,000,000,000 bytes, where there are 108"),
        (_change_unused_accessor(count=2**40), "bytes, where there are"),
        (_change_accessor(0, "output", bufferView=500), "refers to buffer view 500"),
        (_change_accessor(0, "output", sparse=SPARSE | {"count": 100}), "replaces 100 of its 9 elements"),
        (_change_accessor(0, "output", sparse=SPARSE), "replaces element 137"),
        (_write_floats(0, "input", [0.0, 0.5, 0.25]), "must increase"),
        (_write_floats(0, "output", [0.0, float("nan")]), "not finite at element 0"),
        (_write_floats(2, "output", [0.0, 0.0, 0.0, 0.0]), "rotation key of zero length"),
        (_write_floats(0, "output", [3e38] * 27), "up to 1e+100"),
    ],
)
def test_wrong_numbers_are_said_in_one_sentence(tmp_path: Path, change: Any, says: str) -> None:
    sample = character()
    change(sample)
    if says == "up to 1e+100":  # too large to be multiplied by a scale
        sample.document["nodes"][ARMATURE]["scale"] = [1e300] * 3
    with pytest.raises(FileProblem) as caught:
        load(glb(tmp_path, sample))
    assert says in str(caught.value)


def test_meshopt_meshes_and_their_empty_buffer_are_kept(tmp_path: Path) -> None:
    sample = character()
    path = glb(tmp_path, sample)
    document = sample.document
    mesh = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]["bufferView"]
    packed = {"buffer": 0, "byteOffset": document["bufferViews"][mesh]["byteOffset"], "byteLength": 8, "byteStride": 40,
              "count": 6, "mode": "ATTRIBUTES"}  # fmt: skip
    document["bufferViews"][mesh].update(buffer=1, byteOffset=0, extensions={"EXT_meshopt_compression": packed})
    document["buffers"] = [
        {"byteLength": len(sample.binary), "uri": "hero.bin"},
        {"byteLength": 240, "extensions": {"EXT_meshopt_compression": {"fallback": True}}},
    ]
    (tmp_path / "hero.bin").write_bytes(sample.binary)
    (tmp_path / "packed.gltf").write_text(json.dumps(document))
    motion = load_motion(tmp_path / "packed.gltf")
    assert np.array_equal(motion.q, load_motion(path).q)
    motion.save(tmp_path / "out.glb")
    back = load_motion(tmp_path / "out.glb").figure.skin
    assert back.document["bufferViews"][mesh] == document["bufferViews"][mesh]
    assert back.document["buffers"][1] == document["buffers"][1]
    assert back.binary[: packed["byteOffset"] + 8] == sample.binary[: packed["byteOffset"] + 8]


def test_pictures_that_are_not_there_keep_their_link(tmp_path: Path) -> None:
    sample = character()
    (tmp_path / "notes.png").write_text("not a picture")
    sample.document["images"] = [{"uri": "gone.png"}, {"uri": "notes.png"}]
    figure = load_figure(glb(tmp_path, sample))
    assert figure.skin.document["images"] == sample.document["images"]


def test_bind_matrices_that_cannot_be_read_hinder_nobody(tmp_path: Path) -> None:
    sample = character()
    matrices = sample.document["accessors"][sample.document["skins"][0]["inverseBindMatrices"]]
    view = sample.document["bufferViews"][matrices["bufferView"]]
    view["extensions"] = {"EXT_meshopt_compression": {"buffer": 0}}
    figure = load_figure(glb(tmp_path, sample))
    assert any("bind pose could not be read" in note for note in figure.source.notes)
    del view["extensions"]
    matrices["count"] = 2
    with pytest.raises(FileProblem, match="3 joints but 2 inverse bind matrices"):
        load(glb(tmp_path, sample))
