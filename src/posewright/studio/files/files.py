"""What the session of an editor has to do with files. One caller at a time, as of the editor itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from posewright.errors import InvalidSetting, PosewrightError
from posewright.formats.registry import ELSEWHERE
from posewright.studio.exporting.exports import export_of
from posewright.studio.files import autosave
from posewright.studio.files.autosave import Autosave, Recovery
from posewright.studio.files.errand import TURN, Errand, done_at_once
from posewright.studio.files.folder import Folder
from posewright.studio.files.kinds import SUFFIXES, Kind, kind_of_file
from posewright.studio.files.opening import BEGINNING, with_files
from posewright.studio.files.project import SUFFIX, Project, refuse_sources
from posewright.studio.files.standing import Standing
from posewright.studio.files.uploads import Upload, Uploads, copied
from posewright.studio.session.commands.opening import OpenFile
from posewright.studio.session.editor import Editor
from posewright.studio.session.session import Session
from posewright.studio.session.sources import Sources
from posewright.studio.session.state import State


class Files:
    """A folder, the project that the session is saved in, and the journal that is kept of it unasked."""

    def __init__(
        self,
        editor: Editor,
        folder: Folder | None = None,
        *,
        project: Project | None = None,
        state_folder: Path | None = None,
        about: dict[str, Any] | None = None,
        notices: tuple[str, ...] = (),
        standing: Standing | None = None,
    ) -> None:
        """What a session begins with.

        Args:
            editor: whose session it is.
            folder: where pages open and save files; None: nowhere.
            project: that the session was opened from.
            state_folder: where its journal is kept; None: nowhere.
            about: what the session began with (files, folder) and the tokens of its pages.
            notices: what was noticed when files were opened.
            standing: what keeps its address until it ends; None: nothing does.
        """
        self._editor, self._folder, self._state_folder = editor, folder, state_folder
        self._first, self._standing = editor.session, standing
        self._about = {"title": editor.title, **(about or {})}
        self._autosave = None if state_folder is None else Autosave(state_folder, self._about)
        self.uploads = Uploads()
        self.project = project
        self.notices = notices
        """What a user should know about files, a sentence each."""
        self.saved_at: float | None = None
        """s since 1970"""
        self.recoveries: tuple[Recovery, ...] = () if state_folder is None else autosave.recoveries(state_folder)
        self.revision = 1
        """Counts what is told about files."""

    @property
    def has_folder(self) -> bool:
        """Whether files can be opened and saved."""
        return self._folder is not None

    @property
    def folder(self) -> Folder:
        """Where pages open and save files.

        Raises:
            InvalidSetting: there is none.
        """
        if self._folder is None:
            raise InvalidSetting("this studio has no folder to open or save files in")
        return self._folder

    def listing(self) -> tuple[str, ...]:
        """Files that can be opened, by name in the folder."""
        return () if self._folder is None else self._folder.listing(SUFFIXES)

    # Saving.

    def saving(self, name: str | None = None, *, overwrite: bool = False) -> Errand:
        """Save the session as a project: under a name of the folder, in its project, or first as `TITLE.posewright`."""
        if name is not None:
            path = self.folder.file(name if name.endswith(SUFFIX) else name + SUFFIX)
            same = self.project is not None and self.project.path == path
            project = self.project if same and self.project is not None else Project(path)
        else:
            project = self.project or Project(self.folder.free(self._editor.title, SUFFIX))
        return self._saving(project, self._editor.session, overwrite=overwrite)

    def _saving(self, project: Project, session: Session, *, overwrite: bool) -> Errand:
        yield project.path.name
        project.save(session, overwrite=overwrite)
        yield TURN
        self.project, self.saved_at = project, time.time()
        self._editor.save_point(session)
        if self._autosave is not None and project.held is not None:
            self._autosave.saved(session, project.path, project.held)
        self.revision += 1

    def keep(self) -> None:
        """Keep what was done in the journal."""
        if self._autosave is None or not (self._autosave.begun or self._editor.unsaved):
            return
        try:
            self._autosave.keep(self._editor.session)
        except PosewrightError as error:
            self._autosave = None
            self.notice(f"{error}; from now on only what you save yourself is safe")

    def end(self) -> None:
        """The program ends in order."""
        self.uploads.end()
        if self._autosave is not None:
            self._autosave.end(needed=self._editor.unsaved)
        if self._standing is not None:
            self._standing.end()

    def notice(self, *sentences: str) -> None:
        """Tell the user something."""
        self.notices = (*self.notices, *sentences)
        self.revision += 1

    # Exporting.

    def exporting(self, what: str, name: str | None, *, overwrite: bool = False) -> Callable[[], str]:
        """What writes an export of the session as it is now; it may run beside everything else.

        Args:
            what: one of `exports_of`.
            name: in the folder; None: a free one, after the title.
            overwrite: whether to write over a file that is there; a source of the session never is.

        Returns:
            A function that writes and gives the name.

        Raises:
            InvalidSetting: the name is taken, or leads elsewhere.
        """
        session, folder = self._editor.session, self.folder
        export = export_of(session, what)
        if name is None:
            path = folder.free(self._editor.title, export.suffix)
        else:
            path = folder.file(name if name.lower().endswith(export.suffix) else name + export.suffix)
        refuse_sources(path, session)
        if path.exists() and not overwrite:
            raise InvalidSetting(f"there is a {path.name} already; take another name, or overwrite it")

        def write() -> str:
            export.write(session, path, path.parent)
            return folder.name_of(path)

        return write

    # Opening.

    def opening(self, names: Sequence[str] = (), uploads: Sequence[str] = (), *, beside: bool = False) -> Errand:
        """Open files together, as one step of undo; a project in place of the session.

        Args:
            names: in the folder.
            uploads: files that a page brought: copies of them in the folder.
            beside: whether figures and clips are kept beside what is edited.
        """
        paths = [self.folder.file(name) for name in names]
        return self._opening(paths, self.uploads.take(uploads), self._editor.latest, beside=beside)

    def _opening(self, paths: list[Path], uploads: list[Upload], before: State, *, beside: bool) -> Errand:
        editor, folder = self._editor, self.folder
        with copied(uploads, folder) as copies:
            paths = [*paths, *copies]
            known = (*SUFFIXES, *ELSEWHERE)  # others may be pictures and numbers that these name
            kinds = {path: kind_of_file(path) for path in paths if path.suffix.lower() in known}
            if not kinds:
                kind_of_file(paths[0])  # says what can be opened
            if "project" in kinds.values():
                if len(paths) > 1:
                    raise InvalidSetting(f"a project is opened alone; {len(paths)} files were given")
                yield paths[0].name
                sources = Sources([folder.path])
                project, session = Project.opened(paths[0], sources)
                yield TURN
                self._leave()
                editor.go_on_with(session, saved=True)
                self.project, self.saved_at = project, None
                self._look_for_recoveries()
                self.notice(*sources.notices)
            else:
                adds = beside or not any(kind in BEGINNING for kind in kinds.values())
                state = yield from with_files(before, _main(kinds), to_the_side=beside, within=folder.path)
                yield TURN
                command = OpenFile(name=", ".join(path.name for path in kinds)[:200])
                editor.open(command, state, before if adds else None)
            self.revision += 1

    # Recovering.

    def recovering(self, name: str, *, saved: bool = False) -> Errand:
        """Go on with a session of a program that is gone; `saved`: all of it is in a project."""
        assert self._state_folder is not None
        yield name
        journal, notices = autosave.recovered(self._state_folder, name)
        yield TURN
        self._leave()
        self._editor.go_on_with(journal.session, saved=saved)
        self.project = None
        if isinstance(held := journal.marks.get("project"), list):
            self.project = Project(Path(held[0]))
            self.project.held = held[1]
        self.keep()
        self.discard(name)
        steps = journal.session.done
        if not saved:
            notices = (f"recovered what was not saved: {steps} step{'s' * (steps != 1)}", *notices)
        self.notice(*notices)

    def discard(self, name: str) -> None:
        """Forget a session that was not saved."""
        assert self._state_folder is not None
        autosave.discard(self._state_folder, name)
        self._look_for_recoveries()
        self.revision += 1

    def _look_for_recoveries(self) -> None:
        if self._state_folder is not None:
            self.recoveries = autosave.recoveries(self._state_folder)

    def welcome(self, tokens: Set[str]) -> tuple[str, ...]:
        """Someone comes who knows a token of a session of the same files that was killed: it goes on.

        Returns:
            All tokens of that session; none: there is no such session, or something was done here already.
        """
        if self._editor.session is not self._first:
            return ()
        for one in self.recoveries:
            same = all(one.about.get(word) == self._about.get(word) for word in ("files", "folder"))
            known = one.about.get("tokens")
            if one.crashed and same and isinstance(known, list) and not tokens.isdisjoint(known):
                self._about["tokens"] = [*self._about["tokens"], *known]  # who knows them may come after a next crash
                try:
                    done_at_once(self.recovering(one.name, saved=one.saved))
                except PosewrightError as error:
                    self.notice(f"a session that was not saved cannot be recovered: {error}")
                    return ()
                return tuple(map(str, known))
        return ()

    def _leave(self) -> None:
        """The session gives way to another."""
        if self._autosave is not None:
            self._autosave.end(needed=self._editor.unsaved)


def _main(kinds: Mapping[Path, Kind]) -> list[Path]:
    """Without skeletons that came for the sake of motions."""
    motions = [path for path in kinds if path.suffix.lower() in (".amc", ".csv")]
    skeletons = {".amc": (".asf",), ".csv": (".urdf", ".xml", ".mjcf")}
    taken = {suffix for motion in motions for suffix in skeletons[motion.suffix.lower()]}
    return [path for path in kinds if path.suffix.lower() not in taken]
