"""When a foot that a key moves leaves its path, and when it is back."""

import numpy as np

import posewright as pw
from posewright.clips import walk
from posewright.figures.catalogue import human40
from posewright.motions.quality.edited import Original
from posewright.workflows.editing.feet import Feet

USUAL = (15.0, 15.0)


def test_a_foot_that_stands_is_moved_from_its_last_contact_to_its_next():
    clip = walk(human40(), seed=3, fps=30.0)
    feet = Feet(Original(clip))
    left = feet.touching[:, [name.startswith("left") for name in clip.figure.anatomy.contact_sites]].any(axis=1)
    ups, downs = (np.flatnonzero(np.diff(left.astype(int)) == step) + 1 for step in (-1, 1))
    down = int(downs[downs > ups[0]][0])  # between two swings
    up, back = int(ups[ups > down][0]), int(downs[downs > ups[ups > down][0]][0])
    frame = (down + up) // 2
    key = pw.Position("left_sole", (0.0, 0.0, 0.0)).at(frame)
    before = int(ups[ups < down][-1])
    assert feet.window(key, USUAL) == (frame - (before - 1), back - frame)


def test_a_key_about_no_foot_has_the_usual_window():
    clip = walk(human40(), seed=3, fps=30.0)
    assert Feet(Original(clip)).window(pw.Position("left_hand", (0.0, 1.0, 0.0)).at(10), USUAL) == USUAL
