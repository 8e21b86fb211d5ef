from pathlib import Path

import numpy as np
import pytest
from sample_figures import mixed, wandering

from posewright.errors import FileProblem
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.formats import ReadOptions, load_motion
from posewright.formats.npz import amass
from posewright.motions import Motion
from posewright.rotations import matrix_from_vector, vector_from_quaternion

STANDING = np.array([np.pi / 2, 0.0, 0.0])
"""The root's rotation vector of a body that stands in a z-up world."""


def amass_file(path: Path, frames: int = 4, joints: int = 52, **changes: object) -> Path:
    rng = np.random.default_rng(3)
    poses = 0.2 * rng.normal(size=(frames, 3 * joints))
    poses[:, :3] = STANDING
    arrays = {
        "poses": poses,
        "trans": np.tile([1.0, 2.0, 0.9], (frames, 1)),
        "mocap_framerate": np.array(120.0),
        "betas": np.zeros(16),
        "gender": np.array("male"),
    } | changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def test_the_figure_stands_on_the_floor_and_faces_forward() -> None:
    figure = amass.skeleton()
    frames = joint_frames(figure, figure.rest)
    tips = site_frames(figure, figure.rest, ["left_toe_tip", "right_toe_tip", "head_top", "left_fingertips"]).points
    assert tips[:, 1] == pytest.approx([0.0, 0.0, 1.70, tips[3, 1]])
    assert tips[0, 2] > 0.1  # toes towards +z
    assert tips[3, 0] > 0.5  # the left hand towards +x
    assert frames.positions[:, 1].min() >= 0.0


def test_a_standing_body_stands_after_the_world_is_turned(tmp_path: Path) -> None:
    motion = load_motion(amass_file(tmp_path / "a.npz"))
    frames = joint_frames(motion.figure, motion.q)
    assert np.allclose(frames.rotations[:, 0], np.eye(3), atol=1e-12)  # upright, facing +z
    # pelvis = trans plus the model's own offset, in z up; then (x, y, z) becomes (x, z, -y)
    assert np.allclose(frames.positions[0, 0], [1.0, 0.93, -(2.0 - 0.23)], atol=1e-12)
    assert motion.fps == 120.0
    assert any("z up" in note for note in motion.figure.source.notes)
    assert any("30 joints" in note for note in motion.figure.source.notes)


def test_positions_equal_the_chain_written_out(tmp_path: Path) -> None:
    path = amass_file(tmp_path / "a.npz")
    motion = load_motion(path)
    raw = np.load(path)
    figure = motion.figure
    world = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    turns = matrix_from_vector(raw["poses"][2].reshape(-1, 3)[:22])
    place = {0: (raw["trans"][2] + [0.0, -0.23, 0.03], turns[0])}
    for index in range(1, 22):
        p, R = place[figure.parents[index]]
        place[index] = (p + R @ figure.joints[index].offset, R @ turns[index])
    expected = np.array([world @ place[index][0] for index in range(22)])
    assert np.allclose(joint_frames(figure, motion.q[2]).positions[:22], expected, atol=1e-12)


@pytest.mark.parametrize("joints", [22, 24, 52, 55])
def test_all_three_body_models_are_read(tmp_path: Path, joints: int) -> None:
    motion = load_motion(amass_file(tmp_path / "a.npz", joints=joints))
    hands = motion.q[:, motion.figure.dof_slice("left_hand")]
    assert bool(np.any(hands != 0.0)) == (joints == 24)


def test_separate_root_and_body_are_read(tmp_path: Path) -> None:
    poses = np.load(amass_file(tmp_path / "a.npz"))["poses"]
    parts = {"poses": None, "root_orient": poses[:, :3], "pose_body": poses[:, 3:66]}
    split = load_motion(amass_file(tmp_path / "b.npz", **parts))
    assert np.array_equal(split.q, load_motion(tmp_path / "a.npz").q)
    for model, called in (("smplx", "SMPL-X"), ("smplh", "SMPL-H"), ("other", "22-joint")):
        stated = load_motion(amass_file(tmp_path / "c.npz", **parts, surface_model_type=np.array(model)))
        assert stated.notes == (f"{called} parameters",)


def test_a_body_without_its_root_is_not_read_as_one_with(tmp_path: Path) -> None:
    whole = np.load(amass_file(tmp_path / "a.npz", joints=55))["poses"]
    body = np.hstack([whole[:, 3:66], np.zeros((4, 102))])  # as wide as SMPL-X
    with pytest.raises(FileProblem, match="the root is missing"):
        load_motion(amass_file(tmp_path / "b.npz", poses=body))
    named = {"root_orient": whole[:, :3], "pose_body": whole[:, 3:66]}
    read = load_motion(amass_file(tmp_path / "c.npz", poses=body, **named))
    assert np.array_equal(read.q, load_motion(tmp_path / "a.npz").q)


def test_round_trip(tmp_path: Path) -> None:
    motion = wandering(amass.skeleton())
    amass.write(motion, tmp_path / "a.npz")
    back = load_motion(tmp_path / "a.npz")
    assert np.abs(back.q - motion.q).max() < 1e-12
    assert (back.fps, back.figure) == (motion.fps, motion.figure)
    arrays = np.load(tmp_path / "a.npz")
    assert arrays["poses"].shape == (12, 72)


def test_a_turning_root_does_not_jump(tmp_path: Path) -> None:
    spin = np.zeros((40, 72))
    for frame in range(40):
        half = frame * 0.25 / 2
        spin[frame, :3] = vector_from_quaternion(np.array([np.cos(half), 0, 0, np.sin(half)]))
    motion = load_motion(amass_file(tmp_path / "a.npz", frames=40, poses=spin))
    assert np.abs(np.diff(motion.q[:, 3:6], axis=0)).max() < 1.0  # a change of branch is a jump of about 2 pi


def test_doubt_about_the_up_axis_is_told_and_settable(tmp_path: Path) -> None:
    path = amass_file(tmp_path / "a.npz", poses=np.zeros((4, 156)))
    doubtful = load_motion(path)
    assert any("set up or --up" in note for note in doubtful.figure.source.notes)
    settled = load_motion(path, ReadOptions(up="y"))
    assert np.allclose(joint_frames(settled.figure, settled.q[0]).rotations[0], np.eye(3))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"poses": np.zeros((4, 70))}, "70 numbers a frame"),
        ({"poses": np.zeros((4, 9))}, "9 numbers a frame"),
        ({"poses": np.zeros((5, 156))}, "'poses' is float64 of shape (5, 156); it must be 4 x any"),
        ({"trans": np.zeros((4, 2))}, "'trans'"),
        ({"trans": None}, "neither"),
        ({"mocap_framerate": None}, "no frame rate"),
        ({"mocap_framerate": np.array(-1.0)}, "frame rate is -1.0"),
        ({"trans": np.full((4, 3), np.inf)}, "not finite"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, changes: dict[str, object], says: str) -> None:
    with pytest.raises(FileProblem) as caught:
        load_motion(amass_file(tmp_path / "a.npz", **changes))
    assert says in str(caught.value)


def test_other_figures_are_not_written(tmp_path: Path) -> None:
    figure = mixed()
    with pytest.raises(FileProblem, match="retarget it to figure 'smpl24' first"):
        amass.write(Motion(figure, figure.rest[None], fps=30.0), tmp_path / "a.npz")


def test_a_file_without_frames_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", poses=np.zeros((0, 72)), trans=np.zeros((0, 3)), mocap_framerate=30.0)
    with pytest.raises(FileProblem, match="has no frames"):
        load_motion(tmp_path / "m.npz")


def test_figures_of_the_family_are_written_and_come_back(tmp_path: Path) -> None:
    figure = amass.skeleton().with_lengths(overall=1.2)
    rng = np.random.default_rng(1)
    motion = Motion(figure, figure.rest + 0.1 * rng.normal(size=(6, figure.n_dofs)), fps=60.0)
    motion.save(tmp_path / "a.npz", layout="amass")
    with np.load(tmp_path / "a.npz") as arrays:
        assert float(arrays["mocap_frame_rate"]) == float(arrays["mocap_framerate"]) == 60.0
        np.testing.assert_array_equal(arrays["poses"][:, 3:66], arrays["pose_body"])
        np.testing.assert_array_equal(arrays["poses"][:, :3], arrays["root_orient"])
    again = load_motion(tmp_path / "a.npz", ReadOptions(layout="amass"))
    np.testing.assert_allclose(again.q, motion.q, atol=1e-9)
    motion.save(tmp_path / "b.npz", layout="amass", fps=30.0)
    assert load_motion(tmp_path / "b.npz").fps == 30.0
