"""`posewright postures`: what it prints, writes, passes over and goes on with."""

import json
import sys
from pathlib import Path

import pytest

from posewright.cli import postures as command
from posewright.clips import jump, kick, sit, walk
from posewright.figures.catalogue import chain, human40
from posewright.models import Postures
from posewright.models.postures.builder import PostureBuilder
from posewright.motions import Motion


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    (folder / "inside").mkdir()
    figure = human40()
    for where, make in (("walk", walk), ("kick", kick), ("sit", sit), ("inside/jump", jump)):
        make(figure, seed=1, fps=15.0).save(folder / f"{where}.npz")
    return folder


def test_a_folder_becomes_a_database_and_its_contents_are_told(posewright, folder, tmp_path):
    out = tmp_path / "all.postures.npz"
    done = posewright("postures", "build", folder, "-o", out, "--threshold", 0.05)
    assert done.returncode == 0, done.stderr
    assert "in 4 new clips" in done.stdout
    assert f"wrote {out}" in done.stdout
    told = posewright("postures", "info", out)
    assert f"{len(Postures.open(out))} postures of figure human40 (40 dofs), more than 0.05 rad apart" in told.stdout
    facts = json.loads(posewright("postures", "info", out, "--json").stdout)
    assert facts["postures"] == len(Postures.open(out)) == sum(clip["postures"] for clip in facts["clips"])
    assert facts["frames_read"] == sum(clip["frames"] for clip in facts["clips"])
    assert len(facts["clips"]) == 4


def test_it_adds_to_what_there_is_and_passes_over_what_is_in(posewright, folder, tmp_path):
    out, at_once = tmp_path / "grown.npz", tmp_path / "once.npz"
    assert posewright("postures", "build", folder / "inside", "-o", out).returncode == 0
    before = len(Postures.open(out))
    done = posewright("postures", "build", folder, "-o", out)
    assert "in 3 new clips" in done.stdout
    assert len(Postures.open(out)) > before
    again = posewright("postures", "build", folder, "-o", out)
    assert "; 0 new, of 0 frames in 0 new clips" in again.stdout
    posewright("postures", "build", folder / "inside", folder, "-o", at_once)
    assert Postures.open(at_once).q.tolist() == Postures.open(out).q.tolist()


def test_another_threshold_than_that_of_the_database_is_refused(posewright, folder, tmp_path):
    out = tmp_path / "db.npz"
    posewright("postures", "build", folder / "walk.npz", "-o", out)
    done = posewright("postures", "build", folder, "-o", out, "--threshold", 0.2)
    assert done.returncode == 2
    assert "was built with --threshold 0.15; leave the option out" in done.stderr


def test_interrupted_it_leaves_what_was_read_and_goes_on_from_there(posewright, folder, tmp_path, monkeypatch):
    out, whole = tmp_path / "db.npz", tmp_path / "whole.npz"
    posewright("postures", "build", folder, "-o", whole)
    real = PostureBuilder._admit

    def interrupted(self, q, first):
        if len(self.sources) == 2:
            raise KeyboardInterrupt
        real(self, q, first)

    monkeypatch.setattr(PostureBuilder, "_admit", interrupted)
    done = posewright("postures", "build", folder, "-o", out)
    assert done.returncode == 130
    assert "interrupted" in done.stderr
    assert len(Postures.open(out).sources) == 2
    monkeypatch.setattr(PostureBuilder, "_admit", real)
    assert posewright("postures", "build", folder, "-o", out).returncode == 0
    assert Postures.open(out).q.tolist() == Postures.open(whole).q.tolist()


def test_what_was_read_is_written_now_and_then(posewright, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "_PAUSE", 0.0)
    written = []
    real = Postures.save
    monkeypatch.setattr(Postures, "save", lambda self, path: (written.append(len(self)), real(self, path)))
    posewright("postures", "build", folder, "-o", tmp_path / "db.npz")
    assert len(written) >= 2


def test_broken_and_unfitting_clips_are_told_and_passed_over(posewright, folder, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    walk(human40(), seed=1, fps=15.0).save(library / "a.npz")
    (library / "b.bvh").write_text("HIERARCHY\nROOT")
    rope = chain(3, length=1.0)
    Motion(rope, [rope.rest, rope.rest], 30.0).save(library / "c.npz")
    done = posewright("postures", "build", library, "-o", tmp_path / "db.npz")
    assert done.returncode == 1
    assert "b.bvh" in done.stderr
    assert "share no rotating joint" in done.stderr
    assert len(Postures.open(tmp_path / "db.npz").sources) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_in_a_circle_are_passed_over(posewright, folder, tmp_path):
    library, out = tmp_path / "library", tmp_path / "all.npz"
    library.mkdir()
    (library / "walk.npz").symlink_to(folder / "walk.npz")
    (library / "loop.npz").symlink_to(library / "loop.npz")
    (library / "gone.npz").symlink_to(library / "nothing.npz")
    (library / "again").symlink_to(library)
    done = posewright("postures", "build", library, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "in 1 new clips" in done.stdout
    refused = posewright("postures", "build", library / "loop.npz", "-o", out)
    assert refused.returncode == 2
    assert "no such file or folder" in refused.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="paths in messages")
def test_nothing_to_read_is_one_sentence_and_no_file(posewright, tmp_path):
    (tmp_path / "empty").mkdir()
    out = tmp_path / "db.npz"
    done = posewright("postures", "build", tmp_path / "empty", "-o", out)
    assert done.returncode == 2
    assert "is a folder without motion files" in done.stderr
    (tmp_path / "bad").mkdir()
    for name in ("a.bvh", "b.bvh"):
        (tmp_path / "bad" / name).write_text("nothing")
    done = posewright("postures", "build", tmp_path / "bad", "-o", out)
    assert done.returncode == 2
    assert "none of the 2 clips could be used" in done.stderr
    done = posewright("postures", "build", tmp_path / "missing", "-o", out)
    assert done.returncode == 2
    assert "missing: no such file or folder" in done.stderr
    assert posewright("postures", "build", tmp_path, "-o", tmp_path / "db.json").returncode == 2
    assert not out.exists()
    done = posewright("postures", "info", tmp_path / "none.npz")
    assert done.stderr.endswith("none.npz: no such file\n")


def test_where_nothing_can_be_written_is_told_before_anything_is_read(posewright, tmp_path, folder, monkeypatch):
    monkeypatch.setattr(command, "_read", lambda *_: pytest.fail("it read clips first"))
    done = posewright("postures", "build", folder, "-o", tmp_path / "nowhere" / "db.npz")
    assert done.returncode == 2
    assert "cannot write here: there is no folder" in done.stderr


def test_a_broken_database_is_one_sentence(posewright, tmp_path, folder):
    (tmp_path / "db.npz").write_bytes(b"PK nothing")
    for words in (("info", tmp_path / "db.npz"), ("build", folder, "-o", tmp_path / "db.npz")):
        done = posewright("postures", *words)
        assert done.returncode == 2
        assert "not a .npz archive" in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_damaged_database_is_told_where_all_of_it_is_read(posewright, tmp_path, folder):
    out = tmp_path / "db.npz"
    posewright("postures", "build", folder / "walk.npz", "-o", out)
    assert "all checksums match" in posewright("postures", "info", out, "--verify").stdout
    assert json.loads(posewright("postures", "info", out, "--verify", "--json").stdout)["verified"] is True
    raw = bytearray(out.read_bytes())
    raw[raw.find(Postures.open(out).q[0].tobytes()) + 3] ^= 1
    out.write_bytes(raw)
    assert posewright("postures", "info", out).returncode == 0
    for words in (("info", out, "--verify"), ("build", folder, "-o", out)):
        done = posewright("postures", *words)
        assert done.returncode == 2
        assert "its array 'q' is damaged" in done.stderr
        assert done.stderr.count("\n") == 1
    assert out.read_bytes() == raw
