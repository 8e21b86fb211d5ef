"""Where a kernel's compiled code is kept: a folder named by the hash of all the source it may run.

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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numba

from posewright.kernels.compiling.choice import plain

_PACKAGE = Path(__file__).parents[2]
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#]+))", re.M)


class KernelFile(NamedTuple):
    """A Python file with kernels, or one that such a file imports.

    Attributes:
        name: Of the module, as in `posewright.kernels.tree.elimination`.
        root: The folder in which that name begins.
    """

    name: str
    root: Path

    @classmethod
    def of(cls, function: Callable[..., Any]) -> KernelFile | None:
        """The file of a function; nothing if there is none, as at a prompt."""
        return _file_of(function.__code__.co_filename, function.__module__)

    @property
    def is_package(self) -> bool:
        """Whether it is the `__init__.py` of a package."""
        path = _path(self)
        return path is not None and path.stem == "__init__"


@functools.cache
def _file_of(filename: str, module: str) -> KernelFile | None:
    path = Path(filename)
    if not path.is_file():
        return None
    if module == "__main__":
        return KernelFile(path.stem, path.parent)
    return KernelFile(module, path.parents[module.count(".") + (path.stem == "__init__")])


@functools.cache
def cache_folder(file: KernelFile) -> Path:
    """The folder of a file as it is now."""
    digest = hashlib.sha256(f"{numba.__version__} {plain()}".encode())
    for behind in sorted(files_behind(file)):
        digest.update(behind.name.encode() + b"\0" + _source(behind))
    return _cache_root() / f"{file.name.removeprefix('posewright.kernels.')}-{digest.hexdigest()[:16]}"


def files_behind(file: KernelFile) -> set[KernelFile]:
    """The files whose code may run in the kernels of a file: itself and what it imports, onwards."""
    found: set[KernelFile] = set()
    waiting = {file}
    while waiting:
        found |= waiting
        waiting = {imported for one in waiting for imported in _imports(one)} - found
    return found


@functools.cache
def _path(file: KernelFile) -> Path | None:
    stem = file.root.joinpath(*file.name.split("."))
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


@functools.cache
def _source(file: KernelFile) -> bytes:
    path = _path(file)
    return path.read_bytes() if path is not None else b""


@functools.cache
def _imports(file: KernelFile) -> frozenset[KernelFile]:
    found: set[KernelFile] = set()
    for module, members in _imported_names(file):
        imported = _own(module, file)
        if imported is not None and imported.is_package:
            found |= {one for name in members if (one := _own(f"{module}.{name}", file))}
        if imported is not None:
            found.add(imported)
    return frozenset(found)


def _own(module: str, file: KernelFile) -> KernelFile | None:
    """What `module` means in a file, if that is a file whose code counts."""
    if module.split(".")[:2] == ["posewright", "kernels"]:
        found = KernelFile(module, _PACKAGE.parent)
    elif module.partition(".")[0] == file.name.partition(".")[0] != "posewright":
        found = KernelFile(module, file.root)
    elif "." not in file.name and file.root.name not in ("site-packages", "dist-packages"):
        found = KernelFile(module, file.root)  # a script and what is beside it
    else:
        return None
    return found if _path(found) is not None else None


def _imported_names(file: KernelFile) -> Iterator[tuple[str, list[str]]]:
    """Names of modules, each with what is taken from it."""
    for match in _IMPORT.finditer(_source(file).replace(b"\\\n", b" ")):
        module, members, modules = (group.decode() if group else "" for group in match.groups())
        yield from ((name, []) for name in _first_words(modules))
        dots = len(module) - len(module.lstrip("."))
        if dots:
            parents = file.name.split(".")
            above = parents[: len(parents) - dots + file.is_package]
            module = ".".join([*above, *filter(None, [module.lstrip(".")])])
        if module:
            yield module, _first_words(members.strip("()"))


def _first_words(listed: str) -> list[str]:
    return [words[0] for one in listed.split(",") if (words := one.split())]


def _cache_root() -> Path:
    if chosen := os.environ.get("POSEWRIGHT_CACHE"):
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "posewright"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "posewright" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "posewright"
