"""The command line: one file per command, each importing what it needs only when it runs."""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from click import ClickException

INTERRUPTED = 130
"""The exit code of a command stopped by Ctrl-C."""


def main() -> None:
    """Entry point of `posewright`: bad input is one sentence and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without our letters gets question marks
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # of libraries, about numbers that overflow: we check what comes out
    gc.set_threshold(200_000)  # collecting while modules are imported is a twentieth of a short command
    atexit.register(gc.freeze)  # collecting all that is left when the process ends would be a quarter
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # our matrices are small: its threads would wait for each other
    try:
        sys.exit(_run())
    except KeyboardInterrupt:
        _print_error("interrupted")
        sys.exit(INTERRUPTED)


def _run() -> int:
    import click

    from posewright.cli.app import command_line
    from posewright.errors import PosewrightError

    if len(sys.argv) == 1:
        sys.argv.append("--help")
    try:
        left = command_line(prog_name="posewright", standalone_mode=False)
        if sys.stdout is not None:  # it is closed (`>&-`)
            sys.stdout.flush()
    except PosewrightError as error:
        return _refuse(str(error))
    except click.exceptions.NoArgsIsHelpError as error:  # a group of commands by itself; its message is its help
        print(error, file=sys.stderr)
        return 2
    except click.ClickException as error:
        return _refuse(_sentence(error))
    except MemoryError as error:
        return _refuse(f"there is not enough memory for this ({str(error).lower() or 'none left'})")
    except OSError as error:  # files that are read or saved raise errors of their own
        _leave_silently()
        where = error.filename or "the output could not be written"
        return _refuse(f"{where}: {(error.strerror or str(error)).lower()}")
    if left == INTERRUPTED:
        _print_error("interrupted; what was complete is on disk")
    return int(left or 0)


def _refuse(sentence: str) -> int:
    _print_error(sentence)
    return 2


def _print_error(sentence: str) -> None:
    from posewright.errors import PosewrightError

    print(f"posewright: {PosewrightError(sentence)}", file=sys.stderr)  # one line, not too long


def _leave_silently() -> None:
    """Python writes what is left in the buffer when it ends; that must not fail again."""
    with contextlib.suppress(OSError, ValueError):  # a replaced stream may have no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence(error: ClickException) -> str:
    """What is wrong with the words of a command, and where its options are listed."""
    message = " ".join(error.format_message().split()).rstrip(".").replace(". (Did", " (did")
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "posewright"
    return f"{message[:1].lower()}{message[1:]}; see {command} --help"
