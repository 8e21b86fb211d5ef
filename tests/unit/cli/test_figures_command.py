import json

from click.testing import CliRunner

from posewright.cli.figures import figures
from posewright.errors import UnknownName
from posewright.figures.catalogue import CATALOGUE


def run(*arguments: str):
    return CliRunner().invoke(figures, arguments)


def test_the_table_names_every_figure():
    result = run()
    assert result.exit_code == 0
    names = [line.split()[0] for line in result.output.splitlines()[1:]]
    assert names == list(CATALOGUE)


def test_one_figure_in_detail():
    output = run("human22").output
    for words in ("L5 flexion -6..11", "left_clavicle", "group spine", "left_shoulder_polygon 10 linear rows", "view"):
        assert words in output


def test_json_for_scripts():
    rows = json.loads(run("--json").output)
    assert {row["name"]: row["coordinates"] for row in rows}["human70"] == 70
    details = json.loads(run("human40", "--json").output)
    assert len(details["joints"]) == 21
    assert details["joints"][0]["dofs"][0] == {
        "name": "tx",
        "lower": None,
        "upper": None,
        "rest": 0.0,
        "max_speed": None,
    }


def test_an_unknown_figure_is_one_sentence():
    result = run("gorilla")
    assert isinstance(result.exception, UnknownName)
