"""Answers of the tube and reach tasks (Zhao & Badler 1994) side by side, and the angles along their spines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.experiments.reach_task import BOX, sideways
from posewright.experiments.tube_task import TUBE, whole
from posewright.figures import Pose
from posewright.figures.catalogue.spine import COORDINATES, VERTEBRAE
from posewright.problem import PoseResult, Problem
from posewright.report.camera import Direction
from posewright.report.goal_marks import goal_marks
from posewright.report.image_files import labelled
from posewright.report.picture import Extent, Picture, render
from posewright.report.plots import Curve, Plot, plot_picture
from posewright.report.scene import Mark, Scene, SceneBody

_WIDTH, _HEIGHT, _STRIP = 460, 500, 36  # pixels of a panel, and of what is written below it
_FROM_THE_RIGHT = Direction(azimuth=math.radians(-42.0), elevation=math.radians(14.0))


@dataclass(frozen=True)
class Answer:
    """One task solved, and how long it took."""

    problem: Problem
    result: PoseResult
    milliseconds: float
    """Of the quickest of some solves of the prepared problem: other work on the machine does not count."""
    monotone: bool


def roughness(pose: Pose) -> float:
    """Sum of squared second differences (rad²) of the spine's angles along its vertebrae."""
    return float(np.sum(np.diff(_spine_angles(pose), n=2, axis=1) ** 2))


def sideways_degrees(answer: Answer) -> str:
    """How far the torso bends sideways and turns, in words."""
    return f"{math.degrees(math.sqrt(sideways(answer.problem, answer.result.q))):.0f}°"


def tube_picture(named: Sequence[tuple[str, Answer]], views: int = 1) -> Picture:
    """Answers side by side; one answer from several sides."""
    directions = (_FROM_THE_RIGHT, Direction(azimuth=math.radians(75.0), elevation=math.radians(8.0)))[:views]
    panels = [(text, answer, direction) for text, answer in named for direction in directions]
    texts = [f"{text}: {'reached' if a.result.reached else 'missed'}" for text, a, _ in panels]
    if views > 1:
        texts = [texts[0], *("the same from the left" for _ in texts[1:])]
    return _pictures([(text, a, TUBE.marks(), d) for text, (_, a, d) in zip(texts, panels, strict=True)])


def reach_picture(named: Sequence[tuple[str, Answer]]) -> Picture:
    """Answers of the reach task side by side, with the box."""
    direction = Direction(azimuth=math.radians(-55.0), elevation=math.radians(16.0))
    panels = []
    for text, answer in named:
        verdict = "reached" if answer.result.reached else "out of reach"
        panels.append((f"{text}: {verdict}, sideways {sideways_degrees(answer)}", answer, BOX.marks(), direction))
    return _pictures(panels)


def _pictures(panels: Sequence[tuple[str, Answer, Sequence[Mark], Direction]]) -> Picture:
    """Each the whole person with the goals and the thing to reach, all framed alike about the upper bodies."""
    scenes, uppers = [], []
    for _, answer, things, _ in panels:
        pose = whole(answer.result.pose)
        marks = (*things, *goal_marks(answer.problem.goals, pose, answer.result.errors))
        scenes.append(Scene(bodies=(SceneBody(pose=pose),), marks=marks))
        uppers.append(Scene(bodies=(SceneBody(pose=answer.result.pose),), marks=marks))
    pictures = []
    for (text, _, _, direction), scene in zip(panels, scenes, strict=True):
        camera = Extent.of(*uppers).camera(direction, aspect=_WIDTH / _HEIGHT)
        drawn = render(scene, _WIDTH, _HEIGHT, camera=camera)
        pictures.append(labelled(np.vstack([drawn, np.full((_STRIP, _WIDTH, 3), 246, np.uint8)]), text))
    return np.hstack(pictures)


def spine_plot(grouped: Pose, single: Pose) -> Picture:
    """The angles along the spine, as in the paper's figures 4 and 5."""
    places = list(range(len(VERTEBRAE)))
    plots = [
        Plot(
            content=[
                Curve(x=places, y=np.degrees(row), label=bend, style="both")
                for bend, row in zip(COORDINATES, _spine_angles(pose), strict=True)
            ],
            title=title,
            x_label="vertebra, from L5 (0) up to T1 (16)",
            y_label="angle (degrees)",
        )
        for pose, title in (
            (grouped, "the spine is a group (22 dofs)"),
            (single, "every vertebra on its own (70 dofs)"),
        )
    ]
    return plot_picture(*plots, width=470, height=360)


def _spine_angles(pose: Pose) -> Array:
    """(bends, vertebrae), rad, from the sacrum up."""
    return np.array([[pose[f"{vertebra.name}.{bend}"] for vertebra in VERTEBRAE] for bend in COORDINATES])
