"""A posture database of a library is that of `postures build`, however often it is interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest
from batch_samples import Unsent, records

from posewright import batch
from posewright.clips import walk
from posewright.errors import InvalidSetting
from posewright.figures.catalogue import build
from posewright.formats import load_motion
from posewright.models.postures.builder import PostureBuilder
from posewright.models.postures.database import Postures


@pytest.fixture
def library(tmp_path: Path) -> Path:
    (tmp_path / "library").mkdir()
    for k in range(4):
        walk(build("human40"), seed=k, fps=30.0)[:30].save(tmp_path / "library" / f"walk{k}.bvh")
    (tmp_path / "library" / "walk2b.bvh").write_text("HIERARCHY")
    return tmp_path / "library"


def test_it_is_the_database_of_the_single_command(library: Path, tmp_path: Path) -> None:
    result = batch.collect(batch.CollectPostures(), [library], tmp_path / "out")
    assert (result.counts["kept"], result.counts["failed"]) == (4, 1)
    builder = PostureBuilder()
    for k in range(4):
        builder.add(load_motion(library / f"walk{k}.bvh"))
    made, direct = Postures.open(tmp_path / "out" / "postures.npz"), builder.database()
    assert len(made) == len(direct) > 0
    assert (made.q == direct.q).all()
    assert batch.collect(None, [], tmp_path / "out").made == 0
    alone = batch.collect(Unsent(), [library], tmp_path / "alone", workers=1)
    assert alone.counts == result.counts
    one, other = ((tmp_path / name / "postures.npz").read_bytes() for name in ("alone", "out"))
    assert one == other
    assert records(tmp_path / "alone") == records(tmp_path / "out")


def test_an_interrupted_run_goes_on_to_the_same_database(library: Path, tmp_path: Path) -> None:
    batch.collect(batch.CollectPostures(), [library], tmp_path / "whole")

    def interrupt(at: batch.Progress) -> None:
        if at.clips == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch.collect(batch.CollectPostures(), [library], tmp_path / "out", progress=interrupt)
    assert batch.collect(None, [], tmp_path / "out").made == 3
    one, other = ((tmp_path / name / "postures.npz").read_bytes() for name in ("whole", "out"))
    assert one == other
    assert records(tmp_path / "whole") == records(tmp_path / "out")


def test_changed_clips_make_it_anew_and_other_settings_are_refused(library: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    batch.collect(batch.CollectPostures(), [library], out)
    walk(build("human40"), seed=9, fps=30.0)[:30].save(library / "walk1.bvh")
    assert batch.collect(None, [], out).made == 5
    walk(build("human40"), seed=11, fps=30.0)[:30].save(library / "walk9.bvh")
    assert batch.collect(None, [], out).made == 1
    with pytest.raises(InvalidSetting, match=r"other settings \(threshold 0.15, not 0.3\); give --redo"):
        batch.collect(batch.CollectPostures(threshold=0.3), [library], out)
    assert batch.collect(batch.CollectPostures(threshold=0.3), [library], out, redo=True).made == 6
    (library / "walk0.bvh").unlink()
    left = batch.collect(None, [], out)
    assert (left.made, left.vanished) == (0, ("walk0",))  # its postures stay
    assert batch.collect(None, [], out, redo=True).made == 5
    chosen = batch.collect(None, [], out, select="jerk < 0.001", redo=True)
    assert (chosen.counts["kept"], chosen.counts["refused"]) == (0, 4)
