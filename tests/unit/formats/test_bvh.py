"""Reading BVH: positions as an independent program finds them, dialects, and what was assumed."""

from pathlib import Path

import numpy as np
import pybvh
import pytest
from bvh_samples import Sample

from posewright.clips import walk
from posewright.errors import FileProblem
from posewright.figures import Figure
from posewright.figures.catalogue import build
from posewright.figures.kinematics import site_frames
from posewright.formats import ReadOptions, load, load_motion
from posewright.motions import Motion


def read(folder: Path, text: str, **options: object) -> Motion:
    path = folder / "sample.bvh"
    path.write_bytes(text.encode())
    return load_motion(path, ReadOptions(**options))


def node_points(motion: Motion) -> np.ndarray:
    """World points of joints and tips in the order of the file."""
    figure = motion.figure
    tips = {site.joint: site.name for site in figure.sites}
    order = [name for joint in figure.joint_names for name in (joint, tips.get(joint)) if name]
    return site_frames(figure, motion.q, order).points


DIALECTS = {
    "plain": Sample(),
    "orders": Sample(channels={"Spine": "Xrotation Zrotation Yrotation", "LeftArm": "Yrotation Xrotation Zrotation"}),
    "rotations_first": Sample(root_channels="Yrotation Xrotation Zrotation Xposition Yposition Zposition"),
    "no_tips": Sample(end_sites=False),
    "metres": Sample(unit=1.0, digits=9),
    "millimetres": Sample(unit=0.001),
    "inches": Sample(unit=0.0254),
}


@pytest.mark.parametrize("sample", DIALECTS.values(), ids=DIALECTS)
def test_positions_equal_those_of_pybvh(sample: Sample, tmp_path: Path) -> None:
    motion = read(tmp_path, sample.text())
    expected = pybvh.read_bvh_file(str(tmp_path / "sample.bvh")).node_positions()
    assert motion.figure.source.metres_per_unit == sample.unit
    found = node_points(motion) / sample.unit
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max() + 1e-9


def test_z_up_files_stand_upright_and_keep_their_channel_values(tmp_path: Path) -> None:
    sample = Sample(up="z")
    motion = read(tmp_path, sample.text())
    assert motion.figure.source.up == "z"
    expected = pybvh.read_bvh_file(str(tmp_path / "sample.bvh")).node_positions() * sample.unit
    x, y, z = np.moveaxis(expected, -1, 0)
    assert np.allclose(node_points(motion), np.stack([x, z, -y], axis=-1), atol=1e-9)
    assert np.allclose(motion.q[:, :3] / sample.unit, sample.values()[:, :3])
    told = read(tmp_path, sample.text(), up="y")
    assert told.figure.source.up == "y"
    assert np.allclose(node_points(told), expected, atol=1e-9)


def test_positions_on_all_joints_replace_the_offset(tmp_path: Path) -> None:
    six = "Xposition Yposition Zposition Zrotation Yrotation Xrotation"
    plain = read(tmp_path, Sample(channels={}).text())
    sample = Sample(channels={name: six for name, parent, _ in Sample.JOINTS if parent})
    motion = read(tmp_path, sample.text())
    assert all(joint.slides_replace_offset for joint in motion.figure.joints)
    hinges = [k for k, dof in enumerate(motion.figure.dof_names) if ".r" in dof]
    same_pose = np.array(plain.q[:, [k for k, dof in enumerate(plain.figure.dof_names) if ".r" in dof]])
    q = motion.q.copy()
    q[:, hinges], q[:, :3] = same_pose, plain.q[:, :3]
    assert np.allclose(node_points(Motion(motion.figure, q, 30.0)), node_points(plain), atol=1e-7)
    assert any("replace OFFSET" in note for note in motion.figure.source.notes)


def test_positions_near_zero_are_added_to_the_offset(tmp_path: Path) -> None:
    six = "Xposition Yposition Zposition Zrotation Yrotation Xrotation"
    sample = Sample(channels={"Spine": six, "LeftArm": six, "LeftLeg": six})
    values = sample.values()
    first = 0
    for name, parent, _ in Sample.JOINTS:
        channels = sample.channel_names(name)
        if parent and len(channels) == 6:
            values[:, first : first + 3] = 0.0
        first += len(channels)
    rows = "\n".join(" ".join(map(str, row)) for row in values)
    text = f"{sample.hierarchy()}\nMOTION\nFrames: 5\nFrame Time: 0.1\n{rows}\n"
    motion = read(tmp_path, text)
    assert not motion.figure.joint("LeftArm").slides_replace_offset
    assert any("added to OFFSET" in note for note in motion.figure.source.notes)
    assert 1.4 < np.ptp(node_points(motion)[0, :, 1]) < 2.0
    collapsed = node_points(read(tmp_path, text, position_channels="replace"))
    assert np.allclose(collapsed[:, 1], collapsed[:, 0])  # the spine sits on the hips, where its channels say


def test_a_root_offset_is_replaced_unless_adding_it_puts_the_figure_on_the_floor(tmp_path: Path) -> None:
    absolute = Sample(root_offset=(0.0, 0.9, 0.3))
    motion = read(tmp_path, absolute.text())
    assert motion.figure.joints[0].slides_replace_offset
    assert np.allclose(node_points(motion)[:, 0], motion.q[:, :3])
    relative = absolute.values()
    relative[:, 1] -= 90.0
    rows = "\n".join(" ".join(map(str, row)) for row in relative)
    text = f"{absolute.hierarchy()}\nMOTION\nFrames: 5\nFrame Time: 0.1\n{rows}\n"
    motion = read(tmp_path, text)
    assert not motion.figure.joints[0].slides_replace_offset
    assert np.allclose(node_points(motion)[:, 0, 1], absolute.values()[:, 1] * 0.01)
    assert any("added to its OFFSET" in note for note in motion.figure.source.notes)


def test_every_assumption_is_said_and_can_be_told(tmp_path: Path) -> None:
    notes = read(tmp_path, Sample().text()).figure.source.notes
    assert any(note.startswith("unit: assumed centimetre") for note in notes)
    assert any(note.startswith("up axis: assumed Y") for note in notes)
    told = read(tmp_path, Sample().text(), metres_per_unit=0.02, up="y", fps=60.0, position_channels="add")
    assert (told.figure.source.metres_per_unit, told.fps) == (0.02, 60.0)
    assert all("assumed" not in note for note in (*told.figure.source.notes, *told.notes))
    assert read(tmp_path, Sample().text()).fps == 1.0 / 0.0333333


def test_cmu_joint_names_decide_the_unit(tmp_path: Path) -> None:
    names = {"Spine": "LowerBack", "Head": "Neck1", "LeftLeg": "LeftUpLeg", "RightLeg": "RightUpLeg"}
    motion = read(tmp_path, Sample(unit=0.0254 / 0.45, names=names).text())
    assert motion.figure.source.metres_per_unit == 0.0254 / 0.45


def test_duplicate_names_are_kept_apart(tmp_path: Path) -> None:
    motion = read(tmp_path, Sample(names={"LeftFoot": "Foot", "RightFoot": "Foot"}).text())
    assert {"Foot", "Foot_2"} < set(motion.figure.joint_names)
    assert {"Foot_end", "Foot_2_end"} < set(motion.figure.site_names)
    assert any("Foot_2" in note for note in motion.figure.source.notes)


def test_names_may_hold_blanks_dots_and_letters_of_any_language(tmp_path: Path) -> None:
    names = {"Spine": "mixamorig:Spine", "Head": "Tête du héros", "LeftArm": "upperarm01.L"}
    assert set(names.values()) < set(read(tmp_path, Sample(names=names).text()).figure.joint_names)


DISGUISES = {
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "cr": lambda text: text.replace("\n", "\r"),
    "tabs": lambda text: text.replace(" ", "\t").replace("End\tSite", "End Site").replace("Frame\tTime", "Frame Time"),
    "lower_case": lambda text: "\n".join(
        line if line.split()[:1] in (["ROOT"], ["JOINT"]) else line.lower() for line in text.split("\n")
    ),
    "no_final_newline": lambda text: text.rstrip(),
    "blank_lines": lambda text: text.replace("\n", "  \n\n"),
    "no_blank_after_colon": lambda text: text.replace("Frames: ", "Frames:").replace("Time: ", "Time:"),
    "brace_on_the_line": lambda text: text.replace("\n\t{", " {").replace("\n{", "{"),
    "byte_order_mark": lambda text: "\ufeff" + text,
}


@pytest.mark.parametrize("disguise", DISGUISES.values(), ids=DISGUISES)
def test_dialects_of_the_text_mean_the_same(disguise, tmp_path: Path) -> None:
    plain, disguised = read(tmp_path, Sample().text()), read(tmp_path, disguise(Sample().text()))
    assert disguised.figure == plain.figure
    assert np.array_equal(disguised.q, plain.q)
    assert disguised.fps == plain.fps


def test_comments_are_skipped_and_said(tmp_path: Path) -> None:
    motion = read(tmp_path, "# by hand\n" + Sample().text().replace("\tOFFSET", "\t# here\n\tOFFSET", 1))
    assert np.array_equal(motion.q, read(tmp_path, Sample().text()).q)
    assert "2 comment lines (#) skipped" in read(tmp_path, "#\n#\n" + Sample().text()).figure.source.notes


def test_angles_beyond_a_full_turn_are_kept(tmp_path: Path) -> None:
    text = Sample(frames=1).text()
    head, _, row = text.rstrip().rpartition("\n")
    numbers = row.split()
    numbers[4] = "725.5"
    motion = read(tmp_path, f"{head}\n{' '.join(numbers)}\n")
    assert np.isclose(np.degrees(motion.q[0, 4]), 725.5)


def test_row_counts_that_differ_from_the_header_are_said(tmp_path: Path) -> None:
    for stated in (3, 9):
        motion = read(tmp_path, Sample().text().replace("Frames: 5", f"Frames: {stated}"))
        assert len(motion) == 5
        assert f"the header states {stated} frames, the file has 5; all 5 are used" in motion.notes


def test_no_frames_is_a_figure(tmp_path: Path) -> None:
    path = tmp_path / "skeleton.bvh"
    path.write_text(f"{Sample().hierarchy()}\nMOTION\nFrames: 0\nFrame Time: 0.1\n")
    figure = load(path)
    assert isinstance(figure, Figure)
    assert figure.source.metres_per_unit == 0.01


def test_joints_with_few_or_no_channels(tmp_path: Path) -> None:
    sample = Sample(channels={"Spine": "Xrotation", "Head": "", "LeftArm": "Zrotation Xrotation"})
    motion = read(tmp_path, sample.text())
    assert [joint.n_dofs for joint in motion.figure.joints[:4]] == [6, 1, 0, 2]
    assert np.array_equal(np.round(np.degrees(motion.q[:, 3:]), 6), sample.values()[:, 3:])


DOG = """HIERARCHY
ROOT Body
{
    OFFSET 0 0 0
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    JOINT Front { OFFSET 0 0 40 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 -50 0 } }
    JOINT Head { OFFSET 0 15 50 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 5 20 } }
    JOINT Back { OFFSET 0 0 -30 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 -50 0 } }
}
MOTION
Frames: 1
Frame Time: 0.04
0 50 0 0 0 0 5 5 5 5 5 5 5 5 5
"""


def test_an_animal_longer_than_tall_does_not_fall_on_its_nose(tmp_path: Path) -> None:
    dog = read(tmp_path, DOG)
    assert dog.figure.source.up == "y"
    assert any("up axis" in note and "doubtful" in note for note in dog.figure.source.notes)


def test_several_roots_are_several_bodies(tmp_path: Path) -> None:
    body = DOG[DOG.index("ROOT") : DOG.index("MOTION")]
    text = DOG.replace(body, body + body.replace("ROOT Body", "ROOT Other")).replace(
        "5 5 5\n", "5 5 5 " * 2 + "1 2 3 4 5 6 7 8 9 1 2 3\n"
    )
    motion = read(tmp_path, text)
    assert motion.figure.parents.count(-1) == 2
    motion.save(tmp_path / "again.bvh")
    assert np.allclose(load_motion(tmp_path / "again.bvh").q, motion.q)


def test_a_file_longer_than_memory_is_read_in_pieces(tmp_path: Path, monkeypatch) -> None:
    from posewright.formats import bvh

    path = tmp_path / "walk.bvh"
    walk(build("human40"), seed=1, fps=30.0).save(path)
    whole = load_motion(path)
    monkeypatch.setattr(bvh, "LONG", 1)
    for piece in (path.read_bytes().index(b"Frame Time:") + 100, path.stat().st_size - 10):
        monkeypatch.setattr(bvh, "PIECE", piece)
        mapped = bvh._read_text(path).values
        assert isinstance(mapped, np.memmap)
        motion = load_motion(path)
        assert (motion.q == whole.q).all()
        assert (motion.figure, motion.fps, motion.notes) == (whole.figure, whole.fps, whole.notes)
    path.write_bytes(path.read_bytes() + b"1 2 3\n")
    with pytest.raises(FileProblem, match=r"line \d+: .*3 numbers"):
        load_motion(path)
