"""Commands and journals as JSON, checked when they are read. Numbers come back bit for bit."""

from __future__ import annotations

import json
from dataclasses import fields
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from posewright.errors import InvalidSetting, shown, suggestion
from posewright.studio.session.command import Command
from posewright.studio.session.commands import COMMANDS


def kind_of(command: type[Command]) -> str:
    """What messages and journals call it."""
    return str(next(field.default for field in fields(command) if field.name == "kind"))


BY_KIND: dict[str, type[Command]] = {kind_of(command): command for command in COMMANDS}


@cache
def command_reader() -> TypeAdapter[Command]:
    """What reads any command by its `kind`."""
    union: Any = reduce(or_, COMMANDS)
    return TypeAdapter(Annotated[union, Field(discriminator="kind")])


def read_command(given: object) -> Command:
    """A command from what JSON holds.

    Raises:
        InvalidSetting: it is not one; the sentence says what and where.
    """
    kind = given.get("kind") if isinstance(given, dict) else None
    if kind not in BY_KIND:
        near = suggestion(kind, BY_KIND) if isinstance(kind, str) else f"; it must be one of {', '.join(BY_KIND)}"
        raise InvalidSetting(f"the kind of a command is {shown(kind)}{near}")
    try:
        return command_reader().validate_json(json.dumps(given))
    except (ValidationError, RecursionError, ValueError) as error:
        raise InvalidSetting(f"command {kind}: {sentence(error)}") from None


def write_command(command: Command) -> dict[str, Any]:
    """A command as JSON holds it."""
    return {field.name: _plain(getattr(command, field.name)) for field in fields(command)}


def sentence(error: Exception) -> str:
    """The first thing that is wrong, and where."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"] if part not in BY_KIND)
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def _plain(value: Any) -> Any:
    if isinstance(value, Command):
        return write_command(value)
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value
