"""Archives whose arrays are mapped: readable by everyone, aligned, and never trusted."""

import numpy as np
import pytest

from posewright.errors import FileProblem
from posewright.formats.npz.archive import NpzArchive, write_mapped


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
