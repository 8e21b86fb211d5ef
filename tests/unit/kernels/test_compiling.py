"""How kernels are compiled: they mean what Python means, in any file, by either way, and nothing stale is run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from warm_python import run_python

import posewright

KERNELS = """
import numpy as np

from posewright.kernels import kernel
from posewright.kernels.compiling.jit import dot_kernel


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
def measured(a) -> float:  # makes no array itself, but is given one
    return line(longer(a))


@kernel
def chosen(a, which) -> float:  # an array as index makes a new one
    return line(a[which])


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
    out[8] = line(given_back(vector)) + measured(given_back(vector)) + chosen(vector, np.arange(2))
    fill(out[9:12], 0.5)
    kept = np.ones(3)
    for _ in range(100):
        kept = longer(kept[:3])
    out[12] = line(given_back(kept)) ** 2


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
RUN = """
import numpy as np
from my_kernels import handed_back, judge, left_early

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
for function, n in ((handed_back, 12), (left_early, 5), (left_early, 9)):
    out = np.zeros(2)
    print(function(n, out), *out.tolist())
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
PLAIN = {"POSEWRIGHT_PLAIN_NUMBA": "1"}
BOTH_WAYS = pytest.mark.parametrize("how", [{}, PLAIN], ids=["as parts", "by plain Numba"])


def run(folder: Path, program: str, **environment: str) -> tuple[str, str]:
    """What a program in a folder writes to its standard output and error."""
    fixed = {
        "PYTHONPATH": f"{Path(posewright.__file__).parents[1]}{os.pathsep}{folder}",
        "POSEWRIGHT_CACHE": str(folder / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",  # a source edited within a second must not be hidden by its bytecode
        "POSEWRIGHT_PLAIN_NUMBA": "0",
        "NUMBA_DISABLE_JIT": "0",
        "NUMBA_NRT_STATS": "1",
    }
    done = run_python(program, folder, os.environ | fixed | environment)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_kernels_mean_what_python_means_and_free_what_they_make(tmp_path: Path) -> None:
    (tmp_path / "my_kernels.py").write_text(KERNELS)
    wanted = run(tmp_path, ALL_FREED + RUN, NUMBA_DISABLE_JIT="1")
    assert len(wanted[0].split()) == 4 * 13 + 3 * 3
    assert run(tmp_path, ALL_FREED + RUN) == wanted
    assert run(tmp_path, ALL_FREED + RUN) == wanted, "from the cache"
    assert run(tmp_path, ALL_FREED + RUN, **PLAIN) == wanted
    assert run(tmp_path, ALL_FREED + RUN, **PLAIN) == wanted, "from the cache"


LARGE = f"""
from posewright.kernels import kernel

@kernel
def large(unused, a, b):
    total = 0.0
    for i in range(a.shape[0]):
{chr(10).join(f"        total = total * a[i] + b[i] / (total + {k}.5)" for k in range(200))}
    return total

@kernel
def twice(unused, a, b):
    return large(unused, a, b) - large(unused, b, a)
"""


def test_a_kernel_may_be_called_from_python_after_one_that_has_it_as_a_part(tmp_path: Path) -> None:
    (tmp_path / "large.py").write_text(LARGE)
    arrays = "np.zeros((2, 2)), np.array([0.1, 0.2]), np.array([0.3, 0.4])"
    program = f"import numpy as np\nfrom large import *\nprint(twice({arrays}), large({arrays}))"
    wanted = run(tmp_path, program, NUMBA_DISABLE_JIT="1")
    assert run(tmp_path, program) == wanted
    assert run(tmp_path, program) == wanted, "from the cache"


LENGTH = """
from posewright.kernels import kernel
from posewright.kernels.kinematics.rotations import exp_matrix
from {constants} import SCALE
import numpy as np


@kernel
def turned_x(w) -> float:
    out = np.zeros((3, 3))
    exp_matrix(w, out)
    return SCALE * out[0, 0]
"""
CALL = """
import numpy as np
from posewright.kernels.compiling.jit import compile_listener
from {module} import turned_x
with compile_listener(lambda name: print(name)):
    print(turned_x(np.zeros(3)))
"""


@BOTH_WAYS
@pytest.mark.parametrize("package", ["", "mine."], ids=["beside a script", "in a package"])
def test_a_kernel_in_a_file_of_the_users_own_is_cached_until_what_it_uses_changes(
    tmp_path: Path, package: str, how: dict[str, str]
) -> None:
    folder = tmp_path / package.rstrip(".")
    folder.mkdir(exist_ok=True)
    (folder / "length.py").write_text(LENGTH.format(constants=".constants" if package else "constants"))
    (folder / "constants.py").write_text("SCALE = 2.0")
    call = CALL.format(module=f"{package}length")
    assert set(run(tmp_path, call, **how)[0].split()) >= {"turned_x", "exp_matrix", "2.0"}
    assert run(tmp_path, call, **how)[0] == "2.0\n", "from the cache"
    (folder / "constants.py").write_text("SCALE = 3.0")
    compiled = run(tmp_path, call, **how)[0].split()
    assert "turned_x" in compiled
    assert "exp_matrix" not in compiled, "as before"
    assert compiled[-1] == "3.0"


@BOTH_WAYS
def test_a_kernel_may_be_in_a_script_or_at_a_prompt(tmp_path: Path, how: dict[str, str]) -> None:
    script = "from posewright.kernels import kernel\n@kernel\ndef twice(a): return 2 * a\nprint(twice(4))"
    (tmp_path / "script.py").write_text(script)
    for _ in range(2):
        assert run(
            tmp_path, f"import runpy; runpy.run_path({str(tmp_path / 'script.py')!r}, run_name='__main__')", **how
        )
        assert any((tmp_path / "cache").glob("script-*"))
    assert run(tmp_path, script, **how)[0] == "8\n"


SMALL = """
from posewright.kernels import kernel

@kernel
def inner(x):
    return x + 1.0

@kernel
def outer(x):
    return 2.0 * inner(x)
"""
NOTE = "kernels are compiled by plain Numba"


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("import numba; numba.__version__ = '0.99.1'", "Numba 0.99.1 is newer than"),
        ("import numba.core.codegen as c; del c.JITCodeLibrary", "its insides have changed"),
        ("from posewright.kernels.compiling import parts as p; p._PartCache.__init__ = None", "have changed"),
        ("from posewright.kernels.compiling import passes as p; p._Typing.run_pass = None", "cannot be"),
    ],
    ids=["newer than tried", "does not import", "does not cache", "does not compile"],
)
def test_a_numba_that_was_never_tried_compiles_by_itself_and_says_so_once(
    tmp_path: Path, broken: str, reason: str
) -> None:
    (tmp_path / "small.py").write_text(SMALL)
    out, err = run(tmp_path, f"{broken}\nfrom small import *\nprint(outer(1.0), inner(2.0))")
    assert out == "4.0 3.0\n"
    assert err.count(NOTE) == 1
    assert reason in err


def test_a_mistake_in_a_kernel_is_reported_as_numba_reports_it(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(SMALL.replace("x + 1.0", "x.nothing"))
    program = "from small import outer, kernel\ntry:\n    outer(1.0)\nexcept Exception as error:\n    print(error)"
    out, err = run(tmp_path, program)
    assert "nothing" in out
    assert NOTE not in err
