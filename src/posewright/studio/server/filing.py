"""Requests about files: what each means. All but the last are errands, which may take long."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch

from posewright.errors import InvalidSetting
from posewright.studio import protocol
from posewright.studio.files.errand import TURN, Errand
from posewright.studio.files.files import Files


@singledispatch
def errand_of(request: protocol.FileRequest, files: Files) -> Errand:
    """What carries out a request about files. A new kind of request is one more function below."""
    raise InvalidSetting(f"a request {type(request).__name__} is not known")


@errand_of.register
def _(request: protocol.Save, files: Files) -> Errand:
    return files.saving(request.name, overwrite=request.overwrite)


@errand_of.register
def _(request: protocol.Open, files: Files) -> Errand:
    if bool(request.names) == bool(request.uploads):
        raise InvalidSetting("a request to open needs names of files or uploads, and not both")
    return files.opening(request.names, request.uploads, beside=request.beside)


@errand_of.register
def _(request: protocol.Export, files: Files) -> Errand:
    write = files.exporting(request.what, request.name, overwrite=request.overwrite)
    return _exporting(request.what, write, files)


def _exporting(what: str, write: Callable[[], str], files: Files) -> Errand:
    yield what
    name = write()
    yield TURN
    files.notice(f"wrote {name}")


@errand_of.register
def _(request: protocol.Recover, files: Files) -> Errand:
    return files.recovering(request.name)


@errand_of.register
def _(request: protocol.Discard, files: Files) -> Errand:
    return _discarding(request.name, files)


def _discarding(name: str, files: Files) -> Errand:
    yield TURN
    files.discard(name)
