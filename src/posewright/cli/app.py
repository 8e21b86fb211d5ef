"""The commands and what they share."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

COMMANDS = (
    "info",
    "convert",
    "retarget",
    "check",
    "render",
    "figures",
    "demo",
    "experiment",
    "pose",
    "edit",
    "compile",
    "design",
    "model",
    "postures",
)
"""Each is a function in the module of its name, or there is a group of commands called `app` in it."""


def command_line(only: str | None = None) -> typer.Typer:
    """All commands; `only` one of them spares the import of the others."""
    app = typer.Typer(
        name="posewright",
        help="Pose, retarget and edit highly articulated figures: mocap characters, digital humans, humanoid robots.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in [only] if only in COMMANDS else COMMANDS:
        module = import_module(f"posewright.cli.{_MODULES.get(name, name)}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(getattr(module, _MODULES.get(name, name)))
    return app


_MODULES = {"compile": "compile_kernels"}


def _print_version(wanted: bool) -> None:
    if wanted:
        from posewright import __version__

        typer.echo(f"posewright {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options before any command."""
