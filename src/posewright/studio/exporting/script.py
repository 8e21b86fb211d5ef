"""A session as a Python script that anybody can run, read and change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from posewright.conventions import Array
from posewright.figures import Figure, Pose, Site
from posewright.goals import Goal
from posewright.solvers.registry import SOLVERS
from posewright.studio.exporting.companion import Names
from posewright.studio.exporting.figure_words import FigureWords
from posewright.studio.exporting.question import Question
from posewright.studio.exporting.task_text import file_word
from posewright.studio.session.clips.editing import edit_arguments
from posewright.studio.session.clips.span import Span
from posewright.studio.session.state import State

_HEAD = '''"""A pose of the Posewright studio. Run it; with a file name, it writes the pose there."""

import dataclasses
import sys
from pathlib import Path

import posewright as pw

HERE = Path(__file__).resolve().parent
'''
_TAIL = """
if __name__ == "__main__":
    for name in sys.argv[1:]:
        {what}.save(name)
"""


def script_text(question: Question, shown: State, names: Names, folder: Path | None) -> str:
    """A script for a folder (None: for any) that gives the pose of a session, and its clip.

    Args:
        question: that the pose answers.
        shown: the state shown, for its clip.
        names: where figure and clip are.
        folder: where the script will be.
    """
    lines = [_HEAD, *_figure(names.figure, folder), *_question(question)]
    if names.clip is not None:
        lines += _clip(shown, names.clip, names.model, folder)
    lines.append(_TAIL.format(what="pose" if shown.clip is None else "motion"))
    return "\n".join(lines)


def _figure(words: FigureWords, folder: Path | None) -> Iterator[str]:
    yield f"figure = pw.figure({_file(words.path, folder) if words.path is not None else repr(words.name)})"
    if words.sites:
        yield "figure = figure.with_sites("
        yield from (f"    {_site(site)}," for site in words.sites)
        yield ")"
    if words.rigidity:
        yield f"figure = figure.with_rigidity({words.rigidity!r})"
    if words.constraints:
        yield "constraints = ["
        for one in words.constraints:
            bounds = f"lower={_number(one.lower)}, upper={_number(one.upper)}"
            yield f"    pw.LinearConstraint(name={one.name!r}, coefficients={one.coefficients!r}, {bounds}),"
        yield "]"
        yield "figure = dataclasses.replace(figure, constraints=(*figure.constraints, *constraints))"


def _question(question: Question) -> Iterator[str]:
    state = question.state
    yield f"start = {_pose(state.figure, question.start)}  # radians and metres"
    yield "goals = ["
    yield from (f"    {_goal(goal)}," for goal in state.goals)
    yield "]"
    space = "figure"
    if state.released:
        yield f"released = {sorted(state.released)!r}"
        yield "held = [one for one in figure.constraints if one.name not in released]"
        space = "dataclasses.replace(figure, constraints=held)"
    if state.groups:
        yield f"groups = [one for one in figure.groups if one.name in {sorted(state.groups)!r}]"
        space = f"pw.Space.grouped(dataclasses.replace({space}, groups=groups))"
    frozen = (*state.frozen, *state.still)
    yield f"problem = pw.Problem({space}, goals{f', frozen={list(frozen)!r}' if frozen else ''})"
    settings = ", ".join(f"{name}={value!r}" for name, value in state.solver_settings)
    solver: Any = SOLVERS[state.solver]
    if question.solved:
        yield f"result = pw.{solver.__name__}({settings}).solve(problem, start)"
        yield "pose = result.pose"
        yield "print(result)"
    else:
        yield "pose = start  # set by hand after the last solve"


def _clip(state: State, source: Path | str, model: Path | None, folder: Path | None) -> Iterator[str]:
    clip = state.clip
    assert clip is not None
    yield ""
    if isinstance(source, Path):
        yield f"motion = pw.motion({_file(source, folder)})"
    else:
        yield f"motion = pw.clips.{source}(figure)"
    if not clip.asks:
        return
    yield "motion = dataclasses.replace(motion, figure=figure)"
    arguments = edit_arguments(state)
    if "space" in arguments:
        assert model is not None
        yield f"model = pw.MotionModel.load({_file(model, folder)})"
    yield "goals = ["
    for key in clip.keys:
        ease = "" if key.ease is None else f", ease={key.ease!r}"
        yield f"    pw.Position({key.site!r}, {key.target!r}).at({key.frame}{ease}),"
    for span in clip.spans:
        yield f"    {_goal(span.goal)}{_span(span)},"
    yield "]"
    said = [f"{name}={'model' if name == 'space' else repr(value)}" for name, value in arguments.items()]
    yield f"edited = pw.edit({', '.join(['motion', 'goals', *said])})"
    yield "motion = edited.motion"
    yield "print(edited)"


def _span(span: Span) -> str:
    """When a goal counts, and along what."""
    if not span.knots and span.start == span.end:
        return f".at({span.start})"
    when = f"start={span.start}, end={span.end}, ease={(span.ease_in, span.ease_out)!r}"
    if not span.knots:
        return f".along({when})"
    frames, points = [knot.frame for knot in span.knots], [knot.point for knot in span.knots]
    shape = "".join(
        f", {name}={getattr(span, name)!r}" for name in ("tension", "continuity", "bias") if getattr(span, name)
    )
    return f".along(pw.motions.KochanekBartels({frames!r}, {points!r}{shape}), {when})"


def _file(path: Path, folder: Path | None) -> str:
    return repr(str(path)) if folder is None else f"HERE / {file_word(path, folder)!r}"


def _goal(goal: Goal) -> str:
    """A call that makes it; what is usual is left out."""
    known = {field.name: field.default for field in fields(goal) if field.default is not MISSING}
    values = {field.name: getattr(goal, field.name) for field in fields(goal)}
    first = [name for name in values if name not in ("weight", "priority", "tolerance", "name", "joints", "enabled")]
    ordered = [*first, *(name for name in values if name not in first)]
    said = [f"{name}={_value(values[name])}" for name in ordered if name not in known or values[name] != known[name]]
    return f"pw.goals.{type(goal).__name__}({', '.join(said)})"


def _value(value: Any) -> str:
    if isinstance(value, Goal):
        return _goal(value)
    if isinstance(value, Pose):
        return _pose(value.figure, value.q)
    if isinstance(value, tuple):
        return f"({', '.join(map(_value, value))}{',' * (len(value) == 1)})"
    if isinstance(value, Mapping):
        return repr({str(name): float(one) for name, one in value.items()})
    return _number(value) if isinstance(value, float) else repr(value)


def _number(value: float) -> str:
    text = repr(float(value))
    return f'float("{text}")' if text in ("inf", "-inf") else text


def _pose(figure: Figure, q: Array) -> str:
    rows = zip(figure.dof_names, q.tolist(), figure.rest.tolist(), strict=True)
    values = {dof: value for dof, value, rest in rows if value != rest}
    return f"pw.Pose.rest(figure).with_values({values!r})" if values else "pw.Pose.rest(figure)"


def _site(site: Site) -> str:
    axes = (
        ""
        if (site.x_axis, site.y_axis) == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        else (f", x_axis={site.x_axis!r}, y_axis={site.y_axis!r}")
    )
    return f"pw.figures.Site(name={site.name!r}, joint={site.joint!r}, point={site.point!r}{axes})"
