from __future__ import annotations

import contextlib
import math
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from sample_figures import assert_same, mixed

from posewright.constraints import LinearConstraint
from posewright.errors import FileProblem
from posewright.figures import Ball, Capsule, Figure, Hinge, Joint, JointGroup, Site, Slide, Source
from posewright.formats import figure_file, load
from posewright.motions import Motion

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

YAML_WORDS = (
    b"[",
    b"{",
    b": ",
    b"\n- ",
    b"!!set",
    b"!!binary x",
    b".inf",
    b"1e400",
    b"2001-01-01",
    b"<<",
    b"*a",
    b"&a",
    b"~",
)

MINIMAL = """\
format: posewright-figure
version: 1
name: pole
joints:
- name: base
  hinges:
  - {axis: z, lower: -90, upper: 45}
"""


def test_everything_of_a_figure_comes_back(tmp_path: Path) -> None:
    figure = mixed()
    figure.save(tmp_path / "f.yaml")
    assert_same(load(tmp_path / "f.yaml"), figure)


@pytest.mark.parametrize(
    ("model", "value", "spelled_otherwise"),
    [
        (figure_file.JointModel, Joint, {"rotation"} | {"hinges", "ball"}),
        (figure_file.SlideModel, Slide, set()),
        (figure_file.HingeModel, Hinge, set()),
        (figure_file.BallModel, Ball, set()),
        (figure_file.CapsuleModel, Capsule, set()),
        (figure_file.SiteModel, Site, set()),
        (figure_file.GroupModel, JointGroup, set()),
        (figure_file.ConstraintModel, LinearConstraint, {"coefficients"} | {"factors", "unit"}),
        (figure_file.SourceModel, Source, set()),
        (figure_file.FigureModel, Figure, {"skin"} | {"format", "version", "units"}),
    ],
)
def test_no_field_of_a_figure_is_forgotten(
    model: type[BaseModel], value: type[DataclassInstance], spelled_otherwise: set[str]
) -> None:
    assert set(model.model_fields) ^ {item.name for item in fields(value)} == spelled_otherwise


def test_the_file_states_its_units_and_has_degrees(tmp_path: Path) -> None:
    mixed().save(tmp_path / "f.yaml")
    data = yaml.safe_load((tmp_path / "f.yaml").read_text())
    assert data["units"] == {"angle": "degrees", "length": "metres", "mass": "kilograms"}
    chest = next(joint for joint in data["joints"] if joint["name"] == "chest")
    assert chest["hinges"][0]["lower"] == pytest.approx(-math.degrees(1.0))
    assert chest["hinges"][1] == {"axis": "y", "lower": pytest.approx(-math.degrees(2.0))}
    balance = next(c for c in data["constraints"] if c["name"] == "balance")
    assert (balance["unit"], balance["lower"]) == ("metres", -0.3)


def test_a_short_file_by_hand_is_enough(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").write_text(MINIMAL)
    figure = load(tmp_path / "f.yaml")
    assert not isinstance(figure, Motion)
    assert figure.dof_names == ("base.rz",)
    assert figure.lower[0] == pytest.approx(-math.pi / 2)


@pytest.mark.parametrize(
    ("before", "after", "line", "says"),
    [
        ("upper: 45", "uper: 45", 7, "joints[0].hinges[0] has no field 'uper'; did you mean 'upper'?"),
        ("axis: z", "axis: q", 7, "joints[0].hinges[0].axis is 'q'; it must be x, y, z or three numbers"),
        ("upper: 45", "upper: wide", 7, "joints[0].hinges[0].upper is 'wide'; it must be a valid number"),
        ("- name: base", "- parent: base", 5, "joints[0] lacks the field 'name'"),
        ("- name: base\n", "- name: base\n  offset: [1, 2]\n", 6, "joints[0].offset has only 2 entries"),
        ("- name: base\n", "- name: base\n  offset: [1, 2, 3, 4]\n", 6, "offset has 4 entries; it must have at most 3"),
        ("- name: base\n", "- name: base\n  offset: [1, .nan, 2]\n", 6, "joints[0].offset[1] is nan"),
        ("- name: base\n", "- name: base\n  ball: {}\n", 5, "by hinges or by a ball, not by both"),
        ("upper: 45", "upper: -91", None, "lower must not exceed upper"),
        ("axis: z", "axis: [1, 1, 0]", None, "not of unit length"),
        ("version: 1", "version: 7", None, "version 7; version 1 is read"),
        ("posewright-figure", "recipe", None, "its format is 'recipe'"),
        ("name: pole", "name: pole\nname: mast", 4, "the field 'name' twice"),
        ("name: pole", "name: &a pole\nsource: *a", 4, "alias"),
        ("name: pole", "name: 1" + ":59" * 4_000, 3, "of 12,001 letters; without quotes at most 10,000 are read"),
        ("name: pole", "name: [pole", 4, "is not YAML"),
        ("joints:", "? [1, 2]\n: 3\njoints:", 4, "a list as a key"),
        ("name: pole", "name: " + "[" * 3000, 3, "nested too deeply"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    tmp_path: Path, before: str, after: str, line: int | None, says: str
) -> None:
    assert before in MINIMAL
    (tmp_path / "f.yaml").write_text(MINIMAL.replace(before, after))
    with pytest.raises(FileProblem) as caught:
        load(tmp_path / "f.yaml")
    assert says in str(caught.value)
    assert caught.value.line == line
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"42", b"x" * 1_000_000, b"- 1\n- 2\n", b"\0", b"a: !!python/object:x {}"]
)
def test_other_things_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "f.yaml").write_bytes(content)
    with pytest.raises(FileProblem):
        load(tmp_path / "f.yaml")


@settings(max_examples=80)
@given(data=st.data())
def test_damaged_files_give_one_error(tmp_path: Path, data: st.DataObject) -> None:
    whole = tmp_path / "whole.yaml"
    if not whole.exists():
        mixed().save(whole)
    raw = bytearray(whole.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=3) | st.sampled_from(YAML_WORDS))
    (tmp_path / "broken.yaml").write_bytes(raw[: data.draw(st.integers(0, len(raw)) | st.just(len(raw)))])
    with contextlib.suppress(FileProblem):
        load(tmp_path / "broken.yaml")


def test_a_motion_has_no_place_in_it(tmp_path: Path) -> None:
    figure = mixed()
    with pytest.raises(FileProblem, match="figure, not the"):
        Motion(figure, [figure.rest, figure.rest], fps=30.0).save(tmp_path / "f.yaml")


def test_the_example_in_the_docs_is_a_figure(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "formats" / "figure-yaml.md").read_text(encoding="utf-8")
    (tmp_path / "crane.yaml").write_text(page.split("```yaml\n")[1].split("```")[0])
    figure = load(tmp_path / "crane.yaml")
    assert not isinstance(figure, Motion)
    assert figure.joint_names == ("base", "boom", "hook")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("figure: human\ngoals: []\n", "with its field 'goals' it looks like a task, which posewright pose solves"),
        ("keys: []\n", "it looks like an edit, which posewright edit makes"),
        ("figure: human\nvalues: {}\n", "it looks like a pose, which a task may start from"),
    ],
)
def test_other_files_of_ours_are_recognised(tmp_path, text, sentence):
    path = tmp_path / "other.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileProblem, match=sentence):
        load(path)
