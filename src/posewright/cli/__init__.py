"""The command line: one file per command, each importing what it needs only when it runs."""

from __future__ import annotations

import sys
from typing import Any

INTERRUPTED = 130
"""The exit code of a command stopped by Ctrl-C."""


def main() -> None:
    """Entry point of `posewright`: bad input is one sentence and exit code 2, never a traceback."""
    from typer import BadParameter

    from posewright.cli.app import app
    from posewright.errors import PosewrightError

    if len(sys.argv) == 1:
        sys.argv.append("--help")
    try:
        left = app(standalone_mode=False)
    except PosewrightError as error:
        print(f"posewright: {error}", file=sys.stderr)
        sys.exit(2)
    except Exception as error:
        if not isinstance(error, BadParameter.__bases__):  # what all mistakes in a command's words are; it has no name
            raise
        print(f"posewright: {_sentence(error)}", file=sys.stderr)
        sys.exit(2)
    if left == INTERRUPTED:  # typer turns Ctrl-C into an exit without a word
        print("posewright: interrupted; what was complete is on disk", file=sys.stderr)
    sys.exit(left or 0)


def _sentence(error: Any) -> str:
    """What is wrong with the words of a command, and where its options are told."""
    message = " ".join(str(error.format_message()).split()).rstrip(".")
    message = message.replace("Value error, ", "").replace(". Did", "; did")
    command = error.ctx.info_name if error.ctx is not None and error.ctx.parent is not None else ""
    see = f"see posewright {command} --help" if command else "see posewright --help"
    return f"{message[:1].lower()}{message[1:]}{', ' if message.endswith('?') else '; '}{see}"
