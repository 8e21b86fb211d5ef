"""States as JSON holds them: all their numbers, so that a session can go on without the files it began with.

What is not a number of the session itself, a character's meshes and a motion model of a file, is read again from
its source.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import TypeAdapter, ValidationError

from posewright.checks import read_only
from posewright.errors import InvalidSetting, PosewrightError, shown
from posewright.figures import Figure
from posewright.formats import figure_file, load_figure
from posewright.models.motion_model import MotionModel
from posewright.models.postures.database import Postures
from posewright.motions import Motion
from posewright.solvers.registry import solver_name
from posewright.studio.session.clips.clip import Bar, Clip, EditSettings, Key
from posewright.studio.session.clips.frames import read_frames, write_frames
from posewright.studio.session.clips.span import Knot, Span
from posewright.studio.session.designing.choices import Designing
from posewright.studio.session.goals.values import read_goal_values, write_goal
from posewright.studio.session.library import Item, Library
from posewright.studio.session.modelling.values import read_model, write_model
from posewright.studio.session.retargeting.choices import Retargeting
from posewright.studio.session.saved_poses import SavedPose
from posewright.studio.session.sources import Source, Sources, of_item
from posewright.studio.session.state import State
from posewright.tasks.solver import build_solver

T = TypeVar("T")
_MESHES = (".glb", ".gltf", ".vrm", ".vrma")


def write_state(state: State, base: Path) -> dict[str, Any]:
    """A state, for a file of a folder."""
    return {
        "figure": figure_file.to_json(state.figure),
        "q": state.q.tolist(),
        "goals": [write_goal(goal) for goal in state.goals],
        "floor": state.floor,
        "made_sites": sorted(state.made_sites),
        "solver": state.solver,
        "solver_settings": dict(state.solver_settings),
        "groups": sorted(state.groups),
        "released": sorted(state.released),
        "frozen": list(state.frozen),
        "still": list(state.still),
        "clip": None if state.clip is None else _write_clip(state.clip),
        "model": None if state.model is None or state.source("model") is not None else write_model(state.model),
        "library": [_write_item(item) for item in state.library.items],
        "designing": _designing().dump_python(state.designing, mode="json"),
        "poses": [[one.name, list(one.dofs), one.q.tolist()] for one in state.poses],
        "retargeting": _retargeting().dump_python(state.retargeting, mode="json"),
        "sources": [source.to_json(base) for source in state.sources],
    }


def read_state(given: Any, path: Path, sources: Sources) -> State:
    """What `write_state` wrote into a file.

    Args:
        given: what JSON holds.
        path: the file, for what is wrong with it.
        sources: looks up meshes and models.

    Raises:
        PosewrightError: it is no state, or one that contradicts itself.
    """
    given = _mapping(given, "a state", {field.name for field in fields(State)} - {"postures"}, {"model": None})
    figure = figure_file.from_json(path, _text(given["figure"], "the figure of a state"))
    came_from = tuple(Source.from_json(one, path.parent) for one in _list(given["sources"], "the sources"))
    figure, model, postures = _again(figure, came_from, sources)
    if given["model"] is not None:
        model = read_model(_text(given["model"], "a motion model"), figure)
    items = _list(given["library"], "the library")
    state = State(
        figure=figure,
        q=read_only(_numbers(given["q"], (figure.n_dofs,), "the pose")),
        goals=tuple(read_goal_values(one, figure) for one in _list(given["goals"], "the goals")),
        floor=float(_numbers(given["floor"], (), "the floor")),
        made_sites=frozenset(_names(given["made_sites"], "the sites made", figure.site_names)),
        solver=solver_name(_text(given["solver"], "the solver")),
        solver_settings=_settings(given["solver"], given["solver_settings"]),
        groups=frozenset(_names(given["groups"], "joint groups", [one.name for one in figure.groups])),
        released=frozenset(_names(given["released"], "constraints", [one.name for one in figure.constraints])),
        frozen=_names(given["frozen"], "joints and dofs that are frozen", (*figure.joint_names, *figure.dof_names)),
        still=_names(given["still"], "joints that keep still", figure.joint_names),
        clip=None if given["clip"] is None else _read_clip(given["clip"], figure),
        model=model,
        postures=postures,
        library=Library(tuple(_read_item(one, path, came_from, sources) for one in items)),
        designing=_read(_designing(), given["designing"], "what is designed by"),
        poses=tuple(map(_read_pose, _rows(given["poses"], "poses", 3))),
        retargeting=_read(_retargeting(), given["retargeting"], "what is retargeted"),
        sources=came_from,
    )
    return state.checked()


@cache
def _retargeting() -> TypeAdapter[Retargeting | None]:
    return TypeAdapter(Retargeting | None)


@cache
def _edit_settings() -> TypeAdapter[EditSettings]:
    return TypeAdapter(EditSettings)


@cache
def _designing() -> TypeAdapter[Designing | None]:
    return TypeAdapter(Designing | None)


def _read(reader: TypeAdapter[T], given: Any, what: str) -> T:
    try:
        return reader.validate_json(json.dumps(given), strict=True)
    except ValidationError:
        raise InvalidSetting(f"{what} must be choices of the studio; found {shown(given)}") from None


def _read_pose(given: list[Any]) -> SavedPose:
    name, dofs, q = given
    names = tuple(_text(one, "a dof of a pose") for one in _list(dofs, "the dofs of a pose"))
    return SavedPose(_text(name, "the name of a pose"), names, read_only(_numbers(q, (len(names),), "a pose")))


def _again(
    figure: Figure, came_from: tuple[Source, ...], sources: Sources
) -> tuple[Figure, MotionModel | None, Postures | None]:
    """Meshes, the model and the postures, where their files are as they were."""
    model, postures = None, None
    for source in came_from:
        path = sources.find(source)
        if path is None:
            continue
        try:
            if source.role == "model":
                model = MotionModel.load(path)
            elif source.role == "postures":
                postures = Postures.open(path)
            elif source.role in ("figure", "clip") and path.suffix.lower() in _MESHES:
                figure = _dressed(figure, path)
        except PosewrightError as error:
            sources.notices.append(str(error))
    return figure, model, postures


def _dressed(figure: Figure, path: Path) -> Figure:
    """A figure with the meshes of its file."""
    skin = load_figure(path).skin
    return replace(figure, skin=skin) if skin is not None and len(skin.nodes) == len(figure.joints) else figure


def _write_clip(clip: Clip) -> dict[str, Any]:
    return {
        "name": clip.name,
        "fps": clip.fps,
        "source": write_frames(clip.source),
        "q": None if clip.q is clip.source else write_frames(clip.q),
        "contacts": _write_bars(clip.found),
        "keys": [_write_key(key) for key in clip.keys],
        "spans": [_write_span(span) for span in clip.spans],
        "by_hand": None if clip.by_hand is None else _write_bars(clip.by_hand),
        "settings": _edit_settings().dump_python(clip.settings, mode="json"),
        "first_frame": clip.first_frame,
    }


def _read_clip(given: Any, figure: Figure) -> Clip:
    names = {"name", "fps", "source", "q", "contacts", "keys", "first_frame", "spans", "by_hand", "settings"}
    given = _mapping(given, "a clip", names, {"spans": [], "by_hand": None, "settings": {}})
    source = read_only(read_frames(given["source"], figure.n_dofs))
    if not len(source):
        raise InvalidSetting("a clip has no frames")
    name, fps = _text(given["name"], "the name of a clip"), float(_numbers(given["fps"], (), "fps"))
    clip = Clip(name, fps, source, source, first_frame=_whole(given["first_frame"], "the first frame of a clip"))
    clip.motion(figure)  # refuses a frame rate that is none
    keys = [_read_key(key, figure, clip) for key in _list(given["keys"], "keys")]
    settings = _read(_edit_settings(), given["settings"], "how a clip is edited")
    clip = replace(clip, found=_read_bars(given["contacts"], clip), settings=settings).with_keys(tuple(keys))
    if given["by_hand"] is not None:
        clip = replace(clip, by_hand=_read_bars(given["by_hand"], clip))
    for span in _list(given["spans"], "paths"):
        clip = clip.with_span(_read_span(span, figure))
    return clip if given["q"] is None else clip.with_q(read_frames(given["q"], figure.n_dofs))


def _write_key(key: Key) -> list[Any]:
    return [key.frame, key.site, list(key.target), *([] if key.ease is None else [list(key.ease)])]


def _read_key(given: Any, figure: Figure, clip: Clip) -> Key:
    eased = isinstance(given, list) and len(given) == 4
    frame, site, target, *ease = _row(given, "a key", 4 if eased else 3)
    figure.site(_text(site, "the site of a key"))
    clip.require_frame(_whole(frame, "the frame of a key"))
    fading = _numbers(ease[0], (2,), "the ease of a key").tolist() if eased else None
    return Key(frame, site, _point(target, "the target of a key"), None if fading is None else (fading[0], fading[1]))


def _write_bars(bars: tuple[Bar, ...]) -> list[Any]:
    return [[bar.foot, bar.start, bar.end] for bar in bars]


def _read_bars(given: Any, clip: Clip) -> tuple[Bar, ...]:
    bars = []
    for foot, start, end in _rows(given, "contacts", 3):
        clip.require_frame(_whole(start, "the start of a contact"))
        clip.require_frame(_whole(end, "the end of a contact"))
        bars.append(Bar(_text(foot, "the foot of a contact"), start, end))
    return tuple(bars)


_SHAPE = ("ease_in", "ease_out", "tension", "continuity", "bias")


def _write_span(span: Span) -> dict[str, Any]:
    return {
        "goal": write_goal(span.goal),
        "frames": [span.start, span.end],
        "knots": [[knot.frame, list(knot.point)] for knot in span.knots],
        "shape": [getattr(span, name) for name in _SHAPE],
    }


def _read_span(given: Any, figure: Figure) -> Span:
    given = _mapping(given, "a path", {"goal", "frames", "knots", "shape"})
    start, end = (_whole(frame, "a frame of a path") for frame in _row(given["frames"], "the frames of a path", 2))
    knots = tuple(
        Knot(float(_numbers(frame, (), "the frame of a knot")), _point(point, "a knot"))
        for frame, point in _rows(given["knots"], "the knots of a path", 2)
    )
    shape = dict(zip(_SHAPE, _numbers(given["shape"], (len(_SHAPE),), "the shape of a path").tolist(), strict=True))
    span = Span(read_goal_values(given["goal"], figure), start, end, knots, **shape)
    span.timed.goal.terms(figure)  # says what is wrong
    return span


def _point(given: Any, what: str) -> tuple[float, float, float]:
    x, y, z = _numbers(given, (3,), what).tolist()
    return x, y, z


def _write_item(item: Item) -> dict[str, Any]:
    content = item.content
    motion = content if isinstance(content, Motion) else None
    return {
        "name": item.name,
        "figure": figure_file.to_json(content.figure if isinstance(content, Motion) else content),
        "motion": None if motion is None else {"name": motion.name, "fps": motion.fps, "q": write_frames(motion.q)},
    }


def _read_item(given: Any, path: Path, came_from: tuple[Source, ...], sources: Sources) -> Item:
    given = _mapping(given, "an item of the library", {"name", "figure", "motion"})
    name = _text(given["name"], "the name of an item")
    figure = figure_file.from_json(path, _text(given["figure"], "the figure of an item"))
    file = next((sources.find(one) for one in came_from if one.role == of_item(name)), None)
    if file is not None and file.suffix.lower() in _MESHES:
        try:
            figure = _dressed(figure, file)
        except PosewrightError as error:
            sources.notices.append(str(error))
    content: Figure | Motion = figure
    if given["motion"] is not None:
        motion = _mapping(given["motion"], "a motion", {"name", "fps", "q"})
        fps = float(_numbers(motion["fps"], (), "fps"))
        q = read_frames(motion["q"], figure.n_dofs)
        content = Motion(figure, q, fps, _text(motion["name"], "the name of a motion"))
    return Item(name, content)


# What a file may hold in place of what is expected.


def _mapping(given: Any, what: str, names: set[str], later: dict[str, Any] | None = None) -> dict[str, Any]:
    """Fields by name; `later`: those that older files do not have, with what they mean."""
    found = {**(later or {}), **given} if isinstance(given, dict) else {}
    if found.keys() != names:
        raise InvalidSetting(f"{what} must have {', '.join(sorted(names))}; found {shown(given)}")
    return found


def _list(given: Any, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise InvalidSetting(f"{what} must be a list; found {shown(given)}")
    return given


def _row(given: Any, what: str, length: int) -> list[Any]:
    if len(_list(given, what)) != length:
        raise InvalidSetting(f"{what} must be {length}; found {shown(given)}")
    return list(given)


def _rows(given: Any, what: str, length: int) -> list[Any]:
    if not all(isinstance(row, list) and len(row) == length for row in _list(given, what)):
        raise InvalidSetting(f"{what} must be lists of {length}")
    return list(given)


def _text(given: Any, what: str) -> str:
    if not isinstance(given, str):
        raise InvalidSetting(f"{what} must be text; found {shown(given)}")
    return given


def _whole(given: Any, what: str) -> int:
    if type(given) is not int:
        raise InvalidSetting(f"{what} must be a whole number; found {shown(given)}")
    return given


def _settings(solver: str, given: Any) -> tuple[tuple[str, float | bool | str], ...]:
    if not isinstance(given, dict):
        raise InvalidSetting(f"the settings of a solver must be values by name; found {shown(given)}")
    build_solver(solver, given)  # says what is wrong
    return tuple(given.items())


def _names(given: Any, what: str, known: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    for name in _list(given, what):
        if name not in known:
            raise InvalidSetting(f"{what} name {shown(name)}, which the figure does not have")
    return tuple(given)


def _numbers(given: Any, shape: tuple[int, ...], what: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.full(shape, np.nan)
    if found.shape != shape or not np.isfinite(found).all():
        raise InvalidSetting(f"{what} must be finite numbers of shape {shape}; found {shown(given)}")
    return found
