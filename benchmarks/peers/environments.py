"""A virtual environment per peer, made once under the user's cache folder, and the process that answers from it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}


@dataclass(frozen=True)
class Peer:
    """A library to measure beside ours."""

    name: str
    script: str
    packages: tuple[str, ...]
    bare: tuple[str, ...] = ()
    """Packages installed without what they depend on."""
    pythons: tuple[str, ...] = ()
    """Versions that it has wheels for; empty: that of this process."""
    tasks: tuple[str, ...] = ("t1", "t1x", "t1m", "chain", "arm")
    follows: bool = False
    """Whether it has the tasks of clips too."""
    largest: int = 1000
    """At most so many solves of a task: some are slow."""


PEERS = (
    Peer(
        "momentum",
        "momentum_peer.py",
        ("numpy", "scipy"),
        bare=("pymomentum-core",),
        pythons=("3.12", "3.13"),
        follows=True,
    ),  # torch, which it names, is not needed
    Peer("PlaCo", "placo_peer.py", ("placo",), follows=True),
    Peer("mink", "mink_peer.py", ("mink", "daqp"), follows=True),
    Peer("Pink", "pink_peer.py", ("pin-pink", "daqp"), follows=True),
    Peer("roboticstoolbox", "roboticstoolbox_peer.py", ("roboticstoolbox-python",), tasks=("chain", "arm")),
    Peer("SciPy", "scipy_peer.py", ("scipy",), largest=60),
)


class NotInstalled(Exception):
    """Why a peer cannot be measured here."""


class Running:
    """A peer in its own process, answering one round at a time."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(HERE.parent)}
        self._process = subprocess.Popen(
            [_python_of(peer), str(HERE / peer.script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self.version = self._read()["version"]

    def round(self, task: str, count: int) -> dict[str, Any]:
        """Seconds of each solve, success (per cent) and worst violation (rad) of the first solves of a task."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{task} {min(count, self.peer.largest)}\n")
        self._process.stdin.flush()
        return self._read()

    def follow(self, clip: str, steps: int) -> dict[str, Any]:
        """Seconds and score of a clip with so many steps per frame."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{clip} {steps}\n")
        self._process.stdin.flush()
        return self._read()

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.wait()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):  # some libraries print when they are imported
                answer: dict[str, Any] = json.loads(line)
                return answer
        raise NotInstalled(f"{self.peer.script} ended with code {self._process.wait()}")


def _python_of(peer: Peer) -> str:
    """The interpreter of the peer's environment, which is made if it is not there."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "posewright-peers" / peer.name.lower()
    python, ready = folder / "bin" / "python", folder / "ready"
    if ready.exists():
        return str(python)
    print(f"  making an environment for {peer.name} ...", file=sys.stderr, flush=True)
    try:
        _run(_interpreter(peer), "-m", "venv", "--clear", str(folder))
        if peer.bare:
            _run(str(python), "-m", "pip", "install", "-q", "--no-deps", *peer.bare)
        _run(str(python), "-m", "pip", "install", "-q", *peer.packages)
    except (OSError, subprocess.SubprocessError) as problem:
        raise NotInstalled(str(problem).splitlines()[0][:120]) from problem
    ready.touch()
    return str(python)


def _interpreter(peer: Peer) -> str:
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not peer.pythons or here in peer.pythons:
        return sys.executable
    for version in peer.pythons:
        found = [shutil.which(f"python{version}"), *Path.home().glob(f".pyenv/versions/{version}.*/bin/python")]
        for python in filter(None, found):
            if subprocess.run([str(python), "-c", ""], capture_output=True).returncode == 0:
                return str(python)
    raise NotInstalled(f"needs CPython {' or '.join(peer.pythons)}")


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=900)
