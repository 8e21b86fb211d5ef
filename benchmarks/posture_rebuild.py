"""Recorded poses rebuilt from five points of them: with a posture database of the other recordings, and from standing.

Needs the recordings (`POSEWRIGHT_DATA`, or ../shared/data beside the repository). Of every clip some frames, moved to
the floor's origin and facing as at rest, are rebuilt from the places of hands, feet and head alone, by the same solver:
started at the performer's standing pose, or spliced from a database of all clips but those of the same performer (or
all but the clip itself: `--leave-out clip`) and refined. The error is the mean distance of the other joints from where
they were recorded; fingers, which were not captured, do not count. Joints are balls (`with_balls`), or the files' own
hinges (`--hinges`). Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import posewright as pw
from posewright.conventions import Array
from posewright.figures.kinematics import joint_positions
from posewright.models.postures.distance import normalised

DATA = Path(os.environ.get("POSEWRIGHT_DATA", Path(__file__).parents[2] / "shared" / "data"))
SITES = ("LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head")
UNCAPTURED = ("Finger", "Thumb", "Index")
BEGINS = {"07_12": 2, "08_07": 7}
"""First good frame where the beginning of a recording is defective; frame 0 of all is an artificial T-pose."""
SPIKES = {"118_32": (1077, 1569)}
"""Frames around which the root jumps: five on either side are left out."""
ARMS_DOWN = 1.3
"""rad from a T-pose."""


@dataclass(frozen=True)
class Clip:
    """A recording without its T-pose and its defects."""

    name: str
    category: str
    motion: pw.Motion
    standing: pw.Pose

    @property
    def performer(self) -> str:
        return self.name.split("_")[0]


@dataclass(frozen=True)
class Rebuilt:
    """One pose, rebuilt."""

    category: str
    standing: float
    """m: error of what is found from standing"""
    spliced: float
    """m: of the spliced posture"""
    designed: float
    """m: of the spliced posture, refined"""
    steps: tuple[int, int]
    """Iterations from standing and from the splice."""
    reached: tuple[bool, bool]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--thresholds", default="0.15,0.1,0.05", help="of the databases, rad")
    parser.add_argument("--leave-out", choices=("performer", "clip"), default="performer")
    parser.add_argument("--frames", type=int, default=6, help="of every clip")
    parser.add_argument("--hinges", action="store_true", help="joints as the files have them, instead of balls")
    chosen = parser.parse_args()
    clips = recordings(chosen.hinges)
    for threshold in map(float, chosen.thresholds.split(",")):
        found, sizes = rebuilt(clips, threshold, chosen.leave_out == "performer", chosen.frames)
        print(f"\nThreshold {threshold:g} rad: databases of {min(sizes)} to {max(sizes)} postures.\n")
        table(found)


def recordings(hinges: bool) -> list[Clip]:
    """All clips."""
    known = json.loads((DATA / "cmu" / "annotations.json").read_text())
    clips = []
    for path in sorted((DATA / "cmu" / "bvh").glob("*.bvh")):
        whole = pw.motion(path, drop_first=False)
        good = np.arange(len(whole)) >= BEGINS.get(path.stem, 1)
        for spike in SPIKES.get(path.stem, ()):
            good[max(0, spike - 5) : spike + 6] = False
        motion = whole.with_q(whole.q[good])
        clips.append(Clip(path.stem, known[path.stem]["category"], motion, standing(whole, hinges)))
    return clips


def standing(whole: pw.Motion, hinges: bool) -> pw.Pose:
    """The T-pose that opens the file, arms lowered, feet on the floor."""
    figure = whole.figure
    q = normalised(figure, whole.q[0])
    for arm, sense in (("LeftArm", -1.0), ("RightArm", 1.0)):
        q[figure.dof_index(f"{arm}.rz")] += sense * ARMS_DOWN
    q[1] -= joint_positions(figure, q)[:, 1].min()
    pose = pw.Pose(figure, q)
    return pose if hinges else pose.converted(figure.with_balls())


def rebuilt(clips: list[Clip], threshold: float, by_performer: bool, n_frames: int) -> tuple[list[Rebuilt], list[int]]:
    """Every pose, and the sizes of the databases."""
    found: list[Rebuilt] = []
    sizes: list[int] = []
    groups: dict[str, list[Clip]] = defaultdict(list)
    for clip in clips:
        groups[clip.performer if by_performer else clip.name].append(clip)
    for name, out in groups.items():
        database = pw.Postures.build([c.motion for c in clips if c not in out], threshold=threshold)
        sizes.append(len(database))
        methods: dict[pw.Figure, Methods] = {}
        for clip in out:
            figure = clip.standing.figure
            if figure not in methods:
                methods[figure] = Methods(clip.standing, database)
            found += [methods[figure].rebuild(clip.category, q) for q in some_poses(clip, n_frames)]
        print(name, file=sys.stderr, flush=True)
    return found, sizes


def some_poses(clip: Clip, n_frames: int) -> Array:
    """Of a clip (poses, dofs), at the floor's origin, facing as at rest, on the figure to be posed."""
    frames = np.linspace(0, len(clip.motion) - 1, n_frames + 2)[1:-1].astype(int)
    q = normalised(clip.motion.figure, clip.motion.q[frames])
    return clip.motion.with_q(q).converted(clip.standing.figure).q


class Methods:
    """The two methods to rebuild a pose of a performer, made ready."""

    def __init__(self, standing: pw.Pose, database: pw.Postures) -> None:
        self.figure = standing.figure
        goals = [pw.Position(site, standing.point(site)) for site in SITES]
        nothing = pw.Postures.build([], figure=self.figure)
        self.alone = pw.workflows.PostureDesigner(pw.Problem(self.figure, goals), nothing, start=standing)
        self.designer = pw.workflows.PostureDesigner(pw.Problem(self.figure, goals), database, start=standing)
        self.judged = [
            k
            for k, name in enumerate(self.figure.joint_names)
            if name not in SITES and not any(word in name for word in UNCAPTURED)
        ]

    def rebuild(self, category: str, q: Array) -> Rebuilt:
        """One pose."""
        targets = dict(zip(SITES, pw.figures.kinematics.site_frames(self.figure, q, SITES).points, strict=True))
        plain, designed = self.alone.solve(targets), self.designer.solve(targets)
        poses = np.stack([q, plain.pose.q, designed.initial.q, designed.pose.q])
        at = joint_positions(self.figure, poses)[:, self.judged]
        errors = np.linalg.norm(at[1:] - at[0], axis=2).mean(axis=1).tolist()
        steps = plain.iterations, designed.iterations
        return Rebuilt(category, *errors, steps, (plain.reached, designed.reached))


def table(found: list[Rebuilt]) -> None:
    """Medians by category."""
    print(
        "| clips | poses | from standing (cm) | spliced (cm) | spliced, refined (cm) | nearer | iterations | reached |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for category in (*sorted({one.category for one in found}), "all"):
        these = [one for one in found if category in (one.category, "all")]
        alone, spliced, designed = (
            np.array([getattr(one, name) for one in these]) for name in ("standing", "spliced", "designed")
        )
        steps = np.median([one.steps for one in these], axis=0)
        reached = np.mean([one.reached for one in these], axis=0)
        cells = [
            category,
            str(len(these)),
            *(f"{100 * np.median(e):.1f} (mean {100 * e.mean():.1f})" for e in (alone, spliced, designed)),
            f"{100 * np.mean(designed < alone):.0f} %",
            f"{steps[0]:g} → {steps[1]:g}",
            f"{100 * reached[0]:.0f} % → {100 * reached[1]:.0f} %",
        ]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
