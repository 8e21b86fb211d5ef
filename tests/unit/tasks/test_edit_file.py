"""Edit files: what they say, and what is said of bad ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import posewright as pw
from posewright.clips import walk
from posewright.errors import FileProblem
from posewright.figures.catalogue import human40
from posewright.figures.kinematics import site_frames
from posewright.motions import Motion
from posewright.tasks.edit_file import EditTask, load_edit

EDIT = """
hold_contacts: true
hold_together: [[right_hand, left_hand]]
max_deviation: 3
keys:
  - frame: 10
    goal: {kind: move, site: left_hand, by: [0, 0.1, 0], priority: 2}
  - start: 12
    end: 20
    ease_in: 4
    goal: {kind: position, site: right_hand, target: [0, 0, 0]}
    path:
      knots:
        - {frame: 12, point: [0.1, 1.0, 0.2]}
        - {frame: 20, point: [0.1, 1.1, 0.2]}
      tension: 0.5
  - start: 1
    end: 5
    goal: {kind: move, site: head, by: [0, 0, 0.05]}
"""


@pytest.fixture(scope="module")
def clip() -> Motion:
    return walk(human40(), steps=2, fps=20.0)


def read(tmp_path: Path, text: str, clip: Motion) -> EditTask:
    path = tmp_path / "edit.yaml"
    path.write_text(text)
    return load_edit(path, clip)


def test_a_solver_and_its_settings_are_read(tmp_path, clip):
    named = f"solver: {{name: prioritized, settings: {{damping: 0.05, max_step: 0.1}}}}\n{EDIT}"
    assert read(tmp_path, named, clip).settings["solver"] == pw.Prioritized(damping=0.05, max_step=0.1)
    with pytest.raises(FileProblem, match=r"line 1: solver.settings: .*did you mean 'damping'"):
        read(tmp_path, named.replace("damping", "dampning"), clip)


def test_keys_are_read(tmp_path, clip):
    task = read(tmp_path, EDIT, clip)
    first, second, third = task.goals
    assert task.settings == {
        "hold_contacts": True,
        "contacts": None,
        "hold_together": (("right_hand", "left_hand"),),
        "keep_detail": True,
        "limits": False,
        "max_deviation": 3.0,
        "solver": None,
    }
    assert (first.start, first.end, first.ease_in) == (10, 10, None)
    here = site_frames(clip.figure, clip.q, ["left_hand", "head"]).points
    np.testing.assert_allclose(first.goal.target, here[10, 0] + np.array([0.0, 0.1, 0.0]))
    assert first.goal.priority == 2
    assert (second.start, second.end, second.ease_in, second.ease_out) == (12, 20, 4.0, None)
    np.testing.assert_allclose(second.points.at(20), (0.1, 1.1, 0.2))
    assert second.points.tension == 0.5
    assert (third.start, third.end) == (1, 5)
    np.testing.assert_allclose(third.points[2], here[3, 1] + np.array([0.0, 0.0, 0.05]))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, "holds nothing"),
        ("keys: []\n", 1, "at least one key"),
        (
            "keys:\n  - {start: 8, end: 6, goal: {kind: move, site: head, by: [0, 0, 1]}}\n",
            2,
            "ends at frame 6, before it begins at frame 8",
        ),
        ("keys:\n  - goal: {kind: move, site: head, by: [0, 0, 1]}\n", 2, "must have a frame, or a start and an end"),
        ("keys:\n  - frame: 3\n    end: 4\n    goal: {kind: move, site: head, by: [0, 0, 1]}\n", 2, "both a frame"),
        ("keys:\n  - frame: 3\n    goal: {kind: move, site: hed, by: [0, 0, 1]}\n", 3, "head"),
        ("keys:\n  - frame: 300\n    goal: {kind: move, site: head, by: [0, 0, 1]}\n", 2, "outside the motion"),
        ("keys:\n  - frame: 3\n    goal: {kind: mve, site: head, by: [0, 0, 1]}\n", 3, "kind"),
        ("keys:\n  - frame: 3\n    gaol: {}\n", None, "gaol"),
        (EDIT.replace("tension: 0.5", "tension: 5"), 16, "tension"),
        (EDIT.replace("{frame: 20,", "{frame: 2,"), 8, "increase"),
        (EDIT.replace("left_hand]]", "left_hnd]]"), 3, "left_hand"),
        (EDIT.replace("left_hand]]", "left_hand, head]]"), 3, "hold_together"),
        (EDIT.replace("max_deviation: 3", "max_deviation: -3"), 4, "max_deviation"),
        (EDIT.replace("max_deviation: 3", "farthest: -3"), 4, "farthest"),
        (EDIT.replace("ease_in: 4", "ease_in: -4"), 10, "ease_in"),
        ("contacts: {left_fot: []}\nkeys: []\n", 1, "left_foot"),
        ("contacts: {left_foot: [[4, 2]]}\nkeys: []\n", 1, "from frame 4 to 2"),
        ("contacts: {left_foot: [[4, 2000]]}\nkeys: []\n", 1, "outside the motion"),
        ("contacts: {left_foot: [4, 5]}\nkeys: []\n", 1, "contacts"),
    ],
)
def test_bad_files_are_one_sentence_with_line_and_field(tmp_path, clip, text, line, words):
    with pytest.raises(FileProblem, match=words) as caught:
        read(tmp_path, text, clip)
    if line is not None:
        assert caught.value.line == line
    assert "\n" not in str(caught.value)


def test_contacts_are_read_and_are_enough_to_ask_for(tmp_path, clip):
    task = read(tmp_path, "contacts:\n  left_foot: [[0, 3], [50%, -1]]\n  right_foot: []\nkeys: []\n", clip)
    half, last = round(0.5 * (len(clip) - 1)), len(clip) - 1
    assert task.settings["contacts"] == {"left_foot": [(0, 3), (half, last)], "right_foot": []}
    assert task.goals == ()


def test_frames_have_the_numbers_of_the_motions_file(tmp_path, clip):
    """A motion whose first frames were left out is edited in the same frames as the whole."""
    whole, cut = read(tmp_path, EDIT, clip), read(tmp_path, EDIT, clip[1:])
    assert [(key.start, key.end) for key in cut.goals] == [(key.start - 1, key.end - 1) for key in whole.goals]
    assert cut.goals[0].goal.target == whole.goals[0].goal.target
    assert np.array_equal(cut.goals[1].points.at(11.0), whole.goals[1].points.at(12.0))
    with pytest.raises(FileProblem, match=r"frame 2 is outside the motion's .* frames, 4 to"):
        read(tmp_path, "keys: [{frame: 2, goal: {kind: move, site: head, by: [0, 0.1, 0]}}]", clip[4:])
