"""The whole story, in the order that keeps both cores busy while kernels are compiled for the first time."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from posewright.clips import walk
from posewright.demo.chapter import Chapter, Tell
from posewright.demo.clips import clips_chapter, make_clips
from posewright.demo.designing import designing_chapter
from posewright.demo.editing import editing_chapter
from posewright.demo.posing import posing_chapter, write_tasks
from posewright.demo.retargeting import TARGETS, retargeting_chapter
from posewright.figures.catalogue import build
from posewright.report.html import Command, Page, Section, write_page
from posewright.tasks import load_task
from posewright.workflows.retargeting.retarget import retarget


@dataclass(frozen=True)
class Story:
    """What the demo made."""

    chapters: tuple[Chapter, ...]
    report: Path
    """The page that shows all of it."""


def tell_story(out: Path, tell: Tell) -> Story:
    """Make everything in a folder that exists."""
    # The first time, most of a demo is compiling, which keeps one core busy: the other does its share meanwhile.
    beside = get_context("spawn").Process(target=_compile_posing_and_retargeting, daemon=True)
    beside.start()
    motions = make_clips(tell)
    clips = clips_chapter(motions, out, tell)
    edited = editing_chapter(out, tell)
    designed = designing_chapter(out, tell)
    tell("compiling kernels, once per machine")
    beside.join()
    posed = posing_chapter(out, tell)
    retargeted = retargeting_chapter(motions["walk"], out, tell)
    chapters = (clips, posed, retargeted, edited, designed)
    tell("writing the report")
    report = out / "report.html"
    write_page(_page(chapters), report)
    return Story(chapters, report)


def _page(chapters: tuple[Chapter, ...]) -> Page:
    summary = "Everything on this page was made by posewright demo, from what ships with the package."
    sections = [
        Section(title=one.section.title, blocks=[*one.section.blocks, Command(text=one.command)]) for one in chapters
    ]
    return Page(title="Posewright: pose, retarget, edit, design", summary=summary, sections=sections)


def _compile_posing_and_retargeting() -> None:
    """Solve and throw away: what counts is that the kernels are compiled and cached."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupted demo ends this process too, without a word from it
    with TemporaryDirectory() as folder:
        for file in write_tasks(Path(folder)).values():
            task = load_task(file)
            task.solver.solve(task.problem, task.start)
    retarget(walk(build("human"), steps=2), build(next(iter(TARGETS)))).quality()
