"""Posture databases of recordings: performers of different sizes share one, defects and copies stay out."""

from pathlib import Path

import numpy as np
import pytest

from posewright.figures import Pose
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.formats import ReadOptions, load_motion
from posewright.goals import Position
from posewright.models import Postures
from posewright.models.postures.distance import PostureMetric, normalised
from posewright.motions import Motion
from posewright.problem import Problem
from posewright.workflows.design import PostureDesigner

CLIPS = ("02_01", "07_05", "16_05", "64_03", "115_06", "75_20", "49_06")
SITES = ("LeftHand", "RightHand", "LeftToeBase", "RightToeBase", "Head")


@pytest.fixture(scope="module")
def clips(data_folder: Path) -> list[Motion]:
    folder = data_folder / "cmu" / "bvh"
    return [load_motion(folder / f"{name}.bvh", ReadOptions(drop_first=True)) for name in CLIPS]


@pytest.fixture(scope="module")
def database(clips) -> Postures:
    return Postures.build(clips, threshold=0.1)


def test_clips_of_several_performers_make_one_database(clips, database):
    assert len({clip.figure for clip in clips}) > 3
    assert database.clips == CLIPS
    assert 50 < len(database) < 0.2 * database.n_read
    D = PostureMetric(database.figure).distances(database.q, database.q)
    assert D[~np.eye(len(D), dtype=bool)].min() > 0.1


def test_every_recorded_pose_is_like_one_of_them(clips, database):
    metric = PostureMetric(database.figure)
    for clip in clips:
        names = [clip.figure.joint_names, database.figure.joint_names]
        assert names[0] == names[1]
        turned = np.hstack([np.zeros((len(clip), 3)), clip.q[:, 3:]])  # joints alone: lengths and places differ
        assert metric.distances(turned[::7], database.q).min(axis=1).max() <= 0.1 + 1e-5


def test_each_performer_wears_the_postures_at_its_own_size(clips, database):
    for clip in clips[1:4]:
        on = database.on(clip.figure)
        assert on.unshared == ()
        np.testing.assert_allclose(on.q[:, 3:], database.q[:, 3:], atol=1e-12)
        heights = on.q[:, 1] / database.q[:, 1]
        assert heights.max() - heights.min() < 1e-9


def test_a_recorded_pose_is_found_by_five_points_of_it(clips, database):
    clip = clips[4]
    on = database.on(clip.figure)
    blocks = []
    frame = 99
    frames = site_frames(clip.figure, clip.q[frame], ["Hips", *SITES])
    root_from_world = np.stack([frames.x_axes[0], frames.y_axes[0], np.cross(frames.x_axes[0], frames.y_axes[0])])
    for k, site in enumerate(SITES):
        blocks.append((on.values(site), root_from_world @ (frames.points[k + 1] - frames.points[0]), 1.0))
    rows, distances, _ = on.nearest(blocks, 5)
    assert database.clips[database.clip[rows[0]]] == "115_06"
    assert distances[0] < 0.35  # m, over all five


def test_frames_marked_as_defective_can_be_cut_out_before(data_folder):
    clip = load_motion(data_folder / "cmu" / "bvh" / "07_12.bvh", ReadOptions(drop_first=True))
    database = Postures.build([clip[1:]], threshold=0.05)
    assert 0 < len(database) < len(clip)


def test_poses_of_another_performer_are_rebuilt_nearer_than_from_standing(clips, data_folder):
    whole = load_motion(data_folder / "cmu" / "bvh" / "08_01.bvh", ReadOptions(drop_first=False))
    figure = whole.figure.with_balls()
    standing = Pose(figure, normalised(figure, whole.pose(0).converted(figure).q))
    raised = standing.with_values({"Hips.ty": -float(joint_positions(figure, standing.q)[:, 1].min())})
    recorded = normalised(figure, whole[20::40].converted(figure).q)
    goals = [Position(site, raised.point(site)) for site in SITES]
    database = Postures.build(clips, threshold=0.1)
    nothing = Postures.build([], figure=figure)
    errors = []
    ways = [PostureDesigner(Problem(figure, goals), postures, start=raised) for postures in (nothing, database)]
    for q in recorded:
        targets = dict(zip(SITES, site_frames(figure, q, SITES).points, strict=True))
        made = [way.solve(targets) for way in ways]
        assert all(one.reached for one in made)
        places = joint_positions(figure, np.stack([q, *(one.pose.q for one in made)]))
        errors.append(np.linalg.norm(places[1:] - places[0], axis=2).mean(axis=1))
    from_standing, designed = np.median(errors, axis=0)
    assert designed < 0.6 * from_standing
