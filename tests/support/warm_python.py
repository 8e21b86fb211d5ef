"""Programs in processes of their own that have NumPy and Numba already: each is forked from one that imported them.

To import them and to end takes a new process longer than what most of these programs do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_PARENT = """
import gc, json, os, sys
from concurrent.futures import ThreadPoolExecutor
import numba, numpy
def read(end):
    with open(end, encoding="utf-8") as pipe:
        return pipe.read()
gc.freeze()
for line in sys.stdin:
    asked = json.loads(line)
    ends, pipes = zip(os.pipe(), os.pipe())
    child = os.fork()
    if not child:
        break
    for end in pipes:
        os.close(end)
    with ThreadPoolExecutor(2) as pool:  # both at once, or a full pipe would keep the other waiting
        said = list(pool.map(read, ends))
    print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), *said]), flush=True)
else:
    os._exit(0)
for number, end in enumerate((os.open(os.devnull, os.O_RDONLY), *pipes)):
    os.dup2(end, number)
    os.close(end)
os.environ.clear()
os.environ.update(asked["environment"])
os.chdir(asked["folder"])
sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
program = compile(asked["program"], "<string>", "exec")
for name in [name for name in globals() if not name.startswith("_") and name != "program"]:
    del globals()[name]  # what a program does not import it does not have
exec(program)
"""
_idle: dict[str, list[subprocess.Popen[str]]] = {}


def run_python(
    program: str, folder: Path, environment: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[str]:
    """What `python -c PROGRAM` does in a folder."""
    if not hasattr(os, "fork"):
        return subprocess.run(
            [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    of_numba = {name: value for name, value in environment.items() if name.startswith("NUMBA_")}  # read on import
    idle = _idle.setdefault(json.dumps(of_numba), [])
    parent = idle.pop() if idle else _parent(of_numba)
    assert parent.stdin is not None
    assert parent.stdout is not None
    asked = {"program": program, "folder": str(folder), "environment": dict(environment)}
    print(json.dumps(asked), file=parent.stdin, flush=True)
    answer = json.loads(parent.stdout.readline())
    idle.append(parent)
    return subprocess.CompletedProcess(program, *answer)


def _parent(of_numba: Mapping[str, str]) -> subprocess.Popen[str]:
    """It ends with this process, which holds the other end of its input."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTHONPATH"))}
    return subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=kept | of_numba, text=True
    )
