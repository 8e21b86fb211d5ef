"""Bodies displaced in some frames, beside SciPy's rotations and numerical derivatives; and banded matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from posewright.constraints import LinearConstraint
from posewright.figures import Ball, Figure, Hinge, Joint, Site, Slide, free_slides
from posewright.figures.joint import X, Y, Z
from posewright.figures.kinematics import joint_frames, site_frames, site_jacobians
from posewright.goals import Position
from posewright.motions import Motion
from posewright.problem import Problem
from posewright.problem.lowering import lower
from posewright.workflows.editing.banded import Banded
from posewright.workflows.editing.body import Body

FIGURE = Figure(
    name="every kind",
    joints=(
        Joint(name="root", slides=free_slides(), rotation=Ball()),
        Joint(name="spine", parent="root", offset=Y, rest=(0.8, 0.6, 0.0, 0.0), rotation=Ball()),
        Joint(name="head", parent="spine", offset=(0.1, 0.4, 0.0), rotation=(Hinge(axis=X, lower=-0.5, upper=0.6),)),
        Joint(
            name="arm",
            parent="spine",
            offset=X,
            slides=(Slide(axis=(0.6, 0.0, 0.8), lower=-0.2, upper=0.2),),
            rotation=(Hinge(axis=Z), Hinge(axis=Y), Hinge(axis=X)),
        ),
        Joint(name="hand", parent="arm", offset=(0.5, 0.0, 0.1), rotation=(Hinge(axis=Y),)),
    ),
    sites=(Site(name="tip", joint="hand", point=(0.3, 0.1, 0.0)), Site(name="face", joint="head", point=(0.0, 0.1, 1))),
)
FRAMES = np.arange(2, 8)
BALLS = ("root", "spine", "arm")


def moving(seed: int = 0, figure: Figure = FIGURE) -> Motion:
    """Ten frames at random, the arm's last hinge two turns on, the hand's one turn back."""
    q = np.random.default_rng(seed).uniform(-0.9, 0.9, (10, figure.n_dofs))
    q = np.clip(q, figure.lower, figure.upper)
    q[:, figure.dof_slice("arm").stop - 1] += 4.0 * np.pi
    q[:, figure.dof_slice("hand")] -= 2.0 * np.pi
    return Motion(figure, q, 30.0)


def let_move(motion: Motion, *joints: str) -> Body:
    """A body in some frames of which some joints move; all by default."""
    body = Body(motion, FRAMES)
    body.let_move(np.isin(body.figure.tables.dofs["joint"], [motion.figure.joint_index(j) for j in joints or BOTH]))
    return body


BOTH = tuple(joint.name for joint in FIGURE.joints)


def columns(body: Body, joint: str) -> slice:
    """Which of the dofs that move are the last three of a joint."""
    last = body.moving.tolist().index(body.figure.dof_slice(joint).stop - 1)
    return slice(last - 2, last + 1)


def test_balls_are_turned_on_from_where_they_are_and_all_else_is_added():
    body = let_move(moving())
    d = np.random.default_rng(1).normal(scale=0.7, size=(len(FRAMES), len(body.moving)))
    q, rest = body.displaced(d), np.ones(FIGURE.n_dofs, bool)
    for joint in BALLS:
        where, own = body.figure.dof_slice(joint), columns(body, joint)
        three = slice(where.stop - 3, where.stop)
        expected = Rotation.from_rotvec(d[:, own]) * Rotation.from_rotvec(body.own[:, three])
        np.testing.assert_allclose(
            Rotation.from_rotvec(q[:, three]).as_matrix(), expected.as_matrix(), rtol=0.0, atol=1e-12
        )
        rest[three] = False
    np.testing.assert_allclose(q[:, rest], (body.own + d)[:, rest], atol=1e-12)
    np.testing.assert_array_equal(body.displaced(d[[1, 4]], np.array([1, 4])), q[[1, 4]])


def test_what_does_not_move_stays_and_what_it_carries_is_known():
    body = let_move(moving(), "arm")
    d = np.random.default_rng(2).normal(size=(len(FRAMES), 4))
    still = ~np.isin(np.arange(FIGURE.n_dofs), body.moving)
    np.testing.assert_array_equal(body.displaced(d)[:, still], body.own[:, still])
    assert body.carried.tolist() == [False, False, False, True, True]
    assert let_move(moving(), "spine").carried.tolist() == [False, True, True, True, True]
    assert body.limited.tolist() == [True, False, False, False]


def test_displacements_lead_from_one_motion_to_the_other():
    """Places of joints are those of the other, also where its angles are those of another turn."""
    motion, other = moving(0), moving(3)
    body = let_move(motion)
    q = body.displaced(body.displacements(other))
    np.testing.assert_allclose(
        joint_frames(body.figure, q).rotations, joint_frames(FIGURE, other.q[FRAMES]).rotations, atol=1e-9
    )
    np.testing.assert_allclose(body.displacements(motion), 0.0, atol=1e-9)


@pytest.mark.parametrize("size", [0.0, 5e-5, 3e-4, 0.8, 2.5])
def test_derivatives_by_displacements_are_those_of_small_ones_more(size):
    """Of balls that hardly turn and that turn far, displaced not at all, hardly, and far."""
    motion, rng = moving(), np.random.default_rng(4)
    for scale in (1e-5, 1.0):
        body = let_move(motion.with_q(motion.q * np.where(np.arange(FIGURE.n_dofs) < 9, scale, 1.0)))
        d = size * rng.uniform(-1.0, 1.0, size=(len(FRAMES), len(body.moving)))
        q = body.displaced(d)
        J = site_jacobians(body.figure, q, ["tip", "face"])[:, :, :3].reshape(len(q), 6, -1)
        found, h = body.by_displacement(J, q, d), 1e-6
        for k in range(len(body.moving)):
            step = h * (np.arange(len(body.moving)) == k)
            ahead, back = (
                site_frames(body.figure, body.displaced(d + s * step), ["tip", "face"]).points for s in (1, -1)
            )
            slope = ((ahead - back) / (2.0 * h)).reshape(len(q), 6)
            np.testing.assert_allclose(found[:, :, k], slope, rtol=0.0, atol=1e-8)


def test_limits_are_those_of_hinges_and_slides_and_stop_what_runs_into_them():
    body, rng = let_move(moving()), np.random.default_rng(5)
    d = rng.normal(scale=2.0, size=(len(FRAMES), len(body.moving)))
    kept = body.within_limits(d)
    places = (body.own[:, body.moving] + kept)[:, body.limited]
    wanted = (body.own[:, body.moving] + d)[:, body.limited]
    low, high = (limits[body.moving][body.limited] for limits in (body.figure.lower, body.figure.upper))
    np.testing.assert_allclose(places, np.clip(wanted, low, high), atol=1e-12)
    np.testing.assert_array_equal(kept[:, ~body.limited], d[:, ~body.limited])
    slope = rng.choice([-1.0, 0.0, 1.0], size=d.shape)
    stuck = body.stuck(kept, slope)
    expected = ((wanted <= low) & (slope[:, body.limited] > 0.0)) | ((wanted >= high) & (slope[:, body.limited] < 0.0))
    np.testing.assert_array_equal(stuck[:, body.limited], expected)
    assert expected.any()
    assert not stuck[:, ~body.limited].any()


def test_a_motion_is_made_of_the_frames_and_joints_that_change_alone_and_turns_as_often_as_before():
    motion = moving()
    body = let_move(motion, "arm", "hand")
    d = np.random.default_rng(6).normal(scale=0.3, size=(len(FRAMES), len(body.moving)))
    changed = np.arange(len(FRAMES)) % 2 == 0
    made = body.made(d, changed)
    assert made.figure is motion.figure
    same, touched = (
        np.setdiff1d(np.arange(10), FRAMES[changed]),
        np.arange(FIGURE.dof_slice("arm").start, FIGURE.n_dofs),
    )
    np.testing.assert_array_equal(made.q[same], motion.q[same])
    np.testing.assert_array_equal(np.delete(made.q, touched, axis=1), np.delete(motion.q, touched, axis=1))
    assert np.abs(made.q - motion.q)[FRAMES[changed]][:, touched].max() < np.pi
    expected = np.clip(body.displaced(d), body.figure.lower, body.figure.upper)
    for joint in ("arm", "hand"):
        k = FIGURE.joint_index(joint)
        both = [joint_frames(*of).rotations[:, k] for of in ((FIGURE, made.q[FRAMES]), (body.figure, expected))]
        np.testing.assert_allclose(both[0][changed], both[1][changed], atol=1e-9)
    slide = FIGURE.dof_slice("arm").start
    np.testing.assert_allclose(made.q[FRAMES[changed], slide], expected[changed, slide], atol=1e-12)


def test_recorded_angles_beyond_limits_may_stay_but_go_no_further():
    motion = moving()
    q = motion.q.copy()
    where = FIGURE.dof_slice("head").start
    q[:, where] = 1.0
    body = let_move(motion.with_q(q), "head")
    made = body.made(np.full((len(FRAMES), 1), 0.5), np.ones(len(FRAMES), bool))
    np.testing.assert_allclose(made.q[:, where], 1.0)


def test_constraints_that_displacements_break_are_kept_by_the_nearest_pose():
    """The two hinges are coupled: half of what one of them goes too far each."""
    bound = replace(FIGURE, constraints=(LinearConstraint.coupling("pair", "head.rx", "hand.ry", 1.0, 0.0),))
    motion = moving(figure=bound)
    q, (head, hand) = motion.q.copy(), (bound.dof_slice(joint).start for joint in ("head", "hand"))
    q[:, head] = q[:, hand] = np.linspace(-0.3, 0.3, len(q))
    motion = motion.with_q(q)
    body = let_move(motion, "head", "hand")
    region = lower(Problem(body.figure, [Position("tip", (0.0, 0.0, 0.0))])).region
    d = np.tile([0.1, 0.02], (len(FRAMES), 1))
    every = np.ones(len(FRAMES), bool)
    made = body.made(d, every, region)
    np.testing.assert_allclose(made.q[FRAMES][:, [head, hand]], q[FRAMES][:, [head, hand]] + 0.06, atol=1e-7)
    free = body.made(d, every)
    np.testing.assert_allclose(free.q[FRAMES][:, [head, hand]], q[FRAMES][:, [head, hand]] + [0.1, 0.02], atol=1e-12)


@pytest.mark.parametrize("width", [0, 1, 3])
def test_banded_matrices_solve_as_full_ones_do(width):
    rng, (count, size) = np.random.default_rng(width), (5, 3)
    full, banded = np.zeros((count * size, count * size)), Banded(count, size, width)
    for k in range(width + 1):
        blocks = rng.normal(size=(count - k, size, size))
        if k == 0:
            blocks = blocks + np.swapaxes(blocks, 1, 2) + 30.0 * np.eye(size)
        banded.set(k, blocks)
        for i, block in enumerate(blocks):
            below, right = slice((i + k) * size, (i + k + 1) * size), slice(i * size, (i + 1) * size)
            full[below, right], full[right, below] = block, block.T
    wanted = rng.normal(size=(count, size))
    np.testing.assert_allclose(banded.solved(wanted).ravel(), np.linalg.solve(full, wanted.ravel()), rtol=1e-9)


def test_singular_matrices_are_made_a_little_firmer_and_none_is_solved_with_zero():
    line, nothing = Banded(2, 2, 0), Banded(2, 1, 0)
    line.set(0, np.array([np.ones((2, 2)), np.eye(2)]))
    np.testing.assert_allclose(line.solved(np.array([[2.0, 2.0], [3.0, 4.0]])), [[1.0, 1.0], [3.0, 4.0]], atol=1e-6)
    nothing.set(0, np.array([[[-1.0]], [[-2.0]]]))
    np.testing.assert_array_equal(nothing.solved(np.ones((2, 1))), np.zeros((2, 1)))
