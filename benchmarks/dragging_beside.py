"""A drag that other libraries can state too, in the same run: `python benchmarks/dragging.py --peers`.

The body and the objective are those of `clips`: a hand is dragged, the head, the other hand and both feet (turned as
they are) are held, a light pull to the pose at rest. Peers take so many steps a frame. An answer counts as converged if
its objective is at most 1 % above that at which a plain solve of ours ends from it; a frame flips if an angle changes
by more than 0.5 rad. Times are processor times of a frame, the best of the rounds, which take turns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import clips
import numpy as np
from clips import ClipTask
from figures import figure_of, q_of, states_of, targets_of
from peers.environments import Running
from retargeting import start_peers
from tasks import Array

import posewright as pw
from posewright.solvers.prepared import Prepared

STEPS = (1, 2, 4, 8)
FLIP, CLOSE = 0.5, 1.01
"""rad in a frame; of the converged objective"""
MEASURED = 120
"""Frames at the end, in which the target moves."""


def problem_of_drag(clip: ClipTask) -> pw.Problem:
    """The objective of `clips.objectives`."""
    goals: list[pw.Goal] = []
    for tip in clip.body.tips:
        site = f"{tip.name}_tip"
        goals.append(pw.Position(site, (0.0, 0.0, 0.0)))
        if tip.oriented:
            x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
            goals.append(pw.Orientation(site, x=x, y=y, radius=clips.TURN_WEIGHT, name=f"{tip.name} turned"))
    root = {clip.body.bones[0].name: 0.0}
    figure = figure_of(clip.body)
    posture = pw.Posture(weight=clips.POSTURE_WEIGHT**2, reference=pw.Pose.rest(figure), weights=root)
    return pw.Problem(figure, [*goals, posture])


def print_beside(rounds: int) -> None:
    """The table."""
    clip = clips.make_drag()
    problem, targets = problem_of_drag(clip), targets_of(clip)
    here = pw.LeastSquares(restarts=0, max_iterations=4000).prepare(problem)
    methods: dict[str, Callable[[], tuple[Array, Array]]] = {"Posewright, follow": lambda: ours(clip, problem, targets)}
    peers = start_peers("PlaCo", "mink")
    try:
        for peer in peers:
            for steps in STEPS:

                def theirs(peer: Running = peer, steps: int = steps) -> tuple[Array, Array]:
                    found = peer.follow(clip.name, steps)
                    return np.array(found["frames"]), np.array(found["states"])

                methods[f"{peer.peer.name} {peer.version}, {steps} steps"] = theirs
        found = {label: [method()] for label, method in methods.items()}
        for number in range(1, rounds):
            for label, method in methods.items():
                found[label].append(method())
            print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
    finally:
        for peer in peers:
            peer.close()
    print(
        f"{'':44} {'median':>7} {'p95':>7} {'worst':>7} ms {'within 1 %':>10} {'objective':>10} {'most rad':>8} flips"
    )
    for label, passes in found.items():
        ms = 1e3 * np.min([seconds for seconds, _ in passes], axis=0)[-MEASURED:]
        states = passes[0][1]
        best = clips.objectives(clip, converged(here, clip, targets, states))[-MEASURED:]
        reached = clips.objectives(clip, states)[-MEASURED:]
        turned = np.abs(np.diff(states[:, clip.body.n_root :], axis=0)).max(axis=1)[-MEASURED:]
        print(
            f"{label:44} {np.median(ms):7.3f} {np.percentile(ms, 95):7.3f} {ms.max():7.3f}    "
            f"{100.0 * (reached <= CLOSE * best + 1e-12).mean():8.0f} % {reached.mean():10.3e} {turned.max():8.2f}"
            f" {int((turned > FLIP).sum()):5d}",
            flush=True,
        )


def ours(clip: ClipTask, problem: pw.Problem, targets: Array) -> tuple[Array, Array]:
    """Seconds of each frame, and the states."""
    live = pw.LeastSquares(restarts=0).prepare(problem)
    start: Array | None = q_of(clip.body, clip.start[None])[0]
    seconds, q = np.empty(len(clip)), []
    for k, wanted in enumerate(targets):
        began = time.process_time()
        result = live.follow(wanted, start=start)
        seconds[k], start = time.process_time() - began, None
        q.append(result.q)
    return seconds, states_of(clip.body, np.array(q))


def converged(here: Prepared, clip: ClipTask, targets: Array, states: Array) -> Array:
    """Where plain solves end from each answer."""
    start = q_of(clip.body, states)
    q = [here.solve(wanted, before).q for wanted, before in zip(targets, start, strict=True)]
    return states_of(clip.body, np.array(q))
