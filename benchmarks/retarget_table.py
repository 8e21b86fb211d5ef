"""Every clip on every target, judged by the limits of `posewright check`, likeness first.

Needs the recordings (`POSEWRIGHT_DATA`, or ../shared/data beside the repository); a crawl, a roll, a seat on the ground
and a handstand are generated. Prints a Markdown table; a cell is bold where a limit is broken. Frames that annotations
call defective are left out and listed. `--part 0/2` takes every second clip from the first, `--part 1/2` the others:
what is tuned on one part is judged on the other.
`--strips FOLDER` draws pairs instead: the source, what plain transfer makes of it, and the result.
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
from posewright.motions.quality import QualityReport, Verdict
from posewright.report.film import Film
from posewright.report.image_files import write_png
from posewright.workflows import RetargetResult

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
from ground_motions import crawl, handstand, roll, sit_on_the_ground

DATA = Path(os.environ.get("POSEWRIGHT_DATA", Path(__file__).parents[2] / "shared" / "data"))
TARGETS = {
    "human40": "human40",
    "abnorman1": "abnorman1",
    "abnorman2": "abnorman2",
    "human": "human",
    "MakeHuman": "other/makehuman_walk1.bvh",
    "Daz": "other/threejs_pirouette.bvh",
    "Bandai-Namco": "other/nc/bandai1_bow_active_001.bvh",
    "G1": "robots/unitree_g1/g1_29dof_kinematics.urdf",
    "xbot": "characters/xbot.glb",
    "readyplayerme": "characters/readyplayerme.glb",
    "mesh2motion_rig": "characters/mesh2motion_rig.glb",
    "cesium_man": "characters/cesium_man.glb",
}
LIMITS = (
    "likeness.beyond",
    "likeness.limbs",
    "pop",
    "limit violation",
    "speed limit",
    "contact drift",
    "foot skate",
    "penetration",
    "fastest turn",
    "jerk",
)
"""What `posewright check` judges, in the order of the columns."""
_MARGIN_KEPT = "margin"
"""Whether few enough frames are further beyond plain transfer than the margin."""
SHOWN = {
    "likeness.beyond": "beyond transfer (°)",
    "likeness.limbs": "limbs (°)",
    "pop": "pop (°)",
    "limit violation": "limits (rad)",
    "speed limit": "speed",
    "contact drift": "drift (cm)",
    "foot skate": "skate (cm/s)",
    "penetration": "sinking (cm)",
    "fastest turn": "turn",
    "jerk": "jerk",
}
MARGIN, SELDOM = 10.0, 0.02
"""Degrees by which a bone of trunk, head or arms may be further off than in plain transfer, but for this share of
frames. Hands, which lie down on the floor, are not counted."""
MADE = {"crawl": crawl, "handstand": handstand, "roll": roll, "seat": sit_on_the_ground}
"""Generated motions, on human40."""
BEGINS = {"07_12": 2, "08_07": 7, "118_32": 1}
"""First good frame where the recording's beginning is defective; frame 0 of all is an artificial T-pose."""
ON_THE_GROUND = ("140_01", "49_06", "90_09")
"""Clips outside the folder of such clips in which more than feet are on the ground."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", help="names, separated by commas (default: all)")
    parser.add_argument("--targets", help="likewise (default: %(default)s)", default=",".join(TARGETS))
    parser.add_argument("--part", help="K/N: every Nth clip from the Kth", default="0/1")
    parser.add_argument("--strips", type=Path, help="folder for pictures of all these pairs, in place of the table")
    chosen = parser.parse_args()
    known = json.loads((DATA / "cmu" / "annotations.json").read_text())
    first, step = (int(number) for number in chosen.part.split("/"))
    names = chosen.clips.split(",") if chosen.clips else [*clips()[first::step], *MADE]
    targets = {name: figure(TARGETS[name]) for name in chosen.targets.split(",")}
    if chosen.strips is not None:
        for name in names:
            for target, body in targets.items():
                draw(chosen.strips / f"retarget-{name}-{target}.png", clip(name, known.get(name, {}))[0], body)
        return
    kept: dict[tuple[str, str], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    heads = ["clip", "target", "size", "frames/s", "likeness (°)", f"frames beyond {MARGIN:.0f}° (%)", *SHOWN.values()]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for name in names:
        motion, cuts = clip(name, known.get(name, {}))
        for target, body in targets.items():
            where = "generated" if name in MADE else "on the ground" if is_on_the_ground(name) else "on the feet"
            row, passed = judged(motion, body)
            print(f"| {name}{cuts} | {target} | {row} |", flush=True)
            for limit, good in passed.items():
                for group in ((target, where), ("all", where)):
                    kept[group][limit].append(good)
        print(name, file=sys.stderr, flush=True)
    print_shares(kept)


def draw(path: Path, motion: pw.Motion, body: pw.Figure | str) -> None:
    """Seven moments of the source, of the transferred motion and of the result, one below the other."""
    if not isinstance(body, str):
        made = retarget(motion, body)
        films = [Film(motions=(each,), width=840, height=120) for each in (made.source, made.transferred, made.motion)]
        write_png(np.concatenate([film.sheet(columns=7, rows=1) for film in films]), path)


def judged(motion: pw.Motion, body: pw.Figure | str) -> tuple[str, dict[str, bool]]:
    """A row of the table, and which limits are kept."""
    if isinstance(body, str):
        return f"refused: {body}", dict.fromkeys((*LIMITS, _MARGIN_KEPT), False)
    began = time.process_time()
    try:
        made = retarget(motion, body)
    except pw.PosewrightError as error:
        return f"refused: {error}", dict.fromkeys((*LIMITS, _MARGIN_KEPT), False)
    rate = len(motion) / (time.process_time() - began)
    report = made.quality(body=False)
    verdicts = {verdict.measure.name: verdict for verdict in report.check()}
    mean, often = verdicts["likeness.mean"].measure, beyond_margin(report)
    row = (
        f"{size(made):.2f} | {rate:,.0f} | {mean.value:.1f} / {mean.source:.1f} | {100 * often:.1f} | {cells(verdicts)}"
    )
    passed = {name: name not in verdicts or verdicts[name].passed is not False for name in LIMITS}
    return row, passed | {_MARGIN_KEPT: often <= SELDOM}


def beyond_margin(report: QualityReport) -> float:
    """The share of frames in which a bone of trunk, head or arms is off by the margin more than in plain transfer."""
    found, plain = report.likeness, report.transferred
    if found is None or plain is None:
        return 0.0
    counted = found.upper & np.array([not bone.endswith("hand") for bone in found.bones])
    return float((found.beyond(plain)[:, counted] > MARGIN).any(axis=1).mean())


def print_shares(kept: dict[tuple[str, str], dict[str, list[bool]]]) -> None:
    """The share of pairs that keep each limit, and all of them."""
    print("\n| target | clips | pairs | " + " | ".join(LIMITS) + f" | all | {_MARGIN_KEPT} |")
    print("|---|---|---|" + "---|" * (len(LIMITS) + 2))
    for (target, where), columns in sorted(kept.items(), key=lambda item: (item[0][1], item[0][0] == "all")):
        every = np.array([columns[limit] for limit in LIMITS])
        shares = [*every.mean(axis=1), every.all(axis=0).mean(), np.mean(columns[_MARGIN_KEPT])]
        print(f"| {target} | {where} | {every.shape[1]} | " + " | ".join(f"{100 * s:.0f} %" for s in shares) + " |")


def clips() -> list[str]:
    """Every clip of the database that is there."""
    found = [*(DATA / "cmu" / "bvh").glob("*.bvh"), *(DATA / "cmu" / "ground").glob("*.bvh")]
    return sorted(path.stem for path in found)


def is_on_the_ground(name: str) -> bool:
    """Whether a clip is about more than feet on the ground."""
    return name in ON_THE_GROUND or (DATA / "cmu" / "ground" / f"{name}.bvh").exists()


def clip(name: str, about: dict[str, object]) -> tuple[pw.Motion, str]:
    """A clip without its T-pose and its defective beginning, at its true frame rate; and what was left out."""
    if name in MADE:
        return MADE[name](), ""
    first = BEGINS.get(name, 1)
    fps = about.get("true_fps")
    path = DATA / "cmu" / "bvh" / f"{name}.bvh"
    path = path if path.exists() else DATA / "cmu" / "ground" / f"{name}.bvh"
    motion = pw.motion(path, fps=float(str(fps)) if fps else None, drop_first=False)[first:]
    return motion, f" (from frame {first})" if first > 1 else ""


def figure(name: str) -> pw.Figure | str:
    """A target in the pose in which it stands, or why there is none."""
    try:
        loaded = pw.formats.load(DATA / name) if "/" in name else pw.figure(name)
        return loaded if isinstance(loaded, pw.Figure) else loaded.with_standing_rest().figure
    except pw.PosewrightError as error:
        return str(error)


def size(made: RetargetResult) -> float:
    """Length of the target's legs over that of the source's."""
    return made.match.target.segments.leg_length / made.match.source.segments.leg_length


def cells(verdicts: dict[str, Verdict]) -> str:
    """A row's measures, with the source's after a slash, or as a ratio to it."""
    shown = []
    for name in LIMITS:
        if name not in verdicts:
            shown.append("")
            continue
        verdict = verdicts[name]
        value, source = verdict.measure.value, verdict.measure.source or 0.0
        if name in ("likeness.beyond", "pop"):
            text = f"{value:.0f}"
        elif name == "likeness.limbs":
            text = f"{value:.0f} / {source:.0f}"
        elif name == "limit violation":
            text = f"{value:.0e}" if value else "0"
        elif name == "speed limit":
            text = f"{value:.2f}"
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
