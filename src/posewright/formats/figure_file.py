"""Posewright's own figure file: YAML that a person can read and write, complete and exact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from posewright.errors import FileProblem, PosewrightError
from posewright.figures import Figure
from posewright.formats.atomic import replacing
from posewright.formats.field_errors import field_problem, first_location
from posewright.formats.figure_model import (
    FORMAT,
    VERSION,
    ConstraintModel,
    FigureModel,
    GroupModel,
    JointModel,
    SiteModel,
    SourceModel,
)
from posewright.formats.options import ReadOptions
from posewright.formats.yaml_document import YamlDocument, read_yaml
from posewright.motions import Motion

_HEAD = "# A Posewright figure. Angles are degrees, lengths metres, y is up; rest rotations are quaternions wxyz.\n"
_OTHER_FILES = {
    "goals": "a task, which posewright pose solves",
    "keys": "an edit, which posewright edit makes",
    "values": "a pose, which a task may start from",
}


def read(path: Path, options: ReadOptions) -> Figure:
    """The figure of a file.

    Raises:
        FileProblem: what is wrong, with the line and the field.
    """
    del options  # the file says everything itself
    file = read_yaml(path, "a figure file")
    return _figure(path, file.data, file)


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure; its meshes (`figure.skin`) have no place in this file."""
    text = yaml.dump(document(figure), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    with replacing(path) as temporary:
        temporary.write_text(_HEAD + text, encoding="utf-8")


def write(motion: Motion, path: Path) -> None:
    """Refuse: motions go elsewhere."""
    n = len(motion)
    raise FileProblem(path, f"holds a figure, not the {n} frames of a motion; write .npz, or use convert --figure-only")


def document(figure: Figure) -> dict[str, Any]:
    """A figure as plain mappings, lists and numbers."""
    turning = _turning(figure.joints)
    model = FigureModel(
        format=FORMAT,
        version=VERSION,
        name=figure.name,
        joints=tuple(JointModel.of(joint) for joint in figure.joints),
        sites=tuple(SiteModel.of(site) for site in figure.sites),
        groups=tuple(GroupModel.of_figure(group, turning) for group in figure.groups),
        constraints=tuple(ConstraintModel.of_figure(constraint, turning) for constraint in figure.constraints),
        source=None if figure.source is None else SourceModel.of(figure.source),
    )
    plain = model.model_dump(mode="python", exclude_defaults=True)
    units = {"units": model.units.model_dump()}
    listed: dict[str, Any] = _lists({"format": FORMAT, "version": VERSION, **units, **plain})
    for joint, whole in zip(listed["joints"], model.joints, strict=True):
        if whole.ball is not None:
            joint.setdefault("ball", {})  # a free ball has only defaults
    return listed


def to_json(figure: Figure) -> str:
    """The same document on one line, for motion files."""
    return json.dumps(document(figure), separators=(",", ":"), ensure_ascii=False)


def from_json(path: Path, text: str) -> Figure:
    """The figure in a motion file."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise FileProblem(path, "its figure is not JSON") from None
    return _figure(path, data, None)


def _figure(path: Path, data: Any, source: YamlDocument | None) -> Figure:
    if not isinstance(data, Mapping):
        raise FileProblem(path, f"is not a figure file: it holds {_kind(data)}, not fields such as name and joints")
    for field, what in _OTHER_FILES.items():
        if field in data and "format" not in data:
            raise FileProblem(path, f"is not a figure file: with its field {field!r} it looks like {what}")
    if data.get("format") != FORMAT:
        raise FileProblem(path, f"is not a figure file: its format is {str(data.get('format'))[:40]!r}, not {FORMAT!r}")
    if data.get("version") != VERSION:
        raise FileProblem(
            path, f"is a figure file of version {str(data.get('version'))[:20]}; version {VERSION} is read"
        )
    try:
        model = FigureModel.model_validate(data)
    except ValidationError as error:
        line = None if source is None else source.line(first_location(error))
        raise field_problem(path, error, FigureModel, line=line) from None
    try:
        joints = tuple(joint.build() for joint in model.joints)
        turning = _turning(joints)
        return Figure(
            name=model.name,
            joints=joints,
            sites=tuple(site.build() for site in model.sites),
            groups=tuple(group.build_with(turning) for group in model.groups),
            constraints=tuple(constraint.build() for constraint in model.constraints),
            source=None if model.source is None else model.source.build(),
        )
    except PosewrightError as error:
        raise FileProblem(path, str(error)) from error


def _turning(joints: Any) -> set[str]:
    """Names of the dofs that are angles."""
    return {f"{joint.name}.{label}" for joint in joints for label in joint.labels[len(joint.slides) :]}


def _kind(data: Any) -> str:
    return "nothing" if data is None else f"a {type(data).__name__}"


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lists(inner) for key, inner in value.items()}
    return [_lists(inner) for inner in value] if isinstance(value, tuple | list) else value


class _Dumper(yaml.SafeDumper):
    """Block style outside, one line for each vector, slide or hinge; no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> yaml.SequenceNode:
        flat = not any(isinstance(item, dict | list) for item in sequence)
        return super().represent_sequence(tag, sequence, flow_style=flat)

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        # `axis` marks slides and hinges, `start` capsules: they read best as rows
        row = isinstance(mapping, dict) and (not mapping or "axis" in mapping or "start" in mapping)
        return super().represent_mapping(tag, mapping, flow_style=row)
