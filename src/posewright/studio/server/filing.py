"""Requests about files: what each means."""

from __future__ import annotations

from functools import singledispatch

from posewright.errors import InvalidSetting
from posewright.studio import protocol
from posewright.studio.files.files import Files


@singledispatch
def file_away(request: protocol.FileRequest, files: Files) -> None:
    """Carry out a request about files. A new kind of request is one more function below."""
    raise InvalidSetting(f"a request {type(request).__name__} is not known")


@file_away.register
def _(request: protocol.Save, files: Files) -> None:
    files.save(request.name, overwrite=request.overwrite)


@file_away.register
def _(request: protocol.Open, files: Files) -> None:
    if bool(request.names) == bool(request.uploads):
        raise InvalidSetting("a request to open needs names of files or uploads, and not both")
    if request.names:
        files.open(request.names, beside=request.beside)
    else:
        files.open_uploads(request.uploads, beside=request.beside)


@file_away.register
def _(request: protocol.Recover, files: Files) -> None:
    files.recover(request.name)


@file_away.register
def _(request: protocol.Discard, files: Files) -> None:
    files.discard(request.name)
