"""Turns errors of pydantic about a file into one sentence: which field, what was found, what is accepted.

If a field accepts several kinds, the kinds have tags `<like this>` (`pydantic.Tag`). Pydantic puts the tag into the
location of an error; it is removed here. `<word>` and `<other>` stand for a word or something else.
"""

from __future__ import annotations

import typing
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Tag, ValidationError
from pydantic_core import ErrorDetails

from posewright.errors import FileProblem, suggestion

Location = tuple[str | int, ...]
_PLAIN_WORDS = {"a valid tuple": "a list", "a valid dictionary": "a mapping"}


def field_problem(
    path: Path, error: ValidationError, model: type[BaseModel], *, line: int | None = None
) -> FileProblem:
    """The first error, as an error of the file."""
    return FileProblem(path, sentence(error, model), line=line)


def sentence(error: ValidationError, model: type[BaseModel]) -> str:
    """The first error: which field, what was found, what is accepted."""
    return _sentence(_first(error), model)


def first_location(error: ValidationError) -> Location:
    """Keys and indices that lead to the first invalid field."""
    return _without_tags(_first(error)["loc"])


def spelled(location: Location) -> str:
    """A place in readable form: joints[3].hinges[0].lower."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def _first(error: ValidationError) -> ErrorDetails:
    """The first error; if a field is missing and another is unknown, the unknown one, which is probably misspelled."""
    found = error.errors(include_url=False)
    first = found[0]
    if first["type"] == "missing":
        around = first["loc"][:-1]
        return next((e for e in found if e["type"] == "extra_forbidden" and e["loc"][:-1] == around), first)
    return first


def _sentence(first: ErrorDetails, model: type[BaseModel]) -> str:
    where, kind = _without_tags(first["loc"]), first["type"]
    if kind in ("extra_forbidden", "missing"):  # the last part is a field's name, even one that looks like a tag
        where = (*_without_tags(first["loc"][:-1]), first["loc"][-1])
    field, around = spelled(where), spelled(where[:-1]) or "the file"
    if kind == "extra_forbidden":
        known = _fields_at(model, first["loc"][:-1])
        return f"{around} has no field {str(where[-1])!r}{suggestion(str(where[-1]), known)}"
    if kind == "missing" and isinstance(where[-1], int):
        return f"{around} has only {where[-1]} entries; it needs more"
    if kind == "missing":
        return f"{around} lacks the field {str(where[-1])!r}"
    if kind == "union_tag_not_found":
        return f"{field} lacks the field 'kind', or is not a mapping"
    if kind == "union_tag_invalid":
        known = tuple(tag.strip("'<>") for tag in first["ctx"]["expected_tags"].split(", "))
        tag = first["ctx"]["tag"].strip("<>")
        return f"{field}.kind is {tag!r}, which is not accepted here{suggestion(tag, known, limit=20)}"
    if kind in ("too_long", "too_short"):
        least_or_most = "most" if kind == "too_long" else "least"
        bound = first["ctx"]["max_length" if kind == "too_long" else "min_length"]
        return f"{field} has {first['ctx']['actual_length']} entries; it must have at {least_or_most} {bound}"
    found = f"{field or 'the file'} is {_shown(first['input'])}"
    message = first["msg"]
    if kind == "value_error":
        return f"{found}; it {message.removeprefix('Value error, ')}"
    if message.startswith("Input should be "):
        wanted = message.removeprefix("Input should be ").partition(" or instance of ")[0]
        return f"{found}; it must be {_PLAIN_WORDS.get(wanted, wanted)}{_or_else(first, model)}"
    return f"{found}; {message[0].lower()}{message[1:]}"


def _or_else(first: ErrorDetails, model: type[BaseModel]) -> str:
    """Other accepted values, if a word is invalid and no word was required."""
    if first["type"] != "literal_error" or not first["loc"] or first["loc"][-1] != "<word>":
        return ""
    fields = _fields_at(model, (*first["loc"][:-1], "<other>"))
    return f", or a mapping of {', '.join(fields)}" if fields else ", or a list"


def _without_tags(location: Location) -> Location:
    return tuple(part for part in location if not _is_tag(part) and part != "[key]")


def _is_tag(part: str | int) -> bool:
    return isinstance(part, str) and part.startswith("<") and part.endswith(">")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple) and len(value) > 20:
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _fields_at(model: type[BaseModel], location: Location) -> tuple[str, ...]:
    current: Any = model
    for part in location:
        if _is_tag(part):
            current = _tagged(current, str(part))
        elif isinstance(part, str) and part in getattr(_inner_model(current), "model_fields", ()):
            field = _inner_model(current).model_fields[part]
            current = field.annotation if not field.metadata else typing.Annotated[(field.annotation, *field.metadata)]
    found = _inner_model(current)
    return tuple(found.model_fields) if found is not None else ()


def _tagged(annotation: Any, tag: str) -> Any:
    """The kind with this tag, somewhere inside a type."""
    inner = typing.get_args(annotation)
    if any(isinstance(part, Tag) and part.tag == tag for part in inner):
        return annotation
    return next((found for part in inner if (found := _tagged(part, tag)) is not None), None)


def _inner_model(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for inner in typing.get_args(annotation) if (found := _inner_model(inner))), None)
