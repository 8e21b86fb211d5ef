"""`posewright experiment`: repeat an experiment of a published method and say whether it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from posewright.experiments.experiment import Experiment, Outcome

_WIDTH = 200  # of tables written to a file or another program


def experiment(
    ids: Annotated[list[str] | None, typer.Argument(help="Experiments to run, such as 5-G; none lists them.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Run experiments: each prints its table, and the exit code is 1 if one is not accepted.

    Examples:
        posewright experiment

        posewright experiment 5-G
    """
    from posewright.experiments.registry import EXPERIMENTS, experiment_by_id

    chosen = [experiment_by_id(name) for name in ids or ()]
    if not chosen:
        for known in EXPERIMENTS.values():
            typer.echo(f"{known.id}  {known.title}")
        return
    accepted = True
    for one in chosen:
        outcome = one.run()
        _print_json(one, outcome) if as_json else _print_table(one, outcome)
        accepted = accepted and outcome.accepted
    if not accepted:
        raise typer.Exit(1)


def _print_json(one: Experiment, outcome: Outcome) -> None:
    import json

    rows = [dict(zip(outcome.columns, row, strict=True)) for row in outcome.rows]
    facts = {"id": one.id, "accepted": outcome.accepted, "failures": list(outcome.failures), "rows": rows}
    typer.echo(json.dumps(facts, indent=2))


def _print_table(one: Experiment, outcome: Outcome) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = _WIDTH
    console.print(f"[bold]{one.id}[/bold] {one.title}")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for index, column in enumerate(outcome.columns):
        table.add_column(column, justify="left" if index < 2 else "right", no_wrap=True)
    for row in outcome.rows:
        table.add_row(*row)
    console.print(table)
    for failure in outcome.failures:
        console.print(f"failed: {failure}")
    console.print(f"{'accepted' if outcome.accepted else 'not accepted'}: {one.accepts}")
