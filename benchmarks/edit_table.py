"""Single-key edits of recorded clips, as a table: is the key met, do feet stay, is it smooth, what else moved?

Needs the recordings, as `retarget_table.py` does. `--part chosen` are the clips that settings were chosen on, `--part
judged` others. Prints a Markdown table:

- error of the key (mm or degrees),
- feet: how far contact points are from where the source has them on the ground, at most (mm),
- lift: how far the pelvis goes up or down at the key (mm),
- jerk: the largest ratio, over body joints, of the jerk in the edited stretch to the larger of the source's own and
  that of the smoothest displacement that meets the key,
- turn: the fastest turn of a body joint (degrees per frame), and the source's own,
- outside: the largest change of a dof outside the stretch (0: exactly the source).
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from retarget_table import DATA, clip

import posewright as pw
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.goals.timed import Timed
from posewright.problem.displacements import least_jerk

Array = npt.NDArray[np.float64]

PARTS = {
    "chosen": {"walk": ("02_01", 170), "golf": ("64_01", 262), "bend": ("26_09", 283), "jump": ("16_06", 120)},
    "judged": {"walk": ("08_01", 140), "golf": ("64_05", 183), "bend": ("115_03", 126), "jump": ("118_25", 300)},
}
"""By part and activity: the clip, and the frame of the key."""


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
    found = pw.edit(motion, edit.goal, space=model)
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
    own, edited = (jerks(m, body, stretch) for m in (source, made))
    half = max(frame - low, high - frame, 1)
    smooth = bump_jerk(edit.away, half, source.fps)
    ratio = float((edited / np.maximum(own, max(smooth, 1e-9))).max())
    unit = f"{1e3 * error:.1f} mm" if edit.away else f"{math.degrees(error):.1f}°"
    worst_turn = [fastest_turn(m, body, stretch) for m in (made, source)]
    warnings = "; ".join(found.warnings)
    return (
        f"| {edit.name} | {unit} | {1e3 * drift:.1f} | {1e3 * lift:+.0f} | {ratio:.2f} | {worst_turn[0]:.1f} "
        f"({worst_turn[1]:.1f}) | {low}-{high} | {found.seconds * 1e3:.0f} | {warnings} |"
    )


def jerks(motion: pw.Motion, body: list[int], stretch: slice) -> Array:
    """(joints,), m/s³: of joint positions, root mean square over a stretch."""
    points = joint_frames(motion.figure, motion.q).positions[stretch][:, body]
    third = np.diff(points, n=3, axis=0) * motion.fps**3
    return np.asarray(np.sqrt((third**2).sum(axis=2).mean(axis=0)))


def bump_jerk(away: float, half: int, fps: float) -> float:
    """m/s³, root mean square: of the smoothest displacement (least jerk) by `away` and back, over 2 x `half` frames."""
    share = least_jerk(2 * half + 1, [(half, half, half)])[:, 0]
    return away * float(np.sqrt(np.mean(np.diff(share, n=3) ** 2))) * fps**3


def fastest_turn(motion: pw.Motion, body: list[int], stretch: slice) -> float:
    """Degrees: the largest turn of a body joint in the world from one frame to the next."""
    turns = joint_frames(motion.figure, motion.q).rotations[stretch][:, body]
    trace = np.einsum("fjab,fjab->fj", turns[1:], turns[:-1])
    return float(np.degrees(np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0))).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=[*PARTS, "both"], default="both")
    asked = parser.parse_args()
    known = json.loads((DATA / "cmu" / "annotations.json").read_text())
    print("| key | error | feet (mm) | lift (mm) | jerk | turn (source's) | stretch | ms | warnings |")
    print("|---|---|---|---|---|---|---|---|---|")
    for part in PARTS if asked.part == "both" else [asked.part]:
        for activity, (name, frame) in PARTS[part].items():
            motion = clip(name, known.get(name, {}))[0]
            print(f"| **{activity} {name}** ({part}) | | | | | | | | |", flush=True)
            for edit in edits(motion, frame):
                print(row(motion, edit, frame, None), flush=True)


if __name__ == "__main__":
    main()
