"""A job: a workflow and its settings as a value that can be sent to workers and recorded, and what workers remember."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from posewright.batch.library import Clip
from posewright.batch.rules import Rule
from posewright.errors import InvalidSetting
from posewright.formats import ReadOptions
from posewright.motions import Motion, QualityLimits

Value = TypeVar("Value")
_KEPT = 64
"""Figures and other things that a worker remembers."""


@dataclass(frozen=True)
class Outcome:
    """What became of a clip."""

    frames: int
    fps: float
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """As `check --json` prints them."""
    passed: bool = True
    """Whether all limits are kept."""
    notes: tuple[str, ...] = ()
    read: Motion | None = None
    """The clip itself, where the one who leads the run goes on with it."""


class Memory:
    """What a worker needs for many clips of one job and makes once: figures, their anatomies, targets, models."""

    def __init__(self, settings: str = "") -> None:
        """Begin for a job whose digest is `settings`: with other bytes in its files, nothing is remembered."""
        self.settings = settings
        self._known: OrderedDict[Any, Any] = OrderedDict()

    def once(self, key: Any, make: Callable[[], Value]) -> Value:
        """What was made for an equal key, or what `make` makes."""
        if key in self._known:
            self._known.move_to_end(key)
        else:
            self._known[key] = make()
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        found: Value = self._known[key]
        return found

    def shared(self, motion: Motion) -> Motion:
        """The motion on a figure that all clips of equal figures share, with what is known of it.

        It has the name and the notes of no clip: nothing may tell which clip came first.
        """
        figure, source = motion.figure, motion.figure.source
        if figure.skin is not None:
            return motion
        if source is not None:
            source = replace(source, notes=tuple(note for note in source.notes if "doubtful" in note))
        key = ("figure", figure.joints, figure.sites, figure.groups, figure.constraints, source)
        return replace(motion, figure=self.once(key, lambda: replace(figure, name="source", source=source)))


@dataclass(frozen=True, kw_only=True)
class Job(ABC):
    """A workflow and its settings."""

    kind: ClassVar[str]
    read: ReadOptions = field(default_factory=ReadOptions)
    """How clips are read."""

    @property
    def suffix(self) -> str | None:
        """Of what is written for each clip; None: nothing is."""
        return None

    @property
    def files(self) -> tuple[Path, ...]:
        """What is read for all clips: with other bytes in it, all is made again."""
        return () if self.read.skeleton is None else (self.read.skeleton,)

    def beside(self, clip: Clip) -> tuple[Path, ...]:
        """What else is read for a clip: with other bytes in it, the clip is done again."""
        return ()

    def measuring(self, rules: Sequence[Rule]) -> Self:
        """The job that also measures what rules of the selection ask for.

        Raises:
            InvalidSetting: it cannot.
        """
        return self

    @abstractmethod
    def run(self, clip: Clip, out: Path | None, seed: int, memory: Memory) -> Outcome:
        """Do it for one clip.

        Args:
            clip: the file and its name.
            out: where the result goes, in a folder that exists.
            seed: of what is random, from the clip's bytes.
            memory: what the worker knows from other clips; results do not depend on it.

        Raises:
            PosewrightError: the clip cannot be used, in one sentence.
        """

    def to_json(self) -> dict[str, Any]:
        """The settings as plain values."""
        return {"kind": self.kind, **{each.name: _plain(getattr(self, each.name)) for each in fields(self)}}

    def digest(self) -> str:
        """A hash of the settings and of the files that they name."""
        total = hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode())
        for file in self.files:
            total.update(file.read_bytes() if file.is_file() else b"")
        return total.hexdigest()

    @staticmethod
    def from_json(settings: Mapping[str, Any]) -> Job:
        """The job that `to_json` wrote."""
        made = dict(settings)
        name = made.pop("kind")
        kinds = {job.kind: job for job in _jobs(Job)}  # type: ignore[type-abstract]
        kind = kinds.get(name)
        if kind is None:
            raise InvalidSetting(f"the record is of {name!r}, which this version does not know")
        for name in ("read", "read_target", "read_source"):
            if name in made:
                given = made[name]
                skeleton = given.get("skeleton")
                made[name] = ReadOptions(**(given | {"skeleton": None if skeleton is None else Path(skeleton)}))
        if "limits" in made:
            made["limits"] = QualityLimits(**made["limits"])
        for name in ("match", "edit", "model", "against"):
            if made.get(name) is not None:
                made[name] = Path(made[name])
        if "hold" in made:
            made["hold"] = tuple(made["hold"])
        return kind(**made)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Path):
        return str(value.resolve())
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _jobs(above: type[Job]) -> Iterator[type[Job]]:
    """All kinds of jobs; the last one that has a name of its own counts."""
    for job in above.__subclasses__():
        if "kind" in vars(job):
            yield job
        yield from _jobs(job)
