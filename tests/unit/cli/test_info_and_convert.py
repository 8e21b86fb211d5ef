"""`posewright info` and `convert`, as a user calls them: a process, its output, its exit code."""

import json
import subprocess
import sys

import numpy as np
import pytest

import posewright as pw
from posewright.figure.catalogue import build


@pytest.fixture
def clip(tmp_path):
    figure = build("human40")
    motion = pw.Motion(figure, np.tile(figure.rest, (12, 1)), fps=30.0)
    path = tmp_path / "stand.bvh"
    pw.save(motion, path)
    return path


def posewright(*arguments):
    code = "from posewright.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120
    )


def test_info_prints_facts_and_assumptions(clip):
    done = posewright("info", clip)
    assert done.returncode == 0
    assert "12 frames at 30 fps" in done.stdout
    assert "assumed" in done.stdout


def test_info_as_json(clip):
    facts = json.loads(posewright("info", clip, "--json").stdout)
    assert facts["frames"] == 12
    assert facts["fps"] == pytest.approx(30.0, abs=1e-3)
    assert facts["notes"]


def test_convert_writes_the_stretch_asked_for(clip, tmp_path):
    out = tmp_path / "cut.npz"
    assert posewright("convert", clip, out, "--frames", "2:8", "--unit", "cm").returncode == 0
    assert len(pw.load_motion(out)) == 6


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("info", "missing.bvh"), "missing.bvh: no such file"),
        (("info", "clip.mov"), "cannot read a file with suffix '.mov'"),
        (("info", "{clip}", "--unit", "centimetre"), "--unit is 'centimetre'"),
        (("convert", "{clip}", "out.npz", "--frames", "5"), "--frames is '5'; it must be START:STOP"),
        (("convert", "{clip}", "no/such/folder/out.npz"), "cannot write here"),
        (("convert", "{clip}", "out.xyz"), "cannot write a file with suffix '.xyz'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value[:1]),
)
def test_bad_input_is_one_sentence_and_exit_code_2(clip, arguments, sentence):
    done = posewright(*(clip if word == "{clip}" else word for word in arguments))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
