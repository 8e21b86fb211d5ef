"""Solves that would take very long: a child process for the tests of Ctrl-C, named what it is to solve.

Once Ctrl-C can only hit the solve a line says "ready"; when it returns, a line of JSON says what came back and when.
"""

import json
import math
import signal
import sys
import threading
import time

import numpy as np

import posewright as pw
from posewright.figures.catalogue import build, chain
from posewright.figures.kinematics import site_frames
from posewright.solvers import interruption
from posewright.solvers.registry import SOLVERS

FAR = [pw.Position("left_hand", (3.0, 5.0, -7.0)), pw.Position("right_hand", (-3.0, 2.0, 7.0))]

LONG_SETTINGS = {
    "least_squares": {"max_iterations": 10**9, "restarts": 10**9},
    "prioritized": {"max_iterations": 10**9, "max_step": 1e-3},
    "active_set_bfgs": {"max_iterations": 10**9, "restarts": 10**9},
}
"""With which one compiled search goes on for minutes; solvers that cannot be asked for that are not listed."""


def one_compiled_search(name):
    if name not in LONG_SETTINGS:
        return None
    problem = curled_chain() if name == "prioritized" else pw.Problem(build("human40"), FAR)
    prepared = SOLVERS[name](**LONG_SETTINGS[name]).prepare(problem)
    return lambda: prepared.solve().stopped


def curled_chain():
    """A long way in small steps."""
    figure = chain(100)
    joints = list(figure.joint_names[3::4])
    q = figure.rest + 0.3 * np.random.default_rng(0).normal(size=figure.n_dofs)
    points = site_frames(figure, q, joints).points
    return pw.Problem(figure, [pw.Position(joint, point) for joint, point in zip(joints, points, strict=True)])


def many_searches(name):
    prepared = SOLVERS[name]().prepare(pw.Problem(build("human40"), FAR))
    targets = np.repeat(prepared.lowered.targets[np.newaxis], 20_000, axis=0)

    def solve():
        last = prepared.solve_many(targets).stopped[-1]
        assert prepared.solve().stopped != "interrupted"  # what comes after knows nothing of it
        return last

    return solve


def goal_in_python(name):
    def slowly(pose):
        time.sleep(0.008)  # and there are two evaluations per dof and iteration
        return np.array([pose["left_elbow.flexion"] - 9.0])

    prepared = SOLVERS[name]().prepare(pw.Problem(build("human40"), [*FAR, pw.PythonGoal(slowly, 1, unit="rad")]))

    def solve():
        result = prepared.solve()
        assert np.isfinite(result.cost)
        return result.stopped

    return solve


def interrupted(run):
    """What a run raises that has no answer to a Ctrl-C."""
    try:
        print("ready", flush=True)
        run()
    except KeyboardInterrupt:
        return "KeyboardInterrupt"
    return "came to its end"


def standing_still(figure, n_frames):
    return pw.Motion(figure, np.repeat(figure.rest[np.newaxis], n_frames, axis=0), 30.0)


def in_stretches():
    """Many frames in few kernel calls."""

    def solve(n_frames):
        figure = build("human40")
        far = np.array([3.0, 5.0, -7.0]) + np.sin(np.arange(n_frames))[:, np.newaxis]
        problem = pw.MotionProblem(figure, [pw.goals.follow("left_hand", far)], standing_still(figure, n_frames))
        return lambda: pw.LeastSquares().solve(problem)

    solve(2)()
    long = solve(300_000)
    return lambda: interrupted(long)


def frame_by_frame():
    """Few frames, each of them long: it must not go on with the next."""
    pose = curled_chain()
    figure, quick = pose.figure, pw.Prioritized(max_iterations=2)
    tracks = [pw.goals.follow(goal.site, np.repeat([goal.target], 3, axis=0)) for goal in pose.goals]
    problem = pw.MotionProblem(figure, tracks, standing_still(figure, 3), imitation=pw.Imitation(example=0.0))
    quick.solve(problem)
    return lambda: interrupted(lambda: pw.Prioritized(**LONG_SETTINGS["prioritized"]).solve(problem))


def edit_by_hand():
    """Frames that are all solved in one kernel call per core."""
    pose = curled_chain()
    motion = standing_still(pose.figure, 40)
    keys = [goal.during(0, 39) for goal in pose.goals]
    pw.edit(motion, keys, solver=pw.Prioritized(max_iterations=2))
    return lambda: interrupted(lambda: pw.edit(motion, keys, solver=pw.Prioritized(**LONG_SETTINGS["prioritized"])))


def with_answer(solve):
    """What a search answers that listens for Ctrl-C itself; it is ready as soon as it does."""
    before = signal.getsignal(signal.SIGINT)
    interruption._watch._last = -math.inf  # two interrupts within a second would be another wish

    def say_when_ready():
        while signal.getsignal(signal.SIGINT) is before:
            time.sleep(0.01)
        print("ready", flush=True)

    threading.Thread(target=say_when_ready, daemon=True).start()
    return solve()


def tell(kind, stopped):
    print(json.dumps([kind.__name__, stopped, time.monotonic()]), flush=True)


WITHOUT_ANSWERS = {"motions": (in_stretches, frame_by_frame), "edits": (edit_by_hand,)}


def main(name):
    if name in WITHOUT_ANSWERS:
        for kind in WITHOUT_ANSWERS[name]:
            solve = kind()
            tell(kind, solve())
        print("done", flush=True)
        return
    in_python = pw.PythonGoal(lambda pose: np.array([pose["left_elbow.flexion"]]), 1, unit="rad")
    for goals in (FAR, [*FAR, in_python]):
        SOLVERS[name]().solve(pw.Problem(build("human40"), goals))  # loads, or compiles, the kernels
    for kind in (one_compiled_search, many_searches, goal_in_python):
        solve = kind(name)
        if solve is None:
            continue
        tell(kind, with_answer(solve))
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
