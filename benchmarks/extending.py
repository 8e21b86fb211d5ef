"""What a goal kind of a user's own costs: compiled outside of the package, in plain Python, and built in."""

from __future__ import annotations

import importlib
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from timing import seconds_of

import posewright as pw

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
CENTRE, RADIUS = np.array((-0.3, 1.2, 0.4)), 0.1


def kind_of_the_page() -> Any:
    """The goal kind that the page on extending defines, from a file as a user has it."""
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sphere_goal.py")
        file.write_text(code.partition("\nhuman = ")[0], encoding="utf-8")
        sys.path.insert(0, folder)
        return importlib.import_module("sphere_goal").Sphere


def main() -> None:
    """Print a row per kind of goal."""
    Sphere = kind_of_the_page()
    human, rest = pw.figure("human40"), pw.Pose.rest(pw.figure("human40"))
    goals = {
        "built in: `Plane`": pw.Plane("right_hand", tuple(CENTRE), (0.0, 1.0, 0.0)),
        "your own, compiled: `Sphere`": Sphere("right_hand", tuple(CENTRE), RADIUS),
        "`PythonGoal` without a Jacobian": pw.PythonGoal(
            lambda pose: [np.linalg.norm(pose.point("right_hand") - CENTRE) - RADIUS], 1, name="python"
        ),
    }
    for name, goal in goals.items():
        prepared = pw.LeastSquares(restarts=0).prepare(pw.Problem(human, [goal]))
        result = prepared.solve(start=rest)
        rounds = 200 if "Python" not in name else 20
        seconds = seconds_of(lambda prepared=prepared: prepared.solve(start=rest), rounds=rounds)
        print(f"| {name} | {1e6 * np.median(seconds):.0f} µs, {result.iterations} iterations |")


if __name__ == "__main__":
    main()
