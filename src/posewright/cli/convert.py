"""`posewright convert`: one file format into another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from posewright.cli import options
from posewright.cli.printing import counted
from posewright.errors import InvalidSetting

if TYPE_CHECKING:
    from posewright.formats import ReadOptions


@click.command(cls=options.Command)
@click.argument("file", type=options.PATH)
@click.argument("out", type=options.PATH)
@options.frames
@click.option("--figure-only", is_flag=True, help="Write the figure without its frames.")
@click.option("--resample", type=float, help="Resample to this frame rate.")
@options.read_flags()
def convert(
    file: Path, out: Path, frames: str | None, figure_only: bool, resample: float | None, read: ReadOptions
) -> None:
    """Convert a figure or motion file into another format.

    The suffixes of FILE and OUT give the formats.

    For example:
        posewright convert walk.bvh walk.glb
        posewright convert 02_01.amc walk.bvh --resample 30
        posewright convert walk.bvh cut.npz --frames 10:200 --drop-first
        posewright convert g1_walk.npz g1_walk.csv
        posewright convert walk.bvh figure.yaml --figure-only
    """
    from posewright.formats import load
    from posewright.formats.registry import require_writable
    from posewright.motions import Motion

    require_writable(out)
    options.keep_apart([out], [file, read.skeleton])
    if resample is not None and not 0.0 < resample < 1e6:
        raise InvalidSetting(f"--resample is {resample:g}; it must be a positive number of frames per second")
    loaded = load(file, read)
    if isinstance(loaded, Motion) and figure_only:
        loaded = loaded.figure
    if isinstance(loaded, Motion):
        if frames is not None:
            loaded = options.frames_of(loaded, frames, file)
        if resample is not None:
            loaded = loaded.resampled(fps=resample)
    elif frames is not None or resample is not None:
        found = "--figure-only leaves out all frames" if figure_only else f"{file} holds a figure without frames"
        raise InvalidSetting(f"{found}; --frames and --resample need a motion")
    loaded.save(out)
    click.echo(f"{out}: {counted(len(loaded), 'frame') if isinstance(loaded, Motion) else 'a figure'}")
