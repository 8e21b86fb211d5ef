"""Edit files: goals at key frames and along trajectories of a motion, in YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AliasChoices, Field, ValidatorFunctionWrapHandler, WrapValidator, model_validator

from posewright.checks import as_path
from posewright.errors import InvalidSetting
from posewright.figures import Pose
from posewright.figures.kinematics import site_frames
from posewright.formats.yaml_document import read_yaml
from posewright.goals import GOAL_KINDS, Goal, Position, Posture, Smoothness
from posewright.goals.timed import Path as TargetPath
from posewright.goals.timed import Timed
from posewright.models.alignment import flight
from posewright.motions.contacts import with_bars
from posewright.motions.frame_ranges import row_of
from posewright.motions.motion import Motion, require_motion
from posewright.motions.splines import KochanekBartels
from posewright.tasks.added import SitesModel, with_sites
from posewright.tasks.fields import FileMapping, NotNegative, Number, Positive, SiteName, Three, context_of, located
from posewright.tasks.goals import GoalModel, goal_choice
from posewright.tasks.solver import SolverField, build_solver

_OLD_NAME = "farthest"
"""The old name of `max_deviation`."""
_Shape = Annotated[Number, Field(ge=-1.0, le=1.0)]
_SHARE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%")
_EVENTS = ("take-off", "landing")


def _frame_or_words(value: Any, number: ValidatorFunctionWrapHandler) -> int | str:
    if not isinstance(value, str):
        whole: int = number(value)
        return whole
    share = _SHARE.fullmatch(value)
    if value not in _EVENTS and not (share and float(share.group(1)) <= 100.0):
        raise ValueError(f"must be a frame, a share of the clip such as 50%, {_EVENTS[0]} or {_EVENTS[1]}")
    return value


_Frame = Annotated[int | str, WrapValidator(_frame_or_words, json_schema_input_type=int | str)]
"""A number; or, for clips of any length, a fraction of the clip or one of its events."""


def _frame_of(when: int | str, motion: Motion) -> int:
    """The frame of a motion, counted from 0; edit files use the numbers of the motion's file."""
    if isinstance(when, int):
        return row_of(motion, when)
    if when in _EVENTS:
        return round(float(flight(motion)[_EVENTS.index(when)]) * motion.fps)
    return round(0.01 * float(when.rstrip("% ")) * (len(motion) - 1))


class MoveModel(GoalModel):
    """A site moved away from its place in the motion; only edit files have this kind."""

    kind: Literal["move"]
    site: SiteName
    by: Three
    """m"""
    tolerance: Positive | None = None

    goal = Position

    def build(self, figure: Any, start: Pose) -> Goal:
        """The goal at a frame with the pose `start`."""
        here = site_frames(start.figure, start.q, [self.site]).points[0]
        there = (here + self.by).tolist()
        return Position(self.site, (there[0], there[1], there[2]), **self.settings(figure))


if TYPE_CHECKING:
    _AnyKeyGoal = GoalModel
else:
    _AnyKeyGoal = goal_choice([k for k in GOAL_KINDS.values() if not issubclass(k, Posture | Smoothness)], MoveModel)
"""Goals about sites and the centre of mass; postures cannot be keys."""


class KnotModel(FileMapping):
    """A point of a path."""

    frame: Number
    point: Three


class PathModel(FileMapping):
    """A path through knots."""

    knots: Annotated[tuple[KnotModel, ...], Field(min_length=1)]
    tension: _Shape = 0.0
    continuity: _Shape = 0.0
    bias: _Shape = 0.0

    def build(self, motion: Motion) -> KochanekBartels:
        """The path; its times are frames of the motion, counted from 0."""
        return KochanekBartels(
            [knot.frame - motion.first_frame for knot in self.knots],
            [knot.point for knot in self.knots],
            tension=self.tension,
            continuity=self.continuity,
            bias=self.bias,
        )


class KeyModel(FileMapping):
    """A goal at a frame, or over a range of frames."""

    goal: _AnyKeyGoal
    frame: _Frame | None = None
    start: _Frame | None = None
    end: _Frame | None = None
    path: PathModel | None = None
    ease_in: NotNegative | None = None
    """frames over which it fades in; default: as many as keep the motion smooth"""
    ease_out: NotNegative | None = None

    @model_validator(mode="after")
    def _check_when(self) -> Self:
        along = self.model_fields_set & {"start", "end", "path"}
        if self.frame is not None and along:
            raise ValueError(f"has both a frame and {min(along)}; a key is at a frame, or from a start to an end")
        if self.frame is None and (self.start is None or self.end is None):
            raise ValueError("must have a frame, or a start and an end")
        if isinstance(self.goal, MoveModel) and self.path is not None:
            raise ValueError("has a path, but its goal is a move; give a goal of kind position instead")
        return self

    def build(self, motion: Motion) -> Timed:
        """The key, for a motion."""
        if self.frame is not None:
            frame = _frame_of(self.frame, motion)
            return replace(
                self.goal.build(motion.figure, motion.pose(frame)).at(frame),
                ease_in=self.ease_in,
                ease_out=self.ease_out,
            )
        assert self.start is not None
        assert self.end is not None
        start, end = _frame_of(self.start, motion), _frame_of(self.end, motion)
        goal = self.goal.build(motion.figure, motion.pose(start))
        if end < start:
            raise InvalidSetting(f"it ends at frame {self.end}, before it begins at frame {self.start}")
        path: TargetPath | None = None if self.path is None else self.path.build(motion)
        if isinstance(self.goal, MoveModel):  # the whole range, moved
            path = site_frames(motion.figure, motion.q[start : end + 1], [self.goal.site]).points[:, 0] + self.goal.by
        return replace(goal.along(path, start=start, end=end), ease_in=self.ease_in, ease_out=self.ease_out)


class EditModel(SitesModel):
    """An edit file."""

    keys: tuple[KeyModel, ...]
    hold_contacts: bool | None = None
    contacts: dict[str, tuple[tuple[_Frame, _Frame], ...]] | None = None
    """First and last frame of each contact, by foot."""
    hold_together: tuple[tuple[SiteName, SiteName], ...] = ()
    keep_detail: bool = True
    limits: bool = False
    max_deviation: Annotated[Positive | None, Field(validation_alias=AliasChoices("max_deviation", _OLD_NAME))] = None
    solver: SolverField | None = None

    @model_validator(mode="after")
    def _check_asked(self) -> Self:
        if not self.keys and self.contacts is None:
            raise ValueError("has nothing to do; give at least one key, or contacts")
        return self

    def bars(self, motion: Motion) -> dict[str, list[tuple[int, int]]] | None:
        """The contacts in frames of a motion, counted from 0; None if the file has none."""
        if self.contacts is None:
            return None
        return {
            foot: [(_frame_of(start, motion), _frame_of(end, motion)) for start, end in spans]
            for foot, spans in self.contacts.items()
        }


@dataclass(frozen=True, eq=False)
class EditTask:
    """The edit of a motion described by a file."""

    path: Path
    goals: tuple[Timed, ...]
    motion: Motion
    """The motion to edit, with the sites that the file adds to its figure."""
    settings: Mapping[str, Any]
    """Arguments of `pw.edit`: hold_contacts, contacts, hold_together, keep_detail, limits, max_deviation, solver."""
    files: tuple[Path, ...] = ()
    """Figures, motions and poses that were read because the edit file names them."""
    notes: tuple[str, ...] = ()
    """Notes on fields whose names have changed since the file was written."""


def check_edit(path: str | Path) -> None:
    """Refuse an edit file that is invalid for any motion.

    Raises:
        FileProblem: the file is invalid; the message has line and field.
    """
    path = as_path(path)
    read_yaml(path, "an edit file", "keys").validated(EditModel, context_of(path, None))


def load_edit(path: str | Path, motion: Motion, *, within: str | Path | None = None) -> EditTask:
    """Load an edit file (YAML); [docs/editing.md](../../../docs/editing.md) describes the format.

    Args:
        path: path of the file.
        motion: the motion to edit.
        within: a folder; files named in the edit must be in it or below (default: anywhere).

    Raises:
        FileProblem: the file is invalid; the message has line and field.
    """
    path = as_path(path)
    require_motion(motion)
    file = read_yaml(path, "an edit file", "keys")
    figure = with_sites(file, motion.figure)
    motion = motion if figure is motion.figure else replace(motion, figure=figure)
    context = context_of(path, within, figure=motion.figure)
    model = file.validated(EditModel, context)
    goals: list[Timed] = []
    for index, key in enumerate(model.keys):
        with located(file, "keys", index):
            goals.append(key.build(motion))
            goals[-1].goal.terms(motion.figure)
    with located(file, "contacts"):
        bars = model.bars(motion)
        if bars is not None:
            with_bars(motion.contacts(), motion.figure, bars)  # says what is wrong
    with located(file, "solver", "settings"):
        solver = None if model.solver is None else build_solver(model.solver.name, model.solver.settings)
    settings = {name: getattr(model, name) for name in EditModel.model_fields if name not in ("keys", "sites")}
    return EditTask(
        path=path,
        goals=tuple(goals),
        motion=motion,
        settings=settings | {"contacts": bars, "solver": solver},
        files=tuple(context["files"]),
        notes=(f"{path}: {_OLD_NAME} is now called max_deviation",) if _OLD_NAME in file.data else (),
    )
