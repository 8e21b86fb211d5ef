"""Pictures and films of a session, as the command line makes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from posewright.errors import InvalidSetting
from posewright.formats.atomic import require_wanted
from posewright.problem.evaluation import goal_errors
from posewright.problem.lowering import lower
from posewright.report.film import Film
from posewright.report.image_files import write_gif, write_mp4, write_png
from posewright.report.picture import Picture, render
from posewright.report.result_pictures import edit_picture, goal_marks
from posewright.report.scene import Scene, SceneBody
from posewright.studio.session.session import Session

_SIZE = 960


def pose(session: Session, path: Path, folder: Path | None) -> None:
    """The body with marks of its goals."""
    state = session.state
    lowered = lower(state.problem)
    errors = goal_errors(lowered, lowered.targets, state.pose, state.q)
    marks = goal_marks(state.problem.goals, state.pose, errors)
    write_png(render(Scene(bodies=(SceneBody(pose=state.pose),), marks=marks), _SIZE, _SIZE), path)


def strip(session: Session, path: Path, folder: Path | None) -> None:
    """The clip before and after its keys, below each other; without keys, the clip."""
    state, clip = session.state, session.state.clip
    if clip is None:
        raise InvalidSetting("no clip is open")
    motions = {"before": clip.source_motion(state.figure), "after": clip.motion(state.figure)}
    if not clip.keys:
        motions = {clip.name: clip.motion(state.figure)}
    write_png(edit_picture(motions, keys=[key.goal for key in clip.keys]), path)


def film(session: Session, path: Path, folder: Path | None) -> None:
    """The clip as edited; the camera goes along."""
    state, clip = session.state, session.state.clip
    if clip is None:
        raise InvalidSetting("no clip is open")
    found = Film(motions=(clip.motion(state.figure),), follow=True)
    write = write_mp4 if path.suffix.lower() == ".mp4" else write_gif
    write(_while_wanted(found.pictures(), path), path, fps=found.rate)


def _while_wanted(pictures: Iterator[Picture], path: Path) -> Iterator[Picture]:
    for picture in pictures:
        require_wanted(path)
        yield picture
