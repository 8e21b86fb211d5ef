"""What it costs to add, remove or change a goal: `python benchmarks/preparing.py`.

A new `Problem` and `solver.prepare` of it, CPU time of the thread, the best and the median of many; what is computed
once per figure is computed before. Feet pinned, a hand, the gaze, balance and a light posture, at two priorities.
Recordings and characters are looked for as in `retarget_table`, and left out with a word where there are none.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from retarget_table import DATA

import posewright as pw
from posewright.goals import Aim, CentreOfMass, Goal, Position, Posture, pin
from posewright.solvers.solver import Solver

ROUNDS = 60
SOLVERS = (pw.LeastSquares(), pw.Prioritized(), pw.ActiveSetBfgs())
FIGURES: dict[str, Callable[[], pw.Figure | pw.Space]] = {
    "human40": lambda: pw.figure("human40"),
    "human": lambda: pw.figure("human"),
    "human, joint groups": lambda: pw.Space.grouped(pw.figure("human")),
    "CMU": lambda: pw.figure(sorted((DATA / "cmu" / "bvh").rglob("*.bvh"))[0]),
    "GLB character": lambda: pw.figure(DATA / "characters" / "xbot.glb"),
    "G1": lambda: pw.figure(DATA / "robots" / "unitree_g1" / "g1_29dof_kinematics.urdf"),
}


def main() -> None:
    heads = "  ".join(f"{type(solver).__name__:>18}" for solver in SOLVERS)
    print(f"{'best, median':22}{'dofs':>5}  {heads}")
    for name, build in FIGURES.items():
        try:
            space = build()
        except (pw.PosewrightError, IndexError) as missing:
            print(f"{name:22}left out: {missing}")
            continue
        figure = space.figure if isinstance(space, pw.Space) else space
        cells = []
        for solver in SOLVERS:
            best, median = milliseconds(space, goals_of(figure), solver)
            cells.append(f"{best:8.2f}, {median:5.2f} ms")
        print(f"{name:22}{figure.n_dofs:5}  " + "  ".join(cells))


def goals_of(figure: pw.Figure) -> list[Goal]:
    """What a drag asks for."""
    soles = [name for name in figure.anatomy.soles if name.endswith("_sole")]
    hand = next((site.name for site in figure.sites if "hand" in site.name.lower()), figure.joint_names[-1])
    rest = pw.Pose.rest(figure)
    found: list[Goal] = [
        *pin(rest, *soles[:2]),
        Position(hand, tuple(rest.point(hand)), priority=2, name="hand"),
        Posture(weight=1e-4, priority=2),
        Aim(figure.joint_names[min(3, len(figure.joints) - 1)], (0.0, 1.5, 3.0), priority=2, name="gaze"),
    ]
    if figure.tables.joints["mass"].sum() > 0.0:
        found.append(CentreOfMass((0.0, 0.0, 0.0), priority=2))
    return found


def milliseconds(space: pw.Figure | pw.Space, goals: list[Goal], solver: Solver) -> tuple[float, float]:
    """Goals taken away, added and changed in turn."""
    seconds, figure = np.empty(ROUNDS), space.figure if isinstance(space, pw.Space) else space
    solver.prepare(pw.Problem(space, goals))
    for k in range(ROUNDS):
        other = Position(figure.joint_names[-1], (0.01 * k, 1.0, 0.3), name="other")
        asked = (goals[:-1], goals, [*goals[:-1], other])[k % 3]
        began = time.thread_time()
        solver.prepare(pw.Problem(space, asked))
        seconds[k] = time.thread_time() - began
    return 1e3 * float(seconds.min()), 1e3 * float(np.median(seconds))


if __name__ == "__main__":
    main()
