"""A job: a workflow with its settings, which can be sent to workers and recorded; and the memory of workers."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from posewright.batch.library import LibraryClip
from posewright.batch.rules import Rule
from posewright.errors import InvalidSetting
from posewright.formats import ReadOptions
from posewright.motions import Motion, QualityLimits

Value = TypeVar("Value")
_KEPT = 64
"""Maximum number of figures and other values that a worker remembers."""


@dataclass(frozen=True)
class ClipOutcome:
    """The result of processing one clip."""

    frames: int
    fps: float
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Measures as printed by `check --json`."""
    passed: bool = True
    """Whether all limits are met."""
    notes: tuple[str, ...] = ()
    read: Motion | None = None
    """The clip itself, if the main process continues with it."""


class WorkerMemory:
    """What a worker computes once for many clips of one job: figures, their anatomies, targets, models."""

    def __init__(self, settings: str = "") -> None:
        """Begin for a job whose digest is `settings`; if its files have changed, nothing is remembered."""
        self.settings = settings
        self._known: OrderedDict[Any, Any] = OrderedDict()

    def once(self, key: Any, make: Callable[[], Value]) -> Value:
        """The value remembered for an equal key, or a new one from `make`."""
        if key in self._known:
            self._known.move_to_end(key)
        else:
            self._known[key] = make()
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        found: Value = self._known[key]
        return found

    def shared(self, motion: Motion) -> Motion:
        """The motion on a figure shared by all clips with equal figures, with everything computed for it.

        The shared figure has no name and notes of a clip, so results do not depend on which clip came first.
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
    """A workflow with its settings."""

    kind: ClassVar[str]
    read: ReadOptions = field(default_factory=ReadOptions)
    """Options for reading clips."""

    @property
    def suffix(self) -> str | None:
        """Suffix of the files written for each clip; None if nothing is written."""
        return None

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that are read for all clips; if one changes, everything is made again."""
        return () if self.read.skeleton is None else (self.read.skeleton,)

    def beside(self, clip: LibraryClip) -> tuple[Path, ...]:
        """Further files that are read for a clip; if one changes, the clip is processed again."""
        return ()

    def measuring(self, rules: Sequence[Rule]) -> Self:
        """The job with the measures needed by the rules of the selection.

        Raises:
            InvalidSetting: the job cannot take them.
        """
        return self

    @abstractmethod
    def run(self, clip: LibraryClip, out: Path | None, seed: int, memory: WorkerMemory) -> ClipOutcome:
        """Process one clip.

        Args:
            clip: the file and its name.
            out: path of the result, in an existing folder.
            seed: random seed, from the clip's bytes.
            memory: what the worker remembers from other clips; results do not depend on it.

        Raises:
            PosewrightError: the clip cannot be used; says why in one sentence.
        """

    def to_json(self) -> dict[str, Any]:
        """The settings as plain values."""
        return {"kind": self.kind, **{each.name: _plain(getattr(self, each.name)) for each in fields(self)}}

    def digest(self) -> str:
        """A hash of the settings and of the files named in them."""
        total = hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode())
        for file in self.files:
            total.update(file.read_bytes() if file.is_file() else b"")
        return total.hexdigest()

    @staticmethod
    def from_json(settings: Mapping[str, Any]) -> Job:
        """The job written by `to_json`."""
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
    """All kinds of jobs; if two have the same name, the last one counts."""
    for job in above.__subclasses__():
        if "kind" in vars(job):
            yield job
        yield from _jobs(job)
