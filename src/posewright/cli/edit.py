"""`posewright edit`: change a motion by an edit file, inside a learned pattern or in joint space."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from posewright.cli import reading
from posewright.cli.writing import keep_apart
from posewright.errors import FileProblem, suggestion

if TYPE_CHECKING:
    from posewright.goals.timed import Timed
    from posewright.motions import Motion
    from posewright.workflows.editing.result import EditResult


@reading.read_flags("unit", "up", "fps", "drop-first")
def edit(
    clip: Annotated[Path, typer.Argument(metavar="CLIP", help="The motion to edit.")],
    edit_file: Annotated[Path, typer.Argument(metavar="EDIT.yaml", help="What is wanted; see docs/editing.md.")],
    out: Annotated[
        list[Path],
        typer.Option(
            "-o", "--out", help="What to write: a motion, .png for strips before and after, .latent.npz; repeatable."
        ),
    ],
    model: Annotated[Path | None, typer.Option("--model", help="The motion model whose pattern to stay in.")] = None,
    events: Annotated[
        Literal["none", "flight"],
        typer.Option("--events", help="How the model's events are found in the clip: flight, or by its length."),
    ] = "none",
    *,
    read: reading.ReadOptions,
) -> None:
    """Edit a motion by goals at key frames and along trajectories. Exit code 1: some goals were missed.

    For example:

        posewright edit swing.bvh slope.yaml --model golf.model.npz -o slope.bvh -o slope.png

        posewright edit walk.bvh wave.yaml -o waving.glb
    """
    from rich.console import Console

    from posewright.formats import load_motion
    from posewright.models import MotionModel
    from posewright.tasks.edit_file import load_edit
    from posewright.workflows.editing.edit import edit as edit_motion

    for path in out:
        _check(path, with_model=model is not None)
    keep_apart(out, [clip, edit_file, model])
    motion = load_motion(clip, read)
    pattern = None if model is None else MotionModel.load(model)
    task = load_edit(edit_file, motion)
    keep_apart(out, task.files)
    with Console(stderr=True).status("editing"):
        result = edit_motion(
            motion,
            task.goals,
            model=pattern,
            hold_contacts=task.hold_contacts,
            hold_together=task.hold_together,
            keep_detail=task.keep_detail,
            limits=task.limits,
            farthest=task.farthest,
            events="flight" if events == "flight" else None,
        )
    for path in out:
        _write(path, motion, task.goals, result)
    _print(result)
    for path in out:
        typer.echo(f"wrote {path}")
    if not result.reached:
        raise typer.Exit(1)


_LATENT = ".latent.npz"


def _check(path: Path, *, with_model: bool) -> None:
    from posewright.formats import FORMATS
    from posewright.formats.atomic import require_place

    name = path.name.lower()
    if name.endswith(_LATENT) and not with_model:
        raise FileProblem(path, "latent coordinates are those of a model; give one with --model")
    known = [*(form.suffix for form in FORMATS if form.writes), ".png"]
    if path.suffix.lower() not in known:
        raise FileProblem(path, f"cannot write a motion with suffix {path.suffix!r}{suggestion(path.suffix, known)}")
    require_place(path)


def _write(path: Path, before: Motion, keys: Sequence[Timed], result: EditResult) -> None:
    if path.suffix.lower() == ".png":
        from posewright.report.edit_strip import edit_strips
        from posewright.report.image_files import write_png

        write_png(edit_strips({"before": before, "after": result.motion}, keys=keys), path)
    else:
        result.save(path, latent=path.name.lower().endswith(_LATENT))


def _print(result: EditResult) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from posewright.problem.evaluation import readable

    console = Console(highlight=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("key", "error", "tolerance", ""):
        table.add_column(column, justify="right" if column in ("error", "tolerance") else "left")
    for error in result.errors:
        verdict = "[green]reached[/green]" if error.reached else "[red]missed[/red]"
        table.add_row(
            escape(error.label), readable(error.value, error.unit), readable(error.tolerance, error.unit), verdict
        )
    console.print(table)
    solves = f"{result.solves} solve{'s' * (result.solves != 1)}"
    console.print(
        f"{solves}, {result.iterations} iteration{'s' * (result.iterations != 1)}, {result.seconds * 1e3:.3g} ms"
    )
    for sentence in result.warnings:
        console.print(f"[yellow]note[/yellow] {escape(sentence)}")
