"""The commands, each loaded on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from posewright import __version__
from posewright.cli import INTERRUPTED
from posewright.cli.options import Group

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
    "studio": "studio",
    "view": "view",
    "batch": "batch",
}
"""The module of each command; the command in it has the module's name."""


class _Commands(Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        command: click.Command = getattr(import_module(f"posewright.cli.{COMMANDS[cmd_name]}"), COMMANDS[cmd_name])
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="posewright %(version)s", help="Print the version and exit.")
def command_line() -> None:
    """Pose, retarget and edit articulated figures: mocap characters, digital humans, humanoid robots."""
