"""Starting poses, and pose files, which hold one pose by dof names. Degrees and metres."""

from __future__ import annotations

import contextlib
import math
import os
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
import yaml
from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from posewright.errors import FileProblem, InvalidSetting, PosewrightError, suggestion
from posewright.figures import Figure, Pose
from posewright.figures.catalogue import CATALOGUE, build
from posewright.figures.transforms.coordinates import converted_q
from posewright.formats import FORMATS, load, load_figure
from posewright.formats.atomic import replacing
from posewright.formats.budget import is_below, is_file
from posewright.formats.options import ReadOptions
from posewright.formats.yaml_document import read_yaml
from posewright.motions import Motion
from posewright.tasks.fields import DofName, FileMapping, Number, is_angle, to_inner


def _beside(name: str, info: ValidationInfo) -> str:
    """The path of a file named in a task, relative to the task's folder; it is added to the list of `files`."""
    context = info.context or {}
    folder = context.get("folder")
    if folder is None:
        return name
    path, within = Path(folder, name), context.get("within")
    if within is not None and not is_below(path, within):
        raise ValueError(f"must be a file in the folder {str(within)!r} or below it")
    if not is_file(path):
        known = [entry.name for entry in path.parent.iterdir() if is_file(entry)] if os.path.isdir(path.parent) else []
        raise ValueError(f"must be a file beside the task{suggestion(path.name, sorted(known))}")
    context.get("files", []).append(path)
    return str(path)


_POSE_FILES = (".yaml", ".yml")
_SAYS_LITTLE = ".bvh"
"""A file that states neither its unit, nor its up axis, nor the orientation of segments at zero angles."""

Beside = Annotated[str, AfterValidator(_beside)]
"""A path relative to the task file."""


class _FigureFile(FileMapping):
    figure: Beside


def named_figure(name: str, folder: Path, files: list[Path], within: Path | None = None) -> Figure:
    """A built-in figure, or that of a file in a folder (and in or below `within`), which is added to `files`.

    Raises:
        ValidationError: there is no such file.
        PosewrightError: the name is neither, or the file contains no figure.
    """
    if name in CATALOGUE:
        return build(name)
    if not is_file(Path(folder, name)) and not name.lower().endswith(tuple(form.suffix for form in FORMATS)):
        raise InvalidSetting(f"{name!r} is neither a file nor a figure of the catalogue{suggestion(name, CATALOGUE)}")
    context = {"folder": folder, "files": files, "within": within}
    return load_figure(_FigureFile.model_validate({"figure": name}, context=context).figure)


class PoseFile(FileMapping):
    """A pose in a file of its own, as written by `posewright pose -o pose.yaml`."""

    figure: str
    """Name of the pose, for readers."""
    values: dict[DofName, Number]
    """Degrees, or metres for slides; other dofs are at rest."""


class StartModel(FileMapping):
    """A frame of a motion file, a pose file, or a figure in its file's pose or at rest, with single dofs changed."""

    file: Beside | None = None
    frame: Annotated[int, Field(strict=True)] = 0
    """Counted from 0; negative from the end."""
    values: dict[DofName, Number] = Field(default_factory=dict)
    """Degrees, or metres for slides."""
    unit: Literal["degrees", "radians"] = "degrees"
    """Unit of the values; radians are exact, because they are used internally."""

    @model_validator(mode="after")
    def _check_frame(self) -> Self:
        if "frame" in self.model_fields_set and (self.file is None or Path(self.file).suffix.lower() in _POSE_FILES):
            raise ValueError("has a frame, but no motion file to take it from")
        return self

    def pose(self, figure: Figure) -> Pose:
        """The pose."""
        pose = Pose.rest(figure) if self.file is None else _of_file(figure, Path(self.file), self.frame)
        return pose.with_values(self.values if self.unit == "radians" else to_inner(figure, self.values))


def write_pose(pose: Pose, path: Path) -> None:
    """The text of a pose file: degrees and metres by dof name."""
    values = {
        dof: round(math.degrees(value), 10) if is_angle(pose.figure, dof) else round(value, 12)
        for dof, value in zip(pose.figure.dof_names, pose.q.tolist(), strict=True)
    }
    text = yaml.safe_dump({"figure": pose.figure.name, "values": values}, sort_keys=False, allow_unicode=True)
    with replacing(path) as temporary:
        temporary.write_text("# A Posewright pose. Angles are degrees, lengths metres.\n" + text, encoding="utf-8")


def read_pose(figure: Figure, path: Path) -> Pose:
    """The pose in a file written by `write_pose` or by hand."""
    model = read_yaml(path, "a pose file", "figure and values").validated(PoseFile, {"figure": figure})
    return Pose.rest(figure).with_values(to_inner(figure, model.values))


def _frame(motion: Motion, frame: int) -> Pose:
    """The pose of a frame, numbered as in the motion's file; a frame left out before the first gives the first."""
    return motion.pose(frame if frame < 0 else max(0, frame - motion.first_frame))


def _of_file(figure: Figure, path: Path, frame: int) -> Pose:
    if path.suffix.lower() in _POSE_FILES:
        return read_pose(figure, path)
    loaded = _with_bones_of(figure, path)
    if isinstance(loaded, Motion) and loaded.figure.dof_names == figure.dof_names:
        return Pose(figure, _frame(loaded, frame).q)
    if isinstance(loaded, Figure) and frame != 0:
        raise FileProblem(path, f"contains a figure but no motion to take frame {frame} from")
    pose = Pose.rest(loaded) if isinstance(loaded, Figure) else _frame(loaded, frame)
    try:  # the same joints may have other dofs in the file: hinges in a .bvh, balls in a .glb
        return pose.converted(figure)
    except PosewrightError as error:
        if path.suffix.lower() == _SAYS_LITTLE:
            with contextlib.suppress(PosewrightError):
                return _turned_as_bvh(figure, path, frame)
        raise FileProblem(
            path, f"contains figure {pose.figure.name!r}, whose dofs differ from those of {figure.name!r}: {error}"
        ) from None


def _with_bones_of(figure: Figure, path: Path, up: Literal["y"] | None = None) -> Figure | Motion:
    """The contents of a file; if it has no unit, the one that gives all bones the length of the figure's is used."""
    loaded = load(path, ReadOptions(up=up))
    if path.suffix.lower() != _SAYS_LITTLE:
        return loaded
    found = loaded if isinstance(loaded, Figure) else loaded.figure
    shared = [joint for joint in found.joints if joint.parent is not None and joint.name in figure.joint_names]
    lengths = np.array([(math.hypot(*joint.offset), math.hypot(*figure.joint(joint.name).offset)) for joint in shared])
    total = lengths.sum(axis=0) if shared else np.zeros(2)
    if not total.all() or found.source is None:
        return loaded
    scale = float(total[1] / total[0])
    if abs(scale - 1.0) < 1e-6 or not np.allclose(scale * lengths[:, 0], lengths[:, 1], rtol=1e-6, atol=1e-6):
        return loaded  # the same unit, or another body
    return load(path, ReadOptions(up=up, metres_per_unit=scale * found.source.metres_per_unit))


def _turned_as_bvh(figure: Figure, path: Path, frame: int) -> Pose:
    """The pose of a figure whose axes .bvh cannot express, so it was written with those of the world and y up."""
    loaded = _with_bones_of(figure, path, up="y")
    pose = Pose.rest(loaded) if isinstance(loaded, Figure) else _frame(loaded, frame)
    return Pose(figure, converted_q(pose.figure, figure, pose.q, aligned=True))
