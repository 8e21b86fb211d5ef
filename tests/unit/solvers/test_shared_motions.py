"""Motions whose frames share coordinates, and prepared motions: the same goals in any space, by any solver that can."""

import numpy as np
import pytest

import posewright as pw
from posewright.clips import walk
from posewright.errors import InvalidSetting, UnknownName

FRAMES, MIDDLE = 30, 14


@pytest.fixture(scope="module")
def clip():
    return walk(pw.figure("human40"), fps=30.0)[:FRAMES]


@pytest.fixture(scope="module")
def model():
    clips = [walk(pw.figure("human40"), fps=30.0, speed=1.0 + 0.1 * k)[:FRAMES] for k in range(6)]
    return pw.MotionModel.fit(clips, explained_variance=0.99)


def bumps(clip, centres=(6, 14, 22), width=5.0):
    """The clip and smooth bumps over time of every dof: a space with a block for every frame."""
    n = clip.figure.n_dofs
    shapes = np.exp(-(((np.arange(FRAMES)[:, None] - centres) / width) ** 2))  # (frames, bumps)
    matrix = np.zeros((FRAMES, n, n * len(centres)))
    for dof in range(n):
        matrix[:, dof, dof * len(centres) : (dof + 1) * len(centres)] = shapes
    names = tuple(f"{dof} {k}" for dof in clip.figure.dof_names for k in range(len(centres)))
    return pw.Space(clip.figure, names, matrix, np.array(clip.q))


def raised(clip, frame=MIDDLE, by=0.1):
    return pw.Position("left_hand", tuple(clip.point("left_hand", frame) + np.array([0.0, by, 0.0])), tolerance=2e-3)


def roughness(motion, clip):
    return float(np.abs(np.diff(motion.q - clip.q, 2, axis=0)).max())


def test_a_smooth_basis_over_time_is_a_space_like_any_other(clip):
    space, goal = bumps(clip), raised(clip)
    inside, outside = pw.edit(clip, goal.at(MIDDLE), space=space), pw.edit(clip, goal.at(MIDDLE))
    assert inside.reached
    assert outside.reached
    assert inside.coordinates.shape == (len(space.names),)
    assert inside.latent is None
    assert (np.abs(inside.motion.q - clip.q).max(axis=1) > 0.0).all(), "one goal moves all frames"
    assert roughness(inside.motion, clip) < roughness(outside.motion, clip)


def test_goals_over_several_frames_share_the_coordinates_of_a_space(clip):
    path = np.array([clip.point("left_hand", frame) for frame in range(12, 17)]) + np.array([0.0, 0.05, 0.02])
    along = pw.Position("left_hand", (0.0, 0.0, 0.0), tolerance=0.01).along(path, start=12)
    result = pw.Prioritized().solve(pw.MotionProblem(bumps(clip), [along], clip))
    assert result.reached
    assert len(result.iterations_by_solve) == 1
    assert result.errors_by_frame["left_hand from frame 12 to 16"][12:17].max() == max(result.errors.values())


def test_a_space_with_another_number_of_frames_is_refused(clip):
    with pytest.raises(InvalidSetting, match="the space has 30 frames; the motion to stay near has 20"):
        pw.MotionProblem(bumps(clip), [], clip[:20])


def test_a_model_is_a_space_of_motions(clip, model):
    faster = walk(pw.figure("human40"), fps=30.0, speed=1.3)
    goal = pw.Position("left_hand", tuple(faster.point("left_hand", MIDDLE)), tolerance=5e-3)
    problem = pw.MotionProblem(model, [goal.at(MIDDLE)], clip)
    result = pw.Prioritized(max_step=2.0, attraction=0.1, settle=False).solve(problem)
    assert result.reached
    np.testing.assert_array_equal(result.motion.q, pw.edit(clip, problem.goals, space=model).motion.q)
    assert result.coordinates.shape == (model.n_modes,)
    with pytest.raises(InvalidSetting, match="LeastSquares does not solve motions whose frames share"):
        pw.LeastSquares().solve(problem)
    with pytest.raises(InvalidSetting, match="cannot be used with a space of motions"):
        pw.MotionProblem(model, [], clip, frozen=["pelvis"])


@pytest.mark.parametrize("shared", [True, False])
def test_a_prepared_motion_takes_new_targets_by_name(clip, model, shared):
    goals = [raised(clip, by=0.02).at(MIDDLE), pw.Position("head", tuple(clip.point("head", 3))).at(3)]
    solver = pw.Prioritized(max_step=2.0, attraction=0.1, settle=False)
    prepared = solver.prepare(pw.MotionProblem(model if shared else clip.figure, goals, clip))
    first = prepared.solve()
    moved = raised(clip, by=0.03)
    other = pw.MotionProblem(prepared.problem.space, [moved.at(MIDDLE), goals[1]], clip)
    fresh = solver.solve(other)
    for label in ("left_hand", f"left_hand at frame {MIDDLE}"):
        second = prepared.solve({label: moved.target})
        np.testing.assert_allclose(second.motion.q, fresh.motion.q, atol=1e-12)
        assert second.errors["head at frame 3"] == pytest.approx(fresh.errors["head at frame 3"])
    assert np.abs(first.motion.q - second.motion.q).max() > 1e-4
    with pytest.raises(UnknownName, match="left_hnd"):
        prepared.solve({"left_hnd": moved.target})


@pytest.mark.parametrize("solver", [pw.LeastSquares(), pw.ActiveSetBfgs()], ids=["least squares", "active set"])
def test_an_edit_in_joint_space_takes_any_solver(clip, solver):
    part = clip[10:20]
    result = pw.edit(part, raised(part, frame=5, by=0.05).at(5), solver=solver)
    assert result.errors["left_hand at frame 15"] < 2e-3  # frames are those of the file
    assert isinstance(result, pw.MotionResult)


def test_strict_priorities_hold_over_time(clip):
    far = pw.Position("left_hand", (0.0, 9.0, 0.0), priority=2)
    foot = pw.goals.follow("right_sole", clip)
    result = pw.Prioritized().solve(pw.MotionProblem(clip.figure, [foot, far], clip, frozen=["pelvis"]))
    assert result.errors["right_sole"].reached
    assert not result.errors["left_hand"].reached
    pelvis = clip.figure.dof_slice("pelvis")
    np.testing.assert_allclose(result.motion.q[:, pelvis], clip.q[:, pelvis], atol=1e-12)
