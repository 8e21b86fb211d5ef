"""`posewright pose`: solve a task file, report the errors, and write the pose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from posewright.cli import INTERRUPTED, answers, options
from posewright.cli.printing import Red, print_json, print_notes, print_table, print_written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from posewright.problem import PoseResult
    from posewright.problem.evaluation import GoalError
    from posewright.tasks import Task


@click.command(cls=options.CommandWithExamples)
@click.argument("task_file", metavar="TASK.yaml", type=options.PATH)
@options.pose_out
@click.option("--solver", help="Solver to use instead of the task's.")
@click.option("--compare", is_flag=True, help="Run every solver and compare the answers.")
@click.option("--why", is_flag=True, help="Explain why goals were missed: conflicting goals, limits, reach.")
@options.as_json
def pose(task_file: Path, out: tuple[Path, ...], solver: str | None, compare: bool, why: bool, as_json: bool) -> None:
    """Find the pose that meets the goals of a task file.

    TASK.yaml is a task file (docs/tasks.md). Exit code 0: all goals reached, 1: some missed, 2: a bad task.

    Ctrl-C ends a long search and writes the best pose so far; the exit code is then 130.

    For example:
        posewright pose reach.yaml
        posewright pose reach.yaml -o reach.bvh -o reach.png
        posewright pose reach.yaml --compare -o all.png
        posewright pose too_far.yaml --why
    """
    from posewright.solvers.registry import SOLVERS, solver_name
    from posewright.solvers.warm_up import warm_up
    from posewright.tasks import load_task

    for path in out:
        answers.require_pose_output(path)
    options.keep_apart(out, [task_file])
    task = load_task(task_file)
    options.keep_apart(out, task.files)
    chosen = task.solver_name if solver is None else solver_name(solver)
    names = [chosen, *(name for name in SOLVERS if name != chosen)] if compare else [chosen]
    if compare:
        warm_up(names)
    results, absent = _results(task, names, compare=compare)
    for path in out:
        _write(path, task, results)
    if as_json:
        _print_json(task, results, out, why=why)
    else:
        _print_comparison(task, results, absent) if compare else _print_answer(task, chosen, results[chosen])
        for name, result in results.items() if why else ():
            for missed in answers.missed(result):
                click.echo(f"{name}: {missed}" if compare else str(missed))
        print_written(out)
    if any(result.stopped == "interrupted" for result in results.values()):
        raise click.exceptions.Exit(INTERRUPTED)
    if not results[chosen].reached:
        raise click.exceptions.Exit(1)


def _results(task: Task, names: list[str], *, compare: bool) -> tuple[dict[str, PoseResult], list[str]]:
    """The result of each solver, and a message for each that is not installed; Ctrl-C keeps the results so far."""
    from posewright.errors import MissingExtra

    results: dict[str, PoseResult] = {}
    absent = []
    for name in names:
        try:
            results[name] = _solved(task, name, again=compare)
        except MissingExtra as missing:
            if name == names[0]:
                raise
            absent.append(str(missing))
            continue
        if results[name].stopped == "interrupted":
            break
    return results, absent


def _solved(task: Task, name: str, *, again: bool) -> PoseResult:
    from posewright.tasks.solver import build_solver

    solver = task.solver if name == task.solver_name else build_solver(name)
    result = solver.solve(task.problem, task.start)
    # the first solve of a process also loads compiled code; a comparison of times is about the second
    return solver.solve(task.problem, task.start) if again and result.stopped != "interrupted" else result


def _write(path: Path, task: Task, results: Mapping[str, PoseResult]) -> None:
    if path.suffix.lower() == ".png":
        from posewright.report.image_files import write_png
        from posewright.report.result_pictures import pose_picture

        write_png(pose_picture(task.problem, results, others=task.others), path)
    else:
        answers.write(next(iter(results.values())).pose, path)


def _print_answer(task: Task, solver: str, result: PoseResult) -> None:
    answers.show(result, answers.summary(solver, result), (*task.notes, *result.warnings))


def _print_comparison(task: Task, results: Mapping[str, PoseResult], absent: list[str]) -> None:
    """Print a column per solver, with one line per word of its name so that the table fits on a terminal."""
    found = list(results.values())
    errors = [{goal.label: goal for goal in result.errors.parts} for result in found]
    rows = []
    for label in dict.fromkeys(label for goals in errors for label in goals):
        shown = [goals.get(label) for goals in errors]
        rows.append([label, *("" if goal is None else _error_cell(goal) for goal in shown)])
    rows += [
        ["reached", *("yes" if result.reached else "no" for result in found)],
        ["iterations", *(str(result.iterations) for result in found)],
        ["time", *(answers.readable_time(result.seconds) for result in found)],
        ["limits at bound", *(str(answers.limits_at_bound(result)) for result in found)],
    ]
    print_table(rows, ("", *(name.replace("_", "\n") for name in results)), colours={"yes": "green", "no": "red"})
    print_notes((*task.notes, *absent))
    print_notes(f"{name}: {warning}" for name, result in results.items() for warning in result.warnings)


def _error_cell(goal: GoalError) -> str:
    from posewright.problem.evaluation import readable

    text = readable(goal.value, goal.unit)
    return text if goal.reached else Red(text)


def _print_json(task: Task, results: Mapping[str, PoseResult], paths: tuple[Path, ...], *, why: bool) -> None:
    print_json(
        {
            "task": str(task.path),
            "figure": task.problem.figure.name,
            "notes": list(task.notes),
            "answers": [{"solver": name, **answers.facts(result, why=why)} for name, result in results.items()],
            "wrote": [str(path) for path in paths],
        }
    )
