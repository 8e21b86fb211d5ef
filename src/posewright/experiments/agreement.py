"""Agreement: our optima beside those of SciPy's SLSQP and NLopt's augmented Lagrangian, on seeded problems.

Not from a paper: it asks whether our solvers end where methods end that nobody here wrote. Local minima differ from
method to method, so both begin at the same pose, then at the same several poses, of which the best answer counts; and
what ours ends at is handed to SLSQP, which must not get any lower.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import posewright as pw
from posewright.errors import MissingExtra
from posewright.experiments.experiment import Outcome, experiment
from posewright.figures.catalogue import arm4, chain, hand, human22, human40
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.problem.feasible import feasible_region
from posewright.solvers.registry import SOLVERS
from posewright.solvers.solver import Solver

PROBLEMS = 200
STARTS = 5
"""Of the second comparison; the first of them is the rest pose, from which the first comparison begins."""
EQUAL = 1e-4
"""Relative difference of costs; where a goal is missed by 30 cm that is 15 µm."""
_OURS = ("least_squares", "active_set_bfgs")
"""Those that minimise a weighted sum to the end; both without their restarts, which the others do not have."""
_ORACLES = {"SLSQP": "scipy", "augmented Lagrangian": "nlopt"}
_SPREAD = 0.6  # rad or m: how far poses are drawn from rest
_BEYOND = (1.2, 2.0)  # of their distance from the root: where targets lie that may be out of reach

Verdict = str
"""How ours compares: equal, better or worse."""


@dataclass(frozen=True)
class Question:
    """One problem and where searches begin."""

    problem: pw.Problem
    starts: tuple[pw.Pose, ...]
    far: bool
    """Whether the targets were pushed outwards, so that limits and goals have to be weighed."""


def questions(count: int, seed: int = 0) -> Sequence[Question]:
    """Seeded problems, in turn over five figures, the goals of every other one pushed out of reach."""
    person = human40()
    joints = [name for name in person.joint_names if name != "pelvis"]  # or it would walk to where things are
    kinds = (
        (pw.Space.of(arm4()), ("tip",), "placed"),
        (pw.Space.of(chain(8, length=1.5)), ("tip",), "points"),
        (pw.Space.chain(person, joints), ("left_hand", "right_hand", "left_sole"), "points"),
        # with the polygons of its shoulders and the rows that joint groups bring
        (pw.Space.grouped(human22()), ("left_hand", "right_hand"), "placed and seen"),
        # with the equalities that couple the last two joints of each finger
        (pw.Space.of(hand()), ("index_tip", "middle_tip", "thumb_tip"), "points"),
    )
    first = 100_000 * seed
    return [_question(*kinds[k % len(kinds)], seed=first + k, far=(k // len(kinds)) % 2 == 1) for k in range(count)]


def _question(space: pw.Space, sites: tuple[str, ...], wanted: str, *, seed: int, far: bool) -> Question:
    rng = np.random.default_rng(seed)
    frames = site_frames(space.figure, _random_pose(space, rng).q, list(sites))
    points = frames.points.copy()
    if far:
        root = site_frames(space.figure, space.figure.rest, [space.figure.joint_names[0]]).points[0]
        points = root + rng.uniform(*_BEYOND) * (points - root)
    goals: list[pw.Goal] = []
    for k, site in enumerate(sites):
        weight = float(rng.uniform(0.5, 2.0))
        if wanted == "points":
            goals.append(pw.Position(site, vector(points[k]), weight=weight))
        else:
            x, y = vector(frames.x_axes[k]), vector(frames.y_axes[k])
            goals.append(pw.Placement(site, vector(points[k]), x=x, y=y, weight=weight))
    if wanted == "placed and seen":
        goals.append(pw.Aim("view", vector(points[0]), name="look", weight=0.3))
    starts = (pw.Pose.rest(space.figure), *(_random_pose(space, rng) for _ in range(STARTS - 1)))
    return Question(pw.Problem(space, goals), starts, far)


def _random_pose(space: pw.Space, rng: np.random.Generator) -> pw.Pose:
    figure = space.figure
    q = np.clip(figure.rest + rng.uniform(-_SPREAD, _SPREAD, figure.n_dofs), figure.lower, figure.upper)
    region = feasible_region(pw.Problem(space))
    return pw.Pose(figure, space.decode(region.projected(space.encode(q))))


def verdict(ours: pw.PoseResult, theirs: pw.PoseResult) -> Verdict:
    """Equal where both reach all goals or the costs agree; else whose is lower."""
    if ours.reached and theirs.reached:
        return "equal"
    if ours.reached != theirs.reached:
        return "better" if ours.reached else "worse"
    if abs(ours.cost - theirs.cost) <= EQUAL * max(ours.cost, theirs.cost):
        return "equal"
    return "better" if ours.cost < theirs.cost else "worse"


@dataclass(frozen=True)
class Comparison:
    """What became of one of ours beside one of theirs."""

    ours: str
    theirs: str
    far: bool
    same_start: Counter[Verdict]
    many_starts: Counter[Verdict]
    improvable: int
    """Answers of ours, over all starts, from which SLSQP gets lower."""
    answers: int


def compare(count: int, found: Outcome) -> list[Comparison]:
    """Every solver of ours beside every oracle; one that is not installed is a failure."""
    ours = {name: SOLVERS[name](restarts=0) for name in _OURS if name in SOLVERS}
    theirs = _oracles(found)
    asked = questions(count, found.seed)
    answers: dict[str, list[list[pw.PoseResult]]] = {name: [] for name in (*ours, *theirs)}
    lower: dict[str, list[int]] = {name: [] for name in ours}
    for question in found.each(asked):
        for name, solver in (*ours.items(), *theirs.items()):
            prepared = solver.prepare(question.problem)
            answers[name].append([prepared.solve(start=start) for start in question.starts])
        judge = theirs["SLSQP"].prepare(question.problem)
        for name in ours:
            stuck = [answer for answer in answers[name][-1] if not answer.reached]
            lower[name].append(sum(verdict(a, judge.solve(start=a.pose)) == "worse" for a in stuck))
    return [
        _comparison(mine, other, far, [k for k, question in enumerate(asked) if question.far == far], answers, lower)
        for mine in ours
        for other in theirs
        for far in (False, True)
    ]


def _comparison(
    mine: str, other: str, far: bool, these: Sequence[int], answers: dict[str, list[list[pw.PoseResult]]],
    lower: dict[str, list[int]],
) -> Comparison:  # fmt: skip
    pairs = [(answers[mine][k], answers[other][k]) for k in these]
    same = Counter(verdict(a[0], b[0]) for a, b in pairs)
    many = Counter(verdict(_best(a), _best(b)) for a, b in pairs)
    return Comparison(mine, other, far, same, many, sum(lower[mine][k] for k in these), STARTS * len(these))


def _best(results: Sequence[pw.PoseResult]) -> pw.PoseResult:
    return min(results, key=lambda result: (not result.reached, result.cost))


def _oracles(found: Outcome) -> dict[str, Solver]:
    installed: dict[str, Solver] = {}
    for words, name in _ORACLES.items():
        solver = SOLVERS[name]()
        try:
            solver.prepare(pw.Problem(pw.Space.of(arm4())))
        except MissingExtra as missing:
            found.require(False, str(missing))
        else:
            installed[words] = solver
    return installed


@experiment(
    "agreement",
    f"Optima beside SLSQP and the augmented Lagrangian: {PROBLEMS} problems from the same starts",
    accepts=f"SLSQP gets lower from at most 1 % of our answers; at most 5 % are worse when the best of {STARTS} counts",
)
def agreement(found: Outcome) -> None:
    """Half of the problems have their goals pushed outwards."""
    words = ("equal", "better", "worse")
    found.columns = ("solver", "beside", "goals", *words, f"of {STARTS}: equal", *words[1:], "SLSQP gets lower")
    for one in compare(PROBLEMS, found):
        counts = [str(counter[word]) for counter in (one.same_start, one.many_starts) for word in words]
        goals = "pushed outwards" if one.far else "can be met"
        found.row(one.ours, one.theirs, goals, *counts, f"{one.improvable}/{one.answers}")
        pair, worse, total = f"{one.ours} beside {one.theirs}", one.many_starts["worse"], sum(one.many_starts.values())
        lower = f"{one.improvable} of {one.answers} answers"
        found.require(one.improvable <= 0.01 * one.answers, f"{pair}: SLSQP gets lower from {lower}")
        found.require(worse <= 0.05 * total, f"{pair}: worse in {worse} of {total} with {STARTS} starts")
    restarted = {name: SOLVERS[name]() for name in _OURS}
    near = [question for question in questions(PROBLEMS, found.seed) if not question.far]
    for name, solver in restarted.items():
        met = sum(solver.solve(question.problem).reached for question in near)
        found.beside(f"{name} with its restarts, goals that can be met: met from rest", f"{met} of {len(near)}")
