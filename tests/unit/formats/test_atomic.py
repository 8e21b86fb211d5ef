"""Files are replaced as a whole; what cannot be written is one sentence, and the old file stays."""

import os
from pathlib import Path

import pytest

from posewright.errors import FileProblem
from posewright.formats.atomic import replacing, require_place


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "walk.bvh").mkdir()
    for refuse in (require_place, lambda path: replacing(path).__enter__()):
        with pytest.raises(FileProblem, match=r"walk\.bvh: cannot write here: it is a folder"):
            refuse(tmp_path / "walk.bvh")
    assert os.listdir(tmp_path) == ["walk.bvh"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"cannot write here: there is no folder '.*none'"):
        require_place(tmp_path / "none" / "walk.bvh")


def test_a_disk_that_is_full_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    path.write_text("old")
    writing = replacing(path)
    writing.__enter__().write_text("half")
    full = OSError(28, "No space left on device")
    with pytest.raises(FileProblem, match=r"walk\.bvh: could not be written: no space left"):
        writing.__exit__(OSError, full, None)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["walk.bvh"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    real, link = tmp_path / "library" / "walk.bvh", tmp_path / "walk.bvh"
    real.write_text("old")
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("no links here")
    with replacing(link) as new:
        new.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_the_longest_names_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 240 + ".bvh")
    with replacing(path) as new:
        new.write_text("new")
    assert path.read_text() == "new"
