"""Archives whose arrays are mapped: readable by everyone, aligned, and never trusted."""

import os
import struct
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from posewright.errors import FileProblem
from posewright.formats.npz.archive import NpzArchive, write_arrays, write_mapped


def test_every_kind_of_array_comes_back_in_place(tmp_path):
    arrays = {
        "text": np.array("words"),
        "one": np.array(3.5),
        "rows": np.arange(30.0).reshape(10, 3),
        "none": np.zeros((0, 4)),
        "small": np.arange(5, dtype=np.int32),
        "name of another length": np.arange(7.0),
    }
    write_mapped(tmp_path / "a.npz", arrays)
    file = NpzArchive(tmp_path / "a.npz")
    assert file.text("text") == "words"
    assert float(file.numbers("one", ())) == 3.5
    for name, dtype, shape in (
        ("rows", np.float64, (None, 3)),
        ("none", np.float64, (None, 4)),
        ("small", np.int32, (5,)),
    ):
        mapped = file.mapped(name, dtype, shape)
        np.testing.assert_array_equal(mapped, arrays[name])
        assert not mapped.flags.writeable
        assert mapped.size == 0 or mapped.ctypes.data % 64 == 0
    with np.load(tmp_path / "a.npz") as read:
        assert set(read) == set(arrays)
        for name, array in arrays.items():
            np.testing.assert_array_equal(read[name], array)


def test_arrays_by_columns_and_of_other_types_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", q=np.asfortranarray(np.ones((3, 4))), wide=np.ones((2, 2), dtype=">f8"))
    file = NpzArchive(tmp_path / "a.npz")
    with pytest.raises(FileProblem, match=r"'q' is float64 of shape \(3, 4\)"):
        file.mapped("q", np.float64, (None, 4))
    with pytest.raises(FileProblem, match="'wide' is >f8"):
        file.mapped("wide", np.float64, (2, 2))
    with pytest.raises(FileProblem, match="lacks the array 'x'; it has q, wide"):
        file.mapped("x", np.float64, ())


def archive(path: Path, member: bytes, *, method: int = zipfile.ZIP_DEFLATED, claimed: int | None = None) -> Path:
    """A file with one member, q.npy; `claimed` is the size that its headers state."""
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr("q.npy", member)
    if claimed is not None:
        path.write_bytes(path.read_bytes().replace(struct.pack("<L", len(member)), struct.pack("<L", claimed)))
    return path


def npy(shape: str, dtype: str = "<f8", data: bytes = b"") -> bytes:
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


@pytest.mark.parametrize(
    ("member", "says"),
    [
        (npy("(1000000000,)"), r"\(1000000000,\) numbers do not fit into the file"),
        (npy("(10, -10)", data=bytes(800)), "do not fit into the file"),
        (npy(f"({10**12},)", "<U0"), "texts in 'q'; at most"),
        (npy("(2,)", "|O", bytes(16)), "it holds objects"),
        (npy("(1,)", [("a", "<f8")], bytes(8)), "it holds records"),
        (npy("(25000000,)", data=bytes(200_000_000)), "would take 191 MB, more than a file of [0-9,]+ bytes can need"),
    ],
    ids=["shape", "negative", "empty texts", "objects", "records", "bomb"],
)
def test_promises_are_checked_before_anything_is_allocated(tmp_path, member, says):
    path = archive(tmp_path / "a.npz", member)
    tracemalloc.start()
    with pytest.raises(FileProblem, match=says):
        NpzArchive(path).numbers("q", (None,))
    assert tracemalloc.get_traced_memory()[1] < 2e6
    tracemalloc.stop()


def test_a_size_that_is_a_lie_bounds_what_is_unpacked(tmp_path):
    member = npy("(20000000,)", data=bytes(160_000_000))
    path = archive(tmp_path / "a.npz", member, claimed=1000)
    tracemalloc.start()
    with pytest.raises(FileProblem, match=r"'q' (cannot be read|is cut off)"):
        NpzArchive(path).numbers("q", (None,))
    assert tracemalloc.get_traced_memory()[1] < 2e6
    tracemalloc.stop()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_that_cannot_be_bounded_is_refused(tmp_path, method):
    path = archive(tmp_path / "a.npz", npy("(2,)", data=bytes(16)), method=method)
    with pytest.raises(FileProblem, match="compressed in a way that numpy does not write"):
        NpzArchive(path).numbers("q", (None,))


def test_what_shrinks_too_much_is_written_so_that_it_can_be_read(tmp_path):
    write_arrays(tmp_path / "still.npz", {"q": np.zeros((20_000_000,))})
    assert len(NpzArchive(tmp_path / "still.npz").numbers("q", (None,))) == 20_000_000
    write_arrays(tmp_path / "short.npz", {"q": np.zeros((1_000_000,))})
    assert (tmp_path / "short.npz").stat().st_size < 100_000


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be cut there")
def test_a_file_cut_while_it_is_open_is_told(tmp_path):
    write_mapped(tmp_path / "a.npz", {"q": np.arange(1e5), "more": np.arange(3.0)})
    file = NpzArchive(tmp_path / "a.npz")
    os.truncate(tmp_path / "a.npz", 1000)
    for read in (
        lambda: file.mapped("q", np.float64, (None,)),
        lambda: file.numbers("more", (3,)),
        lambda: file.verify("q"),
        file.require_whole,
    ):
        with pytest.raises(FileProblem, match="was truncated while it was open"):
            read()
