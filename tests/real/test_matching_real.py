"""Matching and transfer on real skeletons: every mapping is the one written by hand, and postures arrive."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from standing import standing_figure

import posewright as pw
from posewright.anatomy import Anatomy
from posewright.anatomy.feet import SOLE_ENDS
from posewright.anatomy.standing import angle
from posewright.errors import FileProblem, InvalidFigure
from posewright.figures.kinematics import joint_frames, joint_positions, site_frames
from posewright.matching import Scaling
from posewright.workflows.retargeting.key_points import FindSourceFeet

MAPS = {
    path.stem: yaml.safe_load(path.read_text()) for path in sorted((Path(__file__).parent / "matches").glob("*.yaml"))
}
FIGURES = [(name, figure) for name, known in MAPS.items() for figure in known["figures"]]
BONES = [
    (f"{side}_{above}", f"{side}_{below}")
    for side in ("left", "right")
    for above, below in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))
]
FREE = [  # every joint turns every way
    "other/nc/bandai1_bow_active_001.bvh",
    "other/makehuman_walk1.bvh",
    "other/makehuman_tpose.bvh",
    "other/threejs_pirouette.bvh",
    "cmu/bvh/07_01.bvh",
]
SOURCES = [
    "cmu/bvh/02_01.bvh",
    "cmu/bvh/64_01.bvh",
    "cmu/bvh/118_01.bvh",
    "other/nc/bandai1_bow_active_001.bvh",
    "other/makehuman_walk1.bvh",
    "other/pymo_8walk.bvh",
    "other/pybvh_xzy_zup.bvh",
]


def figure_of(data_folder: Path, name: str) -> pw.Figure:
    if "/" not in name:
        return pw.figure(name)
    try:
        return standing_figure(data_folder / name)
    except FileProblem as problem:
        if "cannot read a file with suffix" not in str(problem):
            raise
        return pytest.skip(f"this version does not read {Path(name).suffix} files")


def motion_of(data_folder: Path, name: str) -> pw.Motion:
    """About 150 frames of a clip."""
    motion = pw.motion(data_folder / name)
    return motion[:: max(1, len(motion) // 150)]


@pytest.mark.parametrize(("known", "name"), FIGURES, ids=[name for _, name in FIGURES])
def test_every_mapping_is_the_one_written_by_hand(data_folder, known, name):
    figure = figure_of(data_folder, name)
    anatomy = figure.anatomy
    assert {part: list(joints) for part, joints in anatomy.parts.items()} == MAPS[known]["parts"]
    assert min(anatomy.confidence.values()) > 0.6


@pytest.mark.parametrize("name", ["other/nc/bandai1_bow_active_001.bvh", "other/nc/bandai1_kick_normal_001.bvh"])
def test_a_rest_pose_without_meaning_does_not_disturb_the_mapping(data_folder, name):
    anatomy = pw.figure(data_folder / name).anatomy
    assert {part: list(joints) for part, joints in anatomy.parts.items()} == MAPS["bandai_namco"]["parts"]


@pytest.mark.parametrize("name", ["other/fairmotion_sinusoidal.bvh", "other/momentum_simple.bvh"])
def test_what_is_no_person_is_refused(data_folder, name):
    with pytest.raises(InvalidFigure, match=r"could be recognised as .*left knee.*; name them in a match file"):
        pw.JointMatch.between(pw.figure("human40"), pw.figure(data_folder / name))


def bone_angles(source: pw.Motion, target: pw.Motion, match: pw.JointMatch) -> np.ndarray:
    """(bones, frames), rad"""
    ours, theirs = match.source.segments, match.target.segments
    a, b = joint_positions(source.figure, source.q), joint_positions(target.figure, target.q)
    pairs = [(u, v) for u, v in BONES if u in match.parts and v in match.parts]
    return np.array(
        [
            angle(a[:, ours.centre(v)] - a[:, ours.centre(u)], b[:, theirs.centre(v)] - b[:, theirs.centre(u)])
            for u, v in pairs
        ]
    )


def lefts(motion: pw.Motion, anatomy: Anatomy) -> np.ndarray:
    at = joint_positions(motion.figure, motion.q)
    return at[:, anatomy.first("left_hip")] - at[:, anatomy.first("right_hip")]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("target", FREE)
def test_bones_point_alike_on_figures_that_turn_every_way(data_folder, source, target):
    motion, figure = motion_of(data_folder, source), figure_of(data_folder, target)
    match = pw.JointMatch.between(motion.figure, figure)
    carried = match.transfer(motion)
    assert bone_angles(motion, carried, match).max() < 1e-6
    assert carried.notes == ()


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("target", ["human40", "abnorman1"])
def test_built_in_figures_stand_face_and_tread_like_the_source(data_folder, source, target):
    motion, figure = motion_of(data_folder, source), figure_of(data_folder, target)
    match = pw.JointMatch.between(motion.figure, figure)
    carried = match.transfer(motion)
    assert np.all((carried.q >= figure.lower) & (carried.q <= figure.upper))
    assert np.degrees(bone_angles(motion, carried, match)).mean() < 1.0
    heads = joint_frames(figure, carried.q).positions
    up = heads[:, match.target.first("neck")] - heads[:, match.target.first("pelvis")]
    at = joint_positions(motion.figure, motion.q)
    own_up = at[:, match.source.first("head")] - at[:, match.source.first("pelvis")]
    assert np.degrees(angle(up, own_up)).max() < 20.0
    assert np.degrees(angle(lefts(carried, match.target), lefts(motion, match.source))).max() < 10.0


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("target", ["human40", *FREE])
def test_feet_are_near_the_floor_as_often_as_the_source_has_them_there(data_folder, source, target):
    motion, figure = motion_of(data_folder, source), figure_of(data_folder, target).with_soles()
    match = pw.JointMatch.between(motion.figure, figure)
    carried = match.transfer(motion)
    motion = motion.with_standing_rest().with_soles()
    match = pw.JointMatch(match.source.on(motion.figure), match.target)
    wanted = Scaling.between(motion, match)(FindSourceFeet(match).over(motion.q).soles)
    lowest = site_frames(figure, carried.q, SOLE_ENDS).points[..., 1].min(axis=1)
    assert abs(np.median(lowest)) < 0.03
    assert abs(np.quantile(wanted[..., 1].min(axis=1), 0.1)) < 0.05
    soles = site_frames(figure, carried.q, ["left_sole", "right_sole"]).points
    assert np.linalg.norm(soles - wanted, axis=-1).max() < 0.15


def test_golf_swings_keep_both_hands_together(data_folder):
    """The hands on the club: arms keep their directions, so that wrists stay about a hand's breadth apart."""
    motion = motion_of(data_folder, "cmu/bvh/64_01.bvh")
    for target in ("human40", "other/threejs_pirouette.bvh"):
        figure = figure_of(data_folder, target)
        match = pw.JointMatch.between(motion.figure, figure)
        carried = match.transfer(motion)
        at = joint_positions(figure, carried.q)
        apart = np.linalg.norm(
            at[:, match.target.first("left_wrist")] - at[:, match.target.first("right_wrist")], axis=1
        )
        assert np.median(apart) < 0.3


def test_the_g1_robot_keeps_its_limits_and_points_alike(data_folder):
    figure = figure_of(data_folder, "robots/unitree_g1/g1_29dof_kinematics.urdf").with_soles()
    for source in ("cmu/bvh/02_01.bvh", "cmu/bvh/64_01.bvh", "other/nc/bandai1_bow_active_001.bvh"):
        motion = motion_of(data_folder, source)
        match = pw.JointMatch.between(motion.figure, figure)
        carried = match.transfer(motion)
        assert np.all((carried.q >= figure.lower) & (carried.q <= figure.upper))
        assert np.degrees(bone_angles(motion, carried, match)).mean() < 2.0
        lowest = site_frames(figure, carried.q, SOLE_ENDS).points[..., 1].min(axis=1)
        assert abs(np.median(lowest)) < 0.03
