"""A command loads what it uses: Numba when a kernel is first called, and no library for what other commands do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import posewright as pw

HEAVY = (
    "PIL", "matplotlib", "numba", "posewright.solvers.following", "posewright.solvers.sampling", "pydantic",
    "scipy.optimize", "scipy.spatial", "typer",
)  # fmt: skip
LOADED = f"print(*(module for module in {HEAVY} if module in sys.modules))"


def run(program: str, folder: Path) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(pw.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize(
    "module",
    ["posewright.workflows.retargeting.retarget", "posewright.solvers.prioritized", "posewright.report.picture"],
)
def test_importing_kernels_does_not_import_numba(module, tmp_path):
    assert run(f"import sys, {module}; {LOADED}", tmp_path) == []


def loaded_by(folder: Path, *words: str) -> list[str]:
    program = f"import sys; from posewright.cli import main; sys.argv = {['posewright', *words]}"
    return run(f"{program}\ntry:\n    main()\nexcept SystemExit:\n    {LOADED}", folder)


@pytest.mark.parametrize(
    "words",
    [
        ["info", "walk.bvh"],
        ["convert", "walk.bvh", "cut.bvh", "--frames", "0:2"],
        ["retarget", "walk.bvh", "--to", "norman", "-o", "out.bvh"],
        ["check", "walk.bvh"],
    ],
)
def test_a_clip_is_read_and_worked_on_with_numba_alone(words, tmp_path):
    pw.clips.walk(pw.figure("human40"), steps=1).save(tmp_path / "walk.bvh")
    assert loaded_by(tmp_path, *words) == ["numba"]


def test_a_figure_is_converted_without_numba(tmp_path):
    pw.figure("hand").save(tmp_path / "hand.yaml")
    assert loaded_by(tmp_path, "convert", "hand.yaml", "copy.yaml") == ["pydantic"]
    assert (tmp_path / "copy.yaml").exists()
