"""Retargeting, timed beside other libraries in the same run: `python benchmarks/retargeting.py [--no-peers]`.

The clips are those of `clips`: t2, and t2h which rides on the limits with targets out of reach. Ours is
`LeastSquares(tracking=...).solve(problem)` through the public API, one thread, limits hard: times include
lowering the problem and making the result. Peers take one or two steps per frame from the answer before; their targets
are packed beforehand. Every answer is scored by the kinematics of `tasks`. Rounds take turns: trust the ratios more
than the frame rates, and CPU time more than wall time on a busy machine.

Where the prototype that the kernel was designed with is present (`POSEWRIGHT_BENCH`), it runs in the same rounds.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import clips
import numpy as np
from clips import ClipTask
from end_to_end import print_end_to_end, print_hour
from figures import motion_problem_of, states_of
from peers.environments import PEERS, NotInstalled, Running

import posewright as pw

PROTOTYPE = Path(os.environ.get("POSEWRIGHT_BENCH", Path(__file__).parents[2] / "shared" / "bench"))
STEPS = (1, 2)
TRACKING = {
    "t2": (
        pw.solvers.Tracking(steps=1, damping=1e-4),
        pw.solvers.Tracking(steps=2, damping=1e-4),
        pw.solvers.Tracking(gain=1e-3),
        pw.solvers.Tracking(),
    ),
    "t2h": (
        pw.solvers.Tracking(steps=2, damping=2e-3),
        pw.solvers.Tracking(gain=1e-2),
        pw.solvers.Tracking(gain=1e-3),
        pw.solvers.Tracking(),
    ),
}
"""From quick to converged; the last is the default."""


@dataclass
class Rounds:
    """What one method of following a clip did, round by round."""

    score: dict[str, float] = field(default_factory=dict)
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, answer: dict[str, Any]) -> None:
        """One more round; answers are the same each time."""
        self.wall.append(answer["seconds"])
        self.cpu.append(answer["cpu"])
        self.score = answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-peers", action="store_true", help="only ours")
    parser.add_argument("--end-to-end", action="store_true", help="only files read, retargeted and written")
    parser.add_argument("--hour", action="store_true", help="only the memory of an hour and of a long stream")
    parser.add_argument("--rounds", type=int, default=5, help="how often each takes its turn")
    chosen = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
          f"numpy {np.__version__}, {time.strftime('%Y-%m-%d')}, load {os.getloadavg()[0]:.1f}")  # fmt: skip
    if chosen.end_to_end:
        print_end_to_end(chosen.rounds)
        return
    if chosen.hour:
        print_hour()
        return
    peers = [] if chosen.no_peers else start_peers()
    try:
        for name in clips.CLIPS:
            compare(name, peers, chosen.rounds)
    finally:
        for peer in peers:
            peer.close()
    print_held_out()


def start_peers(*names: str) -> list[Running]:
    """The peers that can run here, all or some of them; those that cannot are named with the reason."""
    found = []
    for peer in PEERS:
        if not peer.follows or (names and peer.name not in names):
            continue
        try:
            found.append(Running(peer))
        except NotInstalled as reason:
            print(f"{peer.name}: not installed ({reason})")
    return found


def compare(name: str, peers: list[Running], rounds: int) -> None:
    """The table of one clip."""
    clip = clips.CLIPS[name]()
    methods: dict[str, Callable[[], dict[str, Any]]] = {}
    for tracking in TRACKING[name]:
        words = f"{tracking.steps} steps" if tracking.steps <= 2 else f"gain {tracking.gain:g}"
        methods[f"Posewright, {words}"] = ours(clip, tracking)
    prototype(clip, methods)
    for peer in peers:
        for steps in STEPS:
            methods[f"{peer.peer.name} {peer.version}, {steps} steps"] = follow_with(peer, name, steps)
    known = {label: Rounds() for label in methods}
    for number in range(rounds):
        for label, method in methods.items():
            known[label].add(method())
        print(f"{name}: round {number + 1} of {rounds}", file=sys.stderr, flush=True)
    first = next(iter(known.values()))
    columns = f"{'frames/s':>9} {'per CPU s':>9} {'mm':>6} {'objective':>10} {'violation':>9} {'jitter':>8}"
    print(f"\n{name:44} {columns}  slower")
    for label, row in known.items():
        ratio = statistics.median(b / a for a, b in zip(first.cpu, row.cpu, strict=True))
        rates = " ".join(f"{len(clip) / statistics.median(times):9,.0f}" for times in (row.wall, row.cpu))
        score = row.score
        print(f"{label:44} {rates} {score['millimetres']:6.3f} {score['objective']:10.3e} {score['violation']:9.1e} "
              f"{score['jitter']:8.5f} {ratio:6.1f} x")  # fmt: skip


def ours(clip: ClipTask, tracking: pw.solvers.Tracking) -> Callable[[], dict[str, Any]]:
    """One clip through the public API; the best of a few in a row, since one takes milliseconds."""
    problem, solver = motion_problem_of(clip), pw.LeastSquares(tracking=tracking)
    solver.solve(problem)

    def run() -> dict[str, Any]:
        wall, cpu = [], []
        for _ in range(5):
            began, busy = time.perf_counter(), time.process_time()
            result = solver.solve(problem)
            wall.append(time.perf_counter() - began)
            cpu.append(time.process_time() - busy)
        score = clips.score(clip, states_of(clip.body, np.array(result.motion.q)))
        return {"seconds": min(wall), "cpu": min(cpu), **vars(score)}

    return run


def follow_with(peer: Running, name: str, steps: int) -> Callable[[], dict[str, Any]]:
    return lambda: peer.follow(name, steps)


def prototype(clip: ClipTask, methods: dict[str, Callable[[], dict[str, Any]]]) -> None:
    """The prototype's bare kernel, with arrays packed beforehand."""
    if not (PROTOTYPE / "sketch_run.py").is_file():
        return
    sys.path.insert(0, str(PROTOTYPE))
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        common, sketch = import_module("common"), import_module("sketch_run")
    finally:
        sys.dont_write_bytecode = before
    track = common.Track(hard=clip.name == "t2h")
    damping = 3e-3 if clip.name == "t2h" else 1e-4
    settings: dict[str, dict[str, float]] = {
        "1 steps": {"newton_from": 0, "steps": 1, "eps": damping},
        "2 steps": {"newton_from": 0, "steps": 2, "eps": damping},
        "gain 0.001": {"xtol": 1e-3},
    }

    def method(chosen: dict[str, float]) -> Callable[[], dict[str, Any]]:
        def run() -> dict[str, Any]:
            busy = time.process_time()
            found = sketch.trk(track, **chosen, reps=5)
            cpu = (time.process_time() - busy) / 5
            return {
                "seconds": len(clip) / found["fps"], "cpu": min(cpu, len(clip) / found["fps"]),
                "millimetres": found["settled_ee_mm"], "objective": found["settled_objective"],
                "violation": max(0.0, found["max_viol_rad"]), "jitter": found["mean_abs_d3"],
            }  # fmt: skip

        run()
        return run

    methods.update({f"prototype's kernel, {label}": method(chosen) for label, chosen in settings.items()})


def print_held_out() -> None:
    """Clips that no setting was chosen on, with the default settings."""
    print("\nheld-out clips, default settings:")
    for hard in (False, True):
        for seed in (11, 12, 13):
            clip = clips.held_out(hard, seed)
            answer = ours(clip, pw.solvers.Tracking())()
            exact = ours(clip, pw.solvers.Tracking(gain=1e-13, steps=400))()
            rate = len(clip) / answer["cpu"]
            print(f"  {clip.name:4} seed {seed}: {rate:8,.0f} frames per CPU s, objective {answer['objective']:.4e}, "
                  f"converged {exact['objective']:.4e}, violation {answer['violation']:.0e}")  # fmt: skip


if __name__ == "__main__":
    main()
