"""Acclaim files: skeletons (.asf) and the motions (.amc) of the skeleton beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem, suggestion
from posewright.figures import Figure
from posewright.formats.acclaim.text import lines_of, parse_asf
from posewright.formats.acclaim.to_figure import Skeleton, build_skeleton
from posewright.formats.options import ReadOptions
from posewright.formats.plausibility import with_options
from posewright.formats.text_numbers import number, shown
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
    values, degrees, notes = _parse_amc(path, skeleton)
    q = _coordinates(values, skeleton, degrees)
    notes = [f"skeleton: {skeleton_path.name}, {why}", *notes]
    if options.fps is None:
        notes.append(
            f"frame rate: AMC files hold none; assumed {_CMU_RATE:g} per second, as in the CMU database "
            "(set fps or --fps to override)"
        )
    return with_options(Motion(skeleton.figure, q, _CMU_RATE, path.stem, tuple(notes)), options)


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
    raise FileProblem(path, f"the skeleton of this motion is not found: {found} (name it with the option skeleton)")


def _parse_amc(path: Path, skeleton: Skeleton) -> tuple[Array, bool, list[str]]:
    """Values (frames, dofs) in the order of the skeleton's joints and file dofs, whether in degrees, and notes."""
    first = np.cumsum([0, *(len(dofs) for dofs in _dof_lists(skeleton))]).tolist()
    place = {joint: (first[k], first[k + 1]) for k, joint in enumerate(skeleton.figure.joint_names)}
    degrees = skeleton.degrees
    frames: list[list[float]] = []
    numbers: list[str] = []
    missing: set[str] = set()
    moving = {joint for joint, (start, end) in place.items() if end > start}
    line = 1
    for words, line in lines_of(path, ":FULLY-SPECIFIED"):
        name = words[0]
        if name.startswith(":"):
            degrees = _angle_unit(name, degrees)
        elif len(words) == 1 and name.isdecimal():
            _require_complete(missing, numbers, path, line)
            frames.append([0.0] * first[-1])
            numbers.append(name)
            missing = set(moving)
        elif not frames:
            raise FileProblem(path, f"{shown(name)} before the number of the first frame", line=line)
        else:
            _take_bone(words, frames[-1], place, missing, numbers[-1], path, line)
    _require_complete(missing, numbers, path, line)
    if not frames:
        raise FileProblem(path, "the file has no frames", line=line)
    return np.array(frames), degrees, _numbering(numbers)


def _angle_unit(word: str, degrees: bool) -> bool:
    return {":degrees": True, ":radians": False}.get(word.casefold(), degrees)


def _take_bone(
    words: Sequence[str],
    frame: list[float],
    place: dict[str, tuple[int, int]],
    missing: set[str],
    frame_number: str,
    path: Path,
    line: int,
) -> None:
    """Put the numbers of one bone's line into the frame."""
    name = words[0]
    if name not in place:
        hint = suggestion(name[:40], place)
        raise FileProblem(path, f"the skeleton has no bone {shown(name)}{hint}", line=line)
    start, end = place[name]
    if len(words) - 1 != end - start:
        raise FileProblem(
            path, f"{len(words) - 1} numbers for bone {name!r}, whose dofs ask for {end - start}", line=line
        )
    if end > start and name not in missing:
        raise FileProblem(path, f"bone {name!r} a second time in frame {frame_number[:20]}", line=line)
    frame[start:end] = [number(word, path, line, f"a number of bone {name!r}") for word in words[1:]]
    missing.discard(name)


def _require_complete(missing: set[str], numbers: list[str], path: Path, line: int) -> None:
    if missing:
        raise FileProblem(
            path, f"frame {numbers[-1][:20]} ends without the bones {', '.join(sorted(missing)[:5])}", line=line
        )


def _numbering(numbers: list[str]) -> list[str]:
    counted = [int(n[:15]) for n in numbers]
    if counted == list(range(counted[0], counted[0] + len(counted))):
        return []
    return ["the frame numbers are not consecutive; the frames are taken as they follow each other"]


def _dof_lists(skeleton: Skeleton) -> list[tuple[str, ...]]:
    return [skeleton.dofs[joint] for joint in skeleton.figure.joint_names]


def _coordinates(values: Array, skeleton: Skeleton, degrees: bool) -> Array:
    """The values in the order of `q`: slides as listed, then hinges from the last listed to the first."""
    angle = math.pi / 180.0 if degrees else 1.0
    order: list[int] = []
    factors: list[float] = []
    first = 0
    for dofs in _dof_lists(skeleton):
        slides = [first + k for k, dof in enumerate(dofs) if dof[0] == "t"]
        hinges = [first + k for k, dof in enumerate(dofs) if dof[0] == "r"]
        order += slides + hinges[::-1]
        factors += [skeleton.metres_per_unit] * len(slides) + [angle] * len(hinges)
        first += len(dofs)
    q: Array = values[:, order] * np.array(factors)
    return q
