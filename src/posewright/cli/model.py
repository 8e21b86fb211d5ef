"""`posewright model`: learn a motion model from clips, and tell what is in one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from posewright.cli import reading
from posewright.cli.writing import keep_apart
from posewright.errors import FileProblem

if TYPE_CHECKING:
    from posewright.models import MotionModel
    from posewright.motions import Motion

app = typer.Typer(help="Learn motion models from clips of one activity.", no_args_is_help=True)


@app.command("fit")
@reading.read_flags("unit", "up", "fps", "drop-first")
def fit(
    clips: Annotated[list[Path], typer.Argument(metavar="CLIPS...", help="Motion files, or folders of them.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="What to write, such as golf.model.npz.")],
    share: Annotated[float, typer.Option("--share", help="Of the variance that the modes must explain.")] = 0.98,
    frames: Annotated[
        int | None, typer.Option("--frames", help="Of the model; by default the median of the clips.")
    ] = None,
    events: Annotated[
        Literal["none", "flight"],
        typer.Option("--events", help="Moments that shall coincide: flight finds take-off and landing."),
    ] = "none",
    *,
    read: reading.ReadOptions,
) -> None:
    """Learn a model from clips of one figure doing one thing in their own ways.

    For example:

        posewright model fit swings/ -o golf.model.npz

        posewright model fit jump1.bvh jump2.bvh jump3.bvh -o jump.model.npz --events flight --drop-first
    """
    from rich.console import Console
    from rich.progress import track

    from posewright.formats import load_motion
    from posewright.formats.atomic import require_place
    from posewright.models import MotionModel
    from posewright.models.model_file import save_model

    if out.suffix.lower() != ".npz":
        raise FileProblem(out, f"a motion model is written as .npz, not as {out.suffix!r}")
    require_place(out)
    found = [path for path in reading.motion_files(clips) if path.resolve() != out.resolve()]  # as of the last time
    keep_apart([out], clips)
    console = Console(stderr=True)
    files = track(
        found,
        description="reading clips",
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    motions: list[Motion] = [load_motion(path, read) for path in files]
    with console.status("fitting"):
        model = MotionModel.fit(motions, share=share, frames=frames, events="flight" if events == "flight" else None)
    save_model(model, out)
    _print(model)
    typer.echo(f"wrote {out}")


@app.command("info")
def info(file: Annotated[Path, typer.Argument(metavar="MODEL", help="A motion model (.npz).")]) -> None:
    """Tell what a model was learned from, how many modes it has and what they explain."""
    from posewright.models.model_file import load_model

    _print(load_model(file))


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def _print(model: MotionModel) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"{_counted(len(model.clips), 'clip')} of figure {escape(model.figure.name)}, "
        f"{_counted(model.n_frames, 'frame')} at {model.fps:.4g}/s: "
        + (f"{_counted(model.n_modes, 'mode')} for {100.0 * model.share:.4g} % of the variance" if model.n_modes
           else "nothing varies")
    )  # fmt: skip
    if model.n_modes:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("mode", justify="right")
        table.add_column("share", justify="right")
        table.add_column("together", justify="right")
        total = 0.0
        for k, part in enumerate(model.shares[: model.n_modes].tolist()):
            total += part
            table.add_row(str(k + 1), f"{100.0 * part:.1f} %", f"{100.0 * total:.1f} %")
        console.print(table)
    if len(model.events):
        console.print(f"events at frames {', '.join(f'{event:.1f}' for event in model.events)} of the model")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("clip")
    table.add_column("largest joint error when rebuilt", justify="right")
    for name, error in zip(model.clips, model.clip_errors.tolist(), strict=True):
        degrees = math.degrees(error)
        table.add_row(escape(name), f"{degrees if degrees > 1e-9 else 0.0:.3g}°")
    console.print(table)
    for sentence in model.warnings:
        console.print(f"[yellow]note[/yellow] {escape(sentence)}")
