"""Files are replaced as a whole; what cannot be written is one sentence, and the old file stays."""

import os
import stat
import subprocess
import sys
import time
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


posix = pytest.mark.skipif(sys.platform == "win32", reason="no such permissions or locks there")


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444, 0o755])
def test_a_file_written_over_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "walk.bvh"
    path.write_text("old")
    path.chmod(mode)
    with replacing(path) as new:
        new.write_text("new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_a_new_file_has_the_mode_of_new_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with replacing(tmp_path / "walk.bvh") as new:
            new.write_text("new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "walk.bvh").stat().st_mode) == 0o640


WRITER = """
import sys, time
from posewright.formats.atomic import replacing
with replacing(sys.argv[1]) as new:
    new.write_text("half")
    print("ready", flush=True)
    time.sleep(60)
"""


@posix
def test_what_a_killed_writer_left_is_removed_and_what_a_live_one_writes_is_not(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / name)], stdout=subprocess.PIPE, text=True)
        for name in ("killed.bvh", "alive.bvh")
    ]
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        writers[0].kill()
        writers[0].wait()
        own = tmp_path / ".mine.0123456789ab.bvh"
        own.write_text("of somebody else")
        assert len(os.listdir(tmp_path)) == 3
        with replacing(tmp_path / "other.bvh") as new:
            new.write_text("new")
        left = sorted(name for name in os.listdir(tmp_path) if "posewright" in name)
        assert len(left) == 1
        assert left[0].startswith(".alive.bvh.")
        assert own.exists()
        assert (tmp_path / "other.bvh").read_text() == "new"
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()


@posix
def test_large_folders_are_not_searched_at_every_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    scan = os.scandir
    monkeypatch.setattr(os, "scandir", lambda folder: looks.append(time.sleep(0.02)) or scan(folder))
    for k in range(20):
        with replacing(tmp_path / f"{k}.bvh") as new:
            new.write_text("new")
    assert len(looks) == 1
