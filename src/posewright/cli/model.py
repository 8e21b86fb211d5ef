"""`posewright model`: learn motion models from clips, and show them."""

from __future__ import annotations

import math
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from posewright.cli import options
from posewright.cli.printing import StatusLine, print_notes, print_table, with_doubts
from posewright.errors import counted

if TYPE_CHECKING:
    from posewright.formats import ReadOptions
    from posewright.models import MotionModel


@click.group(cls=options.Group)
def model() -> None:
    """Learn motion models from clips of one activity."""


@model.command(cls=options.CommandWithExamples)
@click.argument("clips", nargs=-1, required=True, type=options.PATH)
@click.option("-o", "--out", type=options.PATH, required=True, help="Output file, such as golf.model.npz.")
@click.option(
    "--explained-variance",
    type=float,
    default=0.98,
    show_default=True,
    help="Fraction of the variance that the modes must explain.",
)
@click.option("--frames", type=int, help="Number of frames in the model (default: the median of the clips).")
@options.events("Align the clips: where they are alike, at take-off and landing (flight), or by their length (none).")
@options.read_flags()
def fit(
    clips: tuple[Path, ...],
    out: Path,
    explained_variance: float,
    frames: int | None,
    events: Literal["flight", "alike"] | None,
    read: ReadOptions,
) -> None:
    """Learn a model from clips.

    CLIPS are motion files, or folders of them, with one figure performing the same activity in different ways.

    For example:
        posewright model fit swings/ -o golf.model.npz
        posewright model fit jump1.bvh jump2.bvh jump3.bvh -o jump.model.npz --events flight
    """
    from posewright.formats import load_motion
    from posewright.models import MotionModel

    options.require_output(out, (".npz",), "a motion model")
    files = options.motion_files(clips, out)
    options.keep_apart([out], clips)
    motions = []
    with StatusLine() as progress:
        for path in files:
            progress(f"reading {path.name}")
            motions.append(with_doubts(path, load_motion(path, read)))
        progress("fitting")
        fitted = MotionModel.fit(motions, explained_variance=explained_variance, frames=frames, events=events)
    fitted.save(out)
    _print(fitted)
    click.echo(f"wrote {out}")


@model.command(cls=options.CommandWithExamples)
@click.argument("file", metavar="MODEL", type=options.PATH)
def info(file: Path) -> None:
    """Show a model: its clips, its modes and what they explain."""
    from posewright.models import MotionModel

    _print(MotionModel.load(file))


def _print(model: MotionModel) -> None:
    varies = f"{counted(model.n_modes, 'mode')} for {100.0 * model.explained_variance:.4g} % of the variance"
    click.echo(
        f"{counted(len(model.clips), 'clip')} of figure {model.figure.name}, {counted(model.n_frames, 'frame')} at "
        f"{model.fps:.4g} fps, {varies if model.n_modes else 'nothing varies'}"
    )
    ratios = [100.0 * ratio for ratio in model.variance_ratios[: model.n_modes].tolist()]
    if ratios:
        rows = [
            (str(k), f"{ratio:.1f} %", f"{total:.1f} %")
            for k, (ratio, total) in enumerate(zip(ratios, accumulate(ratios), strict=True), 1)
        ]
        print_table(rows, ("mode", "variance", "cumulative"), left=())
    if len(model.events):
        click.echo(f"events at frames {', '.join(f'{event:.1f}' for event in model.events)} of the model")
    degrees = [math.degrees(error) for error in model.clip_errors.tolist()]
    rebuilt = [f"{error if error > 1e-9 else 0.0:.3g}°" for error in degrees]
    print_table(zip(model.clips, rebuilt, strict=True), ("clip", "largest joint error when rebuilt"))
    print_notes(model.warnings)
