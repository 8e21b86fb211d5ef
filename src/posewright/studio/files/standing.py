"""Where a studio listens and the tokens of its pages, kept in the state folder while it runs.

If it is killed, the next one with the same files listens at the same port and knows these pages, so that they go on by
themselves. Its own token is a new one. If it ends in order, what was kept is removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from posewright.studio.files.autosave import is_in_use, locked

_SUFFIX = ".address"
_LONGEST = 30 * 24 * 3600
"""s after the start of a studio that was killed when its address is forgotten."""


@dataclass(frozen=True)
class Address:
    """Where a studio listens."""

    host: str
    port: int
    tokens: tuple[str, ...]
    """That open pages have."""


class Standing:
    """The address of a running studio, in a file that only its user can read."""

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        """Nothing is kept yet.

        Args:
            folder: usually `state_folder()`.
            about: what the studio began with; a later start that begins with the same may take its address.
        """
        self._folder, self._about = folder, {word: about.get(word) for word in ("files", "folder")}
        self._file: int | None = None
        self._path: Path | None = None

    def left(self, host: str, port: int) -> Address | None:
        """The address of one like this that was killed lately; what was kept of it is removed.

        Args:
            host: where the new one listens.
            port: where it has to listen; 0: anywhere.
        """
        found: list[tuple[float, Address | None]] = []
        if sys.platform == "win32":  # no locks there: one that runs looks like one that was killed
            return None
        with contextlib.suppress(OSError):
            for path in self._folder.glob(f"*{_SUFFIX}"):
                if is_in_use(path):
                    continue
                with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
                    when, told = path.stat().st_mtime, json.loads(path.read_text(encoding="utf-8"))
                    address = Address(str(told["host"]), int(told["port"]), tuple(map(str, told["tokens"])))
                    late = time.time() - when > _LONGEST
                    if late or told["about"] == self._about:
                        path.unlink()
                    if not late and told["about"] == self._about and address.host == host and port in (0, address.port):
                        found.append((when, address))
        return max(found, key=lambda one: one[0], default=(0.0, None))[1]

    def keep(self, address: Address) -> None:
        """Keep an address until `end`; where it cannot be written nothing is kept."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path = self._folder / f"{secrets.token_hex(8)}{_SUFFIX}"
            self._file = locked(self._path)
            os.write(self._file, json.dumps({"about": self._about, **asdict(address)}).encode())

    def end(self) -> None:
        """The studio ends in order: nobody follows it."""
        if self._file is None or self._path is None:
            return
        self._path.unlink(missing_ok=True)
        os.close(self._file)
        self._file = self._path = None
