"""What becomes of a state when a file is opened: another figure or clip, a task, keys, a pose, a model."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from posewright.errors import FileProblem
from posewright.figures.catalogue import CATALOGUE, build
from posewright.figures.vectors import vector
from posewright.formats import load
from posewright.goals import Position
from posewright.goals.timed import Timed
from posewright.matching import JointMatch
from posewright.models.motion_model import MotionModel
from posewright.models.postures.database import Postures
from posewright.motions import KochanekBartels, Motion
from posewright.problem.space import Space
from posewright.studio.files.kinds import Kind, kind_of_file
from posewright.studio.session.clips.clip import Bar, Clip, Key
from posewright.studio.session.clips.opening import opened_motion
from posewright.studio.session.clips.span import Knot, Span
from posewright.studio.session.commands.poses import posed
from posewright.studio.session.library import Library
from posewright.studio.session.names import free_name
from posewright.studio.session.opening import floor_of, opened
from posewright.studio.session.retargeting.question import ITEM, question_of, retargeting_of, with_match
from posewright.studio.session.sources import Source, of_item
from posewright.studio.session.state import State
from posewright.tasks import Task, load_edit, load_task
from posewright.tasks.start import read_pose

BEGINNING = ("body", "task")
"""Kinds that a session can begin with; others add to what is open."""
_KEPT = 4
"""Figures and clips at most that stay beside what is opened in their place: a step that opens one writes them all."""


def built_in(name: str) -> State:
    """A figure of the catalogue."""
    return replace(opened(build(name)), sources=(Source("figure", name),))


def with_files(
    state: State | None, paths: Sequence[Path], *, to_the_side: bool = False, within: Path
) -> Generator[str, None, State]:
    """The state once files are open: a figure, clip or task first, then what adds to it. Clips are not edited yet.

    Yields the name of each file before it is read.

    Args:
        state: what is open; None: nothing.
        paths: any files that can be opened but projects.
        to_the_side: whether figures and motions are kept beside what is edited, to be retargeted; if not, all but the
            first are.
        within: the folder that they may read other files from.

    Raises:
        PosewrightError: one cannot be opened, or not with what is open.
    """
    taken = False
    for path in sorted(paths, key=lambda path: kind_of_file(path) not in BEGINNING):
        yield path.name
        if kind_of_file(path) not in BEGINNING:
            state = with_file(state, path, within)
        elif state is None or not (to_the_side or taken):
            state, taken = _keeping(state, with_file(None, path, within)), True
        else:
            state = _retargeted(state, beside(state, path)) if to_the_side else beside(state, path)
    assert state is not None
    return state


def with_file(state: State | None, path: Path, within: Path | None = None) -> State:
    """The state once a file is open; a clip is not edited yet.

    Args:
        state: what is open; None: nothing.
        path: any file that can be opened but a project.
        within: the folder that it may read other files from; None: any.

    Raises:
        PosewrightError: it cannot be opened, or not with what is open.
    """
    kind = kind_of_file(path)
    if kind in _BEGIN:
        return _BEGIN[kind](path, within)
    if kind not in _ADD:
        raise FileProblem(path, f"is {_WORDS[kind]}, which the studio cannot open yet; {_ELSEWHERE[kind]}")
    if state is None:
        raise FileProblem(path, f"is {_WORDS[kind]}, which adds to a figure or clip; open one with it")
    return _ADD[kind](state, path, within)


def beside(state: State, path: Path) -> State:
    """The state with a figure or motion beside what is edited."""
    if kind_of_file(path) != "body":
        raise FileProblem(path, "is neither a figure nor a motion, so it cannot be added to the session")
    library = state.library.with_item(path.name, load(path))
    return replace(state, library=library).with_source(Source.of_file(of_item(library.items[-1].name), path))


def _keeping(before: State | None, state: State) -> State:
    """What was opened, with what it takes the place of beside it, so that one can be retargeted to the other."""
    if before is None:
        return state
    state = replace(state, poses=before.poses)
    came_from = before.source("clip") or before.source("figure")
    if came_from is None or came_from.path is None:
        items = before.library.items
    else:
        content = before.figure if before.clip is None else before.clip.motion(before.figure)
        items = before.library.with_item(came_from.name, content).items
        before = before.with_source(replace(came_from, role=of_item(items[-1].name)))
    opened = {source.sha256 for source in state.sources}
    for item in items[-_KEPT:]:
        source = before.source(of_item(item.name))
        if source is None or source.sha256 not in opened:
            state = replace(state, library=Library((*state.library.items, item)))
            state = state if source is None else state.with_source(source)
    return state


def _retargeted(before: State, state: State) -> State:
    """What was opened beside the work is what is retargeted, or what to."""
    item = state.library.items[-1]
    chosen = replace(retargeting_of(before), source_parts={}, target_parts={})
    name = f"{ITEM}{item.name}"
    return replace(state, retargeting=replace(chosen, target=name) if item.is_body else replace(chosen, source=name))


def _body(path: Path, within: Path | None) -> State:
    found = load(path)
    if isinstance(found, Motion) and len(found):
        source = Source.of_file("clip", path)
        return replace(opened_motion(found), sources=(source, replace(source, role="figure")))
    figure = found.figure if isinstance(found, Motion) else found
    return replace(opened(figure), sources=(Source.of_file("figure", path),))


def _task(path: Path, within: Path | None) -> State:
    """Its figure at its start, and its goals; nothing is solved yet."""
    task = load_task(path, within=within)
    problem = task.problem
    figure, groups, frozen = problem.figure, frozenset[str](), problem.frozen
    if problem.space.names == Space.grouped(figure).names:
        groups = frozenset(group.name for group in figure.groups)
    elif not problem.space.is_identity:  # a chain: all else stays
        driven = zip(figure.dof_names, problem.space.driven, strict=True)
        frozen = (*frozen, *(dof for dof, moves in driven if not moves))
    if problem.constraints:
        figure = replace(figure, constraints=(*figure.constraints, *problem.constraints))
    return State(
        figure=figure,
        q=task.start.q,
        goals=problem.goals,
        floor=floor_of(task.start),
        solver=task.solver_name,
        solver_settings=tuple(task.solver_settings.items()),
        groups=groups,
        frozen=frozen,
        sources=(Source.of_file("task", path), _figure_source(task)),
    )


def _figure_source(task: Task) -> Source:
    name = task.figure_name
    return Source("figure", name) if name in CATALOGUE else Source.of_file("figure", task.path.parent / name)


def _as_in_its_file(clip: Clip, state: State) -> Motion:
    """The clip as opened, with the frame numbers of its file."""
    return replace(clip.source_motion(state.figure), first_frame=clip.first_frame)


def _edit(state: State, path: Path, within: Path | None) -> State:
    """What it asks in place of what is asked."""
    clip = state.clip
    if clip is None:
        raise FileProblem(path, "is an edit, which needs a clip; open one first")
    task = load_edit(path, _as_in_its_file(clip, state), within=within)
    if task.settings["solver"] is not None:
        raise FileProblem(path, "names a solver; the studio edits with its own: leave it out, or use posewright edit")
    made = task.motion.figure.sites[len(state.figure.sites) :]
    state = replace(state, figure=task.motion.figure, made_sites=state.made_sites | {site.name for site in made})
    settings = {name: value for name, value in task.settings.items() if name not in ("contacts", "solver")}
    clip = replace(clip, spans=(), settings=replace(clip.settings, **settings)).with_keys(())
    bars: dict[str, list[tuple[int, int]]] | None = task.settings["contacts"]
    if bars is not None:
        others = [bar for bar in clip.found if bar.foot not in bars]
        given = [Bar(foot, start, end) for foot, spans in bars.items() for start, end in spans]
        clip = clip.with_contacts((*others, *given))
    for timed in task.goals:
        key = _plain_key(timed, clip)
        clip = clip.with_span(_span(timed, clip)) if key is None else clip.with_keys((*clip.keys, key))
    return replace(state, clip=clip).with_source(Source.of_file("edit", path))


def _plain_key(timed: Timed, clip: Clip) -> Key | None:
    """A place at one frame; None: it is something else."""
    goal, point = timed.goal, timed.goal.place
    if not isinstance(goal, Position) or isinstance(point, str) or point is None or not timed.is_key:
        return None
    ease = None if timed.ease_in is None or timed.ease_out is None else (timed.ease_in, timed.ease_out)
    plain = goal == Position(goal.site, point) and (ease is not None or timed.ease_in is timed.ease_out)
    return Key(timed.range(len(clip))[0], goal.site, point, ease) if plain else None


def _span(timed: Timed, clip: Clip) -> Span:
    """Anything else, under a name of its own."""
    start, end = timed.range(len(clip))
    path = timed.points
    name = free_name(timed.goal.label, [span.name for span in clip.spans])
    goal = timed.goal if name == timed.goal.label else replace(timed.goal, name=name)
    span = Span(goal, start, end, ease_in=timed.ease_in or 0.0, ease_out=timed.ease_out or 0.0)
    if path is None:
        return span
    if isinstance(path, KochanekBartels):
        span = replace(span, tension=path.tension, continuity=path.continuity, bias=path.bias)
        frames, points = path.times.tolist(), path.points
    else:
        frames, points = [float(frame) for frame in range(start, end + 1)], path
    return replace(span, knots=tuple(Knot(frame, vector(point)) for frame, point in zip(frames, points, strict=True)))


def _pose(state: State, path: Path, within: Path | None) -> State:
    """The pose of the figure, with goals that follow it."""
    return posed(state, read_pose(state.figure, path).q, goals_follow=True)


def _model(state: State, path: Path, within: Path | None) -> State:
    """What edits of the clip stay in from now on."""
    if state.clip is None:
        raise FileProblem(path, "is a motion model, which needs a clip to edit; open one first")
    model = MotionModel.load(path)
    model.around(state.clip.source_motion(state.figure))  # says what does not fit
    return replace(state, model=model, clip=replace(state.clip)).with_source(Source.of_file("model", path))


def _postures(state: State, path: Path, within: Path | None) -> State:
    """What designs are spliced from from now on."""
    postures = Postures.open(path)
    postures.on(state.figure)  # says what does not fit
    chosen = None if state.designing is None else replace(state.designing, clips=(), donors={})
    return replace(state, postures=postures, designing=chosen).with_source(Source.of_file("postures", path))


def _match(state: State, path: Path, within: Path | None) -> State:
    """Which joints are which, of what is to be retargeted."""
    asked = question_of(state)
    found = with_match(state, JointMatch.load(path, asked.source.figure, asked.target))
    return found.with_source(Source.of_file("match", path))


_BEGIN: Mapping[Kind, Callable[[Path, Path | None], State]] = {"body": _body, "task": _task}
_ADD: Mapping[Kind, Callable[[State, Path, Path | None], State]] = {
    "edit": _edit,
    "pose": _pose,
    "model": _model,
    "postures": _postures,
    "match": _match,
}
_WORDS: Mapping[Kind, str] = {
    "edit": "an edit",
    "pose": "a pose",
    "model": "a motion model",
    "match": "a joint match",
    "postures": "a posture database",
    "project": "a project",
}
_ELSEWHERE: Mapping[Kind, str] = {
    "match": "posewright retarget --match takes it",
    "postures": "posewright design --postures takes it",
    "project": "it is opened alone",
}
