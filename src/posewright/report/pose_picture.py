"""Pictures of answers: a pose with its goals, or the answers of several solvers side by side."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from posewright.figure import Pose
from posewright.problem import PoseResult, Problem
from posewright.report.camera import DIRECTIONS, Direction
from posewright.report.colours import PALETTE
from posewright.report.goal_marks import goal_marks
from posewright.report.image_files import labelled
from posewright.report.picture import Extent, Picture, render
from posewright.report.scene import Body, Scene


def answer_scene(problem: Problem, result: PoseResult, *, start: Pose | None = None, colour: str = "coral") -> Scene:
    """The pose that was found, the goals, and the start as a ghost if given."""
    scene = Scene(
        bodies=(Body(pose=result.pose, colour=colour),),
        marks=goal_marks(problem.goals, result.pose, result.goal_errors),
    )
    return scene if start is None else scene.with_ghosts([start])


def answer_picture(
    problem: Problem,
    answers: Mapping[str, PoseResult],
    *,
    start: Pose | None = None,
    width: int = 640,
    height: int = 640,
    direction: Direction = DIRECTIONS["three-quarter"],
) -> Picture:
    """Answers side by side, each `width` pixels wide, seen by one camera and labelled where there are several."""
    colours = list(PALETTE)
    scenes = [
        answer_scene(problem, result, start=start, colour=colours[k % 8]) for k, result in enumerate(answers.values())
    ]
    camera = Extent.of(*scenes).camera(direction, aspect=width / height)
    pictures = [render(scene, width, height, camera=camera) for scene in scenes]
    if len(pictures) == 1:
        return pictures[0]
    texts = [f"{name}: {'reached' if result.reached else 'missed'}" for name, result in answers.items()]
    return np.hstack([labelled(picture, text) for picture, text in zip(pictures, texts, strict=True)])
