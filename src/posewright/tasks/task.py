"""Tasks: the contents of a task file, read into a problem, a start and a solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, ValidationError

from posewright.checks import as_path
from posewright.constraints import LinearConstraint, require_distinct
from posewright.errors import Infeasible, PosewrightError, UnknownName
from posewright.figures import Figure, Pose
from posewright.formats.field_errors import field_problem
from posewright.formats.yaml_document import YamlDocument, read_yaml
from posewright.goals import Goal
from posewright.goals.goal import Recruit
from posewright.problem import Problem, Space
from posewright.problem.lowering import lower
from posewright.solvers.solver import Solver
from posewright.tasks.added import AddedModel, with_additions
from posewright.tasks.constraints import AnyConstraint
from posewright.tasks.fields import FileMapping, JointName, JointOrDofName, context_of, expanded, located, word_or_other
from posewright.tasks.goals import AnyGoal
from posewright.tasks.solver import SolverField, SolverModel, build_solver, renamed_settings
from posewright.tasks.start import StartModel, named_figure


class UnitsModel(FileMapping):
    """The units of the numbers in the file."""

    angle: Literal["degrees"] = "degrees"
    length: Literal["metres"] = "metres"


class ChainModel(FileMapping):
    """A space of some joints."""

    chain: Annotated[tuple[JointName, ...], Field(min_length=1)]


class GroupsModel(FileMapping):
    """A space of the coordinates of some joint groups, and all other dofs."""

    groups: tuple[str, ...]


def _kind_of_space(value: Any) -> str:
    return "<groups>" if isinstance(value, dict) and "groups" in value else word_or_other(value)


class TaskModel(AddedModel):
    """A task file."""

    figure: str
    """The name of a built-in figure, or a file relative to the task file."""
    units: UnitsModel = UnitsModel()
    start: Annotated[
        Annotated[Literal["rest"], Tag("<word>")] | Annotated[StartModel, Tag("<other>")],
        Discriminator(word_or_other),
    ] = "rest"
    space: Annotated[
        Annotated[Literal["all", "grouped"], Tag("<word>")]
        | Annotated[GroupsModel, Tag("<groups>")]
        | Annotated[ChainModel, Tag("<other>")],
        Discriminator(_kind_of_space),
    ] = "all"
    goals: tuple[AnyGoal, ...]
    constraints: tuple[AnyConstraint, ...] = ()
    frozen: tuple[JointOrDofName, ...] = ()
    solver: SolverField = SolverModel()


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """A problem, its start and its solver."""

    path: Path
    problem: Problem
    start: Pose
    solver: Solver
    solver_name: str
    notes: tuple[str, ...] = ()
    """Doubts about the task, one sentence each."""
    others: tuple[Pose, ...] = ()
    """Poses of figures whose sites are targets, for pictures."""
    files: tuple[Path, ...] = ()
    """Figures, motions and poses that were read because the task file names them."""
    recruiting: Mapping[str, Recruit] = field(default_factory=dict)
    """Recruiting levels for `design`, by goal label."""
    solver_settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings that the file states."""
    figure_name: str = ""
    """The figure as named in the file: a built-in name, or a path relative to its folder."""

    def __repr__(self) -> str:
        goals = ", ".join(goal.label for goal in self.problem.goals)
        return f"<Task {self.path.name}: figure {self.problem.figure.name}, goals {goals}, solver {self.solver_name}>"


def load_task(path: str | Path, *, within: str | Path | None = None) -> Task:
    """The task of a YAML file; [docs/tasks.md](../../../docs/tasks.md) describes the format.

    Args:
        path: of the file.
        within: a folder; files that the task names are read only there and below (default: anywhere).

    Raises:
        FileProblem: what is wrong, with the line and the field.
    """
    path = as_path(path)
    file = read_yaml(path, "a task file", "figure and goals")
    context = context_of(path, within, others=[])
    name = file.data.get("figure")
    if not isinstance(name, str):
        file.validated(TaskModel, context)  # reports it
    with located(file, "figure"):
        figure = _figure(file, str(name), context["files"], context["within"])
    figure = with_additions(file, figure)
    model = file.validated(TaskModel, {"figure": figure, **context})
    with located(file, "start"):
        start = Pose.rest(figure) if isinstance(model.start, str) else model.start.pose(figure)
    goals: list[Goal] = []
    for index, goal in enumerate(model.goals):
        with located(file, "goals", index):
            goals.append(goal.build(figure, start))
    constraints: list[LinearConstraint] = []
    for index, constraint in enumerate(model.constraints):
        with located(file, "constraints", index):
            constraints += constraint.build(figure)
            require_distinct(constraints, figure.constraints)
    if isinstance(model.space, GroupsModel):
        with located(file, "space", "groups"):
            _some_groups(figure, model.space.groups)
    with located(file, "goals"), located(file, "constraints", kind=Infeasible):
        problem = _problem(file, model, start, goals, constraints)
        lowered = lower(problem)
        lowered.feasible(start.q)
    with located(file, "solver", "settings"):
        settings, notes = renamed_settings(model.solver.settings)
        solver = build_solver(model.solver.name, settings)
    if not lowered.goals:
        notes = (*notes, "the task has no enabled goals, so its start is the answer")
    levels = {goal.label: said.recruiting for goal, said in zip(goals, model.goals, strict=True)}
    recruiting = {label: level for label, level in levels.items() if level != "auto"}
    return Task(
        path,
        problem,
        start,
        solver,
        model.solver.name,
        notes,
        tuple(context["others"]),
        tuple(context["files"]),
        recruiting,
        settings,
        str(name),
    )


def _figure(file: YamlDocument, name: str, files: list[Path], within: Path | None) -> Figure:
    try:
        return named_figure(name, file.path.parent, files, within)
    except ValidationError as error:
        raise field_problem(file.path, error, TaskModel, line=file.line(("figure",))) from None


def _some_groups(figure: Figure, names: tuple[str, ...]) -> Space:
    known = {group.name: group for group in figure.groups}
    for name in names:
        if name not in known:
            raise UnknownName("joint group", name, known, where=f"figure {figure.name!r}")
    return Space.grouped(replace(figure, groups=tuple(group for group in figure.groups if group.name in names)))


def _problem(
    file: YamlDocument, model: TaskModel, start: Pose, goals: list[Goal], constraints: list[LinearConstraint]
) -> Problem:
    figure, frozen = start.figure, expanded(start.figure, model.frozen)
    space = Space.grouped(figure) if model.space == "grouped" else Space.of(figure)
    if isinstance(model.space, GroupsModel):
        space = _some_groups(figure, model.space.groups)
    if isinstance(model.space, ChainModel):  # what it leaves out stays as in a pose that keeps the constraints
        inside = lower(Problem(figure, constraints=constraints, frozen=frozen)).feasible(start.q)
        space = Space.chain(figure, expanded(figure, model.space.chain), at=Pose(figure, inside))
    try:
        return Problem(space, goals, constraints=constraints, frozen=frozen)
    except PosewrightError:
        for index, goal in enumerate(goals):
            with located(file, "goals", index):  # says which, if it is one alone
                goal.branches(figure)
        raise
