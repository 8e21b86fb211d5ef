"""The clips of a library: files in folders, from patterns or lists, each named by its path in the library."""

from __future__ import annotations

import glob
import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from posewright.errors import FileProblem, InvalidSetting
from posewright.formats import FORMATS
from posewright.formats.layouts import suffix_of

_MANIFESTS = (".txt", ".list")
_PATTERN = set("*?[")
_AT_ONCE = 2**20
_BESIDE = {".amc": (".asf",), ".csv": (".urdf", ".xml", ".mjcf"), ".gltf": (".bin",)}
"""Files that a reader looks for beside a clip, by suffix: with the same name, or with any name."""
_ANY_NAME = (".asf", ".bin")
_NO_CLIPS = ("shape.npz", "_stagei.npz")
"""Endings of files among AMASS motions that hold body shapes."""


@dataclass(frozen=True)
class LibraryClip:
    """A clip of a library."""

    path: Path
    name: str
    """Its path in the library, with slashes and without suffix; names everything made from it."""


def clips_of(
    libraries: Sequence[str], layout: str | None = None, *, leave_out: Path | None = None
) -> list[LibraryClip]:
    """The clips in folders (searched recursively), files, patterns such as `cmu/**/*.bvh`, and lists of files (.txt).

    Args:
        libraries: where to look; paths in a list are relative to it.
        layout: layout of the files; None: all files with a suffix of motions.
        leave_out: a folder that is not searched, such as the output if it is inside a library.

    Raises:
        FileProblem: nothing was found.
    """
    suffixes = _suffixes(layout)
    found: dict[Path, Path] = {}
    bases: list[Path] = []
    for given in libraries:
        base, files = _files(given, suffixes)
        bases.append(base)
        skipped = [file for file in files if leave_out is not None and leave_out in file.parents]
        if not files or len(skipped) == len(files):
            raise FileProblem(given, f"contains no motion; readable files end in {', '.join(suffixes) or 'nothing'}")
        found |= {file: base for file in files if file not in skipped}
    if len(bases) > 1:  # names by the tree of all of them
        top = Path(os.path.commonpath(bases))
        found = dict.fromkeys(found, top)
    return _named(found)


def _suffixes(layout: str | None) -> tuple[str, ...]:
    if layout is not None:
        suffix = suffix_of(layout)
        return (suffix,) if suffix else ()
    return tuple(form.suffix for form in FORMATS if "fps" in form.options)


def _files(given: str, suffixes: tuple[str, ...]) -> tuple[Path, list[Path]]:
    """The folder that names are relative to, and the files."""
    path = Path(os.path.abspath(given))
    if path.is_dir():
        return path, _inside(path, suffixes)
    if path.is_file() and path.suffix.lower() in _MANIFESTS:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        listed = [Path(os.path.abspath(path.parent / line)) for line in lines if line[:1] not in ("", "#")]
        for number, file in enumerate(listed, start=1):
            if not file.exists():
                raise FileProblem(path, f"lists {str(file)!r}, which does not exist", line=number)
        base = Path(os.path.commonpath([file.parent for file in listed])) if listed else path.parent
        return base, sorted(set(listed))
    if path.exists():
        return path.parent, [path]
    if _PATTERN & set(given):
        steady = path.parts[: next(k for k, p in enumerate(path.parts) if _PATTERN & set(p))]
        matched = (Path(name) for name in glob.glob(str(path), recursive=True))
        return Path(*steady), sorted(file for file in matched if _fits(file, suffixes))
    raise FileProblem(given, "no such file, folder or pattern")


def _inside(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if _fits(file, suffixes))


def _fits(file: Path, suffixes: tuple[str, ...]) -> bool:
    if not suffixes:  # a layout whose motions are folders
        return file.is_dir() and (file / "metadata.txt").is_file()
    named = file.suffix.lower() in suffixes and not file.name.startswith(".") and not file.name.endswith(_NO_CLIPS)
    return named and file.is_file()


def _named(found: dict[Path, Path]) -> list[LibraryClip]:
    """Clips by name; those that differ only in their suffix keep it."""
    names = {file: PurePosixPath(file.relative_to(base).as_posix()) for file, base in found.items()}
    counts = Counter(name.with_suffix("") for name in names.values())
    clips = [
        LibraryClip(
            file, str(name.with_suffix("")) if counts[name.with_suffix("")] == 1 else str(name).replace(".", "_")
        )
        for file, name in names.items()
    ]
    repeated = [name for name, count in Counter(clip.name for clip in clips).items() if count > 1]
    if repeated:
        raise InvalidSetting(f"two clips of the library would both be called {repeated[0]!r}; rename one of them")
    return sorted(clips, key=lambda clip: clip.name)


def digest_of(path: Path, *others: Path) -> str:
    """A hash of the bytes of a clip, of files that its reader finds beside it, and of other files."""
    total = hashlib.sha256()
    for file in (*_files_of(path), *others):
        total.update(f"{file.name}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as data:
            while block := data.read(_AT_ONCE):
                total.update(block)
    return total.hexdigest()


def stamp_of(path: Path, *others: Path) -> str:
    """Size and time of a clip and of other files; their bytes are read again only if these change."""
    return ";".join(f"{(s := file.stat()).st_size}:{s.st_mtime_ns}" for file in (*_files_of(path), *others))


def _files_of(path: Path) -> list[Path]:
    """The file of a clip, and those that its reader finds beside it."""
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    for suffix in _BESIDE.get(path.suffix.lower(), ()):
        beside = sorted(path.parent.glob(f"*{suffix}")) if suffix in _ANY_NAME else [path.with_suffix(suffix)]
        files += [file for file in beside if file.is_file()]
    return files
