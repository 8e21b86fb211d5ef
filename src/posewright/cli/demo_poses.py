"""The posing part of `posewright demo`: task files for people to play with, their answers, and a picture of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from posewright.problem import PoseResult

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


def pose_and_write(name: str, out: Path) -> tuple[PoseResult, list[Path]]:
    """Write a task file, solve it, write the pose; the answer and the files made."""
    from posewright.formats import save
    from posewright.formats.atomic import replacing
    from posewright.tasks import load_task

    task_file = out / f"{name}.yaml"
    with replacing(task_file) as temporary:
        temporary.write_text(TASKS[name], encoding="utf-8")
    task = load_task(task_file)
    result = task.solver.solve(task.problem, task.start)
    poses = [out / f"{name}.bvh", out / f"{name}.glb"]
    for path in poses:
        save(result.pose, path)
    return result, [task_file, *poses]


def compile_solver() -> None:
    """Solve every task once and throw the answers away: what counts is that the kernels are compiled and cached."""
    import signal
    from tempfile import TemporaryDirectory

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupted demo ends this process too, without a word from it
    with TemporaryDirectory() as folder:
        for name in TASKS:
            pose_and_write(name, Path(folder))


def draw_poses(answers: dict[str, PoseResult], out: Path) -> Path:
    """The answers beside each other, with their goals."""
    import numpy as np

    from posewright.report.image_files import write_png
    from posewright.report.pose_picture import answer_picture
    from posewright.tasks import load_task

    panels = [
        answer_picture(load_task(out / f"{name}.yaml").problem, {name: result}, width=420, height=480)
        for name, result in answers.items()
    ]
    path = out / "poses.png"
    write_png(np.hstack(panels), path)
    return path
