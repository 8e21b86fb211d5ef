"""`posewright design`: design a posture for a task file, spliced from a posture database and refined."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from posewright.cli import INTERRUPTED, answers, options
from posewright.cli.printing import print_json, print_written

if TYPE_CHECKING:
    from posewright.tasks import Task
    from posewright.workflows.design_result import DesignResult


@click.command(cls=options.CommandWithExamples)
@click.argument("task_file", metavar="TASK.yaml", type=options.PATH)
@click.option(
    "--postures",
    metavar="DB",
    type=options.PATH,
    required=True,
    help="Posture database, made by posewright postures build.",
)
@options.pose_out
@click.option("--keep-rest", is_flag=True, help="Keep joints that no goal recruits as they are in the task's start.")
@click.option("--settle", is_flag=True, help="Refine until the posture has settled, not only until goals are reached.")
@options.as_json
def design(
    task_file: Path, postures: Path, out: tuple[Path, ...], keep_rest: bool, settle: bool, as_json: bool
) -> None:
    """Design a posture from examples.

    TASK.yaml is a task file (docs/tasks.md). Exit code 0: all goals reached, 1: some missed, 2: a bad task or database.

    For example:
        posewright design drive.yaml --postures people.postures.npz -o drive.bvh
        posewright design drive.yaml --postures people.postures.npz -o drive.glb -o drive.png
    """
    from dataclasses import replace

    from posewright.models.postures.database import Postures
    from posewright.solvers.prioritized import Prioritized
    from posewright.tasks import load_task
    from posewright.workflows.design import REFINING
    from posewright.workflows.design import design as design_posture

    for path in out:
        answers.require_pose_output(path)
    options.keep_apart(out, [task_file, postures])
    task = load_task(task_file)
    options.keep_apart(out, task.files)
    solver = replace(task.solver if isinstance(task.solver, Prioritized) else REFINING, settle=settle)
    result = design_posture(
        task.problem.space,
        task.problem.goals,
        Postures.open(postures),
        start=task.start,
        constraints=task.problem.constraints,
        frozen=task.problem.frozen,
        rest_from_start=keep_rest,
        recruiting=task.recruiting,
        solver=solver,
    )
    for path in out:
        _write(path, task, result)
    if as_json:
        _print_json(task, result, out)
    else:
        answers.show(result, _summary(result), (*task.notes, *result.warnings))
        for line in result.describe().splitlines():
            click.echo(line)
        print_written(out)
    if result.stopped == "interrupted":
        raise click.exceptions.Exit(INTERRUPTED)
    if not result.reached:
        raise click.exceptions.Exit(1)


def _summary(result: DesignResult) -> str:
    splicing = f"spliced in {1e3 * result.splice_seconds:.3g} ms"
    return f"{answers.summary('prioritized', result)} · {splicing}"


def _write(path: Path, task: Task, result: DesignResult) -> None:
    if path.suffix.lower() != ".png":
        answers.write(result.pose, path)
        return
    from posewright.report.image_files import write_png
    from posewright.report.result_pictures import design_picture

    write_png(design_picture(task.problem.goals, result.parts, result.initial, result, start=task.start), path)


def _print_json(task: Task, result: DesignResult, paths: tuple[Path, ...]) -> None:
    found: dict[str, Any] = {
        "task": str(task.path),
        "figure": task.problem.figure.name,
        "notes": [*task.notes, *result.warnings],
        "fallback": result.fallback,
        "splice_seconds": result.splice_seconds,
        "parts": [
            {
                "joints": list(part.joints),
                "goals": dict(zip(part.goals, part.levels, strict=True)),
                "found": part.found,
                "samples": [
                    {"clip": sample.clip, "frame": sample.frame, "weight": sample.weight}
                    for sample in result.samples_of(part)
                ],
            }
            for part in result.parts
        ],
        "answer": answers.facts(result),
        "wrote": [str(path) for path in paths],
    }
    print_json(found)
