"""The task files that the demo writes, for people to play with. More are in the project's examples/tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_HEAD = """# A Posewright task: run `posewright pose` on it. Lengths are metres, angles degrees, y is up, +z is ahead.
figure: human
space: grouped
"""
_BENT = """start:
  values: {left_knee.flexion: 60, right_knee.flexion: 60, left_hip.flexion: 50, right_hip.flexion: 50, pelvis.ty: 0.78}
"""
_FEET = """
  - {kind: placement, site: left_sole, target: [0.095, 0, 0.04], x: forward, y: up}
  - {kind: placement, site: right_sole, target: [-0.095, 0, 0.04], x: forward, y: up}
  - {kind: posture, reference: REFERENCE, priority: 2, weights: {L5..T1: 20, pelvis: 20}}
"""
_STANDING, _AS_STARTED = _FEET.replace("REFERENCE", "rest"), _FEET.replace("REFERENCE", "start")

POSES = {
    "reach": f"""{_HEAD}goals:
  - {{kind: position, site: right_hand, target: [-0.30, 1.72, 0.46]}}
  - {{kind: aim, site: view, target: [-0.30, 1.72, 0.46], tolerance: 1}}{_STANDING}""",
    "hands_together": f"""{_HEAD}goals:
  - {{kind: position, name: palms, site: left_hand, target: right_hand}}
  - {{kind: position, site: right_hand, target: [0, 1.12, 0.40], tolerance: 0.005}}
  - {{kind: orientation, name: left_turn, site: left_hand, y: right, tolerance: 1}}
  - {{kind: orientation, name: right_turn, site: right_hand, y: left, tolerance: 1}}{_STANDING}""",
    "duck": f"""{_HEAD}{_BENT}goals:
  - {{kind: half_space, site: head_top, point: [0, 1.35, 0], normal: down}}
  - {{kind: orientation, name: gaze, site: view, x: forward, y: up, tolerance: 5}}
  - {{kind: centre_of_mass, target: [0, 0, 0.03], tolerance: 0.01}}{_AS_STARTED}""",
}
"""Tasks of `posewright pose`, by name."""

DRIVE = """# A Posewright task: run `posewright design` on it. Lengths are metres, y is up, +z is ahead.
figure: human40
goals:
  - {kind: placement, site: pelvis, target: [0, 0.58, -0.10], x: left, y: up, priority: 1}
  - {kind: position, site: left_hand, target: [0.17, 1.02, 0.42], priority: 2, recruiting: limb+spine}
  - {kind: position, site: right_hand, target: [-0.17, 1.02, 0.42], priority: 2, recruiting: limb+spine}
  - {kind: position, site: left_sole, target: [0.12, 0.10, 0.50], priority: 3, recruiting: limb+spine}
  - {kind: position, site: right_sole, target: [-0.12, 0.10, 0.50], priority: 3, recruiting: limb+spine}
"""
"""A task of `posewright design`."""


def edit_file(frame: int, points: Mapping[str, Sequence[float]], priorities: Mapping[str, int]) -> str:
    """An edit that wants sites at points at one frame."""
    goals = "".join(
        f"  - frame: {frame}\n    goal: {{kind: position, site: {site}, "
        f"target: [{', '.join(f'{x:.4f}' for x in point)}], priority: {priorities[site]}, tolerance: 0.005}}\n"
        for site, point in points.items()
    )
    return f"# An edit: run `posewright edit` on it. Lengths are metres, y is up; frames count from 0.\nkeys:\n{goals}"
