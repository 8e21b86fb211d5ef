"""`posewright info` and `convert`, as a user calls them: output and exit code."""

import json
import runpy
import subprocess
import sys

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build


@pytest.fixture
def clip(tmp_path):
    figure = build("human40")
    motion = pw.Motion(figure, np.tile(figure.rest, (12, 1)), fps=30.0)
    path = tmp_path / "stand.bvh"
    motion.save(path)
    return path


@pytest.fixture
def figure_file(tmp_path):
    path = tmp_path / "arm.yaml"
    build("arm4").save(path)
    return path


def test_info_prints_facts_and_assumptions(posewright, clip):
    done = posewright("info", clip)
    assert done.returncode == 0
    assert "12 frames at 30 fps" in done.stdout
    assert "assumed" in done.stdout


def test_info_as_json(posewright, clip):
    facts = json.loads(posewright("info", clip, "--json").stdout)
    assert facts["frames"] == 12
    assert facts["fps"] == pytest.approx(30.0, abs=1e-3)
    assert facts["notes"]


def test_convert_writes_the_stretch_asked_for(posewright, clip, tmp_path):
    out = tmp_path / "cut.npz"
    assert posewright("convert", clip, out, "--frames", "2:8", "--unit", "cm").returncode == 0
    assert len(pw.motion(out)) == 6


def test_info_shows_the_tree_of_a_figure_without_frames(posewright, figure_file):
    done = posewright("info", figure_file, "--tree")
    assert done.returncode == 0
    figure = build("arm4")
    assert "frames" not in done.stdout
    assert all(joint.name in done.stdout and joint.labels[0] in done.stdout for joint in figure.joints)


def test_info_measures_in_the_unit_asked_for(posewright, clip):
    heights = [
        json.loads(posewright("info", clip, "--json", "--unit", unit).stdout)["height"] for unit in ("cm", "0.02")
    ]
    assert heights[1] == pytest.approx(2.0 * heights[0], rel=1e-3)


def test_convert_resamples(posewright, clip, tmp_path):
    out = tmp_path / "slow.npz"
    done = posewright("convert", clip, out, "--resample", "15")
    assert done.stdout.strip().endswith("slow.npz: 6 frames")
    assert pw.motion(out).fps == 15.0


def test_convert_copies_a_figure(posewright, figure_file, tmp_path):
    out = tmp_path / "copy.yaml"
    assert posewright("convert", figure_file, out).stdout.strip().endswith("copy.yaml: a figure")
    assert pw.figure(out).joints == build("arm4").joints


def test_convert_takes_only_the_figure_of_a_clip(posewright, clip, tmp_path):
    assert posewright("convert", clip, tmp_path / "who.yaml", "--figure-only").returncode == 0
    assert pw.figure(tmp_path / "who.yaml").joint_names == pw.figure(clip).joint_names


def test_the_version_and_the_commands_are_told_by_a_real_process():
    code = "from posewright.cli import main; main()"
    told = [
        subprocess.run([sys.executable, "-c", code, word], capture_output=True, text=True, check=True).stdout
        for word in ("--version", "--help")
    ]
    assert told[0] == f"posewright {pw.__version__}\n"
    assert all(command in told[1] for command in ("info", "convert", "render", "figures", "demo"))


def test_an_interrupted_command_says_so(posewright, clip, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("posewright.formats.load", interrupt)
    done = posewright("info", clip)
    assert (done.returncode, done.stderr) == (130, "posewright: interrupted; what was complete is on disk\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("info", "missing.bvh"), "missing.bvh: no such file"),
        (("info", "clip.mov"), "cannot read a file with suffix '.mov'"),
        (("info", "{clip}", "--unit", "centimetre"), "'--unit': 'centimetre' is neither"),
        (("convert", "{clip}", "out.npz", "--frames", "5"), "--frames is '5'; it must be START:STOP"),
        (("convert", "{clip}", "no/such/folder/out.npz"), "cannot write here"),
        (("convert", "{clip}", "out.xyz"), "cannot write a file with suffix '.xyz'"),
        (("convert", "{clip}", "out.npz", "--frames", "20:30"), "--frames 20:30 selects no frame of"),
        (("convert", "{figure}", "out.yaml", "--resample", "30"), "contains a figure without frames"),
        (("info", "{clip}", "--unit", "-1"), "'--unit': -1 is not a positive number of metres"),
        (("info", "{clip}", "--fps", "0"), "'--fps': 0 is not a positive number"),
        (("info", "."), ".: is a folder, not a file"),
        (("info",), "missing argument 'FILE'; see posewright info --help"),
        (("info", "{clip}", "--up", "w"), "'w' is not one of 'y', 'z'; see posewright info --help"),
        (("info", "{clip}", "--tre"), "--tre"),
        (("inof", "{clip}"), "no such command 'inof'; did you mean 'info'?"),
        (("info", "{figure}", "--up", "z"), "the option up does not apply to this file"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value[:1]),
)
def test_bad_input_is_one_sentence_and_exit_code_2(posewright, clip, figure_file, arguments, sentence):
    done = posewright(*({"{clip}": clip, "{figure}": figure_file}.get(word, word) for word in arguments))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_without_a_word_the_help_is_shown(posewright):
    done = posewright()
    assert done.returncode == 0
    assert "convert" in done.stdout


def test_the_package_is_a_command_too(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["posewright"])
    with pytest.raises(SystemExit):
        runpy.run_module("posewright", run_name="__main__", alter_sys=False)
    assert "Usage" in capsys.readouterr().out


def test_only_options_that_a_file_heeds_are_offered(posewright, clip):
    offered = next(line for line in posewright("info", clip).stdout.splitlines() if line.startswith("override"))
    assert "--positions" in offered
    assert "--skeleton" not in offered


def test_info_loads_no_more_than_it_needs(clip):
    unwanted = ["rich", "matplotlib", "PIL", "scipy.optimize", "scipy.ndimage", "mujoco"]
    unwanted += [f"posewright.{room}" for room in ("goals", "problem", "solvers", "models", "report")]
    code = (
        "import sys; from posewright.cli import main\n"
        "try: main()\n"
        f"except SystemExit: print([name for name in {unwanted!r} if name in sys.modules], file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "info", str(clip)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stderr == "[]\n"
