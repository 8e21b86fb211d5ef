"""How quickly a BVH file becomes world positions: Posewright beside pybvh and bvhio, on one generated clip.

Run: python benchmarks/formats.py [--frames 2000] [--repeats 5]
Two ways of timing, because the ratio depends on it: `warm` calls one program several times in a row, as when a folder
is read; `in turns` calls another program between any two calls, so that each finds caches and memory used by the other.
Best of all repeats (of one for bvhio, which takes seconds); kernels are compiled before.
"""

from __future__ import annotations

import argparse
import importlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from posewright.figures.kinematics import joint_positions
from posewright.formats import load_motion

# A person of 31 joints as in the CMU database: parent and offset in centimetres.
PARENTS = [
    -1,
    0,
    1,
    2,
    3,
    4,
    0,
    6,
    7,
    8,
    9,
    0,
    11,
    12,
    13,
    14,
    15,
    13,
    17,
    18,
    19,
    20,
    21,
    20,
    13,
    24,
    25,
    26,
    27,
    28,
    27,
]
OFFSETS = [
    (0, 0, 0), (0, 0, 0), (9, -10, 3), (14, -40, 0), (14, -39, 0), (1, -3, 12), (0, 0, 0), (-9, -10, 3), (-14, -40, 0),
    (-14, -39, 0), (-1, -3, 12), (0, 0, 0), (0, 11, -1), (0, 11, 0), (0, 0, 0), (0, 9, 0), (0, 9, 0), (0, 0, 0),
    (19, 7, 0), (27, 0, 0), (17, 0, 0), (0, 0, 0), (6, 0, 0), (4, 0, 4), (0, 0, 0), (-19, 7, 0), (-27, 0, 0),
    (-17, 0, 0), (0, 0, 0), (-6, 0, 0), (-4, 0, 4),
]  # fmt: skip


def clip_text(frames: int) -> str:
    """A walk-like clip of 96 channels at 120 frames per second."""
    lines = ["HIERARCHY"]

    def block(joint: int, depth: int) -> None:
        tabs = "\t" * depth
        lines.extend([f"{tabs}{'JOINT' if depth else 'ROOT'} joint{joint}", tabs + "{"])
        lines.append(f"{tabs}\tOFFSET {' '.join(f'{value:.5f}' for value in OFFSETS[joint])}")
        positions = "" if depth else "Xposition Yposition Zposition "
        lines.append(f"{tabs}\tCHANNELS {3 if depth else 6} {positions}Zrotation Yrotation Xrotation")
        children = [child for child, parent in enumerate(PARENTS) if parent == joint]
        for child in children:
            block(child, depth + 1)
        if not children:
            lines.extend([f"{tabs}\tEnd Site", f"{tabs}\t{{", f"{tabs}\t\tOFFSET 0.0 2.0 5.0", f"{tabs}\t}}"])
        lines.append(tabs + "}")

    block(0, 0)
    rng = np.random.default_rng(1)
    seconds = np.arange(frames)[:, None] / 120.0
    values = rng.uniform(1, 20, 96) * np.sin(rng.uniform(3, 7, 96) * seconds + rng.uniform(0, 6, 96))
    values[:, :3] = np.concatenate([0 * seconds, 92.0 + 2.0 * np.sin(6.0 * seconds), 120.0 * seconds], axis=1)
    rows = [" ".join(f"{value:.5f}" for value in row) for row in values]
    return "\n".join([*lines, "MOTION", f"Frames: {frames}", "Frame Time: 0.0083333", *rows, ""])


def posewright_positions(path: Path) -> np.ndarray:
    motion = load_motion(path)
    return joint_positions(motion.figure, motion.q)


def pybvh_positions(path: Path) -> np.ndarray:
    clip = importlib.import_module("pybvh").read_bvh_file(str(path))
    return np.asarray(clip.joint_positions())


def bvhio_positions(path: Path) -> np.ndarray:
    root = importlib.import_module("bvhio").readAsHierarchy(str(path))
    joints = [joint for joint, _, _ in root.layout()]
    n_frames = root.getKeyframeRange()[1] + 1
    positions = np.empty((n_frames, len(joints), 3))
    for frame in range(n_frames):
        root.loadPose(frame)
        positions[frame] = [tuple(joint.PositionWorld) for joint in joints]
    return positions


def seconds_of(work: Callable[[Path], object], path: Path) -> float:
    start = time.perf_counter()
    work(path)
    return time.perf_counter() - start


def is_installed(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.bvh"
        path.write_text(clip_text(chosen.frames))
        ours = posewright_positions(path)  # compiles the kernels
        peers = {"pybvh": pybvh_positions, "bvhio": bvhio_positions}
        installed = {name: work for name, work in peers.items() if is_installed(name)}
        differences = {name: np.abs(ours - 0.01 * work(path)).max() for name, work in installed.items()}
        works = {"Posewright": posewright_positions, **installed}
        warm: dict[str, list[float]] = {name: [] for name in works}
        in_turns: dict[str, list[float]] = {name: [] for name in works}
        for turn in range(3):
            for name, work in works.items():
                if name != "bvhio" or turn == 0:
                    warm[name] += [seconds_of(work, path) for _ in range(1 if name == "bvhio" else chosen.repeats)]
        for _ in range(3 * chosen.repeats):
            for name, work in works.items():
                if name != "bvhio":
                    in_turns[name].append(seconds_of(work, path))
        print(f"BVH of {chosen.frames} frames, 96 channels, {path.stat().st_size / 1e6:.1f} MB")
        print(
            f"{'load + world positions':26}{'warm ms':>10}{'ratio':>8}{'in turns ms':>14}{'ratio':>8}{'difference':>14}"
        )
        for name in ("Posewright", *peers):
            if name not in works:
                print(f"{name:26}{'not installed':>18}")
                continue
            columns = ""
            for times, width in ((warm, 10), (in_turns, 14)):
                if times[name]:
                    columns += f"{1e3 * min(times[name]):{width}.1f}{min(times[name]) / min(times['Posewright']):8.1f}"
                else:
                    columns += " " * (width + 8)
            difference = f"{differences[name]:12.1e} m" if name in differences else ""
            print(f"{name:26}{columns}{difference}")
        motion = load_motion(path)
        again = Path(folder) / "again.bvh"
        for label, work, target in (
            ("Posewright, load alone", load_motion, path),
            ("Posewright, write", lambda to: motion.save(to), again),
        ):
            print(f"{label:26}{1e3 * min(seconds_of(work, target) for _ in range(chosen.repeats)):10.1f}")


if __name__ == "__main__":
    main()
