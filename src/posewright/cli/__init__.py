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
        _tell("interrupted")
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
    except OSError as error:  # not of files that are read or saved, which is told there
        _leave_silently()
        where = error.filename or "the output could not be written"
        return _refuse(f"{where}: {(error.strerror or str(error)).lower()}")
    except Exception as error:
        if not isinstance(error, BadParameter.__bases__):  # what all mistakes in a command's words are; it has no name
            raise
        sentence = _sentence(error)
        return _refuse(sentence) if sentence else 2
    if left == INTERRUPTED:  # typer turns Ctrl-C into an exit without a word
        _tell("interrupted; what was complete is on disk")
    return int(left or 0)


def _refuse(sentence: str) -> int:
    _tell(sentence)
    return 2


def _tell(sentence: str) -> None:
    print(f"posewright: {sentence}", file=sys.stderr)


def _leave_silently() -> None:
    """Python tries once more to write what is left over when it ends; that must not fail again."""
    with contextlib.suppress(OSError, ValueError):  # what stands in for a terminal may have no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence(error: Any) -> str:
    """What is wrong with the words of a command, and where its options are told."""
    message = " ".join(str(error.format_message()).split()).rstrip(".")
    if not message:  # a group of commands asked for by itself: its help was printed
        return ""
    message = message.replace("Value error, ", "").replace(". Did", "; did")
    words, context = ["--help"], error.ctx
    while context is not None and context.parent is not None:
        words.insert(0, context.info_name)
        context = context.parent
    see = f"see posewright {' '.join(words)}"
    return f"{message[:1].lower()}{message[1:]}" + (f" {see.capitalize()}" if message.endswith("?") else f"; {see}")
