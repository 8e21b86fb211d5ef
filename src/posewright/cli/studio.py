"""`posewright studio`: the editor in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from posewright.errors import InvalidSetting


def studio(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="A figure or clip to open, or the name of a built-in figure (default: human)."),
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any that is free.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    folder: Annotated[
        Path, typer.Option("--folder", help="Where files are opened from and saved to (default: this folder).")
    ] = Path(),
    host: Annotated[
        str, typer.Option("--host", help="Listen at another address than this machine's own; others can then connect.")
    ] = "127.0.0.1",
) -> None:
    """Open the editor in the browser and serve it until Ctrl-C.

    For example:
        posewright studio
        posewright studio human40 --no-browser
        posewright studio walk.bvh --port 8000
    """
    from posewright.files import figure
    from posewright.studio.page import page_files
    from posewright.studio.server.guard import LOOPBACK
    from posewright.studio.server.serving import serve
    from posewright.studio.session.editor import Editor
    from posewright.studio.session.opening import opened

    names = files or ["human"]
    if len(names) > 1:
        raise InvalidSetting(f"the studio opens one figure so far; {len(names)} files were given")
    if not folder.is_dir():
        raise InvalidSetting(f"--folder is {str(folder)!r}, which is no folder")
    state = opened(figure(names[0]))
    page = page_files(lambda step: typer.echo(f"studio: {step}", err=True))
    if host not in LOOPBACK:
        typer.echo(f"studio: anyone who can reach {host} and has the address below can edit here", err=True)
    serve(Editor(state), page, host=host, port=port, say=typer.echo, open_browser=not no_browser)
