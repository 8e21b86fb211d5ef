"""Settings, finish, distinct answers, interruption and threads of the particle filter."""

import threading
from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import arm4, build, chain
from posewright.figures.kinematics import joint_positions
from posewright.figures.reach import reach
from posewright.kernels.dense import search_control as descent
from posewright.kernels.solves import Solves
from posewright.solvers.sampling.distinct_answers import APART

TARGET = (0.4, 0.3, 0.2)
PLAIN = pw.SequentialMonteCarlo(polish=False)


def arm_problem(**more):
    return pw.Problem(arm4("ball"), [pw.Position("tip", TARGET)], **more)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"particles": 0}, "particles of SequentialMonteCarlo must be a whole number at least 1"),
        ({"max_iterations": -1}, "max_iterations of SequentialMonteCarlo must be a whole number at least 0"),
        ({"gain": 0.0}, "gain of SequentialMonteCarlo must be .*, got 0.0"),
        ({"gain": 1.5}, "gain of SequentialMonteCarlo must be .*, got 1.5"),
        ({"noise": float("nan")}, "noise of SequentialMonteCarlo must be a positive"),
        ({"decay": 1.0}, "decay of SequentialMonteCarlo must be .*, got 1.0"),
        ({"drift_share": -0.1}, "drift_share of SequentialMonteCarlo must be .*, got -0.1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(pw.errors.InvalidSetting, match=message):
        pw.SequentialMonteCarlo(**settings)


def test_the_finish_reaches_what_a_small_crowd_does_not():
    problem = pw.Problem(
        build("hand"), [pw.Position(f"{finger}_tip", p) for finger, p in zip(
            ("index", "middle"), [(0.05, 0.12, 0.38), (0.01, 0.12, 0.38)], strict=True)]
    )  # fmt: skip
    small = pw.SequentialMonteCarlo(particles=10, max_iterations=15, lean=0.0)
    assert not replace(small, polish=False).solve(problem).reached
    result = small.solve(problem)
    assert result.reached
    assert result.stopped == "reached"
    assert np.array_equal(result.path.q[-1], result.q)
    assert len(result.path) == result.iterations + 2  # the start, the iterations, the finish


def test_a_finish_that_would_break_a_predicate_is_not_taken():
    def never_near(pose):
        return np.linalg.norm(np.subtract(pose.point("tip"), TARGET)) > 0.05

    result = pw.SequentialMonteCarlo(max_iterations=60).solve(arm_problem(predicates=[never_near]))
    assert never_near(result.pose)
    assert not result.reached
    assert not result.warnings
    assert result.errors["tip"] < 0.08


def test_distinct_answers_are_all_answers_and_apart():
    figure = arm4("ball")
    result = pw.SequentialMonteCarlo(answers=4).solve(arm_problem())
    assert len(result.answers) == 4
    assert np.array_equal(result.answers[0].q, result.q)
    for pose in result.answers:
        assert pose.point("tip") == pytest.approx(TARGET, abs=2e-4)
    places = np.array([joint_positions(figure, pose.q) for pose in result.answers])
    for i in range(4):
        for k in range(i):
            gap = np.linalg.norm(places[i] - places[k], axis=1).max()
            assert gap >= APART * reach(figure, None)


def test_where_there_is_one_answer_more_are_not_made_up():
    problem = pw.Problem(chain(1), [pw.Position("tip", (0.0, 2.0, 0.0))])
    assert len(pw.SequentialMonteCarlo(answers=3).solve(problem).answers) == 1
    assert len(pw.LeastSquares().solve(problem).answers) == 1


def test_other_solvers_have_no_path():
    result = pw.LeastSquares().solve(arm_problem())
    assert result.path is None
    assert result.history == {}


def test_a_seed_gives_the_same_bits_in_any_number_of_threads():
    problem = arm_problem()
    wanted = PLAIN.solve(problem).path.q
    found = [None] * 4

    def solve(k):
        found[k] = PLAIN.solve(problem).path.q

    threads = [threading.Thread(target=solve, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(path, wanted) for path in found)


def test_a_prepared_problem_can_be_given_other_random_numbers():
    prepared = PLAIN.prepare(arm_problem())
    prepared.reseed(5)
    assert np.array_equal(prepared.solve().q, replace(PLAIN, seed=5).solve(arm_problem()).q)


@pytest.mark.parametrize("predicates", [(), (pw.predicates.WithinLimits(),)], ids=["kernel", "python"])
def test_the_stop_flag_is_read_in_every_iteration(predicates):
    prepared = PLAIN.prepare(arm_problem(predicates=predicates))
    prepared._stop[0] = 1
    solves = Solves.of(prepared._local_start, prepared._targets, prepared._references)
    prepared.run(solves)
    info = solves.info
    assert info[0, 0] == 1
    assert info[0, 1] == descent.INTERRUPTED
    assert info[0, 2] < np.linalg.norm(np.subtract((0.0, 1.0, 0.0), TARGET)) ** 2  # the best so far


def test_a_predicate_that_raises_is_seen_as_it_is_and_the_problem_stays_usable():
    calls = []

    def moody(pose):
        calls.append(pose)
        if len(calls) == 70:
            raise RuntimeError("not today")
        return True

    prepared = PLAIN.prepare(arm_problem(predicates=[moody]))
    with pytest.raises(RuntimeError, match="not today"):
        prepared.solve()
    assert prepared.solve().reached


def test_a_residual_of_the_wrong_shape_is_named():
    goal = pw.PythonGoal(lambda pose: np.zeros(2), 3, name="three rows")
    with pytest.raises(pw.errors.InvalidSetting, match=r"the residual of 'three rows' for 1 poses has shape \(1, 2\)"):
        PLAIN.solve(pw.Problem(arm4(), [goal]))


def test_putting_back_moves_only_what_may_move():
    figure = build("human40")
    rest = pw.Pose.rest(figure)
    feet = pw.predicates.NearPoints.at(rest, ("left_sole", "right_sole"), 0.01)
    goal = pw.Position("left_hand", (0.4, 1.2, 0.3), tolerance=0.01)
    solver = replace(PLAIN, project=True, max_iterations=60)
    result = solver.solve(pw.Problem(figure, [goal], predicates=[feet], frozen=["right_knee", "waist"]))
    assert result.reached
    for joint in ("right_knee", "waist"):
        where = figure.dof_slice(joint)
        assert np.array_equal(result.q[where], figure.rest[where])
    assert all(feet(pose) for pose in result.path)


@pytest.mark.parametrize("particles", [10**12, 2**62])
def test_more_particles_than_memory_are_refused_before_room_is_made_for_them(particles):
    problem = pw.Problem(build("human40"), [pw.Position("left_hand", (0.3, 1.2, 0.3))])
    with pytest.raises(
        pw.errors.InvalidSetting, match=f"particles of SequentialMonteCarlo is {particles}; .* has room for"
    ):
        pw.SequentialMonteCarlo(particles=particles).solve(problem)


@pytest.mark.parametrize("kept", [False, True])
def test_a_longer_path_than_memory_holds_is_refused_too(kept):
    problem = pw.Problem(build("human40"), [pw.Position("left_hand", (0.3, 1.2, 0.3))])
    with pytest.raises(pw.errors.InvalidSetting, match=r"max_iterations of SequentialMonteCarlo is .* has room for"):
        pw.SequentialMonteCarlo(max_iterations=10**13, keep_particles=kept).solve(problem)
    with pytest.raises(pw.errors.InvalidSetting, match=r"has room for \d+ kept for 1000000 iterations"):
        pw.SequentialMonteCarlo(particles=10**6, max_iterations=10**6, keep_particles=True).solve(problem)
