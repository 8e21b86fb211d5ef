"""The commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer

COMMANDS = {
    "info": "info",
    "convert": "convert",
    "retarget": "retarget",
    "check": "check",
    "render": "render",
    "figures": "figures",
    "demo": "demo",
    "experiment": "experiment",
    "pose": "pose",
    "edit": "edit",
    "compile": "compile_kernels",
    "design": "design",
    "model": "model",
    "postures": "postures",
}
"""The module of each, which has a function of its own name, or a group of commands called `app`."""


def command_line(only: str | None = None) -> typer.Typer:
    """All commands; `only` one of them saves importing the others."""
    app = typer.Typer(
        name="posewright",
        help="Pose, retarget and edit articulated figures: mocap characters, digital humans, humanoid robots.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # importing rich takes longer than many commands run
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in [only] if only in COMMANDS else COMMANDS:
        module = import_module(f"posewright.cli.{COMMANDS[name]}")
        if hasattr(module, "app"):
            for command in module.app.registered_commands:
                command.help = _help(command.callback)
            app.add_typer(module.app, name=name)
        else:
            function = getattr(module, COMMANDS[name])
            app.command(name, help=_help(function))(function)
    return app


def _help(command: Callable[..., Any]) -> str:
    """A command's docstring; examples keep their lines (the mark is click's)."""
    return inspect.cleandoc(command.__doc__ or "").replace("For example:", "\b\nFor example:")


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
