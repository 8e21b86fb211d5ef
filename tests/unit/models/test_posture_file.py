"""Posture databases as files: the same after reading, opened without being read, every damage told in a sentence."""

import contextlib
import copy
import os
import pickle
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright.clips import sit, walk
from posewright.errors import FileProblem, InvalidFigure, InvalidMotion
from posewright.figures.catalogue import arm4, human40
from posewright.models import Postures
from posewright.motions import Motion

BOUNDED = settings(max_examples=60)


@pytest.fixture(scope="module")
def database() -> Postures:
    figure = human40()
    return Postures.build([walk(figure, seed=1, fps=15.0), sit(figure, seed=2, fps=15.0)], threshold=0.05)


@pytest.fixture
def saved(database, tmp_path) -> Path:
    path = tmp_path / "some.postures.npz"
    database.save(path)
    return path


def changed(path: Path, **arrays) -> Path:
    """The file with some arrays replaced, or left out for None, as another program would write it."""
    held = {**np.load(path), **arrays}
    np.savez(path, **{name: array for name, array in held.items() if array is not None})
    return path


def test_it_comes_back_as_it_was(saved, database):
    read = Postures.open(saved)
    np.testing.assert_array_equal(read.q, database.q)
    np.testing.assert_array_equal(read.clip, database.clip)
    np.testing.assert_array_equal(read.frame, database.frame)
    assert read.sources == database.sources
    assert read.threshold == database.threshold
    assert read.figure == database.figure


def test_numbers_stay_in_the_file_aligned_and_read_only(saved):
    q = Postures.open(saved).q
    assert q.flags.aligned
    assert not q.flags.writeable
    assert not q.flags.owndata
    assert q.ctypes.data % 64 == 0


def test_other_programs_read_it_and_what_they_write_is_read(saved, database):
    with np.load(saved) as arrays:
        np.testing.assert_array_equal(arrays["q"], database.q)
    assert zipfile.ZipFile(saved).testzip() is None
    np.testing.assert_array_equal(Postures.open(changed(saved)).q, database.q)


def test_a_file_may_be_written_over_while_it_is_open(saved, database):
    opened = Postures.open(saved)
    longer = opened.extended([sit(human40(), seed=5, fps=30.0)])
    longer.save(saved)
    np.testing.assert_array_equal(opened.q, database.q)
    assert len(Postures.open(saved)) == len(longer)
    assert len(longer.sources) == 3


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda opened: pickle.loads(pickle.dumps(opened))])
def test_a_copy_is_in_memory(saved, database, way):
    copied = way(Postures.open(saved))
    os.truncate(saved, 1000)
    np.testing.assert_array_equal(copied.q, database.q)
    np.testing.assert_array_equal(copied.on(human40()).values("head"), database.on(human40()).values("head"))


def test_an_empty_database_is_a_file_too(tmp_path):
    path = tmp_path / "empty.npz"
    Postures.build([], figure=arm4()).save(path)
    assert len(Postures.open(path)) == 0


def test_long_databases_are_written_in_pieces(tmp_path, monkeypatch, database):
    monkeypatch.setattr("posewright.formats.npz.archive._AT_ONCE", 1000)
    database.save(tmp_path / "pieces.npz")
    np.testing.assert_array_equal(Postures.open(tmp_path / "pieces.npz").q, database.q)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"format": np.array("posewright-motion")}, "is 'posewright-motion'; 'posewright-postures' is read here"),
        ({"format": None}, "is 'something else'"),
        ({"version": np.array(7)}, "is version 7 of 'posewright-postures'; version 1 is read: build it again"),
        ({"q": None}, "lacks the array 'q'"),
        ({"q": np.zeros((3, 7))}, r"'q' is float64 of shape \(3, 7\); it must be any x 40 of float64"),
        ({"q": np.zeros((3, 40), dtype=np.float32)}, "'q' is float32"),
        ({"clip": np.zeros(2, dtype=np.int32)}, "'clip' is int32 of shape"),
        ({"threshold": np.array(-1.0)}, "threshold is -1 rad"),
        ({"digests": np.array(["x"])}, "'digests' has 1 texts; there are 2 clips"),
        ({"frames": np.array([1.0])}, "'frames' is"),
        ({"figure": np.array("{")}, "figure"),
        ({"figure": np.array(["{}"], dtype=object)}, "cannot be read"),
    ],
)
def test_other_versions_and_wrong_arrays_are_told(saved, arrays, message):
    with pytest.raises(FileProblem, match=message) as told:
        Postures.open(changed(saved, **arrays))
    assert str(told.value).count("\n") == 0


def test_clips_that_do_not_exist_are_told(saved, database):
    with pytest.raises(FileProblem, match="'clip' names clips outside the 2 there are"):
        Postures.open(changed(saved, clip=database.clip + 5))


def test_what_is_no_file_is_told(tmp_path):
    with pytest.raises(FileProblem, match=r"missing\.npz: no such file") as told:
        Postures.open(tmp_path / "missing.npz")
    assert "archive" not in str(told.value)
    with pytest.raises(FileProblem, match="cannot be read: is a directory"):
        Postures.open(tmp_path)
    (tmp_path / "empty.npz").write_bytes(b"")
    with pytest.raises(FileProblem, match=r"is not a \.npz archive or is truncated"):
        Postures.open(tmp_path / "empty.npz")
    np.savez_compressed(tmp_path / "packed.npz", format=np.array("posewright-postures"), version=np.array(1))
    with pytest.raises(FileProblem, match="lacks the array 'figure'"):
        Postures.open(tmp_path / "packed.npz")


def test_compressed_arrays_cannot_be_mapped(saved):
    np.savez_compressed(saved, **np.load(saved))
    with pytest.raises(FileProblem, match="'q' is compressed"):
        Postures.open(saved)


def flipped(path: Path, where: int) -> Path:
    """The file with one bit of it the other way."""
    raw = bytearray(path.read_bytes())
    raw[where] ^= 1
    path.write_bytes(raw)
    return path


def inside(path: Path, database: Postures, name: str) -> int:
    """Where some byte of an array lies in the file."""
    at = path.read_bytes().find(getattr(database, name)[-3:].tobytes())
    assert at > 0
    return at + 4


@pytest.mark.parametrize("name", ["q", "clip", "frame"])
def test_a_flipped_bit_opens_and_is_told_when_all_is_read(saved, database, name):
    opened = Postures.open(flipped(saved, inside(saved, database, name)))
    assert len(opened) == len(database)
    message = f"array '{name}' is damaged: its checksum does not match"
    for use in (opened.verify, lambda: opened.on(human40()).values("head"), lambda: opened.extended([])):
        with pytest.raises(FileProblem, match=message) as told:
            use()
        assert str(told.value).count("\n") == 0


def test_a_flipped_bit_in_what_is_read_is_told_on_opening(saved, database):
    at = saved.read_bytes().find(database.sources[1].name.encode("utf-32-le"))
    assert at > 0
    with pytest.raises(FileProblem, match="cannot be read: Bad CRC-32"):
        Postures.open(flipped(saved, at))


def test_what_was_written_is_verified(saved, database):
    Postures.open(saved).verify()
    database.verify()  # of no file


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_file_cut_short_is_told_on_opening(saved, share):
    saved.write_bytes(saved.read_bytes()[: int(share * saved.stat().st_size)])
    with pytest.raises(FileProblem, match=r"not a \.npz archive or is truncated"):
        Postures.open(saved)


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be cut there")
def test_a_file_cut_while_it_is_open_is_told_whatever_is_asked(saved):
    opened = Postures.open(saved)
    on_figure, moved = opened.on(human40()), opened.on(human40(height=1.9))
    on_figure.prepare(["head"])
    os.truncate(saved, 2000)
    for use in (
        lambda: opened.q,
        lambda: opened.pose(0),
        lambda: on_figure.pose(0),
        lambda: moved.pose(0),
        lambda: on_figure.values("left_hand"),
        lambda: opened.extended([]),
        lambda: opened.save(saved.with_name("copy.npz")),
        opened.verify,
        lambda: copy.deepcopy(opened),
        lambda: pickle.dumps(opened),
    ):
        with pytest.raises(FileProblem, match="was truncated while it was open"):
            use()
    assert len(opened) == len(on_figure)
    assert not saved.with_name("copy.npz").exists()


@BOUNDED
@given(data=st.data())
def test_damaged_bytes_read_or_give_one_error(tmp_path, data):
    small = Postures.build([Motion(arm4(), np.random.default_rng(0).normal(size=(20, 4)), 30.0)])
    small.save(tmp_path / "whole.npz")
    raw = bytearray((tmp_path / "whole.npz").read_bytes())
    for _ in range(data.draw(st.integers(0, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "broken.npz").write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    with contextlib.suppress(FileProblem, InvalidMotion, InvalidFigure):
        opened = Postures.open(tmp_path / "broken.npz")
        opened.on(arm4()).values("segment4")  # what opens can be used, or says what is damaged


@BOUNDED
@given(where=st.integers(0, 10**6), byte=st.integers(0, 255))
def test_one_damaged_byte_of_a_header_reads_or_gives_one_error(tmp_path, where, byte):
    small = Postures.build([Motion(arm4(), np.zeros((2, 4)), 30.0)])
    small.save(tmp_path / "whole.npz")
    raw = bytearray((tmp_path / "whole.npz").read_bytes())
    raw[where % len(raw)] = byte
    (tmp_path / "broken.npz").write_bytes(raw)
    with contextlib.suppress(FileProblem):
        Postures.open(tmp_path / "broken.npz")
