"""Acclaim skeletons and motions: conventions, units, companions, refusals."""

from pathlib import Path

import numpy as np
import pytest
from acclaim_samples import AMC, ASF
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright.errors import FileProblem, PosewrightError
from posewright.figures import Figure
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.formats import ReadOptions, load, load_figure, load_motion
from posewright.rotations import matrix_from_vector

UNIT = 0.0254 / 0.45


def turn(axis: str, degrees: float) -> np.ndarray:
    return matrix_from_vector(np.radians(degrees) * np.eye(3)["xyz".index(axis)])


def write(
    folder: Path, *, asf: str = ASF, amc: str = AMC, asf_name: str = "07.asf", amc_name: str = "07_01.amc"
) -> Path:
    (folder / asf_name).write_bytes(asf.encode())
    (folder / amc_name).write_bytes(amc.encode())
    return folder / amc_name


def reference_points(frame: list[float]) -> np.ndarray:
    """Where femur and tibia begin and where the tibia ends, by Acclaim's own formula with C M C⁻¹, in file units."""
    tx, ty, tz, rx, ry, rz, fx, fy, fz, k = frame
    root = turn("z", rz) @ turn("y", ry) @ turn("x", rx)
    C = turn("z", 20) @ turn("y", 0) @ turn("x", 10)
    femur = root @ C @ turn("z", fz) @ turn("y", fy) @ turn("x", fx) @ C.T
    C = turn("x", 0) @ turn("y", 30) @ turn("z", 20)
    tibia = femur @ C @ turn("x", k) @ C.T
    hip_end = np.array([tx, ty, tz]) + root @ np.array([1.0, -1.0, 0.0]) * 2.0 / np.sqrt(2.0)
    along = np.array([0.34202, -0.939693, 0.0])
    along /= np.linalg.norm(along)
    knee = hip_end + femur @ along * 15.0
    return np.array([hip_end, knee, knee + tibia @ along * 12.0])


def test_positions_follow_acclaims_formula(tmp_path: Path) -> None:
    motion = load_motion(write(tmp_path))
    found = site_frames(motion.figure, motion.q, ["femur", "tibia", "tibia_end"]).points / UNIT
    frames = [[1, 16, 3, 10, 20, 30, -20, 5, 7, 40], [1.5, 16, 3, 11, 22, 33, -25, 6, 8, 50]]
    assert np.allclose(found, [reference_points(frame) for frame in frames], atol=1e-12)
    assert motion.fps == 120.0
    assert any("assumed 120 per second" in note for note in motion.notes)


def test_a_skeleton_has_limits_dofs_and_a_tip(tmp_path: Path) -> None:
    write(tmp_path)
    figure = load_figure(tmp_path / "07.asf")
    assert figure.joint_names == ("root", "hip", "femur", "tibia")
    assert figure.joint("hip").n_dofs == 0
    femur = figure.joint("femur")
    assert [hinge.axis for hinge in femur.hinges] == [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    assert np.allclose(np.degrees([(h.lower, h.upper) for h in femur.hinges]), [(-60, 70), (-70, 70), (-160, 20)])
    knee = figure.joint("tibia").hinges[0]
    assert np.isclose(np.degrees(knee.rest), 5.0)  # zero is outside its limits
    assert figure.site("tibia_end").tip
    assert np.isclose(figure.source.metres_per_unit, UNIT)


def test_radians(tmp_path: Path) -> None:
    degrees = load_motion(write(tmp_path))
    in_radians = AMC.replace(":DEGREES", ":RADIANS")
    for token in ("10 20 30", "-20 5 7", "11 22 33", "-25 6 8", "tibia 40", "tibia 50"):
        words = [w if w == "tibia" else repr(float(np.radians(float(w)))) for w in token.split()]
        in_radians = in_radians.replace(
            f" {token}\n" if token[0] != "t" else token, f" {' '.join(words)}\n" if token[0] != "t" else " ".join(words)
        )
    assert np.allclose(load_motion(write(tmp_path, amc=in_radians)).q, degrees.q, atol=1e-12)
    asf = ASF.replace("angle deg", "angle rad")
    limits = load_figure(write(tmp_path, asf=asf.replace("(5.0 170.0)", "(0.1 3.0)")).with_name("07.asf"))
    assert limits.joint("tibia").hinges[0].upper == 3.0


def test_line_ends_one_line_limits_and_missing_limits_mean_the_same(tmp_path: Path) -> None:
    plain = load_motion(write(tmp_path))
    crlf = load_motion(write(tmp_path, asf=ASF.replace("\n", "\r\n"), amc=AMC.replace("\n", "\r\n")))
    assert crlf.figure == plain.figure
    assert np.array_equal(crlf.q, plain.q)
    one_line = ASF.replace(
        "(-160.0 20.0)\n           (-70.0 70.0)\n           (-60.0", "(-160.0 20.0) (-70.0 70.0) (-60.0"
    )
    assert load_motion(write(tmp_path, asf=one_line)).figure == plain.figure
    free = load_motion(write(tmp_path, asf=ASF.replace("    limits (5.0 170.0)\n", "")))
    assert free.figure.joint("tibia").hinges[0].upper == np.inf


def test_the_order_of_dofs_is_that_of_the_file(tmp_path: Path) -> None:
    asf = ASF.replace("order TX TY TZ RX RY RZ", "order RZ RY RX TZ TY TX")
    motion = load_motion(write(tmp_path, asf=asf))
    frame = joint_frames(motion.figure, motion.q[0])
    assert np.allclose(frame.positions[0] / UNIT, [30, 20, 10])
    assert np.allclose(frame.rotations[0], turn("x", 3) @ turn("y", 16) @ turn("z", 1))


def test_z_up_when_told(tmp_path: Path) -> None:
    y_up = load_motion(write(tmp_path), ReadOptions(metres_per_unit=0.05))
    z_up = load_motion(write(tmp_path), ReadOptions(metres_per_unit=0.05, up="z"))
    x, y, z = np.moveaxis(joint_frames(y_up.figure, y_up.q).positions, -1, 0)
    assert np.allclose(joint_frames(z_up.figure, z_up.q).positions, np.stack([x, z, -y], axis=-1))


def test_units_are_told_or_a_persons_size(tmp_path: Path) -> None:
    assert load_motion(write(tmp_path), ReadOptions(metres_per_unit=0.5)).figure.source.metres_per_unit == 0.5
    centimetres = (
        ASF.replace("length 15", "length 80").replace("length 12", "length 70").replace("length 0.45", "length 1")
    )
    source = load_motion(write(tmp_path, asf=centimetres)).figure.source
    assert source.metres_per_unit == 0.01


def test_the_skeleton_is_found_beside_the_motion(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert load_motion(path).notes[0] == "skeleton: 07.asf, of the same subject"
    (tmp_path / "07_01.asf").write_text(ASF)
    assert load_motion(path).notes[0] == "skeleton: 07_01.asf, of the same name"
    told = tmp_path / "told.asf"
    told.write_text(ASF)
    assert load_motion(path, ReadOptions(skeleton=told)).notes[0] == "skeleton: told.asf, as given"
    alone = tmp_path / "alone"
    alone.mkdir()
    only = write(alone, asf_name="walker.asf", amc_name="trial.amc")
    assert load_motion(only).notes[0] == "skeleton: walker.asf, the only one in the folder"
    (alone / "runner.asf").write_text(ASF)
    with pytest.raises(FileProblem, match=r"none of runner\.asf, walker\.asf has its name"):
        load_motion(only)
    with pytest.raises(FileProblem, match="no such file"):
        load_motion(only, ReadOptions(skeleton=tmp_path / "missing.asf"))


ASF_FAULTS = {
    "empty": (ASF, "", "the file is empty"),
    "no section": (":version 1.10\n", "hello\n", "'hello' before any section"),
    "no hierarchy": (ASF[ASF.index(":hierarchy") :], "", "without a section :hierarchy"),
    "unit of angle": ("angle deg", "angle grad", "the unit of angles is 'grad'"),
    "unit of length": ("length 0.45", "length 0", "must be more than 0"),
    "two numbers": ("direction 1 -1 0", "direction 1 -1", "the direction has 2 numbers"),
    "no number": ("length 2.0", "length long", "the length is 'long'"),
    "decimal comma": ("length 2.0", "length", "nothing follows 'length'"),
    "axis order": ("20 XYZ", "20 XXZ", "the order of axes is 'XXZ'"),
    "unknown dof": ("dof rx ry rz", "dof rx ry l", "the dof 'l', accepted are rx"),
    "dof twice": ("dof rx ry rz", "dof rx ry ry", "the dof 'ry' twice"),
    "too few limits": ("           (-60.0 70.0)\n", "", "3 dofs but 4 limits"),
    "limits reversed": ("(5.0 170.0)", "(170.0 5.0)", "run from 170 to 5"),
    "unknown word": ("id 2", "colour red", "'colour' in bone ''"),
    "bone not ended": ("    limits (5.0 170.0)\n  end\n", "", "is not closed before ':hierarchy'"),
    "bone twice": ("name tibia", "name femur", "there are two bones called 'femur'"),
    "unknown bone": ("hip femur", "hip femurr", "names a bone 'femurr'; did you mean 'femur'?"),
    "hung twice": ("hip femur\n", "hip femur\n root femur\n", "attaches 'femur' in two places"),
    "not connected": ("    root hip\n", "", "does not connect bone 'hip'"),
    "cycle": ("    root hip\n", "    tibia hip\n", "does not connect bone 'hip'"),
}


@pytest.mark.parametrize(("old", "new", "expected"), ASF_FAULTS.values(), ids=ASF_FAULTS)
def test_broken_skeletons_are_refused(old: str, new: str, expected: str, tmp_path: Path) -> None:
    assert old in ASF
    write(tmp_path, asf=ASF.replace(old, new))
    with pytest.raises(FileProblem) as caught:
        load_figure(tmp_path / "07.asf")
    assert expected in str(caught.value)
    assert caught.value.line is not None


AMC_FAULTS = {
    "empty": (AMC, "", 1, "the file is empty"),
    "no frames": (AMC[AMC.index("1\nroot") :], "", 3, "no frames"),
    "before a frame": (":DEGREES\n1\n", ":DEGREES\n", 4, "'root' before the number of the first frame"),
    "unknown bone": ("tibia 40", "tibbia 40", 7, "no bone 'tibbia'; did you mean 'tibia'?"),
    "too few": ("femur -20 5 7", "femur -20 5", 6, "2 numbers for bone 'femur', which has 3 dofs"),
    "not finite": ("tibia 40", "tibia nan", 7, "a number of bone 'tibia' is 'nan'"),
    "bone missing": ("tibia 40\n", "", 7, "frame 1 ends without the bones tibia"),
    "bone twice": ("tibia 40\n", "tibia 40\ntibia 41\n", 8, "bone 'tibia' occurs twice in frame 1"),
    "cut short": ("femur -25 6 8\ntibia 50\n", "", 9, "frame 2 ends without the bones femur, tibia"),
}


@pytest.mark.parametrize(("old", "new", "line", "expected"), AMC_FAULTS.values(), ids=AMC_FAULTS)
def test_broken_motions_are_refused(old: str, new: str, line: int, expected: str, tmp_path: Path) -> None:
    assert old in AMC
    path = write(tmp_path, amc=AMC.replace(old, new))
    with pytest.raises(FileProblem) as caught:
        load_motion(path)
    assert expected in str(caught.value)
    assert caught.value.line == line


def test_frame_numbers_that_jump_are_said(tmp_path: Path) -> None:
    motion = load_motion(write(tmp_path, amc=AMC.replace("\n2\n", "\n7\n")))
    assert len(motion) == 2
    assert any("not consecutive" in note for note in motion.notes)


@settings(max_examples=200)
@given(st.booleans(), st.integers(0, 1200), st.integers(0, 30), st.binary(max_size=6))
def test_mutated_files_are_read_or_refused(tmp_path: Path, skeleton: bool, at: int, length: int, piece: bytes) -> None:
    path = write(tmp_path)
    target = tmp_path / "07.asf" if skeleton else path
    data = bytearray(target.read_bytes())
    data[at : at + length] = piece
    target.write_bytes(data)
    try:
        loaded = load(path)
    except PosewrightError:
        return
    assert not isinstance(loaded, Figure)
