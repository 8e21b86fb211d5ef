"""Match files: what is written is read again, edits count, mistakes are told with line, field and nearest name."""

import pytest
from naming_conventions import CONVENTIONS, biped

from posewright.errors import FileProblem, InvalidFigure
from posewright.figures.catalogue import build
from posewright.matching import JointMatch

SOURCE, TARGET = biped(CONVENTIONS["daz"]), build("human40")


def joints(match: JointMatch):
    return dict(match.source.parts), dict(match.target.parts)


@pytest.mark.parametrize("name", ["biped", "mixamo", "makehuman", "plain english"])
def test_a_match_survives_its_file(tmp_path, name):
    match = JointMatch.between(biped(CONVENTIONS[name]), TARGET)
    match.save(tmp_path / "m.yaml")
    assert joints(JointMatch.load(tmp_path / "m.yaml", match.source.figure, TARGET)) == joints(match)


def test_the_file_is_small_and_says_how_sure_it_is(tmp_path):
    match = JointMatch.between(SOURCE, TARGET)
    match.save(tmp_path / "m.yaml")
    text = (tmp_path / "m.yaml").read_text()
    assert "  spine: {source: [abdomen, chest], target: [waist, back], confidence: 0.95}\n" in text
    assert "# joints of no part in the source: lButtock, rButtock, lEye, rEye\n" in text
    assert len(text.splitlines()) < 45


def test_an_edited_part_counts_and_the_rest_is_found(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("format: posewright match\nversion: 1\nparts:\n  spine: {source: [chest]}\n  head: {target: []}\n")
    match = JointMatch.load(path, SOURCE, TARGET)
    assert match.source.parts["spine"] == ("chest",)
    assert match.target.parts["spine"] == ("waist", "back")
    assert "head" not in match.parts
    assert match.source.confidence["spine"] == 1.0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("  pelvis: {source: [hipp]}", "line 4: parts.pelvis.source is .*which has no 'hipp'; did you mean 'hip'"),
        ("  left_kne: {source: [lShin]}", "line 4: .* must have body parts as keys, not 'left_kne'"),
        ("  pelvis: {sauce: [hip]}", "line 4: parts.pelvis has no field 'sauce'; did you mean 'source'"),
        ("  pelvis: {source: hip}", "line 4: parts.pelvis.source is 'hip'; it must be a list"),
        ("  left_hip: {source: [lShin]}\n  left_knee: {source: [lShin]}", "joint 'lShin' .* is both left_hip and"),
    ],
)  # fmt: skip
def test_mistakes_are_told_where_they_stand(tmp_path, row, message):
    path = tmp_path / "m.yaml"
    path.write_text(f"format: posewright match\nversion: 1\nparts:\n{row}\n")
    with pytest.raises(FileProblem, match=message):
        JointMatch.load(path, SOURCE, TARGET)


def test_essential_parts_taken_away_are_missed(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("format: posewright match\nversion: 1\nparts:\n  left_knee: {source: []}\n")
    with pytest.raises(InvalidFigure, match="no joints of figure 'biped' could be recognised as left knee; name them"):
        JointMatch.load(path, SOURCE, TARGET)
