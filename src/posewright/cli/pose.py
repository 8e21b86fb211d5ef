"""`posewright pose`: solve a task file, say how good the answer is, write it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from posewright.cli import INTERRUPTED, pose_output
from posewright.cli.writing import keep_apart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from posewright.problem import PoseResult
    from posewright.tasks import Task


def pose(
    task_file: Annotated[Path, typer.Argument(metavar="TASK.yaml", help="What is wanted; see docs/tasks.md.")],
    out: Annotated[
        list[Path] | None,
        typer.Option("-o", "--out", help="Where to write the pose: .bvh, .glb, .npz, .yaml or .png; may be repeated."),
    ] = None,
    solver: Annotated[str | None, typer.Option("--solver", help="Another solver than the task's.")] = None,
    compare: Annotated[bool, typer.Option("--compare", help="Run every solver and compare the answers.")] = False,
    why: Annotated[
        bool, typer.Option("--why", help="Say why goals were missed: lost to which, held back by what, out of reach.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead (radians, metres, seconds).")] = False,
) -> None:
    """Find the pose that a task file asks for. Exit code 0: all goals reached, 1: some missed, 2: a bad task.

    Ctrl-C ends a long search and writes the best pose so far; the exit code is then 130.

    For example:

        posewright pose reach.yaml

        posewright pose reach.yaml -o reach.bvh -o reach.png

        posewright pose reach.yaml --compare -o all.png

        posewright pose too_far.yaml --why
    """
    from posewright.solvers.registry import SOLVERS
    from posewright.solvers.warm_up import warm_up
    from posewright.tasks import load_task
    from posewright.tasks.solver import solver_name

    paths = out or []
    for path in paths:
        pose_output.check(path)
    keep_apart(paths, [task_file])
    task = load_task(task_file)
    keep_apart(paths, task.files)
    chosen = task.solver_name if solver is None else solver_name(solver)
    names = [chosen, *(name for name in SOLVERS if name != chosen)] if compare else [chosen]
    if compare:
        warm_up(names)
    answers, absent = _answers(task, names, compare=compare)
    for path in paths:
        _write(path, task, answers)
    if as_json:
        _print_json(task, answers, paths, why=why)
    else:
        _print_comparison(task, answers, absent) if compare else _print_answer(task, chosen, answers[chosen])
        for name, answer in answers.items() if why else ():
            for missed in pose_output.missed(answer):
                typer.echo(f"{name}: {missed}" if compare else str(missed))
        for path in paths:
            typer.echo(f"wrote {path}")
    if any(answer.stopped == "interrupted" for answer in answers.values()):
        raise typer.Exit(INTERRUPTED)
    if not answers[chosen].reached:
        raise typer.Exit(1)


def _answers(task: Task, names: list[str], *, compare: bool) -> tuple[dict[str, PoseResult], list[str]]:
    """The answer of each solver, and a sentence for each whose package is not installed; Ctrl-C keeps what there is."""
    from posewright.errors import MissingExtra

    answers: dict[str, PoseResult] = {}
    absent = []
    for name in names:
        try:
            answers[name] = _solved(task, name, again=compare)
        except MissingExtra as missing:
            if name == names[0]:
                raise
            absent.append(str(missing))
            continue
        if answers[name].stopped == "interrupted":
            break
    return answers, absent


def _solved(task: Task, name: str, *, again: bool) -> PoseResult:
    from posewright.tasks.solver import build_solver

    solver = task.solver if name == task.solver_name else build_solver(name)
    result = solver.solve(task.problem, task.start)
    # the first solve of a process also loads compiled code; a comparison of times is about the second
    return solver.solve(task.problem, task.start) if again and result.stopped != "interrupted" else result


def _write(path: Path, task: Task, answers: Mapping[str, PoseResult]) -> None:
    if path.suffix.lower() == ".png":
        from posewright.report.image_files import write_png
        from posewright.report.pose_picture import answer_picture

        write_png(answer_picture(task.problem, answers, others=task.others), path)
        return
    pose_output.write(next(iter(answers.values())).pose, path)


def _print_answer(task: Task, solver: str, result: PoseResult) -> None:
    pose_output.show(result, pose_output.summary(solver, result), (*task.notes, *result.warnings))


def _print_comparison(task: Task, answers: Mapping[str, PoseResult], absent: list[str]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    from posewright.problem.evaluation import readable

    console = Console(highlight=False, soft_wrap=True)
    results = list(answers.values())
    rows: list[tuple[str, list[Text]]] = []
    for label in dict.fromkeys(goal.label for result in results for goal in result.errors.parts):
        cells = []
        for result in results:
            goal = next((goal for goal in result.errors.parts if goal.label == label), None)
            text = "" if goal is None else readable(goal.value, goal.unit)
            cells.append(Text(text, style="" if goal is None or goal.reached else "red"))
        rows.append((label, cells))
    rows += [
        ("reached", [Text("yes", "green") if result.reached else Text("no", "red") for result in results]),
        ("iterations", [Text(str(result.iterations)) for result in results]),
        ("time", [Text(pose_output.readable_time(result.seconds)) for result in results]),
        ("limits at bound", [Text(str(pose_output.limits_at_bound(result))) for result in results]),
    ]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    least = max(Text(label).cell_len for label, _ in rows)
    for column, name in enumerate(answers):
        words = name.split("_")  # they wrap where the terminal is narrow; names of goals and numbers stay whole
        widest = max(*map(len, words), *(len(cells[column]) for _, cells in rows))
        table.add_column(" ".join(words), justify="right", min_width=widest)
        least += 2 + widest
    for label, cells in rows:
        table.add_row(escape(label), *cells)
    console.width = max(console.width, least)
    console.print(table)
    for sentence in (*task.notes, *absent):
        console.print(f"[yellow]note[/yellow] {escape(sentence)}")
    for name, result in answers.items():
        for sentence in result.warnings:
            console.print(f"[yellow]note[/yellow] {name}: {escape(sentence)}")


def _print_json(task: Task, answers: Mapping[str, PoseResult], paths: list[Path], *, why: bool) -> None:
    import json

    found = {
        "task": str(task.path),
        "figure": task.problem.figure.name,
        "notes": list(task.notes),
        "answers": [{"solver": name, **pose_output.facts(result, why=why)} for name, result in answers.items()],
        "wrote": [str(path) for path in paths],
    }
    typer.echo(json.dumps(found, indent=2))
