"""The command line as a user calls it, without the cost of a process for each call."""

import sys
from typing import NamedTuple

import pytest

from posewright.cli import main


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def posewright(monkeypatch, capsys):
    """`posewright("info", path)`: exit code, output and errors of the command."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["posewright", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return Done(left.value.code or 0, *capsys.readouterr())

    return call
