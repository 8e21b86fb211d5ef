"""`posewright demo`: everything the package can do with nothing but what ships with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from posewright.motion import Motion
    from posewright.problem import PoseResult
    from posewright.report.film import Film
    from posewright.report.picture import Picture

CLIPS = {"walk": 0.62, "run": 1.28, "jump": 1.12, "throw": 0.93, "golf_swing": 1.2}
"""Each clip and the moment (s) that the poster shows of it."""
MOMENTS = 6
"""Of each clip on the contact sheet."""
FILM_FPS = 15.0
COLOURS = ("coral", "teal", "indigo", "sand", "plum")


def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for what the demo makes.")] = Path("posewright-demo"),
) -> None:
    """Pose a built-in human by goals, make it walk, run, jump, throw and swing a golf club; write files and pictures.

    Examples:
        posewright demo

        posewright demo -o /some/folder
    """
    from multiprocessing import get_context

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from posewright.cli.demo_poses import TASKS, compile_solver, draw_poses, pose_and_write
    from posewright.errors import FileProblem
    from posewright.kernels.jit import compile_listener

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileProblem(out, f"cannot make this folder: {(error.strerror or str(error)).lower()}") from error
    began = time.perf_counter()
    # The first time, most of a demo is compiling, which keeps one core busy: the other compiles the solver meanwhile.
    beside = get_context("spawn").Process(target=compile_solver, daemon=True)
    beside.start()
    console = Console(stderr=True)
    note = TextColumn("[dim]{task.fields[note]}")
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), note)
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("making clips", total=2 * len(CLIPS) + len(TASKS) + 3, note="")

        def compiling(kernel: str) -> None:
            progress.update(task, note=f"compiling kernels, once per machine: {kernel}")

        with compile_listener(compiling):
            motions = _make_clips(progress, task)
            made = _write_files(motions, out, progress, task)
            made |= _draw(motions, out, progress, task)
            progress.update(task, description="compiling the solver", note="")
            beside.join()
            answers: dict[str, PoseResult] = {}
            for name in TASKS:
                progress.update(task, description=f"posing: {name}", note="")
                answers[name], made[f"pose: {name}"] = pose_and_write(name, out)
                progress.advance(task)
            made["all poses"] = [draw_poses(answers, out)]
            progress.advance(task)
        progress.update(task, description="done", note="")
    _print(motions, answers, made, time.perf_counter() - began)


def _make_clips(progress: Progress, task: TaskID) -> dict[str, Motion]:
    from posewright.figure.catalogue import build, with_club
    from posewright.motion import procedural

    human = build("human")
    makers: dict[str, Callable[[], Motion]] = {
        "walk": lambda: procedural.walk(human),
        "run": lambda: procedural.run(human),
        "jump": lambda: procedural.jump(human),
        "throw": lambda: procedural.throw(human),
        "golf_swing": lambda: procedural.golf_swing(with_club(human)),
    }
    motions = {}
    for name, make in makers.items():
        progress.update(task, description=f"making {name}", note="")
        motions[name] = make()
        progress.advance(task)
    return motions


def _write_files(motions: dict[str, Motion], out: Path, progress: Progress, task: TaskID) -> dict[str, list[Path]]:
    from posewright.formats import save

    made: dict[str, list[Path]] = {}
    for name, motion in motions.items():
        progress.update(task, description=f"writing {name}", note="")
        made[name] = [out / f"{name}.bvh", out / f"{name}.glb"]
        for path in made[name]:
            save(motion, path)
        progress.advance(task)
    return made


def _draw(motions: dict[str, Motion], out: Path, progress: Progress, task: TaskID) -> dict[str, list[Path]]:
    """A poster with a moment of each clip, a contact sheet with a row per clip, and a film with a panel per clip."""
    import numpy as np

    from posewright.report.camera import DIRECTIONS
    from posewright.report.film import Film
    from posewright.report.image_files import write_gif, write_png

    progress.update(task, description="drawing the poster", note="")
    poster = [
        Film(motions=(motion,), width=256, height=360, colours=(colour,)).picture(CLIPS[name])
        for (name, motion), colour in zip(motions.items(), COLOURS, strict=True)
    ]
    write_png(np.concatenate(poster, axis=1), out / "poster.png")
    progress.update(task, description="drawing the contact sheet", note="")
    rows = [
        Film(motions=(motion,), direction=DIRECTIONS["side"], width=220 * MOMENTS, height=240)
        for motion in motions.values()
    ]
    write_png(np.concatenate([film.sheet(columns=MOMENTS, rows=1) for film in rows]), out / "clips.png")
    progress.advance(task)

    progress.update(task, description="drawing the film", note="")
    panels = [
        Film(motions=(motion,), width=200, height=260, fps=FILM_FPS, follow=True, colours=(colour,))
        for motion, colour in zip(motions.values(), COLOURS, strict=True)
    ]
    write_gif(_side_by_side(panels), out / "clips.gif", fps=FILM_FPS)
    progress.advance(task)
    return {"all clips": [out / "poster.png", out / "clips.png", out / "clips.gif"]}


def _side_by_side(panels: list[Film]) -> Iterator[Picture]:
    """The panels' pictures beside each other; one that has ended begins again."""
    import numpy as np

    drawn = [list(panel.pictures()) for panel in panels]
    for moment in range(max(map(len, drawn))):
        yield np.concatenate([pictures[moment % len(pictures)] for pictures in drawn], axis=1)


def _print(
    motions: dict[str, Motion], answers: dict[str, PoseResult], made: dict[str, list[Path]], seconds: float
) -> None:
    from rich.console import Console
    from rich.table import Table

    folder = made["walk"][0].parent
    table = Table(box=None, pad_edge=False)
    table.add_column("what", no_wrap=True)
    table.add_column("frames", justify="right")
    table.add_column("seconds", justify="right")
    table.add_column(f"files in {folder}", overflow="fold")
    for name, paths in made.items():
        motion = motions.get(name)
        counts = (str(len(motion)), f"{motion.duration:.1f}") if motion else ("", "")
        table.add_row(name, *counts, "  ".join(path.name for path in paths))
    console = Console(soft_wrap=True, highlight=False)
    console.print(table)
    console.print(f"made in {seconds:.0f} s; open a .glb in any viewer, or make films of your own:")
    console.print(f"  posewright render {made['walk'][0]} -o walk.gif")
    console.print("or change what is wanted of a pose:")
    console.print(f"  posewright pose {made['pose: reach'][0]} -o reach.png")
    for name, result in answers.items():
        console.print(f"{name}: {result}", style="dim", markup=False)
