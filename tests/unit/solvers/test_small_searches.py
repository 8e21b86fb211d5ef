"""Searches small enough for plain Python: followed targets, frozen dofs, partners over frames, ends, histories."""

import signal
from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import chain
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.solvers.interruption import stopping_at_interrupt


@pytest.mark.parametrize(
    "solver", [pw.LeastSquares(restarts=0), pw.Prioritized()], ids=["least squares", "prioritized"]
)
def test_followed_targets_move_what_is_free_and_nothing_that_is_frozen(solver):
    figure = chain(3, joints="hinge")
    problem = pw.Problem(figure, [pw.Position("tip", (1.5, 0.8, 0.0))], frozen=["segment2"])
    live = solver.prepare(problem)
    before = live.solve().q
    held = figure.dof_slice("segment2")
    tip = site_frames(figure, before, ["tip"]).points[0]
    wanted = tip + np.array([-0.05, 0.05, 0.0])
    for _ in range(6):
        result = live.follow({"tip": wanted.tolist()})
    assert np.array_equal(result.q[held], before[held])
    assert np.abs(result.q - before).max() > 1e-3
    assert np.linalg.norm(site_frames(figure, result.q, ["tip"]).points[0] - wanted) < np.linalg.norm(wanted - tip)


def on_the_second(figure, q):
    """(frames, 3): where the tip is, seen from the second segment."""
    frames, second = joint_frames(figure, q), figure.joint_index("segment2")
    away = site_frames(figure, q, ["tip"]).points[:, 0] - frames.positions[:, second]
    return np.einsum("kji,kj->ki", frames.rotations[:, second], away)


def test_partners_move_from_frame_to_frame():
    """A site wanted at points on another joint, of which each frame has its own."""
    figure = chain(4, joints="hinge")
    bends = np.linspace(0.2, 0.6, 3)[:, None] * np.ones(figure.n_dofs)
    offsets = on_the_second(figure, bends)
    wanted = pw.goals.Timed(pw.Position("tip", "segment2"), start=0, end=2, points=offsets)
    problem = pw.MotionProblem(figure, [wanted], pw.Motion(figure, np.full_like(bends, 0.45), 30.0))
    result = pw.Prioritized().solve(problem)
    assert result.reached
    assert on_the_second(figure, result.motion.q) == pytest.approx(offsets, abs=1e-3)


def test_out_of_reach_is_stationary_and_out_of_iterations_is_said():
    figure = chain(3, joints="hinge")
    problem = pw.Problem(figure, [pw.Position("tip", (3.0, 4.0, 0.0))])
    start = pw.Pose(figure, np.full(figure.n_dofs, 0.4))
    result = pw.LeastSquares(restarts=0).solve(problem, start)
    assert result.stopped == "stationary"
    assert pw.LeastSquares(restarts=0, max_iterations=2).solve(problem, start).stopped == "out of iterations"


def test_histories_of_the_filter_are_shares():
    figure = chain(3, length=2.0)
    problem = pw.Problem(figure, [pw.Position("tip", (1.0, 0.8, 0.2), tolerance=1e-3)])
    result = pw.SequentialMonteCarlo(polish=False, particles=12, max_iterations=4).solve(problem)
    history = result.history
    assert history["acceptance"][1:] == pytest.approx(1.0)  # nothing is refused
    assert ((history["n_eff"] >= 1.0 - 1e-9) & (history["n_eff"] <= 12.0 + 1e-9)).all()


def test_every_second_particle_is_drawn_ever_nearer_to_where_the_crowd_leans():
    figure = chain(2, length=2.0)
    problem = pw.Problem(figure, [pw.Position("tip", (1.2, 0.9, 0.3), tolerance=1e-9)])
    widths = []
    for seed in range(6):
        solver = pw.SequentialMonteCarlo(polish=False, particles=24, max_iterations=4, seed=seed, keep_particles=True)
        crowd = solver.solve(problem).particles[4]
        away = np.linalg.norm(crowd - np.median(crowd, axis=0), axis=-1).ravel()
        widths.append((np.median(away[::2]), np.median(away[1::2])))
    wide, narrow = np.median(widths, axis=0)
    assert narrow < 0.8 * wide


def test_a_search_gives_ctrl_c_back():
    before = signal.getsignal(signal.SIGINT)
    stop = np.zeros(1, np.int64)
    with stopping_at_interrupt(stop):
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("damping", [0.0, 0.3, 2.0])
def test_more_damping_takes_shorter_steps_to_the_same_goal(damping):
    figure = chain(4, joints="hinge")
    problem = pw.Problem(figure, [pw.Position("tip", (0.9, 0.9, 0.0))])
    start = pw.Pose(figure, np.full(figure.n_dofs, 0.2))
    solver = pw.Prioritized(damping=damping, max_iterations=2000)
    assert solver.solve(problem, start).reached
    one = [
        pw.Prioritized(damping=d, max_iterations=1).solve(problem, start).q - start.q for d in (damping, damping + 1.0)
    ]
    assert np.linalg.norm(one[1]) < np.linalg.norm(one[0])
    with pytest.raises(pw.errors.InvalidSetting, match="damping of Prioritized"):
        pw.Prioritized(damping=-1.0)


def test_presets_are_settings_and_others_may_be_added():
    assert pw.SequentialMonteCarlo.for_hands(seed=4) == pw.SequentialMonteCarlo(gain=0.1, seed=4)
    assert pw.SequentialMonteCarlo.for_planted_feet().project
    assert pw.SequentialMonteCarlo.for_paths(spread=0.2).spread == 0.2
    assert pw.SequentialMonteCarlo.for_smooth_chains().particles == 200
    assert pw.ActiveSetBfgs.precise().gauss_newton
    assert pw.solvers.Tracking.precise().gain < pw.solvers.Tracking().gain


def test_a_clip_that_meets_a_constraint_on_its_way_goes_on_as_it_moved_before():
    """Frames are solved without linear constraints until one is broken; those after it know the frames before."""
    plain = chain(3, joints="hinge")
    share = np.linspace(0.0, 1.0, 24)
    q = np.zeros((24, 3))
    q[:, 0], q[:, 1] = 0.3 + 0.5 * share, 0.5 * share
    path = site_frames(plain, q, ["tip"]).points[:, 0] + share[:, None] * np.array([0.1, 0.2, 0.05])

    def tracked(figure):
        stiff = pw.Imitation(tracks=1.0, example=0.01, stiffness=1.0)
        example = pw.Motion(figure, q, 30.0)
        problem = pw.MotionProblem(figure, [pw.goals.follow("tip", path)], example, imitation=stiff)
        return pw.LeastSquares().solve(problem).motion.q

    free = tracked(plain)
    most = float(free[12, 0] + free[12, 1] - 1e-4)
    names = plain.dof_names
    row = pw.LinearConstraint(name="sum", coefficients=((names[0], 1.0), (names[1], 1.0)), upper=most)
    held = tracked(replace(plain, constraints=(row,)))
    assert held[:12] == pytest.approx(free[:12], abs=1e-9)
    assert np.abs(held[12] - free[12]).max() < 1e-3
    assert (held[:, 0] + held[:, 1]).max() <= most + 1e-9
    assert np.abs(held[-1] - free[-1]).max() > 0.1
