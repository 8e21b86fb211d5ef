"""The kernel cache: never stale when a called kernel changes, silent when nothing changed."""

from __future__ import annotations

import ast
import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from warm_python import run_python

import posewright
from posewright.kernels.compiling import jit
from posewright.kernels.compiling.cache import KernelFile, files_behind

KERNELS = Path(jit.__file__).parents[1]
KERNEL_FILES = sorted(
    ".".join(file.relative_to(KERNELS).with_suffix("").parts)
    for file in KERNELS.rglob("*.py")
    if file.name != "__init__.py"
)

CALLER = """
from posewright.kernels.compiling.jit import kernel
from posewright.kernels.called import constant

@kernel
def doubled() -> float:
    return 2.0 * constant()
"""
CALLED = """
from posewright.kernels.compiling.jit import kernel

@kernel
def constant() -> float:
    return {value}
"""
RUN = """
from pathlib import Path
import posewright
from posewright.kernels.compiling.cache import KernelFile, cache_folder
from posewright.kernels.compiling.jit import compile_listener
from posewright.kernels.caller import doubled
{before}
compiled = []
with compile_listener(compiled.append):
    print(doubled())
print(*sorted(compiled))
root = Path(posewright.__file__).parents[1]
print(*(cache_folder(KernelFile("posewright.kernels." + n, root)).name for n in ("caller", "called", "rotations")))
"""
AS_USER = """
import ctypes, os
if os.getuid() == 0:  # the owner of these files, but without root's right to ignore their permissions
    none, header = (ctypes.c_uint32 * 6)(), (ctypes.c_uint32 * 2)(0x20080522)
    assert ctypes.CDLL(None).capset(header, none) == 0
"""
FULL_DISK = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))"
PLAIN = {"POSEWRIGHT_PLAIN_NUMBA": "1"}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with two more kernels, one calling the other from another file."""
    shutil.copytree(
        Path(posewright.__file__).parent, tmp_path / "src" / "posewright", ignore=shutil.ignore_patterns("__pycache__")
    )
    kernels = tmp_path / "src" / "posewright" / "kernels"
    (kernels / "caller.py").write_text(CALLER)
    (kernels / "called.py").write_text(CALLED.format(value=21.0))
    return tmp_path


def run(package: Path, *before: str, **more: str) -> list[str]:
    """What a process prints that calls the kernel, after some other statements."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(package / "src"),
        "POSEWRIGHT_CACHE": str(package / "cache"),
        "NUMBA_DISABLE_JIT": "0",
        "PYTHONDONTWRITEBYTECODE": "1",  # a source edited within a second must not be hidden by its bytecode
        **more,
    }
    code = RUN.format(before="\n".join(before))
    done = run_python(code, package, environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("how", [{}, PLAIN], ids=["as parts", "by plain Numba"])
def test_an_edited_callee_is_seen_by_its_caller_and_unchanged_kernels_are_not_compiled_again(
    package: Path, how: dict[str, str]
) -> None:
    first = run(package, **how)
    assert first[:2] == ["42.0", "constant doubled"]
    second = run(package, **how)
    assert second == ["42.0", "", first[2]]
    (package / "src" / "posewright" / "kernels" / "called.py").write_text(CALLED.format(value=50.0))
    third = run(package, **how)
    assert third[:2] == ["100.0", "constant doubled"]
    before, after = first[2].split(), third[2].split()
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert before[2] == after[2], "a kernel that has nothing to do with the change keeps its cache"
    assert {folder.name for folder in (package / "cache").iterdir()} == {*before[:2], *after[:2]}


BETWEEN = """
from posewright.kernels.compiling.jit import kernel
from posewright.kernels.deep import VALUE, value

@kernel
def constant() -> float:
    return {used}
"""
DEEP = """
from posewright.kernels.compiling.jit import kernel

VALUE = {value}

@kernel
def value() -> float:
    return {value}
"""


@pytest.mark.parametrize("used", ["value()", "VALUE"], ids=["a kernel", "a constant"])
def test_what_changed_two_files_away_is_seen(package: Path, used: str) -> None:
    kernels = package / "src" / "posewright" / "kernels"
    (kernels / "called.py").write_text(BETWEEN.format(used=used))
    for number in (21.0, 50.0):
        (kernels / "deep.py").write_text(DEEP.format(value=number))
        lines = run(package)
        assert lines[0] == str(2.0 * number)
        assert {"constant", "doubled"} <= set(lines[1].split())


def test_an_edited_caller_takes_what_it_calls_from_the_cache(package: Path) -> None:
    run(package)
    (package / "src" / "posewright" / "kernels" / "caller.py").write_text(CALLER.replace("2.0", "3.0"))
    assert run(package)[:2] == ["63.0", "doubled"]
    assert run(package)[:2] == ["63.0", ""]


@pytest.mark.skipif(sys.platform == "win32", reason="no lock files there: both may compile")
@pytest.mark.parametrize("how", [{}, PLAIN], ids=["as parts", "by plain Numba"])
def test_of_processes_that_need_a_kernel_at_once_one_compiles_it(package: Path, how: dict[str, str]) -> None:
    with ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(lambda _: run(package, **how), range(3)))
    assert [lines[0] for lines in runs] == ["42.0"] * 3
    assert sorted(word for lines in runs for word in lines[1].split()) == ["constant", "doubled"]


WAYS = pytest.mark.parametrize("how", [{}, PLAIN], ids=["as parts", "by plain Numba"])


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def empty(data: bytes) -> bytes:
    return b""


def with_a_flipped_bit(data: bytes) -> bytes:
    changed = bytearray(data)
    changed[2 * len(data) // 3] ^= 4
    return bytes(changed)


def junk(data: bytes) -> bytes:
    return bytes(range(256)) * 4


@pytest.mark.parametrize("damage", [cut, empty, with_a_flipped_bit, junk])
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_damaged_cache_is_compiled_again(package: Path, damage: Callable[[bytes], bytes], suffix: str) -> None:
    run(package)
    files = list((package / "cache").rglob(f"*.{suffix}"))
    assert files
    for file in files:
        file.write_bytes(damage(file.read_bytes()))
    assert run(package)[:2] == ["42.0", "constant doubled"]
    assert run(package)[:2] == ["42.0", ""]


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_plain_numba_throws_away_what_was_cut_short(package: Path, suffix: str) -> None:
    run(package, **PLAIN)
    for file in (package / "cache").rglob(f"*.{suffix}"):
        file.write_bytes(cut(file.read_bytes()))
    assert run(package, **PLAIN)[0] == "42.0"
    assert run(package, **PLAIN)[:2] == ["42.0", ""]


def test_a_cache_without_some_of_its_files_is_compiled_again(package: Path) -> None:
    run(package)
    for file in (package / "cache").rglob("*.nbc"):
        file.unlink()
    assert run(package)[:2] == ["42.0", "constant doubled"]


@pytest.mark.skipif(sys.platform == "win32", reason="no lock files there: both may compile")
def test_of_processes_that_find_a_damaged_cache_at_once_one_compiles_it(package: Path) -> None:
    run(package)
    for file in (package / "cache").rglob("*.nb[ic]"):
        file.write_bytes(cut(file.read_bytes()))
    with ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(lambda _: run(package), range(3)))
    assert [lines[0] for lines in runs] == ["42.0"] * 3
    assert sorted(word for lines in runs for word in lines[1].split()) == ["constant", "doubled"]


@WAYS
@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions there")
def test_a_cache_that_an_ordinary_user_cannot_write_is_read_or_does_without(package: Path, how: dict[str, str]) -> None:
    cache = package / "cache"
    cache.mkdir()
    cache.chmod(0o555)
    number, compiled, _ = run(package, AS_USER, **how)
    assert (number, set(compiled.split())) == ("42.0", {"constant", "doubled"})
    assert not list(cache.iterdir())
    cache.chmod(0o777)
    run(package, **how)
    for file in (cache, *cache.rglob("*")):
        file.chmod(0o555 if file.is_dir() else 0o444)
    if not how:  # plain Numba does not read a cache that it cannot write
        assert run(package, AS_USER)[:2] == ["42.0", ""]
    for file in (cache, *cache.rglob("*")):
        file.chmod(0o000 if file.is_file() else 0o555)
    assert run(package, AS_USER, **how)[0] == "42.0"


@WAYS
@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
def test_a_full_disk_costs_only_time(package: Path, how: dict[str, str]) -> None:
    (package / "cache").mkdir()
    (package / "cache").chmod(0o777)
    assert run(package, FULL_DISK, AS_USER, **how)[0] == "42.0"
    assert run(package, **how)[0] == "42.0"


NO_HOME = """
import os, pwd
os.environ.pop("HOME", None)
os.environ.pop("XDG_CACHE_HOME", None)
def nobody(number):
    raise KeyError(number)
pwd.getpwuid = nobody
"""


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="of users without an entry in a list")
def test_a_user_without_a_home_folder_only_waits(package: Path) -> None:
    assert run(package, NO_HOME, POSEWRIGHT_CACHE="")[0] == "42.0"


@WAYS
@pytest.mark.skipif(sys.platform == "win32", reason="no lock files there: both may compile")
def test_a_process_that_was_stopped_while_it_compiled_is_not_waited_for(package: Path, how: dict[str, str]) -> None:
    import fcntl

    run(package, **how)
    locks = list((package / "cache").rglob("*.lock"))
    for file in (package / "cache").rglob("*.nb[ic]"):
        file.unlink()
    with ExitStack() as stack:
        for lock in locks:
            fcntl.flock(stack.enter_context(lock.open("w")), fcntl.LOCK_EX)
        impatient = "import posewright.kernels.compiling.cache as cache\ncache._PATIENCE = 0.1"
        assert run(package, impatient, **how)[0] == "42.0"


@pytest.mark.parametrize("name", KERNEL_FILES)
def test_the_files_behind_a_kernel_are_all_that_python_imports_for_it(name: str) -> None:
    imported: set[str] = set()
    file = KERNELS.joinpath(*name.split(".")).with_suffix(".py")
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            assert not any(name.name.startswith("posewright") for name in node.names), "the form the cache understands"
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("posewright")):
            assert not node.level
            assert (node.module or "").startswith("posewright.kernels."), "the form the cache understands"
            imported.add((node.module or "").removeprefix("posewright.kernels."))
    assert all(KERNELS.joinpath(*module.split(".")).with_suffix(".py").exists() for module in imported)
    root = KERNELS.parents[1]
    behind = files_behind(KernelFile(f"posewright.kernels.{name}", root))
    assert {KernelFile(f"posewright.kernels.{module}", root) for module in imported} <= behind


@pytest.mark.parametrize("name", KERNEL_FILES)
def test_kernels_do_without_libraries_that_cached_code_does_not_load(name: str) -> None:
    file = KERNELS.joinpath(*name.split(".")).with_suffix(".py")
    used = {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    assert not used & {"np.linalg", "np.random", "np.fft", "np.dot"}


def test_without_compiling_kernels_are_plain_functions(package: Path) -> None:
    assert run(package, NUMBA_DISABLE_JIT="1")[:2] == ["42.0", ""]
    assert not (package / "cache").exists()


def test_a_cache_folder_that_cannot_be_made_costs_only_time(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    code = (
        "import numpy as np\n"
        "from posewright.kernels.kinematics.rotations import exp_matrix\n"
        "out = np.zeros((3, 3))\n"
        "exp_matrix(np.zeros(3), out)\n"
        "print(out.trace())"
    )
    environment = {**os.environ, "POSEWRIGHT_CACHE": str(blocked / "inside")}
    done = run_python(code, tmp_path, environment)
    assert done.stdout.strip() == "3.0", done.stderr[-1000:]
