"""What is expected of any input: it is read or refused in a sentence, in 5 s, within 500 MB and 50 times its size.

Warnings of other libraries count as faults, but for those about numbers that overflow.

Of the 500 MB, 200 are what a process with all its libraries has before it reads anything.
"""

from __future__ import annotations

import contextlib
import re
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from numpy.exceptions import ComplexWarning

from posewright.errors import PosewrightError

SECONDS = 5.0
MEGABYTES, TIMES_ITS_SIZE = 300, 50
_CLEAR, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")


class Hang(BaseException):
    """An input that took too long, interrupted."""


@dataclass(frozen=True)
class Verdict:
    """What became of an input."""

    sentence: str
    """What the reader said, without names and numbers; "read" if nothing."""
    fault: str = ""
    """What is wrong with that; empty if nothing is."""


def judged(use: Callable[[Path], object], path: Path, data: bytes) -> Verdict:
    """Write the input, use it and judge what happens."""
    path.write_bytes(data)
    _forget_peak()
    began, own, of_children = _computed(), _peak(), _peak_of_children()
    sentence, fault = "read", ""
    try:
        with _interrupted_after(2.0 * SECONDS), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", RuntimeWarning)  # numbers that overflow are judged by what comes out
            warnings.simplefilter("error", ComplexWarning)
            use(path)
    except PosewrightError as error:
        sentence = str(error)
        if "\n" in sentence:
            fault = f"more than a sentence: {sentence[:300]!r}"
    except Hang:
        fault = f"hangs: {traceback.format_exc(limit=-4)}"
    except (Exception, RecursionError) as error:
        sentence, fault = type(error).__name__, traceback.format_exc(limit=-6)
    seconds, grown, child = _computed() - began, _peak() - own, _peak_of_children()
    if child > of_children:  # the largest so far: a child begins as a copy of this process, so that much is not its own
        grown = max(grown, child - max(200.0, _peak()))
    if seconds > SECONDS:
        fault = fault or f"takes {seconds:.1f} s of computing"
    if grown > MEGABYTES + TIMES_ITS_SIZE * len(data) / 2**20:
        fault = fault or f"takes {grown:.0f} MB for {len(data):,} bytes"
    return Verdict(re.sub(r"'[^']*'|\"[^\"]*\"|[-+.\d]+|\S*/\S*", "#", sentence)[:120], fault)


def _computed() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _forget_peak() -> None:
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")


def _peak() -> float:
    """MB that were in use at once since `_forget_peak`."""
    with contextlib.suppress(OSError):
        if found := re.search(r"VmHWM:\s+(\d+)", _STATUS.read_text()):
            return int(found.group(1)) / 1024
    return 0.0


def _peak_of_children() -> float:
    """MB of the largest child process so far."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


@contextlib.contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """Raise `Hang` in what computes for longer, as far as it is Python."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise Hang

    if sys.platform == "win32":
        yield
        return
    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
