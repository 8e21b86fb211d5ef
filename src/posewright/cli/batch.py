"""`posewright batch`: run a workflow over a whole library of clips."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from posewright.cli import options
from posewright.cli.printing import StatusLine, print_json, print_table
from posewright.cli.retarget import retarget_options
from posewright.errors import InvalidSetting, MissingExtra

if TYPE_CHECKING:
    from posewright.batch import BatchResult, Job

_engine_options = options.together(
    click.option("--workers", type=int, help="Processes on this machine (default: as many as cores)."),
    click.option("--cluster", metavar="ADDRESS", help="Dask scheduler to run on, such as tcp://node1:8786."),
    click.option("--resume", is_flag=True, help="Continue a run; without LIBRARY, use the settings of its record."),
    click.option("--redo", is_flag=True, help="Redo clips that were made with other settings."),
    click.option("--attempts", type=int, default=3, help="Attempts for a clip whose worker process dies (default 3)."),
)
_SELECT = click.option(
    "--select", metavar="RULES", help="Keep only clips that satisfy these rules, such as 'penetration < 0.02'."
)
_batch_options = options.together(
    click.argument("library", nargs=-1),
    click.option("-o", "--out", type=options.PATH, required=True, help="Folder for results, record and report."),
    _engine_options,
    _SELECT,
    click.option("--no-report", is_flag=True, help="Write no HTML page."),
    options.as_json,
)
_RUN = ("workers", "cluster", "select", "redo", "attempts")
_FORMAT = click.option("--format", metavar="SUFFIX", help="Format of results: npz (default), bvh, glb, gltf, csv.")


@click.group(cls=options.Group)
def batch() -> None:
    """Run a workflow over a library, on all cores or a Dask cluster; runs can be resumed (docs/batch.md).

    LIBRARY is any number of folders, files, patterns, or .txt files that list motions. Running the same command again
    processes what is missing or has changed. Exit code 1: clips failed, broke a limit or were refused by --select.
    """


@batch.command(cls=options.CommandWithExamples)
@click.option("--to", metavar="FIGURE", help="Target figure: built-in name or file.")
@_batch_options
@_FORMAT
@click.option(
    "--measures",
    type=click.Choice(["motion", "all", "none"]),
    default="motion",
    help="What to measure: the motion (default), also self-contact and balance (all), or none.",
)
@retarget_options
@options.limit_flags()
def retarget(to: str | None, **given: Any) -> None:
    """Retarget every clip of a library to one figure; the options are those of `posewright retarget`.

    For example:
        posewright batch retarget cmu/ --to g1.urdf -o out/ --layout mjlab --resample 50
        posewright batch retarget 'amass/**/*.npz' --to hero.glb -o out/ --format glb --select 'penetration < 0.02'
        posewright batch retarget --resume -o out/
    """
    from posewright.batch import Retarget

    def asked() -> None:
        if to is None:
            raise InvalidSetting("--to is missing; give the target figure, a built-in name or a file")

    _run(Retarget, {"to": to, **given}, asked=asked)


@batch.command(cls=options.CommandWithExamples)
@_batch_options
@_FORMAT
@options.frames
@options.layout
@options.resample
@options.read_flags()
def convert(**given: Any) -> None:
    """Convert every clip of a library; the options are those of `posewright convert`.

    For example:
        posewright batch convert cmu/ -o npz/ --drop-first
        posewright batch convert g1/ -o mjlab/ --from-layout unitree --skeleton g1.urdf --layout mjlab --resample 50
    """
    from posewright.batch import Convert

    _run(Convert, given)


@batch.command(cls=options.CommandWithExamples)
@_batch_options
@click.option("--against", metavar="FOLDER", type=options.PATH, help="Sources of the clips, in the same tree.")
@click.option("--map", "match", metavar="MAP.yaml", type=options.PATH, help="Which joints of a source correspond.")
@options.frames
@click.option("--floor", type=float, help="Height of the floor, m (default: estimated).")
@options.read_flags()
@options.read_flags(into="read_source", prefix="source-")
@options.limit_flags()
def check(**given: Any) -> None:
    """Measure every clip of a library; the options are those of `posewright check`.

    For example:
        posewright batch check cmu/ -o checked/ --select 'jumps < 1, foot skate < 0.1'
        posewright batch check made/ --against cmu/ -o checked/ --select 'likeness.worst < 15'
    """
    from posewright.batch import Check

    _run(Check, given)


@batch.command(cls=options.CommandWithExamples)
@click.option("--edit", "edit_file", metavar="EDIT.yaml", type=options.PATH, help="Edit file for every clip.")
@_batch_options
@_FORMAT
@options.layout
@options.resample
@click.option("--model", type=options.PATH, help="Motion model that the edit stays within.")
@options.events(
    "How to find the model's events in clips: by likeness (alike), take-off and landing (flight), or length (none)."
)
@options.read_flags()
def edit(edit_file: Path | None, **given: Any) -> None:
    """Apply one edit file to every clip of a library; the options are those of `posewright edit`.

    For example:
        posewright batch edit swings/ --edit slope.yaml --model golf.model.npz -o slopes/
    """
    from posewright.batch import Edit

    def asked() -> None:
        if edit_file is None:
            raise InvalidSetting("--edit is missing; give the edit file to apply to every clip")

    _run(Edit, {"edit": edit_file, **given}, asked=asked)


@batch.command(cls=options.CommandWithExamples)
@click.argument("library", nargs=-1)
@click.option("-o", "--out", type=options.PATH, required=True, help="Folder for postures.npz and record.")
@_engine_options
@_SELECT
@options.as_json
@click.option(
    "--threshold", type=float, default=0.15, help="Mean joint angle, rad, below which postures are the same (0.15)."
)
@options.read_flags()
def postures(**given: Any) -> None:
    """Collect the distinct postures of a library in one database, as `posewright postures build` does.

    Clips count in the order of their names, so the result does not depend on the number of workers.
    """
    from posewright.batch import CollectPostures

    _run(CollectPostures, given)


@batch.command(cls=options.CommandWithExamples)
@click.argument("out", type=options.PATH)
@click.argument("file", type=options.PATH)
def export(out: Path, file: Path) -> None:
    """Write the record of the batch in OUT to FILE, .jsonl or .parquet, with one line or row per clip."""
    from posewright.batch.export import export as export_record

    click.echo(f"{file}: {export_record(out, file)} clips")


def _run(kind: type[Job], given: dict[str, Any], *, asked: Callable[[], None] = lambda: None) -> None:
    """Run a job over a library, or continue that of the record, and print the outcome.

    Args:
        kind: the kind of job.
        given: fields of the job, and how to run it.
        asked: a check that the job has all it needs.
    """
    from posewright.batch import CollectPostures, collect, run

    library, out, resume = given.pop("library"), given.pop("out"), given.pop("resume")
    as_json, no_report = given.pop("as_json"), given.pop("no_report", True)
    if not library and not resume:
        raise InvalidSetting("LIBRARY is missing; give a folder, files, a pattern or a .txt list (or --resume)")
    how = {name: given.pop(name) for name in _RUN}
    if library:
        asked()
    else:
        _require_nothing_else()
    with StatusLine(quiet=as_json) as progress:
        how["progress"] = lambda at: progress(_words(at))
        if issubclass(kind, CollectPostures):
            result = collect(kind(**given) if library else None, library, out, **how)
        else:
            result = run(kind(**given) if library else kind, library, out, **how)
    if not no_report:
        _write_report(result)
    _tell(result, as_json=as_json)


def _require_nothing_else() -> None:
    """Refuse settings together with a --resume that reads them from the record."""
    context = click.get_current_context()
    kept = {"resume", "out", "as_json", "no_report", "library", *_RUN}
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if given and option.name not in kept:
            words = f"leave {option.opts[0]} out, or name the library"
            raise InvalidSetting(f"--resume without LIBRARY reads all settings from the record; {words}")


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


@batch.command(cls=options.CommandWithExamples)
@click.argument("out", type=options.PATH)
@click.argument("clip")
@options.served
@click.pass_context
def studio(context: click.Context, /, out: Path, clip: str, **served: Any) -> None:
    """Open the result of CLIP from the batch in OUT in the studio, whatever its layout.

    CLIP is a name as in the table and the report.
    """
    from posewright.batch.results import result_of
    from posewright.cli.studio import studio as open_studio

    motion = result_of(out, clip)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"{Path(clip).name}.npz"
        motion.save(copy)
        context.invoke(open_studio, files=(str(copy),), folder=Path(), **served)


def _words(at: Any) -> str:
    left = at.seconds_left
    rate = at.frames / max(at.seconds, 1e-9)
    time = "" if left is None else f", {int(left) // 60} min {int(left) % 60:02d} s left"
    return f"{at.clips} of {at.total} clips, {rate:.0f} frames/s, {at.failures} failed{time}"


def _print(result: BatchResult) -> None:
    """Print a table of clips to look at (failed, refused, over a limit), and clips that have vanished."""
    from posewright.batch.page import studio_command

    rows, vanished = [], set(result.vanished)
    for entry in result.entries():
        if entry.name in vanished:
            continue
        broken = [name for name, each in entry.measured.items() if each.get("passed") is False]
        why = entry.error or entry.refused or ("over the limit: " + ", ".join(broken) if broken else "")
        if why:
            rows.append((entry.name, "refused" if entry.refused else entry.state, why))
    if rows:
        print_table(rows[:_LISTED], ("clip", "", "why"), left=(0, 1, 2))
    if len(rows) > _LISTED:
        click.echo(f"and {len(rows) - _LISTED} more; see the report, or posewright batch export")
    if shown := next((name for name, state, _ in rows if state in ("refused", "done")), None):
        click.echo(f"to look at a clip: {studio_command(result.out, shown)}")
    for name in result.vanished[:_LISTED]:
        click.echo(f"no longer in the library; its result was kept: {name}")


_LISTED = 20


def _write_report(result: BatchResult) -> None:
    from posewright.batch.page import batch_page
    from posewright.batch.record import read_last

    path = result.out / "report.html"
    if path.exists() and not result.made and not result.moved:
        return
    last = read_last(result.out)
    assert last is not None
    title = f"{last.job['kind']} of {', '.join(Path(name).name for name in last.libraries)}"
    try:
        batch_page(result, title).save(path)
    except MissingExtra as error:
        click.echo(f"no report was written: {error}", err=True)
