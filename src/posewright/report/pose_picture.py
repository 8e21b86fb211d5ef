"""Pictures of answers: a pose with its goals, or the answers of several solvers side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from posewright.figures import Pose
from posewright.problem import PoseResult, Problem
from posewright.report.camera import DIRECTIONS, Direction, Extent
from posewright.report.colours import PALETTE
from posewright.report.goal_marks import goal_marks
from posewright.report.image_files import labelled
from posewright.report.picture import Picture, render
from posewright.report.scene import Scene, SceneBody


def answer_scene(problem: Problem, result: PoseResult, *, start: Pose | None = None, colour: str = "coral") -> Scene:
    """The pose that was found, the goals, and the start as a ghost if given."""
    scene = Scene(
        bodies=(SceneBody(pose=result.pose, colour=colour),),
        marks=goal_marks(problem.goals, result.pose, result.errors),
    )
    return scene if start is None else scene.with_ghosts([start])


def answer_picture(
    problem: Problem,
    answers: Mapping[str, PoseResult],
    *,
    start: Pose | None = None,
    others: Sequence[Pose] = (),
    width: int = 640,
    height: int = 640,
    direction: Direction = DIRECTIONS["three-quarter"],
) -> Picture:
    """Answers side by side, each `width` pixels wide, seen by one camera and labelled where there are several.

    More than three stand in two rows: six in one would be too small to see on a screen. `others` are figures that have
    a part in the goals; they are ghosts, and the camera minds where the answers face.
    """
    colours = list(PALETTE)
    scenes = [
        answer_scene(problem, result, start=start, colour=colours[k % 8]) for k, result in enumerate(answers.values())
    ]
    front = Extent.of(*scenes).front
    scenes = [scene.with_ghosts(others) for scene in scenes]
    camera = replace(Extent.of(*scenes), front=front).camera(direction, aspect=width / height)
    pictures = [render(scene, width, height, camera=camera) for scene in scenes]
    if len(pictures) == 1:
        return pictures[0]
    labels = [labelled(picture, _label(name, answers[name])) for picture, name in zip(pictures, answers, strict=True)]
    columns = len(labels) if len(labels) <= 3 else -(-len(labels) // 2)
    labels += [np.full_like(labels[0], 255)] * (-len(labels) % columns)
    return np.vstack([np.hstack(labels[first : first + columns]) for first in range(0, len(labels), columns)])


def _label(name: str, result: PoseResult) -> str:
    return f"{name}: reached" if result.reached else f"{name}: missed {result.worst()[0]}"
