"""Odd names, places and numbers on the command line: one sentence and exit code 2, and nothing on disk is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import posewright as pw
from posewright.clips import walk
from posewright.figures import Figure, Hinge, Joint, Site

TASK = "figure: arm4\ngoals:\n- {kind: position, site: tip, target: [0.5, 0.5, 0]}\n"
FROM_FILE = (
    "figure: walk.npz\nstart: {file: start.yaml}\n"
    "goals:\n- {kind: position, site: left_hand, target: {figure: other.bvh, site: head}}\n"
)
PARTNER = "figure: human40\ngoals:\n- {kind: posture, reference: {file: other.bvh}}\n"
BESIDE = "keys:\n- frame: 3\n  goal: {kind: position, site: left_hand, target: {figure: other.bvh, site: left_wrist}}\n"
EDIT = "keys:\n- frame: 3\n  goal: {kind: move, site: left_hand, by: [0, 0.02, 0]}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the command runs: a walk, a task, an edit, and a folder for every suffix."""
    monkeypatch.chdir(tmp_path)
    walk(pw.figure("human40"), steps=1, fps=30)[:6].save("walk.npz")
    Path("task.yaml").write_text(TASK)
    Path("edit.yaml").write_text(EDIT)
    Path("file.yaml").write_text(FROM_FILE)
    Path("partner.yaml").write_text(PARTNER)
    Path("beside.yaml").write_text(BESIDE)
    Path("start.yaml").write_text("figure: human40\nvalues: {left_elbow.flexion: 30}\n")
    pw.Pose.rest(pw.figure("human40")).save("other.bvh")
    Path("empty.yaml").write_text("")
    for suffix in ("bvh", "glb", "npz", "yaml", "png", "html", "gif"):
        Path(f"folder.{suffix}").mkdir()
    return tmp_path


FOLDERS = [
    ("convert", "walk.npz", "folder.bvh"),
    ("convert", "walk.npz", "folder.glb"),
    ("convert", "walk.npz", "folder.npz"),
    ("convert", "walk.npz", "folder.yaml", "--figure-only"),
    ("render", "walk.npz", "-o", "folder.png"),
    ("render", "walk.npz", "-o", "folder.gif"),
    ("check", "walk.npz", "--report", "folder.html"),
    ("pose", "task.yaml", "-o", "folder.bvh"),
    ("pose", "task.yaml", "-o", "folder.yaml"),
    ("edit", "walk.npz", "edit.yaml", "-o", "folder.bvh"),
    ("model", "fit", "walk.npz", "-o", "folder.npz"),
    ("postures", "build", "walk.npz", "-o", "folder.npz"),
    ("retarget", "walk.npz", "--to", "norman", "-o", "folder.bvh"),
    ("retarget", "walk.npz", "--to", "norman", "-o", "x.bvh", "--report", "folder.html"),
    ("retarget", "walk.npz", "--to", "norman", "-o", "x.bvh", "--save-map", "folder.yaml"),
]
OTHERS = [
    (("convert", "walk.npz", "x.bvh", "--frames", "0:5:0"), "--frames is '0:5:0'; it must be START:STOP"),
    (("convert", "walk.npz", "x.bvh", "--resample", "1e12"), "'--resample': 1e12 is not a positive number"),
    (("convert", "walk.npz", "x.bvh", "--resample", "nan"), "'--resample': nan is not a positive number"),
    (("convert", "walk.npz", "x.bvh", "--resample", "9e8"), "'--resample': 9e8 is not"),
    (("check", "walk.npz", "--floor", "nan"), "--floor is nan; it must be a height in m"),
    (("retarget", "walk.npz", "--to", "norman", "-o", "x.bvh", "--scale", "1e300"), "at most 1000"),
    (("retarget", "walk.npz", "--to", "norman", "-o", "x.bvh", "--floor", "1e300"), "at most 1e+06"),
    (
        ("retarget", "walk.npz", "--to", "norman", "-o", "x.bvh", "--save-map", "walk.npz"),
        "cannot write a joint map with suffix '.npz'",
    ),
    (("retarget", "walk.npz", "--to", "norman", "-o", "x.bvh", "--map", "empty.yaml"), "is not a match file"),
    (("retarget", "walk.npz", "--to", "norman", "-o", "x.foo"), "cannot write a file with suffix '.foo'"),
    (("model", "fit", "walk.npz", "-o", "x.npz", "--frames", "100000000"), "at most 100,000"),
    (("model", "fit", "missing", "-o", "x.npz"), "missing: no such file or folder"),
    (("model", "info", "missing.npz"), "missing.npz: no such file"),
    (("model", "info", "folder.npz"), "folder.npz: cannot be read: is a directory"),
    (("postures", "info", "missing.npz"), "posewright: missing.npz: no such file"),
    (("design", "task.yaml", "--postures", "missing.npz"), "posewright: missing.npz: no such file"),
    (("model", "fit", "walk.npz"), "see posewright model fit --help"),
]


OVER_ITSELF = [
    ("convert", "walk.npz", "./walk.npz"),
    ("retarget", "walk.npz", "--to", "norman", "-o", "walk.npz"),
    ("retarget", "walk.npz", "--to", "walk.npz", "-o", "x.npz", "--save-map", "walk.yaml", "--report", "walk.html"),
    ("edit", "walk.npz", "edit.yaml", "-o", "edit.yaml"),
    ("edit", "walk.npz", "edit.yaml", "-o", "walk.npz"),
    ("edit", "walk.npz", "beside.yaml", "-o", "other.bvh"),
    ("pose", "task.yaml", "-o", "task.yaml"),
    ("pose", "file.yaml", "-o", "walk.npz"),
    ("pose", "file.yaml", "-o", "start.yaml"),
    ("pose", "file.yaml", "-o", "other.bvh"),
    ("pose", "partner.yaml", "-o", "x.png", "-o", "other.bvh"),
    ("design", "file.yaml", "--postures", "walk.npz", "-o", "other.bvh"),
    ("design", "task.yaml", "--postures", "walk.npz", "-o", "walk.npz"),
    ("model", "fit", "walk.npz", "-o", "walk.npz"),
]


@pytest.mark.parametrize("arguments", OVER_ITSELF, ids=" ".join)
def test_what_is_read_is_never_written_over(posewright, folder, arguments):
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    if "x.npz" not in arguments:
        refused(posewright(*arguments), "is an input of this command; choose another output file")
    else:  # what only is called alike is no harm
        assert posewright(*arguments).returncode == 0
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("arguments", FOLDERS, ids=" ".join)
def test_a_folder_in_the_way_is_told_before_the_work(posewright, folder, arguments):
    refused(posewright(*arguments), "cannot write here: it is a folder")
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize(("arguments", "sentence"), OTHERS, ids=lambda value: " ".join(value[:2]))
def test_odd_words_are_one_sentence(posewright, folder, arguments, sentence):
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    refused(posewright(*arguments), sentence)
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.mark.parametrize(
    "arguments",
    [("LONG",), ("info", "LONG"), ("info", "LONG.bvh"), ("info", "--LONG"), ("check", "walk.npz", "--fps", "LONG"),
     ("convert", "walk.npz", "LONG.bvh"), ("retarget", "walk.npz", "--to", "LONG", "-o", "x.bvh")],
    ids=" ".join,
)  # fmt: skip
def test_sentences_are_short_however_long_the_words(posewright, folder, arguments):
    done = posewright(*(word.replace("LONG", 900 * "long") for word in arguments))
    refused(done, "")
    assert len(done.stderr) <= len("posewright: \n") + 300


@pytest.mark.parametrize("suffix", ["bvh", "amc", "glb", "gltf", "urdf", "xml", "npz", "csv", "yaml", "postures.npz"])
def test_links_in_circles_are_no_files(posewright, folder, suffix):
    path = folder / f"loop.{suffix}"
    try:
        path.symlink_to(path)
    except OSError:
        pytest.skip("no links here")
    refused(posewright("info", path), "no such file")
    (folder / "round").mkdir()
    (folder / "round" / "again").symlink_to(folder / "round")
    refused(posewright("info", folder / "round" / "again"), "is a folder")


@pytest.mark.parametrize("columns", ["0", "-3", "none"])
def test_a_width_that_is_none_counts_as_80(posewright, folder, monkeypatch, columns):
    for arguments in (("--help",), ("info", "walk.npz"), ("figures",), ("check", "walk.npz")):
        monkeypatch.setenv("COLUMNS", "80")
        wanted = posewright(*arguments).stdout
        monkeypatch.setenv("COLUMNS", columns)
        assert posewright(*arguments).stdout == wanted


def refused(done, sentence):
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_brackets_in_names_are_shown_as_they_are(posewright, folder):
    root = Joint(name="[/dim]hips[bold]", rotation=(Hinge(axis=(0, 0, 1), label="[red]"),))
    figure = Figure(name="[x] ü", joints=(root,), sites=(Site(name="[/]end", joint=root.name, point=(0, 1, 0)),))
    figure.save("[b] ü.yaml")
    for arguments in (("info", "[b] ü.yaml", "--tree"), ("figures", "[b] ü.yaml")):
        done = posewright(*arguments)
        assert done.returncode == 0
        assert all(text in done.stdout for text in ("[x] ü", root.name, "[red]"))
    motion = walk(pw.figure("human40"), steps=1, fps=30)[:6]
    motion.save("[b] walk.npz")
    assert "[b] walk.npz" in posewright("check", "[b] walk.npz").stdout


def test_what_does_not_fit_into_a_glb_is_refused(posewright, folder):
    figure = pw.figure("human40")
    q = walk(figure, steps=1, fps=30)[:6].q.copy()
    q[:, 0] = 1e200
    pw.Motion(figure, q, fps=30.0).save("far.npz")
    refused(posewright("convert", "far.npz", "far.glb"), "beyond 3.4e+38 m")
    assert not Path("far.glb").exists()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("render", "far.npz", "-o", "far.png"), "a picture would show a place or size of 1e+200 m"),
        (
            ("check", "far.npz"),
            "the motion has 'pelvis.tx' at 1e+200 in frame 3; larger values cannot be measured",
        ),
        (("check", "walk.npz", "--against", "far.npz"), "the source has 'pelvis.tx' at 1e+200 in frame 3"),
        (("retarget", "far.npz", "--to", "human40", "-o", "a.npz"), "the motion to retarget has 'pelvis.tx' at 1e+200"),
    ],
)
def test_what_is_too_far_to_be_seen_or_measured_is_refused(posewright, folder, arguments, sentence):
    motion = pw.motion("walk.npz")
    q = motion.q.copy()
    q[3:, 0] = 1e200
    motion.with_q(q).save("far.npz")
    refused(posewright(*arguments), sentence)


def test_too_little_memory_is_said(posewright, folder, monkeypatch):
    def burst(*_):
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr("posewright.formats.load", burst)
    refused(posewright("info", "walk.npz"), "there is not enough memory for this (unable to allocate 9 tib)")


def test_ctrl_c_before_the_first_word_is_no_traceback(posewright, monkeypatch):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr("posewright.cli._run", interrupt)
    done = posewright("info")
    assert (done.returncode, done.stderr) == (130, "posewright: interrupted\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
def test_a_full_disk_behind_the_output_is_one_sentence():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "posewright", "figures"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "posewright: the output could not be written: no space left on device\n"


def test_a_terminal_that_knows_only_ascii_gets_an_answer(folder):
    done = subprocess.run(
        [sys.executable, "-m", "posewright", "pose", "task.yaml"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "all goals reached" in done.stdout


def test_a_closed_output_is_no_mistake(posewright, folder, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)  # what `>&-` leaves
    assert posewright("pose", "task.yaml", "-o", "x.npz").returncode == 0
    assert Path("x.npz").exists()
