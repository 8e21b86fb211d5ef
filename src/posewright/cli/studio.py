"""`posewright studio`: the editor in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from posewright.cli import options
from posewright.errors import InvalidSetting


@click.command(cls=options.Command)
@click.argument("files", nargs=-1)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0: any that is free.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option(
    "--folder", type=options.PATH, default=".", help="Where files are opened from and saved to (default: this folder)."
)
@click.option(
    "--host",
    default="127.0.0.1",
    help="Listen at another address than this machine's own; others can then connect.",
)
def studio(files: tuple[str, ...], port: int, no_browser: bool, folder: Path, host: str) -> None:
    """Open the editor in the browser and serve it until Ctrl-C.

    The first figure or clip is edited; others are there to retarget from and to.

    For example:
        posewright studio
        posewright studio human40 --no-browser
        posewright studio walk.bvh --port 8000
        posewright studio swing.bvh golf.model.npz
        posewright studio walk.bvh character.glb
    """
    from dataclasses import replace

    from posewright.files import figure
    from posewright.formats import load
    from posewright.models.motion_model import MotionModel
    from posewright.motions import Motion
    from posewright.studio.page import page_files
    from posewright.studio.server.guard import LOOPBACK
    from posewright.studio.server.serving import serve
    from posewright.studio.session.clip_opening import opened_motion
    from posewright.studio.session.editor import Editor
    from posewright.studio.session.library import Library
    from posewright.studio.session.opening import opened

    models = [name for name in files if name.endswith(".model.npz")]
    names = [name for name in files if name not in models] or ["human"]
    if len(models) > 1:
        raise InvalidSetting(f"edits stay in one model; {len(models)} were given: {', '.join(models)}")
    if not folder.is_dir():
        raise InvalidSetting(f"--folder is {str(folder)!r}, which is no folder")
    found, *others = (load(name) if Path(name).suffix else figure(name) for name in names)
    if models and not isinstance(found, Motion):
        raise InvalidSetting(f"a model is for editing a clip, and {names[0]!r} is none; give a clip first")
    model = MotionModel.load(models[0]) if models else None
    state = opened_motion(found, model) if isinstance(found, Motion) else opened(found)
    shelved = zip((Path(name).name for name in names[1:]), others, strict=True)
    state = replace(state, library=Library.of(shelved))
    page = page_files(lambda step: click.echo(f"studio: {step}", err=True))
    if host not in LOOPBACK:
        click.echo(f"studio: anyone who can reach {host} and has the address below can edit here", err=True)
    serve(Editor(state), page, host=host, port=port, say=click.echo, open_browser=not no_browser)
