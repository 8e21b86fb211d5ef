"""Golf swings on every target with and without `keep_hands`: how far the grip is from the source's, scaled.

Needs the recordings, as `retarget_table.py` does. Prints a Markdown table: mean and worst difference (mm) of the
distance of the palms from that in the source times the scale, and the shares of clips that keep the limits of a check.
"""

from __future__ import annotations

import json

import numpy as np
from retarget_table import DATA, TARGETS, clip, figure

import posewright as pw
from posewright.figures.kinematics import site_frames
from posewright.workflows import RetargetResult
from posewright.workflows.retargeting.hands import GRIP, with_palms
from posewright.workflows.retargeting.retarget import retarget

CLIPS = ("64_01", "64_02", "64_03", "64_04", "64_05", "64_06", "64_07", "64_11", "64_12")


def main() -> None:
    known = json.loads((DATA / "cmu" / "annotations.json").read_text())
    swings = [clip(name, known.get(name, {}))[0] for name in CLIPS]
    print("| target | grip (mm) | mean (mm) | worst (mm) | mean, kept | worst, kept | jerk kept | jerk, hands kept |")
    print("|---|---|---|---|---|---|---|---|")
    for name, where in TARGETS.items():
        body = figure(where)
        if isinstance(body, str):
            continue
        cells: dict[bool, list[tuple[float, float, float, bool]]] = {False: [], True: []}
        for swing in swings:
            for keep, rows in cells.items():
                rows.append(_differences(swing, retarget(swing, body, keep_hands=keep)))
        free, kept = (np.array(rows) for rows in cells.values())
        print(
            f"| {name} | {free[:, 0].mean():.0f} | {free[:, 1].mean():.0f} | {free[:, 2].max():.0f} | "
            f"{kept[:, 1].mean():.1f} | {kept[:, 2].max():.1f} | {free[:, 3].sum():.0f} of {len(free)} | "
            f"{kept[:, 3].sum():.0f} of {len(kept)} |",
            flush=True,
        )


def _differences(swing: pw.Motion, made: RetargetResult) -> tuple[float, float, float, bool]:
    """Of frames in which the hands grip: wanted distance, mean and worst difference (mm); whether jerk is kept."""
    ours, theirs, hands = made.match.source, made.match.target.on(made.motion.figure), ["left_hand", "right_hand"]
    own = site_frames(with_palms(ours), swing.q, hands).points
    points = site_frames(with_palms(theirs), made.motion.q, hands).points
    apart = np.linalg.norm(own[:, 1] - own[:, 0], axis=1)
    wanted = theirs.segments.leg_length / ours.segments.leg_length * apart
    gripped = apart <= GRIP * ours.segments.leg_length
    off = np.abs(np.linalg.norm(points[:, 1] - points[:, 0], axis=1) - wanted)[gripped]
    verdicts = {verdict.measure.name: verdict.passed for verdict in made.quality(body=False).check()}
    return 1e3 * float(wanted.mean()), 1e3 * float(off.mean()), 1e3 * float(off.max()), verdicts["jerk"] is not False


if __name__ == "__main__":
    main()
