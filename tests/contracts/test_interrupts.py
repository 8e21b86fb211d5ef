"""Ctrl-C ends a solve with its best pose so far, and leaves motions and edits; what code of users raises comes out."""

import json
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.solvers import interruption
from posewright.solvers.interruption import plain_interrupts, run_watched, stopping_at_interrupt
from posewright.solvers.registry import SOLVERS

CHILD = Path(__file__).parents[1] / "support" / "interrupted_solves.py"
AT_ONCE = 30.0  # s, of searches that would take hours: only one that does not listen is later, however busy the machine
SIDES = ((1, "left"), (-1, "right"))
over_solvers = pytest.mark.parametrize("name", SOLVERS)


@pytest.mark.parametrize("name", [*SOLVERS, "motions", "edits"])
def test_a_real_interrupt_ends_every_kind_of_solve(name):
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
                time.sleep(0.2 if name in SOLVERS else 1.2)  # the others are ready before their kernels run
                sent = time.monotonic()
                child.send_signal(signal.SIGINT)
                kind, stopped, ended = json.loads(child.stdout.readline())
                assert stopped == ("interrupted" if name in SOLVERS else "KeyboardInterrupt"), kind
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
    goals = [pw.Position("left_hand", (0.3, 1.2, 0.4)), pw.PythonGoal(fragile.residual, 1, unit="rad")]
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
    problem = pw.Problem(build("human40"), [pw.Position("left_hand", (0.3, 1.2, 0.4))], predicates=[fragile])
    prepared = SOLVERS[name]().prepare(problem)
    fragile.calls_left = 0
    with pytest.raises(Unlucky, match="unplugged"):
        _ = prepared.solve().warnings
    fragile.calls_left = None
    assert not prepared.solve().warnings


@pytest.fixture(autouse=True)
def long_after_any_other_interrupt(monkeypatch):
    """Two that come soon after each other mean another thing than one, and all tests here are one process."""
    monkeypatch.setattr(interruption._watch, "_last", -math.inf)


def interrupt_soon(seconds=0.1):
    """A real Ctrl-C, once a search has begun to listen."""
    before = signal.getsignal(signal.SIGINT)

    def send():
        while signal.getsignal(signal.SIGINT) is before:
            time.sleep(0.001)
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send, daemon=True).start()


def spin(stop):
    """As a kernel does: until told to end."""
    while not stop[0]:
        time.sleep(0.001)


def test_an_interrupt_reaches_every_search_that_runs_and_then_means_what_it_did():
    outer, inner = np.zeros(1, np.int8), np.zeros(1, np.int8)
    called = []
    with stopping_at_interrupt(outer), stopping_at_interrupt(inner, lambda: called.append(1)):
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        spin(inner)
        assert outer[0] == 1
    assert called == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_is_heard_while_python_is_not_running():
    """Compiled code runs in another thread: this one waits, and handles the signal."""
    problem = pw.Problem(build("human40"), [pw.Position(f"{side}_hand", (9.0 * k, 0, 0)) for k, side in SIDES])
    prepared = pw.LeastSquares(max_iterations=10**9, restarts=10**9).prepare(problem)
    pw.LeastSquares().solve(problem)  # compiled or loaded before it is timed
    interrupt_soon(0.3)
    began = time.monotonic()
    assert prepared.solve().stopped == "interrupted"
    assert time.monotonic() - began < AT_ONCE


def test_a_second_interrupt_leaves():
    stop, first, flags = np.zeros(1, np.int8), threading.Event(), []

    def slow_to_end():
        spin(stop)
        flags.append(int(stop[0]))
        first.set()
        time.sleep(0.3)

    def twice():
        interrupt_soon()
        first.wait(AT_ONCE)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=twice, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        run_watched(slow_to_end, stop)
    assert flags == [1], "the first sets the flag and lets the search go on, the second leaves"


def test_those_who_want_no_half_answers_are_left_at_once():
    stop = np.zeros(1, np.int8)
    interrupt_soon()
    with plain_interrupts(), pytest.raises(KeyboardInterrupt):
        run_watched(lambda: spin(stop), stop)
    assert stop[0] == 1


def test_handlers_of_others_still_hear_of_it():
    heard, stop = [], np.zeros(1, np.int8)
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        interrupt_soon()
        run_watched(lambda: spin(stop), stop)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


def test_who_waits_for_signals_at_a_socket_still_hears_of_them_and_gets_it_back():
    ear, mouth = socket.socketpair()
    ear.settimeout(AT_ONCE)
    mouth.setblocking(False)
    stop = np.zeros(1, np.int8)
    before = signal.set_wakeup_fd(mouth.fileno())
    try:
        interrupt_soon()
        run_watched(lambda: spin(stop), stop)
        assert ear.recv(8) == bytes([signal.SIGINT])
        assert signal.set_wakeup_fd(mouth.fileno()) == mouth.fileno()
    finally:
        signal.set_wakeup_fd(before)


def test_an_interrupt_that_is_over_does_not_end_the_next_search():
    first, second = np.zeros(1, np.int8), np.zeros(1, np.int8)
    interrupt_soon()
    run_watched(lambda: spin(first), first)
    run_watched(lambda: time.sleep(0.1), second)
    assert second[0] == 0


FORKED = """
import os, signal, threading, time
import numpy as np
from posewright.solvers.interruption import run_watched

run_watched(lambda: None, np.zeros(1, np.int8))  # the parent has listened before
child = os.fork()
if child:
    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop = np.zeros(1, np.int8)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
end = time.monotonic() + 20.0

def spin():
    while not stop[0] and time.monotonic() < end:
        time.sleep(0.001)

run_watched(spin, stop)
os._exit(0 if stop[0] == 1 and time.monotonic() < end else 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_hears_its_own_interrupts():
    package = Path(pw.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", FORKED], env={**os.environ, "PYTHONPATH": str(package)}, timeout=2 * AT_ONCE, check=False
    )
    assert done.returncode == 0


def test_another_thread_runs_without_a_handler():
    seen = []
    thread = threading.Thread(
        target=lambda: run_watched(lambda: seen.append(threading.current_thread()), np.zeros(1, np.int8))
    )
    thread.start()
    thread.join()
    assert seen == [thread]
