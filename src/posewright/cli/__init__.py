"""The command line: one file per command, each importing what it needs only when it runs."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""The exit code of a command stopped by Ctrl-C."""


def main() -> None:
    """Entry point of `posewright`: bad input is one sentence and exit code 2, never a traceback."""
    from posewright.cli.app import app
    from posewright.errors import PosewrightError

    try:
        app()
    except PosewrightError as error:
        print(f"posewright: {error}", file=sys.stderr)
        sys.exit(2)
    except SystemExit as left:
        if left.code == INTERRUPTED:  # typer turns Ctrl-C into an exit without a word
            print("posewright: interrupted; what was complete is on disk", file=sys.stderr)
        raise
