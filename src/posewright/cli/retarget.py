"""`posewright retarget`: retarget a motion to another figure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from posewright.cli import options
from posewright.cli.printing import StatusLine, print_json, print_notes, with_doubts
from posewright.errors import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from posewright.formats import ReadOptions
    from posewright.motions import Motion
    from posewright.motions.quality import Verdict
    from posewright.workflows.retargeting.retarget import RetargetResult


retarget_options = options.together(
    click.option(
        "--map", "match", metavar="MAP.yaml", type=options.PATH, help="Which joints correspond (default: recognised)."
    ),
    click.option("--contacts/--no-contacts", default=True, help="Plant the feet where the source's are planted."),
    click.option(
        "--smooth",
        metavar="RATIO",
        type=float,
        default=1.25,
        help="Jerk allowed, relative to the source's (default 1.25; 0: no smoothing).",
    ),
    click.option(
        "--keep-hands/--free-hands",
        default=None,
        help="Keep the (scaled) distance between hands where they are close in the source, or leave hands alone "
        "(default: bring hands that hold each other together as far as the arms allow easily).",
    ),
    click.option(
        "--hold",
        metavar="SIDE=JOINT|CSV",
        multiple=True,
        help="Keep the left or right hand on an object that moves with a joint, or along a trajectory; repeatable.",
    ),
    click.option(
        "--velocity-limits",
        metavar="SPEEDS",
        help="Limit joint speeds (rad/s, m/s): `file`, `none`, a number, or JOINT=NUMBER,... (default: the limits in "
        "the robot's file).",
    ),
    click.option("--free-translations", is_flag=True, help="Let joints below the root slide (default: locked)."),
    click.option("--solver", help="Solver (default least_squares; others are far slower)."),
    click.option("--floor", type=float, help="Height of the source's floor, m (default: estimated)."),
    click.option("--scale", type=float, help="Scale of the root path (default: leg-length ratio)."),
    options.frames,
    options.layout,
    options.resample,
    options.read_flags(),
    options.read_flags("unit", "up", "base", into="read_target", prefix="to-"),
)
"""Options of `retarget` and `batch retarget`."""


@click.command(cls=options.CommandWithExamples)
@click.argument("file", metavar="MOTION", type=options.PATH)
@click.option("--to", metavar="FIGURE", required=True, help="Target figure: built-in name or file.")
@click.option(
    "-o",
    "--out",
    type=options.PATH,
    required=True,
    help="Output file: .bvh, .glb, .gltf, .npz, .csv (robots), or of a --layout.",
)
@click.option(
    "--save-map",
    "save_match",
    metavar="MAP.yaml",
    type=options.PATH,
    help="Write the joint map to a file that you can edit.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with code 0 even if a limit of `check` is broken.")
@options.report
@options.as_json
@retarget_options
def retarget(
    file: Path,
    to: str,
    out: Path,
    match: Path | None,
    save_match: Path | None,
    hold: tuple[str, ...],
    velocity_limits: str | None,
    solver: str | None,
    frames: str | None,
    layout: str | None,
    resample: float | None,
    exit_zero: bool,
    report: Path | None,
    as_json: bool,
    read: ReadOptions,
    read_target: ReadOptions,
    **settings: Any,
) -> None:
    """Retarget a motion to another figure.

    Matches joints, plants feet and keeps joint limits. The result is written and judged as by `posewright check`.
    Exit code 1: a limit is broken.

    For example:
        posewright retarget walk.bvh --to human40 -o out.glb
        posewright retarget walk.bvh --to character.glb -o character_walks.glb --report out.html
        posewright retarget walk.bvh --to g1.urdf -o walk.csv --save-map map.yaml
        posewright retarget walk.bvh --to g1.urdf -o motion.npz --layout beyondmimic --resample 50
    """
    from posewright.figures import Figure
    from posewright.formats import load_motion
    from posewright.formats.assumptions import misread
    from posewright.formats.registry import require_writable
    from posewright.matching import JointMatch
    from posewright.motions.frame_ranges import frames_of, rows_of
    from posewright.motions.quality.report import likeness_as_dict
    from posewright.workflows.retargeting.hands import held_object
    from posewright.workflows.retargeting.retarget import retarget as retargeted
    from posewright.workflows.retargeting.words import named_solver, named_target, stated_speeds

    options.require_output(report, (".html", ".htm"), "a report")
    options.require_output(save_match, (".yaml", ".yml"), "a joint map")
    require_writable(out, layout)
    options.keep_apart([out, report, save_match], [file, Path(to), read.skeleton])
    options.keep_apart([out, report], [match])
    whole = with_doubts(file, load_motion(file, read))
    source, used = frames_of(whole, frames, file), rows_of(whole, frames)
    loaded = with_doubts(to, named_target(to, read_target))
    figure = loaded if isinstance(loaded, Figure) else loaded.figure
    if save_match is not None:
        JointMatch.draft(match, source.figure, figure).save(save_match)  # to be filled in, should joints be missing
    known = None if match is None else JointMatch.load(match, source.figure, figure)
    target = figure
    if not isinstance(loaded, Figure):
        target = loaded.with_standing_rest(None if known is None else known.target).figure
    limits = stated_speeds(velocity_limits, target)
    objects = [held_object(text, source, used) for text in hold]
    with StatusLine(quiet=as_json) as progress:
        made = retargeted(
            source,
            target,
            known,
            objects=objects,
            velocity_limits=limits,
            solver=named_solver(solver),
            progress=lambda done: progress(f"{done} of {len(source)} frames"),
            **settings,
        )
    motion = made.motion if resample is None else made.motion.resampled(fps=resample)
    motion.save(out, layout=layout, fps=resample if layout is not None else None)
    if save_match is not None:
        made.match.save(save_match)
    quality = made.quality(body=as_json or report is not None)  # otherwise they are not shown
    verdicts = quality.check()
    doubt = misread(whole)
    if report is not None:
        from posewright.report.quality_page import quality_page

        noted = replace(made.motion, notes=(*made.motion.notes, *made.warnings))
        title = f"{file.name} on {Path(to).name}"
        quality_page(quality, verdicts, noted, made.source, title=title).save(report)
    if as_json:
        _print_json(out, made, verdicts, likeness_as_dict(quality), doubt)
    else:
        _print_summary(out, made, verdicts, doubt)
    if (doubt or any(verdict.passed is False for verdict in verdicts)) and not exit_zero:
        raise click.exceptions.Exit(options.BROKEN)


def _print_json(
    out: Path, made: RetargetResult, verdicts: Sequence[Verdict], likeness: dict[str, Any] | None, doubt: str
) -> None:
    from posewright.motions.quality import as_dict

    facts = {
        "out": str(out),
        "frames": len(made.motion),
        "fps": made.motion.fps,
        "seconds": made.seconds,
        "passed": not doubt and not any(verdict.passed is False for verdict in verdicts),
        "notes": [*([doubt] if doubt else []), *made.warnings],
        "match": {
            part: {
                "source": list(made.match.source.parts[part]),
                "target": list(made.match.target.parts[part]),
                "confidence": made.match.confidence[part],
            }
            for part in made.match.parts
        },
        "measures": as_dict(tuple(verdicts)),
        "likeness": likeness,
    }
    print_json(facts)


def _print_summary(out: Path, made: RetargetResult, verdicts: Sequence[Verdict], doubt: str) -> None:
    from posewright.motions.quality import verdict_sentence

    parts = made.match.parts
    doubtful = [part.replace("_", " ") for part in parts if made.match.confidence[part] < 0.6]
    click.echo(f"{out}: {_about(made.motion)}, {len(parts)} parts matched")
    if doubtful:
        click.echo(f"doubtful matches: {', '.join(doubtful)}; to correct them, use --save-map, then --map")
    print_notes(made.warnings)
    click.echo(f"Not judged: {doubt}." if doubt else verdict_sentence(verdicts))


def _about(motion: Motion) -> str:
    return f"{counted(len(motion), 'frame')} at {motion.fps:g} per second of {motion.figure.name!r}"
