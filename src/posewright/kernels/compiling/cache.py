"""Where compiled kernels are kept: a folder named by the hash of all the source that a kernel may run.

Numba caches a compiled function beside a stamp of *its own* file and does not see changes in the functions it
calls, so it would silently run old code. Here each file with kernels has a cache folder named by the hash of that
file, of every kernel file it imports, directly or not, and of the Numba version: change a kernel and it and all that
may call it are compiled anew, and nothing else. Numba itself keys each entry by the CPU. The folders do not depend on
where files are, so clones and environments share them.

Of what a file imports, those of `posewright.kernels` count and those from its own package, or beside it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numba

from posewright.kernels.compiling.choice import plain

if sys.platform != "win32":
    import fcntl

_ROOT = Path(__file__).parents[3]
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#]+))", re.M)
_PATIENCE = 60.0  # s to wait for another process that compiles: a kernel takes 15 at most
_PAUSE = 0.02  # s between two looks at its lock
_held: set[Path] = set()


class KernelFile(NamedTuple):
    """A Python file with kernels, or one that such a file imports."""

    name: str
    """Of the module, as in `posewright.kernels.tree.elimination`."""
    root: Path = _ROOT
    """The folder in which that name begins."""

    @classmethod
    def of(cls, function: Callable[..., Any]) -> KernelFile | None:
        """The file of a function; nothing if there is none, as at a prompt."""
        path, module = Path(function.__code__.co_filename), function.__module__
        if not path.is_file():
            return None
        if module == "__main__":
            return cls(path.stem, path.parent)
        return cls(module, path.parents[module.count(".") + (path.stem == "__init__")])


@functools.cache
def cache_folder(file: KernelFile) -> Path:
    """The folder of a file as it is now."""
    digest = hashlib.sha256(f"{numba.__version__} {plain()}".encode())
    for behind in sorted(files_behind(file)):
        digest.update(behind.name.encode() + b"\0" + _source(behind))
    return cache_root() / f"{file.name.removeprefix('posewright.kernels.')}-{digest.hexdigest()[:16]}"


def files_behind(file: KernelFile) -> set[KernelFile]:
    """The files whose code may run in the kernels of a file: itself and what it imports, onwards."""
    found: set[KernelFile] = set()
    waiting = {file}
    while waiting:
        found |= waiting
        waiting = {imported for one in waiting for imported in _imports(one)} - found
    return found


@contextmanager
def one_process(lock: Path) -> Iterator[None]:
    """Inside the block no other process is inside one for the same lock file, so that it finds what this one compiled.

    The operating system frees the lock when its process ends, however it ends. Where there are no such locks a kernel
    may be compiled twice, which only costs time; likewise if the other process does not go on, such as after Ctrl-Z.
    """
    descriptor = -1
    if sys.platform != "win32" and lock not in _held:
        with suppress(OSError):
            lock.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT)
            _wait_for(descriptor)
            _held.add(lock)
    try:
        yield
    finally:
        if descriptor >= 0:
            _held.discard(lock)
            os.close(descriptor)


def _wait_for(descriptor: int) -> None:
    """Lock a file.

    Raises:
        OSError: it cannot be locked, or has been locked for longer than it takes to compile.
    """
    ends = time.monotonic() + _PATIENCE
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > ends:
                raise
            time.sleep(_PAUSE)


@functools.cache
def _path(file: KernelFile) -> Path | None:
    stem = file.root.joinpath(*file.name.split("."))
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


@functools.cache
def _source(file: KernelFile) -> bytes:
    path = _path(file)
    return path.read_bytes() if path else b""


@functools.cache
def _imports(file: KernelFile) -> frozenset[KernelFile]:
    """The files that a file imports whose code counts."""
    path = _path(file)
    if path is None:
        return frozenset()
    found = set()
    package = file.name.split(".")[: None if path.stem == "__init__" else -1]
    for match in _IMPORT.finditer(_source(file).replace(b"\\\n", b" ")):
        module, members, modules = (group.decode() if group else "" for group in match.groups())
        found.update(_first_words(modules))
        dots = len(module) - len(module.lstrip("."))
        if dots:
            above = package[: len(package) - dots + 1]
            module = ".".join([*above, *filter(None, [module.lstrip(".")])])
        found |= {module, *(f"{module}.{name}" for name in _first_words(members.strip("()")))}  # any may be a module
    candidates = (KernelFile(name, root) for name in found if name and (root := _root_of(name, file)))
    return frozenset(imported for imported in candidates if _path(imported) is not None)


def _root_of(module: str, file: KernelFile) -> Path | None:
    """Where a module that a file imports begins, if its code may count."""
    top = module.partition(".")[0]
    if top == "posewright":
        return _ROOT if module.startswith("posewright.kernels") else None
    own_package = top == file.name.partition(".")[0]
    beside_a_script = "." not in file.name and file.root.name not in ("site-packages", "dist-packages")
    return file.root if own_package or beside_a_script else None


def _first_words(listed: str) -> list[str]:
    return [words[0] for one in listed.split(",") if (words := one.split())]


def cache_root() -> Path:
    """The folder of what this package compiles and builds; `POSEWRIGHT_CACHE` moves it."""
    if chosen := os.environ.get("POSEWRIGHT_CACHE"):
        return Path(chosen)
    try:
        home = Path.home()
    except RuntimeError:  # a user without one, as in containers: nothing is kept
        home = Path(os.devnull)
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "posewright"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home) / "posewright" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "posewright"
