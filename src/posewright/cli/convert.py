"""`posewright convert`: one file format into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from posewright.cli import reading
from posewright.cli.writing import keep_apart
from posewright.errors import InvalidSetting


@reading.read_flags()
def convert(
    file: reading.File,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Output file; the suffix gives its format.")],
    frames: reading.Frames = None,
    figure_only: Annotated[bool, typer.Option("--figure-only", help="Write the figure without its frames.")] = False,
    resample: Annotated[float | None, typer.Option("--resample", help="Frame rate of the result, per second.")] = None,
    *,
    read: reading.ReadOptions,
) -> None:
    """Convert a figure or motion file into another format.

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
    keep_apart([out], [file, read.skeleton])
    if resample is not None and not 0.0 < resample < 1e6:
        raise InvalidSetting(f"--resample is {resample:g}; it must be a positive number of frames per second")
    loaded = load(file, read)
    if isinstance(loaded, Motion) and figure_only:
        loaded = loaded.figure
    if isinstance(loaded, Motion):
        if frames is not None:
            loaded = loaded[reading.frame_range(frames)]
            if not len(loaded):
                raise InvalidSetting(f"--frames {frames} leaves no frame of {file}")
        if resample is not None:
            loaded = loaded.resampled(fps=resample)
    elif frames is not None or resample is not None:
        found = "is to lose its frames" if figure_only else "holds a figure without frames"
        raise InvalidSetting(f"{file} {found}; --frames and --resample need a motion")
    loaded.save(out)
    kind = f"{len(loaded)} frame{'s' * (len(loaded) != 1)}" if isinstance(loaded, Motion) else "a figure"
    typer.echo(f"{out}: {kind}")
