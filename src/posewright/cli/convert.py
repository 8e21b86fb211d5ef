"""`posewright convert`: convert a file to another format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from posewright.cli import options
from posewright.cli.printing import with_doubts
from posewright.errors import InvalidSetting, counted

if TYPE_CHECKING:
    from posewright.formats import ReadOptions


@click.command(cls=options.CommandWithExamples)
@click.argument("file", type=options.PATH)
@click.argument("out", type=options.PATH)
@options.frames
@click.option("--figure-only", is_flag=True, help="Write the figure without its frames.")
@options.resample
@options.layout
@options.read_flags()
def convert(
    file: Path,
    out: Path,
    frames: str | None,
    figure_only: bool,
    resample: float | None,
    layout: str | None,
    read: ReadOptions,
) -> None:
    """Convert a figure or motion file to another format.

    The suffixes of FILE and OUT select the formats. If OUT's format does not have the --layout, it is that of FILE.

    For example:
        posewright convert walk.bvh walk.glb
        posewright convert 02_01.amc walk.bvh --resample 30
        posewright convert walk.bvh cut.npz --frames 10:200 --drop-first
        posewright convert g1_walk.npz g1_walk.csv
        posewright convert walk.bvh figure.yaml --figure-only
        posewright convert g1_walk.npz walk.pkl --layout gmr
        posewright convert walk.csv walk.npz --from-layout unitree --skeleton g1.urdf --layout mjlab --resample 50
    """
    from posewright.formats import load, save
    from posewright.formats.registry import require_writable
    from posewright.motions import Motion
    from posewright.motions.frame_ranges import frames_of

    if layout is not None and read.layout is None:
        from posewright.formats.layouts import suffix_of

        if out.suffix.lower() != suffix_of(layout):
            read, layout = replace(read, layout=layout), None
    require_writable(out, layout)
    options.keep_apart([out], [file, read.skeleton])
    loaded = with_doubts(file, load(file, read))
    if isinstance(loaded, Motion) and figure_only:
        loaded = loaded.figure
    if isinstance(loaded, Motion):
        if frames is not None:
            loaded = frames_of(loaded, frames, file)
        if resample is not None:
            loaded = loaded.resampled(fps=resample)
    elif frames is not None or resample is not None:
        found = "--figure-only leaves out all frames" if figure_only else f"{file} contains a figure without frames"
        raise InvalidSetting(f"{found}; --frames and --resample need a motion")
    save(loaded, out, layout=layout, fps=resample if layout is not None else None)
    click.echo(f"{out}: {counted(len(loaded), 'frame') if isinstance(loaded, Motion) else 'a figure'}")
