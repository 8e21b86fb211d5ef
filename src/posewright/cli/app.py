"""The commands and what they share."""

from __future__ import annotations

from typing import Annotated

import typer

from posewright.cli import (
    check,
    compile_kernels,
    convert,
    demo,
    design,
    edit,
    experiment,
    figures,
    info,
    model,
    pose,
    postures,
    render,
    retarget,
)

app = typer.Typer(
    name="posewright",
    help="Pose, retarget and edit highly articulated figures: mocap characters, digital humans, humanoid robots.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("info")(info.info)
app.command("convert")(convert.convert)
app.command("retarget")(retarget.retarget)
app.command("check")(check.check)
app.command("render")(render.render)
app.command("figures")(figures.figures)
app.command("demo")(demo.demo)
app.command("experiment")(experiment.experiment)
app.command("pose")(pose.pose)
app.command("edit")(edit.edit)
app.command("compile")(compile_kernels.compile_kernels)
app.command("design")(design.design)
app.add_typer(model.app, name="model")
app.add_typer(postures.app, name="postures")


def _print_version(wanted: bool) -> None:
    if wanted:
        from posewright import __version__

        typer.echo(f"posewright {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Options before any command."""
