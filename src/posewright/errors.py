"""Exceptions. Each message is one sentence that says where, what was found and what is accepted.

Each error is also the built-in kind a Python programmer would expect, and has its data as attributes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path

_LONGEST = 300
"""Letters of a sentence."""
_SHORT = 60
"""Letters of a value that a sentence shows as they are."""


class PosewrightError(Exception):
    """Base class of all exceptions that Posewright raises on purpose; the command line prints their sentence.

    A sentence has at most 300 letters and one line: what files and callers put into it may be of any length, and hold
    any character.
    """

    def __init__(self, sentence: str = "") -> None:
        if not sentence.isprintable():
            sentence = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in sentence[: _LONGEST + 1])
        super().__init__(sentence if len(sentence) <= _LONGEST else f"{sentence[: _LONGEST - 1]}…")


class InvalidFigure(PosewrightError, ValueError):
    """A figure, joint, site or group that contradicts itself."""


class InvalidMotion(PosewrightError, ValueError):
    """A pose or motion whose numbers do not fit its figure."""


class InvalidSetting(PosewrightError, ValueError):
    """An argument outside what is accepted."""


class MissingExtra(PosewrightError, ImportError):
    """Something that needs a package which a plain installation leaves out.

    Attributes:
        package: what is missing.
        extra: the extra of Posewright that brings it.
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"{what} needs {package}, which is not installed: pip install 'posewright[{extra}]'")


class UnknownName(PosewrightError, KeyError):
    """A name that does not exist, with the nearest one that does.

    Attributes:
        kind: what was looked for, such as "site".
        name: the name given.
        known: every name that would have been accepted.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], *, where: str = "") -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(
            f"{where or 'there'}{' has' if where else ' is'} no {kind} {name!r}{suggestion(name, self.known)}"
        )

    def __str__(self) -> str:  # KeyError would print the repr
        return str(self.args[0])


class FileProblem(PosewrightError, ValueError):
    """A file that cannot be read or written as asked.

    Attributes:
        path: the file.
        line: 1-based line of a text file, or None.
    """

    def __init__(self, path: str | Path, message: str, *, line: int | None = None) -> None:
        self.path, self.line = Path(path), line
        super().__init__(f"{path}{f', line {line}' if line is not None else ''}: {message}")

    @classmethod
    def of_system(cls, path: str | Path, what: str, error: OSError) -> FileProblem:
        """What the operating system refused, such as "cannot be read: permission denied"."""
        return cls(path, f"{what}: {(error.strerror or str(error)).lower()}")


class Infeasible(PosewrightError, ValueError):
    """No pose keeps all constraints.

    Attributes:
        rows: the names of constraints that cannot hold together.
    """

    def __init__(self, rows: tuple[str, ...]) -> None:
        self.rows = rows
        super().__init__(f"no pose keeps all constraints; these conflict: {', '.join(rows)}")


class GoalsNotReached(PosewrightError, RuntimeError):
    """Raised by `Result.require` only.

    Attributes:
        errors: of each missed goal, by label.
    """

    def __init__(self, errors: Mapping[str, float]) -> None:
        super().__init__(f"goals were missed: {' · '.join(map(str, errors.values()))}")
        self.errors = errors


def shown(value: object) -> str:
    """A value as a sentence shows it: as it is written in Python if that is short, else what it is."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    text = repr(value)
    kind = type(value).__name__
    written = len(text) <= _SHORT and "\n" not in text and not text.startswith("<")
    return text if written else f"a{'n' * (kind[0] in 'AEIOUaeiou')} {kind}"


def suggestion(name: str, known: Iterable[str], *, limit: int = 12) -> str:
    """The end of a sentence about an unknown name: the nearest known one, then what exists."""
    names = tuple(known)
    if not names:
        return "; there are none"
    folded = {candidate.casefold(): candidate for candidate in names}
    near = difflib.get_close_matches(str(name).casefold(), list(folded), n=1, cutoff=0.5)
    hint = f"; did you mean {folded[near[0]]!r}?" if near else "."
    listed = ", ".join(names[:limit]) + (f", ... ({len(names)} in all)" if len(names) > limit else "")
    return f"{hint} Known: {listed}"


def counted(n: int, what: str) -> str:
    """A number of things: "1 frame", "2 frames"."""
    return f"{n} {what}{'s' * (n != 1)}"
