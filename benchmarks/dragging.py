"""Drags: goals followed along smooth closed paths, half of them out of reach, on five bodies with six kinds of goals.

    python benchmarks/dragging.py [--bodies human40,grouped] [--goals position,levels] [--path wander --seed 7]

A step of a path is 1.5 % of the body's height. Times are CPU times of the thread, the best of three passes for every
step. What a step could at best have had is found by a plain solve from its answer and by one from the pose of the
beginning with restarts: goals are within reach if the first meets all within 1 mm and 0.5 degrees, within reach
elsewhere (after the plus) if only the other does. A step glides if the pose at which the solve from its answer ends is
further from the answer before than a call may go. Shares of steps are given of all and, after the stroke, of those
that do not glide. "owed" is the share of steps that would glide behind a follower that has converged at every step,
each time from where it converged before: its poses jump, and a jump of so many times the pace takes so many calls.
"rest" is how many calls it takes at most until the pose rests, once a target stops (every sixth step).

`--peers` compares one drag with other libraries (`dragging_beside`). `--solve` drags by plain solves from the last
answer instead, `--prioritized` by the other solver. Figures of files need the recordings (`POSEWRIGHT_DATA`, or
../shared/data beside the repository); `--figure FILE` adds any other.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from dragging_beside import print_beside

import posewright as pw
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.figures.transforms.masses import with_masses
from posewright.solvers.prepared import Prepared

Array = npt.NDArray[np.float64]
DATA = Path(os.environ.get("POSEWRIGHT_DATA", Path(__file__).parents[2] / "shared" / "data"))
FILES = {
    "cmu": "cmu/bvh/02_01.bvh",
    "character": "characters/readyplayerme.glb",
    "g1": "robots/unitree_g1/g1_29dof_kinematics.urdf",
}
STEP = 0.015
"""Of the height: how far a target moves in a step."""
FLIP = 0.5
"""rad: a dof that changes by more in a step has flipped."""
SETTLE = 60
"""Calls with the first target, before the drag begins."""
MET = {"m": 1e-3, "rad": np.radians(0.5)}
"""Errors with which a goal counts as met."""
CLOSE = 1.01
"""Times the converged cost, which a step out of reach may have."""
PACE = pw.solvers.Pace()


@dataclass(frozen=True)
class Body:
    """A figure in a pose from which it is dragged."""

    name: str
    space: pw.Space
    hand: str
    feet: tuple[str, ...]

    @property
    def figure(self) -> pw.Figure:
        """The figure of the space."""
        return self.space.figure


@dataclass(frozen=True)
class Drag:
    """A problem and what is dragged in it."""

    problem: pw.Problem
    label: str
    centre: Array
    """m, of the path: about as far as the goal can be met"""
    axes: Array
    """(3, 3): unit vectors of the path: ahead, where the goal is out of reach, and across"""

    def targets(self, path: Array) -> list[object]:
        """The target of each step, for offsets (steps, 3) ahead and across."""
        return list(self.centre + path @ self.axes)


def body_of(name: str, figure: pw.Figure, *, grouped: bool = False) -> Body:
    """A body with masses, its right hand and its feet."""
    if sum(joint.mass for joint in figure.joints) <= 0.0:
        figure = with_masses(figure, 70.0)
    hand, feet = "right_hand", ("left_sole", "right_sole")
    if hand not in figure.site_names or feet[0] not in figure.site_names:
        parts = figure.anatomy.parts
        hand, feet = parts["right_wrist"][-1], (parts["left_ankle"][-1], parts["right_ankle"][-1])
    return Body(name, pw.Space.grouped(figure) if grouped else pw.Space.of(figure), hand, feet)


def bodies(files: list[str]) -> dict[str, Callable[[], Body]]:
    """How to make each body."""
    found: dict[str, Callable[[], Body]] = {
        "human40": lambda: body_of("human40", pw.figure("human40")),
        "grouped": lambda: body_of("grouped", pw.figure("human"), grouped=True),
    }
    for name, file in [*FILES.items(), *((Path(file).stem, file) for file in files)]:
        path = DATA / file if name in FILES else Path(file)
        if path.is_file():
            found[name] = lambda name=name, path=path: body_of(name, pw.figure(path))  # type: ignore[misc]
        else:
            print(f"no {path}; {name} is left out")
    return found


def drag_of(body: Body, kind: str) -> Drag:
    """One kind of goal on a body whose feet are pinned, with a light pull to the pose it starts in."""
    figure, rest = body.figure, pw.Pose.rest(body.figure)
    height, hand, site = figure.height, np.array(rest.point(body.hand)), body.hand
    forwards = np.array(figure.anatomy.facing(joint_positions(figure, rest.q[np.newaxis]))).reshape(3)
    pins, posture = pw.pin(rest, *body.feet), pw.Posture(weight=1e-5)
    middle = np.mean([rest.point(foot) for foot in body.feet], axis=0) * (1.0, 0.0, 1.0)
    origin, ahead = hand, forwards + np.array([0.0, 0.4, 0.0])
    point = pw.Position(site, tuple(hand), name="dragged")
    goals: list[pw.Goal] = [*pins, point, posture]
    if kind == "aim":
        return aim_of(body, pins, posture, hand, height * ahead)
    if kind == "orientation":
        frame = site_frames(figure, rest.q, [site])
        goals.append(pw.Orientation(site, x=frame.x_axes[0], y=frame.y_axes[0], name="turned"))
    elif kind == "balance":
        goals[-2] = pw.CentreOfMass(tuple(middle), name="dragged")
        origin, ahead = middle, forwards
    elif kind == "any of":
        far = edge(pw.Problem(body.space, goals[:-1]), hand, height * ahead)  # out of reach itself, and to the side
        far = far + height * (0.2 * forwards + 0.2 * np.cross(forwards, (0.0, 1.0, 0.0)))
        goals[-2] = pw.AnyOf((point, pw.Position(site, tuple(far))), name="dragged")
    elif kind == "levels":
        goals[-2:] = [
            replace(point, priority=2),
            pw.CentreOfMass(tuple(middle), priority=2, name="balance"),
            replace(posture, priority=2),
        ]
    alone = [point if isinstance(goal, pw.AnyOf) else goal for goal in goals if not isinstance(goal, pw.Posture)]
    wanted = pw.Problem(body.space, alone)
    unit = ahead / np.linalg.norm(ahead)
    across = np.cross(unit, (0.0, 1.0, 0.0))
    across /= np.linalg.norm(across)
    axes = np.stack([unit, across if kind == "balance" else np.cross(across, unit), across])
    return Drag(pw.Problem(body.space, goals), "dragged", edge(wanted, origin, height * ahead), axes)


def aim_of(body: Body, pins: tuple[pw.Goal, ...], posture: pw.Posture, hand: Array, ahead: Array) -> Drag:
    """A forearm that aims while its hand holds on to something: how far it can turn depends on lengths alone."""
    figure, elbow = body.figure, body.figure.anatomy.parts["right_elbow"][-1]
    point = pw.Position(body.hand, tuple(hand), name="dragged")
    grip = hand + 0.98 * (edge(pw.Problem(body.space, [*pins, point]), hand, ahead) - hand)
    held = [*pins, replace(point, target=tuple(grip), name="grip")]
    pose = pw.LeastSquares().solve(pw.Problem(body.space, [*held, posture])).pose
    frame = site_frames(figure, pose.q, [elbow])
    along = grip - frame.points[0]
    along /= np.linalg.norm(along)
    axes = np.stack([frame.x_axes[0], frame.y_axes[0], np.cross(frame.x_axes[0], frame.y_axes[0])])
    origin = frame.points[0] + 0.3 * figure.height * along
    aim = pw.Aim(elbow, tuple(origin), axis=tuple(axes @ along), name="dragged")
    across = np.cross(along, (0.0, 1.0, 0.0))
    across /= np.linalg.norm(across)
    up = np.cross(across, along)
    centre = edge(pw.Problem(body.space, [*held, aim]), origin, 0.5 * figure.height * up)
    return Drag(pw.Problem(body.space, [*held, aim, posture]), "dragged", centre, np.stack([up, along, across]))


def edge(problem: pw.Problem, origin: Array, ahead: Array) -> Array:
    """The furthest point from the origin along `ahead` at which the goals are still met."""
    prepared, rest = pw.LeastSquares(restarts=3).prepare(problem), pw.Pose.rest(problem.figure)
    near, far = 0.0, 1.0
    for _ in range(8):
        half = 0.5 * (near + far)
        result = prepared.solve({"dragged": origin + half * ahead}, rest)
        near, far = (half, far) if result.reached else (near, half)
    return origin + near * ahead


KINDS = ("position", "aim", "orientation", "balance", "any of", "levels")


def path_of(shape: str, step: float, steps: int, seed: int) -> Array:
    """Offsets (steps, 3) along a closed path, equally far apart."""
    turn = np.linspace(0.0, 2.0 * np.pi, 4001)
    if shape == "circle":
        curve = np.stack([np.sin(turn), np.cos(turn), np.zeros_like(turn)], axis=1)
    else:  # a random closed curve of few harmonics
        random = np.random.default_rng(seed)
        waves = random.normal(size=(4, 2, 3)) / np.arange(1, 5)[:, None, None]
        curve = sum(
            np.outer(np.sin(k * turn), waves[k - 1, 0]) + np.outer(np.cos(k * turn), waves[k - 1, 1])
            for k in range(1, 5)
        )
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    scale = step * steps / lengths[-1]
    at = np.linspace(0.0, lengths[-1], steps, endpoint=False)
    return scale * np.stack([np.interp(at, lengths, curve[:, i]) for i in range(3)], axis=1)


@dataclass
class Passed:
    """What a pass along a path gave, a row per step."""

    seconds: Array
    q: Array
    cost: Array
    met: npt.NDArray[np.bool_]


def owed(drag: Drag, solver: pw.Solver, q: Array, targets: list[object], start: pw.Pose) -> float:
    """The share of steps at which poses that are held to the pace are behind those that converge from each other."""
    here = replace(solver, max_iterations=4000).prepare(drag.problem)
    behind, steps = 0.0, 0
    for target in targets:
        best = here.solve({drag.label: target}, q, start).q
        behind += paces(drag.problem.figure, q[np.newaxis], best[np.newaxis])[0]
        steps += behind > 1.0
        q, behind = best, max(0.0, behind - 1.0)
    return steps / len(targets)


@dataclass
class Converged:
    """What plain solves find for the steps of a pass."""

    q: Array
    cost: Array
    met: npt.NDArray[np.bool_]
    met_elsewhere: npt.NDArray[np.bool_]


def is_met(result: pw.Result) -> bool:
    """Whether all goals but the posture are, by millimetres and degrees."""
    return all(float(part) <= MET[part.unit] for part in result.errors.parts if part.label != "posture")


def run(live: Prepared, label: str, targets: list[object], start: pw.Pose, plain: bool) -> Passed:
    """One pass along the path."""
    seconds, q, cost, met = np.empty(len(targets)), [], [], []
    result = live.solve({label: targets[0]}, start)
    if not plain:
        for _ in range(SETTLE):
            result = live.follow({label: targets[0]})
    for k, target in enumerate(targets):
        pose = result.pose
        began = time.thread_time()
        result = live.solve({label: target}, pose, start) if plain else live.follow({label: target})
        seconds[k] = time.thread_time() - began
        q.append(result.q)
        cost.append(result.cost)
        met.append(is_met(result))
    return Passed(seconds, np.array(q), np.array(cost), np.array(met))


def converged(drag: Drag, solver: pw.Solver, q: Array, targets: list[object], start: pw.Pose) -> Converged:
    """Where plain solves end from each answer of a pass, and whether others meet what those do not."""
    here = replace(solver, max_iterations=4000).prepare(drag.problem)
    elsewhere = replace(solver, restarts=3).prepare(drag.problem) if isinstance(solver, pw.LeastSquares) else here
    found = Converged(np.empty_like(q), np.empty(len(q)), np.zeros(len(q), np.bool_), np.zeros(len(q), np.bool_))
    for k, target in enumerate(targets):
        near = here.solve({drag.label: target}, q[k], start)
        found.q[k], found.cost[k], found.met[k] = near.q, near.cost, is_met(near)
        found.met_elsewhere[k] = not found.met[k] and is_met(elsewhere.solve({drag.label: target}, start))
    return found


def calls_to_rest(live: Prepared, label: str, q: Array, targets: list[object]) -> int:
    """At most, over every sixth step."""
    most = 0
    for k in range(0, len(targets), 6):
        result, calls = live.follow({label: targets[k]}, start=q[k]), 1
        while result.stopped not in ("reached", "stationary") and calls < 200:
            result, calls = live.follow(), calls + 1
        most = max(most, calls)
    return most


def paces(figure: pw.Figure, before: Array, best: Array) -> Array:
    """(steps,): how many calls it takes from one pose to another, of poses (steps, dofs)."""
    moves = np.array([len(joint.slides) > 0 for joint in figure.joints for _ in range(joint.n_dofs)])
    turned = np.abs(best - before)[:, ~moves].max(axis=1)
    moved = np.linalg.norm(joint_positions(figure, best) - joint_positions(figure, before), axis=2).max(axis=1)
    return np.maximum(turned / PACE.turn, moved / (PACE.move * figure.height))


def main() -> None:
    """All bodies with all goals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", help="names, by commas; default all")
    parser.add_argument("--goals", default=",".join(KINDS), help=f"of {', '.join(KINDS)}")
    parser.add_argument("--figure", action="append", default=[], metavar="FILE", help="another body")
    parser.add_argument("--path", choices=("circle", "wander"), default="circle")
    parser.add_argument("--seed", type=int, default=1, help="of a path that wanders")
    parser.add_argument("--steps", type=int, default=120, help="of a drag")
    parser.add_argument("--round", type=int, default=60, help="steps once around; more go further out of reach")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--solve", action="store_true", help="plain solves from the last answer")
    parser.add_argument("--prioritized", action="store_true", help="by Prioritized")
    parser.add_argument("--unsettled", action="store_true", help="leave out what solves converge to")
    parser.add_argument("--peers", action="store_true", help="only a drag that PlaCo and mink can state too")
    chosen = parser.parse_args()
    if chosen.peers:
        print_beside(chosen.passes)
        return
    known = bodies(chosen.figure)
    solver: pw.Solver = pw.Prioritized() if chosen.prioritized else pw.LeastSquares(restarts=0)
    print(
        f"{'body':10} {'goal':12} {'median':>7} {'p95':>7} {'worst':>7} ms {'in reach':>11} {'met':>12}"
        f" {'within 1%':>12} {'glides':>7} {'owed':>6} {'rest':>4} {'dof':>6} {'joint':>6} {'flips':>5}"
    )
    for name in (chosen.bodies or ",".join(known)).split(","):
        body = known[name]()
        for kind in chosen.goals.split(","):
            print_drag(body, kind, solver, chosen)


def print_drag(body: Body, kind: str, solver: pw.Solver, chosen: argparse.Namespace) -> None:
    """One row of the table."""
    drag, start = drag_of(body, kind), pw.Pose.rest(body.figure)
    height = body.figure.height
    path = path_of(chosen.path, STEP * height, chosen.round, chosen.seed)
    targets = drag.targets(path[np.arange(chosen.steps) % chosen.round])
    prepared = solver.prepare(drag.problem)
    passes = [run(prepared.fork(), drag.label, targets, start, chosen.solve) for _ in range(chosen.passes)]
    seconds, first = 1e3 * np.min([one.seconds for one in passes], axis=0), passes[0]
    turned = np.abs(np.diff(first.q, axis=0)).max(axis=1)
    moved = np.linalg.norm(np.diff(joint_positions(body.figure, first.q), axis=0), axis=2).max(axis=1) / height
    print(
        f"{body.name:10} {kind:12} {np.median(seconds):7.2f} {np.percentile(seconds, 95):7.2f} {seconds.max():7.2f}   ",
        end="",
    )
    if not chosen.unsettled:
        best = converged(drag, solver, first.q, targets, start)
        steady = paces(body.figure, np.concatenate([first.q[:1], first.q[:-1]]), best.q) <= 1.0
        least = 100.0 * owed(drag, solver, best.q[0], targets, start)
        near = first.cost <= CLOSE * best.cost + 1e-12
        shares = [100.0 * best.met.mean(), 100.0 * best.met_elsewhere.mean()]
        shares += [share(first.met, best.met), share(first.met, best.met & steady)]
        shares += [share(near, ~best.met), share(near, ~best.met & steady)]
        rest = calls_to_rest(prepared.fork(), drag.label, first.q, targets)
        print(
            "{:4.0f} +{:3.0f} % {:4.0f} /{:4.0f} % {:4.0f} /{:4.0f} %".format(*shares)
            + f" {100.0 * (~steady).mean():5.0f} % {least:4.0f} % {rest:4}",
            end="",
        )
    print(f" {turned.max():6.3f} {100.0 * moved.max():5.1f}% {int((turned > FLIP).sum()):5d}", flush=True)


def share(which: npt.NDArray[np.bool_], of: npt.NDArray[np.bool_]) -> float:
    """Per cent; of none, none."""
    return 100.0 * float(which[of].mean()) if of.any() else float("nan")


if __name__ == "__main__":
    main()
