"""`posewright demo`: everything the package can do with nothing but what ships with it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from posewright.cli.printing import print_facts
from posewright.cli.writing import make_folder

if TYPE_CHECKING:
    from posewright.demo.story import Story


def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder.")] = Path("posewright-demo"),
) -> None:
    """Make clips, pose by goals, retarget, edit and design; write files, pictures and one report of it all.

    For example:

        posewright demo

        posewright demo -o /some/folder
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from posewright.demo.story import tell_story
    from posewright.kernels.compiling.jit import compile_listener

    make_folder(out)
    began = time.perf_counter()
    columns = (
        SpinnerColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        TextColumn("[dim]{task.fields[note]}"),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None, note="")

        def tell(what: str) -> None:
            progress.update(task, description=what, note="")

        def compiling(kernel: str) -> None:
            progress.update(task, note=f"compiling kernels, once per machine: {kernel}")

        with compile_listener(compiling):
            story = tell_story(out, tell)
    _print(story, time.perf_counter() - began)


def _print(story: Story, seconds: float) -> None:
    for chapter in story.chapters:
        files = [(what, "  ".join(path.name for path in paths)) for what, paths in chapter.files.items()]
        print_facts(files, title=chapter.section.title)
        for sentence in chapter.sentences:
            typer.echo(sentence)
        typer.secho(f"try it yourself: {chapter.command}\n", dim=True)
    typer.echo(f"made in {seconds:.0f} s; all of it on one page: {story.report}")
