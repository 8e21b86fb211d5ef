import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import posewright as pw
from posewright import experiments
from posewright.cli.experiment import experiment
from posewright.errors import UnknownName
from posewright.experiments import priority_strictness
from posewright.experiments.experiment import experiment as experiment_of
from posewright.figures.kinematics import site_frames

PAPERS = Path(__file__).parents[3] / "docs" / "papers"


def run(*arguments: str):
    return CliRunner().invoke(experiment, arguments)


def made_up(name: str, failures=(), note: str = ""):
    @experiment_of(name, "a title", accepts="it holds")
    def one(found):
        found.columns = ("a", "b")
        found.row("1", str(found.seed))
        found.beside("next to it", f"drawn {found.random('it').integers(10**9)}")
        found.note(*([note] if note else []))
        found.require(True, "")
        for failure in failures:
            found.require(False, failure)

    return one


@pytest.mark.parametrize("left_out", ["require", "beside"])
def test_an_experiment_that_judges_nothing_or_shows_no_neighbours_is_not_accepted(left_out):
    @experiment_of("9-Z", "a title", accepts="it holds")
    def one(found):
        if left_out != "require":
            found.require(True, "")
        if left_out != "beside":
            found.beside("next to it", "the same")

    assert one.run().failures == ["nothing is judged, or nothing shown beside what is judged"]


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


def test_priority_strictness_is_a_table_and_an_acceptance():
    result = run("5-G", "--no-pictures")
    assert result.exit_code == 0
    title, head, *rows, verdict = result.output.splitlines()
    beside = rows.index(next(row for row in rows if row.startswith("beside it")))
    rows, neighbours = rows[:beside], rows[beside + 1 :]
    assert title == "5-G Priority strictness: contradictory levels 1 and 2"
    assert head.split()[:2] == ["conflict", "solver"]
    assert len(rows) == 8
    assert all("20/20" in row and ("Prioritized" in row or "LeastSquares" in row) for row in rows)
    assert all("priorities are weights" in row for row in neighbours)
    assert len(neighbours) == 2
    assert verdict.startswith("accepted: level 1 within tolerance in every solve")


@pytest.mark.parametrize(
    "solver", [pw.Prioritized(max_iterations=1), pw.ActiveSetBfgs()], ids=["one iteration", "priorities as weights"]
)
def test_priorities_that_are_not_strict_are_not_accepted(monkeypatch, solver):
    monkeypatch.setattr(priority_strictness, "SOLVERS", (solver, pw.LeastSquares()))
    monkeypatch.setattr(priority_strictness, "_SEEDS", 2)
    result = run("5-G", "--no-pictures")
    assert result.exit_code == 1
    assert f"{type(solver).__name__}: level 1 missed in " in result.output
    assert "LeastSquares: level" not in result.output
    assert result.output.splitlines()[-1].startswith("not accepted: ")


def test_a_conflict_that_nobody_loses_is_not_accepted(monkeypatch):
    def twice_the_same(figure, site, rng):
        place = site_frames(figure, figure.rest + 0.1, [site]).points[0]
        goals = pw.Position(site, place, name="first"), pw.Position(site, place, name="second")
        return priority_strictness.Conflict(figure, "no conflict", goals)

    monkeypatch.setattr(priority_strictness, "_two_places", twice_the_same)
    monkeypatch.setattr(priority_strictness, "_SEEDS", 1)
    result = run("5-G", "--no-pictures")
    assert result.exit_code == 1
    assert "level 2 met too in 2 of 2 solves" in result.output


@pytest.mark.parametrize("failures", [(), ("a hand was lost",)])
def test_the_exit_code_says_whether_it_holds(monkeypatch, failures):
    monkeypatch.setitem(experiments.EXPERIMENTS, "0-A", made_up("0-A", failures=failures))
    result = run("0-A")
    assert result.exit_code == bool(failures)
    assert ("a hand was lost" in result.output) == bool(failures)


def test_the_seed_decides_what_is_drawn(monkeypatch):
    monkeypatch.setitem(experiments.EXPERIMENTS, "0-A", made_up("0-A"))
    first, again, other = (json.loads(run("0-A", "--json", "--seed", seed).output) for seed in ("3", "3", "4"))
    assert first == again
    assert (first["seed"], other["seed"]) == (3, 4)
    assert first["rows"] == [{"a": "1", "b": "3"}]
    assert first["neighbours"]["next to it"] != other["neighbours"]["next to it"]
    assert "beside it" in run("0-A").output
    refused = run("0-A", "--seed", "-1")
    assert refused.exit_code == 2
    assert "-1 is not in the range" in refused.output


def test_all_runs_everything_and_says_which_are_not_accepted(monkeypatch):
    held, lost = made_up("0-A", note="a caveat"), made_up("0-B", failures=("lost",))
    monkeypatch.setattr(experiments, "EXPERIMENTS", {"0-A": held, "0-B": lost})
    result = run("all")
    assert result.exit_code == 1
    assert "note: a caveat" in result.output
    assert "1 of 2 accepted: not 0-B" in result.output


def test_what_is_found_replaces_its_block_in_pages(monkeypatch, tmp_path):
    monkeypatch.setitem(experiments.EXPERIMENTS, "0-A", made_up("0-A", note="a | caveat"))
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    page.write_text("# Before\n\n<!-- experiment 0-A -->\nstale\n<!-- end of 0-A -->\n\nAfter\n")
    other.write_text("nothing of it\n")
    assert run("0-A", "--seed", "5", "--into", str(tmp_path), "--no-pictures").exit_code == 0
    once = page.read_text()
    assert once.startswith("# Before\n\n<!-- experiment 0-A -->\n\nAccepted (seed 5): it holds.\n\n| a | b |\n")
    assert once.endswith("- A | caveat.\n\n<!-- end of 0-A -->\n\nAfter\n")
    assert "stale" not in once
    assert "| beside it, not judged | found |" in once
    run("0-A", "--seed", "5", "--into", str(tmp_path), "--no-pictures")
    assert page.read_text() == once
    assert other.read_text() == "nothing of it\n"
    page.write_text("<!-- experiment 0-A -->\n")
    result = run("0-A", "--into", str(tmp_path), "--no-pictures")
    assert "the block of experiment 0-A does not end" in str(result.exception)


def test_every_experiment_has_its_place_on_a_page_and_is_accepted_there_as_it_is_worded_now():
    """What the pages say was printed by the experiments; that it is so still, other tests and `experiment all` show."""
    text = "".join(page.read_text() for page in sorted(PAPERS.glob("*.md")))
    for name, one in experiments.EXPERIMENTS.items():
        begin, end = f"<!-- experiment {name} -->\n", f"<!-- end of {name} -->"
        assert text.count(begin) == text.count(end) == 1, name
        block = text.partition(begin)[2].partition(end)[0]
        accepts = re.escape(one.accepts[1:].rstrip("."))
        assert re.match(rf"\nAccepted \(seed \d+\): .{accepts}\.\n", block), name
        assert "| beside it, not judged | found |" in block, name


def test_an_unknown_experiment_is_one_sentence():
    result = run("5-H")
    assert isinstance(result.exception, UnknownName)
    assert "did you mean '5-G'" in str(result.exception)
