"""`posewright design`: what it prints and writes, and what it says about bad tasks and databases."""

import json
from pathlib import Path

import numpy as np
import pytest
from design_samples import database, empty, figure

from posewright.formats import load_motion
from posewright.tasks.start import read_pose

EXAMPLES = Path(__file__).parents[3] / "examples" / "tasks"


@pytest.fixture(scope="module")
def postures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("design") / "people.postures.npz"
    database().save(path)
    return path


def test_a_task_becomes_a_pose_a_picture_and_a_tale_of_its_parts(posewright, postures, tmp_path):
    files = [tmp_path / name for name in ("drive.bvh", "drive.yaml", "drive.png")]
    outs = [word for path in files for word in ("-o", path)]
    done = posewright("design", EXAMPLES / "drive.yaml", "--postures", postures, *outs)
    assert done.returncode == 0, done.stderr
    assert "all goals reached · prioritized" in done.stdout
    assert "for left_hand (limb+spine), right_hand (limb+spine)" in done.stdout
    assert "the rest: " in done.stdout
    assert files[2].read_bytes()[:4] == b"\x89PNG"
    pose = read_pose(figure(), files[1])
    np.testing.assert_allclose(pose.point("pelvis"), (0.0, 0.58, -0.10), atol=2e-4)
    assert len(load_motion(files[0])) == 1


def test_scripts_get_parts_samples_and_weights(posewright, postures):
    done = posewright("design", EXAMPLES / "drive.yaml", "--postures", postures, "--json", "--keep-rest", "--settle")
    facts = json.loads(done.stdout)
    assert facts["answer"]["reached"] is True
    assert [list(part["goals"].values()) for part in facts["parts"]] == [
        ["root"],
        ["limb+spine"] * 2,
        ["limb+spine"] * 2,
    ]
    for part in facts["parts"][1:]:
        assert sum(sample["weight"] for sample in part["samples"]) == pytest.approx(1.0)
        assert {sample["clip"] for sample in part["samples"]} <= set(database().clips)


def test_an_empty_database_is_said_and_a_missed_goal_is_exit_code_1(posewright, tmp_path):
    path = tmp_path / "none.postures.npz"
    empty().save(path)
    (tmp_path / "moon.yaml").write_text(
        "figure: human40\ngoals:\n  - {kind: position, site: left_hand, target: [0, 9, 0], joints: limb}\n"
    )
    done = posewright("design", tmp_path / "moon.yaml", "--postures", path)
    assert done.returncode == 1
    assert "the database is empty, so the posture was solved from the start pose alone" in done.stdout


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("goals: [{kind: position, site: left_hand, target: [0, 1, 0], recruiting: arm}]", "goals[0].recruiting"),
        ("goals: [{kind: position, site: left_hnad, target: [0, 1, 0]}]", "did you mean 'left_hand'"),
    ],
)
def test_a_bad_task_is_one_sentence(posewright, postures, tmp_path, task, said):
    (tmp_path / "bad.yaml").write_text(f"figure: human40\n{task}\n")
    done = posewright("design", tmp_path / "bad.yaml", "--postures", postures)
    assert done.returncode == 2
    assert said in done.stderr
    assert "line 2" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_database_that_is_none_or_of_an_unrelated_figure_is_one_sentence(posewright, postures, tmp_path):
    task = EXAMPLES / "drive.yaml"
    missing = posewright("design", task, "--postures", tmp_path / "nobody.postures.npz")
    assert missing.returncode == 2
    assert "nobody.postures.npz" in missing.stderr
    other = posewright("design", task, "--postures", task)
    assert other.returncode == 2
    assert other.stderr.count("\n") == 1
    pinch = posewright("design", EXAMPLES / "pinch.yaml", "--postures", postures)
    assert pinch.returncode == 2
    assert "share no rotating joint" in pinch.stderr
    suffix = posewright("design", task, "--postures", postures, "-o", tmp_path / "x.doc")
    assert suffix.returncode == 2
    assert "cannot write a pose with suffix '.doc'" in suffix.stderr
