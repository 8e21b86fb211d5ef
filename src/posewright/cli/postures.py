"""`posewright postures`: collect the distinct postures of clips in a database, and show a database."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from posewright.cli import options
from posewright.cli.printing import StatusLine, print_json, print_table
from posewright.errors import FileProblem, InvalidSetting, PosewrightError

if TYPE_CHECKING:
    from posewright.formats import ReadOptions
    from posewright.models.postures.builder import PostureBuilder

_PAUSE = 30.0
"""s between intermediate saves, in case the machine stops; more if saving takes long."""


@click.group(cls=options.Group)
def postures() -> None:
    """Build posture databases from clips, for `posewright design`."""


@postures.command(cls=options.CommandWithExamples)
@click.argument("clips", nargs=-1, required=True, type=options.PATH)
@click.option(
    "-o",
    "--out",
    metavar="DB",
    type=options.PATH,
    required=True,
    help="Database to write or add to, such as all.postures.npz.",
)
@click.option(
    "--threshold", type=float, help="Postures closer than this mean joint angle, rad, count as the same (default 0.15)."
)
@options.read_flags()
def build(clips: tuple[Path, ...], out: Path, threshold: float | None, read: ReadOptions) -> None:
    """Collect the distinct postures of clips.

    CLIPS are motion files, or folders, which are searched recursively. Clips already read are skipped.

    When interrupted, the database holds the clips read so far; the same command continues from there. A clip that
    cannot be read, or whose figure does not have the joints of the first, is reported and skipped (exit code 1).

    For example:
        posewright postures build library/ -o all.postures.npz
        posewright postures build cmu/ -o cmu.postures.npz --drop-first --threshold 0.1
    """
    options.require_output(out, (".npz",), "a posture database")
    files = options.motion_files(clips, out, deep=True)
    builder = _begun(out, threshold)
    before, n_before = len(builder.sources), builder.n
    began = time.monotonic()
    skipped = _read(builder, files, read, out)
    if not builder.sources:
        raise InvalidSetting(f"none of the {len(files)} clips could be used; no database was written")
    builder.database().save(out)
    n_frames = sum(source.frames for source in builder.sources[before:])
    click.echo(
        f"{builder.n} postures; {builder.n - n_before} new, of {n_frames} frames in "
        f"{len(builder.sources) - before} new clips, {time.monotonic() - began:.1f} s"
    )
    click.echo(f"wrote {out}")
    if skipped:
        raise click.exceptions.Exit(1)


def _begun(out: Path, threshold: float | None) -> PostureBuilder:
    """The database so far, or an empty one."""
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


def _read(builder: PostureBuilder, files: list[Path], read: ReadOptions, out: Path) -> int:
    """Add the clips in files; return how many were skipped."""
    from posewright.formats import load_motion
    from posewright.formats.assumptions import doubts

    skipped, saved, pause = 0, time.monotonic(), _PAUSE
    with StatusLine() as progress:
        try:
            for k, path in enumerate(files):
                progress(f"{k} of {len(files)} clips, {builder.n} postures")
                try:
                    motion = load_motion(path, read)
                    for note in doubts(motion):
                        progress.remark(f"{path}: {note}")
                    builder.add(motion if motion.name else replace(motion, name=path.stem))
                except PosewrightError as error:
                    skipped += 1
                    progress.remark(f"skipped {error if isinstance(error, FileProblem) else f'{path}: {error}'}")
                if time.monotonic() - saved > pause:
                    began = time.monotonic()
                    builder.database().save(out)
                    saved = time.monotonic()
                    pause = max(_PAUSE, 20.0 * (saved - began))
        except KeyboardInterrupt:
            if builder.sources:
                builder.database().save(out)
            raise
    return skipped


@postures.command(cls=options.CommandWithExamples)
@click.argument("file", metavar="DB", type=options.PATH)
@click.option("--verify", is_flag=True, help="Also read the whole file and verify its checksums.")
@options.as_json
def info(file: Path, verify: bool, as_json: bool) -> None:
    """Show a database: its figure, postures and clips."""
    import numpy as np

    from posewright.models.postures.database import Postures

    database = Postures.open(file)
    if verify:
        database.verify()
    kept = np.bincount(database.clip, minlength=len(database.sources)).tolist()
    clips = [
        {"name": source.name, "frames": source.frames, "postures": count}
        for source, count in zip(database.sources, kept, strict=True)
    ]
    if as_json:
        facts = {
            "file": str(file),
            "figure": database.figure.name,
            "dofs": database.figure.n_dofs,
            "postures": len(database),
            "threshold": database.threshold,
            "frames_read": database.n_read,
            "verified": verify,
            "clips": clips,
        }
        print_json(facts)
        return
    click.echo(
        f"{len(database)} postures of figure {database.figure.name} ({database.figure.n_dofs} dofs), more than "
        f"{database.threshold:g} rad apart on average, out of {database.n_read} frames in {len(database.sources)} clips"
    )
    if verify:
        click.echo("all checksums match")
    print_table([[str(value) for value in clip.values()] for clip in clips], ("clip", "frames", "postures"))
