"""Every clip on every target, with the measures of the result beside the source's.

Needs the recordings (`POSEWRIGHT_DATA`, or ../shared/data beside the repository). Prints a Markdown table; a cell is
bold where a limit of `posewright check` is broken. Frames that annotations call defective are left out and listed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

import posewright as pw
from posewright import retarget
from posewright.motions.quality import Verdict
from posewright.workflows import RetargetResult

DATA = Path(os.environ.get("POSEWRIGHT_DATA", Path(__file__).parents[2] / "shared" / "data"))
TARGETS = {
    "human40": "human40",
    "abnorman1": "abnorman1",
    "MakeHuman": "other/makehuman_walk1.bvh",
    "Daz": "other/threejs_pirouette.bvh",
    "Bandai-Namco": "other/nc/bandai1_bow_active_001.bvh",
    "G1": "robots/unitree_g1/g1_29dof_kinematics.urdf",
}
CATEGORIES = ("locomotion", "jump", "golf", "reach")
MEASURES = ("limit violation", "contact drift", "foot skate", "penetration", "fastest turn", "jerk")
BEGINS = {"07_12": 2, "08_07": 7, "118_32": 1}
"""First good frame where the recording's beginning is defective; frame 0 of all is an artificial T-pose."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", help="names, separated by commas (default: all)")
    parser.add_argument("--targets", help="likewise (default: %(default)s)", default=",".join(TARGETS))
    chosen = parser.parse_args()
    known = json.loads((DATA / "cmu" / "annotations.json").read_text())
    names = chosen.clips.split(",") if chosen.clips else clips(known)
    targets = {name: figure(TARGETS[name]) for name in chosen.targets.split(",")}
    kept: dict[str, dict[str, list[bool]]] = {name: defaultdict(list) for name in targets}
    heads = ["clip", "target", "size", "frames/s", "limits (rad)", "drift (cm)", "skate (cm/s)", "sinking (cm)", "turn"]
    print(f"| {' | '.join([*heads, 'jerk', 'by size'])} |\n|{'---|' * (len(heads) + 2)}")
    for name in names:
        motion, cuts = clip(name, known.get(name, {}))
        for target, body in targets.items():
            began = time.perf_counter()
            made = retarget(motion, body)
            rate = len(motion) / (time.perf_counter() - began)
            verdicts = {v.measure.name: v for v in made.quality(body=False).check()}
            by_size = verdicts["jerk"].measure.value / (verdicts["jerk"].measure.source or 1.0) / size(made)
            row = f"{size(made):.2f} | {rate:,.0f} | {cells(verdicts)} | {by_size:.2f}"
            print(f"| {name}{cuts} | {target} | {row} |", flush=True)
            for measure in MEASURES:
                kept[target][measure].append(verdicts[measure].passed is not False)
        print(name, file=sys.stderr, flush=True)
    print("\n| target | pairs | " + " | ".join(MEASURES) + " | all |")
    print("|---|---|" + "---|" * (len(MEASURES) + 1))
    for target, columns in kept.items():
        every = np.array([columns[measure] for measure in MEASURES])
        shares = [*every.mean(axis=1), every.all(axis=0).mean()]
        print(f"| {target} | {every.shape[1]} | " + " | ".join(f"{100 * share:.0f} %" for share in shares) + " |")


def clips(known: dict[str, dict[str, str]]) -> list[str]:
    """Clips of walks, runs, jumps, golf and reaching."""
    return [
        path.stem
        for path in sorted((DATA / "cmu" / "bvh").glob("*.bvh"))
        if known.get(path.stem, {}).get("category") in CATEGORIES
    ]


def clip(name: str, about: dict[str, object]) -> tuple[pw.Motion, str]:
    """A clip without its T-pose and its defective beginning, at its true frame rate; and what was left out."""
    first = BEGINS.get(name, 1)
    fps = about.get("true_fps")
    motion = pw.motion(DATA / "cmu" / "bvh" / f"{name}.bvh", fps=float(str(fps)) if fps else None)[first:]
    return motion, f" (from frame {first})" if first > 1 else ""


def figure(name: str) -> pw.Figure:
    """A target in the pose in which it stands."""
    loaded = pw.formats.load(DATA / name) if "/" in name else pw.figure(name)
    return loaded if isinstance(loaded, pw.Figure) else loaded.with_standing_rest().figure


def size(made: RetargetResult) -> float:
    """Length of the target's legs over that of the source's."""
    return made.match.target.segments.leg_length / made.match.source.segments.leg_length


def cells(verdicts: dict[str, Verdict]) -> str:
    """A row's measures, with the source's after a slash, or as a ratio to it."""
    shown = []
    for name in MEASURES:
        verdict = verdicts[name]
        value, source = verdict.measure.value, verdict.measure.source or 0.0
        if name == "limit violation":
            text = f"{value:.0e}" if value else "0"
        elif name in ("fastest turn", "jerk"):
            text = f"{value / source:.2f}" if source else "-"
        elif name == "penetration":
            text = f"{100 * value:.1f}"
        else:
            text = f"{100 * value:.1f} / {100 * source:.1f}"
        shown.append(f"**{text}**" if verdict.passed is False else text)
    return " | ".join(shown)


if __name__ == "__main__":
    main()
