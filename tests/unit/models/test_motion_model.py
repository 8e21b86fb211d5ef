"""Motion models: encode and decode, modes and variance, spaces, files, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.clips import jump
from posewright.errors import FileProblem, InvalidMotion, InvalidSetting
from posewright.figures.catalogue import chain, human40
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.goals import Position
from posewright.kernels.tables import SLIDE
from posewright.models import Latent, MotionModel
from posewright.models.alignment import continuous
from posewright.models.floor_placement import FloorPlacement
from posewright.models.motion_model import _principal_modes
from posewright.motions import Motion


@pytest.fixture(scope="module")
def jumps() -> list[Motion]:
    figure = human40()
    return [
        jump(figure, length=length, height=0.2 + 0.1 * style, style=style, seed=k)
        for k, (length, style) in enumerate((a, b) for a in (0.4, 0.8, 1.2) for b in (0.0, 1.0))
    ]


@pytest.fixture(scope="module")
def model(jumps: list[Motion]) -> MotionModel:
    return MotionModel.fit(jumps, explained_variance=0.95, frames=30)


def turning(angles: np.ndarray) -> Motion:
    """A chain whose first ball turns about one axis."""
    figure = chain(3, length=1.0)
    q = np.zeros((len(angles), figure.n_dofs))
    q[:, 0] = angles
    return Motion(figure, q, 30.0)


def test_a_clip_encoded_and_decoded_is_the_clip(model, jumps):
    clip = jumps[2].moved((1.0, 0.0, -2.0), 0.7)
    latent = model.encode(clip)
    assert np.abs(model.decode(latent).q - clip.q).max() < 1e-10
    assert len(latent.phases) == len(clip)


def test_place_and_heading_do_not_change_the_coordinates(model, jumps):
    here, there = model.encode(jumps[1]), model.encode(jumps[1].moved((3.0, 0.0, 1.0), -2.0))
    np.testing.assert_allclose(there.x, here.x, atol=1e-9)
    assert there.placement.yaw - here.placement.yaw == pytest.approx(-2.0)


def test_modes_explain_the_variance_asked_and_more_modes_explain_more(jumps):
    asked = (0.5, 0.9, 0.98, 1.0)
    models = [MotionModel.fit(jumps, explained_variance=part, frames=20) for part in asked]
    assert all(model.explained_variance >= part - 1e-12 for model, part in zip(models, asked, strict=True))
    sizes = [model.n_modes for model in models]
    assert sizes == sorted(sizes)
    assert sizes[-1] <= len(jumps) - 1
    assert models[-1].is_full_rank
    assert models[-1].clip_errors.max() < 1e-10
    assert not models[0].is_full_rank


def test_clips_have_unit_spread_along_every_mode(jumps):
    model = MotionModel.fit(jumps, explained_variance=1.0, frames=20)
    x = np.array([model.encode(clip).x for clip in jumps])
    np.testing.assert_allclose(x.std(axis=0, ddof=1), 1.0, atol=1e-2)
    np.testing.assert_allclose(x.mean(axis=0), 0.0, atol=1e-2)


def test_rotations_beyond_half_a_turn_do_not_jump():
    clips = [turning(np.radians(np.linspace(150.0 + k, 210.0 + 3 * k, 20))) for k in range(4)]
    model = MotionModel.fit(clips, explained_variance=1.0, frames=20)
    assert model.clip_errors.max() < 1e-10
    assert np.abs(np.diff(model.mean, axis=0)).max() < np.radians(8.0)


def test_a_pose_of_the_model_is_a_frame_of_its_decoded_motion(model):
    rng = np.random.default_rng(1)
    x = rng.normal(size=model.n_modes)
    motion = model.decode(Latent(x, np.arange(model.n_frames, dtype=float), FloorPlacement(), model.fps))
    for frame in (0, 11, 29):
        q = model.space([frame]).decode(x)
        np.testing.assert_allclose(
            joint_positions(model.balls, q), joint_positions(motion.figure, motion.q[[frame]]).reshape(-1, 3), atol=1e-9
        )


def test_a_space_has_the_frames_of_the_motion_seen_from_where_it_begins(model, jumps):
    clip = jumps[3].moved((1.0, 0.0, 2.0), 1.2)
    latent = model.encode(clip)
    assert latent.detail is not None
    frames = [0, 20]
    space = model.space(latent.phases[frames], detail=latent.detail[frames])
    found = site_frames(space.figure, space.decode(latent.x), ["left_hand"]).points[:, 0]
    hands = np.hstack([site_frames(clip.figure, clip.q[frames], ["left_hand"]).points[:, 0], np.zeros((2, 6))])
    np.testing.assert_allclose(found, latent.placement.seen_from(hands)[:, :3], atol=1e-9)
    np.testing.assert_allclose(space.encode(space.decode(latent.x)), latent.x, atol=1e-9)


def test_a_clip_is_found_from_where_its_hands_are_at_two_moments(model, jumps):
    wanted = model.encode(jumps[4])
    frames, hands = [8, 20], ["left_hand", "right_hand"]
    clip = model.decode(replace(wanted, phases=np.arange(model.n_frames), detail=None))
    points = site_frames(clip.figure, clip.q[frames], hands).points
    goals = [
        Position(hand, tuple(points[k, i]), tolerance=1e-3).at(frame)
        for k, frame in enumerate(frames)
        for i, hand in enumerate(hands)
    ]
    mean = model.decode(replace(wanted, x=np.zeros(model.n_modes), phases=np.arange(model.n_frames), detail=None))
    assert pw.edit(mean, goals, space=model).reached


def test_events_fall_on_the_same_frame(jumps):
    events = [[clip.events["take_off"], clip.events["landing"]] for clip in jumps]
    model = MotionModel.fit(jumps, frames=40, events=events)
    assert len(model.events) == 2
    latent = model.encode(jumps[0], events=events[0])
    frame = round(events[0][0] * jumps[0].fps)
    assert latent.phases[frame] == pytest.approx(model.events[0], abs=40 / len(jumps[0]))
    assert np.abs(model.decode(latent).q - jumps[0].q).max() < 1e-10


def test_one_clip_is_replayed_and_copies_add_nothing(jumps):
    alone = MotionModel.fit(jumps[:1], frames=10)
    copies = MotionModel.fit([jumps[0]] * 4, frames=10)
    assert alone.n_modes == copies.n_modes == 0
    assert alone.explained_variance == copies.explained_variance == 1.0
    latent = alone.encode(jumps[0])
    assert latent.distance == 0.0
    assert np.abs(alone.decode(latent).q - jumps[0].q).max() < 1e-10


def test_what_cannot_be_fitted_is_said(jumps):
    with pytest.raises(InvalidMotion, match="there are none"):
        MotionModel.fit([])
    with pytest.raises(InvalidMotion, match="retarget them"):
        MotionModel.fit([jumps[0], turning(np.zeros(5))])
    with pytest.raises(InvalidSetting, match=r"explained_variance must be .*, got 98"):
        MotionModel.fit(jumps, explained_variance=98)
    with pytest.raises(InvalidSetting, match="as many of each"):
        MotionModel.fit(jumps[:2], events=[[0.1], [0.1, 0.2]])
    with pytest.raises(InvalidSetting, match="must increase"):
        MotionModel.fit(jumps[:2], events=[[0.1], [99.0]])
    with pytest.raises(InvalidSetting, match="a number of frames of the model from 0 to 9, got 10"):
        MotionModel.fit(jumps, frames=10).space([10])
    with pytest.raises(InvalidMotion, match="retarget the motion"):
        MotionModel.fit(jumps, frames=10).encode(turning(np.zeros(5)))


def test_models_and_latent_motions_are_files(model, jumps, tmp_path):
    model.save(tmp_path / "jump.model.npz")
    again = MotionModel.load(tmp_path / "jump.model.npz")
    latent = model.encode(jumps[0])
    latent.save(tmp_path / "jump.latent.npz")
    motion = again.decode(Latent.load(tmp_path / "jump.latent.npz", again))
    assert np.abs(motion.q - jumps[0].q).max() < 1e-10
    assert again.clips == model.clips
    replace(latent, detail=None).save(tmp_path / "plain.npz")
    assert Latent.load(tmp_path / "plain.npz", again).detail is None


def test_a_file_of_another_kind_or_version_is_one_sentence(model, tmp_path):
    model.save(tmp_path / "model.npz")
    with pytest.raises(FileProblem, match="'posewright-latent-motion' is read here"):
        Latent.load(tmp_path / "model.npz", model)
    arrays = dict(np.load(tmp_path / "model.npz"))
    np.savez(tmp_path / "newer.npz", **{**arrays, "version": np.array(9)})
    with pytest.raises(FileProblem, match="version 9"):
        MotionModel.load(tmp_path / "newer.npz")
    del arrays["modes"]
    np.savez(tmp_path / "less.npz", **arrays)
    with pytest.raises(FileProblem, match="lacks the array 'modes'"):
        MotionModel.load(tmp_path / "less.npz")


def test_events_have_names_that_are_known_and_clips_may_come_one_by_one(model, jumps):
    for call in (lambda: MotionModel.fit(jumps, events="fligt"), lambda: model.encode(jumps[0], events="fligt")):
        with pytest.raises(InvalidSetting, match="'fligt'; it must be 'flight'"):
            call()
    assert MotionModel.fit(jump for jump in jumps).clips == MotionModel.fit(jumps).clips


def test_a_model_says_what_it_is_in_one_line(model):
    assert repr(model).startswith(f"MotionModel of human40: 30 frames, {model.n_modes} modes, ")
    assert len(repr(model)) < 120


def test_the_distance_from_the_mean_is_that_of_all_modes_together_in_the_farthest_frame():
    frames, placement = np.arange(2.0), FloorPlacement()
    assert Latent(np.array([3.0, -4.0]), frames, placement, 30.0).distance == 5.0
    assert Latent(np.array([[1.0, 1.0], [-6.0, 8.0]]), frames, placement, 30.0).distance == 10.0


def test_a_clip_whose_figure_gained_a_site_fits_its_model_and_is_edited_by_it(model, jumps):
    """A body point: a joint and an offset, which the clips of the model do not have."""
    point = pw.figures.Site(name="right_shin", joint="right_knee", point=(0.0, -0.2, 0.03))
    clip = replace(jumps[1], figure=jumps[1].figure.with_sites(point))
    assert np.array_equal(model.encode(clip).x, model.encode(jumps[1]).x)
    there = site_frames(clip.figure, clip.q[5], ["right_shin"]).points[0] + (0.0, 0.02, 0.01)
    result = pw.edit(clip, Position("right_shin", there).at(5), space=model)
    assert result.reached
    assert np.linalg.norm(site_frames(clip.figure, result.motion.q[5], ["right_shin"]).points[0] - there) < 1e-3
    assert MotionModel.fit([*jumps[:2], clip], frames=10).n_modes >= 1
    again = replace(clip, figure=jumps[1].figure.with_sites(replace(point, point=(0.0, -0.1, 0.0))))
    for one in (clip, again, again, clip):
        assert model.around(one).figure.sites == one.figure.sites
    other = replace(jumps[1], figure=human40(height=1.5))
    with pytest.raises(InvalidMotion, match="retarget the motion to that figure first"):
        model.encode(other)


def test_a_ball_that_turns_on_is_not_turned_back():
    """From 0 past half a turn about one axis; the shortest rotation vectors change their sign on the way."""
    figure = chain(1, length=1.0)
    angles = np.linspace(0.0, 4.5, 30)
    q = np.zeros((30, figure.n_dofs))
    q[:, 2] = np.where(angles > np.pi, angles - 2.0 * np.pi, angles)
    assert continuous(figure, q)[:, 2] == pytest.approx(angles)
    assert continuous(figure, np.zeros((3, figure.n_dofs))) == pytest.approx(0.0)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e5])
@pytest.mark.parametrize("rank", [1, 3, 5])
def test_modes_are_singular_vectors_of_one_standard_deviation(scale, rank):
    """Of six clips that vary in so many ways: no mode is made of rounding, and as few are kept as explain enough."""
    rng = np.random.default_rng(rank)
    deviations = scale * (rng.normal(size=(6, rank)) @ rng.normal(size=(rank, 40)) * 0.5 ** np.arange(40))
    deviations -= deviations.mean(axis=0)
    _, sizes, rows = np.linalg.svd(deviations, full_matrices=False)
    modes, ratios = _principal_modes(deviations.reshape(6, 8, 5), 1.0)
    assert len(modes) == rank
    expected = sizes[:rank, None] * rows[:rank] / np.sqrt(5.0)
    for mode, wanted in zip(modes.reshape(rank, 40), expected, strict=True):
        np.testing.assert_allclose(mode * np.sign(mode @ wanted), wanted, atol=1e-9 * scale)
    shares = sizes**2 / (sizes**2).sum()
    np.testing.assert_allclose(ratios, shares[:5], atol=1e-12)
    for enough in range(1, rank + 1):
        for asked, kept in ((shares[:enough].sum(), enough), (shares[:enough].sum() - 1e-6, enough)):
            assert len(_principal_modes(deviations.reshape(6, 8, 5), float(asked))[0]) == kept


def test_copies_have_no_modes():
    modes, ratios = _principal_modes(1e-12 * np.random.default_rng(1).normal(size=(4, 3, 2)), 0.9)
    assert modes.shape == (0, 3, 2)
    assert not ratios.any()


def test_between_frames_of_a_model_all_is_between_what_it_is_there(model):
    """Mean, maps and motions, with one set of coordinates or one for each frame."""
    phases = np.array([0.0, 0.25, 7.5, 28.9, 29.0])
    before = np.minimum(phases.astype(int), 28)
    share = (phases - before)[:, None]
    maps = np.moveaxis(model.modes, 0, 2)
    mean = (1.0 - share) * model.mean[before] + share * model.mean[before + 1]
    between = (1.0 - share[..., None]) * maps[before] + share[..., None] * maps[before + 1]
    found = model.at(phases)
    np.testing.assert_allclose(found[0], mean, atol=1e-12)
    np.testing.assert_allclose(found[1], between, atol=1e-12)
    rng = np.random.default_rng(2)
    detail = 0.01 * rng.normal(size=mean.shape)
    for x in (rng.normal(size=model.n_modes), rng.normal(size=(5, model.n_modes))):
        expected = mean + np.einsum("kdj,kj->kd", between, np.broadcast_to(x, (5, model.n_modes)))
        latent = Latent(x, phases, FloorPlacement(), model.fps)
        np.testing.assert_allclose(model._in_chart(latent), expected, atol=1e-12)
        np.testing.assert_allclose(model._in_chart(replace(latent, detail=detail)), expected + detail, atol=1e-12)


def test_coordinates_are_those_of_weighted_least_squares(model, jumps):
    """A slide over the height of the figure counts as much as a radian."""
    latent = model.encode(jumps[1].resampled(fps=29.0 / jumps[1].duration))
    deviations = model._in_chart(latent) - model.mean
    weights = np.where(model.balls.tables.dofs["kind"] == SLIDE, 1.0 / model.balls.height, 1.0)
    rows = (model.modes * weights).reshape(model.n_modes, -1).T
    best = np.linalg.lstsq(rows, (deviations * weights).ravel(), rcond=None)[0]
    np.testing.assert_allclose(latent.x, best, atol=1e-9)
