"""One process compiles a kernel, others that need it wait and load it: a lock file beside what is compiled.

The operating system frees the lock when its process ends, however it ends. Where there are no such locks a kernel may
be compiled twice, which only costs time.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class CompileLock:
    """Held by the process that compiles."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1

    def acquire(self) -> None:
        """Wait until no other process holds it."""
        if sys.platform != "win32" and self._descriptor < 0:
            with suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT)
                fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def release(self) -> None:
        """Let the next one have it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
