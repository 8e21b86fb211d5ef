"""Checks of what a caller gave, at public entry points; inner code trusts its callers.

Every refusal is one sentence, "`what` must be `accepted`, got `value`", where `what` names the argument as a user knows
it ("the weight of 'hand'"). Names are looked up with `UnknownName`, which suggests the nearest one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Any

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.errors import InvalidSetting, MissingExtra, PosewrightError, shown, suggestion

Refusal = type[PosewrightError]


def require(value: object, kind: type | UnionType, what: str, accepted: str) -> None:
    """Refuse a value of another type; for likely slips, such as a path where a motion is expected.

    Args:
        value: what was given.
        kind: what is accepted.
        what: the subject of the sentence, such as "the motion".
        accepted: such as "a Motion, such as pw.motion(path)".

    Raises:
        InvalidSetting: it is of another kind.
    """
    if not isinstance(value, kind):
        raise InvalidSetting(must_be(what, accepted, value))


def require_list(values: object, what: str, accepted: str, kind: type | UnionType = object) -> None:
    """Refuse what is not a list of some kind (any iterable but text); `accepted` names its items, in the plural.

    Raises:
        InvalidSetting: it is no list, or one of its items is of another kind. Only a collection is looked into.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidSetting(must_be(what, f"a list of {accepted}", values))
    if kind is not object and isinstance(values, Sequence):
        for item in values:
            if not isinstance(item, kind):
                raise InvalidSetting(f"{must_be(what, f'a list of {accepted}', item)} in it")


def require_number(
    value: object,
    what: str,
    accepted: str = "",
    ok: Callable[[float], bool] | None = None,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    whole: bool = False,
    finite: bool = True,
    unit: str = "",
    refusal: Refusal = InvalidSetting,
) -> None:
    """Refuse what is not a number in a range; text is not a number, even if it reads like one.

    Args:
        value: what was given.
        what: the subject of the sentence.
        accepted: its end; default: made from the range, such as "a positive number of metres".
        ok: a further condition, stated in `accepted`.
        above: the number must be greater than this.
        at_least: the number must not be less than this.
        below: the number must be less than this.
        at_most: the number must not be greater than this.
        whole: whether it must be an integer.
        finite: whether infinity is refused; NaN always is.
        unit: in the plural, such as "metres".
        refusal: the error raised.

    Raises:
        PosewrightError: it is not such a number.
    """
    if isinstance(value, Integral if whole else Real):
        try:
            number = float(value)
        except OverflowError:  # an integer beyond all floats
            number = math.inf
        in_range = (
            (above is None or number > above)
            and (at_least is None or number >= at_least)
            and (below is None or number < below)
            and (at_most is None or number <= at_most)
        )
        if in_range and not (math.isnan(number) or (finite and math.isinf(number))) and (ok is None or ok(number)):
            return
    if not accepted:
        noun = "whole number" if whole else "number"
        accepted = _range_in_words(noun + f" of {unit}" * bool(unit), above, at_least, below, at_most, finite=finite)
    raise refusal(must_be(what, accepted, value))


def require_array(
    values: npt.ArrayLike,
    shape: tuple[int | str, ...],
    what: str,
    *,
    finite: bool = True,
) -> Array:
    """Numbers as a read-only, C-ordered float64 array of a shape; copied unless they are one already.

    Args:
        values: what was given.
        shape: a length per axis, or a word for any length, such as ("frames", 3).
        what: the subject of the sentence.
        finite: whether infinity and NaN are refused.

    Raises:
        InvalidSetting: it is not such an array.
    """
    accepted = f"an array ({', '.join(map(str, shape))}{',' * (len(shape) == 1)}) of {'finite ' * finite}numbers"
    found = read_only(values, what, accepted)
    fits = len(found.shape) == len(shape) and all(
        isinstance(wanted, str) or length == wanted for length, wanted in zip(found.shape, shape, strict=True)
    )
    if not fits:
        raise InvalidSetting(f"{what} must be {accepted}, got one of shape {found.shape}")
    if finite and not np.isfinite(found).all():
        place = tuple(np.argwhere(~np.isfinite(found))[0].tolist())
        raise InvalidSetting(f"{what} must be {accepted}, got {found[place]}{f' at {list(place)}' if place else ''}")
    return found


def require_choice(value: object, what: str, choices: Iterable[str]) -> None:
    """Refuse what is not one of a few words; the nearest one is suggested.

    Raises:
        InvalidSetting: it is another word, or no word.
    """
    words = tuple(choices)
    if value not in words:
        accepted = " or ".join((", ".join(map(repr, words[:-1])), repr(words[-1]))) if words[1:] else repr(words[0])
        near = suggestion(value, words).partition("?")[0] if isinstance(value, str) else ""
        raise InvalidSetting(must_be(what, accepted, value) + (f"{near}?" if "did you mean" in near else ""))


def read_only(values: npt.ArrayLike, what: str = "an array", accepted: str = "numbers, in rows of one length") -> Array:
    """A C-ordered float64 array that cannot be written to; copied unless it already is one.

    Raises:
        InvalidSetting: there is something else than numbers in it.
    """
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidSetting(must_be(what, accepted, values)) from None
    if given.flags.writeable or not given.flags.c_contiguous:
        given = np.array(given, dtype=np.float64, order="C")
        given.flags.writeable = False
    return given


def require_extra(module: str, what: str, package: str, extra: str) -> Any:
    """A module of an optional dependency, imported.

    Args:
        module: its name.
        what: needs it, as the beginning of a sentence.
        package: that it is in.
        extra: of Posewright that installs it.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(what, package, extra) from None


def as_path(path: str | Path) -> Path:
    """The path that a caller gave.

    Raises:
        InvalidSetting: it is no path, such as what a file holds instead of the file's name.
    """
    try:
        return Path(path)
    except TypeError:
        raise InvalidSetting(must_be("the path of a file", "text or a Path", path)) from None


def must_be(what: str, accepted: str, value: object) -> str:
    """The sentence of a refusal."""
    return f"{what} must be {accepted}, got {shown(value)}"


def _range_in_words(
    noun: str, above: float | None, at_least: float | None, below: float | None, at_most: float | None, *, finite: bool
) -> str:
    if above == 0.0 and below is None and at_most is None:
        return f"a positive {noun}"
    if at_least == 0.0 and below is None and at_most is None:
        return f"a {noun}, not negative"
    if at_least is not None and at_most is not None:
        return f"a {noun} from {at_least:g} to {at_most:g}"
    limits = (("above", above), ("at least", at_least), ("below", below), ("at most", at_most))
    stated = " and ".join(f"{word} {limit:g}" for word, limit in limits if limit is not None)
    return f"a {noun} {stated}" if stated else f"a {'finite ' * finite}{noun}"
