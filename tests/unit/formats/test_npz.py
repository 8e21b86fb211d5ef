import contextlib
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_figures import assert_same, mixed, wandering

from posewright.errors import FileProblem
from posewright.formats import ReadOptions, load, load_motion


def test_a_motion_comes_back_bit_for_bit(tmp_path: Path) -> None:
    motion = wandering(mixed())
    motion.save(tmp_path / "m.npz")
    back = load_motion(tmp_path / "m.npz")
    assert np.array_equal(back.q, motion.q)
    assert (back.fps, back.name, back.notes) == (motion.fps, motion.name, motion.notes)
    assert_same(back.figure, motion.figure)


def test_the_suffix_may_be_shouted(tmp_path: Path) -> None:
    wandering(mixed()).save(tmp_path / "M.NPZ")
    assert len(load_motion(tmp_path / "M.NPZ")) == 12
    assert [path.name for path in tmp_path.iterdir()] == ["M.NPZ"]


def test_the_same_motion_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        wandering(mixed()).save(tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_the_caller_may_know_better(tmp_path: Path) -> None:
    wandering(mixed()).save(tmp_path / "m.npz")
    back = load_motion(tmp_path / "m.npz", ReadOptions(fps=120.0, drop_first=True))
    assert (back.fps, len(back)) == (120.0, 11)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"q": np.zeros((3, 2))}, "it must be any x 20 numbers"),
        ({"q": np.full((2, 20), np.nan)}, "not finite at [0, 0]"),
        ({"q": None}, "lacks the array 'q'"),
        ({"fps": np.array(0.0)}, "frame rate is 0.0"),
        ({"fps": np.array("fast")}, "'fps' is <U4"),
        ({"figure": np.array("{")}, "its figure is not JSON"),
        ({"figure": np.array('{"format": "posewright-figure", "version": 1}')}, "lacks the field 'name'"),
        ({"format": np.array("other")}, "is 'other'"),
        ({"version": np.array(9)}, "version 9"),
        ({"format": None}, "neither a Posewright motion"),
        ({"q": np.array([{}], dtype=object)}, "it holds objects"),
    ],
)
def test_wrong_arrays_are_named(tmp_path: Path, changes: dict[str, object], says: str) -> None:
    wandering(mixed()).save(tmp_path / "m.npz")
    arrays = dict(np.load(tmp_path / "m.npz")) | changes
    np.savez(tmp_path / "m.npz", allow_pickle=True, **{k: v for k, v in arrays.items() if v is not None})
    with pytest.raises(FileProblem) as caught:
        load(tmp_path / "m.npz")
    assert says in str(caught.value)


def test_an_array_that_claims_to_be_huge_is_refused(tmp_path: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (2**60,)})
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
        archive.writestr("format.npy", header.getvalue())
    with pytest.raises(FileProblem, match="is cut off"):
        load(tmp_path / "m.npz")


@settings(max_examples=60)
@given(data=st.data())
def test_damaged_files_give_one_error(tmp_path: Path, data: st.DataObject) -> None:
    whole = tmp_path / "whole.npz"
    if not whole.exists():
        wandering(mixed(), frames=3).save(whole)
    raw = bytearray(whole.read_bytes())
    for _ in range(data.draw(st.integers(0, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    broken = tmp_path / "broken.npz"
    broken.write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    with contextlib.suppress(FileProblem):
        load(broken)
