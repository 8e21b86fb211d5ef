"""What BVH files leave open is found wherever the figure is, whatever it does, and however the file was made."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posewright as pw
from posewright.figures.kinematics import joint_positions
from posewright.formats import ReadOptions, load_motion
from posewright.formats.bvh import conventions
from posewright.formats.bvh.text import BvhJoint, BvhText, parse
from posewright.formats.bvh.writing import lines
from posewright.motions import Motion

FIGURE = pw.figure("human40")
UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254}
SIX = ("Xposition", "Yposition", "Zposition", "Zrotation", "Xrotation", "Yrotation")


def lying(motion: Motion) -> Motion:
    """The motion on its back: turned about the x axis as a whole, just above the floor."""
    figure = motion.figure.with_balls()
    balls = motion.converted(figure)
    q = balls.q.copy()
    hips = [figure.dof_index(name) for name in figure.dof_names[:6]]
    q[:, hips[3:]] = np.array([-np.pi / 2, 0.0, 0.0])
    lowest = joint_positions(figure, q)[..., 1].min(axis=1)
    q[:, hips[1]] -= lowest - 0.05
    return balls.with_q(q)


WALK = pw.clips.walk(FIGURE)
CLIPS = {
    "walk": WALK,
    "sit": pw.clips.sit(FIGURE),
    "jump": pw.clips.jump(FIGURE),
    "lying": lying(WALK),
    "one frame": WALK[7:8],
}


def text_of(motion: Motion, folder: Path) -> BvhText:
    path = folder / "plain.bvh"
    motion.save(path)
    return parse(bytearray(path.read_bytes()), path)


def z_up(text: BvhText) -> BvhText:
    """The same file with its axes exchanged: y becomes z, and z becomes -y."""
    signs = np.concatenate([[-1.0 if name[0] == "Z" else 1.0 for name in joint.channels] for joint in text.joints])
    swapped = str.maketrans("YZ", "ZY")

    def turned(vector):
        return (vector[0], -vector[2], vector[1])

    joints = [
        replace(
            joint,
            offset=turned(joint.offset),
            channels=tuple(name[0].translate(swapped) + name[1:] for name in joint.channels),
            end_sites=[turned(point) for point in joint.end_sites],
        )
        for joint in text.joints
    ]
    return replace(text, joints=tuple(joints), values=text.values * signs)


def in_unit(text: BvhText, metres: float) -> BvhText:
    factor = 0.01 / metres
    scales = np.concatenate([[factor if n.endswith("position") else 1.0 for n in j.channels] for j in text.joints])
    joints = [
        replace(
            joint,
            offset=tuple(factor * x for x in joint.offset),
            end_sites=[tuple(factor * x for x in point) for point in joint.end_sites],
        )
        for joint in text.joints
    ]
    return replace(text, joints=tuple(joints), values=text.values * scales)


def under_a_parked_root(text: BvhText, offset: tuple[float, float, float]) -> BvhText:
    """The body below a root that stays at the origin while the body travels."""
    joints = [replace(joint, parent=joint.parent + 1) for joint in text.joints]
    joints[0] = replace(joints[0], offset=offset)
    values = np.concatenate([np.zeros((len(text.values), 6)), text.values], axis=1)
    return replace(text, joints=(BvhJoint("Reference", -1, 0, (0.0, 0.0, 0.0), SIX), *joints), values=values)


def read(text: BvhText, folder: Path) -> Motion:
    path = folder / "made.bvh"
    path.write_text("\n".join(lines(text)) + "\n")
    return load_motion(path, ReadOptions(drop_first=False))


@settings(max_examples=60)
@given(
    clip=st.sampled_from(list(CLIPS)),
    unit=st.sampled_from(list(UNITS)),
    up=st.sampled_from("yz"),
    parked=st.booleans(),
    place=st.tuples(*[st.sampled_from([0.0, -0.4, 2.0, -7.0, 40.0])] * 2),
    yaw=st.floats(-3.0, 3.0),
)
def test_unit_and_up_axis_do_not_depend_on_what_is_above_or_on_the_place(
    tmp_path_factory: pytest.TempPathFactory, clip, unit, up, parked, place, yaw
) -> None:
    folder = tmp_path_factory.mktemp("bvh")
    motion = CLIPS[clip].moved((place[0], 0.0, place[1]), yaw)
    text = text_of(motion, folder)
    text = under_a_parked_root(text, (3.0, 95.0, -2.0)) if parked else text
    text = in_unit(z_up(text) if up == "z" else text, UNITS[unit])
    made = read(text, folder)
    source = made.figure.source
    assert (source.up, source.metres_per_unit) == (up, UNITS[unit])
    shared = [made.figure.joint_index(name) for name in motion.figure.joint_names]
    expected = joint_positions(motion.figure, motion.q)
    assert np.abs(joint_positions(made.figure, made.q)[:, shared] - expected).max() < 1e-6


def test_a_doubtful_up_axis_is_said() -> None:
    """Unturned along y, but standing along z, and nowhere near a floor: neither is certain."""
    motion = CLIPS["walk"].moved((0.0, 0.0, -30.0))
    assert not any("doubtful" in note for note in notes_of(motion))
    assert any(
        "up axis" in note and "doubtful" in note for note in notes_of(lying(motion).moved((0.0, 9.0, 0.0), np.pi))
    )


def notes_of(motion: Motion) -> tuple[str, ...]:
    from posewright.formats.bvh.baking import bake
    from posewright.formats.bvh.writing import _description

    return conventions.find_conventions(_description(bake(motion, 0.01)), ReadOptions())[1]


@pytest.mark.parametrize("height", [0.08, 0.3, 0.5, 0.7, 1.0, 1.7, 2.6, 5.0, 60.0])
def test_what_is_written_comes_back_at_any_size(height: float, tmp_path: Path) -> None:
    motion = WALK.with_lengths(overall=height / FIGURE.height)
    path = tmp_path / "sized.bvh"
    motion.save(path)
    again = load_motion(path, ReadOptions(drop_first=False))
    order = [again.figure.joint_index(name) for name in motion.figure.joint_names]
    away = joint_positions(again.figure, again.q)[:, order] - joint_positions(motion.figure, motion.q)
    assert np.abs(away).max() < 1e-6 * height


def test_a_joint_that_travels_below_the_root_is_written_unmistakably(tmp_path: Path) -> None:
    """A root that is parked while the hips move: the OFFSET of the hips must not be added to where they are."""
    root = pw.figures.Joint(name="Root", slides=pw.figures.free_slides(), rotation=pw.figures.Ball())
    hips, *rest = FIGURE.with_balls().joints
    hips = replace(hips, parent="Root", offset=(0.0, 0.9, 0.0), slides=pw.figures.free_slides())
    figure = pw.Figure(name="parked", joints=(root, hips, *rest), sites=FIGURE.sites)
    down = lying(WALK)
    q = np.concatenate([np.zeros((len(down), 6)), down.q], axis=1)
    motion = Motion(figure, q, 60.0)
    path = tmp_path / "parked.bvh"
    motion.save(path)
    again = load_motion(path)
    order = [again.figure.joint_index(name) for name in figure.joint_names]
    away = joint_positions(again.figure, again.q)[:, order] - joint_positions(figure, q)
    assert np.abs(away).max() < 1e-6
