"""`posewright experiment`: repeat an experiment of a published method and say whether it holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from posewright.cli.options import AsJson, make_folder
from posewright.cli.printing import Progress, print_json, print_table

if TYPE_CHECKING:
    from posewright.experiments.experiment import Experiment, Outcome


def experiment(
    ids: Annotated[
        list[str] | None, typer.Argument(help="Experiments to run, such as 5-G, or all (default: list them).")
    ] = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the pictures, one ID.png each.")] = Path(
        "posewright-experiments"
    ),
    pictures: Annotated[bool, typer.Option(help="Draw a picture or plot of each.")] = True,
    as_json: AsJson = False,
) -> None:
    """Repeat the papers' experiments. Each prints a table and draws a picture. Exit code 1: one is not accepted.

    For example:
        posewright experiment
        posewright experiment 5-G
        posewright experiment all --no-pictures
    """
    from posewright.experiments import EXPERIMENTS, experiment_by_id

    everything = ids is not None and "all" in ids
    chosen = list(EXPERIMENTS.values()) if everything else [experiment_by_id(name) for name in ids or ()]
    if not chosen:
        for known in EXPERIMENTS.values():
            typer.echo(f"{known.id}  {known.title}")
        return
    if pictures:
        make_folder(out)
    refused: list[str] = []
    for one in chosen:
        outcome = _run(one)
        picture = _draw(one, outcome, out) if pictures else None
        _print_json(one, outcome, picture) if as_json else _print_table(one, outcome, picture)
        if not outcome.accepted:
            refused.append(one.id)
    if len(chosen) > 1 and not as_json:
        typer.echo(
            f"{len(chosen) - len(refused)} of {len(chosen)} accepted" + ": not " * bool(refused) + ", ".join(refused)
        )
    if refused:
        raise typer.Exit(1)


def _run(one: Experiment) -> Outcome:
    from posewright.kernels.compiling.jit import compile_listener
    from posewright.solvers.interruption import plain_interrupts

    with Progress() as progress, compile_listener(progress.compiling), plain_interrupts():
        return one.run(lambda done: progress(f"{done:4.0%} {one.id} {one.title}"))


def _draw(one: Experiment, outcome: Outcome, folder: Path) -> Path | None:
    from posewright.errors import MissingExtra
    from posewright.report.image_files import write_png

    if outcome.draw is None:
        return None
    try:
        write_png(outcome.draw(), folder / f"{one.id}.png")
    except MissingExtra as missing:
        typer.echo(f"no picture: {missing}", err=True)
        return None
    return folder / f"{one.id}.png"


def _print_json(one: Experiment, outcome: Outcome, picture: Path | None) -> None:
    facts = {
        "id": one.id,
        "accepted": outcome.accepted,
        "failures": list(outcome.failures),
        "notes": list(outcome.notes),
        "rows": [dict(zip(outcome.columns, row, strict=True)) for row in outcome.rows],
        "picture": str(picture) if picture else None,
    }
    print_json(facts)


def _print_table(one: Experiment, outcome: Outcome, picture: Path | None) -> None:
    print_table(outcome.rows, outcome.columns, left=(0, 1), title=f"{one.id} {one.title}")
    for note in outcome.notes:
        typer.echo(f"note: {note}")
    for failure in outcome.failures:
        typer.echo(f"failed: {failure}")
    if picture:
        typer.echo(f"picture: {picture}")
    typer.echo(f"{'accepted' if outcome.accepted else 'not accepted'}: {one.accepts}")
