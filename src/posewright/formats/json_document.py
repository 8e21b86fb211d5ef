"""Reads JSON from files that may be broken or hostile; every failure is one sentence."""

from __future__ import annotations

import json
from typing import Any

from posewright.errors import FileProblem
from posewright.formats.budget import Budget


def parse_json(budget: Budget, text: str, what: str, *, infinite: bool = False) -> Any:
    """The contents of a JSON text.

    Args:
        budget: the budget of the file.
        text: the JSON.
        what: the role of the text, as the beginning of a sentence, such as "its figure".
        infinite: whether `Infinity` is accepted, as in Python; `NaN` never is.

    Raises:
        FileProblem: it is broken, nested too deeply, or has more lists and mappings than any real file.
    """
    budget.require_items(text.count("{") + text.count("["), "lists and mappings")
    try:
        found = json.loads(text, parse_constant=_infinity if infinite else _refuse)
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise FileProblem(budget.path, f"{what} is not JSON: {error.msg.lower()}", line=error.lineno) from None
    except RecursionError:
        raise FileProblem(budget.path, f"{what} is nested too deeply") from None
    except UnicodeEncodeError:
        raise FileProblem(budget.path, f"{what} has half a character in one of its texts") from None
    except ValueError as error:
        raise FileProblem(budget.path, f"{what} is not JSON: {str(error)[:100]}") from None
    return found


def _infinity(name: str) -> float:
    return _refuse(name) if name == "NaN" else float(name)


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not a number that JSON has")
