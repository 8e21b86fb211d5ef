"""Random solves, checked: `python benchmarks/violations.py N [--seed S]`. Nothing broken, nothing falsely reached.

Questions are those of `random_problems`, answers are checked by `oracle`, which shares no code with Posewright: limits,
linear constraints, spaces and frozen dofs to 1e-9 (relative to their unit or the size of the numbers), goals that are
said to be reached against their tolerances, and every error against the oracle's.
"""

from __future__ import annotations

import argparse
import os
import secrets
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import oracle
from random_problems import RandomGoal, RandomJoint, RandomProblem, random_poses, random_problem

import posewright as pw
from posewright import goals
from posewright.figures import Ball, Hinge, Joint, JointGroup, Site, Slide
from posewright.goals import Goal
from posewright.solvers.prepared import Prepared
from posewright.solvers.solver import Solver

Array = npt.NDArray[np.float64]
ALLOWED = 1e-9
"""Of a unit (rad, or the size of a figure), or of the numbers in question if they are larger."""
_BATCH = 50
_CHUNK = 10_000
"""Solves that a process makes at a time."""


@dataclass(frozen=True)
class Share:
    """A solver, how many of the solves it gets, and how many of a problem."""

    solver: Solver
    share: float
    batch: int = _BATCH
    follows: bool = False
    """Whether targets are followed, each answer being where the next call goes on from."""


def shares() -> tuple[Share, ...]:
    """All solvers; those that take long get less."""
    found = [
        Share(pw.LeastSquares(restarts=1, max_iterations=60), 0.5),
        Share(pw.LeastSquares(), 0.1),
        Share(pw.Prioritized(), 0.1),
        Share(pw.LeastSquares(), 0.05, follows=True),
        Share(pw.Prioritized(), 0.05, follows=True),
        Share(pw.ActiveSetBfgs(restarts=1, max_iterations=100), 0.18),
        Share(pw.SequentialMonteCarlo(particles=16, max_iterations=20), 0.012, 5),
        Share(pw.Scipy(max_iterations=100), 0.004, 3),
    ]
    if find_spec("nlopt") is not None:
        found.append(Share(pw.Nlopt(max_iterations=100), 0.004, 3))
    return tuple(found)


@dataclass
class Tally:
    """What was found."""

    solves: int = 0
    reached: int = 0
    broken: int = 0
    false: int = 0
    """Said to be reached, and not."""
    wrong: int = 0
    """Errors that are others than the oracle's."""
    worst: float = 0.0
    seconds: float = 0.0
    examples: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Both together."""
        for name in ("solves", "reached", "broken", "false", "wrong", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.worst = max(self.worst, other.worst)
        self.examples += other.examples

    def __str__(self) -> str:
        share = 100.0 * self.reached / max(self.solves, 1)
        return (
            f"{self.solves:9,} solves, {share:5.1f} % reached, {self.broken} broken, "
            f"{self.false} falsely reached, {self.wrong} wrong errors, worst {self.worst:.1e}, {self.seconds:.0f} s"
        )


def tally(share: Share, n: int, *seed: int) -> Tally:
    """So many solves."""
    found, problem = Tally(), 0
    began = time.process_time()
    while found.solves < n:
        one = check(share, [*seed, problem], min(share.batch, n - found.solves))
        found.add(one)
        problem += 1
    found.seconds = time.process_time() - began
    return found


def check(share: Share, seed: list[int], n: int) -> Tally:
    """The solves of one random problem."""
    rng = np.random.default_rng(seed)
    asked = random_problem(rng)
    name = f"{type(share.solver).__name__}{' followed' * share.follows} {seed}"
    rest = np.array([[dof.rest for dof in asked.dofs]])
    starts = rest if asked.frozen else random_poses(asked, rng, n, beyond=0.5)
    targets = random_targets(asked, rng, n)
    prepared = share.solver.prepare(problem_of(asked))
    moved = {goal.label: targets[goal.label] for goal in asked.goals if goal.kind == "position"}
    if share.follows:
        starts = starts[:1]
        found = follow(prepared, moved, starts[0], n)
    else:
        found = prepared.solve_many(moved or np.tile(prepared.targets, (n, 1, 1)), starts)
    tally = Tally(solves=n, reached=int(found.reached.sum()))
    beyond = oracle.broken_by(asked, found.q, np.broadcast_to(starts, found.q.shape))
    tally.broken, tally.worst = int((beyond > ALLOWED).sum()), float(beyond.max())
    met, agree = np.ones(n, np.bool_), np.ones(n, np.bool_)
    for goal in asked.goals:
        if goal.kind == "posture":
            continue
        error, tolerance = oracle.errors(asked, goal, found.q, targets[goal.label])
        slack = oracle.rounding(asked, goal, found.q, targets[goal.label])
        met &= error <= tolerance + slack
        if goal.kind != "placement":  # of which there is an error for each part
            said = found.errors[goal.label]
            agree &= (said == error) | (np.abs(said - np.where(np.isinf(error), 0.0, error)) <= slack + 1e-12 * error)
    tally.false = int((found.reached & ~met).sum())
    tally.wrong = int((~agree).sum())
    if tally.broken or tally.false or tally.wrong:
        tally.examples.append(
            f"{name}: {tally.broken} broken, {tally.false} false, {tally.wrong} wrong, {beyond.max():.1e}"
        )
    return tally


class Followed(NamedTuple):
    """The answers of many calls, as those of `solve_many`."""

    q: Array
    reached: npt.NDArray[np.bool_]
    errors: dict[str, Array]


def follow(prepared: Prepared, targets: dict[str, Array], start: Array, n: int) -> Followed:
    """So many calls, one going on from the other."""
    found = [prepared.follow({label: points[0] for label, points in targets.items()}, start=start)]
    found += [prepared.follow({label: points[k] for label, points in targets.items()}) for k in range(1, n)]
    errors = {label: np.array([float(one.errors[label]) for one in found]) for label in found[0].errors}
    return Followed(np.array([one.q for one in found]), np.array([one.reached for one in found]), errors)


def random_targets(asked: RandomProblem, rng: np.random.Generator, n: int) -> dict[str, Array]:
    """Points (solves, 3) by goal: of positions, half can be reached if limits and rows allow it."""
    turns, points = oracle.frames(asked, random_poses(asked, rng, n, beyond=0.0))
    found = {}
    for goal in asked.goals:
        found[goal.label] = np.tile(goal.target, (n, 1))
        if goal.kind == "position":
            site = next(site for site in asked.sites if site.name == goal.site)
            away = asked.size * rng.normal(scale=0.5, size=(n, 3)) * (rng.random(n) < 0.5)[:, None]
            found[goal.label] = points[:, site.joint] + turns[:, site.joint] @ site.point + away
    return found


def problem_of(asked: RandomProblem) -> pw.Problem:
    """The question as Posewright takes it."""
    figure = figure_of(asked)
    rows = [
        pw.LinearConstraint(name=row.name, coefficients=tuple(row.factors.items()), lower=row.lower, upper=row.upper)
        for row in asked.rows
    ]
    return pw.Problem(
        space_of(asked, figure), [goal_of(goal) for goal in asked.goals], constraints=rows, frozen=asked.frozen
    )


def figure_of(asked: RandomProblem) -> pw.Figure:
    """The tree, with the group if there is one."""
    groups: tuple[JointGroup, ...] = ()
    if asked.space == "group":
        column = asked.matrix[:, -1]
        members = np.flatnonzero(column).tolist()
        groups = (
            JointGroup(
                name="group",
                coordinates=("bend",),
                members=tuple(asked.dofs[d].name for d in members),
                matrix=tuple((float(column[d]),) for d in members),
                offset=tuple(float(asked.base[d]) for d in members),
            ),
        )
    sites = [
        Site(name=s.name, joint=f"j{s.joint}", point=tuple(s.point), x_axis=tuple(s.x), y_axis=tuple(s.y))
        for s in asked.sites
    ]
    return pw.Figure(
        name="random", joints=tuple(_joint(asked, joint) for joint in asked.joints), sites=tuple(sites), groups=groups
    )


def _joint(asked: RandomProblem, joint: RandomJoint) -> Joint:
    def settings(dof: object) -> dict[str, object]:
        return {
            "axis": dof.axis, "label": dof.name.partition(".")[2], "lower": dof.lower, "upper": dof.upper,
            "rest": dof.rest, "rigidity": dof.rigidity,
        }  # fmt: skip

    balls = [dof for dof in joint.dofs if dof.kind == "ball"]
    rotation: object = tuple(Hinge(**settings(dof)) for dof in joint.dofs if dof.kind == "hinge")
    if balls:
        rotation = Ball(
            **{name: tuple(getattr(dof, name) for dof in balls) for name in ("lower", "upper", "rest", "rigidity")}
        )
    return Joint(
        name=joint.name,
        parent=None if joint.parent < 0 else f"j{joint.parent}",
        offset=tuple(joint.offset),
        rest=tuple(joint.rest),
        slides=tuple(Slide(**settings(dof)) for dof in joint.dofs if dof.kind == "slide"),
        slides_replace_offset=joint.replaces_offset,
        rotation=rotation,
        mass=joint.mass,
        centre=tuple(joint.centre),
    )


def space_of(asked: RandomProblem, figure: pw.Figure) -> pw.Space:
    """What is searched."""
    if asked.space == "chart":
        return pw.Space.of(figure).with_chart({f"j{k}": tuple(wxyz) for k, wxyz in asked.chart.items()})
    if asked.space == "chain":
        return pw.Space.chain(figure, [f"j{k}" for k in asked.free_joints])
    if asked.space == "group":
        return pw.Space.grouped(figure)
    if asked.matrix.size:
        return pw.Space(figure, tuple(f"x{k}" for k in range(asked.matrix.shape[1])), asked.matrix, asked.base)
    return pw.Space.of(figure)


def goal_of(goal: RandomGoal) -> Goal:
    """The goal as Posewright takes it."""
    settings = {"name": goal.label, "tolerance": goal.tolerance, "weight": goal.weight, "priority": goal.priority}
    target, site = tuple(goal.target), goal.site
    if goal.kind == "any_of":
        other = tuple(goal.target + goal.distance * goal.x)
        return goals.AnyOf(
            (goals.Position(site, target, name="one"), goals.Position(site, other, name="other")), **settings
        )
    made = {
        "position": lambda: goals.Position(site, target, **settings),
        "together": lambda: goals.Position(site, goal.partner, **settings),
        "orientation": lambda: goals.Orientation(site, x=goal.x, y=goal.y, **settings),
        "direction": lambda: goals.Orientation(site, x=goal.x, **settings),
        "placement": lambda: goals.Placement(site, target, x=goal.x, y=goal.y, **settings),
        "aim": lambda: goals.Aim(site, target, **settings),
        "line": lambda: goals.Line(site, target, goal.x, **settings),
        "plane": lambda: goals.Plane(site, target, goal.x, **settings),
        "half_space": lambda: goals.HalfSpace(site, target, goal.x, **settings),
        "distance": lambda: goals.Distance(site, target, goal.distance, **settings),
        "mass": lambda: goals.CentreOfMass(target, vertical=False, **settings),
        "balance": lambda: goals.CentreOfMass(target, **settings),
        "posture": lambda: goals.Posture(**settings),
    }
    return made[goal.kind]()


def tally_chunk(k: int, n: int, seed: int, chunk: int) -> Tally:
    """A chunk of the solves of share k."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        return tally(shares()[k], n, seed, k, chunk)


def print_violations(n: int, seed: int, jobs: int) -> Tally:
    """Solve and count."""
    print(f"random solves, seed {seed}; broken means beyond {ALLOWED:g} of a unit")
    everything, began = Tally(), time.perf_counter()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        counts = [max(1, round(n * share.share)) for share in shares()]
        chunks = [[min(_CHUNK, count - first) for first in range(0, count, _CHUNK)] for count in counts]
        running = [[pool.submit(tally_chunk, k, m, seed, c) for c, m in enumerate(own)] for k, own in enumerate(chunks)]
        for share, parts in zip(shares(), running, strict=True):
            found = Tally()
            for part in parts:
                found.add(part.result())
            print(f"  {share.solver!r:.60}{' followed' * share.follows}\n    {found}", flush=True)
            for example in found.examples[:20]:
                print(f"      {example}", flush=True)
            everything.add(found)
    print(f"  all: {everything} of CPU, {time.perf_counter() - began:.0f} s")
    return everything


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, help="how many solves")
    parser.add_argument("--seed", type=int, default=None, help="by default another one each time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (%(default)s)")
    chosen = parser.parse_args()
    print_violations(chosen.n, secrets.randbits(32) if chosen.seed is None else chosen.seed, chosen.jobs)


if __name__ == "__main__":
    main()
