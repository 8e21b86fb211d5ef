"""XML files as plain elements with lines, without entities or contents of other files, safe against hostile input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from posewright.errors import FileProblem, suggestion
from posewright.figures.joint import Vector
from posewright.formats.budget import DEEPEST, LARGEST_DOCUMENT, MOST_ITEMS, Budget
from posewright.formats.text import Place, decoded, read_bytes


@dataclass(eq=False)
class Element(Place):
    """One element of a file; its text is not kept."""

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        """The children with a tag, in order."""
        return (child for child in self.children if child.tag == tag)

    def walk(self) -> Iterator[Element]:
        """This element and all below it."""
        found = [self]
        for element in found:  # grows while it is walked
            found += element.children
            yield element

    def first(self, tag: str) -> Element | None:
        """The first child with a tag; None if there is none."""
        return next(self.all(tag), None)

    def need(self, tag: str) -> Element:
        """The first child with a tag, which is required."""
        found = self.first(tag)
        if found is None:
            raise self.problem(f"{self.called} lacks a <{tag}>")
        return found

    @property
    def called(self) -> str:
        """Description for messages: `joint 'left_knee'`."""
        name = self.attributes.get("name", "")
        return f"{self.tag} {name[:60]!r}" if name else f"<{self.tag}>"

    def text(self, attribute: str) -> str:
        """A required attribute, which must not be empty."""
        value = self.attributes.get(attribute, "").strip()
        if not value:
            raise self.problem(f"{self.called} lacks the attribute {attribute!r}")
        return value

    def one_of(self, attribute: str, known: tuple[str, ...]) -> str:
        """An attribute that must be one of given words."""
        value = self.text(attribute)
        if value not in known:
            raise self.problem(f"{self.called}: {attribute} {value[:60]!r} is not supported{suggestion(value, known)}")
        return value

    def one(self, attribute: str, default: float) -> float:
        """A finite number, or the default if the attribute is absent."""
        return self._numbers(attribute, (default,))[0]

    def three(self, attribute: str, default: Vector) -> Vector:
        """Three finite numbers, or the default if the attribute is absent."""
        x, y, z = self._numbers(attribute, default)
        return x, y, z

    def _numbers(self, attribute: str, default: Sequence[float]) -> Sequence[float]:
        if attribute not in self.attributes:
            return default
        words, count = self.attributes[attribute].split(), len(default)
        if len(words) != count:
            wanted = "one number" if count == 1 else f"{count} numbers"
            shown = self.attributes[attribute][:60]
            raise self.problem(f"{self.called}: {attribute} is {shown!r}; it must be {wanted}")
        return [self.number(word, f"{self.called}: {attribute}") for word in words]


def read_xml(path: Path, begins_with: str) -> Element:
    """The root element of a file.

    Raises:
        FileProblem: no XML, or a document type, entities, or nesting and size beyond any real file.
    """
    Budget.of(path, most=LARGEST_DOCUMENT)
    return _Reader(path).read(decoded(read_bytes(path, begins_with)))


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path, self.count = path, 0
        self.open: list[Element] = []
        self.root: Element | None = None
        self.parser = expat.ParserCreate("UTF-8")  # whatever the file declares, as MuJoCo does
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse

    def read(self, text: str) -> Element:
        # A byte order mark was blanked out, and XML allows no blank before its declaration.
        try:
            self.parser.Parse(text.lstrip() if text[:3] == "   " else text, True)
        except expat.ExpatError as error:
            reason = expat.errors.messages.get(error.code, str(error))
            raise FileProblem(self.path, f"is not well-formed XML: {reason}", line=error.lineno) from None
        if self.root is None:
            raise FileProblem(self.path, "holds no XML element", line=1)
        return self.root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(self.path, self.parser.CurrentLineNumber, tag, attributes)
        self.count += 1
        if len(self.open) >= DEEPEST:
            raise element.problem(f"elements are nested more than {DEEPEST} deep")
        if self.count > MOST_ITEMS:
            raise element.problem(f"there are more than {MOST_ITEMS:,} elements")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _refuse(self, *declaration: object) -> None:
        line = self.parser.CurrentLineNumber
        raise FileProblem(self.path, "has a document type declaration (<!DOCTYPE>), which is not accepted", line=line)
