"""Patterns of real clips: jumps made as long as one that the model has not seen, golf swings with the hands moved.

`pytest -s` prints the tables of docs/papers/motion-patterns.md; with `EVERY = 1` the one of all jumps.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from posewright import edit
from posewright.experiments.motion_patterns import frame_by_frame
from posewright.figures import Site
from posewright.figures.kinematics import joint_frames, joint_positions, site_frames
from posewright.formats import ReadOptions, load_motion
from posewright.goals import Plane, Position
from posewright.models import MotionModel
from posewright.models.floor_placement import brought_back, floor_places
from posewright.motions import Motion
from posewright.motions.quality import measures

EVERY = 2
"""Of the jumps, sorted by length, how many are left out in turn."""
RATE = 120.0


def peak(motion: Motion) -> float:
    """The greatest acceleration of a joint, m/s²."""
    return measures.acceleration_peak(joint_positions(motion.figure, motion.q), motion.fps)


@dataclass(frozen=True, eq=False)
class Cut:
    name: str
    motion: Motion
    events: tuple[float, float]
    """s"""


def annotations(data_folder: Path) -> dict[str, dict]:
    return json.loads((data_folder / "cmu" / "annotations.json").read_text())


@pytest.fixture(scope="module")
def jumps(data_folder) -> list[Cut]:
    """Of subject 118, from 0.9 s before take-off to 0.9 s after landing, from one place and heading, by length."""
    cuts = []
    for name, facts in annotations(data_folder).items():
        if not name.startswith("118_") or "takeoff" not in facts or "defect" in facts:
            continue
        whole = load_motion(data_folder / "cmu" / "bvh" / f"{name}.bvh", ReadOptions(drop_first=False))
        first, last = max(1, facts["takeoff"] - 110), min(len(whole), facts["landing"] + 110)  # frame 0 is a T-pose
        cut = whole[first:last:4]
        placed = cut.with_q(brought_back(cut.figure, cut.q, floor_places(cut.figure, cut.q[0])))
        cuts.append(Cut(name, placed, ((facts["takeoff"] - first) / RATE, (facts["landing"] - first) / RATE)))
    return sorted(cuts, key=lambda cut: hips(cut.motion)[-1, 2])


def hips(motion: Motion) -> np.ndarray:
    return joint_positions(motion.figure, motion.q)[:, 0]


def frame_at(motion: Motion, seconds: float) -> int:
    return min(len(motion) - 1, round(seconds * motion.fps))


def in_common_time(motion: Motion, events: tuple[float, float]) -> np.ndarray:
    """Joint positions at 60 moments, events at the same ones; fingers were not captured."""
    names = motion.figure.joint_names
    kept = [k for k, name in enumerate(names) if not any(word in name for word in ("Thumb", "Finger", "Index"))]
    same = motion.warped(events=[0.0, *events, motion.duration], onto=[0.0, 0.9, 1.3, 2.2], frames=60)
    return joint_positions(motion.figure, same.q)[:, kept]


def slide(motion: Motion, source: Motion) -> float:
    """m, how far the feet travel on the ground while they touch it in the source, mean over sites."""
    found = source.contacts()
    points = site_frames(motion.figure, motion.q, found.sites).points
    both = found.touching[1:] & found.touching[:-1]
    return float((np.linalg.norm(np.diff(points, axis=0)[..., [0, 2]], axis=-1) * both).sum(axis=0).mean())


def off_the_ground(motion: Motion, source: Motion) -> float:
    """m, how much higher or lower the feet are than in the source while they touch the ground there, on average."""
    found = source.contacts()
    heights = [site_frames(one.figure, one.q, found.sites).points[..., 1] for one in (motion, source)]
    return float(np.abs(heights[0] - heights[1])[found.touching].mean())


def test_a_jump_made_as_long_as_an_unseen_one_resembles_it_more_than_by_joint_space(jumps):
    rows = []
    for k in range(0, len(jumps), EVERY):
        wanted, source = jumps[k], jumps[(k + len(jumps) // 2) % len(jumps)]
        others = [cut for cut in jumps if cut is not wanted]
        model = MotionModel.fit([cut.motion for cut in others], frames=60, events=[cut.events for cut in others])
        keys = []
        for mine, its in (
            (source.events[1], wanted.events[1]),
            (source.motion.duration, wanted.motion.duration),
        ):
            frame = frame_at(source.motion, mine)
            far = hips(wanted.motion)[frame_at(wanted.motion, its), 2]
            keys.append(Plane("Hips", (0.0, 0.0, float(far)), (0.0, 0.0, 1.0), tolerance=5e-3).at(frame))
        inside = edit(source.motion, keys, space=model, events=source.events)
        outside = frame_by_frame(source.motion, keys)
        assert inside.reached
        assert outside.reached
        real = in_common_time(wanted.motion, wanted.events)
        away = [
            float(np.linalg.norm(in_common_time(motion, source.events) - real, axis=2).mean())
            for motion in (source.motion, inside.motion, outside.motion)
        ]
        slides = [slide(motion, source.motion) for motion in (source.motion, inside.motion, outside.motion)]
        start = model.encode(source.motion, events=source.events).distance
        lifts = [off_the_ground(result.motion, source.motion) for result in (inside, outside)]
        rows.append((*away, *slides, inside.latent.distance, start, *lifts))
        lengths = f"{hips(source.motion)[-1, 2]:.2f} -> {hips(wanted.motion)[-1, 2]:.2f} m"
        print(
            f"{wanted.name} {lengths}",
            *(f"{1e3 * value:.0f}" for value in (*away, *slides, *lifts)),
            f"{rows[-1][6]:.1f}",
        )
    means = np.mean(rows, axis=0)
    print("mean", *(f"{1e3 * value:.0f}" for value in (*means[:6], *means[8:])))
    assert means[1] < 0.8 * means[2], "resembles the real clip more than joint space does"
    assert means[1] < 0.35 * means[0], "and far more than the source"
    assert means[4] < 0.5 * means[5], "the feet slide less than in joint space"
    assert means[4] < 1.5 * means[3], "about as much as those of the recording"
    assert all(row[6] < max(5.0, row[7] + 1.0) for row in rows), "within the pattern"
    assert means[8] < 0.02, "the feet stay on the ground"


def depths(cut: Cut) -> list[int]:
    """Frames: lowest before take-off, highest in flight, lowest after landing."""
    up, down = (frame_at(cut.motion, moment) for moment in cut.events)
    heights = hips(cut.motion)[:, 1]
    return [
        int(np.argmin(heights[:up])),
        up + int(np.argmax(heights[up : down + 1])),
        down + int(heights[down:].argmin()),
    ]


def test_a_jump_made_as_high_as_one_of_about_its_length_resembles_it_with_the_feet_held(jumps):
    """The hips lowered and raised as in another jump; feet stay where they are, so lengths must be alike."""
    rows = []
    for source, wanted in list(pairwise(jumps))[::EVERY]:
        others = [cut for cut in jumps if cut is not wanted]
        model = MotionModel.fit([cut.motion for cut in others], frames=60, events=[cut.events for cut in others])
        keys = [
            Plane("Hips", (0.0, float(height), 0.0), (0.0, 1.0, 0.0), tolerance=5e-3).at(mine)
            for mine, height in zip(depths(source), hips(wanted.motion)[depths(wanted), 1], strict=True)
        ]
        inside = edit(source.motion, keys, space=model, events=source.events, hold_contacts=True)
        outside = edit(source.motion, keys, hold_contacts=True)
        touching = source.motion.contacts()
        feet = [site_frames(one.figure, one.q, touching.sites).points for one in (inside.motion, source.motion)]
        assert inside.reached
        assert outside.reached
        assert np.linalg.norm(feet[0] - feet[1], axis=2)[touching.touching].max() < 1e-3
        real = in_common_time(wanted.motion, wanted.events)
        away = [
            float(np.linalg.norm(in_common_time(motion, source.events) - real, axis=2).mean())
            for motion in (source.motion, inside.motion, outside.motion)
        ]
        usual = peak(source.motion)
        shaken = [peak(one.motion) / usual for one in (inside, outside)]
        rows.append((*away, *shaken, inside.latent.distance))
        print(f"{source.name} as high as {wanted.name}", *(f"{1e3 * value:.0f}" for value in away),
              *(f"{value:.2f}" for value in rows[-1][3:]))  # fmt: skip
    means = np.mean(rows, axis=0)
    print("mean", *(f"{1e3 * value:.0f}" for value in means[:3]), *(f"{value:.2f}" for value in means[3:]))
    assert means[1] < 0.85 * means[0], "resembles the real clip more than its source does"
    assert means[1] < means[2], "and more than joint space"
    assert means[3] < 1.5


@pytest.fixture(scope="module")
def swings(data_folder) -> list[Cut]:
    cuts = []
    known = annotations(data_folder)
    for name in (f"64_0{k}" for k in range(1, 8)):
        facts = known[name]
        whole = load_motion(data_folder / "cmu" / "bvh" / f"{name}.bvh", ReadOptions(drop_first=False))
        first, last = facts["takeaway"], min(len(whole) - 1, facts["finish"])
        events = (facts["top"] - first) / RATE, (facts["impact"] - first) / RATE
        cuts.append(Cut(name, whole[first : last + 1 : 2], events))
    source = cuts[0].motion
    frames = joint_frames(source.figure, source.q[frame_at(source, cuts[0].events[1])])
    left, right = (source.figure.joint_index(name) for name in ("LeftHand", "RightHand"))
    middle = 0.5 * (frames.positions[left] + frames.positions[right])
    local = frames.rotations[left].T @ (middle - frames.positions[left])
    figure = source.figure.with_sites(Site(name="mid_hands", joint="LeftHand", point=tuple(local.tolist())))
    return [replace(cut, motion=replace(cut.motion, figure=figure)) for cut in cuts]


HANDS = ("RightHand", "LeftHand")


def test_the_hands_of_a_real_swing_are_moved_with_the_feet_held(swings):
    source, events = swings[0].motion, swings[0].events
    figure, impact = source.figure, frame_at(source, events[1])
    model = MotionModel.fit([cut.motion for cut in swings], events=[cut.events for cut in swings])
    assert model.n_modes <= 6
    here = site_frames(figure, source.q[impact], ["mid_hands"]).points[0]
    touching = source.contacts()
    feet = site_frames(figure, source.q, touching.sites).points

    def gaps(motion: Motion) -> np.ndarray:
        hands = site_frames(figure, motion.q, HANDS).points
        return np.linalg.norm(hands[:, 0] - hands[:, 1], axis=1)

    ways = {"x": (1.0, 0.0, 0.0), "z": (0.0, 0.0, 1.0), "up": (0.0, 1.0, 0.0)}
    kinds = {"pattern": True, "pattern, hands held": True, "at most 3 deviations, hands held": True,
             "joints": False, "joints, hands held": False}  # fmt: skip
    for word, centimetres, (kind, inside) in product(ways, (5, 10, 20), kinds.items()):
        held, near = "held" in kind, "most" in kind
        there = here + 0.01 * centimetres * np.array(ways[word])
        result = edit(
            source,
            [Position("mid_hands", tuple(there), tolerance=5e-3).at(impact)],
            space=model if inside else None,
            events=events if inside else None,
            hold_contacts=True,
            hold_together=[HANDS] if held else [],
            max_deviation=3.0 if near else None,
        )
        (error,) = result.errors.values()
        moved = site_frames(figure, result.motion.q, touching.sites).points - feet
        drift = float((np.linalg.norm(moved, axis=2) * touching.touching).max())
        change = np.abs(gaps(result.motion) - gaps(source))
        said = any("outside the model" in warning or "joints do the rest" in warning for warning in result.warnings)
        shaken = peak(result.motion) / peak(source)
        print(f"{word} {centimetres} cm {kind}: "
              f"goal {1e3 * error:.1f} mm, feet {1e3 * drift:.2f} mm, hands {1e3 * change[impact]:.1f} mm at impact, "
              f"{1e3 * change.max():.1f} mm at most, acceleration {shaken:.2f}",
              f"at {result.latent.distance:.1f}" if inside else "", *result.warnings)  # fmt: skip
        assert drift < 1e-3
        assert error < 1e-3
        if held:
            assert change.max() < 1e-3, "the club stays in both hands, in every frame"
        elif inside and centimetres == 5:
            assert change[impact] < 0.01
        if inside and (word == "up" or centimetres == 20):
            assert said, "the pattern cannot follow, and the result says so"
        if near:
            assert result.latent.distance <= 6.0 + 1e-9, "3 deviations of each of four modes"
        assert centimetres > 5 or shaken < 1.1
