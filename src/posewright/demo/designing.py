"""Design: postures of some clips become a database; a driver's posture is spliced from it and refined."""

from __future__ import annotations

from pathlib import Path

from posewright.clips import golf_swing, kick, reach, run, sit, throw, walk
from posewright.demo.chapter import Chapter, Tell
from posewright.figures.catalogue import build
from posewright.formats.atomic import replacing
from posewright.models.postures.database import Postures
from posewright.motions import Motion
from posewright.report.html import Pictures, Section, Table, Text
from posewright.report.image_files import write_png
from posewright.report.splice_picture import splice_picture
from posewright.solvers.prioritized import Prioritized
from posewright.tasks import load_task
from posewright.workflows.design import design

_TASK = """# A Posewright task: run `posewright design` on it. Lengths are metres, y is up, +z is ahead.
figure: human40
goals:
  - {kind: placement, site: pelvis, target: [0, 0.58, -0.10], x: left, y: up, priority: 1}
  - {kind: position, site: left_hand, target: [0.17, 1.02, 0.42], priority: 2, recruiting: limb+spine}
  - {kind: position, site: right_hand, target: [-0.17, 1.02, 0.42], priority: 2, recruiting: limb+spine}
  - {kind: position, site: left_sole, target: [0.12, 0.10, 0.50], priority: 3, recruiting: limb+spine}
  - {kind: position, site: right_sole, target: [-0.12, 0.10, 0.50], priority: 3, recruiting: limb+spine}
"""
_THRESHOLD = 0.05
"""rad: few clips, so postures that are rather alike are kept."""


def designing_chapter(out: Path, tell: Tell) -> Chapter:
    """Build a database, write a task for it, design the posture."""
    tell("building a posture database")
    database = Postures.build(_clips(), threshold=_THRESHOLD)
    database_file, task_file = out / "people.postures", out / "drive.yaml"
    database.save(database_file)
    with replacing(task_file) as temporary:
        temporary.write_text(_TASK, encoding="utf-8")
    tell("designing a posture")
    task = load_task(task_file)
    made = design(task.problem.space, task.problem.goals, database, start=task.start)
    alone = Prioritized(settle=False).solve(task.problem, task.start)
    pose_file = out / "drive.glb"
    made.pose.save(pose_file)
    picture = splice_picture(task.problem.goals, made.parts, made.initial, made, start=task.start)
    write_png(picture, out / "designed.png")
    about = (
        f"{len(database)} unlike postures out of {database.n_read} frames. Hip, hands and feet were asked for, in this "
        "order of priority; each part of the body was blended from the postures that come nearest to its goals, and "
        "the whole refined."
    )
    rows = [
        (", ".join(part.goals), str(len(part.joints)), "; ".join(map(str, made.samples_of(part)[:2])))
        for part in made.parts
    ]
    met = "all goals reached" if made.reached else "some goals missed"
    sentence = f"design: {met} after {made.iterations} iterations, {alone.iterations} from standing"
    return Chapter(
        section=Section(
            title="Design",
            blocks=[
                Text(text=about),
                Pictures(pictures=[(picture, "Standing, spliced, refined; parts in colours.")], wide=True),
                Table(header=("part for", "joints", "mostly from"), rows=rows),
                Text(text=sentence),
            ],
        ),
        files={"design": [database_file, task_file, pose_file, out / "designed.png"]},
        sentences=[sentence],
        command=f"posewright design {task_file} --postures {database_file} -o drive.png",
    )


def _clips() -> list[Motion]:
    person = build("human40")
    places = [(side * x, y, z) for side in (-1.0, 1.0) for x in (0.1, 0.4) for y in (0.7, 1.1) for z in (0.3, 0.5)]
    reaches = [reach(person, at, side="left" if at[0] > 0.0 else "right", seed=k) for k, at in enumerate(places)]
    sits = [sit(person, seed=seed) for seed in range(3)]
    return [walk(person), run(person), kick(person), throw(person), golf_swing(person), *sits, *reaches]
