"""Everything a session can be exported as, by name: `pose.bvh`, `clip.glb`, `task.yaml`, `session.py`, ..."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from posewright.errors import InvalidSetting, UnknownName
from posewright.figures import Pose
from posewright.formats import FORMATS, save
from posewright.formats.atomic import replacing
from posewright.formats.layouts import AMASS, LAYOUTS, suffix_of
from posewright.formats.npz import amass
from posewright.formats.robots.motion import is_robot
from posewright.motions import Motion
from posewright.studio.exporting import pictures
from posewright.studio.exporting.companion import names_for
from posewright.studio.exporting.edit_text import edit_text
from posewright.studio.exporting.question import question_of
from posewright.studio.exporting.script import script_text
from posewright.studio.exporting.task_text import task_text
from posewright.studio.session.retargeting import question as retargeting
from posewright.studio.session.session import Session
from posewright.tasks.start import write_pose

Write = Callable[[Session, Path, Path | None], None]
"""Writes a session to a path; of what names other files also the folder it will be in (None: any)."""


@dataclass(frozen=True)
class Export:
    """One thing a session can be exported as."""

    name: str
    """`pose.bvh`"""
    title: str
    suffix: str
    """Of the file; empty: it is a folder."""
    write: Write


def exports_of(session: Session) -> dict[str, Export]:
    """What this session can be exported as, by name."""
    state = session.state
    robot = is_robot(state.figure)
    found = [one for one in _POSE if robot or one.suffix != ".csv"]
    if state.retargeting is not None:
        found.append(Export("match.yaml", "the joint match as a map file", ".map.yaml", _match))
    if state.model is not None:
        found.append(Export("model.npz", "the motion model", ".model.npz", _model_file))
    if state.clip is not None:
        found += [one for one in _CLIP if robot or one.suffix != ".csv"]
        found += _LAYOUTS if robot else [] if amass.why_not(state.figure) else [_AMASS]
        if state.clip.asks:
            found.append(Export("edit.yaml", "keys, paths and contacts as an edit file", ".edit.yaml", _edit))
    return {one.name: one for one in found}


def export_of(session: Session, name: str) -> Export:
    """One of them.

    Raises:
        UnknownName: there is none of that name.
    """
    known = exports_of(session)
    if name not in known:
        raise UnknownName("export", name, known)
    return known[name]


def _motion(session: Session) -> Motion:
    state = session.state
    if state.clip is None:
        raise InvalidSetting("no clip is open")
    return state.clip.motion(state.figure)


def _save_pose(session: Session, path: Path, folder: Path | None) -> None:
    save(Pose(session.state.figure, session.state.q), path)


def _save_clip(session: Session, path: Path, folder: Path | None) -> None:
    save(_motion(session), path)


def _save_layout(layout: str, session: Session, path: Path, folder: Path | None) -> None:
    fps = None if layout == AMASS or LAYOUTS[layout].any_rate else LAYOUTS[layout].fps
    save(_motion(session), path, layout=layout, fps=fps)


def _pose_file(session: Session, path: Path, folder: Path | None) -> None:
    write_pose(Pose(session.state.figure, session.state.q), path)


def _figure_file(session: Session, path: Path, folder: Path | None) -> None:
    save(session.state.figure, path)


def _model_file(session: Session, path: Path, folder: Path | None) -> None:
    assert session.state.model is not None
    session.state.model.save(path)


def _task(session: Session, path: Path, folder: Path | None) -> None:
    question = question_of(session)
    names = names_for(question.state, path, folder, with_clip=False)
    _write(path, task_text(question, names.figure, folder))


def _edit(session: Session, path: Path, folder: Path | None) -> None:
    _write(path, edit_text(session.state))


def _script(session: Session, path: Path, folder: Path | None) -> None:
    names = names_for(session.state, path, folder, with_clip=True)
    _write(path, script_text(question_of(session), session.state, names, folder))


def _pose_viewer(session: Session, path: Path, folder: Path | None) -> None:
    _look_at(session.state.pose, session.state.figure.name, path)


def _clip_viewer(session: Session, path: Path, folder: Path | None) -> None:
    motion = _motion(session)
    _look_at(motion, motion.name or motion.figure.name, path)


def _look_at(shown: Pose | Motion, name: str, path: Path) -> None:
    from posewright.studio.standalone import write_standalone  # which itself shows what there is to export

    write_standalone(path, name, shown)


def _match(session: Session, path: Path, folder: Path | None) -> None:
    retargeting.question_of(session.state).match.save(path)


def _write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


_SAVED = [form for form in FORMATS if form.writes and form.suffix != ".yaml"]
_POSE = [
    Export("task.yaml", "the goals as a task file", ".task.yaml", _task),
    Export("session.py", "the session as a Python script", ".py", _script),
    *(Export(f"pose{one.suffix}", f"the pose as {one.suffix}", one.suffix, _save_pose) for one in _SAVED),
    Export("pose.yaml", "the pose as a pose file", ".pose.yaml", _pose_file),
    Export("pose.png", "a picture of the pose and its goals", ".png", pictures.pose),
    Export("pose.html", "the pose to look at, one .html", ".html", _pose_viewer),
    Export("figure.yaml", "the figure", ".figure.yaml", _figure_file),
]
_CLIP = [
    *(Export(f"clip{one.suffix}", f"the clip as {one.suffix}", one.suffix, _save_clip) for one in _SAVED),
    Export("clip.html", "the clip to look at, one .html", ".html", _clip_viewer),
    Export("clip.png", "a strip of the clip, before and after", ".png", pictures.strip),
    Export("clip.gif", "a film of the clip, .gif", ".gif", pictures.film),
    Export("clip.mp4", "a film of the clip, .mp4", ".mp4", pictures.film),
]


def _layout(name: str) -> Export:
    return Export(f"clip.{name}", f"the clip in the layout {name}", suffix_of(name), partial(_save_layout, name))


_LAYOUTS, _AMASS = [_layout(name) for name in LAYOUTS], _layout(AMASS)
