"""`posewright batch`, as a user calls it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from batch_samples import (
    command,
    contents,
    killed_again_and_again,
    leftovers,
    records,
    tiny_clip,
    tiny_library,
)

from posewright import batch
from posewright.batch.export import export
from posewright.clips import walk
from posewright.figures.catalogue import build


def posewright(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), capture_output=True, text=True, timeout=200, check=False)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return tiny_library(tmp_path / "library", 4)


def test_exit_codes_table_report_and_json(library: Path, tmp_path: Path) -> None:
    given = ("batch", "convert", library, "-o", tmp_path / "out", "--workers", "1")
    done = posewright(*given)
    assert (done.returncode, done.stderr) == (0, "")  # quiet in a log
    assert "4 of 4 clips kept; 4 clips made" in done.stdout
    assert "<h2>Clips</h2>" in (tmp_path / "out" / "report.html").read_text()
    tiny_clip(library / "bad.bvh", 1).write_text("HIERARCHY\nnothing")
    done = posewright(*given, "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert (told["made"], told["kept"], told["failed"]) == (1, 4, 1)
    assert told["failures"]["bad"].startswith(str(library / "bad.bvh"))
    done = posewright("batch", "convert", "--resume", "-o", tmp_path / "out")
    assert done.returncode == 1
    assert "bad " in done.stdout
    assert "4 of 5 clips kept, 1 failed; 0 clips made" in done.stdout
    (library / "bad.bvh").unlink()
    assert "no longer in the library; its result was kept: bad" in posewright(*given).stdout
    for words, sentence in ((("check",), "is a record of convert, not of check"), (("convert", "--fps", "9"), "--fps")):
        done = posewright("batch", *words, "--resume", "-o", tmp_path / "out")
        assert done.returncode == 2
        assert sentence in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("convert", "-o", "out"), "LIBRARY is missing"),
        (("convert", "nowhere", "-o", "out"), "nowhere: no such file, folder or pattern"),
        (("retarget", "library", "-o", "out"), "--to is missing"),
        (("retarget", "library", "-o", "out", "--to", "human4"), "did you mean 'human40'"),
        (("convert", "library", "-o", "out", "--format", "glbb"), "--format is 'glbb'; did you mean 'glb'"),
        (("convert", "library", "-o", "out", "--layout", "mjlap"), "no layout 'mjlap'; did you mean 'mjlab'"),
        (("check", "library", "-o", "out", "--select", "jumbs < 1"), "no measure 'jumbs'; did you mean 'jumps'"),
        (("convert", "library", "-o", "out", "--workers", "0"), "workers must be a whole number, at least 1"),
        (("convert", "--resume", "-o", "out"), "has no record to resume"),
        (("convrt", "library", "-o", "out"), "no such command 'convrt'; did you mean 'convert'"),
    ],
)
def test_wrong_calls_are_one_sentence(
    library: Path, words: tuple[str, ...], sentence: str, monkeypatch, capsys
) -> None:
    import sys

    from posewright.cli import main

    monkeypatch.chdir(library.parent)
    monkeypatch.setattr(sys, "argv", ["posewright", "batch", *words])
    with pytest.raises(SystemExit) as left:
        main()
    told = capsys.readouterr().err
    assert left.value.code == 2
    assert sentence in told
    assert told.count("\n") == 1
    assert not (library.parent / "out").exists()


def test_the_report_shows_measures_worst_clips_and_refusals(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    for k in range(2):
        walk(build("human40"), seed=k, fps=30.0)[:10].save(tmp_path / "library" / f"walk{k}.bvh")
    given = ("batch", "retarget", tmp_path / "library", "--to", "human40", "-o", tmp_path / "out", "--workers", "1")
    done = posewright(*given, "--select", "jerk < 0.001")
    assert done.returncode == 1
    assert "0 of 2 clips kept, 2 refused by the selection" in done.stdout
    page = (tmp_path / "out" / "report.html").read_text()
    for part in ("Measures", "Worst clips", "Refused by the selection"):
        assert f"<h2>{part}</h2>" in page
    assert page.count('src="data:image/png') == 2
    assert f"posewright batch studio {tmp_path / 'out'} walk0" in page
    assert f"posewright batch studio {tmp_path / 'out'} walk0" in done.stdout
    assert export(tmp_path / "out", tmp_path / "record.jsonl") == 2
    lines = [json.loads(line) for line in (tmp_path / "record.jsonl").read_text().splitlines()]
    assert [line["name"] for line in lines] == ["walk0", "walk1"]
    assert lines[0]["measures"]["jerk"]["unit"] == "m/s³"
    parquet = pytest.importorskip("pyarrow.parquet")
    assert posewright("batch", "export", tmp_path / "out", tmp_path / "r.parquet").returncode == 0
    table = parquet.read_table(tmp_path / "r.parquet").to_pydict()
    assert table["jerk"] == [line["measures"]["jerk"]["value"] for line in lines]
    assert table["refused"] == [line["refused"] for line in lines]


def test_ctrl_c_leaves_what_was_complete(tmp_path: Path) -> None:
    library = tiny_library(tmp_path / "library", 400)
    words = command("batch", "convert", library, "-o", tmp_path / "out", "--workers", "1")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    for _ in range(2400):
        if len(list((tmp_path / "out").rglob("*.npz"))) >= 3:  # by then the first is in the record
            break
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"interrupted" in told
    result = batch.run(batch.Convert(), [library], tmp_path / "out", workers=2)
    assert 0 < result.made < 400
    assert result.complete
    assert not leftovers(tmp_path / "out")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_killed_runs_are_continued_to_the_same_bytes(tmp_path: Path, seed: int) -> None:
    library = tiny_library(tmp_path / "library", 60)
    batch.run(batch.Convert(), [library], tmp_path / "undisturbed", workers=2)
    words = command("batch", "convert", library, "-o", tmp_path / "out", "--workers", "2", "--no-report")
    killed_again_and_again(words, tmp_path / "out", kills=3, seed=seed, longest=3.0)
    assert contents(tmp_path / "out") == contents(tmp_path / "undisturbed")
    assert records(tmp_path / "out") == records(tmp_path / "undisturbed")
    assert not leftovers(tmp_path / "out")
