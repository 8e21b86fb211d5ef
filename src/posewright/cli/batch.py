"""`posewright batch`: a workflow over a whole library of clips."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from posewright.cli import options
from posewright.cli.printing import Progress, print_json, print_table
from posewright.cli.retarget import retarget_options
from posewright.errors import InvalidSetting, MissingExtra

if TYPE_CHECKING:
    from posewright.batch import BatchResult, Job

_engine_options = options.together(
    click.option("--workers", type=int, help="Processes on this machine (default: as many as cores)."),
    click.option("--cluster", metavar="ADDRESS", help="Dask scheduler to run on, such as tcp://node1:8786."),
    click.option("--resume", is_flag=True, help="Go on with what the record has; without LIBRARY, with its settings."),
    click.option("--redo", is_flag=True, help="Make again what was made with other settings."),
    click.option("--attempts", type=int, default=3, help="How often a clip is tried whose worker dies (default 3)."),
)
_batch_options = options.together(
    click.argument("library", nargs=-1),
    click.option("-o", "--out", type=options.PATH, required=True, help="Folder for results, record and report."),
    _engine_options,
    click.option("--select", metavar="RULES", help="Keep clips whose measures fit, such as 'penetration < 0.02'."),
    click.option("--no-report", is_flag=True, help="Write no HTML page."),
    options.as_json,
)
_RUN = ("workers", "cluster", "select", "redo", "attempts")
_FORMAT = click.option("--format", metavar="SUFFIX", help="Format of results: npz (default), bvh, glb, gltf, csv.")


@click.group(cls=options.Group)
def batch() -> None:
    """Run a workflow over a whole library: all cores or a Dask cluster, recorded and resumed (docs/batch.md).

    LIBRARY is any number of folders, files, patterns, or .txt files that list motions. The same command again does what
    is missing or changed. Exit code 1: clips failed, broke a limit or were refused by --select.
    """


@batch.command(cls=options.Command)
@click.option("--to", metavar="FIGURE", help="Target figure: built-in name or file.")
@_batch_options
@_FORMAT
@click.option(
    "--measures",
    type=click.Choice(["motion", "all", "none"]),
    default="motion",
    help="Measures of results: of the motion (default), also self-contact and balance (all), or none.",
)
@retarget_options
@options.limit_flags()
def retarget(to: str | None, **given: Any) -> None:
    """Retarget every clip of a library to one figure; options are those of `posewright retarget`.

    For example:
        posewright batch retarget cmu/ --to g1.urdf -o out/ --layout mjlab --resample 50
        posewright batch retarget 'amass/**/*.npz' --to hero.glb -o out/ --format glb --select 'penetration < 0.02'
        posewright batch retarget --resume -o out/
    """
    from posewright.batch import Retarget

    if to is None and not _resumed(given):
        raise InvalidSetting("--to is missing: the figure that gets the motions, a built-in name or a file")
    _run(None if to is None else lambda settings: Retarget(to=to, **settings), given)


@batch.command(cls=options.Command)
@_batch_options
@_FORMAT
@options.frames
@options.layout
@options.resample
@options.read_flags()
def convert(**given: Any) -> None:
    """Convert every clip of a library; options are those of `posewright convert`.

    For example:
        posewright batch convert cmu/ -o npz/ --drop-first
        posewright batch convert g1/ -o mjlab/ --from-layout unitree --skeleton g1.urdf --layout mjlab --resample 50
    """
    from posewright.batch import Convert

    _run(None if _resumed(given) else lambda settings: Convert(**settings), given)


@batch.command(cls=options.Command)
@_batch_options
@click.option("--against", metavar="FOLDER", type=options.PATH, help="Sources of the clips, in the same tree.")
@click.option("--map", "match", metavar="MAP.yaml", type=options.PATH, help="Which joints of a source correspond.")
@options.frames
@click.option("--floor", type=float, help="Height of the floor, m (default: estimated).")
@options.read_flags()
@options.read_flags(into="read_source", prefix="source-")
@options.limit_flags()
def check(**given: Any) -> None:
    """Measure every clip of a library; options are those of `posewright check`.

    For example:
        posewright batch check cmu/ -o checked/ --select 'jumps < 1, foot skate < 0.1'
        posewright batch check made/ --against cmu/ -o checked/ --select 'likeness.worst < 15'
    """
    from posewright.batch import Check

    _run(None if _resumed(given) else lambda settings: Check(**settings), given)


@batch.command(cls=options.Command)
@click.option("--edit", "edit_file", metavar="EDIT.yaml", type=options.PATH, help="Edit file for every clip.")
@_batch_options
@_FORMAT
@options.layout
@options.resample
@click.option("--model", type=options.PATH, help="Motion model to stay in.")
@options.events(
    "How to find the model's events in the clips: where they are like it, by their flight, or by their length (none)."
)
@options.read_flags()
def edit(edit_file: Path | None, **given: Any) -> None:
    """Apply one edit file to every clip of a library; options are those of `posewright edit`.

    For example:
        posewright batch edit swings/ --edit slope.yaml --model golf.model.npz -o slopes/
    """
    from posewright.batch import Edit

    if edit_file is None and not _resumed(given):
        raise InvalidSetting("--edit is missing: the edit file that is applied to every clip")
    _run(None if edit_file is None else lambda settings: Edit(edit=edit_file, **settings), given)


@batch.command(cls=options.Command)
@click.argument("library", nargs=-1)
@click.option("-o", "--out", type=options.PATH, required=True, help="Folder for postures.npz and record.")
@_engine_options
@options.as_json
@click.option(
    "--threshold", type=float, default=0.15, help="Mean joint angle, rad, below which postures are the same (0.15)."
)
@options.read_flags("unit", "up", "fps", "positions", "drop-first", "skeleton")
def postures(library: tuple[str, ...], out: Path, resume: bool, as_json: bool, **given: Any) -> None:
    """Collect the distinct postures of a library in one database, as `posewright postures build` does.

    The result depends on the order of clips, which is that of their names, whoever reads them.
    """
    from posewright.batch import CollectPostures, collect

    engine = {name: given.pop(name) for name in ("workers", "cluster", "redo", "attempts")}

    if not library and not resume:
        raise InvalidSetting("no LIBRARY is named; give a folder, files, a pattern or a .txt list (or --resume)")
    with Progress(quiet=as_json) as progress:
        job = CollectPostures(**given) if library else None
        result = collect(job, library, out, **engine, progress=lambda at: progress(_words(at)))
    _tell(result, as_json=as_json)


@batch.command(cls=options.Command)
@click.argument("out", type=options.PATH)
@click.argument("file", type=options.PATH)
def export(out: Path, file: Path) -> None:
    """Write the record of OUT as FILE, .jsonl or .parquet, one line or row per clip."""
    from posewright.batch.export import export as export_record

    click.echo(f"{file}: {export_record(out, file)} clips")


def _resumed(given: dict[str, Any]) -> bool:
    return bool(given["resume"] and not given["library"])


def _run(make: Any, given: dict[str, Any]) -> None:
    """Run a job over a library, and tell what came of it."""
    from posewright.batch import run

    library, out, resume = given.pop("library"), given.pop("out"), given.pop("resume")
    as_json, no_report = given.pop("as_json"), given.pop("no_report")
    if not library and not resume:
        raise InvalidSetting("no LIBRARY is named; give a folder, files, a pattern or a .txt list (or --resume)")
    how = {name: given.pop(name) for name in _RUN}
    job: Job | None = make(given) if make is not None and library else None
    with Progress(quiet=as_json) as progress:
        result = run(job, library, out, progress=lambda at: progress(_words(at)), **how)
    if not no_report:
        _write_report(result)
    _tell(result, as_json=as_json)


def _tell(result: BatchResult, *, as_json: bool) -> None:
    from posewright.batch.page import sentence

    if as_json:
        print_json(
            {
                "out": str(result.out),
                "made": result.made,
                "seconds": result.seconds,
                "complete": result.complete,
                **result.counts,
                "vanished": list(result.vanished),
                "refusals": {entry.name: entry.refused for entry in result.entries() if entry.refused},
                "failures": {entry.name: entry.error for entry in result.entries() if entry.error},
            }
        )
    else:
        _print(result)
        click.echo(sentence(result))
    if not result.complete:
        raise click.exceptions.Exit(1)


def _words(at: Any) -> str:
    left = at.seconds_left
    rate = at.frames / max(at.seconds, 1e-9)
    time = "" if left is None else f", {int(left) // 60} min {int(left) % 60:02d} s left"
    return f"{at.clips} of {at.total} clips, {rate:.0f} frames/s, {at.failures} failed{time}"


def _print(result: BatchResult) -> None:
    """A table of clips that need a look: failed, refused, over a limit."""
    rows = []
    for entry in result.entries():
        broken = [name for name, each in entry.measured.items() if each.get("passed") is False]
        why = entry.error or entry.refused or ("over the limit: " + ", ".join(broken) if broken else "")
        if why:
            rows.append((entry.name, "refused" if entry.refused else entry.state, why))
    if rows:
        print_table(rows[:_LISTED], ("clip", "", "why"), left=(0, 1, 2))
    if len(rows) > _LISTED:
        click.echo(f"and {len(rows) - _LISTED} more; see the report, or posewright batch export")


_LISTED = 20


def _write_report(result: BatchResult) -> None:
    from posewright.batch import Job
    from posewright.batch.page import batch_page
    from posewright.batch.record import Record

    path = result.out / "report.html"
    if path.exists() and not result.made and not result.moved:
        return
    with Record(result.out) as record:
        last = record.last()
    assert last is not None
    job = Job.from_json(last.job)
    title = f"{job.kind} of {', '.join(Path(name).name for name in last.libraries)}"
    try:
        batch_page(result, job.suffix, title).save(path)
    except MissingExtra as error:
        click.echo(f"no report was written: {error}", err=True)
