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

from posewright.kernels.compiling.jit import dot_kernel, kernel


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
all_freed(at_least=100)
"""


ALL_FREED = """
def all_freed(at_least):
    from numba.core import config
    from numba.core.runtime import rtsys

    if not config.DISABLE_JIT:
        stats = rtsys.get_allocation_stats()
        assert stats.alloc > at_least, stats
        assert (stats.alloc, stats.mi_alloc) == (stats.free, stats.mi_free), stats
"""
ITEMS = """
import numpy as np

from posewright.kernels.compiling.jit import kernel


@kernel
def numbers(a, i, j, small, unsigned, out):
    out[0], out[1], out[2], out[3] = a[i], a[-1], a[-a.shape[0]], a[j]
    out[4], out[5], out[6] = a[small], a[unsigned], a[-2 + i]
    a[i] = 7
    a[-1] = a[0]
    a[unsigned] += 1


@kernel
def grids(m, i, j, out):
    out[0], out[1], out[2], out[3], out[4] = m[i, j], m[-1, 0], m[0, -1], m[i][j], m[-1][-1]
    m[i, -1] = 4
    m[i][j] += 0.5
    row = m[i]
    row[0] = 9
    out[5], out[6], out[7] = m[i, 0], row[-1], m.shape[0] + 10 * row.shape[0]


@kernel
def cubes(c, i, j, k, out):
    face, line = c[-1], c[i, j]
    line[-1] = 3
    out[0], out[1], out[2], out[3] = c[i, j, k], face[j, k], line[k], c[i][j][k]
    out[4], out[5] = c[i][j, k], c[i, -1][k]
    out[6], out[7] = face.shape[0] + 10 * face.shape[1], line.shape[0] + 10 * line.size


@kernel
def records(table, k, out):
    table[k]["number"] = 2.5
    table[-1]["vector"][1] = 6
    one, first = table[k], table[0]
    one["vector"][-1] = 4
    out[0] = one["number"] + 10 * table[-1]["vector"][1] + 100 * first["vector"][2] + first["count"]
    out[0] += 1000 * table[k]["vector"][k]
    out[1] = table[k]["pairs"][1, 0] + 10 * table[-1]["pairs"][-1][-1]


@kernel
def loops(n, m, a, rows, out):
    total, last = 0.0, -1
    for i in range(n):
        if i == 1:
            continue
        for j in range(i, m):
            last = j
            if j > 5:
                break
            total += 10 * i + j
            i += 100
    for i in range(m, n):
        total += 1000 * i
    for i in range(n, -3, -1):
        total += 0.1 * i
    for i in range(-4, n, 3):
        total += 0.01 * i
    kept = range(2, n)
    n = 50
    for i in kept:
        total += i / 7
    for i in range(kept.start, kept.stop + a.shape[0]):
        total += i
    for number in a:
        total += 3 * float(number)
    for row in rows:
        total += float(row[0]) * float(row[-1])
    for i, number in enumerate(a):
        total += i * float(number)
    for k in (3, 1, 2):
        total += float(a[k]) if k < a.shape[0] else 0
    out[0], out[1] = total, last


@kernel
def made(n, m, out):
    line, whole, flat = np.zeros(n), np.zeros((n, m), np.int8), np.zeros((2, n, m), dtype=np.float32)
    total = line.size + 10.0 * whole.size + 100.0 * flat.size
    for i in range(n):
        total += line[i]
        for j in range(m):
            total += whole[i, j] + flat[0, i, j] + flat[1, i, j]
    filled, other = np.empty((n, 3)), np.empty(n + 1, dtype=np.int64)
    filled[:, :] = 2.5
    filled[0, 0] = 1
    other[:] = n
    flat[:] = 3
    filled[:] = filled[0, 0] + filled[0, 1] if n < 5 else 4
    whole[:] = 300 - 299
    for i in range(n):
        total += filled[i, 0] * filled[i, 2] + other[i] + flat[0, i, 0] + whole[i, -1] + whole.shape[1]
    for number in np.ones(n, np.int8):
        total += float(number)
    total += np.ones((n, m))[-1][0]
    out[0], out[1] = total, other[-1] + np.zeros((0, 3)).shape[1] + np.empty(shape=2).size


@kernel
def row_of_new(n, which):
    made = np.zeros((n, 3))
    made[which, 1] = n
    return made[which]


@kernel
def owners(n, out):
    total = 0.0
    kept = row_of_new(3, 1)
    for i in range(2, n):
        row = row_of_new(i, -1)
        other = np.zeros((i, 3))  # where the first would have been, had its row not kept it
        other[:] = 77
        block = np.zeros((2, i, 3))
        face = block[1]
        block = np.zeros((1, 1, 1))
        face[0, 0] = i
        kept, row = row, kept
        total += kept[1] + 10 * row[1] + 100 * face[0][0] + block[0, 0, 0] + other[-1, -1]
    out[0], out[1] = total, kept[1]


@kernel
def judge(kind, vectors, matrices, cube, table, out):
    if kind == 0:
        numbers(vectors, 1, -3, np.int32(2), np.uint64(0), out)
    elif kind == 1:
        grids(matrices, 1, -2, out)
    elif kind == 2:
        cubes(cube, 1, -1, 2, out)
    elif kind == 3:
        records(table, 1, out)
    elif kind == 4:
        loops(4, 7, vectors, matrices, out)
        loops(-2, 0, vectors, matrices, out[2:])
    elif kind == 5:
        made(3, 4, out)
        made(9, 1, out[2:])
    else:
        owners(20, out)
"""
RUN_ITEMS = """
import numpy as np
from posewright.kernels.borrowers import judge

fields = [("count", "i8"), ("vector", "f8", (3,)), ("number", "f8"), ("flag", "i1"), ("pairs", "f8", (2, 2))]
for dtype in (np.float64, np.float32, np.int64, np.int32, np.int8, np.uint8):
    for order in ("C", "F", "strided"):
        vector, matrix = np.arange(4).astype(dtype), np.arange(12).reshape(4, 3).astype(dtype)
        cube = np.arange(24).reshape(2, 3, 4).astype(dtype)
        if order == "F":
            matrix, cube = np.asfortranarray(matrix), np.asfortranarray(cube)
        elif order == "strided":
            vector, matrix, cube = np.repeat(vector, 2)[::2], np.repeat(matrix, 2, 1)[:, ::2], cube[:, ::-1]
        table = np.zeros(3, np.dtype(fields, align=True))
        table["vector"], table["pairs"] = np.arange(9.0).reshape(3, 3), np.arange(12.0).reshape(3, 2, 2)
        for kind in range(7):
            out = np.zeros(8)
            judge(kind, vector, matrix, cube, table, out)
            print(dtype.__name__, order, kind, *out.tolist(), vector.tolist(), matrix.tolist(), cube.tolist(), table)
all_freed(at_least=100)
"""


CORNERS = """
import numpy as np

from posewright.kernels.compiling.jit import kernel

CONSTANT = np.array([[3.0, 1.0], [4.0, 1.5]])


@kernel
def given_by_name(n, out):
    line, grid = np.zeros(shape=n), np.ones(dtype=np.int8, shape=(n, 2))
    out[0] = line.size + 10 * grid.size + 0.5 * grid[0, 1]


@kernel
def starred(two, three, out):
    for i in range(*two):
        out[0] += i
    for i in range(*three):
        out[1] += i
    out[2] = np.zeros((*two, 2)).size


@kernel
def ranges(n, out):
    twice = range(n)
    for i in twice:
        for j in twice:
            out[0] += 10 * i + j
    for i in range(3):
        i *= 10
    out[1] = i + 100 * len(twice)
    k = 5
    for k in range(0):
        pass
    out[2] = k
    left = iter(range(n))
    for i in left:
        out[3] += i
        if i == 2:
            break
    for i in left:
        out[4] += i
    for i in left:
        out[5] += 1
    chosen = range(n) if n > 5 else range(n, -3, -2)
    for i in chosen:
        out[6] += i


@kernel
def counted_by(n, out):
    for i in range(n):
        out[0] += i
    out[1] = CONSTANT[n - n + 1, -1] + CONSTANT[-1][n - n]


@kernel
def kinds(numbers, out):
    x = 0
    if out[0] == 0:
        x = numbers[1]
    y = 1.5
    for i in range(3):
        y = numbers[i]
        out[1] += y
    z = numbers[0]
    z = 2.5 * z
    out[0], out[2], out[3] = x, y, z


@kernel
def other_arrays(n, out):
    flags, never = np.zeros(n, np.bool_), np.ones((2, n), dtype=np.bool_)
    flags[1] = True
    flags[-1] = 3 > 2
    never[:] = False
    mixed = np.zeros(n)
    mixed[:] = flags[1]
    point = np.zeros(())
    point[()] = 4
    plane = np.ones(n, np.complex128)
    plane[1] = 2 + 3j
    plane[0] = 4
    for i in range(n):
        out[0] += i * flags[i] + never[0, i] + mixed[i]
    out[1] = point[()] + len(point.shape)
    out[2] = plane[0].real + plane[1].imag + plane[2].real
    narrow = np.empty(3, np.int32)
    narrow[:] = 2.9
    narrow[1] = -1.9
    out[3] = narrow[0] + 10 * narrow[np.uint32(2) - np.uint32(1)] + 100 * narrow[np.int8(-1)]


@kernel
def part_of(a, out):
    m = np.empty((4, 3))
    m[:] = 0
    m[1] = 7
    m[-1] = a[:3]
    m[:, 0] = 2
    m[0, 1:] = 5
    across = m.T
    across[1] = 9
    flat = m.reshape(12)
    flat[5] = 100
    flat[2:5][:] = 11
    none = m[4:]
    none[:] = 3
    for row in none:
        out[0] += 1
    for k, row in enumerate(m):
        out[1] += k * row[0] + row[-1]
    for i, j in ((0, 1), (1, 0), (2, -1)):
        out[2] += m[i, j]
    out[3] = across[2][-1] + m[(1, 2)] + none.shape[0]
    across[:] = across[0, 0]
    out[4] = m.sum()


@kernel
def tables(table, out):
    new = np.zeros(2, table.dtype)
    new[0] = table[1]
    new[1]["n"] = 7
    new[0]["v"][:] = 3
    one = new[0]
    one["v"][2] = 8
    table[0] = new[1]
    table[1]["v"][1] = 5
    for row in table:
        out[0] += row["n"]
    out[1] = new[0]["n"] + new[0]["v"][0] + new[1]["n"] + 10 * new[0]["v"][2] + table["v"][1][0] + table["n"][0]


@kernel
def two_rows(n):
    made = np.zeros((n, 3))
    made[0, 0] = n
    return made[0], made[1]


@kernel
def one_twice(n):
    made = np.ones(n)
    for i in range(n):
        if i == 1:
            made = np.zeros(n)
        made[i] = i
    return made, made


@kernel
def handed_back(n, out):
    for i in range(2, n):
        a, b = two_rows(i)
        _, c = one_twice(i)
        both = two_rows(i)
        out[0] += np.abs(a[0] + b[0]) + c[-1] + both[0][0] + two_rows(i)[0][0]
    kept = a
    a = c
    pair = (a, kept)
    for k in range(2):
        a = pair[k]
    out[1] = kept[0] + a[0]


@kernel
def left_early(n, out):
    for i in range(n):
        made = np.zeros((i + 1, 2))
        if i == 3:
            continue
        row = made[i]
        if i == 6:
            return row[0]
        for j in range(2):
            other = np.ones(3)
            if j == 1:
                break
            out[0] += other[0]
    return 1.0
"""
RUN_CORNERS = """
import numpy as np
from posewright.kernels.borrowers import *

fields = [("b", "i1"), ("n", "i8"), ("v", "f8", (3,))]
fixed = np.arange(4.0)
fixed.flags.writeable = False
calls = [(given_by_name, 3), (starred, (2, 7), (0, 10, 3)), (ranges, 4), (ranges, 7), (other_arrays, 4)]
calls += [(counted_by, kind(5)) for kind in (np.int64, np.int32, np.int8, np.uint8, np.uint32)]
calls += [(kinds, np.arange(4).astype(kind)) for kind in (np.float64, np.float32, np.int64, np.uint8)]
calls += [(kinds, np.arange(4) > 1), (kinds, fixed), (part_of, np.arange(4.0)), (part_of, fixed)]
calls += [(handed_back, 12), (left_early, 5), (left_early, 9)]
for align in (True, False):
    table = np.zeros(3, np.dtype(fields, align=align))
    table["n"], table["v"] = [1, 2, 3], np.arange(9.0).reshape(3, 3)
    calls.append((tables, table))
for function, *given in calls:
    out = np.zeros(8)
    returned = function(*given, out)
    print(function.__name__, out.tolist(), returned, given)
all_freed(at_least=40)
"""
UNCOUNTED = """
import numpy as np

from posewright.kernels.compiling.jit import kernel


@kernel
def made(n):
    return np.zeros(n)


@kernel
def user(n) -> float:
    return made(n)[0]
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package."""
    source = Path(posewright.__file__).parent
    shutil.copytree(source, tmp_path / "src" / "posewright", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run(package: Path, kernels: str, program: str, *, compiled: bool) -> str:
    (package / "src" / "posewright" / "kernels" / "borrowers.py").write_text(kernels)
    environment = {
        **os.environ,
        "PYTHONPATH": str(package / "src"),
        "POSEWRIGHT_CACHE": str(package / "cache"),
        "NUMBA_DISABLE_JIT": "0" if compiled else "1",
        "NUMBA_NRT_STATS": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", ALL_FREED + program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_arrays_that_kernels_hand_to_each_other_are_those_that_python_would(package: Path) -> None:
    wanted = run(package, KERNELS, RUN, compiled=False)
    assert len(wanted.split()) == 4 * 13
    assert run(package, KERNELS, RUN, compiled=True) == wanted
    assert run(package, KERNELS, RUN, compiled=True) == wanted, "from the cache"


def test_items_loops_and_new_arrays_are_those_of_python(package: Path) -> None:
    wanted = run(package, ITEMS, RUN_ITEMS, compiled=False)
    assert run(package, ITEMS, RUN_ITEMS, compiled=True).splitlines() == wanted.splitlines()


def test_what_kernels_seldom_do_is_what_python_does(package: Path) -> None:
    wanted = run(package, CORNERS, RUN_CORNERS, compiled=False)
    assert run(package, CORNERS, RUN_CORNERS, compiled=True).splitlines() == wanted.splitlines()


def test_a_kernel_that_would_never_free_what_it_is_given_is_refused(package: Path) -> None:
    program = """
from posewright.kernels.borrowers import user
try:
    user(3)
except Exception as error:
    print(error)
"""
    assert "user is given arrays by made: it has to name np" in run(package, UNCOUNTED, program, compiled=True)
