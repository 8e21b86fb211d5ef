"""The page's files: those of the wheel, or built from source at the first start and kept by hash of the sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from posewright.errors import InvalidSetting
from posewright.kernels.compiling.cache import cache_root
from posewright.studio import page_build


def page_files(say: Callable[[str], None]) -> Mapping[str, bytes]:
    """The built page by file name; `say` is told what is done where it has to be built first."""
    return _files(page_folder(say))


def built_page() -> Mapping[str, bytes] | None:
    """The page where it is built already; None: it is not. Nothing is built or fetched."""
    folder = page_build.BUILT if page_build.BUILT.is_dir() else _kept()
    return _files(folder) if folder.is_dir() else None


def _files(folder: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def _kept() -> Path:
    """Where a page built from these sources is kept."""
    return cache_root() / "studio" / "pages" / page_build.source_hash()


def page_folder(say: Callable[[str], None], *, check_types: bool = False) -> Path:
    """The folder of the built page.

    Raises:
        InvalidSetting: it is not built and cannot be.
    """
    if page_build.BUILT.is_dir():
        return page_build.BUILT
    kept = _kept()
    if check_types or not kept.is_dir():
        try:
            page_build.build(kept, cache_root() / "studio" / "packages", say, check_types=check_types)
        except page_build.PageNotBuilt as error:
            raise InvalidSetting(str(error)) from None
    return kept
