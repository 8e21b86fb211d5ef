"""Kernels inside kernels do what the same functions do in Python, whatever arrays they hand to each other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import posewright

KERNELS = """
import numpy as np

from posewright.kernels.jit import dot_kernel, kernel


@kernel
def line(a) -> float:
    total = 1000.0 * a.shape[0] + 100.0 * a.size
    for i in range(a.shape[0]):
        total += (i + 1) * a[i]
    return total


@dot_kernel
def grid(a) -> float:
    total = 1000.0 * a.shape[0] + 100.0 * a.shape[1] + a.size
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += (10 * i + j) * a[i, j]
        total += line(a[i])
    return total


@kernel
def block(a) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += (i + 1) * grid(a[i]) + a[i, -1, -1]
    return total


@kernel
def rows(table) -> float:
    total = 0.0
    for k in range(table.shape[0]):
        total += table[k]["number"] + line(table[k]["vector"]) * table[k]["count"]
    return total


@kernel
def fill(a, value: float) -> None:
    for i in range(a.shape[0]):
        a[i] = value + i


@kernel
def given_back(a):
    if a.shape[0] == 0:
        return np.zeros(1)
    return a


@kernel
def longer(a):
    made = np.zeros(a.shape[0] + 1)
    fill(made, line(a))
    return given_back(made)


@kernel
def judge(vector, matrix, cube, table, flags, out):
    out[0] = line(vector)
    out[1] = line(matrix[-1])
    out[2] = line(matrix[:, 1])
    out[3] = grid(matrix[1:])
    out[4] = grid(matrix[:, 1:])
    out[5] = block(cube)
    out[6] = rows(table) + rows(table[1:])
    out[7] = line(flags)
    out[8] = line(given_back(vector)) + line(longer(given_back(vector)))
    fill(out[9:12], 0.5)
    kept = np.ones(3)
    for _ in range(100):
        kept = longer(kept[:3])
    out[12] = line(given_back(kept)) ** 2
"""
RUN = """
import numpy as np
from numba.core import config
from numba.core.runtime import rtsys
from posewright.kernels.borrowers import judge

vector = np.arange(4.0)
matrix = np.arange(12.0).reshape(4, 3)
thin = np.lib.stride_tricks.as_strided(np.arange(3.0), (1, 3), (8 * 77, 8))  # C-ordered, with a stride never used
cube = np.arange(24.0).reshape(2, 3, 4)
table = np.zeros(3, np.dtype([("count", "i8"), ("vector", "f8", (3,)), ("number", "f8")], align=True))
table["count"], table["number"], table["vector"] = [1, 2, 3], [0.5, 0.25, 0.125], np.arange(9.0).reshape(3, 3)
flags = np.array([1, 0, 3], np.int8)
for m in (matrix, thin):
    for c in (cube, cube[:0]):
        out = np.zeros(13)
        judge(vector, m, c, table, flags, out)
        print(*out.tolist())
if not config.DISABLE_JIT:
    stats = rtsys.get_allocation_stats()
    assert stats.alloc > 100, stats
    assert (stats.alloc, stats.mi_alloc) == (stats.free, stats.mi_free), stats
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with more kernels."""
    source = Path(posewright.__file__).parent
    shutil.copytree(source, tmp_path / "src" / "posewright", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "src" / "posewright" / "kernels" / "borrowers.py").write_text(KERNELS)
    return tmp_path


def run(package: Path, *, compiled: bool) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(package / "src"),
        "POSEWRIGHT_CACHE": str(package / "cache"),
        "NUMBA_DISABLE_JIT": "0" if compiled else "1",
        "NUMBA_NRT_STATS": "1",
    }
    done = subprocess.run([sys.executable, "-c", RUN], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_arrays_that_kernels_hand_to_each_other_are_those_that_python_would(package: Path) -> None:
    wanted = run(package, compiled=False)
    assert len(wanted.split()) == 4 * 13
    assert run(package, compiled=True) == wanted
    assert run(package, compiled=True) == wanted, "from the cache"
