"""`posewright check`: measure the quality of a motion, on its own or compared with its source."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from posewright.cli import options
from posewright.cli.printing import print_json, print_notes, print_table, with_doubts
from posewright.errors import InvalidSetting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from posewright.formats import ReadOptions
    from posewright.motions.quality import QualityLimits, QualityReport, Verdict


@click.command(cls=options.CommandWithExamples)
@click.argument("file", type=options.PATH)
@click.option("--against", metavar="SOURCE", type=options.PATH, help="Motion that this one was made from.")
@options.frames
@click.option("--source-frames", help="As --frames, for the source.")
@click.option(
    "--map", "match", metavar="MAP.yaml", type=options.PATH, help="Which joints correspond (default: recognised)."
)
@click.option("--feet", help="Contact points, comma-separated: NAME, or NAME=SOURCE_NAME.")
@click.option("--floor", type=float, help="Height of the floor, m (default: estimated).")
@options.report
@options.as_json
@options.read_flags()
@options.read_flags(into="read_source", prefix="source-")
@options.limit_flags()
def check(
    file: Path,
    against: Path | None,
    frames: str | None,
    source_frames: str | None,
    match: Path | None,
    feet: str | None,
    floor: float | None,
    report: Path | None,
    as_json: bool,
    read: ReadOptions,
    read_source: ReadOptions,
    limits: QualityLimits,
) -> None:
    """Measure the quality of a motion.

    Measures joint limits, feet, floor, jerk, jumps, self-contact and balance. With --against, contacts are taken from
    the source, its values are shown for reference, and likeness to it is measured and compared with plain transfer.
    Exit code 1: a limit is broken.

    For example:
        posewright check out.npz --against walk.bvh
        posewright check out.glb --against walk.bvh --report out.html
        posewright check out.npz --against walk.bvh --source-unit cm --source-drop-first
        posewright check robot_walk.npz --json
    """
    from posewright.formats import ReadOptions, load_motion
    from posewright.formats.assumptions import misread
    from posewright.motions.frame_ranges import frames_of
    from posewright.workflows.checking import quality_beside

    options.require_output(report, (".html", ".htm"), "a report")
    options.keep_apart([report], [file, against, read.skeleton, read_source.skeleton])
    if floor is not None and not math.isfinite(floor):
        raise InvalidSetting(f"--floor is {floor}; it must be a height in m")
    if against is None and match is not None:
        raise InvalidSetting("--map matches joints with those of a source; give the source with --against")
    if against is None and (source_frames is not None or read_source != ReadOptions()):
        raise InvalidSetting("options that begin with --source need a source; give one with --against")
    motion = frames_of(with_doubts(file, load_motion(file, read)), frames, file).with_standing_rest()
    pairs, source = None if feet is None else _feet(feet), None
    if against is None:
        found = motion.quality(feet=pairs, floor=floor)
    else:
        source = with_doubts(against, load_motion(against, read_source))
        source = frames_of(source, source_frames, against, "--source-frames")
        found, source = quality_beside(motion, source, match, feet=pairs, floor=floor)
    verdicts = found.check(limits)
    if report is not None:
        from posewright.report.quality_page import quality_page

        title = file.name if against is None else f"{file.name} beside {against.name}"
        quality_page(found, verdicts, motion, source, limits=limits, title=title).save(report)
    doubt = misread(motion)
    if as_json:
        _print_json(file, against, verdicts, found, limits, doubt)
    else:
        _print_table(file, against, verdicts, [str(stretch) for stretch in found.unlike(limits)], doubt)
        if against is not None and found.likeness is None:
            click.echo("Likeness was not judged, because a body was not recognised; name its joints with --map.")
        if report is not None:
            click.echo(f"{report}: pictures and plots")
    if doubt or any(verdict.passed is False for verdict in verdicts):
        raise click.exceptions.Exit(options.BROKEN)


def _feet(text: str) -> dict[str, str]:
    pairs = [word.strip().partition("=") for word in text.split(",") if word.strip()]
    if not pairs:
        raise InvalidSetting(f"--feet is {text!r}; it must name contact points, such as left_heel,left_toes=LeftToe")
    return {mine.strip(): (theirs or mine).strip() for mine, _, theirs in pairs}


def _print_json(
    file: Path,
    against: Path | None,
    verdicts: Sequence[Verdict],
    found: QualityReport,
    limits: QualityLimits,
    doubt: str,
) -> None:
    from posewright.motions.quality import as_dict
    from posewright.motions.quality.report import likeness_as_dict

    passed = not doubt and not any(verdict.passed is False for verdict in verdicts)
    facts: dict[str, object] = {
        "file": str(file),
        "against": None if against is None else str(against),
        "passed": passed,
    }
    facts |= {"doubt": doubt} if doubt else {}
    print_json({**facts, "measures": as_dict(tuple(verdicts)), "likeness": likeness_as_dict(found, limits)})


def _print_table(
    file: Path, against: Path | None, verdicts: Sequence[Verdict], unlike: Sequence[str], doubt: str
) -> None:
    from posewright.motions.quality import verdict_sentence
    from posewright.report.quality_page import verdict_cells

    marks = {True: "ok", False: "no", None: ""}
    rows = []
    for verdict in verdicts:
        *cells, _, frame = verdict_cells(verdict)
        rows.append([marks[verdict.passed], *cells, frame])
    print_table(
        rows,
        ("", "measure", "value", "reference", "limit", "worst frame"),
        left=(0, 1),
        title=str(file) if against is None else f"{file} beside {against}",
        colours={"ok": "green", "no": "red"},
    )
    print_notes(unlike)
    click.echo(f"Not judged: {doubt}." if doubt else verdict_sentence(verdicts))
