"""Writing BVH: files come back as they were, other figures with every point in its place."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bvh_samples import Sample
from hypothesis import given, settings
from hypothesis import strategies as st

import posewright as pw
from posewright.figures.kinematics import site_frames
from posewright.formats import ReadOptions, load_motion
from posewright.formats.bvh.text import BvhText, parse
from posewright.motions import Motion

SIX = "Xposition Yposition Zposition Zrotation Yrotation Xrotation"
SAMPLES = {
    "plain": Sample(),
    "orders": Sample(channels={"Spine": "Xrotation Zrotation Yrotation", "LeftArm": "Yrotation Xrotation Zrotation"}),
    "rotations_first": Sample(root_channels="Yrotation Xrotation Zrotation Zposition Xposition Yposition"),
    "interleaved": Sample(root_channels="Xposition Zrotation Yposition Yrotation Zposition Xrotation"),
    "positions_everywhere": Sample(channels={name: SIX for name, parent, _ in Sample.JOINTS if parent}),
    "few_channels": Sample(channels={"Spine": "Xrotation", "Head": "", "LeftArm": "Zrotation Xrotation"}),
    "proper_euler": Sample(channels={"Spine": "Zrotation Xrotation Zrotation"}),
    "no_tips": Sample(end_sites=False),
    "z_up": Sample(up="z"),
    "z_up_rotations_first": Sample(up="z", root_channels="Yrotation Xrotation Zrotation Yposition Xposition Zposition"),
    "duplicate_names": Sample(names={"LeftFoot": "Foot", "RightFoot": "Foot"}),
    "root_offset": Sample(root_offset=(0.1, 0.9, 0.3)),
    "many_digits": Sample(digits=12),
    "inches": Sample(unit=0.0254),
}


def described(path: Path) -> tuple[list[tuple[object, ...]], BvhText]:
    text = parse(bytearray(path.read_bytes()), path)
    return [(j.name, j.parent, j.offset, j.channels, j.end_sites) for j in text.joints], text


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_a_file_comes_back_as_it_was(sample: Sample, tmp_path: Path) -> None:
    original, again = tmp_path / "original.bvh", tmp_path / "again" / "original.bvh"
    again.parent.mkdir()
    original.write_text(sample.text())
    motion = load_motion(original)
    motion.save(again)
    (joints, text), (joints_again, text_again) = described(original), described(again)
    assert joints_again == joints
    assert np.array_equal(text_again.values, text.values)
    assert text_again.frame_time == text.frame_time
    assert load_motion(again).figure == motion.figure


@settings(max_examples=50)
@given(st.floats(1e-3, 2e3))
def test_any_frame_rate_survives(tmp_path_factory: pytest.TempPathFactory, fps: float) -> None:
    path = tmp_path_factory.mktemp("rate") / "a.bvh"
    figure = pw.Figure(name="a", joints=[pw.figures.Joint(name="a", rotation=pw.figures.Ball())])
    Motion(figure, np.zeros((1, 3)), fps).save(path)
    assert np.isclose(load_motion(path).fps, fps, rtol=1e-15, atol=0.0)


def random_motion(figure: pw.Figure, frames: int = 40, seed: int = 3) -> Motion:
    rng = np.random.default_rng(seed)
    return Motion(figure, np.cumsum(rng.normal(scale=0.2, size=(frames, figure.n_dofs)), axis=0), 60.0)


def points_after_writing(motion: Motion, folder: Path) -> tuple[np.ndarray, np.ndarray, Motion]:
    path = folder / "baked.bvh"
    motion.save(path)
    read = load_motion(path, ReadOptions(up="y"))
    names = (*motion.figure.joint_names, *(site.name for site in motion.figure.sites if site.tip))
    # End Sites are called after their joints when read.
    tips = {site.joint: site.name for site in read.figure.sites}
    theirs = [tips[motion.figure.site(n).joint] if n in motion.figure.site_names else n for n in names]
    return (
        site_frames(motion.figure, motion.q, names).points,
        site_frames(read.figure, read.q, theirs).points,
        read,
    )


def test_any_figure_is_baked_with_every_point_in_its_place(mixed_figure: pw.Figure, tmp_path: Path) -> None:
    expected, found, read = points_after_writing(random_motion(mixed_figure), tmp_path)
    assert np.abs(found - expected).max() < 1e-9
    assert all(joint.rest == (1.0, 0.0, 0.0, 0.0) for joint in read.figure.joints)
    assert read.fps == 60.0


def test_the_unposed_baked_figure_looks_as_the_figure_at_zero(mixed_figure: pw.Figure, tmp_path: Path) -> None:
    motion = Motion(mixed_figure, np.zeros((2, mixed_figure.n_dofs)), 30.0)
    expected, found, read = points_after_writing(motion, tmp_path)
    assert np.abs(found - expected).max() < 1e-12
    turns = [k for k, dof in enumerate(read.figure.dof_names) if ".r" in dof]
    assert np.abs(read.q[:, turns]).max() < 1e-12


def test_baked_angles_do_not_jump(mixed_figure: pw.Figure, tmp_path: Path) -> None:
    turning = np.zeros((200, mixed_figure.n_dofs))
    turning[:, mixed_figure.dof_index("root.wy")] = np.linspace(0.0, 12.0, 200)
    _, _, read = points_after_writing(Motion(mixed_figure, turning, 60.0), tmp_path)
    assert np.abs(np.diff(read.q, axis=0)).max() < 0.1
    assert np.isclose(read.q[-1, read.figure.dof_index("root.ry")], 12.0)


def test_balls_made_of_hinges_are_written_in_their_own_order(tmp_path: Path) -> None:
    hinges = tuple(pw.figures.Hinge(axis=axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    figure = pw.Figure(
        name="two",
        joints=[
            pw.figures.Joint(name="root", slides=pw.figures.free_slides(), rotation=pw.figures.Ball()),
            pw.figures.Joint(
                name="child", parent="root", offset=(0.0, 1.0, 0.0), rotation=pw.figures.Ball(hinges=hinges)
            ),
        ],
    )
    expected, found, read = points_after_writing(random_motion(figure), tmp_path)
    assert np.abs(found - expected).max() < 1e-9
    assert read.figure.source.channels[0][3:] == ("Zrotation", "Xrotation", "Yrotation")
    assert read.figure.source.channels[1] == ("Xrotation", "Yrotation", "Zrotation")


def test_gimbal_lock_keeps_the_place(tmp_path: Path) -> None:
    figure = pw.Figure(
        name="one",
        joints=[pw.figures.Joint(name="root", rotation=pw.figures.Ball())],
        sites=[pw.figures.Site(name="tip", joint="root", point=(0.3, 0.5, 0.7), tip=True)],
    )
    rng = np.random.default_rng(0)
    # The middle angle of z, x, y is about x: a quarter turn about x locks it, also almost.
    q = np.array([[np.pi / 2 + error, 0.0, 0.0] for error in (0.0, 1e-12, -1e-9, 1e-6)])
    q = np.concatenate([q, q + rng.normal(scale=1e-8, size=q.shape)])
    expected, found, _ = points_after_writing(Motion(figure, q, 30.0), tmp_path)
    assert np.abs(found - expected).max() < 1e-9


def test_a_changed_figure_no_longer_trusts_its_file(tmp_path: Path) -> None:
    path = tmp_path / "original.bvh"
    path.write_text(Sample(root_channels="Yrotation Xrotation Zrotation Xposition Yposition Zposition").text())
    motion = load_motion(path)
    spine = replace(motion.figure.joint("Spine"), rest=(0.8, 0.6, 0.0, 0.0))
    joints = tuple(spine if joint.name == "Spine" else joint for joint in motion.figure.joints)
    bent = Motion(replace(motion.figure, joints=joints), motion.q, motion.fps)
    expected, found, _ = points_after_writing(bent, tmp_path)
    assert np.abs(found - expected).max() < 1e-9


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(Sample().text())
    motion = load_motion(path)
    before = path.read_bytes()

    def broken(_: BvhText):
        yield "HIERARCHY"
        raise KeyboardInterrupt

    monkeypatch.setattr("posewright.formats.bvh.writing.lines", broken)
    with pytest.raises(KeyboardInterrupt):
        motion.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.bvh"]
