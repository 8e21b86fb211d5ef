"""Paths of files, as callers give them."""

from __future__ import annotations

from pathlib import Path

from posewright.errors import InvalidSetting, shown


def as_path(path: str | Path) -> Path:
    """The path that a caller gave.

    Raises:
        InvalidSetting: it is no path at all, such as what a file holds instead of the file's name.
    """
    try:
        return Path(path)
    except TypeError:
        raise InvalidSetting(f"the path of a file is {shown(path)}; it must be text or a Path") from None
