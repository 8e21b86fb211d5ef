"""`posewright check`, as a user calls it: output and exit code."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from robot_samples import BIPED

import posewright as pw
from posewright.cli.check import check
from posewright.clips import walk
from posewright.figures.catalogue import build
from posewright.motions.quality import QualityLimits


@pytest.fixture(scope="module")
def source():
    return walk(build("human40"), seed=3, fps=30.0)[:30]


@pytest.fixture
def files(tmp_path, source):
    source.save(tmp_path / "walk.npz")
    q = source.q.copy()
    q[:, 1] -= 0.05
    source.with_q(q).save(tmp_path / "sunk.npz")
    return tmp_path


def test_a_good_motion_passes(posewright, files):
    done = posewright("check", files / "walk.npz", "--against", files / "walk.npz")
    assert done.returncode == 0, done.stdout
    assert "contact drift" in done.stdout
    assert "limits kept" in done.stdout


def test_a_broken_limit_is_named_and_the_exit_code_is_1(posewright, files):
    done = posewright("check", files / "sunk.npz", "--against", files / "walk.npz", "--floor", "0")
    assert done.returncode == 1
    assert "limits broken: penetration" in done.stdout
    lenient = posewright(
        "check", files / "sunk.npz", "--against", files / "walk.npz", "--floor", "0", "--max-penetration", "0.2"
    )
    assert lenient.returncode == 0


def test_json_has_values_limits_and_verdicts(posewright, files):
    done = posewright("check", files / "sunk.npz", "--against", files / "walk.npz", "--floor", "0", "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["passed"] is False
    penetration = told["measures"]["penetration"]
    assert penetration["passed"] is False
    assert penetration["value"] == pytest.approx(penetration["source"] + 0.05, abs=1e-3)
    assert told["measures"]["contact drift"]["rule"] == "source + 0.01"


def test_a_report_is_one_page(posewright, files):
    done = posewright("check", files / "walk.npz", "--report", files / "walk.html", "--frames", "0:12")
    assert done.returncode == 0, done.stdout
    text = (files / "walk.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "imbalance" in text
    refused = posewright("check", files / "walk.npz", "--report", files / "walk.pdf")
    assert refused.returncode == 2
    assert "cannot write a report with suffix" in refused.stderr


def test_a_source_at_another_rate_is_resampled_and_another_length_is_told(posewright, files, source):
    source.resampled(fps=60.0).save(files / "fast.npz")
    assert posewright("check", files / "walk.npz", "--against", files / "fast.npz").returncode == 0
    done = posewright("check", files / "walk.npz", "--against", files / "walk.npz", "--source-frames", "0:20")
    assert done.returncode == 2
    assert "the motion has 30 frames at 30 per second, its source 20" in done.stderr


def test_a_robot_is_checked_against_its_own_speeds(posewright, tmp_path):
    (tmp_path / "robot.urdf").write_text(BIPED)
    figure = pw.figure(tmp_path / "robot.urdf")
    q = np.tile(figure.rest, (10, 1))
    q[5:, figure.dof_index("left_ankle.ry")] = 0.6
    pw.Motion(figure, q, fps=30.0).save(tmp_path / "kick.csv")
    done = posewright("check", tmp_path / "kick.csv", "--skeleton", tmp_path / "robot.urdf")
    assert done.returncode == 1
    assert "limits broken: speed limit" in done.stdout
    assert "200% of allowed" in done.stdout


def test_figures_without_motion_and_unknown_feet_are_told(posewright, files, tmp_path):
    (tmp_path / "robot.urdf").write_text(BIPED)
    assert "contains a figure but no motion" in posewright("check", tmp_path / "robot.urdf").stderr
    done = posewright("check", files / "walk.npz", "--feet", "left_heal")
    assert done.returncode == 2
    assert "did you mean 'left_heel'" in done.stderr


def test_the_source_has_read_options_of_its_own(posewright, files, source):
    rest = np.concatenate([source.figure.rest[None], source.q])
    source.with_q(rest).save(files / "with_rest.bvh")
    beside = ("check", files / "walk.npz", "--against", files / "with_rest.bvh", "--max-site-error", "0.01")
    assert "has 30 frames at 30 per second, its source 31" in posewright(*beside).stderr
    done = posewright(*beside, "--source-drop-first", "--source-unit", "cm")
    assert done.returncode == 0, done.stdout + done.stderr
    done = posewright(*beside, "--source-drop-first", "--source-unit", "m")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "limits broken" in done.stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--source-up", "z"], "options that begin with --source need a source; give one with --against"),
        (["--source-frames", "0:20"], "give one with --against"),
        (
            ["--against", "walk.npz", "--source-unit", "inches"],
            "'--source-unit': 'inches' is neither a number",
        ),
        (["--against", "walk.npz", "--source-fps", "0"], "'--source-fps': 0 is not a positive number"),
        (["--against", "walk.npz", "--source-positions", "add"], "the option position_channels does not apply"),
    ],
)
def test_bad_options_of_the_source_are_one_sentence(posewright, files, options, sentence):
    done = posewright("check", files / "walk.npz", *(files / word if word == "walk.npz" else word for word in options))
    assert done.returncode == 2, done.stdout
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_bone_that_is_off_is_named_and_drawn(posewright, tmp_path):
    source = walk(build("human40"), seed=3, fps=30.0)[:30]
    source.save(tmp_path / "walk.npz")
    q = source.q.copy()
    where = source.figure.dof_slice(source.figure.anatomy.last("right_elbow")).start
    q[5:25, where] += np.radians(40.0) * (1.0 if source.figure.upper[where] > 0.8 else -1.0)
    source.with_q(q).save(tmp_path / "bent.npz")
    run = ("check", tmp_path / "bent.npz", "--against", tmp_path / "walk.npz", "--max-pop", "180", "--max-turn", "100")
    done = posewright(*run, "--report", tmp_path / "bent.html", "--max-jerk", "100")
    assert done.returncode == 1, done.stdout
    assert "right forearm 40 degrees off from frame 5 to 24 (plain transfer: 0)" in done.stdout
    assert "limits broken: likeness.beyond" in done.stdout
    page = (tmp_path / "bent.html").read_text(encoding="utf-8")
    assert "Likeness to the source" in page
    assert "right forearm 40 degrees off" in page
    told = json.loads(posewright(*run, "--json").stdout)
    assert told["likeness"]["worst"] == pytest.approx(40.0, abs=0.1)
    assert told["likeness"]["bones"]["right forearm"]["worst"] == pytest.approx(40.0, abs=0.1)
    assert told["likeness"]["off"][0]["first"] == 5
    lenient = posewright(*run, "--max-jerk", "100", "--max-likeness", "50")
    assert lenient.returncode == 0, lenient.stdout


def test_a_map_without_a_source_is_refused(posewright, files):
    done = posewright("check", files / "walk.npz", "--map", files / "map.yaml")
    assert done.returncode == 2
    assert "--map matches joints with those of a source; give the source with --against" in done.stderr


def test_the_options_have_the_defaults_of_the_limits():
    defaults = {
        option.name.removeprefix("max_"): option.default for option in check.params if option.name[:4] == "max_"
    }
    assert defaults == asdict(QualityLimits())


def test_a_motion_that_never_stands_under_a_guessed_up_axis_is_not_called_kept(posewright, tmp_path):
    walk = pw.clips.walk(pw.figure("human40"))
    balls = walk.converted(walk.figure.with_balls())
    q = balls.q.copy()
    q[:, 3:6] = [np.pi / 2, 0.0, 0.0]  # head towards +z, as if z were up
    q[:, 1] += 9.0
    path = tmp_path / "hovering.bvh"
    balls.with_q(q).save(path)
    done = posewright("check", str(path))
    assert "up axis" in done.stderr
    assert "Not judged: figure 'hovering' does not stand in any frame" in done.stdout
    assert done.returncode == 1
    done = posewright("check", str(path), "--up", "y")
    assert "Not judged" not in done.stdout
