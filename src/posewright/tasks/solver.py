"""The solver of a task: a name, and settings that differ from the defaults."""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, ValidationError

from posewright.errors import InvalidSetting, UnknownName, suggestion
from posewright.solvers.registry import RENAMED_SETTINGS, SOLVERS, solver_name
from posewright.solvers.solver import Solver
from posewright.tasks.fields import FileMapping


def _scalar(value: Any) -> Any:
    if not isinstance(value, bool | int | float | str):
        raise ValueError("must be a number, a word, true or false")
    return value


Setting = Annotated[Any, AfterValidator(_scalar)]


def renamed_settings(settings: Mapping[str, Setting]) -> tuple[dict[str, Setting], tuple[str, ...]]:
    """Settings under their current names, with a note for each old name in the file."""
    current = {RENAMED_SETTINGS.get(name, name): value for name, value in settings.items()}
    old = [name for name in settings if name in RENAMED_SETTINGS]
    return current, tuple(f"the solver's setting {name} is now called {RENAMED_SETTINGS[name]}" for name in old)


def build_solver(name: str, settings: Mapping[str, Setting] | None = None) -> Solver:
    """A solver with some settings changed.

    Raises:
        UnknownName: there is no such solver or setting.
        InvalidSetting: the setting does not accept the value.
    """
    name = solver_name(name)
    kind = SOLVERS[name]
    hints = typing.get_type_hints(kind)
    every = list(inspect.signature(kind).parameters)
    known = [setting for setting in every if _is_plain(hints[setting])]
    checked: dict[str, Any] = {}
    for setting, value in (settings or {}).items():
        if setting in every and setting not in known:
            raise InvalidSetting(f"{setting} of solver {name} can only be set in Python. Known: {', '.join(known)}")
        if setting not in known:
            raise UnknownName("setting", setting, known, where=f"solver {name}")
        try:
            checked[setting] = TypeAdapter(hints[setting]).validate_python(value, strict=isinstance(value, bool))
        except ValidationError as error:
            message = error.errors()[0]["msg"].removeprefix("Input should be ")
            raise InvalidSetting(f"{setting} of solver {name} is {value!r}; it must be {message}") from None
        if isinstance(value, float | int) and not (math.isfinite(value) and value >= 0):
            raise InvalidSetting(f"{setting} of solver {name} is {value}; it must be finite and not negative")
    return kind(**checked)


def _is_plain(hint: Any) -> bool:
    """Whether a setting is a number (or automatic), a word or a truth value, which files can express."""
    return hint in (int, int | None, float, bool, str) or typing.get_origin(hint) is typing.Literal


def _known_solver(name: str) -> str:
    try:
        return solver_name(name)
    except UnknownName:
        raise ValueError(f"must be a solver{suggestion(name, SOLVERS)}") from None


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


class SolverModel(FileMapping):
    """A solver with the settings of its class."""

    name: Annotated[str, AfterValidator(_known_solver)] = next(iter(SOLVERS))
    settings: dict[str, Setting] = Field(default_factory=dict)


SolverField = Annotated[SolverModel, BeforeValidator(_named)]
"""A name, or a mapping of a name and settings."""
