"""Targets out of reach: how searches for them end, and what they take. `python benchmarks/out_of_reach.py [--seed N]`.

Hands of four bodies, their roots held, are sent to 230 random points each, 1.05 to 2 times as far from the root as the
hand's chain is long; started from rest, all at once. Times are of the processor, the best of three passes.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np
import numpy.typing as npt

import posewright as pw
from posewright.figures.catalogue import build
from posewright.figures.reach import reach
from posewright.solvers.registry import SOLVERS

BODIES = {"arm4": "tip", "human22": "right_hand", "human40": "right_hand", "human": "left_hand"}
PER_BODY = 230


def main() -> None:
    """A line per body, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--solver", default="least_squares", choices=SOLVERS)
    chosen = parser.parse_args()
    random, ends, total = np.random.default_rng(chosen.seed), Counter[str](), 0.0
    for name, site in BODIES.items():
        figure = build(name)
        root = figure.joint_names[0]
        prepared = SOLVERS[chosen.solver]().prepare(
            pw.Problem(figure, [pw.Position(site, (0.0, 1.0, 0.0))], frozen=[root])
        )
        targets = targets_of(figure, site, random)
        seconds = []
        for _ in range(3):
            began = time.process_time()
            found = prepared.solve_many({site: targets})
            seconds.append(time.process_time() - began)
        own = Counter(found.stopped)
        total += min(seconds)
        ends += own
        print(f"{name:10} {min(seconds) / PER_BODY * 1e3:8.3f} ms a solve  {dict(own)}")
    print(f"{'all':10} {total / PER_BODY / len(BODIES) * 1e3:8.3f} ms a solve  {dict(ends)}")


def targets_of(figure: pw.Figure, site: str, random: np.random.Generator) -> npt.NDArray[np.float64]:
    """Points (PER_BODY, 3) around the root, further away than the site can be."""
    directions = random.normal(size=(PER_BODY, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    far = reach(figure, site) * random.uniform(1.05, 2.0, size=(PER_BODY, 1))
    return np.array(pw.Pose.rest(figure).point(figure.joint_names[0])) + far * directions


if __name__ == "__main__":
    main()
