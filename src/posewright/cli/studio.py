"""`posewright studio`: open the editor in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from posewright.cli import options


@click.command(cls=options.CommandWithExamples)
@click.argument("files", nargs=-1)
@click.option(
    "--folder", type=options.PATH, default=".", help="Folder for opening and saving files (default: the current one)."
)
@options.served
def studio(files: tuple[str, ...], port: int, no_browser: bool, folder: Path, host: str) -> None:
    """Open the editor in the browser and serve it until Ctrl-C.

    The first figure, clip or task is opened for editing; further figures and clips are available for retargeting. Edit
    and pose files and a motion model are loaded too. A project (.posewright) is a saved session.

    For example:
        posewright studio
        posewright studio human40 --no-browser
        posewright studio walk.bvh --port 8000
        posewright studio swing.bvh golf.model.npz
        posewright studio walk.bvh character.glb
        posewright studio reach.task.yaml
        posewright studio walk.posewright
    """
    from posewright.studio.files.beginning import begun
    from posewright.studio.page import page_files
    from posewright.studio.server.guard import LOOPBACK
    from posewright.studio.server.serving import serve
    from posewright.studio.session.editor import Editor

    beginning = begun(files, folder)
    for notice in beginning.notices:
        click.echo(f"studio: {notice}", err=True)
    editor = Editor(beginning.session.states[0])
    editor.go_on_with(beginning.session, saved=True)
    page = page_files(lambda step: click.echo(f"studio: {step}", err=True))
    if host not in LOOPBACK:
        click.echo(f"studio: anyone who can reach {host} and has the address below can edit here", err=True)
    serve(
        editor,
        page,
        lambda token, standing: beginning.files(editor, token, standing),
        beginning.standing(),
        host=host,
        port=port,
        say=click.echo,
        open_browser=not no_browser,
    )
