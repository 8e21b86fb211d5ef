"""The story that `posewright demo` tells, a function per chapter: clips, poses, a retargeting, an edit, a design."""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import posewright as pw
from posewright.demo.task_files import DRIVE, POSES, edit_file
from posewright.formats.atomic import replacing
from posewright.motions.quality import verdict_sentence
from posewright.problem.evaluation import readable
from posewright.report import DIRECTIONS, Film, write_gif, write_png
from posewright.report.html import Block, Page, Pictures, Section, ShellCommand, Table
from posewright.report.image_files import labelled
from posewright.report.picture import Picture
from posewright.report.quality_page import quality_table, strip
from posewright.report.result_pictures import design_picture, edit_picture, pose_picture

Tell = Callable[[str], None]
"""Called with what is being done, a few words each time."""

_POSTER = {"walk": 0.62, "run": 1.28, "jump": 1.12, "throw": 0.93, "golf_swing": 1.2}
"""Each clip and the moment (s) that the poster shows of it."""
_COLOURS = ("coral", "teal", "indigo", "sand", "plum")
_TARGETS = {"abnorman1": ("coral", "long legs"), "abnorman2": ("indigo", "a long body on short legs")}
"""Colour of each and what is different about it."""


@dataclass
class Chapter:
    """One part of the demo and its output."""

    title: str
    out: Path
    """Folder for files."""
    command: str = ""
    """A command that does something similar."""
    blocks: list[Block] = field(default_factory=list)
    """Blocks of the report."""
    files: dict[str, list[Path]] = field(default_factory=dict)
    """Files by their content."""
    sentences: list[str] = field(default_factory=list)
    """Sentences about the outcome."""

    def file(self, what: str, name: str) -> Path:
        """The path of a file to write."""
        self.files.setdefault(what, []).append(self.out / name)
        return self.out / name

    def write(self, what: str, name: str, text: str) -> Path:
        """Write a text."""
        path = self.file(what, name)
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return path

    def show(self, what: str, name: str, picture: Picture, caption: str) -> None:
        """Write a picture, and show it in the report."""
        write_png(picture, self.file(what, name))
        self.blocks.append(Pictures([(picture, caption)], wide=True))

    def say(self, *sentences: str) -> None:
        """Add sentences to the report."""
        self.blocks += sentences


def tell_story(out: Path, tell: Tell) -> tuple[list[Chapter], Path]:
    """Make everything in a folder that exists; return the chapters and the page that shows them."""
    clips, poses, retargeted, edited, designed = chapters = [
        Chapter(title, out) for title in ("Clips", "Pose", "Retarget", "Edit", "Design")
    ]
    # The first time, most of a demo is compiling, which keeps one core busy; the other does its share meanwhile.
    beside = get_context("spawn").Process(target=_compile_posing_and_retargeting, daemon=True)
    beside.start()
    motions = _make_clips(clips, tell)
    _edit(edited, tell)
    _design(designed, tell)
    tell("compiling kernels, once per machine")
    beside.join()
    _pose(poses, tell)
    _retarget(retargeted, motions["walk"], tell)
    tell("writing the report")
    summary = "Everything on this page was made by posewright demo from data that ships with the package."
    sections = [Section(one.title, [*one.blocks, ShellCommand(one.command)]) for one in chapters]
    page = Page(title="Posewright: pose, retarget, edit, design", summary=summary, sections=sections)
    page.save(out / "report.html")
    return chapters, out / "report.html"


def _make_clips(chapter: Chapter, tell: Tell) -> dict[str, pw.Motion]:
    """A built-in human walks, runs, jumps, throws and swings a golf club."""
    human = pw.figure("human")
    motions: dict[str, pw.Motion] = {}
    for name in _POSTER:
        tell(f"making {name}")
        motions[name] = getattr(pw.clips, name)(
            pw.figures.catalogue.with_club(human) if name == "golf_swing" else human
        )
        for suffix in (".bvh", ".glb"):
            motions[name].save(chapter.file(name, name + suffix))
    tell("drawing the clips")
    coloured = list(zip(motions.items(), _COLOURS, strict=True))
    panels = [
        Film(motions=(motion,), width=256, height=360, colours=(colour,)).picture(_POSTER[name])
        for (name, motion), colour in coloured
    ]
    chapter.say("Procedural clips of the built-in human, written as BVH and GLB. The other sections use them.")
    chapter.show("all clips", "poster.png", np.hstack(panels), "A frame of each clip.")
    rows = [
        Film(motions=(motion,), direction=DIRECTIONS["side"], width=1320, height=240).sheet(columns=6, rows=1)
        for motion in motions.values()
    ]
    write_png(np.vstack(rows), chapter.file("all clips", "clips.png"))
    tell("drawing the film")
    films = [
        Film(motions=(motion,), width=200, height=260, fps=15.0, follow=True, colours=(colour,))
        for (_, motion), colour in coloured
    ]
    write_gif(_side_by_side(films), chapter.file("all clips", "clips.gif"), fps=15.0)
    chapter.sentences.append(f"{sum(map(len, motions.values()))} frames of {len(motions)} clips")
    chapter.command = f"posewright render {chapter.out / 'walk.bvh'} -o walk.gif"
    return motions


def _side_by_side(films: list[Film]) -> Iterator[Picture]:
    """The films' pictures beside each other; one that has ended begins again."""
    drawn = [list(film.pictures()) for film in films]
    for moment in range(max(map(len, drawn))):
        yield np.hstack([pictures[moment % len(pictures)] for pictures in drawn])


def _pose(chapter: Chapter, tell: Tell) -> None:
    """Solve task files, and draw the poses with their goals."""
    panels, rows = [], []
    for name, text in POSES.items():
        tell(f"posing: {name}")
        task = pw.tasks.load_task(chapter.write(f"pose: {name}", f"{name}.yaml", text))
        result = task.solver.solve(task.problem, task.start)
        for suffix in (".bvh", ".glb"):
            result.pose.save(chapter.file(f"pose: {name}", name + suffix))
        panels.append(pose_picture(task.problem, {name: result}, width=420, height=480))
        chapter.sentences.append(f"{name}: {result}")
        verdict = "reached" if result.reached else "missed"
        rows.append((name.replace("_", " "), str(len(result.errors)), str(result.iterations), verdict))
    chapter.say(
        "Small task files hold goals for hands, feet, gaze and balance; a solver finds poses within joint limits."
    )
    chapter.show("all poses", "poses.png", np.hstack(panels), "Goals are drawn as marks.")
    chapter.blocks.append(Table(header=("pose", "goals", "iterations", ""), rows=rows))
    chapter.command = f"posewright pose {chapter.out / 'reach.yaml'} -o reach.png"


def _retarget(chapter: Chapter, walk: pw.Motion, tell: Tell) -> None:
    """The walk on figures of other proportions, and how well it kept what it should."""
    strips = [labelled(strip(walk, colour="teal"), "source")]
    measures: list[Block] = []
    for name, (colour, difference) in _TARGETS.items():
        tell(f"retargeting to {name}")
        made = pw.retarget(walk, pw.figure(name))
        verdicts = made.quality().check()
        made.motion.save(chapter.file(f"walk on {name}", f"walk_{name}.glb"))
        strips.append(labelled(strip(made.motion, colour=colour), f"{name}: {difference}"))
        chapter.sentences.append(f"walk on {name}: {verdict_sentence(verdicts)}")
        measures += [chapter.sentences[-1], quality_table(verdicts)]
    caption = "The last pose is solid; earlier poses fade."
    chapter.show("all walks", "retargeted.png", np.vstack(strips), caption)
    chapter.say(
        "Joints are matched automatically, the root path is scaled by leg length, and feet stand still where the "
        "source's do. Quality measures, compared with the source:"
    )
    chapter.blocks += measures
    chapter.command = f"posewright retarget {chapter.out / 'walk.bvh'} --to abnorman1 -o tall.glb --report tall.html"


def _edit(chapter: Chapter, tell: Tell) -> None:
    """A model learned from swings on gentle slopes puts a flat swing on a steep one by a single key frame."""
    tell("making swings")
    player, slopes, steep, impact = pw.figure("human40"), range(6), 7, 94
    swings = [
        pw.clips.golf_swing(player, slope=math.radians(slope), style=style, seed=k)
        for k, (slope, style) in enumerate((slope, style) for slope in slopes for style in (-0.5, 0.5))
    ]
    tell("learning a motion model")
    model = pw.MotionModel.fit(swings, explained_variance=0.98)
    flat, wanted = (pw.clips.golf_swing(player, slope=math.radians(slope), seed=50) for slope in (0, steep))
    clip_file, model_file = chapter.file("edit", "swing.npz"), chapter.file("edit", "golf.model.npz")
    flat.save(clip_file)
    model.save(model_file)
    priorities = {"left_sole": 1, "right_sole": 1, "club_head": 2}
    there = {site: wanted.pose(impact).point(site).tolist() for site in priorities}
    task = chapter.write("edit", "steep.yaml", edit_file(impact, there, priorities))
    tell("editing the swing")
    keys = pw.tasks.load_edit(task, flat).goals
    result = pw.edit(flat, keys, space=model)
    result.motion.save(chapter.file("edit", "steep_swing.glb"))
    chapter.say(
        f"{len(swings)} swings on slopes of at most {slopes[-1]} degrees became a model of {model.n_modes} modes. "
        f"Only the positions of the soles and the club head at the impact on {steep} degrees were given; "
        "the model determined the rest of the swing."
    )
    motions = {"a flat swing": flat, f"put on a slope of {steep} degrees": result.motion}
    chapter.show("edit", "edited.png", edit_picture(motions, keys=keys), "Before and after.")
    rows = [(e.label, readable(e.value, e.unit), readable(e.tolerance, e.unit)) for e in result.errors.parts]
    chapter.blocks.append(Table(header=("key", "error", "tolerance"), rows=rows))
    met = "all goals reached" if result.reached else "some goals missed"
    sentence = f"edit of {len(flat)} frames by {result.solves} solve: {met} after {result.iterations} iterations"
    chapter.say(sentence, *result.warnings)
    chapter.sentences.append(sentence)
    chapter.command = f"posewright edit {clip_file} {task} --model {model_file} -o steep.png"


def _design(chapter: Chapter, tell: Tell) -> None:
    """Postures of some clips become a database; a driver's posture is spliced from it and refined."""
    tell("building a posture database")
    person, clips = pw.figure("human40"), pw.clips
    places = [(side * x, y, z) for side in (-1.0, 1.0) for x in (0.1, 0.4) for y in (0.7, 1.1) for z in (0.3, 0.5)]
    motions: list[pw.Motion] = [make(person) for make in (clips.walk, clips.run, clips.kick, clips.throw)]
    motions += [clips.golf_swing(person), *(clips.sit(person, seed=seed) for seed in range(3))]
    motions += [clips.reach(person, at, side="left" if at[0] > 0.0 else "right", seed=k) for k, at in enumerate(places)]
    database = pw.Postures.build(motions, threshold=0.05)  # rad: few clips, so postures rather alike are kept
    database_file = chapter.file("design", "people.postures")
    database.save(database_file)
    task_file = chapter.write("design", "drive.yaml", DRIVE)
    tell("designing a posture")
    task = pw.tasks.load_task(task_file)
    made = pw.design(task.problem.space, task.problem.goals, database, start=task.start)
    alone = pw.Prioritized(settle=False).solve(task.problem, task.start)
    made.pose.save(chapter.file("design", "drive.glb"))
    chapter.say(
        f"{len(database)} different postures from {database.n_read} frames. Hip, hands and feet have targets, in this "
        "order of priority. Each part of the body was blended from the postures nearest to its goals; then the whole "
        "posture was refined."
    )
    picture = design_picture(task.problem.goals, made.parts, made.initial, made, start=task.start)
    chapter.show("design", "designed.png", picture, "Standing, spliced and refined; colours show body parts.")
    rows = [
        (", ".join(part.goals), str(len(part.joints)), "; ".join(map(str, made.samples_of(part)[:2])))
        for part in made.parts
    ]
    met = "all goals reached" if made.reached else "some goals missed"
    sentence = f"design: {met} after {made.iterations} iterations, {alone.iterations} from standing"
    chapter.blocks.append(Table(header=("part for", "joints", "mostly from"), rows=rows))
    chapter.say(sentence)
    chapter.sentences.append(sentence)
    chapter.command = f"posewright design {task_file} --postures {database_file} -o drive.png"


def _compile_posing_and_retargeting() -> None:
    """Solve and throw away: what counts is that the kernels are compiled and cached."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupted demo ends this process too, without a word from it
    with TemporaryDirectory() as folder:
        for name, text in POSES.items():
            file = Path(folder) / f"{name}.yaml"
            file.write_text(text, encoding="utf-8")
            task = pw.tasks.load_task(file)
            task.solver.solve(task.problem, task.start)
    pw.retarget(pw.clips.walk(pw.figure("human"), steps=2), pw.figure(next(iter(_TARGETS)))).quality()
