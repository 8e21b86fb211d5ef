"""MuJoCo's compiler in a fork of this process instead of a new one: the same trial, many times as often."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from posewright.formats.robots import mjcf_model


def fork_compiler() -> None:
    """Let readers of MJCF fork. Limits on memory and time are set in the child, as in the program of its own."""
    if hasattr(os, "fork"):
        forking = SimpleNamespace(run=_run, TimeoutExpired=subprocess.TimeoutExpired)
        vars(mjcf_model)["subprocess"] = forking


def _run(command: list[str], *, cwd: Path, **_: Any) -> subprocess.CompletedProcess[bytes]:
    from posewright.formats.robots import mjcf_compiler

    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.dup2(output.fileno(), 1)
                os.dup2(errors.fileno(), 2)
                os.chdir(cwd)
                sys.argv = command[2:]
                mjcf_compiler.main()
                code = 0
            except BaseException as error:  # as the interpreter would, but without the handlers of the parent
                os.write(2, f"{type(error).__name__}: {error}".encode())
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(command, code, output.read(), errors.read())
