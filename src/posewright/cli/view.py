"""`posewright view`: show figures and clips in the browser, read-only."""

from __future__ import annotations

from pathlib import Path

import click

from posewright.cli import options


@click.command(cls=options.CommandWithExamples)
@click.argument("files", nargs=-1, required=True)
@options.served
def view(files: tuple[str, ...], port: int, no_browser: bool, host: str) -> None:
    """Show figures and clips in the browser, read-only, until Ctrl-C.

    For example:
        posewright view walk.bvh
        posewright view walk.bvh walking.glb
        posewright view human40 --no-browser
    """
    from posewright.files import figure
    from posewright.formats import load
    from posewright.studio.page import page_files
    from posewright.studio.recording import recording
    from posewright.studio.server.guard import LOOPBACK
    from posewright.studio.server.serving import serve_view

    shown = [(Path(name).name, load(name) if Path(name).suffix else figure(name)) for name in files]
    page = page_files(lambda step: click.echo(f"view: {step}", err=True))
    if host not in LOOPBACK:
        click.echo(f"view: anyone who can reach {host} and has the address below can view these files", err=True)
    serve_view(recording(shown), page, host=host, port=port, say=click.echo, open_browser=not no_browser)
