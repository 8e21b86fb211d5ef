"""Batches: what is done, what is not done again, what is refused, and that nothing depends on how it is run."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import Mock

import pytest
from batch_samples import Deadly, DiskFull, Surroundings, contents, leftovers, records, tiny_clip, tiny_library
from robot_samples import humanoid_urdf

from posewright import batch
from posewright.anatomy import recognition
from posewright.batch.job import WorkerMemory
from posewright.batch.library import LibraryClip, clips_of, digest_of, stamp_of
from posewright.batch.record import Record
from posewright.batch.results import result_of
from posewright.batch.rules import measure_names, parsed
from posewright.clips import walk
from posewright.errors import FileProblem, InvalidSetting, UnknownName
from posewright.figures.catalogue import build
from posewright.formats import ReadOptions, load_figure, load_motion
from posewright.matching import transfer_tables
from posewright.workflows.retargeting import setup


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return tiny_library(tmp_path / "library", 6)


def test_a_library_is_converted_once(library: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = batch.run(batch.Convert(), [library], out, workers=2)
    assert first.complete
    assert first.made == 6
    assert sorted(contents(out)) == [f"part{k % 2}/clip{k:05d}.npz" for k in (0, 2, 4, 1, 3, 5)]
    assert load_motion(out / "part0" / "clip00000.npz").q.shape == (4, 9)
    before = {file: file.stat().st_mtime_ns for file in out.rglob("*.npz")}
    assert batch.run(batch.Convert(), [library], out).made == 0
    assert batch.run(None, [], out).made == 0
    assert {file: file.stat().st_mtime_ns for file in out.rglob("*.npz")} == before


def test_only_what_is_missing_or_changed_is_done_again(library: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    batch.run(batch.Convert(), [library], out, workers=1)
    (out / "part0" / "clip00000.npz").unlink()
    os.utime(library / "part0" / "clip00002.bvh")  # the same bytes
    tiny_clip(library / "part1" / "clip00001.bvh", 77)
    tiny_clip(library / "part1" / "new.bvh", 5)
    (library / "part1" / "clip00003.bvh").unlink()
    again = batch.run(batch.Convert(), [library], out, workers=1)
    assert again.made == 3
    assert again.vanished == ("part1/clip00003",)
    assert (out / "part1" / "clip00003.npz").exists()
    fresh = batch.run(batch.Convert(), [library], tmp_path / "fresh", workers=1)
    assert fresh.made == 6
    assert contents(out) == contents(tmp_path / "fresh") | {
        "part1/clip00003.npz": (out / "part1" / "clip00003.npz").read_bytes()
    }


def test_other_settings_are_refused_unless_told(library: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    batch.run(batch.Convert(), [library], out, workers=1)
    with pytest.raises(InvalidSetting, match=r"was made with other settings \(resample None, not 60.0\); give --redo"):
        batch.run(batch.Convert(resample=60.0), [library], out, workers=1)
    other = batch.Convert(resample=60.0, read=ReadOptions(fps=30.0), layout="gmr")
    with pytest.raises(
        InvalidSetting, match=r"\(fps of clips None, not 30.0; layout None, not gmr; resample None, not"
    ):
        batch.run(other, [library], out, workers=1)
    assert batch.run(batch.Convert(resample=60.0), [library], out, workers=1, redo=True).made == 6
    assert load_motion(out / "part0" / "clip00000.npz").fps == 60.0
    assert batch.run(batch.Convert(resample=60.0), [library], out, workers=1, redo=True).made == 0


def test_a_changed_target_is_another_setting(tmp_path: Path) -> None:
    build("human40").save(tmp_path / "t.yaml")
    job = batch.Retarget(to=str(tmp_path / "t.yaml"))
    before = job.digest()
    build("human22").save(tmp_path / "t.yaml")
    assert job.digest() != before
    assert batch.Job.from_json(job.to_json()) == job


def test_results_do_not_depend_on_workers_or_order(tmp_path: Path) -> None:
    human = build("human40")
    for k in range(4):
        clip = walk(human, seed=k, fps=30.0)[: 20 + 5 * k]
        (tmp_path / "library").mkdir(exist_ok=True)
        clip.save(tmp_path / "library" / f"walk{k}.bvh")
    job = batch.Retarget(to="human40")
    assert batch.run(job, [tmp_path / "library"], tmp_path / "one", workers=1).counts["failed"] == 0
    batch.run(job, [tmp_path / "library"], tmp_path / "two", workers=2)
    alone = sorted((tmp_path / "library").iterdir(), reverse=True)
    for file in alone:
        batch.run(job, [file], tmp_path / "each", workers=1)
    assert contents(tmp_path / "one") == contents(tmp_path / "two") == contents(tmp_path / "each")
    assert records(tmp_path / "one") == records(tmp_path / "two") == records(tmp_path / "each")
    measures = next(iter(batch.read_record(tmp_path / "one"))).measured
    assert "jerk" in measures
    assert set(measures) <= set(measure_names())


def test_a_bad_clip_is_recorded_and_the_rest_goes_on(library: Path, tmp_path: Path) -> None:
    bad = library / "part0" / "clip00002.bvh"
    bad.write_text(bad.read_text().replace("ROOT", "ROUTE"))
    result = batch.run(batch.Convert(), [library], tmp_path / "out", workers=2)
    assert not result.complete
    assert (result.counts["kept"], result.counts["failed"]) == (5, 1)
    entry = next(entry for entry in result.entries() if entry.name == "part0/clip00002")
    assert entry.state == "failed"
    assert entry.error.startswith(str(bad))
    assert "\n" not in entry.error
    assert batch.run(batch.Convert(), [library], tmp_path / "out", workers=2).made == 0
    tiny_clip(bad, 2)
    assert batch.run(batch.Convert(), [library], tmp_path / "out", workers=2).complete
    bad.write_text("nothing")
    assert not batch.run(batch.Convert(), [library], tmp_path / "out", workers=2).complete
    assert not (tmp_path / "out" / "part0" / "clip00002.npz").exists()  # nothing of older bytes passes for it


def test_two_runs_on_one_output_refuse_each_other(library: Path, tmp_path: Path) -> None:
    with Record(tmp_path / "out"), pytest.raises(InvalidSetting, match="another batch is running in"):
        batch.run(batch.Convert(), [library], tmp_path / "out")
    assert batch.run(batch.Convert(), [library], tmp_path / "out", workers=1).complete


def test_clips_of_dead_workers_are_tried_again(library: Path, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    for k in range(2):
        (marks / str(k)).touch()
    undisturbed = batch.run(batch.Convert(), [library], tmp_path / "undisturbed", workers=1)
    job = Deadly(marks=str(marks))
    result = batch.run(job, [library], tmp_path / "out", workers=2)
    assert result.complete
    assert contents(tmp_path / "out") == contents(undisturbed.out)
    assert next(e for e in result.entries() if e.name == "part0/clip00002").attempts == 3
    for k in range(9):
        (marks / str(k)).touch()
    result = batch.run(job, [library], tmp_path / "other", workers=2)
    entry = next(e for e in result.entries() if e.name == "part0/clip00002")
    assert (entry.state, entry.attempts) == ("broken", 3)
    assert "its worker died 3 times, the last time by signal 9" in entry.error
    assert result.counts["kept"] == 5
    for mark in marks.iterdir():
        mark.unlink()
    assert batch.run(job, [library], tmp_path / "other", workers=2).made == 1  # it may have been the machine
    assert contents(tmp_path / "other") == contents(undisturbed.out)


@pytest.mark.parametrize("name", ["SAMPLE", "POSEWRIGHT_SAMPLE"])
def test_workers_have_the_environment_of_the_run(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Also where the process that they are forked from is older."""
    batch.run(batch.Convert(), [library / "part0"], tmp_path / "before", workers=1)
    monkeypatch.setenv(name, "new")
    (entry,) = batch.run(Surroundings(), [library / "part1" / "clip00001.bvh"], tmp_path / "out").entries()
    assert f'"{name}=new"' in entry.notes
    assert '"OPENBLAS_NUM_THREADS=1"' in entry.notes


def test_a_full_disk_ends_the_run_and_loses_nothing(library: Path, tmp_path: Path) -> None:
    mark = tmp_path / "full"
    mark.touch()
    job = DiskFull(mark=str(mark))
    with pytest.raises(FileProblem, match="the disk is full; the record is complete"):
        batch.run(job, [library], tmp_path / "out", workers=1)
    mark.unlink()
    assert batch.run(job, [library], tmp_path / "out", workers=1).complete
    batch.run(batch.Convert(), [library], tmp_path / "undisturbed", workers=1)
    assert contents(tmp_path / "out") == contents(tmp_path / "undisturbed")


def test_what_a_killed_run_left_is_swept(library: Path, tmp_path: Path) -> None:
    left = tmp_path / "out" / "part0" / ".clip00000.npz.0123456789ab.npz"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    batch.run(batch.Convert(), [library], tmp_path / "out", workers=1)
    assert not leftovers(tmp_path / "out")


def test_selection_moves_clips_and_may_change(tmp_path: Path) -> None:
    human = build("human40")
    (tmp_path / "library").mkdir()
    for k in range(3):
        walk(human, seed=k, fps=30.0)[: 12 + k].save(tmp_path / "library" / f"walk{k}.bvh")
    out, job = tmp_path / "out", batch.Retarget(to="human40")
    result = batch.run(job, [tmp_path / "library"], out, workers=1)
    jerks = {entry.name: entry.measured["jerk"]["value"] for entry in result.entries()}
    middle = sorted(jerks.values())[1]
    chosen = batch.run(job, [tmp_path / "library"], out, workers=1, select=f"jerk < {middle!r}, penetration < 9")
    assert chosen.made == 0
    kept = {name for name, jerk in jerks.items() if jerk < middle}
    assert {file.stem for file in (out / "refused").iterdir()} == set(jerks) - kept
    assert {file.stem for file in out.glob("*.npz")} == kept
    refused = next(entry for entry in chosen.entries() if entry.refused)
    assert refused.refused.startswith("jerk is ")
    assert not chosen.complete
    resumed = batch.run(None, [], out, workers=1)  # with the rules of the record
    assert resumed.counts == chosen.counts
    back = batch.run(job, [tmp_path / "library"], out, workers=1, select="")
    assert (back.made, back.counts["kept"]) == (0, 3)
    assert not list((out / "refused").iterdir())


def test_what_rules_ask_for_is_measured(tmp_path: Path) -> None:
    walk(build("human40"), seed=1, fps=30.0)[:12].save(tmp_path / "walk.bvh")
    out = tmp_path / "out"
    result = batch.run(batch.Convert(), [tmp_path / "walk.bvh"], out, workers=1, select="jerk < 1e9, imbalance < 9")
    assert result.complete
    assert {"jerk", "imbalance"} <= set(next(result.entries()).measured)
    with pytest.raises(InvalidSetting, match=r"measures all, not none\); give --redo"):
        batch.run(batch.Convert(), [tmp_path / "walk.bvh"], out, workers=1)
    with pytest.raises(InvalidSetting, match="jerk ratio, which needs a source to compare with: give --against"):
        batch.run(batch.Check(), [tmp_path / "walk.bvh"], tmp_path / "none", workers=1, select="jerk ratio < 2")
    refused = batch.run(None, [], out, workers=1, select="jerk < 1")
    assert next(refused.entries()).refused.endswith("m/s³, not < 1")
    assert len(result_of(out, "walk")) == 12  # from the folder of refused clips


def test_results_are_read_again_in_whatever_layout(tmp_path: Path) -> None:
    robot = tmp_path / "robot.urdf"
    robot.write_text(humanoid_urdf())
    walk(build("human40"), seed=1, fps=50.0)[:12].save(tmp_path / "walk.bvh")
    for layout in ("mjlab", "sonic", None):
        job = batch.Retarget(to=str(robot), layout=layout, format=None if layout else "csv", measures="none")
        out = tmp_path / f"out_{layout}"
        assert batch.run(job, [tmp_path / "walk.bvh"], out, workers=1).complete
        assert result_of(out, "walk").q.shape == (12, load_figure(robot).n_dofs)
    with pytest.raises(UnknownName, match="no clip 'wolk'; did you mean 'walk'"):
        result_of(out, "wolk")


def test_what_is_read_beside_a_clip_counts(tmp_path: Path) -> None:
    clip, skeleton = tmp_path / "02_01.amc", tmp_path / "02.asf"
    clip.write_text("motion")
    skeleton.write_text("one")
    before = stamp_of(clip), digest_of(clip)
    skeleton.write_text("other")
    after = stamp_of(clip), digest_of(clip)
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_rules_are_told_what_is_wrong_with_them() -> None:
    assert [str(rule) for rule in parsed("penetration < 0.02, foot skate<=1e-1 ,jumps<1")] == [
        "penetration < 0.02",
        "foot skate <= 0.1",
        "jumps < 1",
    ]
    assert parsed("likeness.worst < 15")[0].broken_by({"likeness.worst": {"value": 16.0}})
    with pytest.raises(UnknownName, match="no measure 'penetraton'; did you mean 'penetration'"):
        parsed("penetraton < 0.02")
    with pytest.raises(InvalidSetting, match="not a rule"):
        parsed("penetration = 0.02")


def test_libraries_by_folder_pattern_list_and_file(library: Path, tmp_path: Path) -> None:
    names = [f"part{k % 2}/clip{k:05d}" for k in (0, 2, 4, 1, 3, 5)]
    assert [clip.name for clip in clips_of([str(library)])] == names
    assert [clip.name for clip in clips_of([str(library / "**" / "*.bvh")])] == names
    assert [clip.name for clip in clips_of([str(library / "part0" / "*.bvh")])] == [n[6:] for n in names[:3]]
    listed = library / "some.txt"
    listed.write_text("# a list\npart0/clip00000.bvh\n\npart1/clip00001.bvh\n")
    assert [clip.name for clip in clips_of([str(listed)])] == ["part0/clip00000", "part1/clip00001"]
    both = [str(library / "part0"), str(library / "part1" / "clip00001.bvh")]
    assert [clip.name for clip in clips_of(both)] == [*names[:3], "part1/clip00001"]
    (library / "part0" / "clip00000.amc").write_text("x")
    assert {"part0/clip00000_bvh", "part0/clip00000_amc"} <= {clip.name for clip in clips_of([str(library)])}
    listed.write_text("part0/nothing.bvh\n")
    with pytest.raises(FileProblem, match="which does not exist"):
        clips_of([str(listed)])
    with pytest.raises(FileProblem, match="no such file, folder or pattern"):
        clips_of([str(tmp_path / "nowhere")])
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "shape.npz").touch()  # of AMASS, as is the next: no motions
    (tmp_path / "empty" / "neutral_stagei.npz").touch()
    with pytest.raises(FileProblem, match="contains no motion"):
        clips_of([str(tmp_path / "empty")])


def test_an_output_inside_the_library_is_not_read(library: Path) -> None:
    assert batch.run(batch.Convert(), [library], library / "out", workers=1).made == 6
    assert batch.run(batch.Convert(), [library], library / "out", workers=1).made == 0


def test_measures_of_a_library(library: Path, tmp_path: Path) -> None:
    human = build("human40")
    (tmp_path / "walks").mkdir()
    walk(human, seed=1, fps=30.0)[:20].save(tmp_path / "walks" / "walk.bvh")
    result = batch.run(batch.Check(), [tmp_path / "walks"], tmp_path / "out", workers=1)
    (entry,) = result.entries()
    direct = load_motion(tmp_path / "walks" / "walk.bvh").with_standing_rest().quality().as_dict()
    assert {name: each["value"] for name, each in entry.measured.items()} == {n: m["value"] for n, m in direct.items()}
    assert not contents(tmp_path / "out")
    assert batch.run(batch.Check(), [tmp_path / "walks"], tmp_path / "out", workers=1).made == 0


def test_one_edit_for_clips_of_any_length(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    for k in range(2):
        walk(build("human40"), seed=k, fps=30.0)[: 20 + 10 * k].save(tmp_path / "library" / f"walk{k}.npz")
    edit = tmp_path / "edit.yaml"
    edit.write_text("keys:\n  - frame: 50%\n    goal: {kind: move, site: left_hand, by: [0, 0.05, 0]}\n")
    result = batch.run(batch.Edit(edit=edit), [tmp_path / "library"], tmp_path / "out", workers=1)
    assert result.complete, [entry.error for entry in result.entries()]
    for k, frame in ((0, 10), (1, 14)):
        before = load_motion(tmp_path / "library" / f"walk{k}.npz")
        after = load_motion(tmp_path / "out" / f"walk{k}.npz")
        moved = after.point("left_hand", frame) - before.point("left_hand", frame)
        assert moved.tolist() == pytest.approx([0.0, 0.05, 0.0], abs=1e-3)
    edit.write_text(edit.read_text().replace("50%", "take-off"))
    result = batch.run(batch.Edit(edit=edit), [tmp_path / "library"], tmp_path / "out", workers=1, redo=True)
    assert all("has no take-off and landing" in entry.error for entry in result.entries())
    edit.write_text("goals: []\n")  # wrong for any clip: nothing is begun
    with pytest.raises(FileProblem, match="has no field 'goals'"):
        batch.run(batch.Edit(edit=edit), [tmp_path / "library"], tmp_path / "other", workers=1)
    assert not (tmp_path / "other").exists()


def test_a_worker_matches_two_figures_once(tmp_path: Path, monkeypatch) -> None:
    for k in range(3):
        walk(build("human40"), seed=k, fps=30.0)[:8].save(tmp_path / f"walk{k}.bvh")
    watched = {"pairs": (setup, "with_balls"), "tables": (transfer_tables, "transfer_tables")}
    calls = {what: Mock(wraps=getattr(*place)) for what, place in watched.items()}
    for what, (module, name) in watched.items():
        monkeypatch.setattr(module, name, calls[what])
    job, memory = batch.Retarget(to="human40"), WorkerMemory()
    bodies = []
    for k in range(3):
        job.run(LibraryClip(tmp_path / f"walk{k}.bvh", f"walk{k}"), tmp_path / f"made{k}.npz", 1, memory)
        bodies.append(recognition._recognised.cache_info().misses)
    assert {what: call.call_count for what, call in calls.items()} == {"pairs": 1, "tables": 1}
    assert len(set(bodies)) == 1  # all were recognised with the first clip


def test_a_worker_forgets_the_files_of_another_job(tmp_path: Path) -> None:
    from posewright.batch.worker import ClipTask, done, versions

    walk(build("human40"), seed=1, fps=30.0)[:10].save(tmp_path / "walk.bvh")
    target, job = tmp_path / "target.yaml", batch.Retarget(to=str(tmp_path / "target.yaml"), measures="none")
    for k, size in enumerate((1.0, 1.3)):
        build("human40").with_lengths(overall=size).save(target)
        facts = done(
            ClipTask("walk", tmp_path / "walk.bvh", tmp_path / f"{k}.npz"), job, job.digest(), versions(), "here"
        )
        assert facts["state"] == "done", facts["error"]
    heights = [load_motion(tmp_path / f"{k}.npz").point("head", 0)[1] for k in range(2)]
    assert heights[1] > 1.2 * heights[0]


def test_clips_beside_their_sources(tmp_path: Path) -> None:
    for name in ("sources", "library"):
        (tmp_path / name / "part").mkdir(parents=True)
    for k in range(2):
        walk(build("human40"), seed=k, fps=30.0)[:15].save(tmp_path / "sources" / "part" / f"walk{k}.bvh")
        walk(build("human40"), seed=k, fps=30.0)[:15].save(tmp_path / "library" / "part" / f"walk{k}.npz")
    walk(build("human40"), seed=2, fps=30.0)[:15].save(tmp_path / "library" / "alone.npz")
    job, out = batch.Check(against=tmp_path / "sources"), tmp_path / "out"
    result = batch.run(job, [tmp_path / "library"], out, workers=1, select="likeness.worst < 12")
    assert (result.counts["kept"], result.counts["failed"]) == (2, 1)
    errors = [entry.error for entry in result.entries() if entry.error]
    assert f"there is no motion called 'alone' in {tmp_path / 'sources'}" in errors[0]
    before = {entry.name: entry.measured for entry in result.entries() if not entry.error}
    walk(build("human40"), seed=9, fps=30.0)[:15].save(tmp_path / "sources" / "part" / "walk1.bvh")
    again = batch.run(job, [tmp_path / "library"], out, workers=1)
    assert again.made == 1
    after = {entry.name: entry.measured for entry in again.entries() if not entry.error}
    assert after["part/walk0"] == before["part/walk0"]
    assert after["part/walk1"]["likeness.worst"]["value"] != before["part/walk1"]["likeness.worst"]["value"]
