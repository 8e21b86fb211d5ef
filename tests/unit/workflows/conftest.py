"""Clips of one activity and what is learned from them, for the tests of edits."""

import pytest

from posewright.clips import jump
from posewright.figures.catalogue import human40
from posewright.models import MotionModel
from posewright.motions.motion import Motion


@pytest.fixture(scope="session")
def jumps() -> list[Motion]:
    figure = human40()
    return [
        jump(figure, length=length, height=height, style=style, seed=3 * k, fps=20.0)
        for k, (length, height, style) in enumerate(
            (a, b, c) for a in (0.4, 0.8, 1.2) for b in (0.15, 0.3) for c in (-0.5, 0.5)
        )
    ]


@pytest.fixture(scope="session")
def model(jumps: list[Motion]) -> MotionModel:
    return MotionModel.fit(jumps, explained_variance=0.99, frames=30)
