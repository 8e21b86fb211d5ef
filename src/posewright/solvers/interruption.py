"""Ctrl-C during a solve: the search ends within its iteration and answers with the best pose so far.

Python handles Ctrl-C in the main thread, between its own steps. So a compiled search that may take long runs in a
thread of its own while the main thread waits; the handler sets the `stop` flag that every search reads at every
iteration. Searches that are short or driven from Python need no thread. Code of users (goals, predicates) is never
broken off in the middle. A second Ctrl-C soon after the first leaves altogether, as Ctrl-C does anywhere else.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import numpy.typing as npt

Stop = npt.NDArray[np.int8]
"""One element; not 0 asks a search to end."""
Action = Callable[[], None]

SHORT = 1.0
"""s: a compiled search that cannot take longer is simply waited for; Ctrl-C then means what it always does."""
_AGAIN = 1.0  # s: a Ctrl-C this soon after another one means to leave


class _Watch:
    """The handler of SIGINT while searches run, and what it knows. There is one: signals belong to the process."""

    def __init__(self) -> None:
        self.wants_answers = True
        self._running: list[tuple[Stop, Action]] = []  # several where a goal in Python solves a problem itself
        self._before: Callable[[int, FrameType | None], object] = signal.default_int_handler
        self._last = -math.inf

    def begin(self, stop: Stop, then: Action) -> bool:
        """Watch over a search; False where that cannot be: not the main thread, or Ctrl-C is ignored here."""
        if threading.current_thread() is not threading.main_thread():
            return False
        before = self._before if self._running else signal.getsignal(signal.SIGINT)
        if not callable(before):
            return False
        self._running.append((stop, then))
        if len(self._running) == 1:
            self._before = before
            signal.signal(signal.SIGINT, self._handle)
        return True

    def end(self) -> None:
        """The search that began last is over."""
        if len(self._running) == 1:
            signal.signal(signal.SIGINT, self._before)
        self._running.pop()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        for stop, _ in self._running:
            stop[0] = 1
        last, self._last = self._last, time.monotonic()
        leaving = not self.wants_answers or self._last - last < _AGAIN
        if leaving or self._before is not signal.default_int_handler:  # handlers of others are still called
            self._before(number, frame)
        self._running[-1][1]()


def _nothing() -> None:
    pass


_watch = _Watch()


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
    if threading.current_thread() is not threading.main_thread():
        run()
        return
    raised: list[BaseException] = []

    def search() -> None:
        try:
            run()
        except BaseException as error:
            raised.append(error)

    with stopping_at_interrupt(stop):
        thread = threading.Thread(target=search, name="posewright search", daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.1)
        finally:
            stop[0] = stop[0] or thread.is_alive()
            thread.join()
    if raised:
        raise raised[0]


def run_side_by_side(run: Callable[..., None], parts: Sequence[tuple[Any, ...]], stop: Stop) -> None:
    """Run compiled code that reads `stop` on each part, in a thread for each; Ctrl-C, or what one raises, sets it."""
    with stopping_at_interrupt(stop), ThreadPoolExecutor(len(parts)) as pool:
        try:
            waiting = {pool.submit(run, *part) for part in parts}
            while waiting:  # by turns: a Ctrl-C at the moment before a wait would only be heard after it
                done, waiting = wait(waiting, timeout=0.1, return_when=FIRST_EXCEPTION)
                for one in done:
                    one.result()
        except BaseException:
            stop[0] = 1
            raise
