"""`posewright demo`: show what the package can do, using only data that ships with it."""

from __future__ import annotations

import time
from pathlib import Path

import click

from posewright.cli import options
from posewright.cli.printing import StatusLine, print_facts


@click.command(cls=options.CommandWithExamples)
@click.option("-o", "--out", type=options.PATH, default="posewright-demo", help="Output folder.")
def demo(out: Path) -> None:
    """Try everything once, and write files, pictures and a report.

    For example:
        posewright demo
        posewright demo -o /some/folder
    """
    from posewright.demo.story import tell_story
    from posewright.kernels.compiling.jit import compile_listener

    options.make_folder(out)
    began = time.perf_counter()
    with StatusLine() as progress, compile_listener(progress.compiling):
        chapters, report = tell_story(out, progress)
    for chapter in chapters:
        files = [(what, "  ".join(path.name for path in paths)) for what, paths in chapter.files.items()]
        print_facts(files, title=chapter.title)
        for sentence in chapter.sentences:
            click.echo(sentence)
        click.secho(f"try it yourself: {chapter.command}\n", dim=True)
    click.echo(f"made in {time.perf_counter() - began:.0f} s; report: {report}")
    click.secho(f"edit it by hand (needs the extra studio): posewright studio {out / 'walk.glb'}", dim=True)
