"""Carvalho, Boulic & Thalmann 2009: what motion models and edits promise.

Experiments 4-A to 4-F are in test_carvalho_boulic_thalmann_experiments.py; files, contacts, priorities and bad input in
tests/unit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from posewright import edit
from posewright.clips import reach
from posewright.experiments.clip_sets import IMPACT, STEEP, swing, swings
from posewright.figures.catalogue import chain, human40
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.formats import figure_file, load_figure, load_motion
from posewright.goals import Position
from posewright.models import Latent, MotionModel
from posewright.motions import Motion
from posewright.motions.quality import measures
from posewright.motions.splines import KochanekBartels, ramp
from posewright.solvers.motion import shared


def peak(motion: Motion) -> float:
    """The greatest acceleration of a joint, m/s²."""
    return measures.acceleration_peak(joint_positions(motion.figure, motion.q), motion.fps)


@pytest.fixture(scope="module")
def reaches() -> list[Motion]:
    points = np.random.default_rng(1).uniform((0.1, 0.8, 0.4), (0.5, 1.4, 0.6), size=(8, 3))
    figure = human40()
    return [reach(figure, tuple(point), side="left", duration=1.0, seed=k, fps=20.0) for k, point in enumerate(points)]


@pytest.fixture(scope="module")
def model(reaches: list[Motion]) -> MotionModel:
    return MotionModel.fit(reaches, explained_variance=1.0)


def hand(motion: Motion, frame: int) -> np.ndarray:
    return np.asarray(site_frames(motion.figure, motion.q[frame], ["left_hand"]).points[0])


def test_poses_are_exponential_maps_in_a_chart_safe_beyond_half_a_turn():
    figure = chain(3, length=1.0)
    clips = []
    for k in range(4):
        q = np.zeros((12, figure.n_dofs))
        q[:, 1] = np.radians(np.linspace(170.0 + k, 190.0 + 2 * k, 12))
        clips.append(Motion(figure, q, 30.0))
    model = MotionModel.fit(clips, explained_variance=1.0)
    assert np.abs(np.diff(model.mean, axis=0)).max() < 0.1
    assert np.abs(np.diff(model.modes, axis=1)).max() < 0.1
    assert model.clip_errors.max() < 1e-10


def test_durations_are_normalised_by_slerp_with_exact_ends(reaches):
    clip = reaches[0].resampled(frames=9)
    assert len(clip) == 9
    np.testing.assert_allclose(clip.q[[0, -1]], reaches[0].q[[0, -1]], atol=1e-12)
    np.testing.assert_array_equal(reaches[0].resampled(frames=len(reaches[0])).q, reaches[0].q)


def test_a_share_of_the_variance_gives_the_number_of_modes(reaches):
    asked = (0.5, 0.9, 0.98, 1.0)
    models = [MotionModel.fit(reaches, explained_variance=part) for part in asked]
    assert all(one.explained_variance >= part - 1e-12 for one, part in zip(models, asked, strict=True))
    assert [one.n_modes for one in models] == sorted(one.n_modes for one in models)
    assert models[-1].n_modes == len(reaches) - 1


def test_the_pose_at_a_frame_is_the_slice_of_the_decoded_motion(model, reaches):
    latent = model.encode(reaches[3])
    whole = model.decode(latent)
    space = model.space([float(latent.phases[7])], detail=latent.detail[[7]])
    here = site_frames(space.figure, space.decode(latent.x), ["left_hand", "head"]).points
    there = np.hstack([site_frames(whole.figure, whole.q[7], ["left_hand", "head"]).points, np.zeros((2, 6))])
    np.testing.assert_allclose(here, latent.placement.seen_from(there)[:, :3], atol=1e-9)


def test_a_goal_at_a_key_frame_edits_the_whole_motion_inside_the_pattern(model, reaches):
    source, other = reaches[0], reaches[5]
    result = edit(source, [Position("left_hand", tuple(hand(other, -1)), tolerance=1e-3).at(-1)], space=model)
    assert result.reached
    assert result.solves == 1
    assert (np.abs(result.motion.q - source.q).max(axis=1) > 0.0).all()
    assert peak(result.motion) < 1.5 * max(peak(source), peak(other))
    assert result.latent.distance < max(model.encode(source).distance, model.encode(other).distance) + 1.0


def test_conflicts_are_resolved_by_level(model, reaches):
    source = reaches[0]
    up, down = hand(source, -1) + np.array([0.0, 0.04, 0.0]), hand(source, -1) - np.array([0.0, 0.04, 0.0])
    for first in (1, 2):
        goals = (
            Position("left_hand", tuple(up), priority=first),
            Position("left_hand", tuple(down), priority=3 - first),
        )
        errors = edit(source, [goal.at(-1) for goal in goals], space=model).errors
        assert [error.reached for error in errors.values()] == [first == 1, first == 2]


def test_splines_pass_their_knots_and_ramps_are_smooth():
    path = KochanekBartels([0, 3, 10], [(0.0, 0.0, 0.0), (1.0, 2.0, 0.0), (4.0, 0.0, 1.0)])
    np.testing.assert_allclose(path.at([0, 3, 10]), path.points, atol=1e-12)
    step = 1e-6
    before, after = (path.at(3) - path.at(3 - step)) / step, (path.at(3 + step) - path.at(3)) / step
    np.testing.assert_allclose(before, after, atol=1e-4)
    share = ramp(np.linspace(0.0, 20.0, 2001), 8.0, 12.0, ease_in=4.0, ease_out=4.0)
    assert np.abs(np.diff(share)).max() < 0.01
    assert share[0] == share[-1] == 0.0
    assert share[1000] == 1.0


def test_a_trajectory_has_coordinates_for_every_frame(model, reaches):
    source = reaches[0]
    track = np.array([hand(source, k) for k in range(len(source))])
    frames = np.arange(10, len(source))
    path = KochanekBartels(
        frames, track[frames] + np.linspace(0, 1, len(frames))[:, None] * np.array([0.02, 0.03, 0.0])
    )
    key = Position("left_hand", (0.0, 0.0, 0.0)).along(path, start=10, end=len(source) - 1, ease=(4, 0))
    for pattern in (model, None):  # 74: joint space runs the same goals
        result = edit(source, [key], space=pattern)
        assert result.reached
        np.testing.assert_allclose(hand(result.motion, -1), track[-1] + np.array([0.02, 0.03, 0.0]), atol=1e-3)
    assert edit(source, [key], space=model).latent.x.shape == (len(source), model.n_modes)


def test_coordinates_along_a_path_change_evenly(model, reaches, monkeypatch):
    source = reaches[5]
    track = np.array([hand(source, k) for k in range(len(source))])
    share = np.linspace(0.0, 1.0, len(source))[:, None]
    key = Position("left_hand", (0.0, 0.0, 0.0)).along(track + share * np.array([0.016, -0.012, 0.01]))

    def uneven() -> float:
        result = edit(source, [key], space=model)
        assert result.reached
        return float(np.linalg.norm(np.diff(result.latent.x, 2, axis=0)))

    evenly = uneven()
    monkeypatch.setattr(shared, "_PASSES", 0)
    assert evenly < 0.8 * uneven()


def test_figures_come_from_description_files_and_recordings(reaches, tmp_path):
    (tmp_path / "figure.yaml").write_text(figure_file.to_json(human40()))  # YAML can be written as JSON
    described = load_figure(tmp_path / "figure.yaml")
    clips = []
    for k, clip in enumerate(reaches[:4]):
        clip.save(tmp_path / f"{k}.bvh")
        clips.append(load_motion(tmp_path / f"{k}.bvh"))
    for own in ([replace(clip, figure=described) for clip in reaches[:4]], clips):
        source, other = own[0], own[1]
        there = site_frames(other.figure, other.q[-1], ["left_wrist"]).points[0]
        key = Position("left_wrist", tuple(there), tolerance=1e-3).at(-1)
        assert edit(source, [key], space=MotionModel.fit(own, explained_variance=1.0)).reached


def test_edits_are_saved_as_motion_or_as_coordinates_and_read_again(model, reaches, tmp_path):
    result = edit(reaches[0], [Position("left_hand", tuple(hand(reaches[4], -1))).at(-1)], space=model)
    result.latent.save(tmp_path / "edit.npz")
    again = model.decode(Latent.load(tmp_path / "edit.npz", model))
    assert np.abs(again.q - result.motion.q).max() < 1e-10
    result.motion.save(tmp_path / "edit.bvh")
    assert len(load_motion(tmp_path / "edit.bvh")) == len(result.motion)


def test_goals_name_a_joint_or_a_point_of_the_body(model, reaches):
    for site in ("left_wrist", "left_fingertips"):
        there = site_frames(reaches[2].figure, reaches[2].q[-1], [site]).points[0]
        key = Position(site, tuple(there), tolerance=2e-3).at(-1)
        assert edit(reaches[0], [key], space=model).reached


def test_beyond_the_clips_the_edit_goes_on_and_says_so(model, reaches):
    far = hand(reaches[0], -1) + np.array([0.0, 0.5, 0.0])
    result = edit(reaches[0], [Position("left_hand", tuple(far)).at(-1)], space=model)
    assert any("outside the model" in warning for warning in result.warnings)
    assert np.linalg.norm(hand(result.motion, -1) - far) < 0.25


def test_joints_do_the_last_millimetres_that_only_the_noise_of_the_clips_could():
    source, steep = swing(0.0, seed=3), swing(STEEP, seed=3)
    model = MotionModel.fit(swings(3), explained_variance=1.0)
    sites = {"left_sole": 1, "right_sole": 1, "club_head": 2}
    points = site_frames(steep.figure, steep.q[IMPACT], list(sites)).points.tolist()
    keys = [
        Position(site, tuple(point), priority=priority).at(IMPACT)
        for (site, priority), point in zip(sites.items(), points, strict=True)
    ]
    alone = edit(source, keys, space=model, keep_detail=False)
    result = edit(source, keys, space=model)
    assert result.reached
    assert result.latent.distance < 0.5 * alone.latent.distance
    assert sum("joints do the rest" in warning for warning in result.warnings) >= 1
    assert not any("joints do the rest" in warning for warning in alone.warnings)
    np.testing.assert_allclose(model.decode(result.latent).q, result.motion.q, atol=1e-10)

    def away(motion: Motion) -> float:
        places = [joint_positions(one.figure, one.q) for one in (motion, steep)]
        return float(np.linalg.norm(places[0] - places[1], axis=-1).mean())

    assert away(result.motion) < 0.5 * min(away(alone.motion), away(source))


def test_full_rank_gives_the_clips_back_and_the_jacobian_agrees_with_differences(model, reaches):
    for clip in reaches[:3]:
        latent = model.encode(clip)
        assert np.abs(latent.detail).max() < 1e-9
        assert np.abs(model.decode(latent).q - clip.q).max() < 1e-9
    from posewright.kernels.dense.problem import evaluate
    from posewright.problem import Problem
    from posewright.problem.dense_problem import dense_problem, point_of
    from posewright.problem.lowering import lower

    lowered = lower(Problem(model.space([12.0]), [Position("left_hand", (0.0, 0.0, 0.0))]))
    problem = dense_problem(lowered)
    work = point_of(problem)

    def residual(x: np.ndarray) -> np.ndarray:
        evaluate(problem, lowered.targets, x, work)
        return work.rho.copy()

    x = np.random.default_rng(0).normal(size=model.n_modes)
    residual(x)
    J = work.J.copy()
    step = 1e-6 * np.eye(model.n_modes)
    differences = np.stack([(residual(x + e) - residual(x - e)) / 2e-6 for e in step], axis=1)
    np.testing.assert_allclose(J, differences, atol=1e-6 * np.abs(J).max() + 1e-9)
