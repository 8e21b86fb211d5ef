"""Files: saved, opened, exported, recovered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from posewright.studio.protocol.request import Request

FileName = Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True, kw_only=True)
class FileRequest(Request):
    """One about files."""

    kind: str


@dataclass(frozen=True, kw_only=True)
class Save(FileRequest):
    """Save the session as a project."""

    kind: Literal["save"] = "save"
    name: FileName | None = None
    """In the folder; None: in the project it has, or first under its title."""
    overwrite: bool = False
    """Whether to write over what somebody else has written."""


@dataclass(frozen=True, kw_only=True)
class Open(FileRequest):
    """Open files together: those of the folder by name, or those that the page has brought by `POST /upload`."""

    kind: Literal["open"] = "open"
    names: Annotated[tuple[FileName, ...], Field(max_length=64)] = ()
    uploads: Annotated[tuple[FileName, ...], Field(max_length=64)] = ()
    """As the answers to the uploads called them."""
    beside: bool = False
    """Whether figures and clips are kept beside what is edited."""


@dataclass(frozen=True, kw_only=True)
class Export(FileRequest):
    """Write the session into the folder as something else; answered when it is written, beside the line of requests."""

    kind: Literal["export"] = "export"
    what: FileName
    """One of the exports that pages are told: `pose.bvh`."""
    name: FileName | None = None
    """In the folder; None: a free one, after the title."""
    overwrite: bool = False
    """Whether to write over a file that is there."""


@dataclass(frozen=True, kw_only=True)
class Recover(FileRequest):
    """Go on with a session that was not saved."""

    kind: Literal["recover"] = "recover"
    name: FileName


@dataclass(frozen=True, kw_only=True)
class Discard(FileRequest):
    """Forget a session that was not saved."""

    kind: Literal["discard"] = "discard"
    name: FileName


@dataclass(frozen=True, kw_only=True)
class StopJob(Request):
    """Stop what is done with files: what is read is forgotten, what is written does not take its place."""

    kind: Literal["stop_job"] = "stop_job"
    number: int


@dataclass(frozen=True, kw_only=True)
class JobInfo:
    """Something that is done with files, beside the line of requests."""

    number: int
    doing: str
    """What is done: opening, saving, exporting, recovering."""
    step: str
    """The file that is read or written now; empty: it waits."""


@dataclass(frozen=True, kw_only=True)
class Jobs:
    """What is done with files; sent when it takes long, and when it has ended."""

    kind: Literal["jobs"] = "jobs"
    jobs: tuple[JobInfo, ...]


@dataclass(frozen=True, kw_only=True)
class ExportInfo:
    """Something that the session can be exported as."""

    name: str
    """`pose.bvh`"""
    title: str
    suffix: str
    """Of the file; empty: it is a folder."""


@dataclass(frozen=True, kw_only=True)
class RecoveryInfo:
    """A session that was not saved."""

    name: str
    title: str
    when: float
    """s since 1970"""
    crashed: bool
    """Whether its program was killed."""


@dataclass(frozen=True, kw_only=True)
class Files:
    """Folder and files; sent after the document, and again when they change."""

    kind: Literal["files"] = "files"
    folder: str | None
    project: str | None
    """The file that the session is saved in; None: none yet."""
    saved_at: float | None
    """s since 1970"""
    names: tuple[str, ...]
    """Of the folder that can be opened."""
    suffixes: tuple[str, ...]
    """Of files that can be opened."""
    notices: tuple[str, ...]
    """What a user should know about files, a sentence each."""
    recoveries: tuple[RecoveryInfo, ...]
    exports: tuple[ExportInfo, ...]
