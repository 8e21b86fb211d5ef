"""How long a 640x480 picture takes: `python benchmarks/pictures.py`.

The scenes are a bare skeleton of 31 joints as a BVH file gives it (its body derived from the bones), the same with
twelve ghosts, and two of them with goal marks. Times are the least of several runs, and the processor time beside
it, which other work on the machine does not lengthen. Compiling is measured in a process with an empty cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from posewright.figures import Ball, Figure, Joint, Pose, Site, free_slides
from posewright.figures.catalogue import build
from posewright.report.picture import render
from posewright.report.scene import Mark, Scene, SceneBody

RUNS = 7
LIMIT = 60.0  # ms for a 640x480 picture
SINGLE = ("one figure", "built-in human")
FIRST = """
import sys, time
sys.path.insert(0, {folder!r})
import pictures
start = time.perf_counter()
pictures.render(pictures.SCENES["one figure"]())
print(time.perf_counter() - start)
"""


def skeleton() -> Figure:
    joints = [Joint(name="hips", slides=free_slides((0.0, 0.95, 0.0)), rotation=Ball())]
    sites = []

    def chain(parent: str, side: str, bones: list[tuple[str, tuple[float, float, float]]]) -> None:
        for name, offset in bones[:-1]:
            joints.append(Joint(name=side + name, parent=parent, offset=offset, rotation=Ball()))
            parent = side + name
        sites.append(Site(name=side + bones[-1][0], joint=parent, point=bones[-1][1], tip=True))

    spine = [(f"spine{k}", (0.0, 0.1, 0.0)) for k in range(4)]
    chain("hips", "", [*spine, ("neck", (0, 0.12, 0)), ("head", (0, 0.1, 0)), ("head_top", (0, 0.2, 0))])
    for side, s in (("left_", 1.0), ("right_", -1.0)):
        leg = [("hip", (0.09 * s, -0.04, 0.0)), ("knee", (0, -0.43, 0)), ("ankle", (0, -0.41, 0))]
        chain("hips", side, [*leg, ("ball", (0, -0.05, 0.12)), ("toe", (0, 0, 0.07))])
        arm = [("clavicle", (0.04 * s, 0.08, 0.0)), ("shoulder", (0.14 * s, 0, 0)), ("elbow", (0.29 * s, 0, 0))]
        chain(
            "spine3", side, [*arm, ("wrist", (0.26 * s, 0, 0)), ("palm", (0.06 * s, 0, 0)), ("finger", (0.1 * s, 0, 0))]
        )
        chain(
            f"{side}wrist",
            side,
            [("thumb", (0.03 * s, 0, 0.03)), ("thumb_mid", (0.03 * s, 0, 0.02)), ("thumb_tip", (0.03 * s, 0, 0))],
        )
    return Figure(name="skeleton", joints=tuple(joints), sites=tuple(sites))


def striding(figure: Figure, phase: float) -> Pose:
    swing = np.sin(phase)
    values = {"hips.tz": 0.3 * phase, "left_shoulder.wz": -1.2, "right_shoulder.wz": 1.2}
    for side, s in (("left", 1.0), ("right", -1.0)):
        values |= {f"{side}_hip.wx": -0.5 * s * swing, f"{side}_knee.wx": 0.4 + 0.3 * s * np.cos(phase)}
        values |= {f"{side}_shoulder.wy": 0.5 * swing, f"{side}_elbow.wy": -0.5 * s}
    return Pose.rest(figure).with_values(values)


def one() -> Scene:
    return Scene.of(striding(skeleton(), 1.2))


def human() -> Scene:
    return Scene.of(Pose.rest(build("human")))


def ghosts() -> Scene:
    figure = skeleton()
    return one().with_ghosts(striding(figure, -0.7 * k) for k in range(12))


def two_with_goals() -> Scene:
    figure = skeleton()
    other = SceneBody(pose=striding(figure, 2.5), colour="teal", offset=(0.8, 0.0, 0.0))
    marks = (Mark.target((0.4, 1.3, 0.5)), Mark.line([(0.0, 0.01, 0.1 * k) for k in range(20)]))
    return Scene(bodies=(*one().bodies, other), marks=marks)


SCENES: dict[str, Callable[[], Scene]] = {
    "one figure": one,
    "built-in human": human,
    "two figures and goals": two_with_goals,
    "one figure and 12 ghosts": ghosts,
}


def least(scene: Scene, threads: int) -> tuple[float, float]:
    """Milliseconds on the clock and of the processor."""
    wall, work = [], []
    for _ in range(RUNS):
        start, busy = time.perf_counter(), time.process_time()
        render(scene, 640, 480, threads=threads)
        wall.append(time.perf_counter() - start)
        work.append(time.process_time() - busy)
    return 1e3 * min(wall), 1e3 * min(work)


def first_picture() -> float:
    """Seconds for the first picture of a process that finds no compiled kernels."""
    with tempfile.TemporaryDirectory() as empty:
        program = FIRST.format(folder=os.path.dirname(os.path.abspath(__file__)))
        env = {**os.environ, "POSEWRIGHT_CACHE": empty}
        done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> int:
    table = Table(title="640x480 picture, milliseconds (clock / processor)")
    for heading in ("scene", "1 thread", "2 threads"):
        table.add_column(heading, justify="left" if heading == "scene" else "right")
    slow: dict[int, list[str]] = {1: [], 2: []}
    for name, make in SCENES.items():
        scene = make()
        render(scene, 64, 48)
        times = [least(scene, threads) for threads in (1, 2)]
        for threads, (clock, _) in zip(slow, times, strict=True):
            if name in SINGLE and clock > LIMIT:
                slow[threads].append(name)
        table.add_row(name, *(f"{clock:.1f} / {work:.1f}" for clock, work in times))
    console = Console()
    console.print(table)
    console.print(f"first picture with an empty kernel cache: {first_picture():.1f} s")
    for threads, names in slow.items():
        verdict = "yes" if not names else f"NO: {', '.join(names)}"
        console.print(f"single figures within {LIMIT:g} ms on the clock, threads {threads}: {verdict}")
    return 1 if slow[2] else 0


if __name__ == "__main__":
    sys.exit(main())
