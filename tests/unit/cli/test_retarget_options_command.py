"""`posewright retarget` with what it does only when asked."""

import json

import numpy as np
import pytest

import posewright as pw
from posewright.clips import golf_swing, walk
from posewright.figures.catalogue import build
from posewright.figures.kinematics import site_frames


@pytest.fixture(scope="module")
def walk_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("options") / "walk.npz"
    walk(build("human40"), seed=3, fps=30.0)[:12].save(path)
    return path


def test_hands_are_kept(posewright, tmp_path):
    source = golf_swing(build("human40"), fps=30.0)[:20]
    source.save(tmp_path / "swing.npz")
    distances = []
    for flags in ([], ["--keep-hands"]):
        out = tmp_path / "out.npz"
        done = posewright("retarget", tmp_path / "swing.npz", "--to", "abnorman1", "-o", out, "--exit-zero", *flags)
        assert done.returncode == 0, done.stderr
        made = pw.motion(out)
        points = site_frames(made.figure, made.q, ["left_hand", "right_hand"]).points
        distances.append(np.linalg.norm(points[:, 1] - points[:, 0], axis=1))
    assert np.ptp(distances[0]) > 0.05  # a rigid grip comes loose
    assert np.ptp(distances[1]) < 0.002


def test_a_hand_stays_on_its_object(posewright, tmp_path):
    """A rod that the source's left hand slides along, as a joint of the source and as a table."""
    source = golf_swing(build("human40"), fps=30.0)[:30]
    source.save(tmp_path / "swing.npz")
    grip = site_frames(source.figure, source.q, ["left_hand", "right_hand"]).points
    there = grip[:, 1] + (0.0, 0.05, 0.1)
    rows = np.hstack([grip[:, 1], there])
    lines = ["x,y,z,target_x,target_y,target_z", *(",".join(map(repr, row)) for row in rows.tolist())]
    (tmp_path / "rod.csv").write_text("\n".join(lines))
    out = tmp_path / "out.npz"
    run = ("retarget", tmp_path / "swing.npz", "--to", "human40", "-o", out, "--frames", "5:25", "--exit-zero")
    done = posewright(*run, "--hold", f"right={tmp_path / 'rod.csv'}")
    assert done.returncode == 0, done.stderr
    made = pw.motion(out)
    palm = site_frames(made.figure, made.q, ["right_hand"]).points[:, 0]
    assert np.linalg.norm(palm - there[5:25], axis=1).max() < 0.01
    done = posewright(*run, "--hold", "right=left_hand")
    assert done.returncode == 0, done.stderr
    made = pw.motion(out)
    points = site_frames(made.figure, made.q, ["left_hand", "right_hand"]).points
    away, kept = grip[5:25, 1] - grip[5:25, 0], points[:, 1] - points[:, 0]
    assert np.abs(np.linalg.norm(away, axis=1) - np.linalg.norm(kept, axis=1)).max() < 0.01


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("x,y\n1,2", "line 1: no columns x,y,z in the first line"),
        ("x,y,z,weight\n1,2,3,4", "line 1: the column 'weight' in the first line"),
        ("x,y,z,qw\n1,2,3,4", "has qw but not all of qw, qx, qy, qz"),
        ("x,y,z\n1,2,3\n1,high,3", "line 3: a cell is not a number"),
        ("x,y,z\n1,2", "line 2: 2 cells; the first line names 3 columns"),
        ("x,y,z\n1,2,3", "has shape (1, 3); it must be (12, 3), a row per frame"),
        ("", "line 1: no columns x,y,z"),
    ],
)
def test_bad_tables_of_objects_are_told(posewright, walk_file, tmp_path, table, sentence):
    path = tmp_path / "object.csv"
    path.write_text(table)
    done = posewright("retarget", walk_file, "--to", "norman", "-o", tmp_path / "o.npz", "--hold", f"left={path}")
    assert done.returncode != 0
    assert sentence in " ".join(done.stderr.split())


def test_joint_speeds_are_held_and_told(posewright, walk_file, tmp_path):
    out = tmp_path / "out.npz"
    done = posewright(
        "retarget", walk_file, "--to", "norman", "-o", out, "--velocity-limits", "left_knee=2,right_knee=2", "--json"
    )
    told = json.loads(done.stdout)
    assert told["measures"]["speed limit"]["value"] <= 1.0
    assert any("at the limit" in note and "knee" in note for note in told["notes"])


def test_another_solver_may_be_named(posewright, walk_file, tmp_path):
    done = posewright(
        "retarget", walk_file, "--to", "norman", "-o", tmp_path / "out.npz", "--frames", "0:4",
        "--solver", "prioritized", "--free-translations",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--velocity-limits", "file"], "has no speed limits"),
        (["--hold", "middle=left_wrist"], "it must be left=... or right=..."),
        (["--hold", "right=left_wrst"], "did you mean 'left_wrist'"),
        (["--hold", "right=nowhere.csv"], "nowhere.csv: cannot be read as a table: No such file"),
        (["--velocity-limits", "fast"], "it must be 'file', 'none', a positive number"),
        (["--velocity-limits", "-1"], "it must be 'file', 'none', a positive number"),
        (["--velocity-limits", "left_kne=3"], "did you mean 'left_knee'"),
        (["--solver", "prioritised"], "did you mean 'prioritized'"),
    ],
)
def test_bad_options_are_one_sentence(posewright, walk_file, tmp_path, arguments, sentence):
    done = posewright("retarget", walk_file, "--to", "norman", "-o", tmp_path / "out.npz", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_how_much_is_smoothed_can_be_said(posewright, walk_file, tmp_path):
    jerks = []
    for flags in (["--smooth", "0"], ["--smooth", "0.5"]):
        out = tmp_path / "out.npz"
        done = posewright("retarget", walk_file, "--to", "abnorman1", "-o", out, "--json", "--exit-zero", *flags)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        jerks.append(told["measures"]["jerk"]["value"])
        assert any("jerk was" in note for note in told["notes"]) == (flags[1] != "0")
    assert jerks[1] < jerks[0]


def test_a_broken_limit_decides_the_exit_code_unless_told_otherwise(posewright, tmp_path):
    """A hand that must hold something half a metre higher needs another arm than the source's."""
    source = golf_swing(build("human40"), fps=30.0)[:20]
    source.save(tmp_path / "swing.npz")
    grip = site_frames(source.figure, source.q, ["right_hand"]).points[:, 0]
    rows = np.hstack([grip, np.add(grip, (0.0, 0.5, 0.0))])
    lines = ["x,y,z,target_x,target_y,target_z", *(",".join(map(repr, row)) for row in rows.tolist())]
    (tmp_path / "high.csv").write_text("\n".join(lines))
    out, held = tmp_path / "out.npz", f"right={tmp_path / 'high.csv'}"
    run = ("retarget", tmp_path / "swing.npz", "--to", "human40", "-o", out, "--hold", held)
    done = posewright(*run)
    assert done.returncode == 1, done.stdout
    assert "limits broken: likeness" in done.stdout
    assert "degrees off from frame 0 to 19" in done.stdout
    assert out.exists()
    assert posewright(*run, "--exit-zero").returncode == 0
