"""`posewright check`: how good a motion is, alone or beside the one it was made from."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from posewright.cli import reading
from posewright.cli.printing import print_json, print_table
from posewright.cli.writing import keep_apart
from posewright.errors import FileProblem, InvalidSetting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from posewright.motions import Motion
    from posewright.motions.quality import Verdict

BROKEN = 1
"""The exit code when a limit is broken."""

Limit = float | None


@reading.read_flags(into="read_source", prefix="source-")
@reading.read_flags()
def check(
    file: reading.File,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="SOURCE", help="Motion that this one was made from.")
    ] = None,
    frames: reading.Frames = None,
    source_frames: Annotated[str | None, typer.Option("--source-frames", help="As --frames, for the source.")] = None,
    feet: Annotated[
        str | None, typer.Option("--feet", help="Contact points, comma-separated: NAME, or NAME=SOURCE_NAME.")
    ] = None,
    floor: Annotated[float | None, typer.Option("--floor", help="Height of the floor, m (default: estimated).")] = None,
    report: Annotated[Path | None, typer.Option("--report", help="Write an HTML page with pictures and plots.")] = None,
    as_json: reading.AsJson = False,
    max_limit: Annotated[float, typer.Option("--max-limit-violation", help="rad or m outside limits.")] = 1e-6,
    max_drift: Annotated[float, typer.Option("--max-drift", help="m beyond the source's contact drift.")] = 0.01,
    max_skate: Annotated[float, typer.Option("--max-skate", help="m/s beyond the source's mean skating.")] = 0.02,
    max_penetration: Annotated[float, typer.Option("--max-penetration", help="m below the floor.")] = 0.01,
    max_turn: Annotated[
        float, typer.Option("--max-turn", help="Fastest joint rotation, relative to the source's.")
    ] = 1.5,
    max_jerk: Annotated[float, typer.Option("--max-jerk", help="Jerk, relative to the source's.")] = 1.3,
    max_speed: Annotated[float, typer.Option("--max-speed", help="Joint speed, relative to the robot's limits.")] = 1.0,
    max_site_error: Annotated[Limit, typer.Option("--max-site-error", help="m, mean (default: not checked).")] = None,
    max_floating: Annotated[
        Limit, typer.Option("--max-floating", help="m beyond the source's (default: not checked).")
    ] = None,
    max_self_contact: Annotated[
        Limit, typer.Option("--max-self-contact", help="m beyond the source's (default: not checked).")
    ] = None,
    max_balance: Annotated[
        Limit, typer.Option("--max-balance", help="m beyond the source's (default: not checked).")
    ] = None,
    *,
    read: reading.ReadOptions,
    read_source: reading.ReadOptions,
) -> None:
    """Measure a motion and judge it: joint limits, feet, floor, jerk, jumps, self-contact, balance.

    Beside a source, contacts are the source's, and its own values are shown too. Exit code 1 says: a limit is broken.

    For example:

        posewright check out.npz --against walk.bvh

        posewright check out.glb --against walk.bvh --report out.html

        posewright check out.npz --against walk.bvh --source-unit cm --source-drop-first

        posewright check robot_walk.npz --json
    """
    from posewright.formats import ReadOptions, load_motion
    from posewright.formats.atomic import require_place
    from posewright.motions.quality import QualityLimits

    limits = QualityLimits(
        limit_violation=max_limit,
        drift=max_drift,
        skate=max_skate,
        penetration=max_penetration,
        turn=max_turn,
        jerk=max_jerk,
        speed=max_speed,
        site_error=max_site_error,
        floating=max_floating,
        self_contact=max_self_contact,
        balance=max_balance,
    )
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise FileProblem(report, "a report is an HTML page; its name must end with .html")
    if report is not None:
        require_place(report)
        keep_apart([report], [file, against, read.skeleton, read_source.skeleton])
    if floor is not None and not math.isfinite(floor):
        raise InvalidSetting(f"--floor is {floor}; it must be a height in m")
    if against is None and (source_frames is not None or read_source != ReadOptions()):
        raise InvalidSetting("options that begin with --source are about another file; name it with --against")
    motion = _cut(load_motion(file, read), frames, "--frames").with_standing_rest()
    source = None
    if against is not None:
        source = _at_the_same_rate(_cut(load_motion(against, read_source), source_frames, "--source-frames"), motion)
        source = source.with_standing_rest()
    found = motion.quality(source, feet=None if feet is None else _feet(feet), floor=floor)
    verdicts = found.check(limits)
    if report is not None:
        from posewright.report.html import write_page
        from posewright.report.quality_page import quality_page

        title = file.name if against is None else f"{file.name} beside {against.name}"
        write_page(quality_page(found, verdicts, motion, source, title=title), report)
    if as_json:
        _print_json(file, against, verdicts)
    else:
        _print_table(file, against, verdicts)
        if report is not None:
            typer.echo(f"{report}: pictures and plots")
    if any(verdict.passed is False for verdict in verdicts):
        raise typer.Exit(BROKEN)


def _cut(motion: Motion, frames: str | None, option: str) -> Motion:
    cut = motion if frames is None else motion[reading.frame_range(frames)]
    if not len(cut):
        raise InvalidSetting(f"{option} {frames or ''} leaves no frame of the motion's {len(motion)}")
    return cut


def _at_the_same_rate(source: Motion, motion: Motion) -> Motion:
    """The source at the motion's frame rate, where only that differs."""
    if abs(source.fps - motion.fps) <= 1e-6 * motion.fps or abs(source.duration - motion.duration) > 1.5 / motion.fps:
        return source
    again = source.resampled(fps=motion.fps)
    return again[: len(motion)] if len(again) >= len(motion) else again


def _feet(text: str) -> dict[str, str]:
    pairs = [word.strip().partition("=") for word in text.split(",") if word.strip()]
    if not pairs:
        raise InvalidSetting(f"--feet is {text!r}; it must name contact points, such as left_heel,left_toes=LeftToe")
    return {mine.strip(): (theirs or mine).strip() for mine, _, theirs in pairs}


def _print_json(file: Path, against: Path | None, verdicts: Sequence[Verdict]) -> None:
    from posewright.motions.quality.limits import as_dict

    passed = not any(verdict.passed is False for verdict in verdicts)
    facts = {"file": str(file), "against": None if against is None else str(against), "passed": passed}
    print_json({**facts, "measures": as_dict(tuple(verdicts))})


def _print_table(file: Path, against: Path | None, verdicts: Sequence[Verdict]) -> None:
    from posewright.motions.quality.limits import verdict_sentence
    from posewright.report.quality_page import verdict_cells

    marks = {True: "ok", False: "no", None: ""}
    rows = []
    for verdict in verdicts:
        *cells, _, frame = verdict_cells(verdict)
        rows.append([marks[verdict.passed], *cells, frame])
    print_table(
        rows,
        ("", "measure", "value", "source", "limit", "worst frame"),
        left=(0, 1),
        title=str(file) if against is None else f"{file} beside {against}",
        colours={"ok": "green", "no": "red"},
    )
    typer.echo(verdict_sentence(verdicts))
