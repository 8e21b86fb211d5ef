"""YAML files written by people: read once, with the line of every field, and protected against hostile content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from posewright.errors import FileProblem
from posewright.formats.budget import LARGEST_NOTE, Budget
from posewright.formats.field_errors import field_problem, first_location

Model = TypeVar("Model", bound=BaseModel)

_DEEPEST = 40
_LONGEST_WORD = 10_000  # an unquoted word may be a number, and parsing takes time quadratic in its length
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, eq=False)
class YamlDocument:
    """The contents of a file, with lines."""

    path: Path
    data: dict[str, Any]
    """Plain mappings, lists, texts and numbers."""
    node: yaml.Node

    def line(self, location: tuple[str | int, ...]) -> int:
        """The line (from 1) of a field, or of the nearest existing element around it."""
        node: yaml.Node = self.node
        for part in location:
            below: yaml.Node | None = None
            if isinstance(node, yaml.MappingNode):
                below = next((value for key, value in node.value if key.value == part), None)
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                below = node.value[part]
            if below is None:
                break
            node = below
        return int(node.start_mark.line) + 1

    def validated(self, model: type[Model], context: Mapping[str, Any], *, partly: bool = False) -> Model:
        """The contents as a pydantic model; `partly`: only the fields that the model has.

        Raises:
            FileProblem: the file is invalid; the message has line and field of the first error.
        """
        known = model.model_fields if partly else self.data
        try:
            return model.model_validate({k: v for k, v in self.data.items() if k in known}, context=dict(context))
        except ValidationError as error:
            raise field_problem(self.path, error, model, line=self.line(first_location(error))) from None


def read_yaml(path: Path, what: str, fields: str, *, most_bytes: int = LARGEST_NOTE) -> YamlDocument:
    """Read a file; `what` is the expected kind, such as "a task file", and `fields` are some of its fields.

    Raises:
        FileProblem: the file is missing, too large, not UTF-8, not YAML or not a mapping, or has aliases, repeated keys
            or extremely deep nesting.
    """
    try:
        budget = Budget.of(path, most=most_bytes)
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(path, f"is not {what}: byte {error.start} is not UTF-8 text") from None
    except FileNotFoundError:
        raise FileProblem(path, "no such file") from None
    except OSError as error:
        raise FileProblem.of_system(path, "cannot be read", error) from error
    return _parsed(budget, text, what, fields)


def _parsed(budget: Budget, text: str, what: str, fields: str) -> YamlDocument:
    path = budget.path
    try:
        _check_events(budget, text, what)
        loader = _Loader(text)
        try:
            node: yaml.Node | None = loader.get_single_node()
            if node is not None:
                _check_keys(path, node)
            data = None if node is None else loader.construct_document(node)
            if node is None or not isinstance(data, dict):
                held = "nothing" if data is None else f"a {type(data).__name__}"
                raise FileProblem(path, f"is not {what}: it holds {held}, not fields such as {fields}")
            return YamlDocument(path, data, node)
        finally:
            loader.dispose()
    except FileProblem:
        raise  # it is a ValueError, too
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "it cannot be parsed"
        raise FileProblem(path, f"is not YAML: {problem}", line=None if mark is None else mark.line + 1) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # such as a date that does not exist
        raise FileProblem(path, f"is not YAML: {str(error).splitlines()[0][:100]}") from None


def _check_events(budget: Budget, text: str, what: str) -> None:
    """Refuse what would be far too expensive to load for its size: aliases, tags, deep nesting, too many values."""
    path, depth = budget.path, 0
    for count, event in enumerate(yaml.parse(text, Loader=_Loader)):
        budget.require_items(count, "values")
        if (tag := getattr(event, "tag", None)) is not None:
            problem = f"uses the YAML tag {tag[:40]!r}; write the value without one"
            raise FileProblem(path, problem, line=_event_line(event))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            raise FileProblem(path, "uses a YAML alias; write the value out", line=_event_line(event))
        elif isinstance(event, yaml.ScalarEvent) and not event.style and len(event.value) > _LONGEST_WORD:
            problem = f"has {event.value[:20]!r}... of {len(event.value):,} letters; without quotes"
            raise FileProblem(path, f"{problem} at most {_LONGEST_WORD:,} are read", line=_event_line(event))
        if depth > _DEEPEST:
            raise FileProblem(path, f"is nested too deeply for {what}", line=_event_line(event))


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
