"""Ctrl-C ends any solve with its best pose so far; what code of users raises comes through as it is."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import posewright as pw
from posewright.figure.catalogue import build
from posewright.solvers.interruption import plain_interrupts, run_beside, stopping_at_interrupt
from posewright.solvers.registry import SOLVERS

CHILD = Path(__file__).parents[1] / "support" / "interrupted_solves.py"
AT_ONCE = 0.5  # s
over_solvers = pytest.mark.parametrize("name", SOLVERS)


@over_solvers
def test_a_real_interrupt_ends_every_kind_of_solve_with_an_answer(name):
    package = Path(pw.__file__).parents[1]
    with subprocess.Popen(
        [sys.executable, CHILD, name],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(package)},
    ) as child:
        assert child.stdout is not None
        try:
            while (line := child.stdout.readline().strip()) == "ready":
                time.sleep(1.2)  # long enough to be in the midst of it, and for two interrupts not to be one wish
                sent = time.monotonic()
                child.send_signal(signal.SIGINT)
                kind, stopped, began, ended = json.loads(child.stdout.readline())
                assert began < sent, kind
                assert stopped == "interrupted", kind
                assert ended - sent < AT_ONCE, kind
            assert line == "done"
        finally:
            child.kill()


class Unlucky(Exception):
    """What the goal of a user might raise."""


class Fragile:
    """A goal or predicate that breaks when told to."""

    __name__ = "fragile"

    def __init__(self):
        self.calls_left = None

    def breaks(self):
        if self.calls_left is not None:
            self.calls_left -= 1
            if self.calls_left < 0:
                raise Unlucky("the sensor is unplugged")

    def residual(self, pose):
        self.breaks()
        return np.array([pose["left_elbow.flexion"] - 1.0])

    def __call__(self, pose):
        self.breaks()
        return True


@over_solvers
@pytest.mark.parametrize("after", [0, 3])
def test_what_a_goal_raises_comes_through_and_the_problem_stays_usable(name, after):
    fragile = Fragile()
    goals = [pw.PositionGoal("left_hand", (0.3, 1.2, 0.4)), pw.PythonGoal(fragile.residual, 1, unit="rad")]
    prepared = SOLVERS[name]().prepare(pw.Problem(build("human40"), goals))
    before = prepared.solve()
    fragile.calls_left = after
    with pytest.raises(Unlucky, match="unplugged") as caught:
        prepared.solve()
    assert "breaks" in [entry.name for entry in caught.traceback]
    fragile.calls_left = after
    with pytest.raises(Unlucky):
        prepared.solve_many(np.repeat(prepared.lowered.targets[np.newaxis], 3, axis=0))
    fragile.calls_left = None
    assert np.array_equal(prepared.solve().q, before.q)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@over_solvers
def test_what_a_predicate_raises_comes_through_and_the_problem_stays_usable(name):
    fragile = Fragile()
    problem = pw.Problem(build("human40"), [pw.PositionGoal("left_hand", (0.3, 1.2, 0.4))], predicates=[fragile])
    prepared = SOLVERS[name]().prepare(problem)
    fragile.calls_left = 0
    with pytest.raises(Unlucky, match="unplugged"):
        _ = prepared.solve().warnings
    fragile.calls_left = None
    assert not prepared.solve().warnings


def interrupt_soon(seconds=0.1):
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def spin(stop):
    """As a kernel does: until told to end."""
    while not stop[0]:
        time.sleep(0.001)


def test_an_interrupt_reaches_every_search_that_runs_and_then_means_what_it_did():
    outer, inner = np.zeros(1, np.int8), np.zeros(1, np.int8)
    called = []
    with stopping_at_interrupt(outer):
        interrupt_soon()
        with stopping_at_interrupt(inner, lambda: called.append(1)):
            spin(inner)
        assert outer[0] == 1
    assert called == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    time.sleep(1.0)  # so that the next interrupt of this process is not the second of a pair


def test_a_second_interrupt_leaves():
    stop = np.zeros(1, np.int8)

    def deaf():
        time.sleep(0.4)

    interrupt_soon(0.1)
    interrupt_soon(0.2)
    with pytest.raises(KeyboardInterrupt):
        run_beside(deaf, stop)
    assert stop[0] == 1
    time.sleep(1.0)


def test_those_who_want_no_half_answers_are_left_at_once():
    stop = np.zeros(1, np.int8)
    interrupt_soon()
    with plain_interrupts(), pytest.raises(KeyboardInterrupt):
        run_beside(lambda: spin(stop), stop)
    assert stop[0] == 1
    time.sleep(1.0)


def test_handlers_of_others_still_hear_of_it():
    heard, stop = [], np.zeros(1, np.int8)
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        interrupt_soon()
        run_beside(lambda: spin(stop), stop)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


def test_another_thread_runs_without_a_handler():
    seen = []
    thread = threading.Thread(
        target=lambda: run_beside(lambda: seen.append(threading.current_thread()), np.zeros(1, np.int8))
    )
    thread.start()
    thread.join()
    assert seen == [thread]
