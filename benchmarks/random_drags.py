"""Random drags on bodies of all kinds, and how they come to rest: `python benchmarks/random_drags.py [N] [--seed S]`.

Each drag leads one or two goals of random kinds along a random path for some calls, in steps of 0.5 to 5 % of the
height and at a quarter to four times the usual pace, while other sites are held; then the targets stop. A drag is late
if it needs more than 30 calls from there, half a second at 60 a second, and slow if it is late though it did not go at
the full pace all the time: a pose that is so many calls away cannot be there sooner. At rest, a plain solve from the
answer must neither cost less nor lead away. Drags that fail are printed with their seed: `--only SEED` runs one again.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass

import numpy as np
from dragging import DATA, Array, paces, path_of

import posewright as pw
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.figures.transforms.masses import with_masses
from posewright.solvers.solver import Solver

BUILT_IN = ("arm4", "human22", "human40", "hand", "norman")
FILES = {"fox": "characters/fox.glb", "cesium man": "characters/cesium_man.glb", "xbot": "characters/xbot.glb"}
SOLVERS = {"least_squares": pw.LeastSquares(restarts=0), "prioritized": pw.Prioritized()}
IN_TIME, AT_MOST = 30, 200
"""Calls from where targets stop: half a second; and when a drag is given up."""
FULL = 0.9
"""Of the pace: a call that goes so far goes at the full pace. The last one goes what is left."""
KINDS = ("position", "position", "aim", "orientation", "direction", "mass", "balance", "distance")


@dataclass
class Course:
    """What became of a drag."""

    what: str
    calls: int = 0
    """From where the targets stopped."""
    slow: bool = False
    broken: float = 0.0
    """How far a step or a limit was exceeded, relative to what is allowed."""
    cheaper: float = 0.0
    """Share of the cost that a plain solve from the answer saves."""
    left: float = 0.0
    """rad or m, how far it leads away."""

    @property
    def faults(self) -> list[str]:
        """What is wrong."""
        found = [f"{self.calls} calls, not all at the full pace"] if self.slow else []
        found += [f"broken by {self.broken:.1e}"] if self.broken > 1e-9 else []
        if self.cheaper > 1e-3 or self.left > 0.02:
            found.append(f"left at rest by {self.left:.3f}, {100.0 * self.cheaper:.2g} % cheaper")
        return found


def figures() -> dict[str, pw.Figure]:
    """Bodies by name; those of files need the recordings (see `dragging`)."""
    found = {name: pw.figure(name) for name in BUILT_IN}
    found |= {name: pw.figure(DATA / file) for name, file in FILES.items() if (DATA / file).is_file()}
    return {
        name: figure if sum(joint.mass for joint in figure.joints) > 0.0 else with_masses(figure, 70.0)
        for name, figure in found.items()
    }


def problem_of(figure: pw.Figure, rng: np.random.Generator) -> tuple[pw.Problem, dict[str, Array]]:
    """Goals to drag, and where they begin."""
    rest, height = pw.Pose.rest(figure), figure.height
    sites = [figure.joint_names[k] for k in rng.permutation(len(figure.joints))]
    names = [*sorted(figure.site_names, key=lambda _: rng.random()), *sites]
    goals: list[pw.Goal] = [*pw.pin(rest, *names[5 : 5 + int(rng.integers(0, 3))])]
    begins: dict[str, Array] = {}
    for k in range(int(rng.integers(1, 3))):
        label, kind, site, level = f"dragged {k}", str(rng.choice(KINDS)), names[k], int(rng.integers(1, 3))
        at, away = np.array(rest.point(site)), height * rng.normal(scale=0.2, size=3)
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        begins[label] = at
        if kind == "aim":
            begins[label] = at + away
            goals.append(pw.Aim(site, tuple(at + away), axis=tuple(axes[0]), name=label, priority=level))
        elif kind in ("mass", "balance"):
            goals.append(pw.CentreOfMass(tuple(at), vertical=kind == "balance", name=label, priority=level))
        elif kind == "distance":
            goals.append(pw.goals.Distance(site, tuple(at), 0.1 * height, name=label, priority=level))
        elif kind == "position":
            goals.append(pw.Position(site, tuple(at), name=label, priority=level))
        else:
            frame = site_frames(figure, rest.q, [site])
            x, y = frame.x_axes[0], frame.y_axes[0]
            begins[label] = np.concatenate([x, y])[: 6 if kind == "orientation" else 3]
            turned = {"y": y} if kind == "orientation" else {}
            goals.append(pw.Orientation(site, x=x, **turned, name=label, priority=level))
    weight = float(10.0 ** rng.uniform(-6.0, -2.0))
    return pw.Problem(figure, [*goals, pw.Posture(weight=weight, priority=max(g.priority for g in goals))]), begins


def drag(name: str, figure: pw.Figure, solver: Solver, seed: int) -> Course:
    """One drag, from the rest pose."""
    rng = np.random.default_rng([seed, *name.encode()])
    problem, begins = problem_of(figure, rng)
    usual, faster = pw.solvers.Pace(), float(4.0 ** rng.uniform(-1.0, 1.0))
    pace = pw.solvers.Pace(turn=faster * usual.turn, move=faster * usual.move)
    step, n = float(10.0 ** rng.uniform(np.log10(0.005), np.log10(0.05))), int(rng.integers(20, 60))
    kinds = ", ".join(f"{type(goal).__name__} {goal.priority}" for goal in problem.goals)
    found = Course(f"{name} {seed}: {kinds}; step {100 * step:.1f} %, pace {faster:.2f}")
    live, rest = solver.prepare(problem), pw.Pose.rest(figure)
    before = live.follow(start=rest, pace=pace).q

    def call(targets: dict[str, Array] | None) -> tuple[pw.Result, float]:
        nonlocal before
        result = live.follow(targets, pace=pace)
        share = float(paces(figure, before[np.newaxis], result.q[np.newaxis])[0]) / faster
        if (
            np.abs(result.q - before).max() > np.pi
        ):  # a ball is written the other way round: joints tell how far it went
            moved = np.diff(joint_positions(figure, np.stack([before, result.q])), axis=0)
            share = float(np.linalg.norm(moved, axis=2).max()) / (pace.move * figure.height)
        beyond = max(0.0, *(figure.lower - result.q), *(result.q - figure.upper), share - 1.0)
        found.broken, before = max(found.broken, beyond), result.q
        return result, share

    path = {label: path_of("wander", step * figure.height, n, int(rng.integers(10**6))) for label in begins}
    for k in range(n):
        targets = {}
        for label, begin in begins.items():
            if len(begin) == 3 and "Orientation" not in type(_goal(problem, label)).__name__:
                targets[label] = begin + path[label][k] - path[label][0]
            else:
                turn = 2.0 * (path[label][k] - path[label][0]) / figure.height
                targets[label] = _turned(begin, turn)
        call(targets)
    shares = []
    for _ in range(AT_MOST):
        result, share = call(None)
        shares.append(share)
        if result.stopped in ("reached", "stationary"):
            break
    found.calls = len(shares)
    found.slow = found.calls > IN_TIME and sum(share < FULL for share in shares) > IN_TIME
    solved = solver.prepare(problem).solve(live.targets, result.q, reference=rest)
    found.cheaper = (result.cost - solved.cost) / max(result.cost, 1e-7)
    found.left = float(np.abs(solved.q - result.q).max()) if not result.reached else 0.0
    return found


def _goal(problem: pw.Problem, label: str) -> pw.Goal:
    return next(goal for goal in problem.goals if goal.label == label)


def _turned(directions: Array, turn: Array) -> Array:
    from posewright.rotations import matrix_from_vector

    return (directions.reshape(-1, 3) @ matrix_from_vector(turn).T).reshape(directions.shape)


def main() -> None:
    """All drags, those that fail, and how many calls they took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=20, help="drags of each body (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the drags of this seed alone")
    parser.add_argument("--bodies", help="names, by commas; default all")
    parser.add_argument("--solver", default="least_squares", choices=SOLVERS)
    chosen = parser.parse_args()
    counts, faults = Counter[str](), 0
    known = figures()
    seeds = [chosen.only] if chosen.only is not None else [1000 * chosen.seed + k for k in range(chosen.n)]
    for name in chosen.bodies.split(",") if chosen.bodies else known:
        for seed in seeds:
            course = drag(name, known[name], SOLVERS[chosen.solver], seed)
            counts["late" if course.calls > IN_TIME else "in time"] += 1
            counts["slow"] += course.slow
            faults += bool(course.faults)
            if course.faults:
                print(f"{course.what}: {'; '.join(course.faults)}", flush=True)
    print(f"{chosen.solver}: {sum(counts[k] for k in ('late', 'in time'))} drags, {dict(counts)}, {faults} with faults")


if __name__ == "__main__":
    main()
