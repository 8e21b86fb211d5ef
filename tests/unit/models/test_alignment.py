"""Clips made comparable, and places on the floor: beside SciPy's rotations and moments that are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright.errors import FileProblem, InvalidMotion, InvalidSetting
from posewright.figures import Ball, Figure, Hinge, Joint, Slide, free_slides
from posewright.figures.joint import X, Y, Z
from posewright.figures.kinematics import joint_frames, joint_positions
from posewright.models import Latent, MotionModel
from posewright.models.alignment import (
    BallCoordinates,
    _sampled_rows,
    continuous,
    event_times,
    flight,
    mean_rotations,
    same_length,
)
from posewright.models.floor_placement import FloorPlacement, brought_back, floor_places
from posewright.models.time_warping import _apart, _path, corresponding
from posewright.motions import Motion
from posewright.problem.space import Space

FPS = 30.0
HUMAN = pw.figure("human40")
POINT = Figure(name="point", joints=(Joint(name="point", slides=(Slide(axis=X, label="x"),)),))


def hopping(*flights: tuple[int, int], n: int = 120) -> Motion:
    """Somebody who stands, but is half a metre higher from one frame to before another."""
    q = np.tile(HUMAN.rest, (n, 1))
    for first, after in flights:
        q[first:after, 1] += 0.5
    return Motion(HUMAN, q, FPS, "hops")


def test_a_flight_is_from_the_last_frame_on_the_ground_to_the_first_of_the_longest_time_in_the_air():
    np.testing.assert_allclose(flight(hopping((20, 35), (60, 82))), np.array([59, 82]) / FPS)
    np.testing.assert_allclose(flight(hopping((20, 45), (60, 82))), np.array([19, 45]) / FPS)
    np.testing.assert_allclose(flight(hopping((0, 30), (60, 70), (130, 160), n=160)), np.array([59, 70]) / FPS)
    for never in (hopping(), hopping((0, 40)), hopping((60, 120))):
        with pytest.raises(InvalidMotion, match="clip 'hops' has no take-off and landing"):
            flight(never)


def test_events_are_one_list_per_clip_inside_of_it():
    clips = [hopping((20, 35)), hopping((30, 50), n=100)]
    found = event_times(clips, "flight")
    np.testing.assert_allclose(found, np.array([[19, 35], [29, 50]]) / FPS)
    assert [len(one) for one in event_times(clips, None)] == [0, 0]
    alike = event_times([clips[0], clips[1], clips[0]], "alike")  # the reference is the one of median length
    np.testing.assert_array_equal(alike[0], alike[2])
    with pytest.raises(InvalidSetting, match="2 clips need as many lists of events, got 1"):
        event_times(clips, [[1.0]])
    for outside in (0.0, 99.0 / FPS):
        with pytest.raises(InvalidSetting, match=r"must increase and lie inside its 3\.3 s"):
            event_times(clips, [[1.0], [outside]])


def test_clips_are_sampled_evenly_between_events_that_fall_on_the_same_phases():
    clip = Motion(POINT, np.arange(61.0)[:, None] ** 2, FPS)
    phases = np.array([0.25, 0.75])
    rows = _sampled_rows(clip, 9, np.array([0.2, 1.8]), phases)
    np.testing.assert_allclose(rows, [0.0, 3.0, 6.0, 18.0, 30.0, 42.0, 54.0, 57.0, 60.0])
    np.testing.assert_allclose(_sampled_rows(clip, 4, np.zeros(0), phases), [0.0, 20.0, 40.0, 60.0])
    assert not _sampled_rows(clip, 1, np.array([0.2, 1.8]), phases).any()
    assert not _sampled_rows(clip[:1], 5, np.zeros(0), phases).any()
    other = Motion(POINT, 2.0 * np.arange(31.0)[:, None], FPS)
    both = same_length(POINT, [other, other[:21]], 5, [np.zeros(0)] * 2, np.zeros(0))[..., 0]
    np.testing.assert_allclose(both, [[0.0, 15.0, 30.0, 45.0, 60.0], [0.0, 10.0, 20.0, 30.0, 40.0]], atol=1e-9)


BALLS = Figure(
    name="balls",
    joints=(
        Joint(name="root", slides=free_slides(), rotation=Ball()),
        Joint(name="turn", parent="root", offset=Y, rotation=(Hinge(axis=Z),)),
        Joint(name="end", parent="turn", offset=Y, rotation=Ball()),
    ),
)


def test_mean_rotations_are_those_from_which_logarithms_cancel():
    rng = np.random.default_rng(1)
    centres = Rotation.random(2, random_state=2)
    q = np.zeros((3, 40, BALLS.n_dofs))
    for k, joint in enumerate(("root", "end")):
        stop = BALLS.dof_slice(joint).stop
        turns = centres[k] * Rotation.from_rotvec(rng.normal(scale=0.5, size=(120, 3)))
        q[..., stop - 3 : stop] = turns.as_rotvec().reshape(3, 40, 3)
    chart = dict(mean_rotations(BALLS, q))
    assert list(chart) == ["root", "end"]
    for joint, wxyz in chart.items():
        stop = BALLS.dof_slice(joint).stop
        turns = Rotation.from_rotvec(q[..., stop - 3 : stop].reshape(-1, 3))
        mean = Rotation.from_quat(np.roll(wxyz, -1))
        np.testing.assert_allclose((mean.inv() * turns).as_rotvec().mean(axis=0), 0.0, atol=1e-9)
        assert (mean.inv() * turns).magnitude().max() < 2.5


def test_angles_and_rotation_vectors_go_on_from_frame_to_frame():
    """Through several turns, in all clips, from where a neighbour has them."""
    time = np.linspace(0.0, 1.0, 80)[:, None]
    axes = np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0]])
    smooth = np.stack([time * 14.0 * axis for axis in axes])
    q = np.zeros((2, 80, BALLS.n_dofs))
    turn, end = BALLS.dof_slice("turn").start, BALLS.dof_slice("end")
    q[..., turn] = (14.0 * time[:, 0] + np.pi) % (2.0 * np.pi) - np.pi
    q[..., end] = Rotation.from_rotvec(smooth.reshape(-1, 3)).as_rotvec().reshape(2, 80, 3)
    found = continuous(BALLS, q)
    np.testing.assert_allclose(found[..., end], smooth, atol=1e-9)
    np.testing.assert_allclose(found[..., turn], np.tile(14.0 * time[:, 0], (2, 1)), atol=1e-9)
    near = np.zeros((1, BALLS.n_dofs))
    near[0, end] = 2.0 * np.pi * axes[1]
    later = continuous(BALLS, q[1][None, 5:], near)[0]
    np.testing.assert_allclose(later[:, end], smooth[1, 5:] + near[0, end], atol=1e-9)
    np.testing.assert_array_equal(continuous(BALLS, q[:, :3]), q[:, :3])


def test_three_hinges_are_balls_and_back():
    hinged = replace(
        BALLS,
        joints=(*BALLS.joints[:2], replace(BALLS.joints[2], rotation=(Hinge(axis=Z), Hinge(axis=X), Hinge(axis=Y)))),
    )
    coordinates = BallCoordinates(hinged, hinged.with_balls())
    q = np.cumsum(np.random.default_rng(3).uniform(-0.1, 0.1, size=(30, hinged.n_dofs)), axis=0)
    end = hinged.dof_slice("end")
    own = coordinates.into(q)
    expected = Rotation.from_euler("ZXY", q[:, end])
    np.testing.assert_allclose(Rotation.from_rotvec(own[:, end]).as_matrix(), expected.as_matrix(), atol=1e-12)
    np.testing.assert_array_equal(own[:, : end.start], q[:, : end.start])
    np.testing.assert_allclose(coordinates.back(own), q, atol=1e-9)


# Moments that correspond.


def test_the_cheapest_way_through_a_table_is_that_of_all_ways():
    """Beside all ways, tried one after another."""
    for seed in range(5):
        costs = np.random.default_rng(seed).uniform(size=(4, 5))
        still = 0.15 * costs.mean()

        def ways(i: int, j: int, costs=costs, still=still):
            if (i, j) == (0, 0):
                yield costs[0, 0], [(0, 0)]
            for di, dj, extra in ((1, 1, 0.0), (1, 0, still), (0, 1, still)):
                if i >= di and j >= dj:
                    for cost, way in ways(i - di, j - dj):
                        yield cost + costs[i, j] + extra, [*way, (i, j)]

        rows, columns = _path(costs)
        best = min(ways(3, 4))[1]
        assert list(zip(rows.astype(int).tolist(), columns.tolist(), strict=True)) == best


def test_moments_are_kept_apart_and_inside():
    np.testing.assert_allclose(_apart(np.array([1.0, 1.0, 0.5, 5.0]), 10.0), [1.0, 1.1, 1.2, 5.0])
    np.testing.assert_allclose(_apart(np.array([-1.0, 0.0, 12.0, 13.0]), 10.0), [0.1, 0.2, 9.8, 9.9])


def test_a_clip_that_is_played_at_another_speed_corresponds_in_proportion():
    walk = pw.clips.walk(HUMAN, fps=30.0)
    slow = replace(walk, fps=15.0).moved((1.0, 0.0, 2.0), 0.4)
    moments = np.array([0.3, 0.6, 0.9]) * walk.duration
    np.testing.assert_allclose(corresponding(slow, walk, moments), 2.0 * moments, atol=2.0 / 15.0)


# Places on the floor.


HINGED = replace(
    BALLS,
    joints=(replace(BALLS.joints[0], rotation=(Hinge(axis=Y), Hinge(axis=X), Hinge(axis=Z))), *BALLS.joints[1:]),
)
TILTED = replace(BALLS, joints=(replace(BALLS.joints[0], rest=(0.5, 0.5, -0.5, 0.5)), *BALLS.joints[1:]))


@pytest.mark.parametrize("figure", [BALLS, HINGED, TILTED], ids=["ball", "hinges", "tilted"])
def test_poses_are_brought_to_the_origin_in_a_chart_and_back(figure):
    rng = np.random.default_rng(4)
    q = rng.uniform(-0.8, 0.8, size=(6, figure.n_dofs))
    chart = {
        name: tuple(np.roll(Rotation.random(random_state=k).as_quat(), 1)) for k, name in enumerate(("root", "end"))
    }
    space = Space.of(figure).with_chart({name: turn for name, turn in chart.items() if figure.joint(name).ball})
    place = FloorPlacement(0.7, -0.4, 2.2)
    inside = place.into_chart(space, q)
    np.testing.assert_allclose(
        joint_positions(figure, place.out_of_chart(space, inside.copy())), joint_positions(figure, q), atol=1e-9
    )
    there = joint_positions(figure, space.out_of_chart(inside.copy()))
    turn = Rotation.from_rotvec([0.0, 2.2, 0.0])
    expected = turn.inv().apply((joint_positions(figure, q) - [0.7, 0.0, -0.4]).reshape(-1, 3)).reshape(there.shape)
    np.testing.assert_allclose(there, expected, atol=1e-9)
    targets = rng.normal(size=(5, 9))
    seen = place.seen_from(targets).reshape(5, 3, 3)
    targets[:, :3] -= [0.7, 0.0, -0.4]
    np.testing.assert_allclose(
        seen, np.stack([turn.inv().apply(rows) for rows in targets.reshape(5, 3, 3)]), atol=1e-12
    )


@pytest.mark.parametrize("figure", [BALLS, HINGED, TILTED], ids=["ball", "hinges", "tilted"])
def test_every_pose_has_a_place_of_its_own_and_is_at_the_origin_without_it(figure):
    upright = figure.rest + np.random.default_rng(5).uniform(-0.3, 0.3, size=(4, figure.n_dofs))
    steps = [Motion(figure, q[None], FPS).moved((0.3 * k, 0.0, -0.2), 0.5 * k).q[0] for k, q in enumerate(upright)]
    places, before = floor_places(figure, np.array(steps)), floor_places(figure, upright)
    np.testing.assert_allclose(places[:, 2] - before[:, 2], 0.5 * np.arange(4), atol=1e-9)
    np.testing.assert_allclose(places[:, :2], joint_frames(figure, np.array(steps)).positions[:, 0, [0, 2]])
    back = brought_back(figure, np.array(steps), places)
    np.testing.assert_allclose(floor_places(figure, back), 0.0, atol=1e-9)


# Models.


@pytest.fixture(scope="module")
def nods() -> list[Motion]:
    """A slide that goes ahead and a ball that nods, by amounts that vary from clip to clip."""
    time, end = np.linspace(0.0, 1.0, 21), BALLS.dof_slice("end").start
    clips = []
    for ahead, nod in ((0.0, 0.1), (0.4, 0.5), (1.0, 0.3), (0.7, 0.9)):
        q = np.zeros((21, BALLS.n_dofs))
        q[:, 2], q[:, end] = ahead * time, nod * np.sin(np.pi * time)
        clips.append(Motion(BALLS, q, FPS, f"nod {nod}"))
    return clips


def test_coordinates_of_a_frame_by_itself_move_joints_as_modes_do_on_the_mean(nods):
    model = MotionModel.fit(nods, explained_variance=1.0)
    space = model.around(nods[0])
    own = space.of_a_frame()
    np.testing.assert_allclose(own.matrix, np.sqrt((model.modes**2).mean(axis=1)).T)


def test_models_that_replay_or_span_their_clips_say_so(nods):
    assert "one clip, or copies of one" in MotionModel.fit(nods[:1]).warnings[0]
    full, few = MotionModel.fit(nods, explained_variance=1.0), MotionModel.fit(nods[:2], explained_variance=1.0)
    assert full.n_modes == 2
    assert not full.warnings
    assert not few.warnings
    rng = np.random.default_rng(6)
    noisy = [clip.with_q(clip.q + rng.normal(scale=0.05, size=clip.q.shape)) for clip in nods]
    (said,) = MotionModel.fit(noisy, explained_variance=1.0).warnings
    assert "needs all 3 modes that 4 clips can have (full rank)" in said


def test_coordinates_beyond_the_last_frame_of_a_model_are_of_another(nods, tmp_path):
    model = MotionModel.fit(nods, frames=10)
    latent = model.encode(nods[1])
    assert latent.phases.max() == 9.0
    latent.save(tmp_path / "nod.npz")
    np.testing.assert_array_equal(Latent.load(tmp_path / "nod.npz", model).phases, latent.phases)
    for phases in (latent.phases + 0.5, latent.phases - 0.5):
        replace(latent, phases=phases).save(tmp_path / "nod.npz")
        with pytest.raises(FileProblem, match="its phases leave the model's frames 0 to 9"):
            Latent.load(tmp_path / "nod.npz", model)


def test_events_without_a_list_are_at_the_same_fraction_of_a_clip_as_in_the_model(nods):
    model = MotionModel.fit(nods, frames=11, events=[[0.3]] * 4)
    slow = replace(nods[1], fps=0.5 * FPS)
    assert slow.duration == 2.0 * nods[1].duration
    at = model.events[0] / 10.0 * slow.duration
    assert np.interp(at, slow.times, model.encode(slow).phases) == pytest.approx(model.events[0])
    late = model.encode(slow, events=[1.2 * at])
    assert np.interp(1.2 * at, slow.times, late.phases) == pytest.approx(model.events[0], abs=0.1)
