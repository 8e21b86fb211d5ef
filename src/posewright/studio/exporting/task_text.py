"""The question of a session as a task file."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import yaml

from posewright.constraints import LinearConstraint
from posewright.conventions import Array, exact_degrees
from posewright.errors import InvalidSetting
from posewright.figures import Figure, Site
from posewright.goals import Goal
from posewright.goals.any_of import AnyOf
from posewright.goals.posture import Posture
from posewright.studio.exporting.figure_words import FigureWords
from posewright.studio.exporting.question import Question
from posewright.studio.session.goals.fields import goal_fields
from posewright.tasks.fields import is_angle

_USUAL = {"weight": 1.0, "priority": 1, "joints": "whole", "enabled": True, "name": "", "tolerance": None}
_HEAD = "# Lengths are metres, angles degrees unless it says radians. Solve it: posewright pose THIS_FILE -o pose.bvh\n"
_BY_HAND = "# The pose was set by hand after the last solve: solving may change it.\n"


def task_text(question: Question, words: FigureWords, folder: Path | None) -> str:
    """A task file for a folder (None: for any) that gives the pose of a session."""
    state = question.state
    named = words.name if words.path is None else file_word(words.path, folder)
    task: dict[str, Any] = {"figure": named, "units": {"angle": "degrees", "length": "metres"}}
    if words.sites:
        task["sites"] = site_words(words.sites)
    if words.rigidity:
        task["rigidity"] = words.rigidity
    if state.released:
        task["release"] = sorted(state.released)
    task["start"] = _start(state.figure, question.start)
    if state.groups:
        task["space"] = {"groups": sorted(state.groups)}
    task["goals"] = [goal_words(goal) for goal in state.goals]
    if words.constraints:
        task["constraints"] = [_constraint(state.figure, one) for one in words.constraints]
    frozen = (*state.frozen, *state.still)
    if frozen:
        task["frozen"] = list(frozen)
    task["solver"] = {"name": state.solver, "settings": dict(state.solver_settings)}
    return _HEAD + ("" if question.solved else _BY_HAND) + written(task)


def goal_words(goal: Goal) -> dict[str, Any]:
    """A goal as a task file says it, without what is usual."""
    found = {name: value for name, value in goal_fields(goal).items() if name not in _USUAL or value != _USUAL[name]}
    if isinstance(goal, Posture) and goal.reference is not None:
        found["reference"] = _start(goal.reference.figure, goal.reference.q)
    elif isinstance(goal, Posture):
        found["reference"] = "start"
    if goal.tolerance is not None and goal.error_unit == "rad":
        found["tolerance"] = exact_degrees(goal.tolerance)
    if isinstance(goal, AnyOf) and found.get("tolerance") is not None:
        units = {member.error_unit for member in goal.members}
        found["tolerance"] = exact_degrees(goal.tolerance or 0.0) if units == {"rad"} else goal.tolerance
    return found


def file_word(path: Path, folder: Path | None) -> str:
    """How a file of a folder names another: from the folder on; absolute if the folder is not known."""
    return str(path) if folder is None else Path(os.path.relpath(path, folder)).as_posix()


def written(value: Any) -> str:
    """YAML: what is nested outside, one line for what is inside."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        flat = not any(isinstance(one, dict) for one in mapping.values()) and "figure" not in mapping
        return super().represent_mapping(tag, mapping, flow_style=flat and "keys" not in mapping)

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> yaml.SequenceNode:
        return super().represent_sequence(tag, sequence, flow_style=not any(isinstance(one, dict) for one in sequence))

    def represent_float(self, data: float) -> yaml.ScalarNode:
        """All digits, in a form that YAML knows as a number: 1.0e-05."""
        text = repr(data)
        if "e" in text and "." not in text:
            text = text.replace("e", ".0e")
        return self.represent_scalar("tag:yaml.org,2002:float", text)


_Dumper.add_representer(float, _Dumper.represent_float)


def _start(figure: Figure, q: Array) -> dict[str, Any]:
    """All that is not at rest, in radians: a solve that is long magnifies what degrees would round."""
    rows = zip(figure.dof_names, q.tolist(), figure.rest.tolist(), strict=True)
    return {"unit": "radians", "values": {dof: value for dof, value, rest in rows if value != rest}}


def site_words(sites: tuple[Site, ...]) -> dict[str, Any]:
    """Sites that a file adds, by name."""
    return {
        site.name: {
            "joint": site.joint,
            "point": list(site.point),
            **({} if site.x_axis == (1.0, 0.0, 0.0) else {"x": list(site.x_axis)}),
            **({} if site.y_axis == (0.0, 1.0, 0.0) else {"y": list(site.y_axis)}),
        }
        for site in sites
    }


def _constraint(figure: Figure, one: LinearConstraint) -> dict[str, Any]:
    angles = {is_angle(figure, dof) for dof, _ in one.coefficients}
    if len(angles) > 1:
        raise InvalidSetting(f"constraint {one.name!r} mixes angles and slides, which no task file can say")
    unit = exact_degrees if angles == {True} else float
    bounds = {"lower": one.lower, "upper": one.upper}
    given = {name: unit(value) for name, value in bounds.items() if math.isfinite(value)}
    if one.lower == one.upper:
        given = {"equals": unit(one.lower)}
    return {"kind": "linear", "name": one.name, "sum": dict(one.coefficients), **given}
