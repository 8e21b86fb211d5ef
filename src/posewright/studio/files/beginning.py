"""What a session begins with: the names and files of the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from posewright.errors import InvalidSetting
from posewright.figures.catalogue import CATALOGUE
from posewright.files import figure
from posewright.studio.files.autosave import state_folder
from posewright.studio.files.files import Files
from posewright.studio.files.folder import Folder
from posewright.studio.files.kinds import kind_of_file
from posewright.studio.files.opening import BEGINNING, beside, built_in, with_file
from posewright.studio.files.project import SUFFIX, Project
from posewright.studio.files.standing import Standing
from posewright.studio.session.clips.editing import ClipEditing
from posewright.studio.session.editor import Editor
from posewright.studio.session.session import Session
from posewright.studio.session.sources import Sources
from posewright.studio.session.state import State


@dataclass(frozen=True, eq=False)
class Beginning:
    """A session and where it came from."""

    session: Session
    folder: Folder
    about: tuple[str, ...]
    """The files, by which a session that was killed is known again."""
    project: Project | None = None
    notices: tuple[str, ...] = ()

    def standing(self) -> Standing:
        """What keeps its address."""
        return Standing(state_folder(), self._about)

    def files(self, editor: Editor, token: str, standing: Standing | None = None) -> Files:
        """What the session has to do with files, of pages that have a token."""
        about = {**self._about, "tokens": [token]}
        return Files(
            editor,
            self.folder,
            project=self.project,
            state_folder=state_folder(),
            about=about,
            notices=self.notices,
            standing=standing,
        )

    @property
    def _about(self) -> dict[str, Any]:
        return {"files": list(self.about), "folder": str(self.folder.path)}


def begun(names: Sequence[str], folder: Path) -> Beginning:
    """What to edit: built-in figures and files by name; without any, the figure human.

    The first figure, clip or task is edited, more figures and clips are kept beside it; edits, poses and a model add to
    it. A project is all of that in one.

    Args:
        names: as on the command line.
        folder: where pages open and save files.

    Raises:
        PosewrightError: something cannot be opened, or not together.
    """
    if not folder.is_dir():
        raise InvalidSetting(f"--folder is {str(folder)!r}, which is not a folder")
    names = names or ["human"]
    about = tuple(name if name in CATALOGUE else os.path.abspath(name) for name in names)
    projects = [name for name in names if name.lower().endswith(SUFFIX)]
    if projects:
        if len(names) > 1:
            raise InvalidSetting(f"{projects[0]} is a project, which is opened alone; {len(names)} files were given")
        path = Path(projects[0])
        sources = Sources((path.parent, folder), anywhere=True)
        project, session = Project.opened(path, sources)
        return Beginning(session, Folder(folder), about, project, tuple(sources.notices))
    return Beginning(Session.begin(_together(names)), Folder(folder), about)


def _together(names: Sequence[str]) -> State:
    state: State | None = None
    later: list[Path] = []  # what adds to a figure or clip
    for name in names:
        path = Path(name)
        if name in CATALOGUE or not path.suffix:
            found = figure(name)  # says what is built in
            state = built_in(name) if state is None else replace(state, library=state.library.with_item(name, found))
        elif kind_of_file(path) not in BEGINNING:
            later.append(path)
        else:
            state = with_file(None, path) if state is None else beside(state, path)
    for path in later:
        state = with_file(state, path)
    assert state is not None
    return ClipEditing().edited(state)[0]
