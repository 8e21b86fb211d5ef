"""Goals in time and along paths, what postures are compared by, and sketches: beside brute force and plain geometry."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import posewright as pw
from posewright.errors import InvalidSetting
from posewright.figures import Pose
from posewright.figures.kinematics import site_frames
from posewright.goals import HalfSpace, Line, Orientation, Placement, Plane, Position
from posewright.goals.fields import checked_direction, checked_directions, checked_matrices
from posewright.goals.sketch import Sketch, solid_edges
from posewright.goals.term import SiteTrack, between, directions
from posewright.goals.timed import across, follow, unit
from posewright.motions.splines import KochanekBartels

HAND = Position("left_hand", (0.1, 1.0, 0.2))
HUMAN = pw.figure("human40")


# When goals count.


@pytest.mark.parametrize(
    ("timed", "first", "last"),
    [
        (HAND.at(3), 3, 3),
        (HAND.at(-1), 19, 19),
        (HAND.at(-20), 0, 0),
        (HAND.during(2, -3), 2, 17),
        (HAND.during(-5, 19), 15, 19),
        (HAND.along(np.zeros((20, 3))), 0, 19),
        (HAND.along(np.zeros((4, 3)), start=6), 6, 9),
        (HAND.along(np.zeros((4, 3)), start=16, end=-1), 16, 19),
        (HAND.along(KochanekBartels([2.0, 7.6], np.zeros((2, 3)))), 2, 8),
        (HAND.along(KochanekBartels([2.0, 7.6], np.zeros((2, 3))), start=4, end=5), 4, 5),
    ],
)
def test_goals_are_in_the_frames_that_are_given(timed, first, last):
    assert timed.range(20) == (first, last)
    counts = timed.activations(20)
    np.testing.assert_array_equal(counts, (np.arange(20) >= first) & (np.arange(20) <= last))


@pytest.mark.parametrize("timed", [HAND.at(20), HAND.at(-21), HAND.during(0, 20), HAND.during(-21, 3)])
def test_frames_outside_the_motion_are_told(timed):
    with pytest.raises(InvalidSetting, match="is outside the motion, whose frames are 0 to 19"):
        timed.range(20)


def test_paths_have_a_row_for_each_frame():
    with pytest.raises(InvalidSetting, match="has targets for 4 frames; from frame 2 to 6 there are 5"):
        HAND.along(np.zeros((4, 3)), start=2, end=6).range(20)
    with pytest.raises(InvalidSetting, match=r"have different lengths: \[4, 5\]"):
        HAND.along(np.zeros((4, 3)), activation=np.ones(5))
    with pytest.raises(InvalidSetting, match="must be from 0 to 1"):
        HAND.along(np.zeros((2, 3)), activation=[0.5, 1.1])
    with pytest.raises(InvalidSetting, match="a frame is a whole number, not 'two'"):
        HAND.at("two")


def test_goals_fade_in_and_out_by_their_own_activation():
    counts = HAND.along(np.zeros((4, 3)), start=8, activation=[0.5, 1.0, 0.0, 0.25], ease=(4.0, 6.0)).activations(20)
    frames = np.arange(20.0)
    before, after = np.clip((frames[:8] - 4.0) / 4.0, 0.0, 1.0), np.clip((17.0 - frames[12:]) / 6.0, 0.0, 1.0)
    expected = np.zeros(20)
    expected[8:12] = 0.5, 1.0, 0.0, 0.25
    expected[:8] = 0.5 * (3.0 * before**2 - 2.0 * before**3)
    expected[12:] = 0.25 * (3.0 * after**2 - 2.0 * after**3)
    np.testing.assert_allclose(counts, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("timed", "label"),
    [
        (HAND.at(3), "left_hand at frame 13"),
        (HAND.at(-1), "left_hand at frame -1"),
        (HAND.during(2, 5), "left_hand from frame 12 to 15"),
        (HAND.during(0, -1), "left_hand"),
        (HAND.during(1, -1), "left_hand from frame 11 to -1"),
        (HAND.during(0, -2), "left_hand from frame 10 to -2"),
    ],
)
def test_labels_count_frames_as_the_file_does(timed, label):
    assert timed.called(10) == label
    assert timed.whole == (label == "left_hand")
    assert timed.is_key == (timed.start == timed.end)


def test_what_follows_a_motion_or_rows_has_targets_of_just_these():
    walk = pw.clips.walk(HUMAN, steps=2, fps=20.0)
    frames = site_frames(HUMAN, walk.q, ["left_hand"])
    plain, turned = follow("left_hand", walk), follow("left_hand", walk, turned=True, weight=3.0, priority=2)
    np.testing.assert_array_equal(plain.points, frames.points[:, 0])
    assert (plain.x, plain.y, type(plain.goal)) == (None, None, Position)
    np.testing.assert_allclose(turned.x, frames.x_axes[:, 0], atol=1e-12)
    np.testing.assert_allclose(turned.y, frames.y_axes[:, 0], atol=1e-12)
    assert (type(turned.goal), turned.goal.weight, turned.goal.priority) == (Placement, 6.0, 2)
    only = follow("left_hand", x=2.0 * frames.x_axes[:, 0], weight=3.0, radius=0.1)
    np.testing.assert_allclose(only.x, frames.x_axes[:, 0], atol=1e-12)
    assert (type(only.goal), only.goal.weight, only.goal.radius) == (Orientation, 3.0, 0.1)
    assert only.has_path
    assert not HAND.at(3).has_path
    with pytest.raises(InvalidSetting, match="follows nothing; give it points, or directions x or y"):
        follow("left_hand")
    matrices = np.stack(
        [frames.x_axes[:, 0], frames.y_axes[:, 0], np.cross(frames.x_axes, frames.y_axes)[:, 0]], axis=-1
    )
    along = Orientation("left_hand", x=(1.0, 0.0, 0.0), y=(0.0, 1.0, 0.0)).along(rotations=matrices)
    np.testing.assert_allclose(along.x, frames.x_axes[:, 0], atol=1e-12)
    np.testing.assert_allclose(along.y, frames.y_axes[:, 0], atol=1e-12)


def test_directions_are_made_unit_and_perpendicular_and_those_that_vanish_are_told():
    rng = np.random.default_rng(1)
    x, y = (unit(rng.normal(size=(5, 3)), "directions") for _ in range(2))
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1.0, atol=1e-15)
    made = across(x, y, "it")
    np.testing.assert_allclose((made * x).sum(axis=1), 0.0, atol=1e-15)
    np.testing.assert_allclose(np.cross(np.cross(x, y), made), 0.0 * x + np.cross(np.cross(x, y), made))
    expected = np.cross(np.cross(x, y), x)
    np.testing.assert_allclose(made, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-12)
    np.testing.assert_array_equal(unit(x, "directions"), unit(unit(x, "directions"), "directions"))
    x[3] = 0.0
    with pytest.raises(InvalidSetting, match="directions vanish in frame 13; they need a direction"):
        unit(x, "directions", first=10)


# Fields.


def test_directions_of_a_goal_are_unit_and_at_right_angles():
    assert checked_direction((0.0, 3.0, -4.0), "it") == (0.0, 0.6, -0.8)
    x, y = checked_directions((0.0, 0.0, 2.0), (3.0, 0.0, 4.0), "it")
    assert (x, y) == ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    rng = np.random.default_rng(2)
    a, b = checked_directions(*rng.normal(size=(2, 3)).tolist(), "it")
    again = checked_directions(a, b, "it")
    np.testing.assert_allclose(again, (a, b), atol=1e-15)
    assert np.dot(a, b) == pytest.approx(0.0, abs=1e-15)
    with pytest.raises(InvalidSetting, match="is zero"):
        checked_direction((0.0, 0.0, 0.0), "it")
    for y in ((0.0, 0.0, -1.0), (0.0, 0.0, 5.0), (1e-6, 0.0, 1.0)):
        with pytest.raises(InvalidSetting, match="are parallel"):
            checked_directions((0.0, 0.0, 1.0), y, "it")


def test_rotations_are_quaternions_or_matrices_that_are_nearly_exact():
    turns = Rotation.random(4, random_state=3)
    wxyz = np.roll(turns.as_quat(), 1, axis=1)
    for given in (wxyz, 1.0009 * wxyz, turns.as_matrix()):
        np.testing.assert_allclose(checked_matrices(given, "it"), turns.as_matrix(), atol=1e-12)
    with pytest.raises(InvalidSetting, match=r"must be a unit quaternion wxyz, got one of length 1\.01"):
        checked_matrices(1.01 * wxyz, "it")
    mirrored = turns.as_matrix() * [1.0, 1.0, -1.0]
    for wrong in (mirrored, 1.01 * turns.as_matrix(), np.full((3, 3), np.nan)):
        with pytest.raises(InvalidSetting, match="it is not a rotation"):
            checked_matrices(wrong, "it")


# What is nearest, and what postures are compared by.


class Placed:
    """Sites of three postures, in the frame of their root."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        turns = {name: Rotation.random(3, random_state=seed + k).as_matrix() for k, name in enumerate("ab")}
        self.places = {name: rng.normal(size=(3, 3)) for name in turns}
        self.turns = turns

    def values(self, site: str) -> np.ndarray:
        return self.places[site]

    def x_axes(self, site: str) -> np.ndarray:
        return self.turns[site][:, :, 0]

    def y_axes(self, site: str) -> np.ndarray:
        return self.turns[site][:, :, 1]


def compared(term: object, target: np.ndarray, at: Placed) -> np.ndarray:
    (found,) = term.compare(target, at, (1.0, 0.0, 0.0))
    assert found.is_length
    return np.linalg.norm(found.values - found.wanted, axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_postures_are_compared_with_lines_and_planes_by_distance(seed):
    at, (point, normal) = Placed(seed), np.random.default_rng(seed).normal(size=(2, 3))
    normal /= np.linalg.norm(normal)
    target = np.array([*point, *normal, 0.0, 0.0, 0.0])
    for there in (tuple(point), "b"):
        places = point if there != "b" else at.places["b"]
        away = at.places["a"] - places
        height = away @ normal
        terms = [kind("a", there, tuple(normal)).terms(HUMAN)[0] for kind in (Line, Plane, HalfSpace)]
        np.testing.assert_allclose(compared(terms[0], target, at), np.linalg.norm(np.cross(away, normal), axis=1))
        np.testing.assert_allclose(compared(terms[1], target, at), np.abs(height))
        np.testing.assert_allclose(compared(terms[2], target, at), np.maximum(-height, 0.0))
    mixed = directions(at, "a", (0.48, 0.6, 0.64))
    np.testing.assert_allclose(mixed, at.turns["a"] @ [0.48, 0.6, 0.64], atol=1e-12)
    np.testing.assert_array_equal(directions(at, "a", (0.0, 1.0, 0.0)), at.y_axes("a"))
    np.testing.assert_array_equal(directions(at, "a", (1.0, 0.0, 0.0)), at.x_axes("a"))


def test_half_spaces_fade_from_where_the_source_is_on_the_wrong_side():
    normal = np.array([0.0, 0.6, 0.8])
    (term,) = HalfSpace("left_hand", (0.0, 1.0, 0.0), tuple(normal)).terms(HUMAN)
    points = np.array([[0.3, 0.0, 0.0], [0.3, 2.0, 0.0], [0.3, 0.0, 0.0], [0.3, 0.0, 0.0]])
    targets = np.tile([0.0, 1.0, 0.0, *normal, 0.0, 0.0, 0.0], (4, 1))
    activation = np.array([[0.25], [0.25], [0.0], [1.0]])
    term.fade(targets, activation, SiteTrack(points, np.zeros((4, 3)), np.zeros((4, 3))))
    heights = ((targets[:, :3] - [0.0, 1.0, 0.0]) * normal).sum(axis=1)
    np.testing.assert_allclose(heights, [-0.6 * 0.75, 0.0, -0.6, 0.0], atol=1e-12)


def test_directions_in_between_are_those_of_slerp():
    u, v = (Rotation.random(random_state=seed).as_matrix()[:, 0] for seed in (1, 2))
    axis = np.cross(u, v)
    turn = Rotation.from_rotvec(np.arccos(u @ v) * axis / np.linalg.norm(axis))
    shares = np.linspace(0.0, 1.0, 7)
    expected = Slerp([0.0, 1.0], Rotation.concatenate([Rotation.identity(), turn]))(shares).apply(u)
    found = between(np.tile(u, (7, 1)), np.tile(v, (7, 1)), shares[:, None])
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(between(u[None], u[None], np.array([[0.3]])), u[None], atol=1e-12)


# Sketches.


def test_pieces_of_planes_lines_and_half_spaces_are_drawn_by_the_site():
    pose, size = Pose.rest(HUMAN), 0.5
    on = Sketch(pose, 1.2 * size)
    hand = on.site("left_hand")
    for normal in ((0.0, 1.0, 0.0), (0.6, 0.0, 0.8), (0.0, -0.95, np.sqrt(1.0 - 0.95**2))):
        n, point = np.array(normal), np.array([0.2, 0.3, 0.4])
        foot = hand - n * ((hand - point) @ n)
        (square,) = Plane("left_hand", tuple(point), normal).sketch(on)
        corners = np.array(square.points)
        np.testing.assert_allclose(corners[0], corners[4], atol=1e-12)
        np.testing.assert_allclose(corners[:4].mean(axis=0), foot, atol=1e-12)
        np.testing.assert_allclose((corners - point) @ n, 0.0, atol=1e-9)
        np.testing.assert_allclose(np.linalg.norm(np.diff(corners, axis=0), axis=1), 2.0 * 0.3 * size, atol=1e-9)
        _, arrow = HalfSpace("left_hand", tuple(point), normal).sketch(on)
        np.testing.assert_allclose(arrow.points, [foot, foot + 0.2 * size * n], atol=1e-12)
        (line,) = Line("left_hand", tuple(point), normal).sketch(on)
        middle = point + n * ((hand - point) @ n)
        np.testing.assert_allclose(line.points, [middle - 0.5 * size * n, middle + 0.5 * size * n], atol=1e-12)


def test_a_gap_is_drawn_to_a_target_that_is_not_met():
    on = Sketch(Pose.rest(HUMAN), 1.2)
    hand = on.site("left_hand")
    near, far = hand + np.array([0.0, 0.029, 0.0]), hand + np.array([0.0, 0.031, 0.0])
    assert [stroke.kind for stroke in on.place("left_hand", tuple(near))] == ["target"]
    strokes = on.place("left_hand", tuple(far))
    assert [stroke.kind for stroke in strokes] == ["target", "gap"]
    np.testing.assert_allclose(strokes[1].points, [hand, far])


def test_the_edges_of_a_box_and_a_tetrahedron_are_all_there():
    box = [
        (s * np.array(a), s * np.array(n))
        for a, n in zip(np.diag([1.0, 2.0, 3.0]), np.eye(3), strict=True)
        for s in (1, -1)
    ]
    edges = solid_edges(box)
    assert len(edges) == 12
    lengths = sorted(float(np.linalg.norm(b - a)) for a, b in edges)
    assert lengths == pytest.approx([2.0] * 4 + [4.0] * 4 + [6.0] * 4)
    slanted = np.array([[1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0]]) / np.sqrt(3.0)
    edges = solid_edges([(n, n) for n in slanted])
    assert len(edges) == 6
    assert [float(np.linalg.norm(b - a)) for a, b in edges] == pytest.approx([np.sqrt(24.0)] * 6)
