"""The command line: one file per command, each importing what it needs only when it runs."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Any

INTERRUPTED = 130
"""The exit code of a command stopped by Ctrl-C."""


def main() -> None:
    """Entry point of `posewright`: bad input is one sentence and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without our letters gets question marks
    try:
        sys.exit(_run())
    except KeyboardInterrupt:  # typer turns it into an exit code, but not before it has been imported
        _print_error("interrupted")
        sys.exit(INTERRUPTED)


def _run() -> int:
    from typer import BadParameter

    from posewright.cli.app import command_line
    from posewright.errors import PosewrightError

    if len(sys.argv) == 1:
        sys.argv.append("--help")
    try:
        left = command_line(sys.argv[1])(standalone_mode=False)
        if sys.stdout is not None:  # it is closed (`>&-`)
            sys.stdout.flush()
    except PosewrightError as error:
        return _refuse(str(error))
    except MemoryError as error:
        return _refuse(f"there is not enough memory for this ({str(error).lower() or 'none left'})")
    except OSError as error:  # files that are read or saved raise errors of their own
        _leave_silently()
        where = error.filename or "the output could not be written"
        return _refuse(f"{where}: {(error.strerror or str(error)).lower()}")
    except Exception as error:
        if not isinstance(error, BadParameter.__bases__):  # the base of all usage errors, which typer does not export
            raise
        if type(error).__name__ == "NoArgsIsHelpError":  # a group of commands by itself; its message is its help
            print(error, file=sys.stderr)
            return 2
        return _refuse(_sentence(error))
    if left == INTERRUPTED:  # typer turns Ctrl-C into an exit without a word
        _print_error("interrupted; what was complete is on disk")
    return int(left or 0)


def _refuse(sentence: str) -> int:
    _print_error(sentence)
    return 2


def _print_error(sentence: str) -> None:
    print(f"posewright: {sentence}", file=sys.stderr)


def _leave_silently() -> None:
    """Python writes what is left in the buffer when it ends; that must not fail again."""
    with contextlib.suppress(OSError, ValueError):  # a replaced stream may have no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence(error: Any) -> str:
    """What is wrong with the words of a command, and where its options are listed."""
    message = " ".join(str(error.format_message()).split()).rstrip(".")
    message = message.replace("Value error, ", "").replace(". Did", "; did")
    words, context = ["--help"], error.ctx
    while context is not None and context.parent is not None:
        words.insert(0, context.info_name)
        context = context.parent
    see = f"see posewright {' '.join(words)}"
    return f"{message[:1].lower()}{message[1:]}" + (f" {see.capitalize()}" if message.endswith("?") else f"; {see}")
