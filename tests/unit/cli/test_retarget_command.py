"""`posewright retarget`, as a user calls it: files, output and exit code."""

import json

import numpy as np
import pytest

import posewright as pw
from posewright.clips import walk
from posewright.figures.catalogue import build


@pytest.fixture(scope="module")
def walk_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("retarget") / "walk.bvh"
    walk(build("human40"), seed=3, fps=30.0)[:40].save(path)
    return path


@pytest.mark.parametrize("suffix", ["npz", "bvh", "glb"])
def test_a_motion_goes_to_a_built_in_figure(posewright, walk_file, tmp_path, suffix):
    out = tmp_path / f"out.{suffix}"
    done = posewright("retarget", walk_file, "--to", "abnorman1", "-o", out)
    assert done.returncode == 0, done.stderr
    assert "40 frames at 30 per second" in done.stdout
    assert len(pw.motion(out)) == 40


def test_a_report_a_map_and_json(posewright, walk_file, tmp_path):
    page, mapped = tmp_path / "out.html", tmp_path / "map.yaml"
    done = posewright(
        "retarget", walk_file, "--to", "norman", "-o", tmp_path / "out.npz", "--report", page, "--save-map", mapped,
        "--json",
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert told["frames"] == 40
    assert told["measures"]["contact drift"]["value"] < 0.01
    assert told["match"]["left_knee"]["target"] == ["left_knee"]
    assert "contact drift" in page.read_text()
    again = posewright("retarget", walk_file, "--to", "norman", "-o", tmp_path / "again.npz", "--map", mapped)
    assert again.returncode == 0, again.stderr
    first, second = (pw.motion(tmp_path / name) for name in ("out.npz", "again.npz"))
    assert np.array_equal(first.q, second.q)


def test_a_character_keeps_its_mesh(posewright, walk_file, tmp_path):
    character, out = tmp_path / "character.glb", tmp_path / "out.glb"
    walk(build("human40"), seed=1, fps=30.0)[:3].save(character)
    done = posewright("retarget", walk_file, "--to", character, "-o", out)
    assert done.returncode == 0, done.stderr
    before, after = pw.figure(character), pw.figure(out)
    assert before.skin is not None
    assert after.skin is not None
    assert after.skin.document["meshes"] == before.skin.document["meshes"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--to", "human4"], "neither a file nor a built-in figure; did you mean 'human40'"),
        (["--to", "hand"], "could be recognised as"),
        (["--to", "nobody.bvh"], "no such file"),
        (["--to", "human40", "--frames", "90:"], "selects no frame of"),
    ],
)
def test_bad_input_is_one_sentence(posewright, walk_file, tmp_path, arguments, sentence):
    done = posewright("retarget", walk_file, "-o", tmp_path / "out.npz", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_bad_files_are_one_sentence(posewright, walk_file, tmp_path):
    text = walk_file.read_text()
    head, _, rows = text.partition("Frame Time:")
    numbers = rows.splitlines()
    cases = {
        "still.bvh": (head + "Frame Time: 0\n" + "\n".join(numbers[1:]), "rame"),
        "nan.bvh": (text[: text.rindex(" ")] + " nan\n", "nan"),
    }
    for name, (content, word) in cases.items():
        path = tmp_path / name
        path.write_text(content)
        done = posewright("retarget", path, "--to", "human40", "-o", tmp_path / "out.npz")
        assert done.returncode == 2, name
        assert word in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_wrong_up_axis_is_told(posewright, walk_file, tmp_path):
    done = posewright("retarget", walk_file, "--up", "z", "--to", "human40", "-o", tmp_path / "out.npz")
    assert done.returncode == 2
    assert "--up" in done.stderr
