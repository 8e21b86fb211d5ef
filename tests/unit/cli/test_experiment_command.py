import json

import pytest
import typer
from typer.testing import CliRunner

from posewright.cli.experiment import experiment
from posewright.errors import UnknownName
from posewright.experiments import registry
from posewright.experiments.experiment import Experiment, Outcome

app = typer.Typer()
app.command()(experiment)


def run(*arguments: str):
    return CliRunner().invoke(app, arguments)


def test_experiments_are_listed():
    assert "5-G  Priority strictness" in run().output


def test_priority_strictness_is_accepted_and_drawn(tmp_path):
    result = run("5-G", "--json", "--out", str(tmp_path / "drawn"))
    assert result.exit_code == 0
    facts = json.loads(result.output)
    assert facts["accepted"]
    assert {row["solver"] for row in facts["rows"]} == {"Prioritized", "LeastSquares"}
    assert {row["conflict"].split(":")[0] for row in facts["rows"]} == {"human40", "chain12"}
    assert facts["picture"] == str(tmp_path / "drawn" / "5-G.png")
    assert (tmp_path / "drawn" / "5-G.png").stat().st_size > 1000


@pytest.mark.parametrize("failures", [(), ("a hand was lost",)])
def test_the_exit_code_says_whether_it_holds(monkeypatch, failures):
    one = Experiment("0-A", "a title", "it holds", lambda progress: Outcome(("a", "b"), (("1", "2"),), failures))
    monkeypatch.setitem(registry.EXPERIMENTS, "0-A", one)
    result = run("0-A")
    assert result.exit_code == bool(failures)
    assert ("a hand was lost" in result.output) == bool(failures)


def test_all_runs_everything_and_says_which_are_not_accepted(monkeypatch):
    held = Experiment("0-A", "a title", "it holds", lambda progress: Outcome(("a",), (("1",),), notes=("a caveat",)))
    lost = Experiment("0-B", "a title", "it holds", lambda progress: Outcome(("a",), (("1",),), ("lost",)))
    monkeypatch.setattr(registry, "EXPERIMENTS", {"0-A": held, "0-B": lost})
    result = run("all")
    assert result.exit_code == 1
    assert "note: a caveat" in result.output
    assert "1 of 2 accepted: not 0-B" in result.output


def test_an_unknown_experiment_is_one_sentence():
    result = run("5-H")
    assert isinstance(result.exception, UnknownName)
    assert "did you mean '5-G'" in str(result.exception)
