"""What a file is, by its suffix and by what it says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from posewright.errors import FileProblem, suggestion
from posewright.formats import FORMATS
from posewright.formats.budget import LARGEST_DOCUMENT
from posewright.formats.npz.archive import NpzArchive
from posewright.formats.registry import ELSEWHERE
from posewright.formats.yaml_document import read_yaml
from posewright.studio.files.project import SUFFIX

Kind = Literal["project", "body", "task", "edit", "pose", "match", "model", "postures"]
"""A body is a figure or a motion."""

SUFFIXES = (SUFFIX, *(form.suffix for form in FORMATS), ".yml")
"""Of what can be opened."""
_NPZ: dict[str, Kind] = {"posewright-motion-model": "model", "posewright-postures": "postures"}
_YAML: dict[str, Kind] = {"goals": "task", "keys": "edit", "values": "pose", "parts": "match"}
"""By a field that only this kind has."""


def kind_of_file(path: Path) -> Kind:
    """What a file is.

    Raises:
        FileProblem: of no kind that can be opened, or it cannot be read.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        found = f"suffix {path.suffix!r}" if path.suffix else "no suffix"
        way = ELSEWHERE.get(suffix)
        known = f": {way}" if way else suggestion(path.suffix, SUFFIXES, limit=20)
        raise FileProblem(path, f"cannot open a file with {found}{known}")
    if not path.is_file():
        raise FileProblem(path, "no such file")
    if suffix == SUFFIX:
        return "project"
    if suffix == ".npz":
        archive = NpzArchive(path)
        return _NPZ.get(archive.text("format"), "body") if "format" in archive else "body"
    if suffix in (".yaml", ".yml"):
        said = read_yaml(path, "a file of the studio", "goals, keys or joints", most_bytes=LARGEST_DOCUMENT).data
        return next((kind for field, kind in _YAML.items() if field in said), "body")
    return "body"
