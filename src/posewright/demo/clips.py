"""Clips: a built-in human walks, runs, jumps, throws and swings a golf club."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from posewright import clips as procedural
from posewright.demo.chapter import Chapter, Tell
from posewright.figures.catalogue import build, with_club
from posewright.motions import Motion
from posewright.report.camera import DIRECTIONS
from posewright.report.film import Film
from posewright.report.html import Pictures, Section, Text
from posewright.report.image_files import write_gif, write_png
from posewright.report.picture import Picture

POSTER = {"walk": 0.62, "run": 1.28, "jump": 1.12, "throw": 0.93, "golf_swing": 1.2}
"""Each clip and the moment (s) that the poster shows of it."""
_MOMENTS = 6
_FILM_FPS = 15.0
_COLOURS = ("coral", "teal", "indigo", "sand", "plum")


def make_clips(tell: Tell) -> dict[str, Motion]:
    """All clips by name."""
    human = build("human")
    motions = {}
    for name in POSTER:
        tell(f"making {name}")
        motions[name] = getattr(procedural, name)(with_club(human) if name == "golf_swing" else human)
    return motions


def clips_chapter(motions: dict[str, Motion], out: Path, tell: Tell) -> Chapter:
    """Write the clips, a poster with a moment of each, a sheet with a row for each and a film with a panel for each."""
    files = {name: [out / f"{name}.bvh", out / f"{name}.glb"] for name in motions}
    for name, motion in motions.items():
        tell(f"writing {name}")
        for path in files[name]:
            motion.save(path)
    tell("drawing the clips")
    panels = [
        Film(motions=(motion,), width=256, height=360, colours=(colour,)).picture(POSTER[name])
        for (name, motion), colour in zip(motions.items(), _COLOURS, strict=True)
    ]
    poster = np.concatenate(panels, axis=1)
    write_png(poster, out / "poster.png")
    rows = [
        Film(motions=(motion,), direction=DIRECTIONS["side"], width=220 * _MOMENTS, height=240)
        for motion in motions.values()
    ]
    write_png(np.concatenate([film.sheet(columns=_MOMENTS, rows=1) for film in rows]), out / "clips.png")
    tell("drawing the film")
    films = [
        Film(motions=(motion,), width=200, height=260, fps=_FILM_FPS, follow=True, colours=(colour,))
        for motion, colour in zip(motions.values(), _COLOURS, strict=True)
    ]
    write_gif(_side_by_side(films), out / "clips.gif", fps=_FILM_FPS)
    about = "Clips made by rule for the built-in human, written as BVH and GLB. What follows is done with them."
    return Chapter(
        section=Section(
            title="Clips", blocks=[Text(text=about), Pictures(pictures=[(poster, "A moment of each.")], wide=True)]
        ),
        files={**files, "all clips": [out / "poster.png", out / "clips.png", out / "clips.gif"]},
        sentences=[f"{sum(map(len, motions.values()))} frames of {len(motions)} clips"],
        command=f"posewright render {files['walk'][0]} -o walk.gif",
    )


def _side_by_side(films: list[Film]) -> Iterator[Picture]:
    """The films' pictures beside each other; one that has ended begins again."""
    drawn = [list(film.pictures()) for film in films]
    for moment in range(max(map(len, drawn))):
        yield np.concatenate([pictures[moment % len(pictures)] for pictures in drawn], axis=1)
