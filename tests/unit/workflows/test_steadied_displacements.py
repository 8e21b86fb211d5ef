"""Displacements that are steadied: the least squared jerk there is, beside dense matrices and known filters."""

from __future__ import annotations

import numpy as np
import pytest

import posewright as pw
from posewright.conventions import Array, IntArray
from posewright.figures import Ball, Figure, Hinge, Joint, Slide
from posewright.figures.joint import X, Y, Z
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.motions import Motion
from posewright.workflows.editing.body import Body
from posewright.workflows.editing.steadying import Held, _Jerk, _Steadying, steadied, steady_leg

FPS = 30.0
SLED = Figure(
    name="sled",
    joints=(
        Joint(name="base"),
        Joint(name="rail", parent="base", slides=(Slide(axis=X, label="x", lower=-1.0, upper=1.0),)),
    ),
)
ARM = Figure(
    name="arm",
    joints=(
        Joint(name="base", rotation=Ball()),
        Joint(name="elbow", parent="base", offset=X, rotation=(Hinge(axis=Z, lower=-2.0, upper=2.0),)),
        Joint(name="wrist", parent="elbow", offset=X, rotation=(Hinge(axis=Y),)),
        Joint(name="palm", parent="wrist", offset=(0.3, 0.1, 0.0)),
    ),
)


def nothing(d: Array) -> tuple[IntArray, Array, Array]:
    """Nothing is held."""
    return np.zeros(0, np.int64), np.zeros((0, 0)), np.zeros((0, 0, d.shape[1]))


def all_moving(motion: Motion, frames: IntArray) -> Body:
    body = Body(motion, frames)
    body.let_move(np.ones(body.figure.n_dofs, bool))
    return body


def third_differences(n: int, before: bool, after: bool) -> Array:
    """(rows, n): of frames with three others before and after them that are not displaced, or none."""
    return np.diff(np.eye(n + 3 * before + 3 * after), 3, axis=0)[:, 3 * before : n + 3 * before]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("after", [False, True])
def test_jerk_is_that_of_third_differences(n, before, after):
    jerk, D = _Jerk(n, before=before, after=after), third_differences(n, before, after)
    values = np.random.default_rng(n).normal(size=(n, 2))
    assert jerk.value(values) == pytest.approx(float(((D @ values) ** 2).sum()))
    np.testing.assert_allclose(jerk.slope(values), D.T @ D @ values, atol=1e-12)
    for k in range(min(4, n)):
        np.testing.assert_allclose(jerk.curvature(k), np.diagonal(D.T @ D, -k), atol=1e-12)


def sled_search(slow: float, given: Array, held: Held = nothing) -> _Steadying:
    motion = Motion(SLED, np.zeros((len(given) + 8, 1)), FPS)
    return _Steadying(all_moving(motion, np.arange(4, len(given) + 4)), given, held, ["rail"], slow, motion)


def test_one_step_is_enough_where_places_are_linear():
    given = np.random.default_rng(1).normal(scale=0.1, size=(20, 1))
    search = sled_search(5.0, given)
    found, h = search.step(given, 1.0) + given, 1e-5
    slopes = [search.cost(found + h * row[:, None]) - search.cost(found - h * row[:, None]) for row in np.eye(20)]
    np.testing.assert_allclose(slopes, 0.0, atol=1e-12)
    assert search.cost(found) < 0.9 * search.cost(given)
    damped = search.step(given, 1e9)
    slopes = [search.cost(given + h * row[:, None]) - search.cost(given - h * row[:, None]) for row in np.eye(20)]
    np.testing.assert_allclose(damped[:, 0] / np.abs(damped).max(), -np.array(slopes) / np.abs(slopes).max(), atol=1e-6)


@pytest.mark.parametrize(("slow", "frequency"), [(3.0, 3.0), (3.0, 1.0), (3.0, 6.0), (8.0, 8.0), (40.0, 15.0)])
def test_waves_at_the_given_frequency_are_halved_and_others_by_the_filter_of_least_jerk(slow, frequency):
    n = 241
    wave = np.cos(2.0 * np.pi * frequency * (np.arange(n) - n // 2) / FPS)[:, None] * 0.1
    motion = Motion(SLED, np.zeros((n, 1)), FPS)
    made = steadied(all_moving(motion, np.arange(n)), wave, nothing, slow)
    gains = [(2.0 * np.sin(np.pi * min(f / FPS, 0.5))) ** 6 for f in (slow, frequency)]
    middle = slice(n // 3, 2 * n // 3)
    np.testing.assert_allclose(made[middle], wave[middle] * gains[0] / (gains[0] + gains[1]), atol=1e-4)


def test_gaps_between_frames_are_not_jerked_over():
    """Two stretches of frames are steadied each by itself."""
    motion = Motion(SLED, np.zeros((60, 1)), FPS)
    parts = np.arange(10, 22), np.arange(30, 45)
    given = np.random.default_rng(2).normal(scale=0.1, size=(27, 1))
    both = steadied(all_moving(motion, np.concatenate(parts)), given, nothing, 5.0)
    alone = [
        steadied(all_moving(motion, part), d, nothing, 5.0)
        for part, d in zip(parts, (given[:12], given[12:]), strict=True)
    ]
    np.testing.assert_allclose(both, np.concatenate(alone), atol=1e-9)


def test_limits_stop_what_is_steadied():
    given = np.zeros((30, 1))
    given[10:20] = 1.0
    motion = Motion(SLED, np.zeros((30, 1)), FPS)
    free = steadied(all_moving(Motion(unlimited(), motion.q, FPS), np.arange(30)), given, nothing, 4.0)
    made = steadied(all_moving(motion, np.arange(30)), given, nothing, 4.0)
    assert free.max() > 1.01
    assert made.max() == 1.0


def unlimited() -> Figure:
    return Figure(
        name="sled", joints=(SLED.joints[0], Joint(name="rail", parent="base", slides=(Slide(axis=X, label="x"),)))
    )


def swinging(n: int = 24) -> Motion:
    time = np.arange(n)[:, None] / FPS
    return Motion(ARM, 0.6 * np.sin(time * np.arange(3.0, 8.0) + np.arange(5.0)), FPS)


def test_steps_go_down_the_slope_of_the_cost_of_any_body():
    motion, rng = swinging(), np.random.default_rng(3)
    body = all_moving(motion, np.arange(4, 16))
    given = rng.normal(scale=0.05, size=(12, 5))
    search = _Steadying(body, given, nothing, ["wrist", "palm"], 5.0, motion)
    d, h = given + rng.normal(scale=0.05, size=given.shape), 1e-6
    damped = search.step(d, 1e12)
    slopes = np.empty(d.shape)
    for index in np.ndindex(*d.shape):
        more = np.zeros(d.shape)
        more[index] = h
        slopes[index] = search.cost(d + more) - search.cost(d - more)
    np.testing.assert_allclose(damped / np.abs(damped).max(), -slopes / np.abs(slopes).max(), atol=1e-5)


def palm_at(body: Body, points: Array, frames: IntArray) -> Held:
    """The palm is to be at points in some frames."""

    def off(d: Array) -> Array:
        return np.asarray(site_frames(body.figure, body.displaced(d[frames], frames), ["palm"]).points[:, 0] - points)

    def held(d: Array) -> tuple[IntArray, Array, Array]:
        steps = 1e-6 * np.eye(d.shape[1])
        return frames, off(d), np.stack([(off(d + step) - off(d)) / 1e-6 for step in steps], axis=-1)

    return held


def test_what_is_held_is_met_and_all_else_gets_calmer():
    motion, rng = swinging(40), np.random.default_rng(4)
    body = all_moving(motion, np.arange(2, 38))
    given = rng.normal(scale=0.03, size=(36, 5))
    frames = np.array([5, 18, 30])
    wanted = site_frames(body.figure, body.own[frames], ["palm"]).points[:, 0] + 0.02
    made = steadied(body, given, palm_at(body, wanted, frames), 5.0)
    there = site_frames(body.figure, body.displaced(made[frames], frames), ["palm"]).points[:, 0]
    np.testing.assert_allclose(there, wanted, rtol=0.0, atol=1e-6)
    own = joint_positions(body.figure, body.own)
    moved = [joint_positions(body.figure, body.displaced(d)) - own for d in (given, made)]
    assert np.std(np.diff(moved[1], 3, axis=0)) < 0.3 * np.std(np.diff(moved[0], 3, axis=0))


def test_a_body_whose_captured_joints_do_not_move_is_left_as_it_is():
    motion = swinging()
    body = Body(motion, np.arange(len(motion)))
    body.let_move(np.zeros(body.figure.n_dofs, bool))
    given = np.zeros((len(motion), 0))
    assert steadied(body, given, nothing, 5.0) is given


def test_a_leg_is_calmed_while_its_foot_stays():
    source = pw.clips.walk(pw.figure("human40"), fps=60.0)[10:60]
    figure, q, rng = source.figure, source.q.copy(), np.random.default_rng(5)
    joints = [figure.joint_index(f"left_{part}") for part in ("hip", "knee", "ankle")]
    leg = np.isin(figure.tables.dofs["joint"], joints)
    q[15:35, leg] += rng.normal(scale=0.01, size=(20, leg.sum()))
    made, sites = source.with_q(np.clip(q, figure.lower, figure.upper)), ["left_toes"]
    calm = steady_leg(source, made, joints, sites, 8.0)
    knees = [joint_positions(figure, motion.q)[:, joints[1]] for motion in (source, made, calm)]
    jerks = [np.std(np.diff(knee - knees[0], 3, axis=0)) for knee in knees[1:]]
    assert jerks[1] < 0.6 * jerks[0]
    feet = [site_frames(figure, motion.q, sites).points for motion in (made, calm)]
    assert np.linalg.norm(feet[0] - feet[1], axis=-1).max() < 1e-6
    np.testing.assert_array_equal(calm.q[:, ~leg], made.q[:, ~leg])
    same = (made.q == source.q).all(axis=1)
    np.testing.assert_array_equal(calm.q[same], made.q[same])
