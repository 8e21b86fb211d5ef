"""What words of the command line mean to `retarget`: a target, a solver, speeds."""

from __future__ import annotations

from pathlib import Path

from posewright.errors import InvalidSetting, suggestion
from posewright.figures import Figure
from posewright.figures.catalogue import CATALOGUE, build
from posewright.formats import ReadOptions, load
from posewright.motions import Motion
from posewright.solvers.registry import solver_by_name, solver_name
from posewright.solvers.solver import Solver


def named_target(name: str, read: ReadOptions) -> Figure | Motion:
    """A built-in figure by name, or what a file holds."""
    if name in CATALOGUE:
        for flag, given in (("--to-unit", read.metres_per_unit), ("--to-up", read.up), ("--to-base", read.base)):
            if given is not None:
                raise InvalidSetting(f"{flag} is for files, but {name} is a built-in figure (in metres, y up)")
        return build(name)
    path = Path(name)
    if not path.suffix and not path.exists():
        raise InvalidSetting(f"--to is {name!r}, neither a file nor a built-in figure{suggestion(name, CATALOGUE)}")
    return load(path, read)


def stated_speeds(text: str | None, target: Figure) -> bool | dict[str, float] | None:
    """What --velocity-limits says: True for those of the file, False for none, or speeds by joint; None: nothing."""
    if text in (None, "file", "none"):
        return {None: None, "file": True, "none": False}[text]
    accepted = "it must be 'file', 'none', a positive number of rad/s (m/s), or JOINT=NUMBER,..."
    names = [joint.name for joint in target.joints[1:] if joint.n_dofs and not joint.ball]
    pairs = [part.partition("=") for part in text.split(",")] if "=" in text else [(n, "=", text) for n in names]
    speeds: dict[str, float] = {}
    for name, _, number in pairs:
        try:
            speeds[name.strip()] = float(number)
        except ValueError:
            raise InvalidSetting(f"--velocity-limits is {text!r}; {accepted}") from None
    if not all(0.0 < speed < float("inf") for speed in speeds.values()):
        raise InvalidSetting(f"--velocity-limits is {text!r}; {accepted}")
    return speeds


def named_solver(name: str | None) -> Solver | None:
    """The solver of that name; None for the usual one, which `retarget` sets up itself."""
    if name is None or solver_name(name) == "least_squares":
        return None
    return solver_by_name(name)()
