from dataclasses import fields

import numpy as np
import pytest

import posewright as pw
from posewright.files import ReadKeywords


def test_a_figure_is_built_in_or_read_from_a_file(tmp_path):
    human = pw.figure("human40")
    human.save(tmp_path / "person.yaml")
    assert pw.figure(tmp_path / "person.yaml").is_like(human)
    assert pw.figure(str(tmp_path / "person.yaml")).is_like(human)


def test_an_unknown_figure_names_the_nearest_one():
    with pytest.raises(pw.errors.UnknownName, match="no figure 'human4'; did you mean 'human40'"):
        pw.figure("human4")


def test_a_path_that_does_not_exist_is_a_file_problem():
    with pytest.raises(pw.errors.FileProblem, match="no such file"):
        pw.figure("nobody.bvh")


def test_figures_poses_and_motions_save_themselves(tmp_path):
    walk = pw.clips.walk(pw.figure("human40"), steps=2)
    walk.save(tmp_path / "walk.npz")
    walk.pose(3).save(tmp_path / "pose.npz")
    again = pw.motion(tmp_path / "walk.npz", fps=30.0)
    assert again.fps == 30.0
    assert np.array_equal(again.q, walk.q)
    assert np.array_equal(pw.motion(tmp_path / "pose.npz").q[0], walk.q[3])


def test_the_keywords_are_the_fields_of_read_options():
    assert set(ReadKeywords.__annotations__) == {field.name for field in fields(pw.formats.ReadOptions)}
