"""Single-key edits of recorded clips, as a table: is the key met, do feet stay, is it smooth, what else moved?

Needs the recordings, as `retarget_table.py` does. `--part chosen` are the clips that settings were chosen on, `--part
judged` others. Each key is met without a model, and with one of other clips of the same person doing the same. Prints a
Markdown table; `--strips FOLDER` draws twelve of the edits:

- error of the key (mm or degrees),
- feet: how far contact points are from where the source has them on the ground, at most (mm),
- lift: how far the pelvis goes up or down at the key (mm),
- jerk: in the frames that changed, of the body joint for which it is largest, over the larger of the source's own and
  that of the smoothest displacement that goes as far,
- turn: the fastest turn of a body joint (degrees per frame), and the source's own,
- stretch: the frames that changed; outside of them the motion is the source, to the bit.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from retarget_table import DATA, clip

import posewright as pw
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.goals.timed import Timed
from posewright.motions.quality.edited import jerk_ratio
from posewright.report.image_files import write_png
from posewright.report.result_pictures import edit_picture

Array = npt.NDArray[np.float64]

PARTS = {
    "chosen": {"walk": ("02_01", 170), "golf": ("64_01", 262), "bend": ("26_09", 283), "jump": ("16_06", 120)},
    "judged": {"walk": ("08_01", 140), "golf": ("64_05", 183), "bend": ("115_03", 126), "jump": ("118_25", 300)},
}
"""By part and activity: the clip, and the frame of the key."""
ALIKE = {
    "64_01": ["64_02", "64_03", "64_04", "64_05", "64_06", "64_07"],
    "64_05": ["64_01", "64_02", "64_03", "64_04", "64_06", "64_07"],
    "16_06": ["16_05", "16_07", "16_09", "16_10"],
    "118_25": ["118_20", "118_22", "118_23", "118_26", "118_27", "118_29"],
    "115_03": ["115_01", "115_02", "115_04", "115_05"],
}
"""Clips of the same person doing the same, of which a model is made; of others there are too few."""


@dataclass(frozen=True)
class Edit:
    """One key."""

    name: str
    goal: Timed
    away: float
    """m: how far the site goes; 0 for a turn"""


def edits(motion: pw.Motion, frame: int) -> Iterator[Edit]:
    """The keys of one clip."""
    pose = motion.pose(frame)
    for centimetres in (5, 10, 20, 50):
        up = 0.01 * centimetres
        hand = pw.Position("RightHand", pose.point("RightHand") + np.array([0.0, up, 0.0]))
        yield Edit(f"hand up {centimetres} cm", hand.at(frame), up)
    contacts = motion.contacts()
    touching = {site: contacts.of(site)[frame] for site in contacts.sites}
    foot = "LeftFoot" if not any(on for site, on in touching.items() if site.startswith("Left")) else "RightFoot"
    aside = pw.Position(foot, pose.point(foot) + np.array([0.1, 0.0, 0.0]))
    yield Edit("foot aside 10 cm", aside.at(frame), 0.1)
    low = pw.Position("Hips", pose.point("Hips") - np.array([0.0, 0.08, 0.0]))
    yield Edit("hips lower 8 cm", low.at(frame), 0.08)
    site = site_frames(motion.figure, pose.q, ["Head"])
    c, s = math.cos(math.radians(30.0)), math.sin(math.radians(30.0))
    turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    head = pw.Orientation("Head", x=turn @ site.x_axes[0], y=turn @ site.y_axes[0])
    yield Edit("head turned 30°", head.at(frame), 0.0)


def row(motion: pw.Motion, edit: Edit, frame: int, model: pw.MotionModel | None) -> str:
    """One line of the table."""
    if model is None:
        found = pw.edit(motion, edit.goal)
    else:
        found = pw.edit(motion, edit.goal, space=model, events="alike", hold_contacts=True)
    made, source = found.motion, motion
    changed = np.flatnonzero((made.q != source.q).any(axis=1))
    low, high = (int(changed[0]), int(changed[-1])) if len(changed) else (frame, frame)
    error = next(iter(found.errors.values()))
    contacts = source.contacts()
    apart = np.linalg.norm(
        site_frames(made.figure, made.q, contacts.sites).points
        - site_frames(source.figure, source.q, contacts.sites).points,
        axis=-1,
    )
    moved = [found.problem.goals[0].goal.site[:4] == site[:4] for site in contacts.sites]  # the foot of the key
    drift = float((apart * contacts.touching)[:, ~np.array(moved)].max())
    lift = made.pose(frame).point("Hips")[1] - source.pose(frame).point("Hips")[1]
    body = [k for k, name in enumerate(source.figure.joint_names) if "Finger" not in name and "Thumb" not in name]
    stretch = slice(max(low - 3, 0), high + 4)
    ratio = jerk_ratio(made, source)
    unit = f"{1e3 * error:.1f} mm" if edit.away else f"{math.degrees(error):.1f}°"
    worst_turn = [fastest_turn(m, body, stretch) for m in (made, source)]
    warnings = "; ".join(found.warnings)
    return (
        f"| {edit.name} | {unit} | {1e3 * drift:.1f} | {1e3 * lift:+.0f} | {ratio:.2f} | {worst_turn[0]:.1f} "
        f"({worst_turn[1]:.1f}) | {low}-{high} | {found.seconds * 1e3:.0f} | {warnings} |"
    )


def fastest_turn(motion: pw.Motion, body: list[int], stretch: slice) -> float:
    """Degrees: the largest turn of a body joint in the world from one frame to the next."""
    turns = joint_frames(motion.figure, motion.q).rotations[stretch][:, body]
    trace = np.einsum("fjab,fjab->fj", turns[1:], turns[:-1])
    return float(np.degrees(np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0))).max())


DRAWN = {"02_01": (2, 4, 5), "64_05": (1, 2, 6), "115_03": (3, 5, 6), "118_25": (2, 4, 5)}
"""The edits that are drawn, by clip."""


def draw(folder: Path, known: dict[str, dict[str, object]]) -> None:
    """Strips before and after twelve edits."""
    frames = {name: frame for part in PARTS.values() for name, frame in part.values()}
    for name, chosen in DRAWN.items():
        motion = clip(name, known.get(name, {}))[0]
        for k, edit in enumerate(edits(motion, frames[name])):
            if k in chosen:
                made = pw.edit(motion, edit.goal).motion
                picture = edit_picture({"before": motion, "after": made}, keys=[edit.goal])
                write_png(np.ascontiguousarray(picture[::2, ::2]), folder / f"edit-{name}-{k}.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=[*PARTS, "both"], default="both")
    parser.add_argument("--strips", type=Path, help="folder for pictures of twelve edits, in place of the table")
    asked = parser.parse_args()
    known = json.loads((DATA / "cmu" / "annotations.json").read_text())
    if asked.strips is not None:
        draw(asked.strips, known)
        return
    print("| key | error | feet (mm) | lift (mm) | jerk | turn (source's) | stretch | ms | warnings |")
    print("|---|---|---|---|---|---|---|---|---|")
    for part in PARTS if asked.part == "both" else [asked.part]:
        for activity, (name, frame) in PARTS[part].items():
            motion = clip(name, known.get(name, {}))[0]
            models: dict[str, pw.MotionModel | None] = {"": None}
            if others := ALIKE.get(name):
                clips = [motion, *(clip(other, known.get(other, {}))[0] for other in others)]
                models[", with a model"] = pw.MotionModel.fit(clips, events="alike")
            for words, model in models.items():
                print(f"| **{activity} {name}{words}** ({part}) | | | | | | | | |", flush=True)
                for edit in edits(motion, frame):
                    print(row(motion, edit, frame, model), flush=True)


if __name__ == "__main__":
    main()
