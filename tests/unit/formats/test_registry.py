"""Loading and saving by suffix: what is refused, and how it is said."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import posewright as pw
from posewright.cli.options import FLAG_OF
from posewright.errors import FileProblem
from posewright.figures.catalogue import arm4, chain
from posewright.formats import ReadOptions, load
from posewright.formats.registry import FORMATS


@pytest.fixture
def figure_file(tmp_path: Path) -> Path:
    arm4().save(tmp_path / "arm.yaml")
    return tmp_path / "arm.yaml"


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "takes.bvh").mkdir()
    with pytest.raises(FileProblem, match=r"takes\.bvh: is a folder, not a file"):
        pw.formats.load(tmp_path / "takes.bvh")


def test_a_file_that_may_not_be_read_is_told_by_the_system(figure_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(FileProblem, match=r"arm\.yaml: cannot be read: permission denied"):
        pw.formats.load(figure_file)


def test_a_figure_is_no_motion_but_a_motion_has_a_figure(figure_file: Path, tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"arm\.yaml: contains a figure but no motion"):
        pw.motion(figure_file)
    figure = arm4()
    pw.Motion(figure, np.zeros((2, figure.n_dofs)), fps=30.0).save(tmp_path / "still.npz")
    assert pw.figure(tmp_path / "still.npz").joints == figure.joints


@pytest.mark.parametrize(("name", "found"), [("clip.bhv", "suffix '.bhv'; did you mean '.bvh'"), ("clip", "no suffix")])
def test_an_unknown_suffix_is_refused_with_the_known_ones(name: str, found: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("HIERARCHY")
    with pytest.raises(FileProblem) as problem:
        pw.formats.load(tmp_path / name)
    assert f"cannot read a file with {found}" in str(problem.value)


@pytest.mark.parametrize(
    ("name", "way"),
    [("mixamo.FBX", "export it as .glb"), ("scene.usdz", "export it as .glb"), ("take.c3d", "holds markers")],
)
def test_files_of_other_programs_are_refused_with_a_way_to_get_them_here(name: str, way: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"Kaydara FBX Binary")
    with pytest.raises(FileProblem, match=way):
        pw.formats.load(tmp_path / name)


@pytest.mark.parametrize("suffix", [".vrm", ".vrma"])
def test_vrm_files_are_read_as_the_glb_files_that_they_are(suffix: str, tmp_path: Path) -> None:
    figure = arm4()
    pw.Motion(figure, np.linspace(0.0, 0.5, 5)[:, None] * np.ones(figure.n_dofs), fps=30.0).save(tmp_path / "own.glb")
    (tmp_path / "own.glb").rename(tmp_path / f"own{suffix}")
    read = pw.motion(tmp_path / f"own{suffix}")
    assert set(figure.joint_names) <= set(read.figure.joint_names)
    assert len(read) == 5
    with pytest.raises(FileProblem, match="cannot write a file with suffix"):
        read.save(tmp_path / f"other{suffix}")


def test_an_option_without_a_meaning_is_refused_not_ignored(tmp_path: Path) -> None:
    motion = pw.Motion(chain(2), np.zeros((2, 6)), fps=30.0)
    motion.save(tmp_path / "own.npz")
    with pytest.raises(FileProblem, match=r"option up does not apply to this file; accepted: fps, drop_first"):
        load(tmp_path / "own.npz", ReadOptions(up="z"))
    motion.figure.save(tmp_path / "own.yaml")
    with pytest.raises(FileProblem, match=r"option fps does not apply to this file; it needs no options"):
        load(tmp_path / "own.yaml", ReadOptions(fps=60.0))
    motion.save(tmp_path / "own.bvh")
    with pytest.raises(FileProblem, match=r"option animation does not apply to this file; accepted: metres_per_unit"):
        load(tmp_path / "own.bvh", ReadOptions(animation="walk"))


def test_every_option_exists_and_has_a_flag() -> None:
    names = {name for form in FORMATS for name in form.options} | {"layout"}
    assert names == {field.name for field in fields(ReadOptions)} == set(FLAG_OF)
