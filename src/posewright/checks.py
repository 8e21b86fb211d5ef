"""Checks at the border: what a caller gave is refused in one sentence; code behind public entry points trusts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Real
from types import UnionType

from posewright.errors import InvalidSetting, shown


def require(value: object, kind: type | UnionType, what: str, accepted: str) -> None:
    """Refuse what is not of a kind, such as a path where a motion is wanted.

    Args:
        value: what was given.
        kind: what is wanted.
        what: the beginning of the sentence, such as "the motion".
        accepted: its end, such as "a Motion, such as pw.motion(path)".

    Raises:
        InvalidSetting: it is of another kind.
    """
    if not isinstance(value, kind):
        raise InvalidSetting(f"{what} is {shown(value)}; it must be {accepted}")


def require_list(values: object, what: str, accepted: str) -> None:
    """Refuse what cannot be gone through one by one; text can, but is never meant so.

    Raises:
        InvalidSetting: it is no list.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidSetting(f"{what} is {shown(values)}; it must be a list of {accepted}")


def require_number(value: object, what: str, accepted: str, ok: Callable[[float], bool] = lambda _: True) -> None:
    """Refuse what is no number, or not one that `ok` accepts; text is none, even if it reads like one.

    Raises:
        InvalidSetting: it is no such number.
    """
    if not (isinstance(value, Real) and ok(float(value))):
        raise InvalidSetting(f"{what} is {shown(value)}; it must be {accepted}")
