"""`posewright postures`: gather the unlike postures of a library of clips, and tell what is in such a database."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from posewright.cli import reading
from posewright.errors import FileProblem, InvalidSetting, PosewrightError

if TYPE_CHECKING:
    from rich.console import Console

    from posewright.formats import ReadOptions
    from posewright.models.postures.builder import PostureBuilder

app = typer.Typer(help="Posture databases: gathered from clips, used by design.", no_args_is_help=True)

_PAUSE = 30.0
"""s between two writes of what has been read, in case the machine stops; more where a write takes long."""


@app.command("build")
@reading.read_flags("unit", "up", "fps", "positions", "drop-first", "skeleton")
def build(
    clips: Annotated[
        list[Path], typer.Argument(metavar="CLIPS...", help="Motion files, or folders of them, all the way down.")
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DB", help="What to write or add to, such as all.postures.npz.")
    ],
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", help="Mean angle in rad below which two postures are the same; 0.15 unless told."),
    ] = None,
    *,
    read: reading.ReadOptions,
) -> None:
    """Gather the postures of clips, no two of them alike; clips that are in already are passed over.

    Interrupted, it leaves a database of the clips read so far; the same command goes on from there. A clip that cannot
    be read, or whose figure has not the joints of the first, is told and passed over; then the exit code is 1.

    For example:

        posewright postures build library/ -o all.postures.npz

        posewright postures build cmu/ -o cmu.postures.npz --drop-first --threshold 0.1
    """
    from rich.console import Console

    from posewright.formats.atomic import require_place

    if out.suffix.lower() != ".npz":
        raise FileProblem(out, f"a posture database is written as .npz, not as {out.suffix!r}")
    require_place(out)
    files = [path for path in reading.motion_files(clips, deep=True) if path.resolve() != out.resolve()]
    builder = _begun(out, threshold)
    before, n_before = len(builder.sources), builder.n
    began = time.monotonic()
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    refused = _read(builder, files, read, out, console)
    if not builder.sources:
        raise InvalidSetting(f"none of the {len(files)} clips could be used; no database was written")
    builder.database().save(out)
    n_frames = sum(source.frames for source in builder.sources[before:])
    typer.echo(
        f"{builder.n} postures; {builder.n - n_before} new, of {n_frames} frames in "
        f"{len(builder.sources) - before} new clips, {time.monotonic() - began:.1f} s"
    )
    typer.echo(f"wrote {out}")
    if refused:
        raise typer.Exit(1)


def _begun(out: Path, threshold: float | None) -> PostureBuilder:
    """The database that there is, or an empty one."""
    from posewright.models.postures.builder import PostureBuilder
    from posewright.models.postures.database import THRESHOLD, Postures

    if not out.exists():
        return PostureBuilder(threshold=THRESHOLD if threshold is None else threshold)
    database = Postures.open(out)
    if threshold is not None and threshold != database.threshold:
        raise InvalidSetting(
            f"{out} was built with --threshold {database.threshold:g}; leave the option out to add to it, "
            f"or name another file for {threshold:g}"
        )
    return PostureBuilder.of(database)


def _read(builder: PostureBuilder, files: list[Path], options: ReadOptions, out: Path, console: Console) -> list[str]:
    """Add the clips of files; sentences about those that could not be."""
    from rich.markup import escape
    from rich.progress import Progress

    from posewright.formats import load_motion

    refused: list[str] = []
    saved, pause = time.monotonic(), _PAUSE
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("reading clips", total=len(files))
        try:
            for path in files:
                try:
                    motion = load_motion(path, options)
                    builder.add(motion if motion.name else replace(motion, name=path.stem))
                except PosewrightError as error:
                    sentence = str(error) if isinstance(error, FileProblem) else f"{path}: {error}"
                    refused.append(sentence)
                    console.print(f"[yellow]passed over[/yellow] {escape(sentence)}")
                progress.update(bar, advance=1, description=f"{builder.n} postures")
                if time.monotonic() - saved > pause:
                    began = time.monotonic()
                    builder.database().save(out)
                    saved = time.monotonic()
                    pause = max(_PAUSE, 20.0 * (saved - began))
        except KeyboardInterrupt:
            if builder.sources:
                builder.database().save(out)
            raise
    return refused


@app.command("info")
def info(
    file: Annotated[Path, typer.Argument(metavar="DB", help="A posture database (.npz).")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Read all of it, too, and compare it with the checksums in the file.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Tell how many postures a database holds, of which figure, and from which clips."""
    import numpy as np

    from posewright.models.postures.database import Postures

    database = Postures.open(file)
    if verify:
        database.verify()
    kept = np.bincount(database.clip, minlength=len(database.sources)).tolist()
    if as_json:
        import json

        told = {
            "file": str(file),
            "figure": database.figure.name,
            "dofs": database.figure.n_dofs,
            "postures": len(database),
            "threshold": database.threshold,
            "frames_read": database.n_read,
            "verified": verify,
            "clips": [
                {"name": source.name, "frames": source.frames, "postures": count}
                for source, count in zip(database.sources, kept, strict=True)
            ],
        }
        typer.echo(json.dumps(told, indent=2))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"{len(database)} postures of figure {escape(database.figure.name)} ({database.figure.n_dofs} dofs), more than "
        f"{database.threshold:g} rad apart on average, out of {database.n_read} frames in {len(database.sources)} clips"
    )
    if verify:
        console.print("its numbers are those that were written")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("clip")
    table.add_column("frames", justify="right")
    table.add_column("postures", justify="right")
    for source, count in zip(database.sources, kept, strict=True):
        table.add_row(escape(source.name), str(source.frames), str(count))
    console.print(table)
