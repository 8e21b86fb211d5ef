"""Untrusted MJCF files: they refer only to files beside them, and MuJoCo compiles them in a process of its own.

Sizes in a file say little about what MuJoCo makes of it (copies of copies, grids, textures, user data). So they are
not looked at: the process has as much memory and time as the file and its neighbours may need (`Budget`).
"""

from __future__ import annotations

import io
import math
import os
import re
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from posewright.errors import FileProblem, MissingExtra
from posewright.formats.budget import MOST_JOINTS, Budget, is_file, neighbour
from posewright.formats.robots.xml_elements import Element, read_xml

_FINITE = ("body_pos", "body_quat", "body_mass", "body_ipos", "body_inertia", "jnt_axis", "qpos0")
_SCRIPT = Path(__file__).with_name("mjcf_compiler.py")
_ENDED = (-24, -9)
"""Exit codes of a process that was ended because of its limits (SIGXCPU, SIGKILL)."""
_PATIENCE = 10
"""Limit of the clock as a multiple of computing time, because the machine may be busy."""


def compiled_model(path: Path) -> tuple[Any, list[str]]:
    """What a figure needs of the compiled model, under the names of `mujoco.MjModel`, and notes about what is doubtful.

    Raises:
        FileProblem: no XML, no MJCF, refused by MuJoCo, or too much for a file of its size.
        MissingExtra: MuJoCo is not installed.
    """
    budget = Budget.of(path)
    _look_over(path, budget)
    if find_spec("mujoco") is None:
        raise MissingExtra("reading MJCF", "mujoco", "robots")
    found = _in_process(budget)
    notes = list(map(str, found.pop("notes")))
    if "problem" in found:
        raise _refused(path, str(found["problem"]))
    model = SimpleNamespace(**{name: array if array.ndim else int(array) for name, array in found.items()})
    model.names = model.names.tobytes()
    budget.require_items(max(model.nbody, model.njnt), "bodies or joints", MOST_JOINTS)
    budget.require_items(max(len(model.geom_type), model.nsite), "geoms or sites")
    if not all(np.isfinite(getattr(model, name)).all() for name in _FINITE):
        raise FileProblem(path, "has places, masses or joints that are not finite numbers")
    return model, notes


def _look_over(path: Path, budget: Budget) -> None:
    """Refuse what MuJoCo would read silently: the root of another format, `nan`, files from elsewhere."""
    root = read_xml(path, '<mujoco model="...">')
    if root.tag != "mujoco":
        hint = "; URDF files end with .urdf" if root.tag == "robot" else ""
        raise root.problem(f"is not an MJCF file: its root element is <{root.tag[:40]}>, not <mujoco>{hint}")
    documents, folders, n_elements = [root], [""], 0
    assets: list[Element] = []
    for document in documents:  # grows while it is walked
        for element in document.walk():
            n_elements += 1
            for name, value in element.attributes.items():
                if "nan" in value.casefold().split():
                    raise element.problem(f"{element.called}: {name} is {value[:60]!r}, which is not a number")
                if name.startswith("file"):
                    assets.append(element)
                if element.tag == "compiler" and name.endswith("dir"):
                    folders.append(value)
            if "file" in element.attributes and element.tag in ("include", "model"):
                documents += _included(path, element, budget)
        budget.require_items(n_elements, "elements")
    for element in assets:
        for name, value in element.attributes.items():
            for folder in folders if name.startswith("file") else ():
                asset = neighbour(path, f"{folder}/{value}" if folder else value, f"{name} of {element.called}")
                if is_file(asset):
                    budget.add(asset)


def _included(path: Path, element: Element, budget: Budget) -> list[Element]:
    """The document that an element names, if it was not seen yet; MuJoCo says which does not exist.

    A name is relative to the main document or, where there is nothing, to the one that names it.
    """
    beside = element.path.parent.relative_to(path.parent.resolve()) if element.path != path else Path()
    name = element.attributes["file"]
    for place in [neighbour(path, given, f"file of {element.called}") for given in (name, str(beside / name))]:
        if is_file(place):
            if place in budget.others:
                return []
            budget.add(place)
            return [read_xml(place, "an element")]
    return []


def _in_process(budget: Budget) -> dict[str, Any]:
    """The arrays printed by the compiler."""
    seconds = math.ceil(budget.seconds)
    environment = {**os.environ, "MUJOCO_GL": "disabled", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-P", str(_SCRIPT), str(budget.path.resolve()), str(budget.bytes), str(seconds)]
    folder, patience = budget.path.parent, _PATIENCE * seconds
    try:
        done = subprocess.run(command, capture_output=True, env=environment, cwd=folder, timeout=patience, check=False)
        code, said = done.returncode, done.stderr.lower()
        with np.load(io.BytesIO(done.stdout), allow_pickle=False) as arrays:
            return dict(arrays)
    except subprocess.TimeoutExpired:
        code, said = _ENDED[0], b""
    except (ValueError, EOFError, zipfile.BadZipFile):
        pass  # it ended before its answer was complete
    limits = f"a file of its size may ({budget.bytes >> 20} MB and {seconds} s)"
    if b"memory" in said:
        why = f"it needs more memory than {limits}"
    else:
        why = f"it takes longer than {limits}" if code in _ENDED else f"it ended without an answer (code {code})"
    raise FileProblem(budget.path, f"MuJoCo cannot compile it: {why}")


def _refused(path: Path, said: str) -> FileProblem:
    line = re.search(r"line (?:number=)?(\d+)", said, re.IGNORECASE)
    if "allocate" in said or "unknown exception" in said or not said:
        said = f"it needs too much memory ({said})"
    words = re.sub(r", line \d+", "", said)
    return FileProblem(path, f"MuJoCo refuses it: {words}", line=int(line.group(1)) if line else None)
