"""Projects: a session as one file that the user keeps."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from posewright.errors import FileProblem, InvalidSetting
from posewright.formats.atomic import replacing, require_place
from posewright.formats.budget import Budget, is_file
from posewright.studio.files.folder import locked
from posewright.studio.session.journal import LARGEST, read_journal, session_lines
from posewright.studio.session.session import Session
from posewright.studio.session.sources import Source, Sources

SUFFIX: Final = ".posewright"


class Project:
    """The file of a session, and what it held when this program last read or wrote it."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.abspath(path))
        self.held: str | None = None
        """SHA-256 of it; None: nothing was read or written yet"""

    @classmethod
    def opened(cls, path: Path, sources: Sources) -> tuple[Project, Session]:
        """A project that is there.

        Raises:
            FileProblem: it is none.
        """
        project = cls(path)
        if is_file(project.path):
            Budget.of(project.path, most=LARGEST)  # before all of it is read
        project.held = Source.of_file("project", project.path).sha256
        return project, read_journal(project.path, sources).session

    def save(self, session: Session, *, overwrite: bool = False) -> None:
        """Write a session, whole or not at all.

        Args:
            session: all of it, with what was undone.
            overwrite: whether to write over what somebody else has written meanwhile.

        Raises:
            InvalidSetting: the file was written by somebody else, or is one that the session was made from.
            FileProblem: nothing can be written there.
        """
        if self.path.suffix != SUFFIX:
            raise InvalidSetting(f"a project is saved as {SUFFIX}, not as {self.path.suffix or 'a name without one'}")
        require_place(self.path)
        refuse_sources(self.path, session)
        with locked(self.path.parent):
            if not overwrite:
                self._refuse_foreign()
            with replacing(self.path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(session_lines(session, self.path.parent, {}))
            self.held = Source.of_file("project", self.path).sha256

    def _refuse_foreign(self) -> None:
        if not self.path.exists():
            return
        name = self.path.name
        if self.held is None:
            raise InvalidSetting(f"there is a {name} already; save under another name, or overwrite it")
        if Source.of_file("project", self.path).sha256 != self.held:
            raise InvalidSetting(
                f"{name} was changed by another program since it was last saved here; "
                "save under another name, or overwrite it"
            )


def refuse_sources(path: Path, session: Session) -> None:
    """Refuse to write over a file that something of the session came from.

    Raises:
        FileProblem: it is one.
    """
    for source in sources_of(session):
        if source.path is not None and _same_file(source.path, path):
            raise FileProblem(path, "is a source of this session and cannot be overwritten; use another name")


def sources_of(session: Session) -> Iterable[Source]:
    """All files that the session has read, also before what was undone."""
    return dict.fromkeys(source for state in session.states for source in state.sources)


def _same_file(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)
