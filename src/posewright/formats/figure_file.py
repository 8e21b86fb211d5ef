"""Posewright's own figure file: YAML that a person can read and write, complete and exact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from posewright.errors import FileProblem, PosewrightError
from posewright.figure import Figure
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
from posewright.motion import Motion

_DEEPEST = 40
_HEAD = "# A Posewright figure. Angles are degrees, lengths metres, y is up; rest rotations are quaternions wxyz.\n"
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read(path: Path, options: ReadOptions) -> Figure:
    """The figure of a file.

    Raises:
        FileProblem: what is wrong, with the line and the field.
    """
    del options  # the file says everything itself
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(path, f"is not a figure file: byte {error.start} is not UTF-8 text") from None
    node, data = _parsed(path, text)
    return _figure(path, data, node)


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure; its meshes (`figure.skin`) have no place in this file."""
    text = yaml.dump(document(figure), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    with replacing(path) as temporary:
        temporary.write_text(_HEAD + text, encoding="utf-8")


def write(motion: Motion, path: Path) -> None:
    """Refuse: motions go elsewhere."""
    raise FileProblem(path, f"holds a figure, not the {len(motion)} frames of a motion; write those as .npz")


def document(figure: Figure) -> dict[str, Any]:
    """A figure as plain mappings, lists and numbers."""
    turning = _turning(figure.joints)
    model = FigureModel(
        format=FORMAT,
        version=VERSION,
        name=figure.name,
        joints=tuple(JointModel.of(joint) for joint in figure.joints),
        sites=tuple(SiteModel.of(site) for site in figure.sites),
        groups=tuple(GroupModel.of(group, turning) for group in figure.groups),
        constraints=tuple(ConstraintModel.of(constraint, turning) for constraint in figure.constraints),
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


def _figure(path: Path, data: Any, node: yaml.Node | None) -> Figure:
    if not isinstance(data, Mapping):
        raise FileProblem(path, f"is not a figure file: it holds {_kind(data)}, not fields such as name and joints")
    if data.get("format") != FORMAT:
        raise FileProblem(path, f"is not a figure file: its format is {str(data.get('format'))[:40]!r}, not {FORMAT!r}")
    if data.get("version") != VERSION:
        raise FileProblem(
            path, f"is a figure file of version {str(data.get('version'))[:20]}; version {VERSION} is read"
        )
    try:
        model = FigureModel.model_validate(data)
    except ValidationError as error:
        raise field_problem(path, error, FigureModel, line=_line(node, first_location(error))) from None
    try:
        joints = tuple(joint.build() for joint in model.joints)
        turning = _turning(joints)
        return Figure(
            name=model.name,
            joints=joints,
            sites=tuple(site.build() for site in model.sites),
            groups=tuple(group.build(turning) for group in model.groups),
            constraints=tuple(constraint.build() for constraint in model.constraints),
            source=None if model.source is None else model.source.build(),
        )
    except PosewrightError as error:
        raise FileProblem(path, str(error)) from error


def _turning(joints: Any) -> set[str]:
    """Names of the dofs that are angles."""
    return {f"{joint.name}.{label}" for joint in joints for label in joint.labels[len(joint.slides) :]}


def _parsed(path: Path, text: str) -> tuple[yaml.Node | None, Any]:
    try:
        _check_events(path, text)
        loader = _Loader(text)
        try:
            node: yaml.Node | None = loader.get_single_node()
            if node is not None:
                _check_keys(path, node)
            return node, None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except FileProblem:
        raise  # it is a ValueError, too
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = error.problem or error.context or "it cannot be parsed"
        raise FileProblem(path, f"is not YAML: {what}", line=None if mark is None else mark.line + 1) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FileProblem(path, f"is not YAML: {str(error).splitlines()[0][:100]}") from None


def _check_events(path: Path, text: str) -> None:
    """Refuse what would cost more than the file's size to load: aliases and bottomless nesting."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            raise FileProblem(path, "uses a YAML alias; write the value out", line=_event_line(event))
        if depth > _DEEPEST:
            raise FileProblem(path, "is nested too deeply for a figure file", line=_event_line(event))


def _event_line(event: yaml.Event) -> int | None:
    return None if event.start_mark is None else int(event.start_mark.line) + 1


def _check_keys(path: Path, node: yaml.Node) -> None:
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen if isinstance(key, yaml.ScalarNode) else True:
                found = f"the field {key.value[:40]!r} twice" if isinstance(key, yaml.ScalarNode) else "a list as a key"
                raise FileProblem(path, f"has {found} in one place", line=key.start_mark.line + 1)
            seen.add(key.value)
            _check_keys(path, value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check_keys(path, item)


def _line(node: yaml.Node | None, location: tuple[str | int, ...]) -> int | None:
    """The line of a field, or of the nearest thing around it that exists."""
    for part in location:
        below: yaml.Node | None = None
        if isinstance(node, yaml.MappingNode):
            below = next((value for key, value in node.value if key.value == part), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            below = node.value[part]
        if below is None:
            break
        node = below
    return None if node is None else int(node.start_mark.line) + 1


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
