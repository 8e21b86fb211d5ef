"""Contacts of clean motions end where feet begin to move; those of recordings are left as they are."""

import numpy as np
import pytest

import posewright as pw
from posewright.clips import walk
from posewright.motions.contacts import ContactSettings, at_rest


def test_what_moves_at_the_ends_of_a_contact_is_cut_off():
    speeds = np.array([0.3, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.015, 0.1, 0.3, 0.9])[:, None]
    touching = np.array([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0], dtype=np.bool_)[:, None]
    assert np.flatnonzero(at_rest(touching, speeds)[:, 0]).tolist() == list(range(2, 9))


def test_what_moves_in_between_is_no_end():
    speeds = np.array([0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.2])[:, None]
    touching = np.ones((8, 1), dtype=np.bool_)
    assert np.flatnonzero(at_rest(touching, speeds)[:, 0]).tolist() == list(range(7))


def test_feet_that_never_stand_still_are_left_as_they_are():
    speeds = np.array([0.3, 0.1, 0.001, 0.001, 0.001, 0.001, 0.1, 0.3])[:, None]
    touching = np.ones((8, 1), dtype=np.bool_)
    assert np.array_equal(at_rest(touching, speeds), touching)
    assert not at_rest(np.zeros((8, 1), dtype=np.bool_), speeds).any()


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_a_generated_walk_does_not_drift_while_it_rests(fps):
    clip = walk(pw.figure("human40"), fps=fps)
    wide, exact = (clip.contacts(settings=ContactSettings(trimmed=trimmed)) for trimmed in (False, True))
    assert np.all(wide.touching | ~exact.touching)
    assert 0.6 * wide.touching.sum() < exact.touching.sum() < wide.touching.sum()
