"""The workflows that run over libraries; their fields are the options of the single commands."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from posewright.batch.job import ClipOutcome, Job, WorkerMemory
from posewright.batch.library import LibraryClip
from posewright.batch.rules import Rule, measures_for
from posewright.errors import FileProblem, InvalidSetting, suggestion
from posewright.figures import Figure
from posewright.figures.catalogue import CATALOGUE
from posewright.formats import ReadOptions, load_motion, save
from posewright.formats.assumptions import doubts
from posewright.formats.layouts import suffix_of
from posewright.formats.registry import FORMATS
from posewright.motions import Motion, QualityLimits
from posewright.motions.frame_ranges import frame_range, frames_of, rows_of
from posewright.motions.quality import Verdict, as_dict

if TYPE_CHECKING:
    from posewright.matching import JointMatch

_NO_LIMITS = QualityLimits(**dict.fromkeys(each.name for each in fields(QualityLimits)))
_MEASURES = ("none", "motion", "all")


def _judged(verdicts: tuple[Verdict, ...]) -> dict[str, Any]:
    return {"measures": as_dict(verdicts), "passed": not any(v.passed is False for v in verdicts)}


def measured_alone(motion: Motion, measures: str) -> dict[str, Any]:
    """The measures "none", "motion" or "all" of a clip, without limits."""
    if measures == "none":
        return {}
    quality = motion.with_standing_rest().quality(body=measures == "all")
    return _judged(quality.check(_NO_LIMITS))


@dataclass(frozen=True, kw_only=True)
class Writes(Job):
    """A job that writes a motion for each clip."""

    format: str | None = None
    """Suffix of the files (default: npz, or that of the layout)."""
    layout: str | None = None
    resample: float | None = None
    """Frames per second of the files (default: those of the clip)."""
    measures: str = "none"
    """Which measures to take: "none", "motion", or "all", which adds self-contact and balance and takes longer."""

    def __post_init__(self) -> None:
        if self.measures not in _MEASURES:
            raise InvalidSetting(f"--measures is {self.measures!r}; it must be motion, all or none")

    def measuring(self, rules: Sequence[Rule]) -> Self:
        """The job with the measures needed by the rules."""
        return replace(self, measures=measures_for(rules, self.measures))

    @property
    def suffix(self) -> str:
        """Suffix of the files written."""
        given = None if self.format is None else f".{self.format.lstrip('.').lower()}"
        if self.layout is not None:
            suffix = suffix_of(self.layout)
            if given not in (None, suffix):
                raise InvalidSetting(f"--format {self.format} is not that of layout {self.layout!r}; leave it out")
            return suffix
        known = [each.suffix for each in FORMATS if each.writes and each.suffix != ".yaml"]
        if given is not None and given not in known:
            names = [suffix[1:] for suffix in known]
            raise InvalidSetting(f"--format is {self.format!r}{suggestion(given[1:], names)}")
        return given or ".npz"

    def write(self, motion: Motion, out: Path | None) -> Motion:
        """Write a motion at the requested rate, and return it."""
        assert out is not None
        if self.resample is not None:
            motion = motion.resampled(fps=self.resample)
        save(motion, out, layout=self.layout, fps=self.resample if self.layout is not None else None)
        return motion


@dataclass(frozen=True, kw_only=True)
class Convert(Writes):
    """Converts clips to another format or layout; fields are the options of `posewright convert`."""

    kind: ClassVar[str] = "convert"
    frames: str | None = None

    def run(self, clip: LibraryClip, out: Path | None, seed: int, memory: WorkerMemory) -> ClipOutcome:
        """Read and write."""
        motion = self.write(frames_of(load_motion(clip.path, self.read), self.frames, clip.path), out)
        return ClipOutcome(len(motion), motion.fps, notes=_notes(motion), **measured_alone(motion, self.measures))

    def measuring(self, rules: Sequence[Rule]) -> Self:
        """The job with the measures needed by the rules."""
        return replace(self, measures=measures_for(rules, self.measures, beside="a clip that is converted has none"))


@dataclass(frozen=True, kw_only=True)
class Retarget(Writes):
    """Retargets clips to another figure; fields are the options of `posewright retarget`."""

    kind: ClassVar[str] = "retarget"
    to: str
    match: Path | None = None
    contacts: bool = True
    smooth: float = 1.25
    keep_hands: bool | None = None
    hold: tuple[str, ...] = ()
    velocity_limits: str | None = None
    free_translations: bool = False
    solver: str | None = None
    floor: float | None = None
    scale: float | None = None
    frames: str | None = None
    read_target: ReadOptions = field(default_factory=ReadOptions)
    limits: QualityLimits = field(default_factory=QualityLimits)
    measures: str = "motion"

    @property
    def files(self) -> tuple[Path, ...]:
        """Includes the target and the match file."""
        given = [self.match, None if self.to in CATALOGUE else Path(self.to)]
        return (*super().files, *(path for path in given if path is not None))

    def run(self, clip: LibraryClip, out: Path | None, seed: int, memory: WorkerMemory) -> ClipOutcome:
        """Read, retarget, write and measure."""
        from posewright.workflows.retargeting.hands import held_object
        from posewright.workflows.retargeting.retarget import retarget
        from posewright.workflows.retargeting.words import named_solver, stated_speeds

        whole = load_motion(clip.path, self.read)
        source = memory.shared(frames_of(whole, self.frames, clip.path))
        used = rows_of(whole, self.frames)
        target, known = self._target(source, memory)
        solver = named_solver(self.solver)
        if solver is not None and hasattr(solver, "seed"):
            solver = replace(solver, seed=seed)  # type: ignore[type-var]
        made = retarget(
            source,
            target,
            known,
            contacts=self.contacts,
            smooth=self.smooth,
            keep_hands=self.keep_hands,
            objects=[held_object(text, source, used) for text in self.hold],
            velocity_limits=stated_speeds(self.velocity_limits, target),
            free_translations=self.free_translations,
            solver=solver,
            floor=self.floor,
            scale=self.scale,
        )
        motion = self.write(made.motion, out)
        if self.measures == "none":
            return ClipOutcome(len(motion), motion.fps, notes=(*_notes(whole), *made.remarks))
        judged = _judged(made.quality(body=self.measures == "all").check(self.limits))
        return ClipOutcome(len(motion), motion.fps, notes=(*_notes(whole), *made.warnings), **judged)

    def _target(self, source: Motion, memory: WorkerMemory) -> tuple[Figure, JointMatch | None]:
        """The target in its standing pose, and its match with the source if one was given."""
        from posewright.matching import JointMatch
        from posewright.workflows.retargeting.words import named_target

        loaded = memory.once(("target", self.to, self.read_target), lambda: named_target(self.to, self.read_target))
        figure = loaded if isinstance(loaded, Figure) else loaded.figure
        known: JointMatch | None = None
        if (match := self.match) is not None:
            between = ("match", source.figure, figure.name)
            known = memory.once(between, lambda: JointMatch.load(match, source.figure, figure))
        if isinstance(loaded, Figure):
            return figure, known
        if known is not None:
            return loaded.with_standing_rest(known.target).figure, known
        standing = ("standing", self.to, self.read_target)
        return memory.once(standing, lambda: loaded.with_standing_rest().figure), None


@dataclass(frozen=True, kw_only=True)
class Check(Job):
    """Measures clips; only the record is written. Fields are the options of `posewright check`."""

    kind: ClassVar[str] = "check"
    against: Path | None = None
    """A folder of sources with the same tree: each clip is compared with the file of the same name."""
    match: Path | None = None
    frames: str | None = None
    floor: float | None = None
    read_source: ReadOptions = field(default_factory=ReadOptions)
    limits: QualityLimits = field(default_factory=QualityLimits)

    @property
    def files(self) -> tuple[Path, ...]:
        """Includes the match file."""
        return (*super().files, *(() if self.match is None else (self.match,)))

    def measuring(self, rules: Sequence[Rule]) -> Self:
        """The job itself, which takes all measures."""
        measures_for(rules, "all", beside=None if self.against is not None else "give --against")
        return self

    def beside(self, clip: LibraryClip) -> tuple[Path, ...]:
        """The source, if there is one."""
        if self.against is None:
            return ()
        place = self.against / clip.name
        found = [file for file in place.parent.glob(f"{glob.escape(place.name)}.*") if file.is_file()]
        motions = [form.suffix for form in FORMATS if "fps" in form.options]
        return tuple(sorted(file for file in found if file.suffix.lower() in motions))

    def run(self, clip: LibraryClip, out: Path | None, seed: int, memory: WorkerMemory) -> ClipOutcome:
        """Read and measure."""
        from posewright.workflows.checking import quality_beside

        motion = load_motion(clip.path, self.read)
        notes = _notes(motion)
        motion = memory.shared(frames_of(motion, self.frames, clip.path)).with_standing_rest()
        if self.against is None:
            verdicts = motion.quality(floor=self.floor).check(self.limits)
            return ClipOutcome(len(motion), motion.fps, notes=notes, **_judged(verdicts))
        sources = self.beside(clip)
        if len(sources) != 1:
            found = f"{len(sources)} files" if sources else "no motion"
            raise FileProblem(
                clip.path, f"there is {found} called {clip.name!r} in {self.against} to measure it beside"
            )
        source = load_motion(sources[0], self.read_source)
        notes += _notes(source)
        source = memory.shared(frames_of(source, self.frames, sources[0]))
        quality, _ = quality_beside(motion, source, self.match, floor=self.floor)
        verdicts = quality.check(self.limits)
        return ClipOutcome(len(motion), motion.fps, notes=notes, **_judged(verdicts))


@dataclass(frozen=True, kw_only=True)
class Edit(Writes):
    """Applies one edit file to every clip; fields are the options of `posewright edit`."""

    kind: ClassVar[str] = "edit"
    edit: Path
    model: Path | None = None
    events: Literal["flight", "alike"] | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """Includes the edit file and the model."""
        return (*super().files, self.edit, *(() if self.model is None else (self.model,)))

    def run(self, clip: LibraryClip, out: Path | None, seed: int, memory: WorkerMemory) -> ClipOutcome:
        """Read, edit and write; missed goals count as broken limits."""
        from posewright.models import MotionModel
        from posewright.tasks.edit_file import load_edit
        from posewright.workflows.editing.edit import edit

        motion = load_motion(clip.path, self.read)
        model = self.model
        pattern = None if model is None else memory.once(("model", model), lambda: MotionModel.load(model))
        task = load_edit(self.edit, motion)
        made = edit(
            task.motion,
            task.goals,
            space=pattern,
            events=self.events,
            **task.settings,
        )
        written = self.write(made.motion, out)
        measures: dict[str, Any] = {}
        said = made.remarks
        if self.measures != "none":
            measures, said = as_dict(made.quality.check(_NO_LIMITS)), made.warnings
        measures |= {
            error.label: {"value": error.value, "unit": error.unit, "limit": error.tolerance, "passed": error.reached}
            for error in made.errors.parts
        }
        return ClipOutcome(len(written), written.fps, measures, made.reached, (*_notes(motion), *task.notes, *said))


def _notes(motion: Motion) -> tuple[str, ...]:
    """Doubts of the reader about the motion and its figure."""
    return tuple(dict.fromkeys((*doubts(motion), *motion.notes)))


def require_job(job: Job) -> None:
    """Refuse settings that cannot work for any clip, before any work is done.

    Raises:
        PosewrightError: says what is wrong in one sentence.
    """
    _ = job.suffix
    if isinstance(job, Retarget):
        from posewright.workflows.retargeting.words import named_solver, named_target, stated_speeds

        target = named_target(job.to, job.read_target)
        figure = target if isinstance(target, Figure) else target.figure
        named_solver(job.solver)
        stated_speeds(job.velocity_limits, figure)
    for file in job.files:
        if not file.exists():
            raise FileProblem(file, "no such file")
    if isinstance(job, Edit):
        from posewright.tasks.edit_file import check_edit

        check_edit(job.edit)
    against = getattr(job, "against", None)
    if against is not None and not against.is_dir():
        raise FileProblem(against, "is not a folder; --against names the folder with the sources of the clips")
    frames, resample = getattr(job, "frames", None), getattr(job, "resample", None)
    if frames is not None:
        frame_range(frames)
    if resample is not None and not 0.0 < resample < 1e6:
        raise InvalidSetting(f"--resample is {resample:g}; it must be a positive number of frames per second")
