"""Turns what pydantic found wrong with a file into one sentence: which field, what was found, what is accepted."""

from __future__ import annotations

import typing
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from posewright.errors import FileProblem, suggestion


def field_problem(
    path: Path, error: ValidationError, model: type[BaseModel], *, line: int | None = None
) -> FileProblem:
    """The first thing wrong, as an error of the file."""
    return FileProblem(path, _sentence(error, model), line=line)


def first_location(error: ValidationError) -> tuple[str | int, ...]:
    """Keys and indices that lead to the first field that is wrong."""
    return error.errors(include_url=False, include_context=False)[0]["loc"]


def _sentence(error: ValidationError, model: type[BaseModel]) -> str:
    first = error.errors(include_url=False)[0]
    where, kind = first["loc"], first["type"]
    field = spelled(where)
    if kind == "extra_forbidden":
        known = _fields_at(model, where[:-1])
        return f"{spelled(where[:-1]) or 'the file'} has no field {str(where[-1])!r}{suggestion(str(where[-1]), known)}"
    if kind == "missing" and isinstance(where[-1], int):
        return f"{spelled(where[:-1])} has only {where[-1]} entries; it needs more"
    if kind == "missing":
        return f"{spelled(where[:-1]) or 'the file'} lacks the field {str(where[-1])!r}"
    if kind in ("too_long", "too_short"):
        least_or_most = "most" if kind == "too_long" else "least"
        bound = first["ctx"]["max_length" if kind == "too_long" else "min_length"]
        return f"{field} has {first['ctx']['actual_length']} entries; it must have at {least_or_most} {bound}"
    found = f"{field or 'the file'} is {_shown(first['input'])}"
    message = first["msg"]
    if kind == "value_error":
        return f"{found}; it {message.removeprefix('Value error, ')}"
    if message.startswith("Input should be "):
        return f"{found}; it must be {message.removeprefix('Input should be ')}"
    return f"{found}; {message[0].lower()}{message[1:]}"


def spelled(location: tuple[str | int, ...]) -> str:
    """A place as people write it: joints[3].hinges[0].lower."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple) and len(value) > 20:
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _fields_at(model: type[BaseModel], location: tuple[str | int, ...]) -> tuple[str, ...]:
    current: Any = model
    for part in location:
        if isinstance(part, str) and _is_model(current) and part in current.model_fields:
            current = _inner_model(current.model_fields[part].annotation)
    return tuple(current.model_fields) if _is_model(current) else ()


def _inner_model(annotation: Any) -> Any:
    if _is_model(annotation):
        return annotation
    return next((found for inner in typing.get_args(annotation) if (found := _inner_model(inner))), None)


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)
