"""Posing: task files for people to play with, their answers, and a picture of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from posewright.demo.chapter import Chapter, Tell
from posewright.formats.atomic import replacing
from posewright.report.html import Pictures, Section, Table, Text
from posewright.report.image_files import write_png
from posewright.report.pose_picture import answer_picture
from posewright.tasks import load_task

_FEET = """
  - {kind: placement, site: left_sole, target: [0.095, 0, 0.04], x: forward, y: up}
  - {kind: placement, site: right_sole, target: [-0.095, 0, 0.04], x: forward, y: up}"""
_EASE = """
  - {kind: posture, reference: rest, priority: 2, weights: {L5..T1: 20, pelvis: 20}}
"""
_HEAD = """# A Posewright task: run `posewright pose` on it. Lengths are metres, angles degrees, y is up, +z is ahead.
figure: human
space: grouped
goals:"""

_BENT = """start:
  values: {left_knee.flexion: 60, right_knee.flexion: 60, left_hip.flexion: 50, right_hip.flexion: 50, pelvis.ty: 0.78}
goals:"""

TASKS = {
    "reach": f"""{_HEAD}
  - {{kind: position, site: right_hand, target: [-0.30, 1.72, 0.46]}}
  - {{kind: aim, site: view, target: [-0.30, 1.72, 0.46], tolerance: 1}}{_FEET}{_EASE}""",
    "hands_together": f"""{_HEAD}
  - {{kind: position, name: palms, site: left_hand, target: right_hand}}
  - {{kind: position, site: right_hand, target: [0, 1.12, 0.40], tolerance: 0.005}}
  - {{kind: orientation, name: left_turn, site: left_hand, y: right, tolerance: 1}}
  - {{kind: orientation, name: right_turn, site: right_hand, y: left, tolerance: 1}}{_FEET}{_EASE}""",
    "duck": f"""{_HEAD.replace("goals:", _BENT)}
  - {{kind: half_space, site: head_top, point: [0, 1.35, 0], normal: down}}
  - {{kind: orientation, name: gaze, site: view, x: forward, y: up, tolerance: 5}}
  - {{kind: centre_of_mass, target: [0, 0, 0.03], tolerance: 0.01}}{_FEET}{_EASE.replace("rest", "start")}""",
}
"""Task files by name; more stand in the project's examples/tasks."""


def write_tasks(out: Path) -> dict[str, Path]:
    """The task files, by name."""
    files = {name: out / f"{name}.yaml" for name in TASKS}
    for name, path in files.items():
        with replacing(path) as temporary:
            temporary.write_text(TASKS[name], encoding="utf-8")
    return files


def posing_chapter(out: Path, tell: Tell) -> Chapter:
    """Write task files, solve them, write the poses and a picture of all with their goals."""
    files, panels, sentences, rows = {}, [], [], []
    for name, task_file in write_tasks(out).items():
        tell(f"posing: {name}")
        task = load_task(task_file)
        result = task.solver.solve(task.problem, task.start)
        files[f"pose: {name}"] = [task_file, out / f"{name}.bvh", out / f"{name}.glb"]
        for path in files[f"pose: {name}"][1:]:
            result.pose.save(path)
        panels.append(answer_picture(task.problem, {name: result}, width=420, height=480))
        sentences.append(f"{name}: {result}")
        verdict = "reached" if result.reached else "missed"
        rows.append((name.replace("_", " "), str(len(result.errors)), str(result.iterations), verdict))
    picture = np.hstack(panels)
    write_png(picture, out / "poses.png")
    files["all poses"] = [out / "poses.png"]
    about = "Small task files hold goals for hands, feet, gaze and balance; a solver finds poses within joint limits."
    shown = Pictures(pictures=[(picture, "Goals are drawn as marks.")], wide=True)
    table = Table(header=("pose", "goals", "iterations", ""), rows=rows)
    return Chapter(
        section=Section(title="Pose", blocks=[Text(text=about), shown, table]),
        files=files,
        sentences=sentences,
        command=f"posewright pose {out / 'reach.yaml'} -o reach.png",
    )
