"""What is open beside what is edited: figures and motions, by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from posewright.errors import UnknownName
from posewright.figures import Figure
from posewright.motions import Motion
from posewright.studio.session.names import free_name


@dataclass(frozen=True, eq=False)
class Item:
    """A figure or a motion."""

    name: str
    """As shown; no two items have the same."""
    content: Figure | Motion

    @property
    def motion(self) -> Motion | None:
        """None: it is a figure alone."""
        return self.content if isinstance(self.content, Motion) and len(self.content) else None

    @property
    def is_body(self) -> bool:
        """Whether it is a body to be animated rather than a motion: it rests, or has a mesh."""
        return self.motion is None or self.motion.figure.skin is not None

    @cached_property
    def figure(self) -> Figure:
        """Resting as it stands."""
        return self.content if isinstance(self.content, Figure) else self.content.with_standing_rest().figure


@dataclass(frozen=True, eq=False)
class Library:
    """Items, in the order they were opened. A change is a new library."""

    items: tuple[Item, ...] = ()

    def __getitem__(self, name: str) -> Item:
        """The item of that name.

        Raises:
            UnknownName: there is none.
        """
        for item in self.items:
            if item.name == name:
                return item
        raise UnknownName("open figure or clip", name, [item.name for item in self.items])

    def with_item(self, name: str, content: Figure | Motion) -> Library:
        """One item more; its name is numbered where that is taken."""
        taken = [item.name for item in self.items]
        return replace(self, items=(*self.items, Item(free_name(name, taken), content)))

    @classmethod
    def of(cls, contents: Iterable[tuple[str, Figure | Motion]]) -> Library:
        """Of names and contents."""
        found = cls()
        for name, content in contents:
            found = found.with_item(name, content)
        return found


NOTHING_ELSE = Library()
"""No items."""
