"""`posewright model`: learn a motion model from clips, and show what is in one."""

from __future__ import annotations

import math
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from posewright.cli import reading
from posewright.cli.printing import print_notes, print_table
from posewright.cli.writing import keep_apart
from posewright.errors import FileProblem

if TYPE_CHECKING:
    from posewright.models import MotionModel

app = typer.Typer(help="Learn motion models from clips of one activity.", no_args_is_help=True)


@app.command("fit")
@reading.read_flags("unit", "up", "fps", "drop-first")
def fit(
    clips: Annotated[list[Path], typer.Argument(metavar="CLIPS...", help="Motion files, or folders of them.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="File to write, such as golf.model.npz.")],
    explained_variance: Annotated[
        float, typer.Option("--explained-variance", help="Fraction of the variance that the modes must explain.")
    ] = 0.98,
    frames: Annotated[
        int | None, typer.Option("--frames", help="Length of the model (default: the median of the clips).")
    ] = None,
    events: Annotated[
        Literal["none", "flight"],
        typer.Option("--events", help="Moments to align; flight: take-off and landing, found by contacts."),
    ] = "none",
    *,
    read: reading.ReadOptions,
) -> None:
    """Learn a model from clips of one figure that does the same thing in different ways.

    For example:

        posewright model fit swings/ -o golf.model.npz

        posewright model fit jump1.bvh jump2.bvh jump3.bvh -o jump.model.npz --events flight --drop-first
    """
    from rich.console import Console
    from rich.progress import track

    from posewright.formats import load_motion
    from posewright.formats.atomic import require_place
    from posewright.models import MotionModel

    if out.suffix.lower() != ".npz":
        raise FileProblem(out, f"a motion model is written as .npz, not as {out.suffix!r}")
    require_place(out)
    found = [path for path in reading.motion_files(clips) if path.resolve() != out.resolve()]  # of an earlier run
    keep_apart([out], clips)
    console = Console(stderr=True)
    files = track(found, "reading clips", console=console, transient=True, disable=not console.is_terminal)
    motions = [load_motion(path, read) for path in files]
    with console.status("fitting"):
        model = MotionModel.fit(
            motions,
            explained_variance=explained_variance,
            frames=frames,
            events="flight" if events == "flight" else None,
        )
    model.save(out)
    _print(model)
    typer.echo(f"wrote {out}")


@app.command("info")
def info(file: Annotated[Path, typer.Argument(metavar="MODEL", help="A motion model (.npz).")]) -> None:
    """Show what a model was learned from, how many modes it has and what they explain."""
    from posewright.models import MotionModel

    _print(MotionModel.load(file))


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def _print(model: MotionModel) -> None:
    varies = f"{_counted(model.n_modes, 'mode')} for {100.0 * model.explained_variance:.4g} % of the variance"
    typer.echo(
        f"{_counted(len(model.clips), 'clip')} of figure {model.figure.name}, {_counted(model.n_frames, 'frame')} at "
        f"{model.fps:.4g} fps, {varies if model.n_modes else 'nothing varies'}"
    )
    ratios = [100.0 * ratio for ratio in model.variance_ratios[: model.n_modes].tolist()]
    if ratios:
        rows = [
            (str(k), f"{ratio:.1f} %", f"{total:.1f} %")
            for k, (ratio, total) in enumerate(zip(ratios, accumulate(ratios), strict=True), 1)
        ]
        print_table(rows, ("mode", "variance", "together"), left=())
    if len(model.events):
        typer.echo(f"events at frames {', '.join(f'{event:.1f}' for event in model.events)} of the model")
    degrees = [math.degrees(error) for error in model.clip_errors.tolist()]
    rebuilt = [f"{error if error > 1e-9 else 0.0:.3g}°" for error in degrees]
    print_table(zip(model.clips, rebuilt, strict=True), ("clip", "largest joint error when rebuilt"))
    print_notes(model.warnings)
