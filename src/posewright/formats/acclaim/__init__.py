"""Acclaim files: skeletons (.asf) and the motions (.amc) of the skeleton beside them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem, suggestion
from posewright.figures import Figure
from posewright.formats.acclaim.text import parse_asf
from posewright.formats.acclaim.to_figure import Skeleton, build_skeleton
from posewright.formats.options import ReadOptions
from posewright.formats.text import Place, TextLine, lines_of, quoted
from posewright.motions import Motion

_CMU_RATE = 120.0


def read(path: Path, options: ReadOptions) -> Figure | Motion:
    """The figure of an .asf file, or the motion of an .amc file with the skeleton that belongs to it.

    Raises:
        FileProblem: a file is broken, with its line, or the skeleton is not found.
    """
    if path.suffix.lower() == ".asf":
        return build_skeleton(parse_asf(path), path.stem, options).figure
    skeleton_path, why = _companion(path, options)
    skeleton = build_skeleton(parse_asf(skeleton_path), skeleton_path.stem, options)
    q, notes = _parse_amc(path, skeleton)
    notes = [f"skeleton: {skeleton_path.name}, {why}", *notes]
    if options.fps is None:
        notes.append(
            f"frame rate: AMC files hold none; assumed {_CMU_RATE:g} per second, as in the CMU database "
            "(set fps or --fps to override)"
        )
    return Motion(skeleton.figure, q, _CMU_RATE, path.stem, tuple(notes))


def _companion(path: Path, options: ReadOptions) -> tuple[Path, str]:
    """The skeleton file of a motion file, and why it is the one."""
    if options.skeleton is not None:
        if not options.skeleton.is_file():
            raise FileProblem(options.skeleton, "no such file; it should be the skeleton (.asf) of the motion")
        return options.skeleton, "as given"
    beside = {file.name.casefold(): file for file in sorted(path.parent.glob("*")) if file.suffix.lower() == ".asf"}
    for stem, why in ((path.stem, "of the same name"), (path.stem.rpartition("_")[0], "of the same subject")):
        if file := beside.get(f"{stem.casefold()}.asf"):
            return file, why
    if len(beside) == 1:
        return next(iter(beside.values())), "the only one in the folder"
    found = f"none of {', '.join(sorted(beside))} has its name" if beside else "there is no .asf file beside it"
    raise FileProblem(path, f"the skeleton of this motion is not found: {found} (set skeleton or --skeleton)")


def _parse_amc(path: Path, skeleton: Skeleton) -> tuple[Array, list[str]]:
    """Coordinates (frames, dofs) and notes."""
    counts = [len(skeleton.dofs[joint]) for joint in skeleton.figure.joint_names]
    ends = np.cumsum(counts).tolist()
    columns = {joint: slice(e - n, e) for joint, n, e in zip(skeleton.figure.joint_names, counts, ends, strict=True)}
    moving = {joint for joint, n in zip(columns, counts, strict=True) if n}
    degrees, frames, numbers = skeleton.degrees, list[list[float]](), list[str]()
    missing: set[str] = set()
    last = Place(path, 1)
    for line in lines_of(path, ":FULLY-SPECIFIED"):
        name, last = line.words[0], line
        if name.startswith(":"):
            degrees = {":degrees": True, ":radians": False}.get(name.casefold(), degrees)
        elif len(line.words) == 1 and name.isdecimal():
            _require_complete(missing, numbers, line)
            frames.append([0.0] * ends[-1])
            numbers.append(name)
            missing = set(moving)
        elif not frames:
            raise line.problem(f"{quoted(name)} before the number of the first frame")
        else:
            frames[-1][_columns(line, columns, missing, numbers[-1])] = [
                line.number(word, f"a number of bone {name!r}") for word in line.words[1:]
            ]
            missing.discard(name)
    _require_complete(missing, numbers, last)
    if not frames:
        raise last.problem("the file has no frames")
    counted = [int(n[:15]) for n in numbers]
    in_order = counted == list(range(counted[0], counted[0] + len(counted)))
    note = "the frame numbers are not consecutive; the frames are used in file order"
    return _coordinates(np.array(frames), skeleton, degrees), [] if in_order else [note]


def _columns(line: TextLine, columns: dict[str, slice], missing: set[str], frame: str) -> slice:
    """Where the numbers of a bone's line go."""
    name, count = line.words[0], len(line.words) - 1
    if name not in columns:
        raise line.problem(f"the skeleton has no bone {quoted(name)}{suggestion(name[:40], columns)}")
    wanted = columns[name].stop - columns[name].start
    if count != wanted:
        raise line.problem(f"{count} numbers for bone {name!r}, which has {wanted} dofs")
    if wanted and name not in missing:
        raise line.problem(f"bone {name!r} occurs twice in frame {frame[:20]}")
    return columns[name]


def _require_complete(missing: set[str], numbers: list[str], place: Place) -> None:
    if missing:
        raise place.problem(f"frame {numbers[-1][:20]} ends without the bones {', '.join(sorted(missing)[:5])}")


def _coordinates(values: Array, skeleton: Skeleton, degrees: bool) -> Array:
    """The values in the order of `q`: slides as listed, then hinges from the last listed to the first."""
    angle = math.pi / 180.0 if degrees else 1.0
    order: list[int] = []
    factors: list[float] = []
    first = 0
    for joint in skeleton.figure.joint_names:
        dofs = skeleton.dofs[joint]
        slides = [first + k for k, dof in enumerate(dofs) if dof[0] == "t"]
        hinges = [first + k for k, dof in enumerate(dofs) if dof[0] == "r"]
        order += slides + hinges[::-1]
        factors += [skeleton.metres_per_unit] * len(slides) + [angle] * len(hinges)
        first += len(dofs)
    q: Array = values[:, order] * np.array(factors)
    return q
