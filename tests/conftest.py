"""Figures that many tests share."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path
from typing import Any

# Before numpy is imported: on matrices of poses, threads of a linear algebra library only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

import posewright as pw

# The same examples in every run, however busy the machine is; POSEWRIGHT_EXPLORE=1 looks for new counter-examples.
settings.register_profile(
    "repeatable",
    derandomize=not os.environ.get("POSEWRIGHT_EXPLORE"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("repeatable")

# Without bytecode, each program that tests start would compile the hundreds of files that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Collecting garbage while all modules of tests are imported would be a quarter of the time that takes.
gc.set_threshold(50_000)

# Tests read what commands print; how wide a terminal is and whether it has colours is not for it to decide.
os.environ["COLUMNS"] = "80"
for name in ("FORCE_COLOR", "GITHUB_ACTIONS", "NO_COLOR", "PY_COLORS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
    os.environ.pop(name, None)

# Shells let programs in the background ignore Ctrl-C, and their children with them; tests send real ones.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the recordings; tests that need it are skipped where it is not."""
    chosen = os.environ.get("POSEWRIGHT_DATA")
    folder = Path(chosen) if chosen else Path(__file__).parents[2] / "shared" / "data"
    if not (folder / "cmu").is_dir():
        pytest.skip("no recordings here; set POSEWRIGHT_DATA")
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Contracts first, which compile most kernels; then the page, whose tests take longest and must not be last."""
    items.sort(key=lambda item: (item.path.parent.name != "contracts", not item.path.match("*page.py")))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """File by file, and all files of the page in one process: two browsers at once would wait for each other."""
    from xdist.scheduler import LoadFileScheduling

    class OneBrowser(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "the page" if file.endswith("page.py") else file

    return OneBrowser(config, log)


@pytest.fixture
def mixed_figure() -> pw.Figure:
    """A small branching figure with every kind of joint: slides, hinges on all axes, balls, rest rotations."""
    return pw.Figure(
        name="mixed",
        joints=[
            pw.figures.Joint(
                name="root",
                slides=pw.figures.free_slides(),
                rotation=pw.figures.Ball(),
                mass=3.0,
                centre=(0.0, 0.2, 0.0),
            ),
            pw.figures.Joint(
                name="spine",
                parent="root",
                offset=(0.0, 0.5, 0.0),
                rest=(0.8, 0.6, 0.0, 0.0),
                rotation=(
                    pw.figures.Hinge(axis=(1.0, 0.0, 0.0), lower=-0.8, upper=1.2),
                    pw.figures.Hinge(axis=(0.6, 0.8, 0.0), lower=-1.0, upper=1.0, rest=0.1),
                ),
                mass=2.0,
            ),
            pw.figures.Joint(
                name="arm",
                parent="spine",
                offset=(0.2, 0.4, 0.0),
                slides=(pw.figures.Slide(axis=(0.0, 0.0, 1.0), lower=-0.1, upper=0.3),),
                rotation=pw.figures.Ball(lower=(-1.5, -1.5, -1.5), upper=(1.5, 1.5, 1.5)),
                mass=1.0,
                centre=(0.1, 0.0, 0.05),
            ),
            pw.figures.Joint(
                name="hand",
                parent="arm",
                offset=(0.4, 0.0, 0.0),
                rotation=tuple(
                    pw.figures.Hinge(axis=axis, lower=-2.0, upper=2.0)
                    for axis in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
                ),
                mass=0.5,
            ),
            pw.figures.Joint(name="leg", parent="root", offset=(0.1, -0.4, 0.0), rotation=pw.figures.Ball(), mass=1.5),
        ],
        sites=[
            pw.figures.Site(name="finger", joint="hand", point=(0.2, 0.0, 0.03), tip=True),
            pw.figures.Site(name="foot", joint="leg", point=(0.0, -0.4, 0.1), x_axis=(0.0, 0.0, 1.0), tip=True),
        ],
    )
