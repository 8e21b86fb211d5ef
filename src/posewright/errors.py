"""Exceptions. Each message is one sentence: where the problem is, what was found, and what is accepted.

Each exception also derives from the matching built-in class (such as ValueError) and has its data as attributes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path

_LONGEST = 300
"""Maximum length of a message, in characters."""
_SHORT = 60
"""Maximum length, in characters, of a value that a message shows in full."""


class PosewrightError(Exception):
    """Base class of all exceptions that Posewright raises on purpose; the command line prints their message.

    A message is one line of at most 300 characters; longer text is cut, and unprintable characters are escaped.
    """

    def __init__(self, sentence: str = "") -> None:
        if not sentence.isprintable():
            sentence = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in sentence[: _LONGEST + 1])
        super().__init__(sentence if len(sentence) <= _LONGEST else f"{sentence[: _LONGEST - 1]}…")


class InvalidFigure(PosewrightError, ValueError):
    """A figure, joint, site or group is inconsistent."""


class InvalidMotion(PosewrightError, ValueError):
    """A pose or motion does not fit its figure, or cannot be used for what was asked."""


class InvalidSetting(PosewrightError, ValueError):
    """An argument has a value that is not accepted."""


class MissingExtra(PosewrightError, ImportError):
    """An optional package is not installed.

    Attributes:
        package: the missing package.
        extra: the extra of Posewright that installs it.
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"{what} needs {package}, which is not installed: pip install 'posewright[{extra}]'")


class UnknownName(PosewrightError, KeyError):
    """A name does not exist; the message suggests the nearest one that does.

    Attributes:
        kind: what was looked up, such as "site".
        name: the name given.
        known: all accepted names.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], *, where: str = "") -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(
            f"{where or 'there'}{' has' if where else ' is'} no {kind} {name!r}{suggestion(name, self.known)}"
        )

    def __str__(self) -> str:  # KeyError would print the repr
        return str(self.args[0])


class FileProblem(PosewrightError, ValueError):
    """A file cannot be read or written as requested.

    Attributes:
        path: path of the file.
        line: line number in a text file, counted from 1, or None.
    """

    def __init__(self, path: str | Path, message: str, *, line: int | None = None) -> None:
        self.path, self.line = Path(path), line
        super().__init__(f"{path}{f', line {line}' if line is not None else ''}: {message}")

    @classmethod
    def of_system(cls, path: str | Path, what: str, error: OSError) -> FileProblem:
        """The problem that an OSError reports, such as "cannot be read: permission denied"."""
        return cls(path, f"{what}: {(error.strerror or str(error)).lower()}")


class Infeasible(PosewrightError, ValueError):
    """No pose satisfies all constraints.

    Attributes:
        rows: names of the constraints that conflict.
    """

    def __init__(self, rows: tuple[str, ...]) -> None:
        self.rows = rows
        super().__init__(f"no pose keeps all constraints; these conflict: {', '.join(rows)}")


class GoalsNotReached(PosewrightError, RuntimeError):
    """Goals were missed; raised only by the `require` method of results.

    Attributes:
        errors: the error of each missed goal, by label.
    """

    def __init__(self, errors: Mapping[str, float]) -> None:
        super().__init__(f"goals were missed: {' · '.join(map(str, errors.values()))}")
        self.errors = errors


def shown(value: object) -> str:
    """A value as messages show it: its Python repr if that is short, else its type."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    text = repr(value)
    kind = type(value).__name__
    written = len(text) <= _SHORT and "\n" not in text and not text.startswith("<")
    return text if written else f"a{'n' * (kind[0] in 'AEIOUaeiou')} {kind}"


def suggestion(name: str, known: Iterable[str], *, limit: int = 12) -> str:
    """The end of a message about an unknown name: the nearest known name, then the list of known names."""
    names = tuple(known)
    if not names:
        return "; there are none"
    folded = {candidate.casefold(): candidate for candidate in names}
    near = difflib.get_close_matches(str(name).casefold(), list(folded), n=1, cutoff=0.5)
    hint = f"; did you mean {folded[near[0]]!r}?" if near else "."
    listed = ", ".join(names[:limit]) + (f", ... ({len(names)} in all)" if len(names) > limit else "")
    return f"{hint} Known: {listed}"


def counted(n: int, what: str) -> str:
    """A count with its noun: "1 frame", "2 frames"."""
    return f"{n} {what}{'s' * (n != 1)}"
