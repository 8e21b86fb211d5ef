"""`posewright edit`: edit a motion by an edit file, in joint space or with a motion model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from posewright.cli import answers, options
from posewright.cli.printing import StatusLine, print_written, with_doubts
from posewright.errors import FileProblem, counted

if TYPE_CHECKING:
    from posewright.formats import ReadOptions
    from posewright.goals.timed import Timed
    from posewright.motions import Motion
    from posewright.workflows.editing.result import EditResult


@click.command(cls=options.CommandWithExamples)
@click.argument("clip", type=options.PATH)
@click.argument("edit_file", metavar="EDIT.yaml", type=options.PATH)
@click.option(
    "-o",
    "--out",
    type=options.PATH,
    multiple=True,
    required=True,
    help="Output file: a motion, .png for strips before and after, or .latent.npz; repeatable.",
)
@click.option("--model", type=options.PATH, help="Motion model that the edit stays within.")
@options.events(
    "How to find the model's events in the clip: by likeness (alike), take-off and landing (flight), or length (none)."
)
@options.read_flags()
def edit(
    clip: Path,
    edit_file: Path,
    out: tuple[Path, ...],
    model: Path | None,
    events: Literal["flight", "alike"] | None,
    read: ReadOptions,
) -> None:
    """Edit a motion with goals at key frames and along trajectories.

    EDIT.yaml is an edit file (docs/editing.md). Exit code 1: some goals were missed.

    For example:
        posewright edit swing.bvh slope.yaml --model golf.model.npz -o slope.bvh -o slope.png
        posewright edit walk.bvh wave.yaml -o waving.glb
    """
    from posewright.formats import load_motion
    from posewright.models import MotionModel
    from posewright.tasks.edit_file import load_edit
    from posewright.workflows.editing.edit import edit as edit_motion

    for path in out:
        _check(path, with_model=model is not None)
    options.keep_apart(out, [clip, edit_file, model])
    motion = with_doubts(clip, load_motion(clip, read))
    pattern = None if model is None else MotionModel.load(model)
    task = load_edit(edit_file, motion)
    options.keep_apart(out, task.files)
    with StatusLine() as progress:
        progress("editing")
        result = edit_motion(
            task.motion, task.goals, space=pattern, events=None if pattern is None else events, **task.settings
        )
    for path in out:
        _write(path, motion, task.goals, result)
    answers.show(result, _summary(result), (*result.warnings, *task.notes))
    click.echo(_beside(result))
    print_written(out)
    if not result.reached:
        raise click.exceptions.Exit(1)


_LATENT = ".latent.npz"


def _check(path: Path, *, with_model: bool) -> None:
    from posewright.formats import FORMATS

    if path.name.lower().endswith(_LATENT) and not with_model:
        raise FileProblem(path, "latent coordinates need a model; give one with --model")
    options.require_output(path, (*(form.suffix for form in FORMATS if form.writes), ".png"), "a motion")


def _write(path: Path, before: Motion, keys: Sequence[Timed], result: EditResult) -> None:
    if path.suffix.lower() == ".png":
        from posewright.report.image_files import write_png
        from posewright.report.result_pictures import edit_picture

        write_png(edit_picture({"before": before, "after": result.motion}, keys=keys), path)
    else:
        result.save(path, latent=path.name.lower().endswith(_LATENT))


def _beside(result: EditResult) -> str:
    """Measures of the edited motion compared with its source."""
    words = []
    for name in ("likeness.mean", "likeness.worst", "contact drift", "jerk", "jerk where changed"):
        if name in result.quality:
            found = result.quality[name]
            before = "" if found.source is None else f" (before {found.source:.3g})"
            words.append(f"{name} {found.value:.3g} {found.unit}".rstrip() + before)
    return "; ".join(words)


def _summary(result: EditResult) -> str:
    solves, steps = counted(result.solves, "solve"), counted(result.iterations, "iteration")
    return f"{solves}, {steps}, {answers.readable_time(result.seconds)}"
