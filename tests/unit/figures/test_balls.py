"""Hinges as balls and back: which joints, what is lost, continuous branches, gimbal lock."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posewright as pw
from posewright.constraints import LinearConstraint
from posewright.figures import JointGroup
from posewright.figures.kinematics import joint_frames
from posewright.figures.source import Source
from posewright.figures.transforms.balls import BallsToHinges
from posewright.figures.transforms.coordinates import converted_q

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def hinges(order: str, **limits: float) -> tuple[pw.figures.Hinge, ...]:
    return tuple(pw.figures.Hinge(axis={"x": X, "y": Y, "z": Z}[letter], **limits) for letter in order)


def chain(*rotations: tuple[pw.figures.Hinge, ...] | pw.figures.Ball, **more: object) -> pw.Figure:
    joints = [
        pw.figures.Joint(name=f"j{k}", parent=f"j{k - 1}" if k else None, offset=(0.0, 0.3, 0.1), rotation=rotation)
        for k, rotation in enumerate(rotations)
    ]
    return pw.Figure(name="chain", joints=tuple(joints), **more)


def test_only_joints_of_three_independent_hinges_become_balls() -> None:
    parallel = (
        pw.figures.Hinge(axis=X, label="a"),
        pw.figures.Hinge(axis=(-1.0, 0.0, 0.0), label="b"),
        pw.figures.Hinge(axis=Y),
    )
    figure = chain(hinges("zxy"), hinges("zx"), parallel, hinges("zxz"), pw.figures.Ball())
    assert [bool(joint.ball) for joint in figure.with_balls().joints] == [True, False, False, True, True]


def test_the_way_back_gives_the_same_figure() -> None:
    figure = chain(hinges("zxy", rest=0.3, rigidity=0.2), hinges("yxz", lower=-1.0, upper=2.0), pw.figures.Ball())
    assert figure.with_balls(drop_limits=True) != figure
    assert figure.with_balls(drop_limits=True).with_hinges() == figure
    assert figure.with_balls().with_balls().with_hinges() == figure


def test_limited_joints_stay_hinges_unless_limits_may_go_and_then_it_is_said() -> None:
    figure = chain(hinges("zxy", lower=-0.5, upper=1.0), hinges("xyz"))
    assert not figure.with_balls().joints[0].ball
    assert figure.with_balls().joints[1].ball
    assert figure.with_balls().source is None
    freed = figure.with_balls(drop_limits=True)
    assert freed.joints[0].ball
    assert freed.source is not None
    (note,) = freed.source.notes
    assert note.startswith("turning hinges into balls dropped the limits of j0.rz (-28.6479 to 57.2958 degrees), j0.rx")


def test_notes_of_the_file_are_kept() -> None:
    figure = chain(hinges("zxy", upper=1.0), source=Source(format="bvh", notes=("was in inches",)))
    freed = figure.with_balls(drop_limits=True)
    assert freed.source is not None
    assert freed.source.format == "bvh"
    assert freed.source.notes[0] == "was in inches"
    assert len(freed.source.notes) == 2


def test_joints_that_groups_or_constraints_speak_of_stay_hinges() -> None:
    group = JointGroup(name="bend", coordinates=("c",), members=("j0.rz", "j0.rx"), matrix=((1.0,), (0.5,)))
    figure = chain(
        hinges("zxy"),
        hinges("zxy"),
        hinges("zxy"),
        groups=(group,),
        constraints=(LinearConstraint.coupling("k", "j1.rx", "j1.ry", 2.0),),
    )
    assert [bool(joint.ball) for joint in figure.with_balls().joints] == [False, False, True]


def test_a_ball_named_by_a_constraint_stays_a_ball() -> None:
    figure = chain(hinges("zxy"), hinges("zxy")).with_balls()
    tied = pw.Figure(
        name="t", joints=figure.joints, constraints=(LinearConstraint.coupling("k", "j0.wx", "j0.wy", 1.0),)
    )
    assert [bool(joint.ball) for joint in tied.with_hinges().joints] == [True, False]


@pytest.mark.parametrize("order", ["zxy", "xyz", "yzx", "zxz", "yxy"])
def test_rotations_are_exact_and_angles_continuous_through_many_turns(order: str) -> None:
    figure = chain(hinges(order))
    t = np.linspace(0.0, 1.0, 400)
    q = np.stack([20.0 * t, 1.0 + 0.4 * np.sin(9.0 * t), -15.0 * t + 0.3], axis=1)
    balls = figure.with_balls()
    w = converted_q(figure, balls, q)
    expected = Rotation.from_euler(order.upper(), q).as_matrix()
    np.testing.assert_allclose(joint_frames(balls, w).rotations[:, 0], expected, rtol=0.0, atol=1e-13)
    back = converted_q(balls, figure, w, near=q[0])
    np.testing.assert_allclose(back, q, rtol=0.0, atol=1e-11)


def test_rotation_vectors_are_continuous_past_half_a_turn() -> None:
    figure = chain(hinges("zxy"))
    q = np.zeros((100, 3))
    q[:, 1] = np.linspace(0.0, 6.0, 100)
    w = converted_q(figure, figure.with_balls(), q)
    np.testing.assert_allclose(w, np.linspace(0.0, 6.0, 100)[:, None] * np.array(X), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("order", ["zxy", "xyz", "zxz"])
def test_gimbal_lock_keeps_rotations_exact_and_angles_calm(order: str) -> None:
    figure = chain(hinges(order))
    lock = 0.0 if order[0] == order[2] else np.pi / 2
    q = np.zeros((60, 3))
    q[:, 0] = np.linspace(0.0, 1.0, 60)
    q[:, 1] = lock + np.concatenate([np.linspace(-0.5, 0.0, 30), np.zeros(10), np.geomspace(1e-9, 0.3, 20)])
    balls = figure.with_balls()
    back = converted_q(balls, figure, converted_q(figure, balls, q), near=q[0])
    expected = Rotation.from_euler(order.upper(), q).as_matrix()
    np.testing.assert_allclose(joint_frames(figure, back).rotations[:, 0], expected, rtol=0.0, atol=1e-13)
    assert np.abs(back[31:40, 0] - back[30:39, 0]).max() < 1e-12  # in the lock the first angle stays


def test_hinges_about_oblique_axes() -> None:
    oblique = tuple(
        pw.figures.Hinge(axis=axis, label=label)
        for axis, label in (((0.6, 0.8, 0.0), "a"), ((0.0, 0.6, 0.8), "b"), ((0.8, 0.0, -0.6), "c"))
    )
    figure = chain(oblique)
    q = np.cumsum(np.random.default_rng(3).uniform(-0.2, 0.2, (300, 3)), axis=0)
    balls = figure.with_balls()
    w = converted_q(figure, balls, q)
    back = converted_q(balls, figure, w, near=q[0])
    np.testing.assert_allclose(
        joint_frames(figure, back).rotations, joint_frames(figure, q).rotations, rtol=0.0, atol=1e-12
    )


def test_what_hinges_cannot_reach_is_told() -> None:
    figure = chain(hinges("zx"))
    ball = chain(pw.figures.Ball())
    with pytest.raises(
        pw.errors.InvalidMotion, match=r"figure 'chain' cannot take the posture .* in frame 1: 'j0' would"
    ):
        converted_q(ball, figure, np.array([[0.0, 0.0, 0.5], [0.0, 0.5, 0.0]]))


def test_a_rest_changed_on_the_ball_comes_back_as_angles() -> None:
    from dataclasses import replace

    balls = chain(hinges("zxy")).with_balls()
    ball = replace(balls.joints[0].rotation, rest=(0.2, -0.3, 0.4))
    moved = replace(balls, joints=(replace(balls.joints[0], rotation=ball),))
    hinged = moved.with_hinges()
    np.testing.assert_allclose(
        joint_frames(hinged, hinged.rest).rotations, joint_frames(moved, moved.rest).rotations, atol=1e-14
    )


def test_a_joint_that_the_other_figure_lacks_is_told() -> None:
    with pytest.raises(pw.errors.InvalidMotion, match="figure 'chain' has no joint 'j1', which figure 'chain' moves"):
        converted_q(chain(hinges("zx")), chain(hinges("zx"), hinges("x")), np.zeros(2))


def test_more_than_three_hinges_can_be_copied_but_not_solved() -> None:
    many = tuple(pw.figures.Hinge(axis=axis, label=f"h{k}") for k, axis in enumerate((X, Y, Z, X)))
    np.testing.assert_array_equal(converted_q(chain(many), chain(many), np.arange(4.0)), np.arange(4.0))
    with pytest.raises(pw.errors.InvalidFigure, match="joint 'j0' has 4 hinges; a rotation alone fixes at most 3"):
        converted_q(chain(pw.figures.Ball()), chain(many), np.array([0.1, 0.2, 0.3]))


@pytest.mark.parametrize("order", ["zyx", "xzy", "zxz"])
def test_the_quick_way_back_makes_the_same_rotations_in_continuous_angles(order: str) -> None:
    hinged = chain(hinges(order), hinges("x"), hinges(order))
    figure = hinged.with_balls()
    rng = np.random.default_rng(3)
    angles = np.cumsum(0.05 * rng.standard_normal((300, hinged.n_dofs)), axis=0)
    angles[:, 1] = np.linspace(0.0, 9.0, 300)  # through gimbal lock, several times
    balls = converted_q(hinged, figure, angles)
    back = BallsToHinges(figure, hinged)(balls)
    assert np.abs(joint_frames(hinged, back).rotations - joint_frames(hinged, angles).rotations).max() < 1e-9
    assert np.array_equal(back[:, 3], angles[:, 3])
    way = BallsToHinges(figure, hinged)
    for frame in range(1, 300):
        assert np.array_equal(way(balls[frame : frame + 1], back[frame - 1])[0], back[frame])


def test_the_way_back_of_a_figure_without_such_balls_changes_nothing() -> None:
    figure = pw.figure("human40")
    assert np.array_equal(BallsToHinges(figure, figure)(figure.rest[None])[0], figure.rest)
