"""`posewright experiment`: repeat an experiment of a published method and judge its outcome."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from posewright.cli import options
from posewright.cli.printing import StatusLine, print_json, print_table

if TYPE_CHECKING:
    from posewright.experiments.experiment import Experiment, Outcome


@click.command(cls=options.CommandWithExamples)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option(
    "-o",
    "--out",
    type=options.PATH,
    default="posewright-experiments",
    help="Folder for the pictures, one ID.png each.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Random seed.", show_default=True)
@click.option("--pictures/--no-pictures", default=True, help="Draw a picture or plot of each experiment.")
@click.option(
    "--into",
    type=options.PATH,
    help="Folder of Markdown pages whose <!-- experiment ID --> blocks are replaced by the results.",
)
@options.as_json
def experiment(ids: tuple[str, ...], out: Path, seed: int, pictures: bool, into: Path | None, as_json: bool) -> None:
    """Repeat the papers' experiments.

    ID is an experiment, such as 5-G, or all. Without ID, the experiments are listed.

    Each experiment prints its results and verdict, and draws a picture. Exit code 1: an experiment is not accepted.

    For example:
        posewright experiment
        posewright experiment 5-G
        posewright experiment all --seed 7 --no-pictures
        posewright experiment all --out docs/pictures --into docs/papers
    """
    from posewright.experiments import EXPERIMENTS, experiment_by_id
    from posewright.experiments.pages import write_into

    chosen = list(EXPERIMENTS.values()) if "all" in ids else [experiment_by_id(name) for name in ids]
    if not chosen:
        for known in EXPERIMENTS.values():
            click.echo(f"{known.id}  {known.title}")
        return
    if pictures:
        options.make_folder(out)
    refused: list[str] = []
    for one in chosen:
        outcome = _run(one, seed)
        picture = _draw(one, outcome, out) if pictures else None
        if into is not None:
            write_into(into, one, outcome, picture)
        _print_json(one, outcome, picture) if as_json else _print_table(one, outcome, picture)
        if not outcome.accepted:
            refused.append(one.id)
    if len(chosen) > 1 and not as_json:
        click.echo(
            f"{len(chosen) - len(refused)} of {len(chosen)} accepted" + ": not " * bool(refused) + ", ".join(refused)
        )
    if refused:
        raise click.exceptions.Exit(1)


def _run(one: Experiment, seed: int) -> Outcome:
    from posewright.kernels.compiling.jit import compile_listener
    from posewright.solvers.interruption import plain_interrupts

    with StatusLine() as progress, compile_listener(progress.compiling), plain_interrupts():
        return one.run(lambda done: progress(f"{done:4.0%} {one.id} {one.title}"), seed=seed)


def _draw(one: Experiment, outcome: Outcome, folder: Path) -> Path | None:
    from posewright.errors import MissingExtra
    from posewright.report.image_files import write_png

    if outcome.draw is None:
        return None
    try:
        write_png(outcome.draw(), folder / f"{one.id}.png")
    except MissingExtra as missing:
        click.echo(f"no picture: {missing}", err=True)
        return None
    return folder / f"{one.id}.png"


def _print_json(one: Experiment, outcome: Outcome, picture: Path | None) -> None:
    facts = {
        "id": one.id,
        "seed": outcome.seed,
        "accepted": outcome.accepted,
        "failures": list(outcome.failures),
        "notes": list(outcome.notes),
        "rows": [dict(zip(outcome.columns, row, strict=True)) for row in outcome.rows],
        "neighbours": dict(outcome.neighbours),
        "picture": str(picture) if picture else None,
    }
    print_json(facts)


def _print_table(one: Experiment, outcome: Outcome, picture: Path | None) -> None:
    print_table(outcome.rows, outcome.columns, left=(0, 1), title=f"{one.id} {one.title}")
    if outcome.neighbours:
        print_table(outcome.neighbours, ("beside it", "found"), left=(0, 1))
    for note in outcome.notes:
        click.echo(f"note: {note}")
    for failure in outcome.failures:
        click.echo(f"failed: {failure}")
    if picture:
        click.echo(f"picture: {picture}")
    click.echo(f"{'accepted' if outcome.accepted else 'not accepted'}: {one.accepts}")
