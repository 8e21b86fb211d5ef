"""The command line: one file per command, each importing what it needs only when it runs."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Entry point of `posewright`: bad input is one sentence and exit code 2, never a traceback."""
    from posewright.cli.app import app
    from posewright.errors import PosewrightError

    try:
        app()
    except PosewrightError as error:
        print(f"posewright: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("posewright: interrupted; what was complete is on disk", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has closed: `posewright figures | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
