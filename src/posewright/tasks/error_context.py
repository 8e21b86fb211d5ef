"""Who is to blame for an error: the file, the line and the field."""

from __future__ import annotations

from typing import Any

from posewright.errors import FileProblem, PosewrightError
from posewright.formats.field_errors import Location, spelled
from posewright.formats.yaml_document import YamlDocument


class Blame:
    """Gives every error of the block the file, the line and the field."""

    def __init__(self, file: YamlDocument, location: Location) -> None:
        self._file, self._location = file, location

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, PosewrightError) and not isinstance(error, FileProblem):
            line = self._file.line(self._location)
            raise FileProblem(self._file.path, f"{spelled(self._location)}: {error}", line=line) from error
