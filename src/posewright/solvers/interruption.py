"""Ctrl-C during a solve: the search ends within its iteration and answers with the best pose so far.

Python handles Ctrl-C only in the main thread and only between its own steps, so it is deaf during a compiled search.
But it writes a byte to a socket at once, and a thread that waits there (`_Listener`, one for the process) sets the
`stop` flag that every search reads at every iteration. Searches that are short or driven from Python need no listener.
Code of users (goals, predicates) is never broken off in the middle. A second Ctrl-C soon after the first leaves
altogether, as Ctrl-C does anywhere else.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import numpy as np
import numpy.typing as npt

Stop = npt.NDArray[np.int8]
"""One element; not 0 asks a search to end."""
Action = Callable[[], None]

SHORT = 0.2
"""s: a compiled search that cannot take longer is simply waited for; Ctrl-C then means what it always does."""
_AGAIN = 1.0  # s: a Ctrl-C this soon after another one means to leave


class _Listener:
    """A thread that hears signals while the main thread runs compiled code."""

    def __init__(self, interrupted: Callable[[int], None]) -> None:
        self._interrupted = interrupted
        self._lock = threading.Lock()
        self._ear, self._mouth = socket.socketpair()
        self._ear.setblocking(False)
        self._mouth.setblocking(False)
        self._others = -1
        threading.Thread(target=self._listen, name="posewright Ctrl-C", daemon=True).start()

    def begin(self) -> None:
        """Listen; who listened before still hears what comes."""
        self._others = signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)

    def end(self, forget: bool) -> None:
        """Listen no more; what came and was not heard yet is forgotten, for Python has handled it by now."""
        signal.set_wakeup_fd(self._others)
        if forget:
            self._hear(lambda _: None)

    def _listen(self) -> None:
        while True:
            select.select([self._ear], [], [])
            self._hear(self._interrupted)

    def _hear(self, interrupted: Callable[[int], None]) -> None:
        with self._lock, suppress(BlockingIOError):
            numbers = self._ear.recv(64)
            if self._others >= 0:
                with suppress(OSError):
                    os.write(self._others, numbers)
            if times := numbers.count(signal.SIGINT):
                interrupted(times)


class _Watch:
    """The handler of SIGINT while searches run, and what it knows. There is one: signals belong to the process."""

    def __init__(self) -> None:
        self.wants_answers = True
        self._running: list[tuple[Stop, Action]] = []  # several where a goal in Python solves a problem itself
        self._before: Callable[[int, FrameType | None], object] = signal.default_int_handler
        self._last = -_AGAIN
        self._handled = False
        self._last_heard = -_AGAIN
        self._heard_two = False  # of which Python handles one
        self._listener: _Listener | None = None

    def begin(self, stop: Stop, then: Action) -> bool:
        """Watch over a search; False where that cannot be: not the main thread, or Ctrl-C is ignored here."""
        if threading.current_thread() is not threading.main_thread():
            return False
        first = not self._running
        before = signal.getsignal(signal.SIGINT) if first else self._before
        if not callable(before):
            return False
        self._running.append((stop, then))
        if first:
            self._before = before
            self._handled = self._heard_two = False
            signal.signal(signal.SIGINT, self._handle)
        return True

    def end(self) -> None:
        """The search that began last is over."""
        if len(self._running) == 1:
            signal.signal(signal.SIGINT, self._before)
        self._running.pop()

    def run(self, run: Callable[[], None]) -> None:
        """Run compiled code with the listener at its side."""
        if self._listener is None:
            self._listener = _Listener(self._hear)
        self._listener.begin()
        try:
            run()
        finally:
            self._listener.end(forget=self._handled)

    def forget_listener(self) -> None:
        """After a fork the thread is the parent's, and so is what is written to the socket."""
        self._listener = None

    def _hear(self, times: int) -> None:
        last, self._last_heard = self._last_heard, time.monotonic()
        self._heard_two = self._heard_two or times > 1 or self._last_heard - last < _AGAIN
        self._stop()

    def _stop(self) -> None:
        for stop, _ in self._running:
            stop[0] = 1

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._stop()
        self._handled = True
        last, self._last = self._last, time.monotonic()
        leaving = not self.wants_answers or self._heard_two or self._last - last < _AGAIN
        if leaving or self._before is not signal.default_int_handler:  # handlers of others still hear of it
            self._before(number, frame)
        self._running[-1][1]()


def _nothing() -> None:
    pass


_watch = _Watch()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watch.forget_listener)


@contextmanager
def stopping_at_interrupt(stop: Stop, then: Action = _nothing) -> Iterator[None]:
    """Inside, Ctrl-C sets `stop` and calls `then`, which may raise, instead of raising KeyboardInterrupt."""
    watching = _watch.begin(stop, then)
    try:
        yield
    finally:
        if watching:
            _watch.end()


@contextmanager
def plain_interrupts() -> Iterator[None]:
    """Inside, Ctrl-C raises KeyboardInterrupt as ever: for those to whom half an answer is worth nothing."""
    before, _watch.wants_answers = _watch.wants_answers, False
    try:
        yield
    finally:
        _watch.wants_answers = before


def run_watched(run: Callable[[], None], stop: Stop) -> None:
    """Run compiled code that reads `stop`; Ctrl-C sets it, where this is the thread that Ctrl-C is for."""
    if not _watch.begin(stop, _nothing):
        run()
        return
    try:
        _watch.run(run)
    finally:
        _watch.end()
